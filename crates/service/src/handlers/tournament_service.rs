//! The handlers of `TournamentService`: the cup that a server shows, read from the journal of the cup.

use std::time::SystemTime;

use ahu_contest::cup::{
    AnnulledGame, Forfeit, GameKey, GameResult, Salt, Standing, Standings, State, Status as AgentStatus,
};
use ahu_host::api::{ApiError, terms};
use tonic::Request;

use super::{Handled, Paging};
use crate::cup_reader::Cup;
use crate::proto::v1::{self, tournament_service_server::TournamentService};
use crate::status::{self, Answer};

#[tonic::async_trait]
impl TournamentService for Cup {
    async fn get_tournament(&self, _: Request<v1::GetTournamentRequest>) -> Answer<v1::GetTournamentResponse> {
        status::answer(async { Ok(tournament(&*self.state().await?)) }).await
    }

    async fn list_standings(&self, _: Request<v1::ListStandingsRequest>) -> Answer<v1::ListStandingsResponse> {
        status::answer(async { Ok(standings(&*self.state().await?)) }).await
    }

    async fn list_tournament_games(
        &self,
        asked: Request<v1::ListTournamentGamesRequest>,
    ) -> Answer<v1::ListTournamentGamesResponse> {
        status::answer(async { games(&*self.state().await?, asked.into_inner()) }).await
    }
}

/// Returns the cup with its stages and agents.
pub(crate) fn tournament(state: &State) -> v1::GetTournamentResponse {
    let (games, games_done) = state.progress();
    let stages = state.cup.stages.iter().enumerate().map(|(number, stage)| {
        let advance = state.stages.get(number).and_then(|stage| stage.advance.clone()).unwrap_or_default();
        v1::TournamentStage {
            name: stage.name.clone(),
            game: stage.game.clone(),
            seats: stage.seats as u32,
            groups: stage.groups as u32,
            advance: advance.into_iter().map(|agent| state.public_name(agent)).collect(),
        }
    });
    let agents = state.agents.iter().map(|agent| {
        // Seats that were left show the alias of an agent that is out.
        let status = if state.is_anonymous() { &AgentStatus::In } else { &agent.status };
        let reason = match status {
            AgentStatus::In | AgentStatus::Withdrawn(None) => String::new(),
            AgentStatus::Withdrawn(Some(reason)) | AgentStatus::Disqualified(reason) => reason.clone(),
        };
        v1::TournamentAgent {
            name: agent.entrant.name.clone(),
            owner: agent.entrant.owner.clone().unwrap_or_default(),
            anchor: agent.entrant.is_anchor,
            out: *status != AgentStatus::In,
            out_reason: reason,
            disqualified: matches!(status, AgentStatus::Disqualified(_)),
        }
    });
    let time = |time: Option<SystemTime>| time.map(prost_types::Timestamp::from);
    v1::GetTournamentResponse {
        name: state.cup.header.name.clone(),
        stages: stages.collect(),
        agents: agents.collect(),
        games: games as u32,
        games_done: games_done as u32,
        ended: state.has_ended(),
        anonymous: state.cup.header.anonymous,
        salt_hash: state.salt_hash.clone(),
        salt: state.salt.map(Salt::to_hex).unwrap_or_default(),
        begin_time: time(state.cup.header.begins()),
        until_time: time(state.cup.header.ends()),
    }
}

/// Returns the standings of all groups.
pub(crate) fn standings(state: &State) -> v1::ListStandingsResponse {
    let standing = |row: Standing| v1::Standing {
        place: row.shown_place().unwrap_or(0) as u32,
        agent: state.public_name(row.agent),
        games: row.games as u32,
        share: row.share(),
        margin: row.mean_margin(),
        wins: row.wins,
        forfeits: row.forfeits as u32,
    };
    let groups = state
        .stages
        .iter()
        .enumerate()
        .flat_map(|(number, stage)| (0..stage.groups.len()).map(move |group| (number, group)));
    let groups = groups.map(|(number, group)| v1::GroupStandings {
        stage: state.cup.stages[number].name.clone(),
        group: group as u32,
        standings: Standings::of(state, number, group).rows.into_iter().map(standing).collect(),
    });
    v1::ListStandingsResponse { groups: groups.collect() }
}

/// Returns the page of the list of games that a request asks for.
pub(crate) fn games(state: &State, asked: v1::ListTournamentGamesRequest) -> Handled<v1::ListTournamentGamesResponse> {
    let v1::ListTournamentGamesRequest { agent, page_size, page_token } = asked;
    let paging = Paging::read(page_size, &page_token, agent.as_bytes())?;
    let agent = match agent.as_str() {
        "" => None,
        name if state.is_anonymous() => {
            let agent = (0..state.agents.len()).find(|&agent| state.public_name(agent) == name);
            let message = "expected the alias of an agent, since the cup is anonymous until its end";
            Some(agent.ok_or_else(|| ApiError::bad_field("agent", format!("{message}; got {name:?}")))?)
        }
        name => Some(state.number(name).map_err(|message| ApiError::bad_field("agent", message))?),
    };
    let (size, first) = (paging.size, paging.first.unwrap_or(0) as usize);
    let name = agent.map(|agent| state.name(agent));
    let is_asked = |listed: &Listed<'_>| {
        name.is_none_or(|name| match listed {
            Listed::Drawn(key) => {
                let seating = state.seating(*key);
                seating.is_some_and(|seating| seating.values().iter().any(|&agent| state.name(agent) == name))
            }
            Listed::Annulled(game) => game.agents.iter().any(|agent| agent == name),
        })
    };
    // The games of all tables in the order of the stages, and then the games that were annulled.
    let all = state.games().map(|(key, _)| Listed::Drawn(key)).chain(state.annulled.iter().map(Listed::Annulled));
    let listed: Vec<_> = all.filter(is_asked).skip(first).take(size + 1).collect();
    let next_page_token = if listed.len() > size { paging.token((first + size) as u64) } else { String::new() };
    let game = |listed| match listed {
        Listed::Drawn(key) => drawn(state, key),
        Listed::Annulled(game) => annulled(state, game),
    };
    let games = listed.into_iter().take(size).map(game).collect();
    Ok(v1::ListTournamentGamesResponse { games, next_page_token })
}

/// A game of the list of games.
enum Listed<'a> {
    /// A game of a table.
    Drawn(GameKey),
    /// A game that was annulled.
    Annulled(&'a AnnulledGame),
}

fn drawn(state: &State, key: GameKey) -> v1::TournamentGame {
    let table = state.table(key).expect("it is a game of the cup");
    let result = table.results[key.game].as_ref();
    let started = table.started[key.game].clone();
    let game_state = match (result, &started) {
        (Some(_), _) => v1::TournamentGameState::Finished,
        (None, Some(_)) => v1::TournamentGameState::Started,
        (None, None) => v1::TournamentGameState::Waiting,
    };
    let agents = state.seating(key).map_or_else(Vec::new, |seating| seating.values().to_vec());
    let agents = agents.into_iter().map(|agent| state.public_name(agent)).collect();
    let match_id = result.map_or(started, |result| result.match_id.clone()).unwrap_or_default();
    let of_game = v1::TournamentGame { extra: table.is_extra, match_id, agents, ..of_key(state, key, game_state) };
    with_result(of_game, result)
}

fn annulled(state: &State, game: &AnnulledGame) -> v1::TournamentGame {
    let name = |name: &String| state.number(name).map_or_else(|_| String::new(), |agent| state.public_name(agent));
    let of_game = v1::TournamentGame {
        match_id: game.match_id.clone().unwrap_or_default(),
        agents: game.agents.iter().map(name).collect(),
        annulled_reason: game.reason.clone(),
        ..of_key(state, game.key, v1::TournamentGameState::Annulled)
    };
    with_result(of_game, game.result.as_ref())
}

fn of_key(state: &State, key: GameKey, game_state: v1::TournamentGameState) -> v1::TournamentGame {
    v1::TournamentGame {
        stage: state.cup.stages[key.stage].name.clone(),
        table: key.table as u32,
        game: key.game as u32,
        state: game_state.into(),
        ..Default::default()
    }
}

/// Adds the result of a game, if it has one.
fn with_result(game: v1::TournamentGame, result: Option<&GameResult>) -> v1::TournamentGame {
    let Some(result) = result else { return game };
    let forfeit = |(seat, forfeit): (usize, &Option<Forfeit>)| {
        let cause = match forfeit.as_ref()? {
            Forfeit::Game(cause) => terms::cause(*cause),
            Forfeit::Left => v1::Cause::Unspecified,
        };
        Some(v1::TournamentForfeit { seat: seat as u32, cause: cause.into() })
    };
    v1::TournamentGame {
        scores: result.scores.clone(),
        ranks: result.ranks.iter().map(|&rank| rank.into()).collect(),
        forfeits: result.forfeits.iter().enumerate().filter_map(forfeit).collect(),
        ..game
    }
}

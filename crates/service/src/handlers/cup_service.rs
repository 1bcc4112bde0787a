//! The handlers of `CupService`: the cup that a server shows, read from the journal of the cup.

use std::time::SystemTime;

use ahu_contest::cup::{
    AnnulledGame, Forfeit, GameKey, GameResult, Salt, Standing, Standings, State, Status as AgentStatus,
};
use ahu_host::api::{ApiError, terms};
use tonic::Request;

use super::{Handled, Paging};
use crate::cup_reader::Cup;
use crate::proto::cup::{self, cup_service_server::CupService};
use crate::proto::v1;
use crate::status::{self, Answer};

#[tonic::async_trait]
impl CupService for Cup {
    async fn get_cup(&self, _: Request<cup::GetCupRequest>) -> Answer<cup::GetCupResponse> {
        status::answer(async { Ok(cup::GetCupResponse { cup: Some(cup(&*self.state().await?)) }) }).await
    }

    async fn list_standings(&self, _: Request<cup::ListStandingsRequest>) -> Answer<cup::ListStandingsResponse> {
        status::answer(async { Ok(standings(&*self.state().await?)) }).await
    }

    async fn list_cup_games(&self, asked: Request<cup::ListCupGamesRequest>) -> Answer<cup::ListCupGamesResponse> {
        status::answer(async { games(&*self.state().await?, asked.into_inner()) }).await
    }
}

/// Returns the cup with its stages and agents.
pub(crate) fn cup(state: &State) -> cup::Cup {
    let (games, games_done) = state.progress();
    let stages = state.cup.stages.iter().enumerate().map(|(number, stage)| {
        let advance = state.stages.get(number).and_then(|stage| stage.advance.clone()).unwrap_or_default();
        cup::CupStage {
            name: stage.name.clone(),
            game: stage.game.clone(),
            seat_count: stage.seats as u32,
            group_count: stage.groups as u32,
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
        cup::CupAgent {
            name: agent.entrant.name.clone(),
            owner: agent.entrant.owner.clone().unwrap_or_default(),
            anchor: agent.entrant.is_anchor,
            out: *status != AgentStatus::In,
            out_reason: reason,
            disqualified: matches!(status, AgentStatus::Disqualified(_)),
        }
    });
    let time = |time: Option<SystemTime>| time.map(prost_types::Timestamp::from);
    cup::Cup {
        name: state.cup.header.name.clone(),
        stages: stages.collect(),
        agents: agents.collect(),
        game_count: games as u32,
        ended_game_count: games_done as u32,
        ended: state.has_ended(),
        anonymous: state.cup.header.anonymous,
        salt_hash: state.salt_hash.clone(),
        salt: state.salt.map(Salt::to_hex).unwrap_or_default(),
        begin_time: time(state.cup.header.begins()),
        until_time: time(state.cup.header.ends()),
    }
}

/// Returns the standings of all groups.
pub(crate) fn standings(state: &State) -> cup::ListStandingsResponse {
    let standing = |row: Standing| cup::Standing {
        place: row.shown_place().unwrap_or(0) as u32,
        agent: state.public_name(row.agent),
        game_count: row.games as u32,
        share: row.share(),
        margin: row.mean_margin(),
        wins: row.wins,
        forfeit_count: row.forfeits as u32,
    };
    let groups = state
        .stages
        .iter()
        .enumerate()
        .flat_map(|(number, stage)| (0..stage.groups.len()).map(move |group| (number, group)));
    let groups = groups.map(|(number, group)| cup::GroupStandings {
        stage: state.cup.stages[number].name.clone(),
        group: group as u32,
        standings: Standings::of(state, number, group).rows.into_iter().map(standing).collect(),
    });
    cup::ListStandingsResponse { groups: groups.collect() }
}

/// Returns the page of the list of games that a request asks for.
pub(crate) fn games(state: &State, asked: cup::ListCupGamesRequest) -> Handled<cup::ListCupGamesResponse> {
    let cup::ListCupGamesRequest { agent, page_size, page_token } = asked;
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
    Ok(cup::ListCupGamesResponse { games, next_page_token })
}

/// A game of the list of games.
enum Listed<'a> {
    /// A game of a table.
    Drawn(GameKey),
    /// A game that was annulled.
    Annulled(&'a AnnulledGame),
}

fn drawn(state: &State, key: GameKey) -> cup::CupGame {
    let table = state.table(key).expect("it is a game of the cup");
    let result = table.results[key.game].as_ref();
    let started = table.started[key.game].clone();
    let game_state = match (result, &started) {
        (Some(_), _) => cup::CupGameState::Finished,
        (None, Some(_)) => cup::CupGameState::Started,
        (None, None) => cup::CupGameState::Waiting,
    };
    let agents = state.seating(key).map_or_else(Vec::new, |seating| seating.values().to_vec());
    let agents = agents.into_iter().map(|agent| state.public_name(agent)).collect();
    let match_id = result.map_or(started, |result| result.match_id.clone()).unwrap_or_default();
    let of_game = cup::CupGame { extra: table.is_extra, match_id, agents, ..of_key(state, key, game_state) };
    with_result(of_game, result)
}

fn annulled(state: &State, game: &AnnulledGame) -> cup::CupGame {
    let name = |name: &String| state.number(name).map_or_else(|_| String::new(), |agent| state.public_name(agent));
    let of_game = cup::CupGame {
        match_id: game.match_id.clone().unwrap_or_default(),
        agents: game.agents.iter().map(name).collect(),
        annulled_reason: game.reason.clone(),
        ..of_key(state, game.key, cup::CupGameState::Annulled)
    };
    with_result(of_game, game.result.as_ref())
}

fn of_key(state: &State, key: GameKey, game_state: cup::CupGameState) -> cup::CupGame {
    cup::CupGame {
        stage: state.cup.stages[key.stage].name.clone(),
        table: key.table as u32,
        game: key.game as u32,
        state: game_state.into(),
        ..Default::default()
    }
}

/// Adds the result of a game, if it has one.
fn with_result(game: cup::CupGame, result: Option<&GameResult>) -> cup::CupGame {
    let Some(result) = result else { return game };
    let forfeit = |(seat, forfeit): (usize, &Option<Forfeit>)| {
        let cause = match forfeit.as_ref()? {
            Forfeit::Game(cause) => terms::cause(*cause),
            Forfeit::Left => v1::Cause::Unspecified,
        };
        Some(v1::Forfeit { seat: Some(seat as u32), cause: cause.into() })
    };
    cup::CupGame {
        scores: result.scores.clone(),
        ranks: result.ranks.iter().map(|&rank| rank.into()).collect(),
        forfeits: result.forfeits.iter().enumerate().filter_map(forfeit).collect(),
        ..game
    }
}

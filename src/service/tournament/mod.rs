//! The handlers of `TournamentService`: the cup that a server shows, read from the journal of the cup.

mod cup_reader;

use tonic::Request;

pub(super) use self::cup_reader::{Cup, CupReader};
use super::matches::page;
use crate::cup::{Forfeit, GameKey, Salt, Standing, Standings, State, Status as AgentStatus};
use crate::proto::v1::{self, tournament_service_server::TournamentService};
use crate::service::status::{self, Answer};
use ahu_engine::host::api::{ApiError, terms};

/// Returns true if names are told.
fn has_names(state: &State) -> bool {
    !state.cup.tournament.anonymous || state.has_ended()
}

#[tonic::async_trait]
impl TournamentService for Cup {
    async fn get_tournament(&self, _: Request<v1::GetTournamentRequest>) -> Answer<v1::GetTournamentResponse> {
        status::answer(async {
            let state = self.state().await?;
            let (games, games_done) = state.progress();
            let stages = state.cup.stages.iter().enumerate().map(|(number, stage)| {
                let advance = state.stages.get(number).and_then(|stage| stage.advance.clone()).unwrap_or_default();
                v1::TournamentStage {
                    name: stage.name.clone(),
                    game: stage.game.clone(),
                    seats: stage.seats as u32,
                    groups: stage.groups as u32,
                    advance: advance.into_iter().map(|agent| state.name(agent).to_owned()).collect(),
                }
            });
            let agents = state.agents.iter().map(|agent| v1::TournamentAgent {
                name: agent.entrant.name.clone(),
                owner: agent.entrant.owner.clone().unwrap_or_default(),
                anchor: agent.entrant.is_anchor,
                out: agent.status != AgentStatus::In,
            });
            Ok(v1::GetTournamentResponse {
                name: state.cup.tournament.name.clone(),
                stages: stages.collect(),
                agents: agents.collect(),
                games: games as u32,
                games_done: games_done as u32,
                ended: state.has_ended(),
                anonymous: state.cup.tournament.anonymous,
                salt_hash: state.salt_hash.clone(),
                salt: state.salt.map(Salt::to_hex).unwrap_or_default(),
            })
        })
        .await
    }

    async fn list_standings(&self, _: Request<v1::ListStandingsRequest>) -> Answer<v1::ListStandingsResponse> {
        status::answer(async {
            let state = self.state().await?;
            let standing = |row: Standing| v1::Standing {
                place: row.place as u32,
                agent: if has_names(&state) { state.name(row.agent).to_owned() } else { String::new() },
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
                standings: Standings::of(&state, number, group).rows.into_iter().map(standing).collect(),
            });
            Ok(v1::ListStandingsResponse { groups: groups.collect() })
        })
        .await
    }

    async fn list_tournament_games(
        &self,
        asked: Request<v1::ListTournamentGamesRequest>,
    ) -> Answer<v1::ListTournamentGamesResponse> {
        status::answer(async {
            let v1::ListTournamentGamesRequest { agent, page_size, page_token } = asked.into_inner();
            let state = self.state().await?;
            let agent = match agent.as_str() {
                "" => None,
                _ if !has_names(&state) => {
                    let message = "expected no name of an agent, since the cup is anonymous until its end";
                    return Err(ApiError::bad_field("agent", message));
                }
                name => Some(state.number(name).map_err(|message| ApiError::bad_field("agent", message))?),
            };
            let (size, first): (usize, usize) = page(page_size, &page_token)?;
            let is_asked = |key: &GameKey| {
                let seating = state.seating(*key);
                agent.is_none_or(|agent| seating.is_some_and(|seating| seating.values().contains(&agent)))
            };
            let keys: Vec<_> = state.games().map(|(key, _)| key).filter(is_asked).skip(first).take(size + 1).collect();
            let next_page_token = if keys.len() > size { (first + size).to_string() } else { String::new() };
            let games = keys.into_iter().take(size).map(|key| game(&state, key)).collect();
            Ok(v1::ListTournamentGamesResponse { games, next_page_token })
        })
        .await
    }
}

/// Iterates over all games, in the order of stages and tables.
pub(super) fn games(state: &State) -> impl Iterator<Item = v1::TournamentGame> {
    state.games().map(|(key, _)| game(state, key))
}

fn game(state: &State, key: GameKey) -> v1::TournamentGame {
    let table = state.table(key).expect("it is a game of the cup");
    let result = table.results[key.game].as_ref();
    let started = table.started[key.game].clone();
    let game_state = match (result, &started) {
        (Some(_), _) => v1::TournamentGameState::Finished,
        (None, Some(_)) => v1::TournamentGameState::Started,
        (None, None) => v1::TournamentGameState::Waiting,
    };
    let names = state
        .seating(key)
        .filter(|_| has_names(state))
        .map(|seating| seating.values().iter().map(|&agent| state.name(agent).to_owned()).collect());
    let forfeit = |(seat, forfeit): (usize, &Option<Forfeit>)| {
        let cause = match forfeit.as_ref()? {
            Forfeit::Game(cause) => terms::cause(*cause),
            Forfeit::Left => v1::Cause::Unspecified,
        };
        Some(v1::TournamentForfeit { seat: seat as u32, cause: cause.into() })
    };
    let forfeits = result.map(|result| result.forfeits.iter().enumerate().filter_map(forfeit).collect());
    v1::TournamentGame {
        stage: state.cup.stages[key.stage].name.clone(),
        table: key.table as u32,
        game: key.game as u32,
        extra: table.is_extra,
        state: game_state.into(),
        match_id: result.map_or(started, |result| result.match_id.clone()).unwrap_or_default(),
        agents: names.unwrap_or_default(),
        scores: result.map(|result| result.scores.clone()).unwrap_or_default(),
        ranks: result.map(|result| result.ranks.iter().map(|&rank| rank.into()).collect()).unwrap_or_default(),
        forfeits: forfeits.unwrap_or_default(),
    }
}

//! The cup of the server, as `CupService` tells everybody.

use ahu_contest::cup::Standings;
use ahu_host::api::ApiError;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::SharedServer;
use super::answer::{Answer, Failure, json};
use crate::handlers::{self, Paging, standings};
use crate::proto::cup;
use crate::proto::v1::ErrorReason;

/// The id of the cup. A server shows one.
const ID: &str = "cup";
/// The number of games on a page of the list of games.
const GAMES: u32 = 100;

/// Answers with the cup of the server; with an empty list if it has none.
pub(super) async fn list(State(server): State<SharedServer>) -> Answer {
    match server.cup.state().await {
        Ok(state) => json(&json!([line(&handlers::cup(&state))])),
        Err(error) if error.reason == ErrorReason::NoCup => json(&json!([])),
        Err(error) => Err(error.into()),
    }
}

/// Answers with the stages, standings, ratings, and agents of the cup.
pub(super) async fn show(State(server): State<SharedServer>, Path(id): Path<String>) -> Answer {
    check_id(&id)?;
    let state = server.cup.state().await?;
    let (cup, standings) = (handlers::cup(&state), standings(&state).groups);
    let stages = cup.stages.iter().flat_map(|stage| {
        let groups = standings.iter().filter(|group| group.stage == stage.name);
        groups.map(|group| {
            let name = match stage.group_count {
                0 | 1 => stage.name.clone(),
                _ => format!("{}, group {}", stage.name, group.group + 1),
            };
            let rows = group.standings.iter().map(|row| standing(row, stage, &cup.agents));
            json!({"name": name, "game": stage.game, "seats": stage.seat_count, "standings": rows.collect::<Vec<_>>()})
        })
    });
    let stages: Vec<Value> = stages.collect();
    let agents: Vec<Value> = cup.agents.iter().map(agent).collect();
    let mut answer = line(&cup);
    answer["stages"] = stages.into();
    answer["agents"] = agents.into();
    answer["ratings"] = server.cup.ratings().await?;
    answer["winners"] = Standings::winners(&state).into_iter().map(|winner| state.public_name(winner)).collect();
    json(&answer)
}

/// The page of the list of games that a request asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GamesQuery {
    /// The number of the page, from 1; the first one if absent.
    page: Option<usize>,
    /// Only games of this agent.
    #[serde(default)]
    agent: String,
}

/// Answers with a page of the games of the cup.
pub(super) async fn games(
    State(server): State<SharedServer>,
    Path(id): Path<String>,
    Query(GamesQuery { page, agent }): Query<GamesQuery>,
) -> Answer {
    check_id(&id)?;
    let page = page.unwrap_or(1);
    let first = page.saturating_sub(1).saturating_mul(GAMES as usize);
    let page_token = Paging::read(GAMES, "", agent.as_bytes())?.token(first as u64);
    let request = cup::ListCupGamesRequest { agent, page_size: GAMES, page_token };
    let answer = handlers::games(&*server.cup.state().await?, request)?;
    let games: Vec<Value> = answer.games.iter().map(game).collect();
    json(&json!({"page": page, "has_next": !answer.next_page_token.is_empty(), "games": games}))
}

fn check_id(id: &str) -> Result<(), Failure> {
    if id == ID {
        return Ok(());
    }
    let message = format!("expected the id of a cup of GET /api/cups, got {id:?}");
    Err(ApiError::new(ErrorReason::NoCup, message).into())
}

fn line(cup: &cup::Cup) -> Value {
    // A later stage has standings once its tables are drawn, so the last stage that has begun is the present one.
    let state = match (cup.ended, cup.ended_game_count) {
        (true, _) => "ended",
        (false, 0) => "waiting",
        (false, _) => "running",
    };
    json!({
        "id": ID, "title": cup.name, "state": state, "anonymous": cup.anonymous,
        "stage": cup.stages.iter().find(|stage| stage.advance.is_empty()).map(|stage| &stage.name),
        "games_done": cup.ended_game_count, "games_planned": cup.game_count,
        "begin": cup.begin_time.as_ref().map(ToString::to_string), "until": cup.until_time.as_ref().map(ToString::to_string),
    })
}

fn agent(agent: &cup::CupAgent) -> Value {
    json!({
        "name": agent.name, "owner": agent.owner, "anchor": agent.anchor, "out": agent.out, "reason": agent.out_reason,
        "disqualified": agent.disqualified,
    })
}

/// Returns a row of standings with what people want to know beside the figures.
fn standing(row: &cup::Standing, stage: &cup::CupStage, agents: &[cup::CupAgent]) -> Value {
    // An alias is the name of no agent.
    let agent = agents.iter().find(|agent| agent.name == row.agent);
    json!({
        "rank": (row.place > 0).then_some(row.place), "name": row.agent, "games": row.game_count,
        "points": (row.game_count > 0).then_some(row.share), "wins": row.wins, "margin": row.margin, "forfeits": row.forfeit_count,
        "owner": agent.map(|agent| &agent.owner), "anchor": agent.is_some_and(|agent| agent.anchor),
        "out": agent.is_some_and(|agent| agent.out), "disqualified": agent.is_some_and(|agent| agent.disqualified),
        "reason": agent.map(|agent| &agent.out_reason), "advances": stage.advance.contains(&row.agent),
    })
}

fn game(game: &cup::CupGame) -> Value {
    let state = match game.state() {
        cup::CupGameState::Finished => "finished",
        cup::CupGameState::Started => "running",
        cup::CupGameState::Annulled => "annulled",
        cup::CupGameState::Waiting | cup::CupGameState::Unspecified => "waiting",
    };
    json!({
        "id": game.match_id, "stage": game.stage, "table": game.table, "game": game.game, "extra": game.extra,
        "agents": game.agents, "state": state, "scores": game.scores, "ranks": game.ranks,
        "forfeits": game.forfeits.iter().map(|forfeit| forfeit.seat).collect::<Vec<_>>(),
        "reason": game.annulled_reason,
    })
}

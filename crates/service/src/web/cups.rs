//! The cups of the server, as `CupService` tells everybody.

use std::time::SystemTime;

use ahu_contest::cup::Standings;
use axum::extract::{Path, Query, State};
use prost_types::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Answer, json};
use super::{SharedServer, ladder};
use crate::handlers::{self, CupTable, described};
use crate::limits::MAX_PAGE;
use crate::proto::cup;
use crate::refusals;

/// The number of tables on a page of the list of games.
const TABLES: usize = 20;

/// Answers with the cups of the server, those in progress first.
pub(super) async fn list(State(server): State<SharedServer>) -> Answer {
    let mut cups = described(server.cups.from(0, MAX_PAGE)).await;
    cups.sort_by(|one, other| (one.ended, &one.name).cmp(&(other.ended, &other.name)));
    json(&cups.iter().map(line).collect::<Value>())
}

/// The wish of a request for more of a ladder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowQuery {
    /// 1 for the entrants that the table does not show.
    #[serde(default)]
    all: u8,
}

/// Answers with the stages, standings, ratings, and agents of a cup. The ladder has its agents in its own table.
pub(super) async fn show(
    State(server): State<SharedServer>,
    Path(id): Path<String>,
    Query(ShowQuery { all }): Query<ShowQuery>,
) -> Answer {
    let reader = server.cups.find(&id)?;
    let (state, tables) = reader.tables().await?;
    let has_ladder = tables.ladder.is_some();
    let described = handlers::cup(&state);
    let agents: Vec<_> = state.agents.iter().map(|agent| handlers::agent(&state, agent)).collect();
    let groups = tables.standings.chunk_by(|one, other| (&one.stage, one.group) == (&other.stage, other.group));
    let stages = groups.filter_map(|rows| {
        let (number, of_stage) = described.stages.iter().enumerate().find(|(_, stage)| stage.name == rows[0].stage)?;
        if has_ladder && number == 0 {
            return None;
        }
        let name = match of_stage.group_count {
            0 | 1 => of_stage.name.clone(),
            _ => format!("{}, group {}", of_stage.name, rows[0].group + 1),
        };
        let rows = rows.iter().map(|row| standing(row, of_stage, &agents));
        Some(
            json!({"name": name, "game": of_stage.game, "seats": of_stage.seat_count, "standings": rows.collect::<Vec<_>>()}),
        )
    });
    let stages: Vec<Value> = stages.collect();
    let mut answer = line(&described);
    answer["stages"] = stages.into();
    answer["agents"] = agents.iter().filter(|_| !has_ladder).map(agent).collect();
    [answer["ratings"], answer["crosstables"]] = reader.report().await?;
    answer["winners"] = Standings::winners(&state).into_iter().map(|winner| state.public_name(winner)).collect();
    let object = async move { tables.ladder.as_ref().map(|table| ladder::object(&state, table, all > 0)) };
    // The table of a thousand agents is made where it holds nobody up.
    answer["ladder"] = server.matches.background.work(object).await.ok_or_else(refusals::failed)?.into();
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

/// Answers with a page of the games of the cup, by tables.
pub(super) async fn games(
    State(server): State<SharedServer>,
    Path(id): Path<String>,
    Query(GamesQuery { page, agent }): Query<GamesQuery>,
) -> Answer {
    let state = server.cups.find(&id)?.state().await?;
    let page = page.unwrap_or(1);
    let (tables, has_next) = handlers::tables(&state, &agent, page.saturating_sub(1).saturating_mul(TABLES), TABLES)?;
    json(&json!({"page": page, "has_next": has_next, "tables": tables.iter().map(table).collect::<Value>()}))
}

fn table(CupTable { shares, games }: &CupTable) -> Value {
    let first = &games[0];
    json!({
        "stage": first.stage, "table": first.table, "extra": first.extra,
        "agents": shares.iter().map(|(name, share)| json!({"name": name, "share": share})).collect::<Value>(),
        "games": games.iter().map(game).collect::<Value>(),
    })
}

fn line(cup: &cup::Cup) -> Value {
    // A later stage has standings once its tables are drawn, so the last stage that has begun is the present one.
    let state = match (cup.ended, cup.ended_game_count) {
        (true, _) => "ended",
        (false, 0) => "waiting",
        (false, _) => "running",
    };
    // The clocks of readers may be wrong.
    let is_to_come = |time: &&Timestamp| SystemTime::try_from(**time).is_ok_and(|time| time > SystemTime::now());
    json!({
        "id": cup.cup_id, "title": cup.name, "state": state, "anonymous": cup.anonymous,
        "stage": cup.stages.iter().find(|stage| stage.advance.is_empty()).map(|stage| &stage.name),
        "games_done": cup.ended_game_count, "games_planned": cup.game_count,
        "begin": cup.begin_time.as_ref().filter(is_to_come).map(ToString::to_string), "until": cup.until_time.as_ref().map(ToString::to_string),
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
        "id": game.match_id, "game": game.number, "agents": game.agents, "state": state, "scores": game.scores, "ranks": game.ranks,
        "forfeits": game.forfeits.iter().map(|forfeit| forfeit.seat).collect::<Vec<_>>(),
        "reason": game.annulled_reason,
    })
}

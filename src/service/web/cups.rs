//! The cup of the server, as `TournamentService` tells everybody.

use axum::extract::{Path, State};
use serde_json::{Value, json};
use tonic::Request;

use super::Web;
use super::answer::{Answer, Failure, json};
use crate::proto::v1::tournament_service_server::TournamentService as _;
use crate::proto::v1::{self, ErrorReason};
use crate::service::tournament;
use ahu_engine::host::api::ApiError;

/// The id of the cup. A server shows one.
const ID: &str = "cup";
/// The number of matches that a page of a cup lists: the newest.
const MATCHES: usize = 100;

/// Answers with the cup of the server; with an empty list if it has none.
pub(super) async fn list(State(web): State<Web>) -> Answer {
    if web.cup.0.is_none() {
        return json(&json!([]));
    }
    json(&json!([line(&described(&web).await?)]))
}

/// Answers with the standings, ratings, and matches of the cup.
pub(super) async fn show(State(web): State<Web>, Path(id): Path<String>) -> Answer {
    if id != ID {
        let message = format!("expected the id of a cup of GET /api/cups, got {id:?}");
        return Err(ApiError::new(ErrorReason::NoTournament, message).into());
    }
    let cup = described(&web).await?;
    let standings = web.cup.list_standings(Request::new(v1::ListStandingsRequest {})).await?.into_inner().groups;
    let stages = cup.stages.iter().flat_map(|stage| {
        let groups = standings.iter().filter(|group| group.stage == stage.name);
        groups.map(|group| {
            let name = match stage.groups {
                0 | 1 => stage.name.clone(),
                _ => format!("{}, group {}", stage.name, group.group),
            };
            let rows: Vec<Value> = group.standings.iter().map(standing).collect();
            json!({"name": name, "game": stage.game, "standings": rows})
        })
    });
    let stages: Vec<Value> = stages.collect();
    let matches = games(&web).await?;
    let agents: Vec<Value> = cup.agents.iter().map(agent).collect();
    let mut answer = line(&cup);
    answer["stages"] = stages.into();
    answer["matches"] = matches.into();
    answer["agents"] = agents.into();
    answer["ratings"] = web.cup.ratings().await?;
    json(&answer)
}

async fn described(web: &Web) -> Result<v1::GetTournamentResponse, Failure> {
    Ok(web.cup.get_tournament(Request::new(v1::GetTournamentRequest {})).await?.into_inner())
}

fn line(cup: &v1::GetTournamentResponse) -> Value {
    // A later stage has standings once its tables are drawn, so the last stage that has begun is the present one.
    let state = match (cup.ended, cup.games_done) {
        (true, _) => "ended",
        (false, 0) => "waiting",
        (false, _) => "running",
    };
    json!({
        "id": ID, "title": cup.name, "state": state, "anonymous": cup.anonymous,
        "stage": cup.stages.iter().find(|stage| stage.advance.is_empty()).map(|stage| &stage.name),
        "games_done": cup.games_done, "games_planned": cup.games,
    })
}

fn agent(agent: &v1::TournamentAgent) -> Value {
    json!({"name": agent.name, "owner": agent.owner, "anchor": agent.anchor, "out": agent.out})
}

fn standing(row: &v1::Standing) -> Value {
    json!({
        "rank": row.place, "name": row.agent, "games": row.games, "points": row.share, "wins": row.wins,
        "margin": row.margin, "forfeits": row.forfeits,
    })
}

/// Returns the newest games that have begun.
async fn games(web: &Web) -> Result<Vec<Value>, Failure> {
    let state = web.cup.state().await?;
    let begun: Vec<_> = tournament::games(&state).filter(|game| !game.match_id.is_empty()).collect();
    let game = |game: v1::TournamentGame| {
        json!({
            "id": game.match_id, "stage": game.stage, "table": game.table, "agents": game.agents,
            "state": if game.state() == v1::TournamentGameState::Finished { "finished" } else { "running" },
            "scores": game.scores, "ranks": game.ranks,
        })
    };
    Ok(begun.into_iter().rev().take(MATCHES).map(game).collect())
}

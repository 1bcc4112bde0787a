//! The ladder of a cup: its table, its live games, its agents, and the journal that proves them.

use ahu_contest::cup::{LadderTable, State as CupState};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse as _;
use futures_util::stream;
use prost::bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SharedServer;
use super::answer::{Answer, Failure, json};
use crate::accounts::Client;
use crate::limits::Share;
use crate::refusals;

/// The number of live games of the best that the page shows.
const LIVE: usize = 10;

/// Returns the table as an object with the live games of the best. Only `all` has the entrants that the table does not show.
pub(super) fn object(state: &CupState, table: &LadderTable, all: bool) -> Value {
    let mut object = table.json(state);
    if let Some(rows) = object["rows"].as_array_mut().filter(|_| !all) {
        rows.retain(|row| row["shown"] == true);
    }
    object["live"] = live(state, table, None);
    object["now"] = json!(ahu_contest::cup::now());
    object["salt_hash"] = json!(state.salt_hash);
    object["game"] = json!(state.cup.stages[0].game);
    object
}

/// Returns the games in progress of this agent, or those with the best agents.
fn live(state: &CupState, table: &LadderTable, agent: Option<usize>) -> Value {
    let Some(ladder) = state.ladder() else { return Value::Null };
    let mut places = vec![(usize::MAX, None); ladder.agents.len()];
    for (order, row) in table.rows.iter().enumerate() {
        places[row.agent] = (order, row.place);
    }
    let is_asked = |agents: &[usize]| agent.is_none_or(|agent| agents.contains(&agent));
    let started = ladder.open.values().filter_map(|open| Some((open.started.as_ref()?, &open.agents)));
    let mut games: Vec<_> = started.filter(|(_, agents)| is_asked(agents)).collect();
    games.sort_by_key(|(_, agents)| agents.iter().map(|&agent| places[agent].0).min());
    let game = |(id, agents): (&String, &Vec<usize>)| {
        let agent = |&agent: &usize| json!({"name": state.name(agent), "place": places[agent].1});
        json!({"match": id, "agents": agents.iter().map(agent).collect::<Value>()})
    };
    games.into_iter().take(LIVE).map(game).collect()
}

/// Answers with the live games of the best.
pub(super) async fn games(State(server): State<SharedServer>, Path(id): Path<String>) -> Answer {
    let (state, tables) = server.cups.find(&id)?.tables().await?;
    let table = tables.ladder.as_ref().ok_or_else(|| Failure::missing("expected a cup with a ladder"))?;
    json(&json!({"live": live(&state, table, None), "ended": state.has_ended()}))
}

/// Answers with the figures of an agent.
pub(super) async fn agent(State(server): State<SharedServer>, Path((id, name)): Path<(String, String)>) -> Answer {
    let (state, tables) = server.cups.find(&id)?.tables().await?;
    let table = tables.ladder.as_ref().ok_or_else(|| Failure::missing("expected a cup with a ladder"))?;
    let number = state.number(&name).map_err(Failure::missing)?;
    let mut object = table.agent_json(&state, number).unwrap_or_default();
    object["live"] = live(&state, table, Some(number));
    object["now"] = json!(ahu_contest::cup::now());
    object["cup"] = json!(state.cup.header.name);
    json(&object)
}

/// The place in a journal from which a request asks for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalQuery {
    /// The number of bytes before it.
    #[serde(default)]
    from: u64,
}

/// Answers with the journal of a cup with a ladder, or of one that has ended, up to its end now.
pub(super) async fn journal(
    State(server): State<SharedServer>,
    Path(id): Path<String>,
    Query(JournalQuery { from }): Query<JournalQuery>,
    client: Option<Extension<Client>>,
) -> Answer {
    server.matches.refuse_if_closing()?;
    let reader = server.cups.find(&id)?;
    let first = reader.part(from, false).await?;
    let share = client.map(|Extension(client)| client).unwrap_or_default().lease(&[(Share::Watchers, 1)])?;
    let next = (first, from, reader, server.matches.closing(), share);
    let parts = stream::try_unfold(next, async |(part, at, reader, closing, share)| {
        if part.is_empty() {
            return Ok(None);
        }
        if *closing.borrow() {
            return Err(refusals::closing());
        }
        let at = at + part.len() as u64;
        let next = reader.part(at, false).await?;
        Ok(Some((Bytes::from(part), (next, at, reader, closing, share))))
    });
    let headers = [
        (CONTENT_TYPE, "application/jsonl".to_owned()),
        (CONTENT_DISPOSITION, "attachment; filename=\"journal.jsonl\"".to_owned()),
    ];
    Ok((headers, Body::from_stream(parts)).into_response())
}

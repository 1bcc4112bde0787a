//! The games of a duel as the Python package gets them, which plays `callable` players itself.

use ahu_arena::{AgentPlayer, CALLABLE};
use serde_json::{Value, json};

use super::archive::{Archive, record_name};
use super::block_queue::Job;
use super::matchup::Matchup;
use crate::runs::{Folder, planned_json};
use crate::{CliError, Done};

/// Refuses players that only the Python package can play.
pub(super) fn refuse_callables(matchup: &Matchup) -> Done {
    match matchup.agents.iter().find(|agent| matches!(agent.player, AgentPlayer::Elsewhere)) {
        None => Ok(()),
        Some(agent) => Err(CliError::Usage(format!(
            "agent {}: expected a bot or a command, got \"{CALLABLE}\": ahu.duel of the Python package plays it",
            agent.name
        ))),
    }
}

/// Returns the games among these blocks that are not kept. Each has the names of the agents by seat.
pub(super) fn games_json(
    matchup: &Matchup,
    blocks: impl Iterator<Item = u64>,
    archive: &Archive,
    folder: &Folder,
) -> Value {
    let games = blocks.flat_map(|block| (0..matchup.seatings.len()).map(move |game| (block, game)));
    let games = games.filter(|&(block, game)| !archive.has(block, game));
    let planned = |(block, game)| {
        let planned = matchup.planned(Job::first(block, game));
        let agents: Vec<_> = planned.seating.values().iter().map(|&agent| &matchup.agents[agent].name).collect();
        let further = json!({"block": block, "index": game, "agents": agents});
        planned_json(folder, &record_name(block, game), planned, further)
    };
    json!({ "games": games.map(planned).collect::<Vec<_>>() })
}

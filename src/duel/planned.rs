//! The games of a duel as the Python package gets them, which plays `callable` players itself.

use std::path::Path;

use ahu_arena::{AgentPlayer, CALLABLE};
use ahu_contest::PlannedGame;
use ahu_host::{BotName, Referee};
use serde_json::{Value, json};

use super::archive::{Archive, record_name};
use super::block_queue::Job;
use super::contest::Contest;
use crate::{CliError, Done};

/// Refuses players that only the Python package can play.
pub(super) fn refuse_callables(contest: &Contest) -> Done {
    match contest.agents.iter().find(|agent| matches!(agent.player, AgentPlayer::Elsewhere)) {
        None => Ok(()),
        Some(agent) => Err(CliError::Usage(format!(
            "agent {}: expected a bot or a command, got \"{CALLABLE}\": ahu.duel of the Python package plays it",
            agent.name
        ))),
    }
}

/// Returns the games of the blocks of a shard. Each has the path for its record, the names of the agents and the bots by
/// seat, and a record of the match before its first ply.
pub(super) fn games_json(
    contest: &Contest,
    blocks: impl Iterator<Item = u64>,
    archive: &Archive,
    folder: &Path,
) -> Value {
    let games = blocks.flat_map(|block| (0..contest.seatings.len()).map(move |game| (block, game)));
    let games = games.filter(|&(block, game)| !archive.has(block, game));
    let planned = |(block, game)| {
        let PlannedGame { setup, seating, seed, players, terms, .. } = contest.planned(Job::first(block, game));
        let bots: Vec<_> = players.iter().map(|player| player.bot.map(BotName::name)).collect();
        let agents: Vec<_> = seating.values().iter().map(|&agent| &contest.agents[agent].name).collect();
        let options: serde_json::Map<_, _> =
            setup.options().into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
        let (name, seats) = (setup.rules().info().id, setup.seats().count());
        let record = Referee::before_the_first_ply(setup, seed, players, terms).record();
        json!({
            "path": folder.join(record_name(block, game)), "name": record_name(block, game), "block": block, "index": game,
            "game": name, "seats": seats, "options": options, "players": bots, "agents": agents,
            "seed": seed.0, "record": record.to_text(),
        })
    };
    json!({ "games": games.map(planned).collect::<Vec<_>>() })
}

//! The beginning of a match, which `--continue` takes from a record.

use std::path::Path;

use ahu_core::Seed;
use ahu_host::{DecidedBy, Ending, Entry, Record, Setup, ThinkingTime, verify};

use crate::CliError;
use crate::files::record_file::read_record;

/// The beginning of a match.
pub(super) struct Opening {
    pub(super) setup: Setup,
    pub(super) seed: Seed,
    /// The players as the command line names them.
    pub(super) named: Vec<String>,
    /// The plies of a record that come first. The players of the new match have decided them, in no time.
    pub(super) plies: Vec<Entry>,
}

impl Opening {
    /// Reads a record up to a ply, or up to its end if the match was not finished. The record must be valid. Without names, the
    /// players are those of the record.
    pub(super) fn read(file: &Path, before: Option<u32>, named: Vec<String>) -> Result<Self, CliError> {
        let in_file = |reason: String| CliError::Usage(format!("{}: {reason}", file.display()));
        let record = read_record(file).map_err(CliError::Usage)?;
        verify(&record).map_err(|error| in_file(error.to_string()))?;
        let end = match before {
            Some(ply) => record.entries_before(ply).map_err(|error| in_file(format!("--at: {error}")))?,
            None if record.ending == Some(Ending::Finished) => {
                let plies = record.plies();
                return Err(in_file(format!(
                    "the match is finished: use --at with a ply from 1 to {plies} to play on from an earlier point"
                )));
            }
            None => record.entries.len(),
        };
        let named = if named.is_empty() { players(&record).map_err(in_file)? } else { named };
        let seats = record.setup.seats().count();
        if named.len() != seats {
            return Err(in_file(format!("expected {seats} players, got {}", named.len())));
        }
        let plies = record.entries[..end].iter().filter_map(ply).collect();
        Ok(Self { setup: record.setup, seed: record.seed, named, plies })
    }
}

/// Returns the players of a record as the command line names them.
fn players(record: &Record) -> Result<Vec<String>, String> {
    let named = record.players.iter().enumerate().map(|(seat, player)| match player.bot {
        Some(bot) => Ok(bot.name()),
        None if player.name == "human" => Ok(player.name.clone()),
        None => Err(format!(
            "seat {seat} is {:?}, which is neither a bot nor human: name all players with --players",
            player.name
        )),
    });
    named.collect()
}

/// Returns the ply of an entry for the new match; None for an entry that is no ply.
fn ply(entry: &Entry) -> Option<Entry> {
    match *entry {
        Entry::Chance(ref outcome) => Some(Entry::Chance(outcome.clone())),
        Entry::Action { seat, id, .. } => {
            Some(Entry::Action { seat, id, by: DecidedBy::Player, time: ThinkingTime::default() })
        }
        Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) => None,
    }
}

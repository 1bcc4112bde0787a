//! Openings: the first plies of a record, from which other players play on.

use std::path::Path;

use ahu_host::{DecidedBy, Ending, Entry, Record, ThinkingTime, verify};

use super::record_file::read_record;

/// The beginning of a match.
pub(crate) struct Opening {
    pub(crate) record: Record,
    /// The plies that come first. The players of the new match have decided them, in no time.
    pub(crate) plies: Vec<Entry>,
}

impl Opening {
    /// Reads a record up to a ply, or up to its end if the match was not finished. The record must be valid.
    pub(crate) fn read(file: &Path, before: Option<u32>) -> Result<Self, String> {
        let in_file = |reason: String| format!("{}: {reason}", file.display());
        let record = read_record(file)?;
        verify(&record).map_err(|error| in_file(error.to_string()))?;
        let end = match before {
            Some(ply) => record.entries_before(ply).map_err(in_file)?,
            None if record.ending == Some(Ending::Finished) => {
                return Err(in_file(format!(
                    "the match is finished: use --at with a ply from 1 to {} to play on from an earlier point",
                    record.plies()
                )));
            }
            None => record.entries.len(),
        };
        let plies = record.entries[..end].iter().filter_map(ply).collect();
        Ok(Self { record, plies })
    }
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

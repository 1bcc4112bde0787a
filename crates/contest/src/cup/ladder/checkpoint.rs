//! A checkpoint: the state of a season in a file beside its journal, so that the journal opens quickly. `ahu cup verify` does not
//! read it.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Ladder;
use crate::cup::entrant::AgentState;
use crate::cup::journal::{Event, Journal, JournalError};
use crate::cup::state::State;

/// The end of the name of a checkpoint.
const EXTENSION: &str = "checkpoint";
/// The number of bytes of a journal after which a checkpoint is worth its time.
const WORTH: u64 = 16 << 20;

/// A place in a journal: what follows it can be read without what is before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The number of bytes before it.
    pub length: u64,
    /// The number of lines before it.
    pub lines: u64,
    /// The link of the last line before it.
    pub link: String,
}

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// The release that wrote it: another one reads the journal instead.
    release: String,
    position: Position,
    begin: Event,
    now: u64,
    called: u64,
    refusals: VecDeque<(u64, String)>,
    agents: Vec<AgentState>,
    ladder: Ladder,
}

impl State {
    /// Reads the state of a cup from its journal, from the checkpoint on if there is one.
    ///
    /// # Errors
    /// If the journal cannot be read, or a line cannot follow those before it.
    pub fn read(journal: &Path) -> Result<(Self, Position), JournalError> {
        if let Some((mut state, position)) = Self::of_checkpoint(journal)
            && let Ok(end) = state.read_on(journal, &position)
        {
            return Ok((state, end));
        }
        let mut state = None;
        let end = Journal::read_from(journal, &Position::default(), |line| match &mut state {
            None => Self::after([&line.event]).map(|first| state = Some(first.begun_at(line))),
            Some(state) => state.apply_line(line),
        })?;
        let none =
            || JournalError::Damaged(journal.to_owned(), 1, "expected the begin of a cup, got no line".to_owned());
        Ok((state.ok_or_else(none)?, end))
    }

    /// Applies the lines of a journal from a position on. Returns the position of its end.
    ///
    /// # Errors
    /// As [`Self::read`]. The state then has the lines before the fault.
    pub fn read_on(&mut self, journal: &Path, from: &Position) -> Result<Position, JournalError> {
        Journal::read_from(journal, from, |line| self.apply_line(line))
    }

    fn of_checkpoint(journal: &Path) -> Option<(Self, Position)> {
        let text = fs::read(journal.with_extension(EXTENSION)).ok()?;
        let Checkpoint { release, position, begin, now, called, refusals, agents, ladder } =
            serde_json::from_slice(&text).ok()?;
        if release != env!("CARGO_PKG_VERSION") {
            return None;
        }
        let mut state = Self::after([&begin]).ok()?;
        state.restore(agents, ladder, (now, called, refusals));
        Some((state, position))
    }

    /// Writes a checkpoint, if the journal has grown enough since `last`. Returns the position of the newest checkpoint.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_checkpoint(&self, journal: &Path, last: u64, position: &Position) -> io::Result<u64> {
        let in_ladder = self.stages.len() == 1 && self.stages[0].advance.is_none();
        let Some(ladder) = self.ladder().filter(|_| in_ladder && position.length >= last + WORTH) else {
            return Ok(last);
        };
        let checkpoint = Checkpoint {
            release: env!("CARGO_PKG_VERSION").to_owned(),
            position: position.clone(),
            begin: self.begin.clone(),
            now: self.now,
            called: self.called,
            refusals: self.refusals.clone(),
            agents: self.agents.clone(),
            ladder: ladder.clone(),
        };
        let (path, draft) = (journal.with_extension(EXTENSION), journal.with_extension("checkpoint.new"));
        fs::write(&draft, serde_json::to_vec(&checkpoint)?)?;
        fs::rename(draft, path)?;
        Ok(position.length)
    }
}

//! The replay of a record, entry by entry.

use super::record::notation::{causes, ending_text, numbers};
use super::{BotSeed, Entry, EntryError, MatchResult, PlyEvent, Record, RecordError, Referee, ensure};

/// A replay in progress.
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a Record,
    pub(super) referee: Referee,
    /// The index of the next entry.
    pub(super) next: usize,
}

/// One entry replayed.
#[derive(Debug)]
pub struct Step<'a> {
    /// The ply of the entry, counted from 1; the ply before the entry if it is no ply.
    pub ply: u32,
    /// The entry.
    pub entry: &'a Entry,
    /// The events of the entry.
    pub events: &'a [PlyEvent],
}

impl<'a> Replay<'a> {
    /// Creates a replay before the first ply.
    pub fn new(record: &'a Record) -> Self {
        let (setup, players, terms) = (record.setup.clone(), record.players.clone(), record.terms.clone());
        Self { record, referee: Referee::before_the_first_ply(setup, record.seed, players, terms), next: 0 }
    }

    /// Replaces the bot seed, for a match that is not the first game of its seed.
    #[must_use]
    pub fn with_bot_seed(self, bot_seed: BotSeed) -> Self {
        Self { referee: self.referee.with_bot_seed(bot_seed), ..self }
    }

    /// Returns the match at this point.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Plays the next entry; None after the last. If the entry is impossible, the replay returns an error and stays
    /// before it.
    pub fn step(&mut self) -> Option<Result<Step<'_>, RecordError>> {
        let entry = self.record.entries.get(self.next)?;
        let told = self.referee.events().len();
        if let Err(EntryError { ply, reason }) = self.referee.apply(entry) {
            return Some(Err(RecordError::Impossible { ply, reason }));
        }
        self.next += 1;
        Some(Ok(Step { ply: self.referee.plies(), entry, events: &self.referee.events()[told..] }))
    }

    /// Plays the remaining entries, and checks that the ending, the result, and the fingerprint of the record follow.
    pub fn finish(mut self) -> Result<(), RecordError> {
        while let Some(step) = self.step() {
            step?;
        }
        let endings = [&self.record.ending, &self.referee.ending()].map(|ending| ending_text(ending.as_ref()));
        let results = [self.record.result, self.referee.result()];
        let text = |of: fn(&MatchResult) -> String| results.map(|result| result.as_ref().map_or("none".to_owned(), of));
        let fingerprints =
            [self.record.fingerprint, self.referee.fingerprint()].map(|fingerprint| fingerprint.to_string());
        for (what, [recorded, replayed]) in [
            ("the ending", endings),
            ("the scores", text(|result| numbers(&result.scores))),
            ("the ranks", text(|result| numbers(&result.ranks))),
            ("the forfeits", text(|result| causes(result.forfeits))),
            ("the fingerprint", fingerprints),
        ] {
            ensure(recorded == replayed, || RecordError::OtherEnd { what, recorded, replayed })?;
        }
        Ok(())
    }
}

/// Reads the intact part of a record that was cut, as an unfinished record: the entries before the first entry that is
/// missing, faulty, or impossible. An error means that nothing is intact.
pub fn read_intact(bytes: &[u8]) -> Result<Record, RecordError> {
    let mut record = Record::read_intact(bytes)?;
    let mut replay = Replay::new(&record);
    while let Some(Ok(_)) = replay.step() {}
    let (possible, fingerprint) = (replay.next, replay.referee.fingerprint());
    record.entries.truncate(possible);
    record.fingerprint = fingerprint;
    Ok(record)
}

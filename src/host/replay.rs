//! Replay and verification of records.

use super::any_game::AnyView;
use super::log::Entry;
use super::record::{Record, RecordError};
use super::referee::{Conduct, EntryError, PlyEvent, Referee, SeatPlayer};
use crate::core::{ActionSet, Fingerprint, Seat, SeatSet, Viewer};

/// A replay in progress.
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a Record,
    referee: Referee,
    next: usize,
}

/// One entry replayed.
#[derive(Debug)]
pub struct Step<'a> {
    /// The ply of the entry, counted from 1; for an entry that is no ply, the ply before it.
    pub ply: u32,
    /// The entry.
    pub entry: &'a Entry,
    /// The events of the entry.
    pub events: &'a [PlyEvent],
}

impl<'a> Replay<'a> {
    /// Creates a replay before the first ply.
    pub fn new(record: &'a Record) -> Self {
        let players = record.names.iter().map(SeatPlayer::external).collect();
        let setup = record.setup.clone();
        Self {
            record,
            referee: Referee::before_the_first_ply(setup, record.seed, players, Conduct::default()),
            next: 0,
        }
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

    /// Returns the shown view of `viewer` at this point.
    pub fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.referee.view(viewer)
    }

    /// Returns the seats that have to decide at this point.
    pub fn to_act(&self) -> SeatSet {
        self.referee.to_act()
    }

    /// Returns the legal actions of `seat` at this point.
    pub fn legal_actions(&self, seat: Seat) -> ActionSet {
        self.referee.legal_actions(seat)
    }

    /// Returns the fingerprint of the state at this point.
    pub fn fingerprint(&self) -> Fingerprint {
        self.referee.fingerprint()
    }

    /// Plays the remaining entries, and checks that result and fingerprint match the record.
    pub fn finish(mut self) -> Result<(), RecordError> {
        while let Some(step) = self.step() {
            step?;
        }
        let differs = |what, recorded: String, replayed: String| match recorded == replayed {
            true => Ok(()),
            false => Err(RecordError::OtherEnd { what, recorded, replayed }),
        };
        differs("the result", format!("{:?}", self.record.result), format!("{:?}", self.referee.result()))?;
        differs("the fingerprint", self.record.fingerprint.to_string(), self.fingerprint().to_string())
    }
}

/// Replays a record and checks all its claims: each ply is legal, the seed leads to each chance outcome, and the
/// result and the fingerprint match.
pub fn verify(record: &Record) -> Result<(), RecordError> {
    let mut replay = Replay::new(record);
    while let Some(entry) = record.entries.get(replay.next) {
        if let Entry::Chance(recorded) = entry
            && let Some(drawn) = replay.referee.drawn()
            && drawn != *recorded
        {
            let ply = replay.referee.plies() + 1;
            return Err(RecordError::OtherChance { ply, recorded: recorded.clone(), drawn });
        }
        if let Some(step) = replay.step() {
            step?;
        }
    }
    replay.finish()
}

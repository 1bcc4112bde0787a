//! Replay and verification of records.

use super::{Record, RecordError, result};
use crate::core::{ActionSet, ChanceRng, Fingerprint, Seat, SeatSet, Turn, Viewer};
use crate::host::any_game::{AnyEvent, AnyGame, AnyView, SettleError};
use crate::host::log::{DecidedBy, Entry};

/// A replay in progress.
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a Record,
    game: Box<dyn AnyGame>,
    next: usize,
    ply: usize,
    forfeited: SeatSet,
}

/// One entry replayed.
#[derive(Debug)]
pub struct Step<'a> {
    /// The ply of the entry, counted from 1; for an entry that is no ply, the ply before it.
    pub ply: usize,
    /// The entry.
    pub entry: &'a Entry,
    /// The events of the entry.
    pub events: Vec<Box<dyn AnyEvent>>,
}

impl<'a> Replay<'a> {
    /// Creates a replay before the first ply.
    pub fn new(record: &'a Record) -> Self {
        Self { record, game: record.rules.game(&record.setup), next: 0, ply: 0, forfeited: SeatSet::EMPTY }
    }

    /// Plays the next entry; None after the last. If the entry is impossible, the replay returns an error and stays
    /// before it.
    pub fn step(&mut self) -> Option<Result<Step<'a>, RecordError>> {
        let entry = self.record.entries.get(self.next)?;
        let mut events = Vec::new();
        let ply = self.ply + usize::from(entry.is_ply());
        let played = match entry {
            Entry::Chance(outcome) => self.game.settle_text(outcome, &mut events).map_err(|error| match error {
                SettleError::Unreadable(error) => error.to_string(),
                SettleError::Impossible(error) => error.to_string(),
            }),
            Entry::Action { seat, by, .. } if (*by == DecidedBy::StandIn) != self.forfeited.contains(*seat) => {
                Err(format!("expected the player of seat {seat} before a forfeit, and a stand-in after it"))
            }
            Entry::Action { seat, id, .. } => {
                self.game.play(*seat, *id, &mut events).map_err(|error| error.to_string())
            }
            Entry::Strike(seat) | Entry::Forfeit(seat) if self.forfeited.contains(*seat) => {
                Err(format!("seat {seat} has already forfeited"))
            }
            Entry::Strike(_) | Entry::Forfeit(_) if self.game.turn() == Turn::Over => {
                Err("the game is over: expected no strike or forfeit".to_owned())
            }
            Entry::Strike(_) => Ok(()),
            Entry::Forfeit(seat) => {
                self.forfeited = self.forfeited.with(*seat);
                Ok(())
            }
        };
        if let Err(reason) = played {
            return Some(Err(RecordError::Impossible { ply, reason }));
        }
        self.next += 1;
        self.ply = ply;
        Some(Ok(Step { ply, entry, events }))
    }

    /// Returns the shown view of `viewer` at this point.
    pub fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.game.view(viewer)
    }

    /// Returns the seats that have to decide at this point.
    pub fn to_act(&self) -> SeatSet {
        self.game.turn().to_act()
    }

    /// Returns the legal actions of `seat` at this point.
    pub fn legal_actions(&self, seat: Seat) -> ActionSet {
        self.game.legal_actions(seat)
    }

    /// Returns the fingerprint of the state at this point.
    pub fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
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
        let end = (self.game.turn() == Turn::Over).then(|| result(&*self.game, self.forfeited));
        differs("the result", format!("{:?}", self.record.result), format!("{end:?}"))?;
        differs("the fingerprint", self.record.fingerprint.to_string(), self.game.fingerprint().to_string())
    }
}

/// Replays a record and checks all its claims: each ply is legal, the seed leads to each chance outcome, and the
/// result and the fingerprint match.
pub fn verify(record: &Record) -> Result<(), RecordError> {
    let mut chance = ChanceRng::new(record.seed);
    let mut replay = Replay::new(record);
    while let Some(entry) = record.entries.get(replay.next) {
        if let Entry::Chance(recorded) = entry
            && replay.game.turn() == Turn::Chance
        {
            let drawn = replay.game.draw(&mut chance);
            if drawn != *recorded {
                let recorded = recorded.clone();
                return Err(RecordError::OtherChance { ply: replay.ply + 1, recorded, drawn });
            }
        }
        if let Some(step) = replay.step() {
            step?;
        }
    }
    replay.finish()
}

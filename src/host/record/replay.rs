//! Replaying records, and verifying them.

use super::{Record, RecordError, result};
use crate::core::{ActionSet, Fingerprint, Luck, Seat, SeatSet, Turn, Viewer};
use crate::host::erased::{AnyEvent, AnyGame, AnyView, SettleError};
use crate::host::log::{By, Entry};

/// A record on its way through its plies.
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
    /// The ply that it is, from 1, or that it comes after.
    pub ply: usize,
    /// The entry.
    pub entry: &'a Entry,
    /// What happened.
    pub events: Vec<Box<dyn AnyEvent>>,
}

impl<'a> Replay<'a> {
    /// Before the first ply.
    pub fn new(record: &'a Record) -> Self {
        Self { record, game: record.rules.game(&record.agreed), next: 0, ply: 0, forfeited: SeatSet::EMPTY }
    }

    /// Plays the next entry. One that does not follow is an error, and the replay stays before it.
    pub fn step(&mut self) -> Option<Result<Step<'a>, RecordError>> {
        let entry = self.record.entries.get(self.next)?;
        let mut events = Vec::new();
        let ply = self.ply + usize::from(entry.is_ply());
        let played = match entry {
            Entry::Chance(outcome) => self.game.settle_text(outcome, &mut events).map_err(|error| match error {
                SettleError::Unreadable(error) => error.to_string(),
                SettleError::Impossible(error) => error.to_string(),
            }),
            Entry::Action { seat, by, .. } if (*by == By::StandIn) != self.forfeited.contains(*seat) => {
                Err(format!("a stand-in plays for seat {seat} from where it forfeits, and not before"))
            }
            Entry::Action { seat, id, .. } => {
                self.game.play(*seat, *id, &mut events).map_err(|error| error.to_string())
            }
            Entry::Strike(seat) | Entry::Forfeit(seat) if self.forfeited.contains(*seat) => {
                Err(format!("seat {seat} has forfeited before"))
            }
            Entry::Strike(_) | Entry::Forfeit(_) if self.game.turn() == Turn::Over => {
                Err("the game is over: nobody plays illegally or forfeits".to_owned())
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

    /// What `viewer` was shown at this point.
    pub fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.game.view(viewer)
    }

    /// The seats that owed a decision at this point.
    pub fn owing(&self) -> SeatSet {
        self.game.turn().owing()
    }

    /// What `seat` could do at this point.
    pub fn legal_actions(&self, seat: Seat) -> ActionSet {
        self.game.legal_actions(seat)
    }

    /// The fingerprint of the state at this point.
    pub fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
    }

    /// Plays the rest, and checks that it ends as the record says.
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

/// Replays a record and checks everything that it claims of the match: that each ply is legal, that
/// chance brought what the seed brings, and that it ends as it says.
pub fn verify(record: &Record) -> Result<(), RecordError> {
    let mut luck = Luck::new(record.seed);
    let mut replay = Replay::new(record);
    while let Some(entry) = record.entries.get(replay.next) {
        if let Entry::Chance(recorded) = entry
            && replay.game.turn() == Turn::Chance
        {
            let drawn = replay.game.draw(&mut luck);
            if drawn != *recorded {
                let recorded = recorded.clone();
                return Err(RecordError::OtherLuck { ply: replay.ply + 1, recorded, drawn });
            }
        }
        if let Some(step) = replay.step() {
            step?;
        }
    }
    replay.finish()
}

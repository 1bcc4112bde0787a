//! The fold: a match as the consequence of its entries.

use ahu_core::{ActionId, Seat, Seed};

use super::Referee;
use super::step::EntryError;
use crate::{DecidedBy, Entry, MatchTime, SeatPlayer, Setup, Terms, ThinkingTime, check_reason};

impl Referee {
    /// Returns the match with these entries. It goes on exactly as the match that wrote them.
    ///
    /// # Panics
    /// Like [`Self::new`].
    pub fn fold(
        setup: Setup,
        seed: Seed,
        players: Vec<SeatPlayer>,
        terms: impl Into<Terms>,
        entries: &[Entry],
    ) -> Result<Self, EntryError> {
        let mut referee = Self::before_the_first_ply(setup, seed, players, terms);
        entries.iter().try_for_each(|entry| referee.apply(entry))?;
        // The entries may end within a step: its last part is played again.
        if let Some(&Entry::Strike { seat, cause, .. }) = entries.last() {
            referee.forfeit_by_strikes(seat, cause);
        }
        referee.settle_chance();
        Ok(referee)
    }

    /// Does what [`Self::fold`] does for the entries of whole steps. Each step has the time at which its decisions became
    /// available, and the clocks go on from these times.
    ///
    /// # Panics
    /// Like [`Self::new`].
    pub fn resume<'a>(
        setup: Setup,
        seed: Seed,
        players: Vec<SeatPlayer>,
        terms: impl Into<Terms>,
        steps: impl IntoIterator<Item = (MatchTime, &'a [Entry])>,
    ) -> Result<Self, EntryError> {
        let mut referee = Self::before_the_first_ply(setup, seed, players, terms);
        for (available, entries) in steps {
            entries.iter().try_for_each(|entry| referee.apply(entry))?;
            referee.set_time(available);
            referee.start_clocks();
        }
        Ok(referee)
    }

    /// Returns the same match before its first entry. [`Self::apply`] takes it through its log again.
    #[must_use]
    pub fn rewound(&self) -> Self {
        let (setup, players, terms) = (self.setup.clone(), self.players.clone(), self.terms.clone());
        Self::before_the_first_ply(setup, self.seed(), players, terms)
    }

    /// Applies an entry that this match wrote, or would write. A refusal changes nothing, with one exception: after a wrong
    /// thinking time the match cannot go on.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), EntryError> {
        let applied = match entry {
            _ if self.stopped.is_some() => Err("expected no entry after the end of the match".to_owned()),
            Entry::Chance(outcome) => {
                let mut events = Vec::new();
                let settled = self.game.settle_text(outcome, &mut events).map_err(|error| error.to_string());
                settled.map(|()| self.note_ply(entry.clone(), events))
            }
            Entry::Action { seat, by, .. } if (*by == DecidedBy::StandIn) != self.seats[*seat].forfeited.is_some() => {
                Err(format!("expected the player of seat {seat} before a forfeit, and a stand-in after it"))
            }
            Entry::Action { seat, id, time, .. } => self.replay_action(*seat, *id, *time),
            Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) if self.is_over() => {
                Err("the game is over: expected no strike, forfeit, or other end".to_owned())
            }
            Entry::Strike { seat, .. } | Entry::Forfeit { seat, .. } if self.seats[*seat].forfeited.is_some() => {
                Err(format!("seat {seat} has already forfeited"))
            }
            Entry::Strike { seat, decision, .. } if self.decision(*seat) != Some(*decision) => {
                let open = self.decision(*seat).map_or("none".to_owned(), |open| format!("decision {open}"));
                Err(format!("expected a strike for an open decision of seat {seat} ({open}), got decision {decision}"))
            }
            Entry::Strike { seat, decision, cause, action } => {
                // The clock of a folded match rests until its decisions are available again.
                self.note_strike(*seat, *decision, *cause, *action, None);
                Ok(())
            }
            Entry::Forfeit { seat, cause } => {
                self.note_forfeit(*seat, *cause);
                Ok(())
            }
            Entry::Cancelled(reason) => {
                check_reason(reason).and_then(|()| self.cancel(reason).map_err(|error| error.to_string()))
            }
            Entry::Void(reason) => {
                check_reason(reason).and_then(|()| self.void(reason).map_err(|error| error.to_string()))
            }
        };
        applied.map_err(|reason| EntryError { ply: self.plies + u32::from(entry.is_ply()), reason })
    }

    /// Plays an action of a record. Its charged time must follow from its measured time.
    fn replay_action(&mut self, seat: Seat, id: ActionId, time: ThinkingTime) -> Result<(), String> {
        self.play_measured(seat, id, time.measured).map_err(|error| error.to_string())?;
        match self.entries.last() {
            Some(Entry::Action { time: own, .. }) if *own != time => {
                Err(format!("expected {} ms charged for {} ms, got {} ms", own.charged, time.measured, time.charged))
            }
            _ => Ok(()),
        }
    }
}

//! Faults of players and their consequences, and the ends of matches that the game does not decide.

use std::hash::{DefaultHasher, Hash, Hasher};

use ahu_core::{ActionId, Seat, Turn};

use super::Referee;
use super::step::StepError;
use crate::{Cause, Consequence, Ending, Entry, MatchTime, check_reason};

/// The refused calls for one decision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Refused {
    decision: u32,
    tries: u16,
    /// The last refused action that counted: a hash of it, and its time.
    last: Option<(u64, MatchTime)>,
}

/// The time within which a call that repeats a refused action does not count, in milliseconds: an agent that lost an
/// answer sends its request again.
const REPEAT: u64 = 2_000;

impl Referee {
    /// Counts an answer whose `content` is not an action, if the seat has to decide. The error says why no answer of the seat
    /// is due.
    pub fn act_unreadably(&mut self, seat: Seat, decision: u32, content: &[u8]) -> Result<(), StepError> {
        self.refuse_unless_open(seat, decision)?;
        if self.to_act().contains(seat) {
            self.count_refused(seat, decision, Cause::Unreadable, None, &content);
        }
        Ok(())
    }

    /// Resigns for a seat, which forfeits.
    pub fn resign(&mut self, seat: Seat) -> Result<(), StepError> {
        self.refuse_unless_going(seat)?;
        match self.terms.conduct.resigned {
            Consequence::Refusal => Err(StepError::NoResignation),
            Consequence::Strike | Consequence::Forfeit => {
                self.forfeit(seat, Cause::Resigned);
                Ok(())
            }
        }
    }

    /// Applies the consequence of an exit or an absence. There is no consequence for bots and for seats that have forfeited. An
    /// absence has none either without an agreed limit, or if the seat does not have to decide.
    pub fn fault(&mut self, seat: Seat, cause: Cause) {
        let has_absence = self.terms.conduct.absence_limit.is_some() && self.owes(seat);
        if self.refuse_unless_going(seat).is_ok() && (cause != Cause::Absent || has_absence) {
            self.punish(seat, cause, None);
        }
    }

    /// Applies the consequences of all deadlines before the present time.
    pub fn expire(&mut self) {
        for seat in self.setup.seats().iter() {
            self.expire_seat(seat);
        }
    }

    /// Cancels a match that has not ended.
    ///
    /// # Panics
    /// If [`check_reason`] refuses the reason.
    pub fn cancel(&mut self, reason: &str) -> Result<(), StepError> {
        self.stop(Ending::Cancelled(reason.to_owned()))
    }

    /// Declares a match that has not ended as void by a fault of the server.
    ///
    /// # Panics
    /// Like [`Self::cancel`].
    pub fn void(&mut self, reason: &str) -> Result<(), StepError> {
        self.stop(Ending::Void(reason.to_owned()))
    }

    fn stop(&mut self, ending: Ending) -> Result<(), StepError> {
        if let Some(ending) = self.ending() {
            return Err(StepError::Ended(ending));
        }
        let (reason, entry): (_, fn(String) -> Entry) = match &ending {
            Ending::Void(reason) => (reason, Entry::Void),
            Ending::Cancelled(reason) => (reason, Entry::Cancelled),
            Ending::Finished => unreachable!("a game finishes by itself"),
        };
        check_reason(reason).unwrap_or_else(|error| panic!("{error}"));
        self.entries.push(entry(reason.clone()));
        self.stopped = Some(ending);
        Ok(())
    }

    /// Declares that a seat forfeits. A stand-in plays on for it, so that the others can finish.
    pub fn forfeit(&mut self, seat: Seat, cause: Cause) {
        if self.seats[seat].forfeited.is_none() && !self.is_over() {
            self.note_forfeit(seat, cause);
        }
    }

    /// Refuses a call for a seat if the match has ended, or if the seat's external player does not play it.
    fn refuse_unless_going(&self, seat: Seat) -> Result<(), StepError> {
        if let Some(ending) = self.ending() {
            return Err(StepError::Ended(ending));
        }
        match (self.seats[seat].forfeited, self.bot(seat)) {
            (Some(cause), _) => Err(StepError::Forfeited { seat, cause }),
            (None, Some(_)) => Err(StepError::PlayedByBot(seat)),
            (None, None) => Ok(()),
        }
    }

    /// Refuses an answer to a decision that is not open. A deadline that has passed is a timeout first.
    pub(super) fn refuse_unless_open(&mut self, seat: Seat, decision: u32) -> Result<(), StepError> {
        if self.game.turn() == Turn::Over {
            // The game refuses the action in its own words.
            return Ok(());
        }
        self.refuse_unless_going(seat)?;
        if let Some(open) = self.decision(seat).filter(|&open| open != decision) {
            return Err(StepError::Stale { decision, open });
        }
        self.expire_seat(seat);
        self.refuse_unless_going(seat)
    }

    /// Applies the consequence of a deadline of `seat` before the present time.
    fn expire_seat(&mut self, seat: Seat) {
        let is_late = self.deadline(seat).is_some_and(|deadline| self.now > deadline);
        if is_late && self.owes(seat) {
            self.punish(seat, Cause::Timeout, None);
        }
    }

    /// Counts a refused answer, unless it repeats the refused answer before it. With too many refused answers the seat
    /// forfeits.
    pub(super) fn count_refused(
        &mut self,
        seat: Seat,
        decision: u32,
        cause: Cause,
        action: Option<ActionId>,
        content: &impl Hash,
    ) {
        let mut hasher = DefaultHasher::new();
        (cause, content).hash(&mut hasher);
        let (hash, now) = (hasher.finish(), self.now);
        let refused = &mut self.seats[seat].refused;
        if refused.decision != decision {
            *refused = Refused { decision, ..Refused::default() };
        }
        // After a jump back in time, an answer is no repeat: else a seat could be refused for ever without a count.
        let is_soon = |at: MatchTime| now.0.checked_sub(at.0).is_some_and(|since| since <= REPEAT);
        if refused.last.is_some_and(|(last, at)| last == hash && is_soon(at)) {
            return;
        }
        refused.last = Some((hash, now));
        refused.tries = refused.tries.saturating_add(1);
        let tries = refused.tries;
        self.punish(seat, cause, action);
        if tries >= self.terms.conduct.tries.get() {
            self.forfeit(seat, cause);
        }
    }

    /// Applies the agreed consequence of a fault.
    fn punish(&mut self, seat: Seat, cause: Cause, action: Option<ActionId>) {
        match self.terms.conduct.consequence(cause) {
            Consequence::Refusal => {}
            Consequence::Forfeit => self.forfeit(seat, cause),
            Consequence::Strike => {
                // A fault without an open decision is not a strike: see `apply`.
                let Some(decision) = self.decision(seat) else { return };
                self.note_strike(seat, decision, cause, action, Some(self.now));
                self.forfeit_by_strikes(seat, cause);
            }
        }
    }

    /// Declares that a seat forfeits if it has all its strikes.
    pub(super) fn forfeit_by_strikes(&mut self, seat: Seat, cause: Cause) {
        if self.strikes(seat).is_some_and(|(strikes, most)| strikes >= most.get()) {
            self.forfeit(seat, cause);
        }
    }

    /// Counts a strike. After a timeout the span begins anew at `now`, or when its decision is available again.
    pub(super) fn note_strike(
        &mut self,
        seat: Seat,
        decision: u32,
        cause: Cause,
        action: Option<ActionId>,
        now: Option<MatchTime>,
    ) {
        self.seats[seat].strikes = self.seats[seat].strikes.saturating_add(1);
        if cause == Cause::Timeout {
            self.clocks[seat].restart(now);
        }
        self.entries.push(Entry::Strike { seat, decision, cause, action });
    }

    pub(super) fn note_forfeit(&mut self, seat: Seat, cause: Cause) {
        self.seats[seat].forfeited = Some(cause);
        self.clocks[seat].restart(None);
        self.entries.push(Entry::Forfeit { seat, cause });
    }
}

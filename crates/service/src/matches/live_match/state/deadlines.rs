//! The time of a match: when its clocks start, the deadlines of its clocks, and the deadlines of absent agents.

use ahu_core::Seat;
use ahu_host::{Cause, MatchTime, Referee};

use super::LiveState;
use crate::limits::TIMER_SLACK;
use crate::matches::journal::Kept;
use crate::matches::live_match::presence::{Presence, after};

impl LiveState {
    /// Starts the clocks of the decisions that may be shown: the decisions that `kept` covers; without a store, all of them.
    pub(crate) fn start_clocks(&mut self, kept: Option<Kept>, now: MatchTime) {
        let available = match kept {
            None => Some(now),
            Some(kept) => kept.at(self.changes).map(|kept| kept.max(self.changed_at)),
        };
        if let (Some(available), Some(referee)) = (available, self.lifecycle.referee_mut()) {
            referee.set_time(available);
            referee.start_clocks();
        }
    }

    /// Moves the entry in the timer to the next deadline. Returns its old and its new time if it moves. An entry that comes
    /// too early stays: the match looks again when it fires.
    pub(crate) fn move_timer(&mut self, now: MatchTime) -> Option<(Option<MatchTime>, MatchTime)> {
        // An entry that fired comes back later, whatever the deadline.
        let next = self.next_deadline(now)?.max(MatchTime(now.0 + 1));
        let is_new = self.timer_entry.is_none_or(|entry| next < entry);
        is_new.then(|| (self.timer_entry.replace(next), next))
    }

    /// Returns a time at which to look again, before which no deadline of the match passes; None if no external player has to
    /// decide, or if none has a limit.
    fn next_deadline(&self, now: MatchTime) -> Option<MatchTime> {
        let referee = self.referee()?;
        let owing = referee.to_act().iter().filter(|&seat| referee.owes(seat));
        let deadlines = owing.flat_map(|seat| {
            let clock = referee.deadline(seat).or_else(|| Some(later(now, referee.time_left(seat, now)?.into())));
            [
                clock.map(|deadline| later(deadline, TIMER_SLACK.as_millis() as u64)),
                absence(referee, seat, &self.seat(seat).presence, now).map(|deadline| later(deadline, 1)),
            ]
        });
        deadlines.flatten().min()
    }

    /// Applies the consequences of all deadlines before `now`, the time of the referee.
    pub(crate) fn expire(&mut self, now: MatchTime) {
        let Some(referee) = self.lifecycle.referee_mut() else { return };
        referee.expire();
        for seat in referee.to_act().iter().filter(|&seat| referee.owes(seat)).collect::<Vec<_>>() {
            let presence = &self.seats[seat.index()].presence;
            let is_absent = presence.absent_since().is_some();
            if is_absent && absence(referee, seat, presence, now).is_some_and(|deadline| now > deadline) {
                referee.fault(seat, Cause::Absent);
                presence.note_strike(now);
            }
        }
        self.play_quick_bots();
    }
}

/// Returns the earliest time at which the absence of a seat that owes a decision can exceed its limit; None without a
/// limit.
fn absence(referee: &Referee, seat: Seat, presence: &Presence, now: MatchTime) -> Option<MatchTime> {
    let limit = referee.terms().conduct.absence_limit?;
    let owes_since = referee.available_since(seat).unwrap_or(now);
    let absent_since = presence.absent_since().unwrap_or_else(|| after(now));
    Some(later(owes_since.max(absent_since), limit.get().into()))
}

fn later(time: MatchTime, milliseconds: u64) -> MatchTime {
    MatchTime(time.0.saturating_add(milliseconds))
}

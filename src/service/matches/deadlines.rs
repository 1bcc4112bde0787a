//! The deadlines of a match: those of its clocks, and those of absent agents.

use std::sync::Arc;

use super::presence::{Presence, after};
use super::progress::Progress;
use crate::service::limits::TIMER_SLACK;
use ahu_engine::core::Seat;
use ahu_engine::host::{Cause, MatchTime, Referee};

/// Returns a time before which no deadline of the match passes, at which to look again; None if no external player has to
/// decide, or if none has a limit.
pub(super) fn next(progress: &Progress, presence: &[Arc<Presence>], now: MatchTime) -> Option<MatchTime> {
    let referee = progress.referee()?;
    let owing = referee.to_act().iter().filter(|&seat| referee.owes(seat));
    let deadlines = owing.flat_map(|seat| {
        let clock = referee.deadline(seat).or_else(|| Some(later(now, referee.time_left(seat, now)?.into())));
        [
            clock.map(|deadline| later(deadline, TIMER_SLACK.as_millis() as u64)),
            absence(referee, seat, &presence[seat.index()], now).map(|deadline| later(deadline, 1)),
        ]
    });
    deadlines.flatten().min()
}

/// Applies the consequences of all deadlines before `now`, the time of the referee.
pub(super) fn expire(progress: &mut Progress, presence: &[Arc<Presence>], now: MatchTime) {
    let Some(referee) = progress.referee_mut() else { return };
    referee.expire();
    for seat in referee.to_act().iter().filter(|&seat| referee.owes(seat)).collect::<Vec<_>>() {
        let presence = &presence[seat.index()];
        let is_absent = presence.absent_since().is_some();
        if is_absent && absence(referee, seat, presence, now).is_some_and(|deadline| now > deadline) {
            referee.fault(seat, Cause::Absent);
            presence.note_strike(now);
        }
    }
    progress.play_quick_bots();
}

/// Returns the earliest time at which the absence of a seat that owes a decision can exceed its limit; None without a
/// limit.
fn absence(referee: &Referee, seat: Seat, presence: &Presence, now: MatchTime) -> Option<MatchTime> {
    let limit = referee.terms().conduct.absence_limit?;
    let owes_since = referee.available_since(seat).unwrap_or(now);
    let absent_since = presence.absent_since().unwrap_or_else(|| after(now));
    Some(later(owes_since.max(absent_since).max(presence.struck()), limit.get().into()))
}

fn later(time: MatchTime, milliseconds: u64) -> MatchTime {
    MatchTime(time.0.saturating_add(milliseconds))
}

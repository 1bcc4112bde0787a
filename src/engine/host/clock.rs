//! Clocks: the agreed limits on thinking time, and the time that each seat has used.
//!
//! The host has no clock of its own. Every time is a value that the caller passes in.
//!
//! A seat burns time while it owes a decision that is available to it. A *span* is the unit of all limits: the time
//! that a seat owes decisions without a break, up to its first action that everybody is told of or that chance follows.
//! With one action after another that everybody sees, each decision is a span. A chain of secret decisions is one span,
//! because its progress must not show: the limit, the lag, and the increment hold once for a span, so no clock tells how
//! many decisions it had. Everybody is told of each chance event, so a span may end there.

use std::fmt;
use std::num::NonZeroU32;

use crate::core::{BySeat, Seat, SeatSet};

/// A time in a match, in milliseconds since an origin that the caller chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchTime(pub u64);

impl MatchTime {
    /// Returns the milliseconds from `earlier` to this time; 0 if `earlier` is later. Times above 49 days count as
    /// 49 days.
    fn since(self, earlier: Self) -> u32 {
        u32::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(u32::MAX)
    }

    fn plus(self, milliseconds: u32) -> Self {
        Self(self.0.saturating_add(milliseconds.into()))
    }
}

/// The limits on the thinking time of one seat, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// The additional free time of the seat's first span, in which a program starts.
    pub startup: u32,
    /// The limit of one span; None: no limit.
    pub limit: Option<NonZeroU32>,
    /// The bank: the limit of all spans together; None: no limit.
    pub bank: Option<NonZeroU32>,
    /// The time that each span adds to the bank.
    pub increment: u32,
    /// The free time of each span, for the network.
    pub lag: u32,
}

/// Writes the time control in the form of the command line, such as `60+0.5,startup=10`; nothing without a limit.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { startup, limit, bank, increment, lag } = *self;
        let seconds = |milliseconds: u32| f64::from(milliseconds) / 1000.0;
        let bank = bank.map(|bank| match increment {
            0 => seconds(bank.get()).to_string(),
            increment => format!("{}+{}", seconds(bank.get()), seconds(increment)),
        });
        let limit = limit.map(|limit| format!("{}/move", seconds(limit.get())));
        let free = |name: &str, time: u32| (time > 0).then(|| format!("{name}={}", seconds(time)));
        let parts = [bank, limit, free("startup", startup), free("lag", lag)];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

/// The largest value of a time control: a day.
pub const MAX_CONTROL: u32 = 24 * 60 * 60 * 1000;

impl TimeControl {
    /// Checks that no value exceeds a day, and that an increment has a bank.
    pub fn check(&self) -> Result<(), String> {
        let values = [
            ("startup", self.startup),
            ("limit", self.limit.map_or(0, NonZeroU32::get)),
            ("bank", self.bank.map_or(0, NonZeroU32::get)),
            ("increment", self.increment),
            ("lag", self.lag),
        ];
        if let Some((name, value)) = values.into_iter().find(|&(_, value)| value > MAX_CONTROL) {
            return Err(format!("expected a {name} of at most a day ({MAX_CONTROL} ms), got {value} ms"));
        }
        match (self.increment, self.bank) {
            (1.., None) => Err(format!("expected a bank for the increment of {} ms, got none", self.increment)),
            _ => Ok(()),
        }
    }

    /// Returns true if a seat can exceed its time.
    pub fn has_limit(&self) -> bool {
        self.limit.is_some() || self.bank.is_some()
    }
}

/// The thinking time of an action, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingTime {
    /// The time from when the decision was available to when its answer arrived.
    pub measured: u32,
    /// The time that the action took from the limits: that of the whole span if the action closes it, else 0.
    pub charged: u32,
}

/// The clocks of a match.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    seats: BySeat<SeatClock>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SeatClock {
    control: TimeControl,
    /// The time that is left in the bank.
    bank: Option<u32>,
    /// The time that closed decisions of the open span took; None if no span is open.
    used: Option<u32>,
    /// The time from which the seat burns; None while it owes no available decision.
    since: Option<MatchTime>,
    /// True once a span was closed.
    has_started: bool,
}

impl SeatClock {
    /// Returns the free time of the open or next span.
    fn free(&self) -> u32 {
        let startup = if self.has_started { 0 } else { self.control.startup };
        self.control.lag.saturating_add(startup)
    }

    /// Returns the time that the open or next span may be charged; None: no limit.
    fn allowed(&self) -> Option<u32> {
        let limits = [self.control.limit.map(NonZeroU32::get), self.bank];
        limits.into_iter().flatten().min()
    }

    /// Returns the time that is left for the next answer when its clock starts; None: no limit.
    fn left(&self) -> Option<u32> {
        Some(self.allowed()?.saturating_add(self.free()).saturating_sub(self.used.unwrap_or(0)))
    }

    fn deadline(&self) -> Option<MatchTime> {
        Some(self.since?.plus(self.left()?))
    }
}

impl Clocks {
    /// Creates clocks at rest.
    pub(super) fn new(controls: &BySeat<TimeControl>) -> Self {
        let clock = |control: TimeControl| SeatClock {
            control,
            bank: control.bank.map(NonZeroU32::get),
            ..SeatClock::default()
        };
        Self { seats: controls.map(clock) }
    }

    /// Starts the clocks of these seats, unless they burn already.
    pub(super) fn start(&mut self, seats: SeatSet, now: MatchTime) {
        for seat in seats.iter() {
            self.seats[seat].since.get_or_insert(now);
        }
    }

    /// Returns the time that an answer of `seat` took that arrived now.
    pub(super) fn measured(&self, seat: Seat, now: MatchTime) -> u32 {
        self.seats[seat].since.map_or(0, |since| now.since(since))
    }

    /// Stops the clock of `seat` after an answer that took this time. Returns the charged time if the span is
    /// `closed`, else 0.
    pub(super) fn stop(&mut self, seat: Seat, measured: u32, closed: bool) -> u32 {
        let clock = &mut self.seats[seat];
        clock.since = None;
        let used = clock.used.unwrap_or(0).saturating_add(measured);
        clock.used = Some(used);
        if closed { clock.close() } else { 0 }
    }

    /// Starts the open span of `seat` anew, without the time that it took so far.
    pub(super) fn restart(&mut self, seat: Seat, now: Option<MatchTime>) {
        self.seats[seat].used = None;
        self.seats[seat].since = now;
    }

    /// Returns the time at which the time of `seat` ends; None if it burns none, or without a limit.
    pub(super) fn deadline(&self, seat: Seat) -> Option<MatchTime> {
        self.seats[seat].deadline()
    }

    /// Returns the time from which `seat` burns; None while it owes no available decision.
    pub(super) fn since(&self, seat: Seat) -> Option<MatchTime> {
        self.seats[seat].since
    }

    /// Returns the time that is left for the open decision of `seat`, with its free time; all of it before its clock
    /// starts. None: no limit.
    pub(super) fn left(&self, seat: Seat, now: MatchTime) -> Option<u32> {
        let clock = &self.seats[seat];
        Some(clock.left()?.saturating_sub(clock.since.map_or(0, |since| now.since(since))))
    }

    /// Returns the time that is left in the bank of each seat after its last closed span; None: no bank.
    pub(super) fn banks(&self) -> BySeat<Option<u32>> {
        self.seats.map(|clock| clock.bank)
    }
}

impl SeatClock {
    /// Closes the open span, and returns the charged time.
    fn close(&mut self) -> u32 {
        let charged = self.used.take().unwrap_or(0).saturating_sub(self.free());
        self.has_started = true;
        let increment = self.control.increment;
        self.bank = self.bank.map(|bank| bank.saturating_sub(charged).saturating_add(increment));
        charged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Seats;

    fn control(limit: u32, bank: u32) -> TimeControl {
        TimeControl {
            startup: 1_000,
            limit: NonZeroU32::new(limit),
            bank: NonZeroU32::new(bank),
            increment: if bank > 0 { 500 } else { 0 },
            lag: 200,
        }
    }

    fn clocks(control: TimeControl) -> (Clocks, Seat) {
        let seats = Seats::new(2).expect("two seats");
        (Clocks::new(&BySeat::new(seats, control)), Seat::new(0).expect("a seat"))
    }

    #[test]
    fn a_deadline_is_the_smaller_of_limit_and_bank_after_the_free_time() {
        for (limit, bank, allowed) in
            [(3_000, 0, 3_000), (0, 4_000, 4_000), (3_000, 4_000, 3_000), (5_000, 4_000, 4_000)]
        {
            let (mut clocks, seat) = clocks(control(limit, bank));
            assert_eq!(clocks.deadline(seat), None, "the clock rests");
            clocks.start(SeatSet::EMPTY.with(seat), MatchTime(10));
            assert_eq!(clocks.deadline(seat), Some(MatchTime(10 + 200 + 1_000 + allowed)), "{limit} {bank}");
        }
    }

    #[test]
    fn a_span_is_charged_once_after_its_free_time_and_adds_one_increment() {
        let (mut clocks, seat) = clocks(control(0, 4_000));
        // Three secret decisions, and the last is told.
        assert_eq!(clocks.stop(seat, 700, false), 0);
        assert_eq!(clocks.stop(seat, 300, false), 0);
        assert_eq!(clocks.banks()[seat], Some(4_000), "an open span does not show");
        assert_eq!(clocks.stop(seat, 900, true), 1_900 - 1_200);
        assert_eq!(clocks.banks()[seat], Some(4_000 - 700 + 500));
        // The start-up grace holds for the first span alone.
        assert_eq!(clocks.stop(seat, 300, true), 100);
        assert_eq!(clocks.stop(seat, 150, true), 0);
        assert_eq!(clocks.banks()[seat], Some(4_300 - 100 + 500));
    }

    #[test]
    fn the_time_of_earlier_decisions_of_a_span_counts_for_its_deadline() {
        let (mut clocks, seat) = clocks(control(3_000, 0));
        clocks.stop(seat, 1_500, false);
        clocks.start(SeatSet::EMPTY.with(seat), MatchTime(5_000));
        assert_eq!(clocks.deadline(seat), Some(MatchTime(5_000 + 4_200 - 1_500)));
    }

    #[test]
    fn a_time_control_of_more_than_a_day_or_an_increment_without_a_bank_is_refused() {
        assert_eq!(control(1, 1).check(), Ok(()));
        assert_eq!(TimeControl::default().check(), Ok(()));
        let day = TimeControl { lag: MAX_CONTROL + 1, ..TimeControl::default() };
        assert_eq!(day.check(), Err("expected a lag of at most a day (86400000 ms), got 86400001 ms".to_owned()));
        let increment = TimeControl { increment: 5, ..TimeControl::default() };
        assert_eq!(increment.check(), Err("expected a bank for the increment of 5 ms, got none".to_owned()));
    }
}

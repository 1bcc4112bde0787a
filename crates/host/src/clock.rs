//! Clocks: the agreed limits on thinking time, and the time that each seat has used.
//!
//! The host has no clock of its own. Every time is a value that the caller passes in, and tests inject it. The clock of a server
//! is monotonic, so that a change of the time of day moves no deadline. It counts the time for which servers have run on the
//! store. The store keeps this time with each commit, and once a second while an agent has to decide. So clocks stand still while
//! the server is down, and a match that is folded knows when its open decisions became available. A kill costs the agents
//! nothing: at most the last second is not charged.
//!
//! A call has the time at which it arrived, before it waits for the lock of its match. A deadline that passed before that time is
//! applied first, in the same transaction. So each of two calls at the limit is in time or is not, and the entries say which. The
//! entry of an action has its measured and its charged time, so a fold knows the clocks, and verification derives the charged
//! time from the measured time.
//!
//! A seat burns time while it owes a decision that is available to it: from the moment at which the entries before the decision
//! are stored until the answer arrives. The time of the store, the lock, and the bots is charged to nobody.
//!
//! A *span* is the unit of all limits: the time that a seat owes decisions without a break, up to its first action that
//! everybody is told of or that chance follows. With one action after another that everybody sees, each decision is a span. A
//! chain of secret decisions is one span, because its progress must not show: the limit, the lag, and the increment hold once
//! for a span, so no clock tells how many decisions it had. Everybody is told of each chance event, so a span may end there.
//! A viewer sees the bank of another seat as of the last event that the viewer was told.
//!
//! An idle limit holds for seats without a clock (10 minutes a decision on a server, none in `ahu play` with people), so that
//! every match that has begun ends.

use std::fmt;
use std::num::NonZeroU32;

use super::ensure;

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
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default = "TimeControl::of_files"))]
pub struct TimeControl {
    /// The additional free time of the seat's first span, in which a program starts.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::file_values::time"))]
    pub startup: u32,
    /// The limit of one span; None: no limit.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::file_values::limit"))]
    pub limit: Option<NonZeroU32>,
    /// The bank: the limit of all spans together; None: no limit.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::file_values::limit"))]
    pub bank: Option<NonZeroU32>,
    /// The time that each span adds to the bank.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::file_values::time"))]
    pub increment: u32,
    /// The free time of each span, for the network.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::file_values::time"))]
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
    /// Returns the values that a file leaves out: programs have half a minute to start, and there is no limit.
    #[cfg(feature = "serde")]
    fn of_files() -> Self {
        Self { startup: 30_000, ..Self::default() }
    }

    /// Checks that no value exceeds a day, and that an increment has a bank.
    pub fn check(&self) -> Result<(), String> {
        let values = [
            ("startup", self.startup),
            ("limit", self.limit.map_or(0, NonZeroU32::get)),
            ("bank", self.bank.map_or(0, NonZeroU32::get)),
            ("increment", self.increment),
            ("lag", self.lag),
        ];
        values.into_iter().try_for_each(|(name, value)| {
            ensure(value <= MAX_CONTROL, || {
                format!("expected a {name} of at most a day ({MAX_CONTROL} ms), got {value} ms")
            })
        })?;
        ensure(self.increment == 0 || self.bank.is_some(), || {
            format!("expected a bank for the increment of {} ms, got none", self.increment)
        })
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
    /// The time that is charged: the time of the whole span if the action closes it, else 0.
    pub charged: u32,
}

/// The clock of a seat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeatClock {
    control: TimeControl,
    /// The time that is left in the bank after the last closed span; None: no bank.
    pub(super) bank: Option<u32>,
    /// The time that closed decisions of the open span took; None if no span is open.
    used: Option<u32>,
    /// The time at which the seat began to burn time; None while it owes no available decision.
    pub(super) since: Option<MatchTime>,
    /// True once a span was closed.
    has_started: bool,
}

impl SeatClock {
    /// Creates a clock at rest.
    pub(super) fn new(control: TimeControl) -> Self {
        Self { control, bank: control.bank.map(NonZeroU32::get), ..Self::default() }
    }

    /// Returns the free time of the open or next span.
    fn free(&self) -> u32 {
        let startup = if self.has_started { 0 } else { self.control.startup };
        self.control.lag.saturating_add(startup)
    }

    /// Returns the time that is left for the next answer when the clock starts; None: no limit.
    fn left_at_start(&self) -> Option<u32> {
        let limits = [self.control.limit.map(NonZeroU32::get), self.bank];
        let allowed = limits.into_iter().flatten().min()?;
        Some(allowed.saturating_add(self.free()).saturating_sub(self.used.unwrap_or(0)))
    }

    /// Returns the time at which the time of the seat ends; None if it burns none, or without a limit.
    pub(super) fn deadline(&self) -> Option<MatchTime> {
        Some(self.since?.plus(self.left_at_start()?))
    }

    /// Returns the time that is left for the open decision, with its free time; all of it before the clock starts. None: no
    /// limit.
    pub(super) fn left(&self, now: MatchTime) -> Option<u32> {
        Some(self.left_at_start()?.saturating_sub(self.measured(now)))
    }

    /// Returns the time that an answer took that arrived now.
    pub(super) fn measured(&self, now: MatchTime) -> u32 {
        self.since.map_or(0, |since| now.since(since))
    }

    /// Starts the clock, unless it burns already.
    pub(super) fn start(&mut self, now: MatchTime) {
        self.since.get_or_insert(now);
    }

    /// Stops the clock after an answer that took this time. Returns the charged time if the span is `closed`, else 0.
    pub(super) fn stop(&mut self, measured: u32, closed: bool) -> u32 {
        self.since = None;
        let used = self.used.unwrap_or(0).saturating_add(measured);
        self.used = Some(used).filter(|_| !closed);
        if !closed {
            return 0;
        }
        let charged = used.saturating_sub(self.free());
        self.has_started = true;
        self.bank = self.bank.map(|bank| bank.saturating_sub(charged).saturating_add(self.control.increment));
        charged
    }

    /// Starts the open span anew, without the time that it took so far.
    pub(super) fn restart(&mut self, now: Option<MatchTime>) {
        (self.used, self.since) = (None, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(limit: u32, bank: u32) -> TimeControl {
        TimeControl {
            startup: 1_000,
            limit: NonZeroU32::new(limit),
            bank: NonZeroU32::new(bank),
            increment: if bank > 0 { 500 } else { 0 },
            lag: 200,
        }
    }

    #[test]
    fn a_deadline_is_the_smaller_of_limit_and_bank_after_the_free_time() {
        for (limit, bank, allowed) in
            [(3_000, 0, 3_000), (0, 4_000, 4_000), (3_000, 4_000, 3_000), (5_000, 4_000, 4_000)]
        {
            let mut clock = SeatClock::new(control(limit, bank));
            assert_eq!(clock.deadline(), None, "the clock rests");
            clock.start(MatchTime(10));
            assert_eq!(clock.deadline(), Some(MatchTime(10 + 200 + 1_000 + allowed)), "{limit} {bank}");
        }
    }

    #[test]
    fn a_span_is_charged_once_after_its_free_time_and_adds_one_increment() {
        let mut clock = SeatClock::new(control(0, 4_000));
        // Three secret decisions, and the last is told.
        assert_eq!(clock.stop(700, false), 0);
        assert_eq!(clock.stop(300, false), 0);
        assert_eq!(clock.bank, Some(4_000), "an open span does not show");
        assert_eq!(clock.stop(900, true), 1_900 - 1_200);
        assert_eq!(clock.bank, Some(4_000 - 700 + 500));
        // The start-up grace holds for the first span alone.
        assert_eq!(clock.stop(300, true), 100);
        assert_eq!(clock.stop(150, true), 0);
        assert_eq!(clock.bank, Some(4_300 - 100 + 500));
    }

    #[test]
    fn the_time_of_earlier_decisions_of_a_span_counts_for_its_deadline() {
        let mut clock = SeatClock::new(control(3_000, 0));
        clock.stop(1_500, false);
        clock.start(MatchTime(5_000));
        assert_eq!(clock.deadline(), Some(MatchTime(5_000 + 4_200 - 1_500)));
    }

    #[test]
    fn a_seat_can_exceed_its_time_with_a_limit_or_a_bank() {
        for (limit, bank, has_limit) in [(0, 0, false), (3_000, 0, true), (0, 4_000, true), (3_000, 4_000, true)] {
            assert_eq!(control(limit, bank).has_limit(), has_limit, "{limit} {bank}");
        }
    }

    #[test]
    fn a_time_control_is_written_as_the_command_line_takes_it() {
        assert_eq!(TimeControl::default().to_string(), "");
        assert_eq!(TimeControl { bank: NonZeroU32::new(60_000), ..TimeControl::default() }.to_string(), "60");
        assert_eq!(control(2_500, 0).to_string(), "2.5/move,startup=1,lag=0.2");
        assert_eq!(control(2_500, 4_000).to_string(), "4+0.5,2.5/move,startup=1,lag=0.2");
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

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
use std::str::FromStr;

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
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default = "TimeControl::of_program"))]
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

/// Writes the time control in the form that [`TimeControl::from_str`] reads, such as `60+0.5`; nothing without a limit.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { startup, limit, bank, increment, lag } = *self;
        if !self.has_limit() {
            return Ok(());
        }
        let usual = Self::of_program();
        let seconds = |milliseconds: u32| f64::from(milliseconds) / 1000.0;
        let bank = bank.map(|bank| match increment {
            0 => seconds(bank.get()).to_string(),
            increment => format!("{}+{}", seconds(bank.get()), seconds(increment)),
        });
        let limit = limit.map(|limit| format!("{}/move", seconds(limit.get())));
        let free = |name: &str, time: u32, usual: u32| (time != usual).then(|| format!("{name}={}", seconds(time)));
        let parts = [bank, limit, free("startup", startup, usual.startup), free("lag", lag, usual.lag)];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

/// Parses a time control such as `10+0.1`, `5s/move,startup=1m`, or `none` (a day for one decision).
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut control = Self::of_program();
        let mut given = Vec::new();
        let parts = if text == "none" { "1d/move" } else { text };
        for part in parts.split(',') {
            let name = if let Some(time) = part.strip_prefix("startup=") {
                control.startup = time_of(time)?;
                "startup"
            } else if let Some(time) = part.strip_prefix("lag=") {
                control.lag = time_of(time)?;
                "lag"
            } else if let Some(time) = part.strip_suffix("/move") {
                control.limit = Some(limit_of(time)?);
                "limit"
            } else {
                let (bank, increment) = part.split_once('+').unwrap_or((part, "0"));
                control.bank = Some(limit_of(bank)?);
                control.increment = time_of(increment)?;
                "bank"
            };
            ensure(!given.contains(&name), || format!("expected one {name}, got two"))?;
            given.push(name);
        }
        ensure(control.has_limit(), || {
            format!("expected a bank such as 10+0.1, or a limit such as 5/move, got only \"{text}\"")
        })?;
        control.check().map(|()| control)
    }
}

/// The units of a time, each with its milliseconds. A bare number is in seconds.
const UNITS: [(&str, f64); 6] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3), ("d", 86_400e3), ("", 1e3)];

/// Parses a time as people write it, such as `500ms`, `30s`, `1.5h`, or `90`, in milliseconds, rounded; None for
/// another text, and for more than 2^53 milliseconds.
pub fn parse_time(text: &str) -> Option<u64> {
    let (number, unit) = UNITS.iter().find_map(|(unit, of)| Some((text.strip_suffix(unit)?, of)))?;
    // A number without a sign and an exponent cannot be negative.
    let is_plain = number.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let number = number.parse::<f64>().ok().filter(|_| is_plain)?;
    let time = (number * unit).round();
    #[expect(clippy::cast_sign_loss, reason = "the text has digits and a point alone")]
    // A longer time has no exact milliseconds.
    (time <= (1_u64 << 53) as f64).then_some(time as u64)
}

/// Parses a part of a time control that is above 0, in milliseconds.
fn limit_of(text: &str) -> Result<NonZeroU32, String> {
    let limit = NonZeroU32::new(time_of(text)?);
    limit.ok_or_else(|| format!("expected a time of at least 0.001 seconds, got \"{text}\""))
}

/// Parses a part of a time control, in milliseconds.
fn time_of(text: &str) -> Result<u32, String> {
    let time = parse_time(text).and_then(|time| u32::try_from(time).ok()).filter(|&time| time <= MAX_CONTROL);
    time.ok_or_else(|| {
        format!(
            "expected a time from 0 to 86400 seconds, such as 10, 0.1, or 2m, or a time control such as 10+0.1 or 5/move; \
             got \"{text}\""
        )
    })
}

/// The largest value of a time control: a day.
pub const MAX_CONTROL: u32 = 24 * 60 * 60 * 1000;

impl TimeControl {
    /// Returns the values of a program that the host of the match starts, where nobody states others: on the command line, in the
    /// file of a cup or a suite, and in Python.
    pub fn of_program() -> Self {
        Self { startup: 10_000, ..Self::default() }
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
    /// The time at which the first decision of the open span became available; None before.
    begin: Option<MatchTime>,
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

    /// Returns the time that is left for the open span as others see it who are shown this bank: neither the decisions that are
    /// told to nobody nor a timeout that was forgiven change it. None: no limit.
    pub(super) fn shown_left(&self, bank: Option<u32>, now: MatchTime) -> Option<u32> {
        let allowed = [self.control.limit.map(NonZeroU32::get), bank].into_iter().flatten().min()?;
        Some(allowed.saturating_add(self.free()).saturating_sub(self.begin.map_or(0, |begin| now.since(begin))))
    }

    /// Returns the time that an answer took that arrived now.
    pub(super) fn measured(&self, now: MatchTime) -> u32 {
        self.since.map_or(0, |since| now.since(since))
    }

    /// Starts the clock, unless it burns already.
    pub(super) fn start(&mut self, now: MatchTime) {
        self.begin.get_or_insert(*self.since.get_or_insert(now));
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
        (self.has_started, self.begin) = (true, None);
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
    fn others_see_the_time_of_a_span_go_on_whatever_nobody_is_told() {
        let mut clock = SeatClock::new(control(0, 4_000));
        clock.start(MatchTime(1_000));
        assert_eq!(clock.shown_left(clock.bank, MatchTime(1_500)), Some(4_700));
        // A secret decision, and a timeout that counts as a strike alone.
        clock.stop(500, false);
        clock.start(MatchTime(1_700));
        assert_eq!(clock.shown_left(clock.bank, MatchTime(2_000)), Some(4_200));
        clock.restart(Some(MatchTime(2_000)));
        assert_eq!(clock.shown_left(clock.bank, MatchTime(2_500)), Some(3_700));
        clock.stop(500, true);
        clock.start(MatchTime(9_000));
        assert_eq!(clock.shown_left(Some(3_000), MatchTime(9_100)), Some(3_100));
        assert_eq!(SeatClock::new(control(700, 0)).shown_left(None, MatchTime(5)), Some(1_900));
        assert_eq!(SeatClock::default().shown_left(None, MatchTime(5)), None);
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
    fn a_time_control_is_read_and_written_in_the_same_form() {
        for (text, bank, increment, limit, startup, lag) in [
            ("10+0.1", 10_000, 100, 0, 10_000, 0),
            ("5/move,startup=0", 0, 0, 5_000, 0, 0),
            ("60,0.05/move,startup=2.5,lag=0.2", 60_000, 0, 50, 2_500, 200),
            ("86400", 86_400_000, 0, 0, 10_000, 0),
        ] {
            let control =
                TimeControl { startup, limit: NonZeroU32::new(limit), bank: NonZeroU32::new(bank), increment, lag };
            assert_eq!(text.parse(), Ok(control));
            assert_eq!(control.to_string(), text);
        }
        let parsed = |text: &str| text.parse::<TimeControl>().expect("a time control").to_string();
        assert_eq!(parsed("1m+100ms,5s/move,startup=10s"), "60+0.1,5/move");
        assert_eq!(parsed("none"), "86400/move", "no time control is longer");
        assert_eq!(TimeControl::default().to_string(), "");
    }

    #[test]
    fn a_text_that_is_no_time_control_is_refused_with_the_expected_form() {
        for (text, expected) in [
            ("", "got \"\""),
            (
                "soon",
                "expected a time from 0 to 86400 seconds, such as 10, 0.1, or 2m, or a time control such as 10+0.1",
            ),
            ("0", "expected a time of at least 0.001 seconds, got \"0\""),
            ("0/move", "at least 0.001"),
            ("-1", "got \"-1\""),
            ("1e3", "got \"1e3\""),
            ("inf", "got \"inf\""),
            ("86401", "got \"86401\""),
            ("10+", "got \"\""),
            ("10+0.1+1", "got \"0.1+1\""),
            ("5/turn", "got \"5/turn\""),
            ("5,6", "expected one bank, got two"),
            ("startup=1", "expected a bank such as 10+0.1, or a limit such as 5/move, got only \"startup=1\""),
            ("10,lag=x", "got \"x\""),
        ] {
            let error = text.parse::<TimeControl>().expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let read = ["0", "1.5", "7ms", "0.5s", "10m", "1.5h", "90d"].map(parse_time);
        assert_eq!(read, [0, 1_500, 7, 500, 600_000, 5_400_000, 7_776_000_000].map(Some));
        for wrong in ["", "s", ".", "-1", "+1", "1e3", "inf", "1 s", "1S", "1w", "1.2.3"] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
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

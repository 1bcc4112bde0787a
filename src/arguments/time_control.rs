//! The option `--tc`: time controls such as `10+0.1` and `1=5/move`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use ahu_arena::Player;
use ahu_host::{MAX_CONTROL, TimeControl};

use crate::CliError;
use crate::arguments::units;

/// Makes the help of `--tc` from a summary, a sentence about people, and an example with its meaning.
macro_rules! help {
    ($summary:literal, $who:literal, $example:literal) => {
        concat!(
            $summary,
            "; may be provided multiple times\n\nA seat whose time runs out forfeits. ",
            $who,
            "A time control is `none` (a day for one decision), or one or more of these parts, separated by commas, with \
             all times in seconds:
  BANK            the limit of all decisions together
  BANK+INCREMENT  the same; each decision adds the increment to the bank
  LIMIT/move      the limit of one decision
  startup=FREE    the free time of the first decision, in which a program starts [default: 10]
  lag=FREE        the free time of each decision [default: 0]\n
For example, `10+0.1` is a bank of 10 seconds to which each decision adds 0.1 seconds, and ",
            $example,
            " with at most 5 seconds for one decision. Decisions in a row of which nobody else is told count as one."
        )
    };
}

/// The help of `--tc` of `ahu play`.
pub(crate) const HELP: &str = help!(
    "The time control of all programs, or of one seat",
    "People have no limit unless a time control is given for their seat. ",
    "`1=60,5/move` is a bank of 60 seconds for seat 1"
);

/// The help of `--tc` of `ahu duel`.
pub(crate) const DUEL_HELP: &str = help!(
    "The time control of all programs, or of one agent",
    "",
    "`new=60,5/move` is a bank of 60 seconds for the agent `new`"
);

/// The free time of the first decision if `--tc` does not give `startup`, in milliseconds. The program starts in it.
pub(crate) const STARTUP: u32 = 10_000;

/// A value of `--tc` of `ahu play`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeatTime {
    /// None for the time control of all programs.
    pub(crate) seat: Option<usize>,
    pub(crate) control: TimeControl,
}

/// Parses a time control with or without a seat in front: `10+0.1`, `1=10+0.1`.
pub(crate) fn seat_time(text: &str) -> Result<SeatTime, String> {
    let (seat, time) = match text.split_once('=').map(|(seat, time)| (seat.parse::<usize>(), time)) {
        Some((Ok(seat), time)) => (Some(seat), time),
        _ => (None, text),
    };
    Ok(SeatTime { seat, control: time_control(time)? })
}

/// Parses a time control without a seat.
pub(crate) fn time_control(text: &str) -> Result<TimeControl, String> {
    if text == "none" {
        return Ok(TimeControl { limit: NonZeroU32::new(MAX_CONTROL), ..TimeControl::default() });
    }
    let mut control = TimeControl { startup: STARTUP, ..TimeControl::default() };
    let mut given = Vec::new();
    for part in text.split(',') {
        let name = if let Some(time) = part.strip_prefix("startup=") {
            control.startup = milliseconds(time)?;
            "startup"
        } else if let Some(time) = part.strip_prefix("lag=") {
            control.lag = milliseconds(time)?;
            "lag"
        } else if let Some(time) = part.strip_suffix("/move") {
            control.limit = Some(limit(time)?);
            "limit"
        } else {
            let (bank, increment) = part.split_once('+').unwrap_or((part, "0"));
            control.bank = Some(limit(bank)?);
            control.increment = milliseconds(increment)?;
            "bank"
        };
        if given.contains(&name) {
            return Err(format!("expected one {name}, got two"));
        }
        given.push(name);
    }
    match control.has_limit() {
        true => control.check().map(|()| control),
        false => Err(format!("expected a bank such as 10+0.1, or a limit such as 5/move, got only \"{text}\"")),
    }
}

/// Parses seconds above 0, and returns milliseconds.
fn limit(text: &str) -> Result<NonZeroU32, String> {
    let limit = NonZeroU32::new(milliseconds(text)?);
    limit.ok_or_else(|| format!("expected a time of at least 0.001 seconds, got \"{text}\""))
}

/// Parses seconds such as `10` or `0.05`, and returns milliseconds, rounded.
fn milliseconds(text: &str) -> Result<u32, String> {
    let most = f64::from(MAX_CONTROL) / 1000.0;
    // A number without a sign and an exponent cannot be negative.
    let is_plain = text.chars().all(|character| character.is_ascii_digit() || character == '.');
    let seconds = text.parse::<f64>().ok().filter(|seconds| is_plain && *seconds <= most);
    let seconds = seconds.ok_or_else(|| {
        format!("expected a time from 0 to {most} seconds, such as 10 or 0.1, or a time control such as 10+0.1 or 5/move; got \"{text}\"")
    })?;
    let rounded = Duration::from_secs_f64(seconds) + Duration::from_micros(500);
    Ok(rounded.as_millis() as u32)
}

/// Parses a time from 1 ms to a day, given in seconds.
pub(crate) fn patience(text: &str) -> Result<Duration, String> {
    units::seconds(0.001, 86_400.0)(text)
}

/// Formats milliseconds as seconds, such as `0.05`.
pub(crate) fn seconds(milliseconds: u32) -> String {
    (f64::from(milliseconds) / 1000.0).to_string()
}

/// Returns the time control of each seat, whose player is None for a person. Bots have none, people only what is given for
/// their seat, and programs `patient` unless another is given. An error names a seat that cannot have the given time
/// control.
pub(crate) fn by_seat(
    times: &[SeatTime],
    players: &[Option<Player>],
    patient: TimeControl,
) -> Result<Vec<TimeControl>, CliError> {
    let usage = |message: String| Err(CliError::Usage(format!("--tc: {message}")));
    let mut given = BTreeMap::new();
    for &SeatTime { seat, control } in times {
        match seat.map(|seat| (seat, players.get(seat))) {
            Some((seat, None)) => return usage(format!("expected a seat from 0 to {}, got {seat}", players.len() - 1)),
            Some((seat, Some(Some(Player::Bot(bot))))) => {
                return usage(format!("expected the seat of a program or a person, got seat {seat} of the bot {bot}"));
            }
            Some((_, Some(Some(Player::Program(_)) | None))) | None => {}
        }
        if given.insert(seat, control).is_some() {
            let what = seat.map_or("all programs".to_owned(), |seat| format!("seat {seat}"));
            return usage(format!("expected one time for {what}, got two"));
        }
    }
    let controls = players.iter().enumerate().map(|(seat, player)| match player {
        Some(Player::Bot(_)) => TimeControl::default(),
        None => given.get(&Some(seat)).copied().unwrap_or_default(),
        Some(Player::Program(_)) => *given.get(&Some(seat)).or_else(|| given.get(&None)).unwrap_or(&patient),
    });
    Ok(controls.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> TimeControl {
        time_control(text).expect("a time")
    }

    #[test]
    fn a_time_control_is_read_and_written_in_the_same_form() {
        for (text, bank, increment, limit, startup, lag) in [
            ("10+0.1,startup=10", 10_000, 100, 0, 10_000, 0),
            ("5/move,startup=10", 0, 0, 5_000, 10_000, 0),
            ("60,0.05/move,startup=2.5,lag=0.2", 60_000, 0, 50, 2_500, 200),
            ("86400", 86_400_000, 0, 0, 10_000, 0),
        ] {
            let control = parsed(text);
            let (bank, limit) = (NonZeroU32::new(bank), NonZeroU32::new(limit));
            assert_eq!(control, TimeControl { startup, limit, bank, increment, lag }, "{text}");
            assert_eq!(parsed(&control.to_string()), control, "{text}");
        }
        assert_eq!(parsed("10+0.1,startup=0").to_string(), "10+0.1");
        assert_eq!(parsed("none").to_string(), "86400/move", "no time control is longer");
    }

    #[test]
    fn a_seat_stands_before_its_time() {
        assert_eq!(seat_time("3=none"), Ok(SeatTime { seat: Some(3), control: parsed("none") }));
        assert_eq!(seat_time("1=5/move,startup=0").map(|time| time.seat), Ok(Some(1)));
        assert_eq!(seat_time("startup=0,5/move").map(|time| time.seat), Ok(None));
    }

    #[test]
    fn a_text_that_is_no_time_control_is_refused_with_the_expected_form() {
        for (text, expected) in [
            ("", "got \"\""),
            ("soon", "expected a time from 0 to 86400 seconds, such as 10 or 0.1, or a time control such as 10+0.1"),
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
            let error = time_control(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}

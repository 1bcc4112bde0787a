//! The option `--tc`: time controls such as `10+0.1` and `1=5/move`.

use std::collections::BTreeMap;
use std::time::Duration;

use ahu_arena::Player;
use ahu_host::TimeControl;

use crate::CliError;
use crate::arguments::units;

/// Makes the help of `--tc` from a summary, a sentence about people, and an example with its meaning.
macro_rules! help {
    ($summary:literal, $who:literal, $example:literal) => {
        concat!(
            $summary,
            "; may be provided multiple times\n\nA seat whose time runs out forfeits. ",
            $who,
            "A time control is `none` (a day for one decision), or one or more of these parts, separated by commas:
  BANK            the limit of all decisions together
  BANK+INCREMENT  the same; each decision adds the increment to the bank
  LIMIT/move      the limit of one decision
  startup=FREE    the free time of the first decision, in which a program starts [default: 10]
  lag=FREE        the free time of each decision [default: 0]\n
A time has a unit (ms, s, m, h) or is in seconds. For example, `10+0.1` is a bank of 10 seconds to which each decision \
             adds 0.1 seconds, and ",
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
    Ok(SeatTime { seat, control: time.parse()? })
}

/// Parses the value of `--patience`.
pub(crate) fn patience(text: &str) -> Result<Duration, String> {
    units::time("1ms", "1d")(text)
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

    #[test]
    fn a_seat_stands_before_its_time() {
        let control = "none".parse().expect("a time control");
        assert_eq!(seat_time("3=none"), Ok(SeatTime { seat: Some(3), control }));
        assert_eq!(seat_time("1=5/move,startup=0").map(|time| time.seat), Ok(Some(1)));
        assert_eq!(seat_time("startup=0,5/move").map(|time| time.seat), Ok(None));
    }
}

//! The option `--tc`: time controls such as `10+0.1` and `1=5/move`.

use std::time::Duration;

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

/// A player that `--tc` can name: the number of a seat or the name of an agent, and the text of a bot, which has no clock.
pub(crate) type Named = (String, Option<String>);

/// The time control of all programs, and the own one of each player, as far as they were given.
pub(crate) type Clocks = (Option<TimeControl>, Vec<Option<TimeControl>>);

/// Reads the values of `--tc`, such as `10+0.1` for all programs or `new=10+0.1` for one player.
pub(crate) fn read(given: &[String], players: &[Named]) -> Result<Clocks, CliError> {
    let (mut all, mut own) = (None, vec![None; players.len()]);
    for text in given {
        let usage = |message: String| CliError::Usage(format!("--tc {text}: {message}"));
        // `startup=` and `lag=` are parts of a time control.
        let is_name = |name: &str| !["startup", "lag"].contains(&name) && !name.contains([',', '/']);
        let (place, time) = match text.split_once('=').filter(|(name, _)| is_name(name)) {
            None => (&mut all, text.as_str()),
            Some((name, time)) => {
                let names = || players.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
                let index = players.iter().position(|(own, _)| own == name);
                let index = index.ok_or_else(|| usage(format!("expected one of {}, got \"{name}\"", names())))?;
                if let (_, Some(bot)) = &players[index] {
                    return Err(usage(format!(
                        "expected a program or a person, got the bot {bot}, which has no clock"
                    )));
                }
                (&mut own[index], time)
            }
        };
        if place.replace(time.parse().map_err(usage)?).is_some() {
            return Err(usage("expected one time control for each player and one for all, got two".to_owned()));
        }
    }
    Ok((all, own))
}

/// Parses the value of `--patience`.
pub(crate) fn patience(text: &str) -> Result<Duration, String> {
    units::time("1ms", "1d")(text)
}

/// Formats milliseconds as seconds, such as `0.05`.
pub(crate) fn seconds(milliseconds: u32) -> String {
    (f64::from(milliseconds) / 1000.0).to_string()
}

//! The filters of `ahu records`.

use std::time::SystemTime;

use ahu_host::find;

use crate::arguments::units::age;
use crate::files::record_source::Found;

/// The filters. A record is wanted if it passes all of them.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct Filter {
    /// Records of this game
    #[arg(long, value_name = "GAME", value_parser = game)]
    game: Option<String>,
    /// Records with a player of this name, such as `ann` or `greedy@1`; may be provided multiple times
    #[arg(long = "player", value_name = "NAME")]
    players: Vec<String>,
    /// Matches with this label, or with this value of it; may be provided multiple times. Files have no labels
    #[arg(long = "label", value_name = "KEY[=VALUE]")]
    labels: Vec<String>,
    /// Matches that were created then or later, and files that were changed then or later: a time such as `2026-11-22` or
    /// `2026-11-22T10:00:00Z`, or an age such as `30d`
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<SystemTime>,
    /// Those from before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<SystemTime>,
}

impl Filter {
    /// Returns true if a record passes all filters.
    pub(super) fn wants(&self, found: &Found) -> bool {
        let Found { created, labels, record, .. } = found;
        let has_player = |name: &String| record.players.iter().any(|player| player.name == *name);
        let has_label = |label: &String| match label.split_once('=') {
            // The whole text may be a key that has a "=" in it.
            _ if labels.contains_key(label) => true,
            Some((key, value)) => labels.get(key).is_some_and(|own| own == value),
            None => false,
        };
        self.game.as_ref().is_none_or(|game| record.game == *game)
            && self.players.iter().all(has_player)
            && self.labels.iter().all(has_label)
            && self.since.is_none_or(|since| *created >= since)
            && self.until.is_none_or(|until| *created < until)
    }
}

fn game(text: &str) -> Result<String, String> {
    find(text).map(|rules| rules.info().id.to_owned()).map_err(|error| error.to_string())
}

/// Parses a day, a time, or an age, which counts back from now.
fn time(text: &str) -> Result<SystemTime, String> {
    let wrong =
        || format!("expected a time such as 2026-11-22 or 2026-11-22T10:00:00Z, or an age such as 30d; got \"{text}\"");
    if let Some(age) = age(text) {
        return SystemTime::now().checked_sub(age).ok_or_else(wrong);
    }
    let full = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    let timestamp: prost_types::Timestamp = full.parse().map_err(|_| wrong())?;
    SystemTime::try_from(timestamp).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_a_day_a_moment_or_an_age() {
        let day = time("1970-01-02").expect("a day");
        assert_eq!(day, SystemTime::UNIX_EPOCH + Duration::from_secs(86_400));
        assert_eq!(time("1970-01-02T00:00:00Z"), Ok(day));
        let (before, two_hours) = (SystemTime::now(), Duration::from_secs(7200));
        let past = time("2h").expect("an age") + two_hours;
        assert!(before <= past && past <= SystemTime::now());
        for wrong in ["", "yesterday", "2026-13-01", "2026-11-22T25:00:00Z", "999999999999999999d"] {
            let error = time(wrong).expect_err("no time");
            assert!(error.starts_with("expected a time such as 2026-11-22"), "{wrong}: {error}");
        }
    }
}

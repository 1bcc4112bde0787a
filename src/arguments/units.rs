//! Numbers with units: sizes in bytes, and times. Also the bounds of a store, which are an age and a size.

use std::time::Duration;

use ahu_host::parse_time;
use ahu_service::store::Keep;

/// The units of a size, each with its bytes.
const SIZES: [(&str, u64); 11] = [
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Parses a size in bytes, such as `512MiB` or `10GB`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = SIZES.iter().find(|(unit, _)| *unit == &text[digits.len()..]);
    let bytes =
        unit.and_then(|(_, factor)| digits.parse::<u64>().ok()?.checked_mul(*factor)).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| "expected a size above 0, such as 512MiB or 10GB".to_owned())
}

/// Parses an age with its unit, such as `12h` or `30d`: a bare number could be something else.
pub(crate) fn age(text: &str) -> Option<Duration> {
    let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
    parse_time(text).filter(|_| has_unit).map(Duration::from_millis)
}

/// Returns a parser for times from `least` to `most`, such as `500ms`, `30s`, or `90d`. A bare number is in seconds.
pub(crate) fn time(least: &'static str, most: &'static str) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    let [from, to] = [least, most].map(parse_time);
    move |text| {
        let time = parse_time(text).filter(|&time| Some(time) >= from && Some(time) <= to);
        let expected = || format!("expected a time from {least} to {most}, such as 500ms, 30s, or 2h");
        time.map(Duration::from_millis).ok_or_else(expected)
    }
}

/// Parses a time such as `90d`, for a key or for the past.
pub(crate) fn lifetime(text: &str) -> Result<Duration, String> {
    time("1s", "36500d")(text)
}

/// Parses the bounds of a store: an age, a size, or both with a comma between them.
pub(crate) fn keep(text: &str) -> Result<Keep, String> {
    let mut keep = Keep::default();
    for part in text.split(',') {
        // A size needs its unit here: a bare number could also be an age.
        let has_unit = part.ends_with(|last: char| last.is_ascii_alphabetic());
        let (age, size) = (age(part), size(part).ok().filter(|_| has_unit));
        let is_new = match (age, size) {
            (Some(age), _) => keep.age.replace(age).is_none(),
            (None, Some(size)) => keep.bytes.replace(size).is_none(),
            (None, None) => false,
        };
        if !is_new {
            return Err(format!("expected an age and a size at most, such as 30d, 10GB, or 30d,10GB; got \"{part}\""));
        }
    }
    Ok(keep)
}

/// Formats a size for people, such as `12.3 MB`.
pub(crate) fn size_text(bytes: u64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")].map(|(of, unit)| (bytes as f64 / of, unit));
    // A size that rounds up to a whole unit is shown in that unit: 999,950 bytes are 1.0 MB.
    match units.into_iter().find(|(size, _)| *size >= 0.99995) {
        Some((size, unit)) => format!("{size:.1} {unit}"),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_of_day;

    #[test]
    fn sizes_are_read_and_shown_in_their_units() {
        assert_eq!(size("10GB"), Ok(10_000_000_000));
        assert_eq!(size("512MiB"), Ok(512 << 20));
        for wrong in ["", "0", "GB", "-1", "1.5GB", "1XB", "99999999999TB"] {
            size(wrong).expect_err("no size");
        }
        let texts = [0, 999, 1000, 999_949, 999_950, 12_345_678, u64::MAX].map(size_text);
        assert_eq!(
            texts,
            ["0 bytes", "999 bytes", "1.0 kB", "999.9 kB", "1.0 MB", "12.3 MB", "18446744.1 TB"].map(String::from)
        );
    }

    #[test]
    fn times_are_shown_as_days_and_hours() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(time_of_day(seconds), text);
        }
        assert_eq!(lifetime("90d"), Ok(Duration::from_secs(90 * 86_400)));
        assert_eq!(lifetime("90"), Ok(Duration::from_secs(90)));
        assert!(lifetime("0d").is_err() && lifetime("soon").is_err());
    }

    #[test]
    fn bounds_are_an_age_a_size_or_both_once_each() {
        let days = Some(Duration::from_secs(30 * 86_400));
        assert_eq!(keep("30d"), Ok(Keep { age: days, bytes: None }));
        assert_eq!(keep("10GB,30d"), Ok(Keep { age: days, bytes: Some(10_000_000_000) }));
        for wrong in ["", "30d,12h", "1GB,2GB", "30", "x", "30d,", "30d;1GB"] {
            let error = keep(wrong).expect_err("no bounds");
            assert!(error.starts_with("expected an age and a size at most"), "{wrong}: {error}");
        }
    }
}

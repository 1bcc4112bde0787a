//! Times as people write them, on the command line and in files of cups and suites.

/// The units of a time, each with its milliseconds. A bare number is in seconds.
const UNITS: [(&str, f64); 6] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3), ("d", 86_400e3), ("", 1e3)];

/// Parses a time such as `500ms`, `30s`, `1.5h`, or `90`, in milliseconds, rounded; None for another text.
pub fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = UNITS.iter().find_map(|(unit, of)| Some((text.strip_suffix(unit)?, of)))?;
    // A number without a sign and an exponent cannot be negative.
    let is_plain = number.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let number = number.parse::<f64>().ok().filter(|_| is_plain)?;
    #[expect(clippy::cast_sign_loss, reason = "the text has digits and a point alone")]
    Some((number * unit).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let read = ["0", "1.5", "7ms", "0.5s", "10m", "1.5h", "90d"].map(milliseconds);
        assert_eq!(read, [0, 1_500, 7, 500, 600_000, 5_400_000, 7_776_000_000].map(Some));
        for wrong in ["", "s", ".", "-1", "+1", "1e3", "inf", "1 s", "1S", "1w", "1.2.3"] {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }
}

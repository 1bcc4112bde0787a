//! A page of metrics in the text format of Prometheus, as samples.

use serde_json::{Value, json};

pub(super) struct Samples(Vec<Sample>);

#[derive(Debug, PartialEq)]
pub(super) struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    pub(super) value: f64,
}

impl Samples {
    /// Parses a page, and sorts its samples by name and labels.
    pub(super) fn parse(page: &str) -> Result<Self, String> {
        let lines = page.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let wrong = |line: &str| format!("expected a name, labels, and a value, got \"{line}\"");
        let samples = lines.map(|line| Sample::parse(line).ok_or_else(|| wrong(line)));
        let mut samples = samples.collect::<Result<Vec<_>, _>>()?;
        samples.sort_by(|a, b| (&a.name, &a.labels).cmp(&(&b.name, &b.labels)));
        Ok(Self(samples))
    }

    pub(super) fn of(&self, name: &str) -> impl Iterator<Item = &Sample> {
        self.0.iter().filter(move |sample| sample.name == name)
    }

    /// Returns the sum over the wanted samples with this name.
    pub(super) fn sum(&self, name: &str, is_wanted: impl Fn(&&Sample) -> bool) -> f64 {
        // `sum` would return -0 for no sample.
        self.of(name).filter(is_wanted).fold(0.0, |sum, sample| sum + sample.value)
    }

    /// Returns the upper bound of the bucket that contains a quantile of a histogram; None if nothing was observed.
    pub(super) fn quantile(&self, name: &str, quantile: f64, is_wanted: impl Fn(&&Sample) -> bool) -> Option<f64> {
        let name = format!("{name}_bucket");
        let bucket = |sample: &Sample| Some((sample.label("le")?.parse().ok()?, sample.value));
        let mut buckets: Vec<(f64, f64)> = self.of(&name).filter(&is_wanted).filter_map(bucket).collect();
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = buckets.last().map(|(_, count)| *count).filter(|count| *count > 0.0)?;
        buckets.into_iter().find(|(_, count)| *count >= quantile * all).map(|(bound, _)| bound)
    }
}

impl Sample {
    fn parse(line: &str) -> Option<Self> {
        let (series, value) = line.rsplit_once(' ')?;
        let (name, labels) = match series.split_once('{') {
            Some((name, labels)) => (name, labels.strip_suffix('}')?),
            None => (series, ""),
        };
        let value = match value {
            "+Inf" => f64::INFINITY,
            value => value.parse().ok()?,
        };
        Some(Self { name: name.to_owned(), labels: labels_of(labels)?, value })
    }

    pub(super) fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value as a whole number, rounded down; 0 for a negative value.
    #[expect(clippy::cast_sign_loss, reason = "the cast gives 0 for a negative number")]
    pub(super) fn count(&self) -> u64 {
        self.value as u64
    }

    pub(super) fn as_json(&self) -> Value {
        let mut value = json!({"value": self.value});
        for (key, label) in &self.labels {
            value[key] = label.as_str().into();
        }
        value
    }
}

/// Parses labels, such as `game="rappanui",state="running"`.
fn labels_of(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut labels = Vec::new();
    while let Some((key, rest)) = text.split_once('=') {
        // A value has the escapes of a JSON string.
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        labels.push((key.to_owned(), values.next()?.ok()?));
        text = rest[values.byte_offset()..].trim_start_matches(',');
    }
    text.is_empty().then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_names_labels_and_values() {
        let page = "# HELP a b\n# TYPE a counter\na_total{x=\"1\",y=\"q\\\"\\\\,}\\n\"} 3\nb 0.5\n# EOF\n";
        let samples = Samples::parse(page).expect("a page");
        let first = samples.of("a_total").next().expect("a sample");
        assert_eq!((first.label("x"), first.label("y"), first.value), (Some("1"), Some("q\"\\,}\n"), 3.0));
        assert_eq!(first.as_json(), json!({"value": 3.0, "x": "1", "y": "q\"\\,}\n"}));
        assert!((samples.sum("b", |_| true) - 0.5).abs() < f64::EPSILON);
        for wrong in ["a", "a{x=1} 2", "a{x=\"1\" 2", "a x"] {
            assert!(Samples::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_quantile_is_the_upper_bound_of_its_bucket() {
        let page = "t_bucket{le=\"0.1\"} 50\nt_bucket{le=\"0.5\"} 99\nt_bucket{le=\"+Inf\"} 100\n";
        let samples = Samples::parse(page).expect("a page");
        let quantile = |of| samples.quantile("t", of, |_| true);
        assert_eq!([quantile(0.5), quantile(0.51), quantile(0.995)], [Some(0.1), Some(0.5), Some(f64::INFINITY)]);
        assert_eq!(Samples::parse("").expect("a page").quantile("t", 0.5, |_| true), None);
    }
}

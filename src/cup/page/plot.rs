//! Plots of intervals, as SVG.

use maud::{Markup, html};

/// The width of a plot in its own units. A page shows it at least as wide as the screen of a phone.
const WIDTH: f64 = 420.0;
const ROW: f64 = 20.0;
/// The width of the labels.
const LABELS: f64 = 130.0;
const MARGIN: f64 = 14.0;
const AXIS: f64 = 24.0;
/// The maximum length of a label, in characters.
const LABEL: usize = 18;

/// A plot of values with their intervals.
pub(super) struct Plot {
    /// The title, which screen readers read aloud.
    pub(super) title: String,
    /// The explanation of the rows, for screen readers.
    pub(super) description: String,
    pub(super) rows: Vec<Row>,
    /// The value that a vertical line marks.
    pub(super) mark: f64,
    /// The unit that follows the numbers of the axis.
    pub(super) unit: &'static str,
}

pub(super) struct Row {
    pub(super) label: String,
    pub(super) value: f64,
    /// The lower end; -∞ if there is none.
    pub(super) low: f64,
    /// The upper end; ∞ if there is none.
    pub(super) high: f64,
}

impl Plot {
    /// Draws the plot.
    pub(super) fn svg(&self) -> Markup {
        let height = self.rows.len() as f64 * ROW + AXIS;
        let (least, greatest) = self.range();
        let x = |value: f64| LABELS + (value - least) / (greatest - least) * (WIDTH - LABELS - MARGIN);
        let bottom = height - AXIS;
        html! {
            svg class="plot" role="img" viewBox=(format!("0 0 {WIDTH} {height}")) xmlns="http://www.w3.org/2000/svg" {
                title { (self.title) }
                desc { (self.description) }
                @for tick in ticks(least, greatest) {
                    line class="grid" x1=(number(x(tick))) x2=(number(x(tick))) y1="0" y2=(number(bottom)) {}
                    text class="tick" x=(number(x(tick))) y=(number(bottom + 15.0)) text-anchor="middle" {
                        (tick) (self.unit)
                    }
                }
                line class="mark" x1=(number(x(self.mark))) x2=(number(x(self.mark))) y1="0" y2=(number(bottom)) {}
                @for (place, row) in self.rows.iter().enumerate() {
                    @let middle = (place as f64 + 0.5) * ROW;
                    (row.svg(middle, &x, (least, greatest)))
                }
            }
        }
    }

    /// Returns the range of the axis, which contains all finite values and ends, and the mark.
    fn range(&self) -> (f64, f64) {
        let all = || self.rows.iter().flat_map(|row| [row.value, row.low, row.high]).filter(|value| value.is_finite());
        let least = all().fold(self.mark, f64::min);
        let greatest = all().fold(self.mark, f64::max);
        let space = ((greatest - least) * 0.03).max(1e-3);
        (least - space, greatest + space)
    }
}

impl Row {
    fn svg(&self, middle: f64, x: &dyn Fn(f64) -> f64, (least, greatest): (f64, f64)) -> Markup {
        let [low, high] = [self.low.max(least), self.high.min(greatest)].map(x);
        // An arrow shows an end that nothing bounds.
        let arrow = |tip: f64, back: f64| {
            let [tip, back] = [tip, back].map(number);
            format!("{tip},{} {back},{} {back},{}", number(middle), number(middle - 4.0), number(middle + 4.0))
        };
        html! {
            text class="label" x="0" y=(number(middle + 4.0)) { (short(&self.label)) }
            line class="interval" x1=(number(low)) x2=(number(high)) y1=(number(middle)) y2=(number(middle)) {}
            @if self.low == f64::NEG_INFINITY { polygon class="point" points=(arrow(low - 6.0, low)) {} }
            @if self.high == f64::INFINITY { polygon class="point" points=(arrow(high + 6.0, high)) {} }
            circle class="point" cx=(number(x(self.value))) cy=(number(middle)) r="4" {}
        }
    }
}

/// Cuts a label that is too long.
fn short(label: &str) -> String {
    match label.chars().count() {
        0..=LABEL => label.to_owned(),
        _ => label.chars().take(LABEL - 1).chain(['…']).collect(),
    }
}

/// Formats a coordinate with one decimal place.
fn number(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns three to six round numbers within a range.
fn ticks(least: f64, greatest: f64) -> Vec<f64> {
    let rough = (greatest - least) / 5.0;
    let power = 10.0f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let steps = (least / step).ceil() as i64..=(greatest / step).floor() as i64;
    // Round away errors of floating point: a step below 1 has this many decimal places.
    let digits = (-power.log10()).max(0.0).round() as i32;
    let round = |value: f64| (value * 10f64.powi(digits)).round() / 10f64.powi(digits);
    steps.map(|tick| round(tick as f64 * step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(-103.0, 210.0), [-100.0, 0.0, 100.0, 200.0]);
        assert_eq!(ticks(24.1, 41.3), [25.0, 30.0, 35.0, 40.0]);
        assert_eq!(ticks(-0.001, 0.001), [-0.001, -0.0005, 0.0, 0.0005, 0.001]);
    }

    #[test]
    fn an_end_without_a_bound_is_an_arrow_and_labels_are_escaped() {
        let row = |label: &str, high: f64| Row { label: label.to_owned(), value: 10.0, low: -5.0, high };
        let plot = |high: f64| Plot {
            title: "<b>".to_owned(),
            description: String::new(),
            rows: vec![row("<script>\"&", high), row("a name that is far too long", 20.0)],
            mark: 0.0,
            unit: "",
        };
        let open = plot(f64::INFINITY).svg().into_string();
        assert!(open.contains("<polygon") && !open.contains("NaN") && !open.contains("inf"), "{open}");
        assert!(!plot(30.0).svg().into_string().contains("<polygon"));
        assert!(
            open.contains("&lt;script&gt;&quot;&amp;") && !open.contains("<script") && !open.contains("<b>"),
            "{open}"
        );
        assert!(open.contains("a name that is fa…"), "{open}");
    }
}

//! Pictures: the shapes, words, and colours with which games draw their tables as SVG.
//!
//! A picture is one file without any other: no font, script, or image. It is [`WIDTH`] units wide, so that its smallest text
//! has nine pixels where the picture is 400 pixels wide. Meaning never lies in a colour alone: a letter, a number, or a shape
//! stands beside it. Every piece has a title, which browsers show below the pointer and read aloud.
//!
//! A picture is a function of two views of one viewer, the present view and an earlier one. The marks are their differences. So
//! a picture can leak nothing, and a mark tells nothing that the viewer could not see. `law_of_pictures` in `tests/rules/laws.rs`
//! checks that a picture has a mark wherever the text of the table has changed.

use std::fmt::{self, Display, Write as _};

use super::lines::{joined, wrapped};
use crate::Seat;

/// The width of every picture, in units.
pub const WIDTH: f32 = 400.0;

/// The distance of the content from the edges, in units.
pub const MARGIN: f32 = 6.0;

/// The stylesheet of all pictures. It is the same text in every picture, so that a page can allow it by its hash.
pub const STYLE: &str = concat!(include_str!("svg/seats.css"), include_str!("svg/style.css"));

/// The part of the stylesheet with the colours of the seats, in light and in dark mode. Nothing else chooses a colour for a seat:
/// class `s0` has the colour of seat 0, and class `on` the colour of a number on it.
pub const SEAT_STYLE: &str = include_str!("svg/seats.css");

/// The picture of a table. A game implements it for its view.
pub trait Draw {
    /// Draws the table, with `headline` as its first line, and marks the differences from `before`. Returns the drawing and its
    /// height.
    fn draw(&self, before: Option<&Self>, headline: &str) -> (Svg, f32);
}

/// A picture in progress. Coordinates are units from the upper left corner.
#[derive(Debug)]
pub struct Svg {
    body: String,
}

impl Default for Svg {
    fn default() -> Self {
        Self::new()
    }
}

impl Svg {
    /// Creates an empty picture.
    pub const fn new() -> Self {
        Self { body: String::new() }
    }

    /// Returns the picture with this height, and with a title and a description for people who do not see it.
    pub fn finish(self, height: f32, title: &str, description: &str) -> String {
        let (width, height) = (Number(WIDTH), Number(height.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"title desc\"><title id=\"title\">{}</title><desc id=\"desc\">{}</desc>\
             <style>{STYLE}</style>\n{}</svg>\n",
            Escaped(title),
            Escaped(description),
            self.body
        )
    }

    /// Draws a rectangle with round corners: its classes, upper left corner, and size.
    pub fn rect(&mut self, class: &str, (x, y): (f32, f32), (width, height): (f32, f32)) {
        let class = Class(class);
        let radius = Number((width.min(height) / 6.0).min(3.0));
        let (x, y, width, height) = (Number(x), Number(y), Number(width), Number(height));
        self.add(format_args!(
            "<rect{class} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
        ));
    }

    /// Draws a circle: its classes, centre, and radius.
    pub fn circle(&mut self, class: &str, (x, y): (f32, f32), radius: f32) {
        let (class, x, y, radius) = (Class(class), Number(x), Number(y), Number(radius));
        self.add(format_args!("<circle{class} cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"));
    }

    /// Draws a closed polygon.
    pub fn polygon(&mut self, class: &str, corners: &[(f32, f32)]) {
        let (class, points) = (Class(class), listed(corners));
        self.add(format_args!("<polygon{class} points=\"{points}\"/>"));
    }

    /// Draws lines from point to point.
    pub fn lines(&mut self, class: &str, points: &[(f32, f32)]) {
        let (class, points) = (Class(class), listed(points));
        self.add(format_args!("<polyline{class} points=\"{points}\"/>"));
    }

    /// Writes a text that begins at this point of its base line, or ends there (class `e`), or has its middle there (class
    /// `m`).
    pub fn text(&mut self, class: &str, (x, y): (f32, f32), text: impl Display) {
        let (class, x, y) = (Class(class), Number(x), Number(y));
        self.add(format_args!("<text{class} x=\"{x}\" y=\"{y}\">{}</text>", Escaped(text)));
    }

    /// Writes the title of the picture from this height on, and returns the height below it.
    pub fn headline(&mut self, text: &str, y: f32) -> f32 {
        const CHARACTERS: usize = 48;
        self.paragraph("l b", &wrapped(text, CHARACTERS, 0), y, 14.0) + 6.0
    }

    /// Writes the lines of a text from this height on, with this distance from one to the next, and returns the height below
    /// them.
    pub fn paragraph(&mut self, class: &str, text: &str, mut y: f32, step: f32) -> f32 {
        for line in text.lines() {
            y += step;
            self.text(class, (MARGIN, y - 3.0), line);
        }
        y
    }

    /// Draws a small arrow to the right: the seat that has to decide.
    pub fn pointer(&mut self, (x, y): (f32, f32)) {
        self.polygon("ink", &[(x, y), (x + 7.0, y + 5.5), (x, y + 11.0)]);
    }

    /// Draws a piece of several shapes, with its title.
    pub fn piece(&mut self, title: impl Display, draw: impl FnOnce(&mut Self)) {
        self.add(format_args!("<g><title>{}</title>", Escaped(title)));
        draw(self);
        self.add(format_args!("</g>"));
    }

    /// Draws the mark of a seat around this point: its number on its colour.
    pub fn seat(&mut self, seat: Seat, (x, y): (f32, f32), radius: f32) {
        self.circle(seat_class(seat), (x, y), radius);
        let class = if radius < 7.0 { "s b on m" } else { "b on m" };
        self.text(class, (x, y + radius * 0.5), seat);
    }

    /// Writes the name of a seat from this point of its base line on. The rest of the line is free, since the web page writes
    /// the name of the player in place of the seat.
    pub fn name(&mut self, seat: Seat, (x, y): (f32, f32)) {
        let (x, y) = (Number(x), Number(y));
        self.add(format_args!("<text class=\"s b\" id=\"seat{seat}\" x=\"{x}\" y=\"{y}\">seat {seat}</text>"));
    }

    /// Marks a place as changed since the last ply, with a dashed frame.
    pub fn mark(&mut self, (x, y): (f32, f32), (width, height): (f32, f32)) {
        self.rect("new", (x, y), (width, height));
    }

    /// Draws a Moai in a place 10 units wide and 18 high, with this upper left corner.
    pub fn moai(&mut self, class: &str, corner: (f32, f32)) {
        self.moai_of_height(class, corner, 18.0);
    }

    /// Draws a Moai of this height, with this upper left corner. Its width is 10 units for a height of 18.
    pub fn moai_of_height(&mut self, class: &str, (x, y): (f32, f32), height: f32) {
        const OUTLINE: [(f32, f32); 11] = [
            (2.0, 0.0),
            (8.0, 0.0),
            (8.5, 6.0),
            (10.0, 8.5),
            (8.0, 10.0),
            (8.0, 13.0),
            (9.0, 18.0),
            (1.0, 18.0),
            (2.0, 13.0),
            (1.5, 6.0),
            (2.0, 4.0),
        ];
        self.polygon(class, &OUTLINE.map(|(dx, dy)| (x + dx * height / 18.0, y + dy * height / 18.0)));
    }

    fn add(&mut self, shape: fmt::Arguments<'_>) {
        self.body.write_fmt(shape).expect("a string grows");
    }
}

/// Returns the class of things in the colour of a seat.
pub fn seat_class(seat: Seat) -> &'static str {
    ["s0", "s1", "s2", "s3", "s4", "s5"][seat.index()]
}

/// A coordinate with at most one decimal.
struct Number(f32);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i32;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{}", tenths as f32 / 10.0),
        }
    }
}

/// The attribute with the classes of a shape; nothing if it has none.
struct Class<'a>(&'a str);

impl Display for Class<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            classes => write!(f, " class=\"{classes}\""),
        }
    }
}

/// Returns points as attributes list them.
fn listed(points: &[(f32, f32)]) -> String {
    joined(points.iter().map(|&(x, y)| format!("{},{}", Number(x), Number(y))), " ")
}

/// A text in which no character means markup, and without control characters except line breaks.
struct Escaped<T>(T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);
        impl fmt::Write for Escape<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|c| match c {
                    '<' => self.0.write_str("&lt;"),
                    '>' => self.0.write_str("&gt;"),
                    '&' => self.0.write_str("&amp;"),
                    c if c.is_control() && c != '\n' => self.0.write_char(' '),
                    c => self.0.write_char(c),
                })
            }
        }
        write!(Escape(f), "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        let mut svg = Svg::new();
        svg.text("l", (1.0, 2.25), "<b> & \x1b[1m\u{7}");
        svg.piece("a > b", |svg| svg.circle("s0", (3.04, 4.0), 0.5));
        let picture = svg.finish(10.2, "</title>", "1 < 2");
        assert!(picture.contains("<text class=\"l\" x=\"1\" y=\"2.3\">&lt;b&gt; &amp;  [1m </text>"), "{picture}");
        assert!(picture.contains("<g><title>a &gt; b</title><circle class=\"s0\" cx=\"3\" cy=\"4\" r=\"0.5\"/></g>"));
        assert!(picture.contains("viewBox=\"0 0 400 11\""), "{picture}");
        assert!(picture.contains("&lt;/title&gt;</title><desc id=\"desc\">1 &lt; 2</desc>"), "{picture}");
    }
    /// The red, green, and blue parts of a colour as light, from 0 to 1.
    type Light = [f64; 3];

    /// Returns the rules of a part of a stylesheet for light and for dark mode.
    fn schemes(style: &str) -> [&str; 2] {
        style.split_once("@media (prefers-color-scheme:dark){").expect("a part for dark mode").into()
    }

    /// Returns the colour that the last rule of a class gives to a property; None without such a rule.
    fn colour(rules: &str, class: &str, property: &str) -> Option<Light> {
        let (_, rule) = rules.rsplit_once(&format!(".{class}{{"))?;
        let declarations = rule.split('}').next()?.split(';');
        let digits = declarations.filter_map(|line| line.split_once(':')).find(|(name, _)| *name == property)?.1;
        let digits = digits.strip_prefix('#')?;
        let long: String = digits.chars().flat_map(|digit| [digit; 2]).collect();
        let digits = if digits.len() == 3 { &long } else { digits };
        Some(std::array::from_fn(|part| {
            let value = f64::from(u8::from_str_radix(&digits[2 * part..][..2], 16).expect("digits")) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        }))
    }

    fn weighted(light: Light, weights: Light) -> f64 {
        light.iter().zip(weights).map(|(part, weight)| part * weight).sum()
    }

    fn luminance(light: Light) -> f64 {
        weighted(light, [0.2126, 0.7152, 0.0722])
    }

    /// Returns the contrast of two colours, from 1 to 21, as WCAG defines it.
    fn contrast(one: Light, other: Light) -> f64 {
        let [one, other] = [one, other].map(luminance);
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Returns the distance of two colours in Oklab, from 0 to 100.
    fn distance(one: Light, other: Light) -> f64 {
        let [one, other] = [one, other].map(|light| {
            let cones = [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ];
            let cones = cones.map(|weights| weighted(light, weights).max(0.0).cbrt());
            let axes = [
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ];
            axes.map(|weights| weighted(cones, weights))
        });
        100.0 * one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    }

    /// The eyes of people: all cones, and without the cones for red, green, or blue (Machado, Oliveira, and Fernandes, 2009).
    const EYES: [[Light; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ];

    #[test]
    fn the_colours_of_seats_can_be_read_and_told_apart_by_everybody() {
        for (rules, whole) in schemes(SEAT_STYLE).into_iter().zip(schemes(&STYLE[SEAT_STYLE.len()..])) {
            let number = colour(rules, "on", "color").expect("a colour for numbers");
            let (_, paper) = whole.split_once("background:").expect("a paper");
            let paper = colour(&format!(".paper{{fill:{}", &paper[..7]), "paper", "fill").expect("a colour");
            let seats: Vec<Light> =
                (0..6).map(|seat| colour(rules, &format!("s{seat}"), "color").expect("a colour")).collect();
            for (place, &seat) in seats.iter().enumerate() {
                assert!(contrast(seat, number) >= 4.5, "the number on seat {place} in {rules}");
                assert!(contrast(seat, paper) >= 3.0, "seat {place} on paper in {rules}");
                for (other, &later) in seats.iter().enumerate().skip(place + 1) {
                    for eye in EYES {
                        let [one, two] =
                            [seat, later].map(|light| eye.map(|weights| weighted(light, weights).clamp(0.0, 1.0)));
                        assert!(distance(one, two) >= 9.0, "seats {place} and {other} in {rules} for {eye:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn tiles_are_dim_in_dark_mode_and_their_letters_can_be_read() {
        let [light, dark] = schemes(&STYLE[SEAT_STYLE.len()..]);
        for (rules, is_dark) in [(light, false), (dark, true)] {
            let letters = colour(rules, "k", "fill").expect("a colour for letters");
            for tile in 0..7 {
                let tile = colour(rules, &format!("c{tile}"), "fill").expect("a colour for the tile");
                assert!(contrast(tile, letters) >= 4.5, "{tile:?} in {rules}");
                assert_eq!(luminance(tile) < 0.15, is_dark, "{tile:?} in {rules}");
            }
        }
    }
}

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

use super::lines::wrapped;
use crate::core::Seat;

/// The width of every picture, in units.
pub const WIDTH: f32 = 400.0;

/// The distance of the content from the edges, in units.
pub const MARGIN: f32 = 6.0;

/// The stylesheet of all pictures. It is the same text in every picture, so that a page can allow it by its hash.
pub const STYLE: &str = include_str!("svg/style.css");

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
        let (class, points) = (Class(class), Points(corners));
        self.add(format_args!("<polygon{class} points=\"{points}\"/>"));
    }

    /// Draws lines from point to point.
    pub fn lines(&mut self, class: &str, points: &[(f32, f32)]) {
        let (class, points) = (Class(class), Points(points));
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
        let class = if radius < 7.0 { "s b i m" } else { "b i m" };
        self.text(class, (x, y + radius * 0.5), seat);
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

struct Points<'a>(&'a [(f32, f32)]);

impl Display for Points<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, &(x, y))| {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{},{}", Number(x), Number(y))
        })
    }
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
}

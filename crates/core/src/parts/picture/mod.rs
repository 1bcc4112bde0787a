//! Pictures: the symbols, words, and colours with which games draw their tables as SVG.
//!
//! A picture is one file without any other: no font, script, or image. It has one of two layouts, [`Layout::Wide`] for screens
//! and [`Layout::Phone`] for narrow ones, whose smallest text has nine pixels on a screen of their width. Meaning never lies in
//! a colour alone: a letter, a number, or a shape stands beside it. Every piece has a title, which browsers show below the
//! pointer and read aloud, and carries what it is (`data-id`, the same in all pictures of a match) and where it is
//! (`data-t`, in the words of `action_features`).
//!
//! A picture is a function of two views of one viewer, the present view and an earlier one, and of a [`Scene`]. The marks are
//! the differences of the views. So a picture can leak nothing, and a mark tells nothing that the viewer could not see.
//! `law_of_pictures` in `tests/laws` checks that a picture has a mark wherever the text of the table has changed,
//! that no text is too small, and that no text lies on another.

mod frame;
mod letters;
mod palette;

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::sync::LazyLock;

pub use frame::{Header, Standing, ending};
pub use letters::{size as text_size, width as text_width};
pub use palette::{KIT, SEAT_STYLE, STYLE};

use super::lines::joined;
use crate::{Seat, View, named};

named! {
    /// The shape of a picture.
    #[derive(Default)]
    pub enum Layout("layout") {
        /// 1040 units wide, with the players beside the board.
        #[default]
        Wide = "wide",
        /// 390 units wide, with the players below the board.
        Phone = "phone",
    }
}

impl Layout {
    /// Returns the width of pictures, in units.
    pub const fn width(self) -> f32 {
        match self {
            Self::Wide => 1040.0,
            Self::Phone => 390.0,
        }
    }
}

/// The form in which a table is shown, and the words beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scene<'a> {
    /// The shape of the picture.
    pub layout: Layout,
    /// The last events, as the viewer was told them.
    pub news: &'a [String],
    /// The names of the players by seat, which stand in place of "seat 0" and so on. A seat without a name keeps its number.
    pub names: &'a [String],
    /// True for a picture without stylesheet and symbols, whose reader has [`KIT`] already.
    pub is_bare: bool,
}

impl Scene<'_> {
    /// Returns the name of a seat.
    fn name(&self, seat: Seat) -> String {
        match self.names.get(seat.index()) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("seat {seat}"),
        }
    }

    /// Returns the name of a seat for sentences, of which a long name leaves room for the rest.
    fn short_name(&self, seat: Seat) -> String {
        const LETTERS: usize = 24;
        let name = self.name(seat);
        match name.chars().count() > LETTERS {
            true => name.chars().take(LETTERS - 1).chain(['\u{2026}']).collect(),
            false => name,
        }
    }

    /// Returns a text with the names of the players in place of their seats, and words in place of ids such as `sweet_potato`.
    fn named(&self, text: &str) -> String {
        let (text, mut named) = (text.replace('_', " "), String::new());
        for (place, part) in text.split("seat ").enumerate() {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            match part[..digits].parse().ok().and_then(Seat::new) {
                Some(seat) if place > 0 => {
                    named += &self.short_name(seat);
                    named += &part[digits..];
                }
                _ if place > 0 => named.extend(["seat ", part]),
                _ => named += part,
            }
        }
        named
    }
}

/// The picture of a table. A game implements it for its view; by default, the picture is the text of the table.
pub trait Draw: View + Display {
    /// Draws the table, and marks the differences from `before`. Returns the height.
    fn draw(&self, before: Option<&Self>, picture: &mut Picture<'_>) -> f32 {
        picture.table(self, before)
    }
}

/// The meaning of a group of shapes, for people and for the page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thing<'a> {
    /// The words below the pointer.
    pub title: &'a str,
    /// The identity of a piece, which it keeps from picture to picture, such as `2b`; empty for what never moves.
    pub id: &'a str,
    /// The target of a click, in the words of `action_features`, such as `hex 31`; empty if no action touches it.
    pub target: &'a str,
}

/// The symbols by name: width, height, and shapes.
static SYMBOLS: LazyLock<BTreeMap<&str, (f32, f32, &str)>> = LazyLock::new(|| {
    let symbol = |line: &'static str| {
        let (name, rest) = line.strip_prefix("<symbol id=\"")?.split_once("\" viewBox=\"0 0 ")?;
        let (size, shapes) = rest.split_once("\">")?;
        let (width, height) = size.split_once(' ')?;
        Some((name, (width.parse().ok()?, height.parse().ok()?, shapes.strip_suffix("</symbol>")?)))
    };
    include_str!("symbols.svg").lines().filter_map(symbol).collect()
});

/// A picture in progress. Coordinates are units from the upper left corner.
#[derive(Debug)]
pub struct Picture<'a> {
    scene: Scene<'a>,
    body: String,
    /// The names of the symbols that the picture has.
    used: Vec<&'static str>,
}

impl<'a> Picture<'a> {
    /// Creates an empty picture.
    pub const fn new(scene: Scene<'a>) -> Self {
        Self { scene, body: String::new(), used: Vec::new() }
    }

    /// Returns true for the layout of phones.
    pub fn is_phone(&self) -> bool {
        self.scene.layout == Layout::Phone
    }

    /// Returns the first value for wide pictures, and the second for phones.
    pub fn either<T>(&self, wide: T, phone: T) -> T {
        if self.is_phone() { phone } else { wide }
    }

    /// Returns the name of a seat: that of its player if it is known.
    pub fn name(&self, seat: Seat) -> String {
        self.scene.name(seat)
    }

    /// Returns a text with the names of the players in place of their seats.
    pub fn named(&self, text: &str) -> String {
        self.scene.named(text)
    }

    /// Returns the picture with this height, and with a title and a description for people who do not see it.
    pub fn finish(self, height: f32, title: &str, description: &str) -> String {
        let (width, height) = (Number(self.scene.layout.width()), Number(height.ceil()));
        let mut symbols = String::new();
        for name in &self.used {
            let (width, height, shapes) = SYMBOLS[name];
            write!(symbols, "<symbol id=\"{name}\" viewBox=\"0 0 {width} {height}\">{shapes}</symbol>")
                .expect("a string grows");
        }
        let kit = match self.scene.is_bare {
            true => String::new(),
            false => format!("<style>{STYLE}</style><defs>{symbols}</defs>"),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"title desc\"><title id=\"title\">{}</title><desc id=\"desc\">{}</desc>\
             {kit}\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>{}</svg>\n",
            Escaped(title),
            Escaped(description),
            self.body
        )
    }

    /// Draws a rectangle: its classes, upper left corner, size, and the radius of its corners.
    pub fn rect(&mut self, class: &str, (x, y): (f32, f32), (width, height): (f32, f32), radius: f32) {
        let (class, radius) = (Class(class), Radius(radius));
        let (x, y, width, height) = (Number(x), Number(y), Number(width), Number(height));
        self.add(format_args!("<rect{class} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{radius}/>"));
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

    /// Draws a path: its classes, and its commands, which have to lie within the picture.
    pub fn path(&mut self, class: &str, commands: impl Display) {
        let class = Class(class);
        self.add(format_args!("<path{class} d=\"{commands}\"/>"));
    }

    /// Writes a text that begins at this point of its base line, or ends there (class `e`), or has its middle there (class
    /// `m`).
    pub fn text(&mut self, class: &str, (x, y): (f32, f32), text: impl Display) {
        let (class, x, y) = (Class(class), Number(x), Number(y));
        self.add(format_args!("<text{class} x=\"{x}\" y=\"{y}\">{}</text>", Escaped(text)));
    }

    /// Writes a text in the largest letters in which it has room, from those of its classes down to nine units, and pressed
    /// together if those are too wide. A text that is wider than twice its room is cut. It is for names and other long texts.
    pub fn fitted(&mut self, class: &str, (x, y): (f32, f32), room: f32, text: &str) {
        let sizes = ["t22", "t17", "t14", "", "t11", "t10", "t9"].into_iter();
        let sizes = sizes.filter(|size| text_size(size) <= text_size(class));
        let style = joined(class.split(' ').filter(|part| !(part.starts_with('t') && part.len() > 1)), " ");
        let smaller = sizes.map(|size| if size.is_empty() { style.clone() } else { format!("{style} {size}") });
        let smaller: Vec<String> = smaller.collect();
        if let Some(class) = smaller.iter().find(|class| text_width(class, text) <= room) {
            return self.text(class.trim(), (x, y), text);
        }
        let class = smaller.last().map_or(class, |class| class.trim());
        let mut text = text.to_owned();
        while text_width(class, &text) > 2.0 * room && text.chars().count() > 2 {
            text = text.chars().take(text.chars().count().saturating_sub(2)).chain(['\u{2026}']).collect();
        }
        let (class, x, y, room) = (Class(class), Number(x), Number(y), Number(room));
        self.add(format_args!(
            "<text{class} x=\"{x}\" y=\"{y}\" textLength=\"{room}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
            Escaped(text)
        ));
    }

    /// Draws a symbol with its foot in the middle at this point, and with this height. Returns its width.
    ///
    /// # Panics
    /// If `symbols.svg` has no such symbol.
    pub fn symbol(&mut self, name: &'static str, foot: (f32, f32), height: f32) -> f32 {
        self.symbol_in("", name, foot, height)
    }

    /// Draws a symbol with these classes.
    pub fn symbol_in(&mut self, class: &str, name: &'static str, (x, y): (f32, f32), height: f32) -> f32 {
        let (wide, high, shapes) = SYMBOLS[name];
        if !self.used.contains(&name) {
            self.used.push(name);
            for part in shapes.split("href=\"#").skip(1) {
                let part = part.split('"').next().expect("a name");
                let (part, _) = SYMBOLS.get_key_value(part).expect("a symbol");
                if !self.used.contains(part) {
                    self.used.push(part);
                }
            }
        }
        let width = wide * height / high;
        let (class, x, y) = (Class(class), Number(x - width / 2.0), Number(y - height));
        let (wide, high) = (Number(width), Number(height));
        self.add(format_args!("<use{class} href=\"#{name}\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\"/>"));
        width
    }

    /// Returns the greatest height of a symbol in a place of this size.
    pub fn fit(name: &str, (width, height): (f32, f32)) -> f32 {
        let (wide, high, _) = SYMBOLS[name];
        height.min(width * high / wide)
    }

    /// Draws the emblem of a seat around this point.
    pub fn emblem(&mut self, seat: Seat, (x, y): (f32, f32), size: f32) {
        self.symbol_in("w", EMBLEMS[seat.index()], (x, y + size / 2.0), size);
    }

    /// Draws the badge of a seat around this point: its emblem on its colour.
    pub fn badge(&mut self, seat: Seat, (x, y): (f32, f32), radius: f32) {
        self.symbol_in(seat_class(seat, false), BADGES[seat.index()], (x, y + radius), radius * 2.0);
    }

    /// Draws a figure of a seat with its foot at this point: `worker`, `sorcerer`, or `chief`. It lies if it is tired.
    pub fn person(&mut self, kind: &'static str, seat: Seat, (x, y): (f32, f32), height: f32, lies: bool) {
        if lies {
            let (x, y) = (Number(x), Number(y - height * 0.28));
            self.add(format_args!("<g transform=\"rotate(90 {x} {y})\">"));
        }
        self.symbol_in(seat_class(seat, false), kind, (x, y), height);
        self.emblem(seat, (x, y - height * 0.24), height * 0.3);
        if lies {
            self.add(format_args!("</g>"));
        }
    }

    /// Draws a Moai with its foot at this point, with or without a headdress.
    pub fn moai(&mut self, (x, y): (f32, f32), height: f32, has_pukao: bool) {
        self.symbol("moai", (x, y), height);
        if has_pukao {
            self.symbol("pukao", (x, y - height * 0.9), height * 0.3);
        }
    }

    /// Draws shapes that are one thing, with its title.
    pub fn thing(&mut self, thing: Thing<'_>, draw: impl FnOnce(&mut Self)) {
        self.add(format_args!("<g"));
        for (name, value) in [("data-id", thing.id), ("data-t", thing.target)] {
            if !value.is_empty() {
                self.add(format_args!(" {name}=\"{}\"", Escaped(value)));
            }
        }
        self.add(format_args!(">"));
        if !thing.title.is_empty() {
            let title = self.named(thing.title);
            self.add(format_args!("<title>{}</title>", Escaped(title)));
        }
        draw(self);
        self.add(format_args!("</g>"));
    }

    /// Draws shapes with a class for all of them, such as `gone` or `faded`.
    pub fn group(&mut self, class: &str, draw: impl FnOnce(&mut Self)) {
        self.add(format_args!("<g{}>", Class(class)));
        draw(self);
        self.add(format_args!("</g>"));
    }

    /// Marks a place as changed since the earlier view, with a ring in the colour of news.
    pub fn mark(&mut self, corner: (f32, f32), size: (f32, f32)) {
        let radius = (size.0.min(size.1) / 3.0).min(9.0);
        self.rect("new", corner, size, radius);
        self.rect("new2", corner, size, radius);
    }

    fn add(&mut self, shape: fmt::Arguments<'_>) {
        self.body.write_fmt(shape).expect("a string grows");
    }
}

/// The symbols of the emblems, by seat.
const EMBLEMS: [&str; 6] = ["e0", "e1", "e2", "e3", "e4", "e5"];
/// The symbols of the badges, by seat.
const BADGES: [&str; 6] = ["b0", "b1", "b2", "b3", "b4", "b5"];

/// Returns the classes of things in the colour of a seat. A symbol takes the colour where its shapes say so; other shapes are
/// filled with it.
pub fn seat_class(seat: Seat, is_filled: bool) -> &'static str {
    const SYMBOL: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];
    const FILLED: [&str; 6] = ["s0 c", "s1 c", "s2 c", "s3 c", "s4 c", "s5 c"];
    (if is_filled { FILLED } else { SYMBOL })[seat.index()]
}

/// A coordinate with at most one decimal, for paths.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f32);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i32;
        if tenths < 0 {
            f.write_char('-')?;
        }
        let tenths = tenths.unsigned_abs();
        Display::fmt(&(tenths / 10), f)?;
        // A picture has thousands of numbers: the formatter of whole numbers is the fast one.
        if tenths.is_multiple_of(10) {
            Ok(())
        } else {
            f.write_str(&".0.1.2.3.4.5.6.7.8.9"[tenths as usize % 10 * 2..][..2])
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

/// The attribute with the radius of corners; nothing for sharp ones.
struct Radius(f32);

impl Display for Radius {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0.0 { write!(f, " rx=\"{}\"", Number(self.0)) } else { Ok(()) }
    }
}

/// Returns points as attributes list them.
fn listed(points: &[(f32, f32)]) -> String {
    joined(points.iter().map(|&(x, y)| format!("{},{}", Number(x), Number(y))), " ")
}

/// A text in which no character means markup or is no character of XML, and without control characters except line breaks.
struct Escaped<T>(T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);
        impl fmt::Write for Escape<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let is_markup = |c: char| {
                    matches!(c, '<' | '>' | '&' | '"' | '\u{fffe}' | '\u{ffff}') || c.is_control() && c != '\n'
                };
                text.split_inclusive(is_markup).try_for_each(|part| {
                    let plain = part.trim_end_matches(is_markup);
                    self.0.write_str(plain)?;
                    self.0.write_str(match &part[plain.len()..] {
                        "" => "",
                        "<" => "&lt;",
                        ">" => "&gt;",
                        "&" => "&amp;",
                        "\"" => "&quot;",
                        _ => " ",
                    })
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
        let names = ["<b>\"x\"</b>".to_owned()];
        let mut picture = Picture::new(Scene { names: &names, ..Scene::default() });
        picture.text("t14", (1.0, 2.25), "<b> & \x1b[1m\u{ffff}");
        picture.thing(Thing { title: "seat 0 > seat 1", id: "2b", target: "hex 3" }, |picture| {
            picture.circle("s0", (3.04, 4.0), 0.5);
        });
        let picture = picture.finish(10.2, "</title>", "1 < 2");
        assert!(picture.contains("<text class=\"t14\" x=\"1\" y=\"2.3\">&lt;b&gt; &amp;  [1m </text>"), "{picture}");
        let group = "<g data-id=\"2b\" data-t=\"hex 3\"><title>&lt;b&gt;&quot;x&quot;&lt;/b&gt; &gt; seat 1</title>";
        assert!(picture.contains(&format!("{group}<circle class=\"s0\" cx=\"3\" cy=\"4\" r=\"0.5\"/></g>")));
        assert!(picture.contains("viewBox=\"0 0 1040 11\""), "{picture}");
        assert!(picture.contains("&lt;/title&gt;</title><desc id=\"desc\">1 &lt; 2</desc>"), "{picture}");
    }

    #[test]
    fn long_names_become_smaller_and_then_narrower() {
        let written = |name: &str| {
            let mut picture = Picture::new(Scene::default());
            picture.fitted("b t14 e", (10.0, 20.0), 100.0, name);
            picture.body
        };
        assert_eq!(written("tupa"), "<text class=\"b e t14\" x=\"10\" y=\"20\">tupa</text>");
        assert_eq!(written("hotu-matua-12"), "<text class=\"b e t11\" x=\"10\" y=\"20\">hotu-matua-12</text>");
        let squeezed = "<text class=\"b e t9\" x=\"10\" y=\"20\" textLength=\"100\" lengthAdjust=\"spacingAndGlyphs\">";
        assert_eq!(written(&"W".repeat(16)), format!("{squeezed}{}</text>", "W".repeat(16)));
        assert_eq!(written(&"W".repeat(60)), format!("{squeezed}{}\u{2026}</text>", "W".repeat(19)));
    }

    #[test]
    fn names_stand_in_place_of_seats() {
        let names = ["tupa".to_owned(), String::new()];
        let scene = Scene { names: &names, ..Scene::default() };
        assert_eq!(
            scene.named("seat 0 pays seat 1 a sweet_potato; a seat is free"),
            "tupa pays seat 1 a sweet potato; a seat is free"
        );
    }

    #[test]
    fn every_part_of_a_symbol_is_a_symbol() {
        assert!(SYMBOLS.len() > 50);
        for (name, (width, height, shapes)) in &*SYMBOLS {
            assert!(*width > 0.0 && *height > 0.0, "{name}");
            for part in shapes.split("href=\"#").skip(1) {
                let (_, _, inner) = SYMBOLS[part.split('"').next().expect("a name")];
                assert!(!inner.contains("href"), "symbols nest once: {name}");
            }
        }
    }
}

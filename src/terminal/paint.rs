//! Colours for seats and suits in what a command prints. A word says everything that its colour says.

use std::io::{self, Write};

use ahu_core::Tint;
use ahu_host::AnyRules;
use anstyle::Ansi256Color;

use crate::terminal::has_colours;

/// The colours of the seats: those of pictures, as people can read them on light and on dark terminals.
const SEATS: [Ansi256Color; 6] =
    [Ansi256Color(33), Ansi256Color(166), Ansi256Color(30), Ansi256Color(163), Ansi256Color(136), Ansi256Color(244)];
/// The colours of suits.
const SUITS: [Ansi256Color; 7] = [
    Ansi256Color(64),
    Ansi256Color(130),
    Ansi256Color(167),
    Ansi256Color(102),
    Ansi256Color(98),
    Ansi256Color(172),
    Ansi256Color(31),
];
/// The sequence that ends a colour, and no other style.
const END: &str = "\x1b[39m";

/// The output of a command, with colours for the words of a game if stdout shows styles. It prints whole lines, and the rest when
/// it is flushed.
pub(crate) struct Painted<W> {
    out: W,
    /// None without colours.
    painter: Option<Painter>,
    line: Vec<u8>,
}

impl<W: Write> Painted<W> {
    /// Creates the output of a command. Without rules, nothing has a colour.
    pub(crate) fn new(out: W, rules: Option<&'static dyn AnyRules>) -> Self {
        let rules = rules.filter(|_| has_colours(&io::stdout()));
        let painter = rules.map(|rules| Painter { rules, seats: None });
        Self { out, painter, line: Vec::new() }
    }

    /// Prints what has been written of the present line.
    fn print(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        match (&mut self.painter, str::from_utf8(&line)) {
            (Some(painter), Ok(line)) => self.out.write_all(painter.paint(line).as_bytes()),
            _ => self.out.write_all(&line),
        }
    }
}

impl<W: Write> Write for Painted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend(part);
            if part.ends_with(b"\n") {
                self.print()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.print()?;
        self.out.flush()
    }
}

/// The state of painting a text line by line.
struct Painter {
    rules: &'static dyn AnyRules,
    /// The first column of the seats in a table, below whose heading the text is.
    seats: Option<usize>,
}

impl Painter {
    /// Returns a line with colours.
    fn paint(&mut self, line: &str) -> String {
        let mut painted = String::with_capacity(line.len());
        let (mut rest, mut column, mut after_seat) = (line, 0, false);
        let row = self.seats;
        if line.trim().is_empty() {
            self.seats = None;
        }
        while let Some(first) = rest.chars().next() {
            if first == '\x1b' {
                // A style that the text has already.
                let end = rest.find('m').map_or(rest.len(), |at| at + 1);
                painted.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let word = &rest[..rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len())];
            if word.is_empty() {
                painted.push(first);
                rest = &rest[first.len_utf8()..];
                (column, after_seat) = (column + 1, after_seat && first == ' ');
                continue;
            }
            let after = rest[word.len()..].chars().next();
            let is_alone = painted.ends_with([' ', '>']) && after.is_none_or(|c| " *\n".contains(c));
            let is_cell = is_alone && row.is_some_and(|seats| (seats..seats + SEAT_COLUMN).contains(&column));
            let number = word.trim_end_matches([':', '-']);
            let colour = match number.parse::<usize>() {
                Ok(seat) if after_seat && number.len() == 1 || is_cell && word.len() == 1 => SEATS.get(seat).copied(),
                _ => self.rules.tint(word).and_then(colour),
            };
            match colour {
                Some(colour) => painted.extend([&colour.render_fg().to_string(), word, END]),
                None => painted.push_str(word),
            }
            after_seat = word == "seat";
            rest = &rest[word.len()..];
            if after_seat && !rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
                self.seats = Some(column);
            }
            column += word.len();
        }
        painted
    }
}

/// The width of a column with the heading "seat".
const SEAT_COLUMN: usize = 4;

/// Returns true for the characters of a word: see [`AnyRules::tint`].
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-:=^_".contains(c)
}

fn colour(tint: Tint) -> Option<Ansi256Color> {
    match tint {
        Tint::Seat(seat) => SEATS.get(usize::from(seat)).copied(),
        Tint::Suit(suit) => SUITS.get(usize::from(suit)).copied(),
    }
}

#[cfg(test)]
mod tests {
    use ahu_host::find;

    use super::*;

    /// Returns a text with `{n|word}` for a word with the colour n.
    fn painted(game: &str, text: &str) -> String {
        let mut painter = Painter { rules: find(game).expect("a game"), seats: None };
        let text: String = text.split_inclusive('\n').map(|line| painter.paint(line)).collect();
        let mut parts = text.split("\x1b[38;5;");
        let plain = parts.next().unwrap_or_default().to_owned();
        parts.fold(plain, |text, part| text + "{" + &part.replacen('m', "|", 1)).replace(END, "}")
    }

    #[test]
    fn seats_and_suits_have_their_colours() {
        for (game, text, expected) in [
            (
                "rappanui",
                "seat 1: draws F12, W5 (P1) FX S",
                "seat {166|1:} draws {64|F12}, {130|W5} ({167|P1}) FX {102|S}",
            ),
            ("rappanui", "seat 12 and turn 2: sea 1, ply 3", "seat 12 and turn 2: sea 1, ply 3"),
            ("rapanui_cards", "seat 0 buys fish; moai", "seat {33|0} buys {31|fish}; {102|moai}"),
            ("rapanui_board", "1:2i_C 12 RE * pearls", "{166|1:2i_C} 12 RE * {31|pearls}"),
            ("giants", "|a9 r0 0:2^|2b=1 0w2SC~ 2c w2 TM2", "|a9 {33|r0} {33|0:2^}|{166|2b=1} {33|0w2SC}~ 2c w2 TM2"),
        ] {
            assert_eq!(painted(game, text), expected, "{text}");
        }
    }

    #[test]
    fn the_rows_below_a_heading_have_the_colours_of_their_seats() {
        let text = "  seat  points\n  > 0       1\n    1       2\n          2 cards\n\n    1       2\n";
        let expected = "  seat  points\n  > {33|0}       1\n    {166|1}       2\n          2 cards\n\n    1       2\n";
        assert_eq!(painted("rappanui", text), expected);
    }

    #[test]
    fn a_colour_ends_within_another_style() {
        let mut painter = Painter { rules: find("rappanui").expect("a game"), seats: None };
        let line = painter.paint("\x1b[1mturn 1: seat 0 has F1\x1b[0m");
        assert_eq!(line, "\x1b[1mturn 1: seat \x1b[38;5;33m0\x1b[39m has \x1b[38;5;64mF1\x1b[39m\x1b[0m");
    }
}

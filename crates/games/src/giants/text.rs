//! The table as text for people: the island drawn as hexes, with the stocks and the players beside it. Table and question fit
//! into a terminal of 33 lines.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{self, counted, joined, slashed, wrapped, wrapped_lists};
use ahu_core::{Describe, Seat, Tint, Viewer};

use super::bid::Bidding;
use super::board::Hex;
use super::phase::Phase;
use super::piece::Kind;
use super::table::Table;
use super::tribe::{Reserve, Spot};
use super::view::View;
use super::wording::{figures, heading, island_pieces, leaders, site_sign};

/// Writes the table: the island with the stocks and the players beside it, and below it what has no room there.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut island = Drawing::of(&self.table);
        island.write_below(STOCKS, 0, &self.stock_lines());
        let first = island.tops.iter().rev().nth(1).map_or(0, |top| top + 1);
        island.write_below(TRIBES, first, &self.tribe_lines());
        writeln!(f, "{}", wrapped_lists(&self.headline(), lines::WIDTH, HANG))?;
        f.write_str(&island.text())?;
        f.write_str(Self::LEGEND)?;
        let rest = self.rest().join("; ");
        if rest.is_empty() { Ok(()) } else { writeln!(f, "{}", wrapped_lists(&rest, lines::WIDTH, HANG)) }
    }
}

/// The indent of a line that continues another.
const HANG: usize = 6;

impl Describe for View {
    const LEGEND: &'static str = "\
In a hex: its number, and what it gives (5/6: points for each unit of a Moai's\n\
size, and for a headdress; log4: 4 logs; cut: no logs left; hut; vill: village;\n\
hats: headdress quarry; Moai: Moai quarry). Then its Ahus (a9 free, r0 reserved\n\
by seat 0, 0:2^ a Moai of size 2 of seat 0, with a headdress), its pieces (2b\n\
the second Moai of size 2, ha a headdress, 2b=0 marked by seat 0, 2b-0 seat 0's\n\
in this phase), figures (0w2SC: of seat 0, two Workers, Sorcerer, Chief), and\n\
logs (+2). ~ marks a cut; the rest stands below. To come: Moai of size 1/2/3.\n\
Of a player: points, half-tablets; behind the screen Workers, Tribe Markers,\n\
logs, bases, leaders (? is hidden); then what is in front of it: w2 two Workers,\n\
TM2 two Tribe Markers. > marks who has to decide, and * you. Dice: 0 is no Moai;\n\
in turn 1, a 0 counts as 1, and a 3 as 2.\n";

    fn headline(&self) -> String {
        format!("Giants: {}", self.due())
    }

    fn holdings(&self) -> String {
        let Viewer::Seat(seat) = self.viewer else { return String::new() };
        let tribe = &self.table.tribes[seat];
        let Reserve { workers, markers, logs, bases } = tribe.reserve;
        let mut parts = Vec::new();
        for (count, noun) in [(workers, "Worker"), (markers, "Tribe Marker"), (logs, "log"), (bases, "base")] {
            parts.push(counted(count, noun));
        }
        parts.extend((tribe.sorcerer == Spot::Reserve).then(|| "Sorcerer".to_owned()));
        parts.extend((tribe.chief == Spot::Reserve).then(|| "Chief".to_owned()));
        let mut text = format!("behind the screen {}", parts.join(", "));
        let front = self.table.in_front_in_words(seat);
        if !front.is_empty() {
            write!(text, "; in front of it {}", front.join(", ")).expect("a string takes every text");
        }
        match self.bid {
            Some(bid @ (Bidding::Workers { .. } | Bidding::Leaders { .. })) => format!("{text}; bid {}", bid.so_far()),
            Some(Bidding::Sealed(bid)) if matches!(self.table.phase, Phase::Bid { .. }) => format!("{text}; bid {bid}"),
            Some(Bidding::Markers | Bidding::Sealed(_)) | None => text,
        }
    }

    fn tint(word: &str) -> Option<Tint> {
        match word.as_bytes() {
            &[b'r', owner] | &[owner, b':' | b'w' | b'S' | b'C', ..] | &[b'1'..=b'3' | b'h', _, b'=' | b'-', owner] => {
                Tint::of_seat(owner)
            }
            _ => None,
        }
    }
}

/// The columns at which the stocks and the players stand beside the drawing.
const STOCKS: usize = 63;
const TRIBES: usize = 39;
/// The widths of the texts about what is behind a screen, and in front of it.
const BEHIND: usize = 27;
const FRONT: usize = 12;

/// The lists beside and below the drawing.
impl View {
    /// Returns the Moai, headdresses, half-tablets, and logs that are still to come.
    fn stock_lines(&self) -> Vec<String> {
        let Table { supply, halves, logs_left, .. } = &self.table;
        let headdresses = self.table.in_rock(Kind::Headdress).len();
        vec![
            format!("to come: {logs_left} logs"),
            format!("Moai {}", slashed(supply.as_array())),
            format!("headdresses {headdresses}"),
            format!("half-tablets {halves}"),
        ]
    }

    /// Returns a heading, and one or more lines for each player.
    fn tribe_lines(&self) -> Vec<String> {
        let mut lines = vec![" seat pts  hf  w TM lg ba   | in front".to_owned()];
        let to_act = self.to_act();
        for (seat, points) in self.table.scores().iter() {
            let tribe = &self.table.tribes[seat];
            let mark = if to_act.contains(seat) { '>' } else { ' ' };
            let [workers, markers, logs, bases] = self.reserve(seat).map_or(["?"; 4].map(str::to_owned), |reserve| {
                [reserve.workers, reserve.markers, reserve.logs, reserve.bases].map(|count| count.to_string())
            });
            let leaders = leaders(tribe, Spot::Reserve);
            let you = if self.viewer.is(seat) { '*' } else { ' ' };
            let behind = format!(
                "{mark} {seat}{you}{points:>4}{:>4}{workers:>3}{markers:>3}{logs:>3}{bases:>3} {leaders:<2}",
                tribe.halves
            );
            let front = wrapped(&self.table.in_front(seat, ""), FRONT, 0);
            for (n, front) in front.split('\n').enumerate() {
                let behind = if n == 0 { behind.as_str() } else { "" };
                lines.push(format!("{behind:<BEHIND$}| {front}"));
            }
        }
        lines
    }

    /// Returns the dice and the shown bids of this turn, further facts, and what has no room in the drawing of a hex,
    /// with the players whose logs may go back to them. Only the letters of erected pieces are left out: no rule needs them.
    fn rest(&self) -> Vec<String> {
        let of_hex = |hex: Hex| {
            let rest = joined(cell(signs(&self.table, hex)).1.into_iter().chain(self.table.returnable(hex)), " ");
            (!rest.is_empty()).then(|| format!("hex {hex}: {rest}"))
        };
        let hexes = self.table.board().hexes.iter().filter_map(of_hex);
        self.rolled().into_iter().chain(self.further_facts()).chain(hexes).collect()
    }
}

impl Table {
    /// Returns the same in words.
    fn in_front_in_words(&self, seat: Seat) -> Vec<String> {
        let tribe = &self.tribes[seat];
        let counts = [(tribe.front.workers, "Worker"), (tribe.front.markers, "Tribe Marker")];
        let counts = counts.into_iter().filter(|&(count, _)| count > 0);
        let leaders = [(tribe.sorcerer, "Sorcerer"), (tribe.chief, "Chief")];
        let leaders = leaders.into_iter().filter(|&(spot, _)| spot == Spot::Front);
        let pieces = self.in_front_of(seat);
        counts
            .map(|(count, noun)| counted(count, noun))
            .chain(leaders.map(|(_, noun)| noun.to_owned()))
            .chain(pieces.iter().map(|piece| piece.to_string()))
            .collect()
    }
}

/// The island as characters. A row of hexes has a line with their numbers, which is the border above them too, and one or two
/// lines with what they have.
struct Drawing {
    lines: Vec<Vec<char>>,
    /// The first line of each row of hexes.
    tops: Vec<usize>,
}

/// The number of columns of a cell, its left border included.
const WIDTH: usize = 8;
/// The number of columns within a cell.
const ROOM: usize = WIDTH - 1;
/// The largest number of lines for the signs of a hex.
const MOST_LINES: usize = 2;

impl Drawing {
    /// Draws the island of a table.
    fn of(table: &Table) -> Self {
        let board = table.board();
        // In half cells.
        let east = |hex: Hex| {
            let (q, r) = board.coordinates(hex);
            2 * q + r
        };
        let row = |hex: Hex| usize::from(board.coordinates(hex).1.unsigned_abs());
        let west = board.hexes.iter().map(east).min().unwrap_or(0);
        let cells: Vec<(Hex, Vec<String>)> = board.hexes.iter().map(|hex| (hex, cell(signs(table, hex)).0)).collect();
        let mut heights = vec![1; cells.iter().map(|&(hex, _)| row(hex) + 1).max().unwrap_or(0)];
        for (hex, lines) in &cells {
            heights[row(*hex)] = heights[row(*hex)].max(lines.len());
        }
        let tops = heights.iter().scan(0, |top, height| Some(std::mem::replace(top, *top + height + 1))).collect();
        let mut drawing = Self { lines: Vec::new(), tops };
        for (hex, lines) in &cells {
            let (top, height) = (drawing.tops[row(*hex)], heights[row(*hex)]);
            let column = usize::from(east(*hex).abs_diff(west)) * WIDTH / 2;
            drawing.write(column, top, &format!("|{:-<ROOM$}|", heading(table, board, *hex)));
            for n in 0..height {
                drawing.write(column, top + 1 + n, &format!("|{:<ROOM$}|", lines.get(n).map_or("", String::as_str)));
            }
            // The hexes of the next row draw over it.
            drawing.write(column, top + 1 + height, &format!("'{}'", "-".repeat(ROOM)));
        }
        drawing
    }

    /// Writes lines one below the other.
    fn write_below(&mut self, column: usize, first: usize, lines: &[String]) {
        for (line, text) in (first..).zip(lines) {
            self.write(column, line, text);
        }
    }

    /// Writes `text` at a place, over the characters that are there.
    fn write(&mut self, column: usize, line: usize, text: &str) {
        if self.lines.len() <= line {
            self.lines.resize(line + 1, Vec::new());
        }
        let row = &mut self.lines[line];
        for (place, c) in (column..).zip(text.chars()) {
            if row.len() <= place {
                row.resize(place + 1, ' ');
            }
            row[place] = c;
        }
    }

    /// Returns the lines as one text, without trailing spaces.
    fn text(&self) -> String {
        let lines = self.lines.iter().map(|row| row.iter().collect::<String>());
        lines.fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }
}

/// Returns the lines of a cell with these signs, and the signs that have no room. If there are any, the last line ends with `~`.
fn cell(signs: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut lines = vec![Vec::new()];
    let mut rest = Vec::new();
    for sign in signs {
        let last = lines.last_mut().expect("a cell has a line");
        let width = |line: &[String]| line.iter().map(|sign| sign.len() + 1).sum::<usize>();
        match width(last) + sign.len() <= ROOM {
            true if rest.is_empty() => last.push(sign),
            false if rest.is_empty() && lines.len() < MOST_LINES => lines.push(vec![sign]),
            _ => rest.push(sign),
        }
    }
    let last = lines.last_mut().expect("a cell has a line");
    if !rest.is_empty()
        && last.join(" ").len() == ROOM
        && let Some(sign) = last.pop()
    {
        rest.insert(0, sign);
    }
    let mut lines: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
    if !rest.is_empty() {
        lines.last_mut().expect("a cell has a line").push('~');
    }
    (lines, rest)
}

/// Returns the signs of a hex: its Ahus, pieces, figures, and logs.
fn signs(table: &Table, hex: Hex) -> Vec<String> {
    let ahus = table.board().ahus_at(hex);
    ahus.iter().map(|ahu| site_sign(table, ahu)).chain(island_pieces(table, hex)).chain(figures(table, hex)).collect()
}

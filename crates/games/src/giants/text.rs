//! The table as text for people: the island drawn as hexes, with the stocks and the players beside it. Table and question fit
//! into a terminal of 30 lines.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{self, wrapped, wrapped_lists};
use ahu_core::{Describe, Seat, SeatSet, Tint, Viewer};

use super::bid::Bidding;
use super::board::{Ahu, Board, Hex, Terrain};
use super::compact::legend;
use super::event::{counted, figure_text, moai_text};
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::Kind;
use super::place::{Claim, Place};
use super::site::Site;
use super::svg::draw;
use super::table::Table;
use super::tribe::{Reserve, Spot, Tribe};
use super::view::View;

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

    fn compact(&self) -> String {
        let mut text = String::new();
        self.tell_compactly(&mut text).expect("a string takes every text");
        text
    }

    fn compact_legend(&self) -> String {
        legend(self.table.board())
    }

    fn headline(&self) -> String {
        format!("Giants: {}", self.due())
    }

    fn holdings(&self) -> String {
        let Viewer::Seat(seat) = self.viewer else { return String::new() };
        let tribe = &self.table.tribes[seat];
        let Reserve { workers, markers, logs, bases } = tribe.reserve;
        let mut parts = Vec::new();
        for (count, noun) in [(workers, "Worker"), (markers, "Tribe Marker"), (logs, "log"), (bases, "base")] {
            parts.push(counted(count.into(), noun));
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

    fn question(&self) -> String {
        match self.viewer {
            Viewer::Seat(seat) if self.to_act().contains(seat) => self.question_of(seat),
            Viewer::Seat(_) | Viewer::Public => String::new(),
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

    fn svg(&self, before: Option<&Self>) -> String {
        let (svg, height) = draw(self, before, &self.headline());
        svg.finish(height, &self.headline(), &self.to_string())
    }
}

impl View {
    /// Returns the point in the turn.
    pub(super) fn due(&self) -> String {
        let Table { turn, first, options, phase, .. } = &self.table;
        let turn = format!("turn {turn}/{}, seat {first} goes first", options.max_turns);
        match *phase {
            Phase::Roll => format!("{turn}; Moai draw"),
            Phase::Bid { offered } => {
                format!("{turn}; auction of Moai: {}; {}", moai_text(offered), self.own_bid())
            }
            Phase::Pick { seat, offered, .. } => {
                format!("{turn}; auction: seat {seat} may take one of these Moai: {}", moai_text(offered))
            }
            Phase::Place { seat, passed, step } => {
                format!("{turn}; placement: {}{}", placing(seat, step), who_passed(passed))
            }
            Phase::Transport { seat, passed, step } => {
                format!("{turn}; transport: {}{}", self.table.transporting(seat, step), who_passed(passed))
            }
            Phase::Store { seat, piece } => {
                format!("{turn}; end of transport: seat {seat} may mark {piece}, which goes to its quarry")
            }
            Phase::Recover { seat, piece } => {
                format!("{turn}; end of turn: seat {seat} may take its Tribe Marker back from {piece}")
            }
            Phase::Over => format!("{turn}; the game is over"),
        }
    }

    /// Returns the viewer's own bid as far as it is made.
    fn own_bid(&self) -> String {
        match self.bid {
            None => "bids are being made".to_owned(),
            Some(Bidding::Markers) => "you bid Tribe Markers first".to_owned(),
            Some(bid @ Bidding::Workers { .. }) => format!("you bid {} so far, Workers next", bid.so_far()),
            Some(bid @ Bidding::Leaders { .. }) => format!("you bid {} so far, Sorcerer and Chief last", bid.so_far()),
            Some(Bidding::Sealed(bid)) => format!("you bid {bid}"),
        }
    }
}

fn placing(seat: Seat, step: PlaceStep) -> String {
    match step {
        PlaceStep::What => format!("seat {seat} places something"),
        PlaceStep::Where { party } => format!("seat {seat} places {}: where?", figure_text(party)),
        PlaceStep::Power { chief, hex } => {
            format!("seat {seat} may use the power of the {} on hex {hex}", if chief { "Chief" } else { "Sorcerer" })
        }
    }
}

fn who_passed(passed: SeatSet) -> String {
    if passed.is_empty() { String::new() } else { format!("; passed: {}", seats(passed)) }
}

/// Returns seats as a list: `seat 0, seat 2`.
fn seats(seats: SeatSet) -> String {
    seats.iter().map(|seat| format!("seat {seat}")).collect::<Vec<_>>().join(", ")
}

impl Table {
    fn transporting(&self, seat: Seat, step: TransportStep) -> String {
        match step {
            TransportStep::Lift => format!("seat {seat} lifts a piece"),
            TransportStep::Carry { piece, .. } => format!("seat {seat} moves {piece} from hex {}", self.hex_of(piece)),
            TransportStep::Pay { piece, to, dues } => {
                let (least, most) = (dues.short(), dues.most_left());
                let points = if least == most { least.to_string() } else { format!("{least} to {most}") };
                format!("seat {seat} moves {piece} to hex {to} and needs help, {points}: whose?")
            }
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
            format!("Moai {}", supply.as_array().map(|count| count.to_string()).join("/")),
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
            let front = wrapped(&self.table.in_front(seat), FRONT, 0);
            for (n, front) in front.split('\n').enumerate() {
                let behind = if n == 0 { behind.as_str() } else { "" };
                lines.push(format!("{behind:<BEHIND$}| {front}"));
            }
        }
        lines
    }

    /// Returns the dice and the shown bids of this turn, and what has no room in the drawing of a hex, with the players
    /// whose logs may go back to them.
    fn rest(&self) -> Vec<String> {
        let of_hex = |hex: Hex| {
            let rest = cell(signs(&self.table, hex)).1.into_iter().chain(self.table.returnable(hex));
            let rest: Vec<String> = rest.collect();
            (!rest.is_empty()).then(|| format!("hex {hex}: {}", rest.join(" ")))
        };
        let hexes = self.table.board().hexes.iter().filter_map(of_hex);
        self.rolled().into_iter().chain(hexes).collect()
    }

    /// Returns the dice and the shown bids of this turn.
    pub(super) fn rolled(&self) -> Vec<String> {
        let dice = self.table.roll.map(|roll| {
            let faces: Vec<String> = roll.faces().iter().map(u8::to_string).collect();
            format!("dice {}", faces.join(" "))
        });
        let bids = self.table.shown_bids.map(|bids| {
            let bids: Vec<String> = bids.iter().map(|(_, bid)| bid.signs()).collect();
            format!("bids by seat: {}", bids.join(", "))
        });
        dice.into_iter().chain(bids).collect()
    }
}

/// Returns the leaders at a place: `SC`, `S`, `C`, or nothing.
pub(super) fn leaders(tribe: &Tribe, spot: Spot) -> String {
    let of = |at: Spot, letter: &'static str| if at == spot { letter } else { "" };
    format!("{}{}", of(tribe.sorcerer, "S"), of(tribe.chief, "C"))
}

impl Table {
    /// Returns the players who placed the logs of a hex, and the number that transports needed; None if there are no
    /// logs, or if all leave the game.
    pub(super) fn returnable(&self, hex: Hex) -> Option<String> {
        let owners: Vec<String> = self.logs.on(hex).map(|log| format!("seat {}", log.seat)).collect();
        let needed = self.logs.used()[hex.index()];
        let is_told = self.options.unused_logs_return && !owners.is_empty();
        is_told.then(|| format!("(logs of {}; needed: {needed})", owners.join(", ")))
    }

    /// Returns the goods, leaders, and pieces in front of a screen.
    pub(super) fn in_front(&self, seat: Seat) -> String {
        let tribe = &self.tribes[seat];
        let mut parts = Vec::new();
        for (count, name) in [(tribe.front.workers, "w"), (tribe.front.markers, "TM")] {
            if count > 0 {
                parts.push(format!("{name}{count}"));
            }
        }
        parts.push(leaders(tribe, Spot::Front));
        parts.extend(self.in_front_of(seat).iter().map(|piece| piece.to_string()));
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }

    /// Returns the same in words.
    fn in_front_in_words(&self, seat: Seat) -> Vec<String> {
        let tribe = &self.tribes[seat];
        let counts = [(tribe.front.workers, "Worker"), (tribe.front.markers, "Tribe Marker")];
        let counts = counts.into_iter().filter(|&(count, _)| count > 0);
        let leaders = [(tribe.sorcerer, "Sorcerer"), (tribe.chief, "Chief")];
        let leaders = leaders.into_iter().filter(|&(spot, _)| spot == Spot::Front);
        let pieces = self.in_front_of(seat);
        counts
            .map(|(count, noun)| counted(count.into(), noun))
            .chain(leaders.map(|(_, noun)| noun.to_owned()))
            .chain(pieces.iter().map(|piece| piece.to_string()))
            .collect()
    }

    /// Returns the base or the Moai on an Ahu; None if the Ahu is free.
    pub(super) fn site_text(&self, ahu: Ahu) -> Option<String> {
        match self.site(ahu) {
            Site::Free => None,
            Site::Reserved(owner) => Some(format!("{ahu} reserved by seat {owner}")),
            Site::Erected { owner, moai, headdress } => {
                let owner = owner.map_or("somebody's".to_owned(), |owner| format!("seat {owner}'s"));
                let headdress = headdress.map_or(String::new(), |headdress| format!(" with {headdress}"));
                Some(format!("{ahu} {owner} {moai}{headdress}"))
            }
        }
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

/// Returns the heading of a cell: the hex and its values or its terrain, such as `30 5/6` or `22 vill`.
pub(super) fn heading(table: &Table, board: &Board, hex: Hex) -> String {
    let gives = match board.terrain(hex) {
        Terrain::Land => board.ahus_at(hex).first().map_or(String::new(), |ahu| {
            let values = board.ahu(ahu);
            format!("{}/{}", values.moai, values.headdress)
        }),
        Terrain::MoaiQuarry => "Moai".to_owned(),
        Terrain::HeaddressQuarry => "hats".to_owned(),
        Terrain::Village => "vill".to_owned(),
        Terrain::Hut => "hut".to_owned(),
        Terrain::Forest { .. } if table.harvested.contains(hex) => "cut".to_owned(),
        Terrain::Forest { logs } => format!("log{logs}"),
    };
    format!("{hex} {gives}").trim_end().to_owned()
}

/// Returns the signs of a hex: its Ahus, pieces, figures, and logs.
fn signs(table: &Table, hex: Hex) -> Vec<String> {
    let ahus = table.board().ahus_at(hex);
    ahus.iter().map(|ahu| site_sign(table, ahu)).chain(island_pieces(table, hex)).chain(figures(table, hex)).collect()
}

/// Returns the sign of an Ahu: `a9` if it is free, `r0`, or `0:2^`.
pub(super) fn site_sign(table: &Table, ahu: Ahu) -> String {
    match table.site(ahu) {
        Site::Free => ahu.to_string(),
        Site::Reserved(owner) => format!("r{owner}"),
        Site::Erected { owner, moai, headdress } => {
            let owner = owner.map_or("?".to_owned(), |owner| owner.to_string());
            format!("{owner}:{}{}", moai.kind().weight(), if headdress.is_some() { "^" } else { "" })
        }
    }
}

/// Returns the signs of the pieces on a hex, such as `2b`, `2b-0`, and `2b=0`.
pub(super) fn island_pieces(table: &Table, hex: Hex) -> impl Iterator<Item = String> {
    table.pieces.movable().iter().filter_map(move |piece| match table.place_of(piece) {
        Place::Island { hex: at, claim } if at == hex => Some(match claim {
            Claim::Abandoned => piece.to_string(),
            Claim::Held(seat) => format!("{piece}-{seat}"),
            Claim::Marked(seat) => format!("{piece}={seat}"),
        }),
        Place::Rock | Place::Front(_) | Place::Island { .. } | Place::Ahu(_) => None,
    })
}

/// Returns the signs of the figures and logs of a hex, such as `0w2C`, `1w`, and `+2`.
pub(super) fn figures(table: &Table, hex: Hex) -> Vec<String> {
    let mut parts = Vec::new();
    for seat in table.options.seats.iter() {
        let tribe = &table.tribes[seat];
        if !tribe.figures().contains(hex) {
            continue;
        }
        let mut part = seat.to_string();
        match tribe.workers.count(hex) {
            0 => {}
            1 => part.push('w'),
            count => write!(part, "w{count}").expect("a string takes every text"),
        }
        part += &leaders(tribe, Spot::On(hex));
        parts.push(part);
    }
    match table.logs.count(hex) {
        0 => {}
        logs => parts.push(format!("+{logs}")),
    }
    parts
}

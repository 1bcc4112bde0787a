//! The table as text for people: the island drawn as hexes, then the players, stocks, hexes, and Ahus.

use std::fmt::{self, Write as _};

use super::bid::Bidding;
use super::board::{Ahu, Board, Hex, Terrain};
use super::event::{bids_text, counted, figure_text, moai_text};
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{Kind, Piece};
use super::place::{Claim, Place};
use super::site::Site;
use super::svg::draw;
use super::table::Table;
use super::tribe::{Reserve, Spot, Tribe};
use super::view::View;
use crate::core::{Describe, Seat, SeatSet, Viewer};
use crate::parts::lines::{self, wrapped_lists};

/// Writes the table and the viewer's own bid.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &mut String::new();
        self.tell_turn(text)?;
        self.tell_tribes(text)?;
        self.tell_stocks(text)?;
        self.tell_hexes(text)?;
        self.tell_ahus(text)?;
        writeln!(f, "{}", wrapped_lists(&self.headline(), lines::WIDTH, HANG))?;
        f.write_str(&Drawing::of(&self.table).text())?;
        f.write_str(Self::LEGEND)?;
        f.write_str(&wrapped_lists(text, lines::WIDTH, HANG))
    }
}

/// The indent of a line that continues another.
const HANG: usize = 6;

impl Describe for View {
    const LEGEND: &'static str = "\
In a hex: its number, and what it gives (5/6: points for each unit of a Moai's\n\
size, and for a headdress; log4: 4 logs; cut: no logs left; hut; vill: village;\n\
hats: headdress quarry; Moai: Moai quarry). Then its Ahus (a9 free, r0 reserved\n\
by seat 0, 0:2^ a Moai of size 2 of seat 0, with a headdress) and its pieces (2b\n\
the second Moai of size 2, ha a headdress). Then figures (0w2sc: of seat 0, two\n\
Workers, Sorcerer, Chief) and logs (+2). ~ marks a cut; the rest stands below.
Before and behind screens: s the Sorcerer, c the Chief, 2w two Workers, 2TM two
Tribe Markers; ? is hidden. > marks who has to decide. halves: half-tablets.\n";

    fn headline(&self) -> String {
        let Table { turn, first, options, phase, .. } = &self.table;
        let turn = format!("Giants: turn {turn} of at most {}, seat {first} goes first", options.max_turns);
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

    fn svg(&self, before: Option<&Self>) -> String {
        let (svg, height) = draw(self, before, &self.headline());
        svg.finish(height, &self.headline(), &self.to_string())
    }
}

impl View {
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

/// The lists below the drawing.
impl View {
    /// Writes the dice and the shown bids of this turn.
    fn tell_turn(&self, f: &mut String) -> fmt::Result {
        if let Some(roll) = self.table.roll {
            writeln!(f, "the dice show {}", roll.text(self.table.turn))?;
        }
        self.table.shown_bids.map_or(Ok(()), |bids| writeln!(f, "{}", bids_text(&bids)))
    }

    /// Writes a line for each player.
    fn tell_tribes(&self, f: &mut String) -> fmt::Result {
        writeln!(f, "                       | behind the screen                  | in front of it")?;
        writeln!(f, "    seat points halves | Workers Markers logs bases leaders |")?;
        let to_act = self.to_act();
        for (seat, points) in self.table.scores().iter() {
            let tribe = &self.table.tribes[seat];
            let mark = if to_act.contains(seat) { '>' } else { ' ' };
            let [workers, markers, logs, bases] = self.reserve(seat).map_or(["?"; 4].map(str::to_owned), |reserve| {
                [reserve.workers, reserve.markers, reserve.logs, reserve.bases].map(|count| count.to_string())
            });
            let leaders = leaders(tribe, Spot::Reserve);
            writeln!(
                f,
                "  {mark} {:<4} {points:>6} {:>6} | {workers:>7} {markers:>7} {logs:>4} {bases:>5} {leaders:<7} | {}",
                seat.to_string(),
                tribe.halves,
                format!("{}{}", if self.viewer.is(seat) { "(you) " } else { "" }, self.table.in_front(seat)).trim_end(),
            )?;
        }
        Ok(())
    }

    /// Writes the Moai, headdresses, half-tablets, and logs that are still to come.
    fn tell_stocks(&self, f: &mut String) -> fmt::Result {
        let Table { supply, halves, logs_left, .. } = &self.table;
        let headdresses = self.table.in_rock(Kind::Headdress).len();
        writeln!(
            f,
            "still to come: Moai {}; headdresses {headdresses}; half-tablets {halves}; logs {logs_left}",
            moai_text(*supply)
        )
    }

    /// Writes a line for each hex with pieces, with more figures and logs than fit into the drawing, or with logs that
    /// may go back to their players. A piece without a note is abandoned.
    fn tell_hexes(&self, f: &mut String) -> fmt::Result {
        let board = self.table.board();
        for hex in board.hexes.iter() {
            let lying = self.table.pieces.movable().iter().filter_map(|piece| match self.table.place_of(piece) {
                Place::Island { hex: at, claim } if at == hex => Some(match claim {
                    Claim::Abandoned => piece.to_string(),
                    Claim::Held(seat) => format!("{piece} (seat {seat}'s in this phase)"),
                    Claim::Marked(seat) => format!("{piece} (marked by seat {seat})"),
                }),
                Place::Rock | Place::Front(_) | Place::Island { .. } | Place::Ahu(_) => None,
            });
            let standing = Some(figures(&self.table, hex)).filter(|standing| fitted(standing) != *standing);
            let there: Vec<String> = standing.into_iter().chain(lying).chain(self.table.returnable(hex)).collect();
            if !there.is_empty() {
                writeln!(f, "on hex {hex}: {}", there.join(" "))?;
            }
        }
        Ok(())
    }

    /// Writes the Ahus with a base or a Moai.
    fn tell_ahus(&self, f: &mut String) -> fmt::Result {
        let sites = self.table.board().ahus().filter_map(|ahu| self.table.site_text(ahu));
        let sites: Vec<String> = sites.collect();
        if sites.is_empty() { Ok(()) } else { writeln!(f, "Ahus: {}", sites.join(", ")) }
    }
}

/// Returns the leaders at a place: `sc`, `s`, `c`, or nothing.
fn leaders(tribe: &Tribe, spot: Spot) -> String {
    let of = |at: Spot, letter: &'static str| if at == spot { letter } else { "" };
    format!("{}{}", of(tribe.sorcerer, "s"), of(tribe.chief, "c"))
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
    fn in_front(&self, seat: Seat) -> String {
        let tribe = &self.tribes[seat];
        let mut parts = Vec::new();
        for (count, name) in [(tribe.front.workers, "w"), (tribe.front.markers, "TM")] {
            if count > 0 {
                parts.push(format!("{count}{name}"));
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

/// The island as characters.
struct Drawing {
    lines: Vec<Vec<char>>,
}

/// The number of columns of a cell, its left border included.
const WIDTH: usize = 8;
/// The number of lines of a cell, its upper border included.
const HEIGHT: usize = 4;

impl Drawing {
    /// Draws the island of a table.
    fn of(table: &Table) -> Self {
        let board = table.board();
        // In half cells.
        let east = |hex: Hex| {
            let (q, r) = board.coordinates(hex);
            2 * q + r
        };
        let west = board.hexes.iter().map(east).min().unwrap_or(0);
        let mut drawing = Self { lines: Vec::new() };
        for hex in board.hexes.iter() {
            let column = usize::from(east(hex).abs_diff(west)) * WIDTH / 2;
            let line = usize::from(board.coordinates(hex).1.unsigned_abs()) * HEIGHT;
            drawing.frame(column, line);
            for (n, text) in [heading(table, board, hex), contents(table, hex), figures(table, hex)].iter().enumerate()
            {
                drawing.write(column + 1, line + 1 + n, &fitted(text));
            }
        }
        drawing
    }

    /// Draws the border of a cell. Each slope is the upper border of one cell and the lower border of another.
    fn frame(&mut self, column: usize, line: usize) {
        self.write(column + 1, line, ".-'|'-.");
        self.write(column + 1, line + HEIGHT, "'-.|.-'");
        for side in 1..HEIGHT {
            self.write(column, line + side, "|");
            self.write(column + WIDTH, line + side, "|");
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

/// Returns the text, cut to the width of a cell; `~` marks a cut.
fn fitted(text: &str) -> String {
    const ROOM: usize = WIDTH - 1;
    match text.chars().count() {
        0..=ROOM => text.to_owned(),
        _ => text.chars().take(ROOM - 1).chain(['~']).collect(),
    }
}

/// Returns the first line of a cell: the hex and its values or its terrain, such as `30 5/6` or `22 vill`.
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
    format!("{hex} {gives}")
}

/// Returns the second line of a cell: the Ahus and the pieces of the hex.
fn contents(table: &Table, hex: Hex) -> String {
    let sites = table.board().ahus_at(hex).iter().map(|ahu| match table.site(ahu) {
        Site::Free => ahu.to_string(),
        Site::Reserved(owner) => format!("r{owner}"),
        Site::Erected { owner, moai, headdress } => {
            let owner = owner.map_or("?".to_owned(), |owner| owner.to_string());
            format!("{owner}:{}{}", moai.kind().weight(), if headdress.is_some() { "^" } else { "" })
        }
    });
    let lies_here = |piece: &Piece| matches!(table.place_of(*piece), Place::Island { hex: at, .. } if at == hex);
    let pieces = table.pieces.movable().iter().filter(lies_here).map(|piece| piece.to_string());
    sites.chain(pieces).collect::<Vec<_>>().join(" ")
}

/// Returns the third line of a cell: the figures and logs of the hex, such as `0w2c 1w +2`.
fn figures(table: &Table, hex: Hex) -> String {
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
    parts.join(" ")
}

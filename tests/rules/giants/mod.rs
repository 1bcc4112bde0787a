//! The tests of Giants, rule by rule: the printed rules, and the rulings G1 to G51 of the game's front page.
//!
//! A test sets up a [`table`] from text, plays in the game's own notation, and checks the result. Its name is the
//! rule. Legal actions are tested beside illegal ones. Hexes have numbers:
//!
//! ```text
//!                  0     1     2     3
//!               4     5     6     7     8     9
//!           10    11    12    13    14    15    16
//!        17    18    19    20    21    22    23    24    25
//!     26    27    28    29    30    31    32    33    34
//!        35    36    37    38
//!           39    40    41
//! ```
//!
//! 25 is the Moai quarry, 27 the headdress quarry, 22 the village, 28 the hut; 6, 7, 12, 13, 14, 20 and 21 are
//! forests.

mod auction;
mod board;
mod decode;
mod dice;
mod end;
mod observation;
mod options;
mod picture;
mod placement;
mod playing;
mod reading;
mod returning;
mod secrets;
mod transport;
mod turn_example;
mod typed;
mod views;

use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;

use ahu_core::{ActionSet, BySeat, Game, Seat, SeatSet, View as _, Viewer, options as option_list};
use ahu_games::giants::board::{Ahu, Hex};
use ahu_games::giants::piece::{BySize, Kind, MOAI, Piece, Size};
use ahu_games::giants::{
    Action, Amount, Claim, Giants, Goods, Leaders, Log, Options, Phase, Place, PlaceStep, Site, Spot, Table as Open,
    TransportStep, View,
};

use crate::scripted::{self, PUBLIC, Scripted, read, seat, viewer};

/// A table of Giants.
type Table = scripted::Table<Giants>;

/// Sets up a table from lines of `key: value`.
///
/// | key | value | default |
/// |---|---|---|
/// | `seats` | the number of seats | 3 |
/// | `turn`, `first` | the turn, its first player | 2, seat 0 |
/// | `phase` | `roll`, `bid 1 2 2` with the Moai on offer, `place`, `transport`, or `over` | `transport` |
/// | `player`, `passed` | the player to act, the players who passed: `1 2` | the first player, nobody |
/// | `behind` | goods behind each screen, `3W 2T 5L / - / 1W`; halves, which lie in front, `2H` | nothing |
/// | `front` | goods and leaders spent in this turn, `2T 1W chief / - / sorcerer` | nothing |
/// | `points` | Prestige Points, `3 / 0 / 12` | 0 |
/// | `figures` | figures and logs on the island: `0W@28 0C@30 1W+2@33` | none |
/// | `pieces` | `2a@22 of 0, 1a@23 held 1, ha@27, 1b front 2`: marked, held, abandoned, in front | none |
/// | `ahus` | `a17 of 0, a5 of 1 1c, a6 of 2 2b ha`: reserved, a Moai, one with its headdress | all free |
/// | `supply` | the Moai still to come of size 1, 2, 3; the rest left the game | all others |
/// | `cut`, `gone` | harvested forests; the number of logs that left the game | none |
/// | an option | its value | its default |
///
/// W is a Worker, S the Sorcerer, C the Chief, T a Tribe Marker, L a log, H a half-tablet. Sorcerer and Chief are
/// behind the screen unless a line puts them elsewhere, and bases unless a line puts them on an Ahu. All other
/// Workers, markers, halves, and logs are in the receptacle, the draw, and the stock.
fn table(text: &str) -> Table {
    let mut lines: HashMap<&str, &str> = text
        .lines()
        .map(|line| line.split_once(':').unwrap_or_else(|| panic!("not \"key: value\": {line}")))
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect();
    let keys = [
        "turn", "first", "phase", "player", "passed", "behind", "front", "points", "figures", "pieces", "ahus",
        "supply", "cut", "gone",
    ];
    let given: HashMap<&str, &str> = keys.iter().filter_map(|&key| Some((key, lines.remove(key)?))).collect();
    let line = |key: &str| given.get(key).copied();
    let count = lines.remove("seats").map_or(3, number);
    let options: Options = option_list::read(count, lines).expect("the other lines are options");
    let mut game = Giants::new(&options);
    let table = &mut game.table;

    table.turn = line("turn").map_or(2, number);
    table.first = line("first").map_or(seat(0), |first| seat(number(first)));
    let player = line("player").map_or(table.first, |player| seat(number(player)));
    let passed: SeatSet = numbers(line("passed").unwrap_or_default()).into_iter().map(seat).collect();
    let mut offered = BySize::EMPTY;
    table.phase = match line("phase").unwrap_or("transport").split_once(' ') {
        Some(("bid", sizes)) => {
            for size in numbers::<usize>(sizes) {
                offered[Size::ALL[size - 1]] += 1;
            }
            Phase::Bid { offered }
        }
        Some(phase) => panic!("no phase is called {phase:?}"),
        None => match line("phase").unwrap_or("transport") {
            "roll" => Phase::Roll,
            "place" => Phase::Place { seat: player, passed, step: PlaceStep::What },
            "transport" => Phase::Transport { seat: player, passed, step: TransportStep::Lift },
            "over" => Phase::Over,
            phase => panic!("no phase is called {phase}"),
        },
    };

    for figure in words(line("figures")) {
        stand(table, figure);
    }
    for piece in parts(line("pieces")) {
        lay(table, piece);
    }
    for site in parts(line("ahus")) {
        build(table, site);
    }
    for (index, points) in line("points").into_iter().flat_map(|points| points.split('/')).enumerate() {
        table.tribes[seat(index)].prestige = number(points);
    }
    let [behind, front] = ["behind", "front"].map(|key| by_seat(count, line(key)));
    for owner in options.seats.iter() {
        let (behind, front) = (behind[owner], front[owner]);
        assert!(!behind.chief && !behind.sorcerer, "leaders are behind the screen by default");
        assert!(front.halves + front.logs == 0, "only Workers, Tribe Markers and leaders are spent");
        let marked = Piece::all().filter(|&piece| is_marked_by(table.place_of(piece), owner)).count();
        let based = Ahu::all().filter(|&ahu| is_based_by(table.site(ahu), owner)).count();
        let tribe = &mut table.tribes[owner];
        tribe.reserve.workers = behind.workers;
        tribe.reserve.markers = behind.markers;
        tribe.reserve.logs = behind.logs;
        tribe.reserve.bases = [7, 6, 5][count - 3] - based as u8;
        tribe.front = Goods { workers: front.workers, markers: front.markers };
        tribe.receptacle = Goods {
            workers: 6 - behind.workers - front.workers - tribe.workers.total(),
            markers: 6 - behind.markers - front.markers - marked as u8,
        };
        if front.sorcerer {
            tribe.sorcerer = Spot::Front;
        }
        if front.chief {
            tribe.chief = Spot::Front;
        }
        tribe.halves = behind.halves;
        table.halves -= behind.halves;
        table.logs_left -= behind.logs;
    }
    table.logs_gone = line("gone").map_or(0, number);
    table.logs_left -= table.logs_gone + table.logs.total();
    table.harvested = numbers(line("cut").unwrap_or_default()).into_iter().map(hex).collect();
    for size in Size::ALL {
        let is_in_play = |piece: &Piece| table.place_of(*piece) != Place::Rock;
        let in_play = Kind::Moai(size).pieces().iter().filter(is_in_play).count() as u8;
        let rest = MOAI[size] - in_play - offered[size];
        let supply = line("supply").map_or(rest, |supply| numbers(supply)[size.index()]);
        table.supply[size] = supply;
        table.removed[size] = rest - supply;
    }
    game.check_invariants().expect("every thing is in exactly one place");
    Table { game, events: Vec::new() }
}

fn is_marked_by(place: Place, owner: Seat) -> bool {
    matches!(place, Place::Island { claim: Claim::Marked(by), .. } if by == owner)
}

fn is_based_by(site: Site, seat: Seat) -> bool {
    match site {
        Site::Free => false,
        Site::Reserved(by) => by == seat,
        Site::Erected { owner, .. } => owner == Some(seat),
    }
}

/// Places a figure from text, such as `1W+2@33`: seat 1's Worker, with two logs.
fn stand(table: &mut Open, text: &str) {
    let (figure, at) = text.split_once('@').unwrap_or_else(|| panic!("a figure stands nowhere: {text}"));
    let (figure, logs) = figure.split_once('+').unwrap_or((figure, "0"));
    let (owner, kind) = figure.split_at(1);
    let (owner, at) = (seat(number(owner)), hex(number(at)));
    let tribe = &mut table.tribes[owner];
    match kind {
        "W" => tribe.workers.add(at),
        "S" => tribe.sorcerer = Spot::On(at),
        "C" => tribe.chief = Spot::On(at),
        kind => panic!("no figure is {kind}"),
    }
    (0..number::<u8>(logs)).for_each(|_| table.logs.place(Log { hex: at, seat: owner }));
}

/// Puts a piece on the table from text, such as `2a@22 of 0` or `1a front 2`.
fn lay(table: &mut Open, text: &str) {
    let (what, whose) = text.split_once(' ').unwrap_or((text, ""));
    let (what, at) = what.split_once('@').unwrap_or((what, ""));
    let on = |claim| Place::Island { hex: hex(number(at)), claim };
    let place = match whose.split_once(' ') {
        None => on(Claim::Abandoned),
        Some(("of", owner)) => on(Claim::Marked(seat(number(owner)))),
        Some(("held", owner)) => on(Claim::Held(seat(number(owner)))),
        Some(("front", owner)) => Place::Front(seat(number(owner))),
        whose => panic!("a piece is of, held or front a seat, not {whose:?}"),
    };
    table.pieces.put(read(what), place);
}

/// Sets up an Ahu from text, such as `a17 of 0` or `a6 of 2 2b ha`.
fn build(table: &mut Open, text: &str) {
    let [ahu, "of", owner, ref pieces @ ..] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("an Ahu is of a seat: {text}")
    };
    let ahu: Ahu = read(ahu);
    table.sites.reserve(ahu, seat(number(owner)));
    for piece in pieces.iter().map(|piece| read::<Piece>(piece)) {
        match piece.kind() {
            Kind::Moai(size) => table.sites.erect(ahu, size),
            Kind::Headdress => table.sites.top(ahu),
        }
        table.pieces.put(piece, Place::Ahu(ahu));
    }
}

/// The goods and leaders that a player has, bids, or spends: `chief sorcerer 3W 2T 5L 1H`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Amounts {
    chief: bool,
    sorcerer: bool,
    workers: u8,
    markers: u8,
    logs: u8,
    halves: u8,
}

impl FromStr for Amounts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut amounts = Self::default();
        for word in text.split_whitespace() {
            let (count, what) = word.split_at(word.len() - 1);
            match (word, what) {
                ("-", _) => {}
                ("chief", _) => amounts.chief = true,
                ("sorcerer", _) => amounts.sorcerer = true,
                (_, "W") => amounts.workers = number(count),
                (_, "T") => amounts.markers = number(count),
                (_, "L") => amounts.logs = number(count),
                (_, "H") => amounts.halves = number(count),
                _ => return Err(format!("nobody has {word}")),
            }
        }
        Ok(amounts)
    }
}

impl Display for Amounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut words = Vec::new();
        words.extend(self.chief.then(|| "chief".to_owned()));
        words.extend(self.sorcerer.then(|| "sorcerer".to_owned()));
        for (count, letter) in [(self.workers, 'W'), (self.markers, 'T'), (self.logs, 'L'), (self.halves, 'H')] {
            words.extend((count > 0).then(|| format!("{count}{letter}")));
        }
        f.write_str(&if words.is_empty() { "-".to_owned() } else { words.join(" ") })
    }
}

impl Scripted for Giants {
    /// Returns the seats to act and their decision: `seat 0, 2: bid`, `seat 1: carry 2a`, `roll`.
    fn due(&self) -> String {
        let what = match self.table.phase {
            Phase::Roll => return "roll".to_owned(),
            Phase::Over => return "over".to_owned(),
            Phase::Bid { .. } => "bid".to_owned(),
            Phase::Pick { .. } => "pick".to_owned(),
            Phase::Place { step: PlaceStep::What, .. } => "place".to_owned(),
            Phase::Place { step: PlaceStep::Where { party }, .. } => format!("place {party}"),
            Phase::Place { step: PlaceStep::Power { hex, .. }, .. } => format!("power at {hex}"),
            Phase::Transport { step: TransportStep::Lift, .. } => "transport".to_owned(),
            Phase::Transport { step: TransportStep::Carry { piece, .. }, .. } => format!("carry {piece}"),
            Phase::Transport { step: TransportStep::Pay { to, .. }, .. } => format!("pay at {to}"),
            Phase::Store { piece, .. } => format!("store {piece}"),
            Phase::Recover { piece, .. } => format!("recover {piece}"),
        };
        format!("seat {}: {what}", self.turn().to_act())
    }

    fn check_invariants(&self) -> Result<(), String> {
        Self::check_invariants(self)
    }
}

impl Table {
    /// Makes the bids of all seats, such as `2T 3W`, `1T chief`, `-`.
    fn bid<const N: usize>(&mut self, bids: [&str; N]) {
        self.events.clear();
        for (index, bid) in bids.into_iter().enumerate() {
            self.seal(index, bid);
        }
    }

    /// Makes the complete bid of one seat.
    fn seal(&mut self, index: usize, bid: &str) {
        for action in bid_actions(bid) {
            self.act(seat(index), action).unwrap_or_else(|error| panic!("seat {index}, {bid}: {error}"));
            self.game.check_invariants().expect("every thing is in exactly one place");
        }
    }

    /// Returns the legal actions of the first seat to act, in the order of their ids: `lift 2a, pass`.
    fn legal(&self) -> String {
        self.legal_for(self.game.turn().to_act().first().map_or(0, Seat::index))
    }

    fn legal_for(&self, index: usize) -> String {
        let mut legal = ActionSet::of::<Action>();
        self.game.legal_actions(seat(index), &mut legal);
        legal.actions().map(|action: Action| action.to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the legal actions after these plies, which are played on a copy.
    fn legal_after(&self, plies: &str) -> String {
        self.after(plies).legal()
    }

    /// Returns the goods and leaders behind a screen, and the halves in front of it.
    fn behind(&self, index: usize) -> String {
        let tribe = &self.game.table.tribes[seat(index)];
        let amounts = Amounts {
            chief: tribe.chief == Spot::Reserve,
            sorcerer: tribe.sorcerer == Spot::Reserve,
            workers: tribe.reserve.workers,
            markers: tribe.reserve.markers,
            logs: tribe.reserve.logs,
            halves: tribe.halves,
        };
        amounts.to_string()
    }

    /// Returns the spent goods and leaders in front of a screen.
    fn front(&self, index: usize) -> String {
        let tribe = &self.game.table.tribes[seat(index)];
        let amounts = Amounts {
            chief: tribe.chief == Spot::Front,
            sorcerer: tribe.sorcerer == Spot::Front,
            workers: tribe.front.workers,
            markers: tribe.front.markers,
            ..Amounts::default()
        };
        amounts.to_string()
    }

    fn bases(&self, index: usize) -> u8 {
        self.game.table.tribes[seat(index)].reserve.bases
    }

    /// Returns the Prestige Points scored so far.
    fn points(&self) -> Vec<u16> {
        self.game.table.tribes.values().iter().map(|tribe| tribe.prestige).collect()
    }

    /// Returns the points if the final scoring took place now.
    fn scores(&self) -> Vec<i32> {
        self.game.view(PUBLIC).scores().values().to_vec()
    }

    /// Returns the ranks, from 1.
    fn ranks(&self) -> Vec<u8> {
        self.game.view(PUBLIC).ranks().values().to_vec()
    }

    /// Returns the place of a piece: `front 0`, `22`, `22 of 0`, `22 held 0`, `a13`, `rock`.
    fn at(&self, piece: &str) -> String {
        match self.game.table.place_of(read(piece)) {
            Place::Rock => "rock".to_owned(),
            Place::Front(seat) => format!("front {seat}"),
            Place::Island { hex, claim: Claim::Abandoned } => hex.to_string(),
            Place::Island { hex, claim: Claim::Held(seat) } => format!("{hex} held {seat}"),
            Place::Island { hex, claim: Claim::Marked(seat) } => format!("{hex} of {seat}"),
            Place::Ahu(ahu) => ahu.to_string(),
        }
    }

    /// Returns the state of an Ahu: `free`, `of 0`, `of 0 2a ha`.
    fn ahu(&self, ahu: &str) -> String {
        match self.game.table.site(read(ahu)) {
            Site::Free => "free".to_owned(),
            Site::Reserved(owner) => format!("of {owner}"),
            Site::Erected { owner, moai, headdress } => {
                let owner = owner.map_or("?".to_owned(), |owner| owner.to_string());
                let headdress = headdress.map_or(String::new(), |headdress| format!(" {headdress}"));
                format!("of {owner} {moai}{headdress}")
            }
        }
    }

    /// Returns the figures of a seat on the island: `W@28 W@29 C@30`.
    fn figures(&self, index: usize) -> String {
        let tribe = &self.game.table.tribes[seat(index)];
        let workers = Hex::all().flat_map(|hex| (0..tribe.workers.count(hex)).map(move |_| format!("W@{hex}")));
        let leaders = [("S", tribe.sorcerer), ("C", tribe.chief)];
        let leaders = leaders.into_iter().filter_map(|(name, spot)| match spot {
            Spot::On(hex) => Some(format!("{name}@{hex}")),
            Spot::Reserve | Spot::Front => None,
        });
        workers.chain(leaders).collect::<Vec<_>>().join(" ")
    }

    fn logs_at(&self, at: usize) -> u8 {
        self.game.table.logs.count(hex(at))
    }

    /// Returns the number of logs in stock, and of logs that left the game.
    fn logs(&self) -> (u8, u8) {
        (self.game.table.logs_left, self.game.table.logs_gone)
    }

    /// Returns the Moai that are still to come, by size.
    fn supply(&self) -> [u8; 3] {
        *self.game.table.supply.as_array()
    }

    /// Returns the number of half-tablets in the draw.
    fn draw(&self) -> u8 {
        self.game.table.halves
    }

    /// Returns the shown view of a viewer.
    fn shown(&self, viewer: Viewer) -> View {
        self.game.view(viewer).shown()
    }
}

/// Returns the three actions of a bid.
fn bid_actions(bid: &str) -> [Action; 3] {
    let Amounts { chief, sorcerer, workers, markers, logs, halves } = read(bid);
    assert!(logs + halves == 0, "neither logs nor halves are bid: {bid}");
    let leaders = match (sorcerer, chief) {
        (false, false) => Leaders::None,
        (true, false) => Leaders::Sorcerer,
        (false, true) => Leaders::Chief,
        (true, true) => Leaders::Both,
    };
    [Action::BidMarkers(Amount::of(markers)), Action::BidWorkers(Amount::of(workers)), Action::BidLeaders(leaders)]
}

fn hex(number: usize) -> Hex {
    Hex::new(number).expect("a board has at most 42 hexes")
}

fn number<T: FromStr>(text: &str) -> T {
    text.trim().parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}

fn numbers<T: FromStr>(text: &str) -> Vec<T> {
    text.split_whitespace().map(number).collect()
}

fn words(line: Option<&str>) -> impl Iterator<Item = &str> {
    line.unwrap_or_default().split_whitespace()
}

fn parts(line: Option<&str>) -> impl Iterator<Item = &str> {
    line.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
}

fn by_seat(seats: usize, line: Option<&str>) -> BySeat<Amounts> {
    let all: Vec<Amounts> = line.map_or(Vec::new(), |line| line.split('/').map(read).collect());
    assert!(all.len() <= seats, "{} seats for {seats}", all.len());
    let seats = ahu_core::Seats::new(seats).expect("three to five play");
    BySeat::from_fn(seats, |seat| all.get(seat.index()).copied().unwrap_or_default())
}

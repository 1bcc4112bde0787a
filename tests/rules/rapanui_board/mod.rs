//! Tests of the rules of Rapa Nui, the board game, against the rulebook and the rulings M1 to M46 of the game's front
//! page.
//!
//! A test sets up a [`table`] from text, plays in the game's own notation, and checks the result. Its name is the
//! rule. Illegal actions stand beside legal ones.
//!
//! The spaces of the side for 3 and 4 players, each with its colours and its ahus; `CR` is the Crater, `PQ` the Pukao
//! Quarry:
//!
//! ```text
//!                          1 W*   2 E**     3 E*
//!           4 W**  5 W     6 E    7 R/E     8 R      9 R*
//! 10 P*     PQ    11 W    12 E/W  13 E       CR     14 R    15 R**
//! 16 P**   17 P   18 R/P  19 W    20 E      21 R    22 R*
//!          23 P*  24 W**  25 E/W*** 26 R/E* 27 E*
//! ```
//!
//! The spaces of the side for 2 players:
//!
//! ```text
//!           1 W*   2 E**     3 E*
//!  4 P*     5 W    6 E       7 R    8 R*
//!  9 W*     PQ    10 R/E     CR    11 R*
//! 12 P**   13 P   14 W      15 R   16 R**
//!          17 W*  18 E/W*** 19 E*
//! ```

mod board;
mod chains;
mod decode;
mod end;
mod greedy;
mod improvements;
mod observation;
mod offerings;
mod options;
mod picture;
mod placement;
mod reading;
mod round;
mod sculpting;
mod secrets;
mod setup;
mod tiles;
mod transport;
mod two_players;
mod views;

use std::collections::BTreeMap;
use std::str::FromStr;

use ahu_core::parts::counts::Counts;
use ahu_core::{
    Action as _, ActionSet, BySeat, ChanceRng, Game, GameExt, NoEvents, Numbered, ParseError, Seat, Seats, Seed,
    View as _, Viewer, options as option_list,
};
use ahu_games::rapanui_board::{
    Action, BEGINNER_TILES, Chief, GREEDY_1, Improvement, Offering, Offerings, Options, PUKAO, Phase, Player,
    RapanuiBoard, Site, Size, Sizes, Sorcerer, Space, TILES, Table as Open, Tile, Tiles, TurnOrder, View, moai,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::scripted::{self, PUBLIC, Scripted, seat, viewer};

/// A table of the board game.
type Table = scripted::Table<RapanuiBoard>;

/// Sets up a table from lines of `key: value`.
///
/// | key | value | default |
/// |---|---|---|
/// | `seats` | the number of players | 3 |
/// | a seat, `0` | its belongings, see below | only its Villagers and its Sorcerer |
/// | `on 12` | the Moai and the Ahu tiles of a space, `small large^ rest`; `^` is a Pukao | no Moai |
/// | `full` | spaces whose ahus all have a Moai, without Pukao | none |
/// | `phase` | `order`, `tiles`, `place`, `sculpt` or `transport` | `transport` |
/// | `order` | the turn order, `2 0 1` | by seats |
/// | `active` | a seat | the first in turn order |
/// | `round`, `idle` | the number of the round; the number of idle rounds before it | 2, 0 |
/// | an option | its value | its default |
///
/// The belongings of a seat, with commas between: `has reeds*3 eggs`, `tiles rest skimp*2`, `tablet`, `fervent`,
/// `artistic`, `popular`, `moai small*2 large`, `sculptors small medium`, `chip_ins small`, `star 2`, `works` (the
/// Sorcerer, by Change Jobs), `at 13 13_ 8` (Transporters; `_` lies), `chief` (in hand), `chief small`, `chief 13`,
/// `offerings hut*2`, `outstanding boat`, `out`.
///
/// Villagers without a place are in hand. In phases 2 and 3, Sorcerers without a place are on the star spaces in turn
/// order. Free ahus without a tile get one of the tiles left, first the tiles that cannot be played in phase 3.
fn table(text: &str) -> Table {
    let mut lines: BTreeMap<&str, &str> = text
        .lines()
        .map(|line| line.split_once(':').unwrap_or_else(|| panic!("not \"key: value\": {line}")))
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect();
    let seats = Seats::new(lines.remove("seats").map_or(3, number)).expect("a valid number of seats");
    let order = lines.remove("order").map_or(TurnOrder::of(seats), |order| {
        let seats: Vec<_> = order.split_whitespace().map(|index| seat(number(index))).collect();
        TurnOrder::new(&seats).expect("each seat once")
    });
    let active = lines.remove("active").map_or(order.first(), |index| seat(number(index)));
    let phase = match lines.remove("phase").unwrap_or("transport") {
        "order" => Phase::Order,
        "tiles" => Phase::Tiles,
        "place" => Phase::Place,
        "sculpt" => Phase::Sculpt { sculpted: Sizes::EMPTY },
        "transport" => Phase::Transport,
        phase => panic!("no phase is called {phase}"),
    };
    let [round, idle_rounds] = [("round", 2), ("idle", 0)].map(|(key, n)| lines.remove(key).map_or(n, number));
    let full = lines.remove("full").unwrap_or("");
    let of_seats: Vec<_> = seats.iter().map(|seat| lines.remove(seat.to_string().as_str()).unwrap_or("")).collect();
    let on_spaces: Vec<(Space, &str)> = lines
        .iter()
        .filter_map(|(key, value)| Some((key.strip_prefix("on ")?.parse().expect("a space"), *value)))
        .collect();
    lines.retain(|key, _| !key.starts_with("on "));
    let options: Options = option_list::read(seats.count(), lines).expect("the other lines are options");

    let mut game = RapanuiBoard {
        table: Open {
            options,
            phase,
            active,
            order,
            round: round as u8,
            idle_rounds: idle_rounds as u8,
            has_erected_or_styled: false,
            players: BySeat::new(seats, Player { resources: counts(""), ..Player::new(false) }),
            sites: [Site::EMPTY; Space::COUNT],
            supply: moai(seats),
            pukao: PUKAO,
            stack_taken: Offerings::EMPTY,
            outstanding_taken: Offerings::EMPTY,
            display: Tiles::EMPTY,
            aside: Tiles::EMPTY,
        },
        offered: BySeat::new(seats, 0),
    };
    for (seat, text) in seats.iter().zip(of_seats) {
        let mut clauses: Vec<_> = text.split(',').map(str::trim).filter(|clause| !clause.is_empty()).collect();
        // Clauses that add figurines come first, so that the player has the figurines before the clauses that place them.
        clauses.sort_by_key(|&clause| !["popular", "works"].contains(&clause));
        for clause in clauses {
            give(&mut game, seat, clause);
        }
    }
    if !matches!(phase, Phase::Order | Phase::Tiles) {
        set_sites(&mut game.table, &on_spaces, full);
    }
    if matches!(phase, Phase::Sculpt { .. } | Phase::Transport) {
        place_sorcerers(&mut game.table);
    }
    game.check_invariants().expect("the invariants hold");
    Table { game, events: Vec::new() }
}

/// Applies a clause to a seat.
fn give(game: &mut RapanuiBoard, seat: Seat, clause: &str) {
    let (what, rest) = clause.split_once(' ').unwrap_or((clause, ""));
    let player = &mut game.table.players[seat];
    match what {
        "has" => player.resources = counts(rest),
        "tiles" => player.tiles = counts(rest),
        "tablet" => player.has_tablet = true,
        "moai" => {
            player.moai = counts(rest);
            words(rest).for_each(|(size, count)| game.table.supply[size.parse::<Size>().expect("a size")] -= count);
        }
        "sculptors" => {
            player.sculptors = counts(rest);
            player.villagers -= player.sculptors.total();
        }
        "chip_ins" => player.chip_ins = counts(rest),
        "star" => player.sorcerer = Sorcerer::OnStar(rest.parse().expect("a star space")),
        "works" => {
            player.sorcerer = Sorcerer::AtWork;
            player.villagers += 1;
        }
        "at" => {
            for (space, count) in words(rest) {
                let (space, lies) = space.strip_suffix('_').map_or((space, false), |space| (space, true));
                let space: Space = space.parse().expect("a space");
                let site = &mut game.table.sites[space.index()];
                *(if lies { &mut site.lying } else { &mut site.standing }) += count;
                player.held |= space.into();
                player.villagers -= count;
            }
        }
        "chief" => {
            player.improvements |= Improvement::Chief.into();
            player.chief = match (rest, rest.parse(), rest.parse()) {
                ("", ..) => Chief::InHand,
                (_, Ok(column), _) => Chief::InQuarry(column),
                (_, _, Ok(space)) => Chief::OnSpace(space),
                _ => panic!("no Chief is at {rest}"),
            };
            if let Chief::OnSpace(space) = player.chief {
                player.held |= space.into();
            }
        }
        "offerings" | "outstanding" => {
            let tiles = game.table.options.offerings.tiles();
            for (offering, count) in words(rest) {
                let offering: Offering = offering.parse().expect("a type of Offering tiles");
                player.offerings[offering] += count;
                let (stack, taken) = match what {
                    "offerings" => (tiles.stack(offering, game.table.options.seats), &mut game.table.stack_taken),
                    _ => (tiles.outstanding(offering), &mut game.table.outstanding_taken),
                };
                for _ in 0..count {
                    game.offered[seat] += u16::from(stack.values()[usize::from(taken[offering])]);
                    taken[offering] += 1;
                }
            }
        }
        "out" => player.has_dropped_out = true,
        _ => {
            let improvement: Improvement = what.parse().unwrap_or_else(|_| panic!("nobody has {clause}"));
            player.improvements |= improvement.into();
            player.villagers += u8::from(improvement == Improvement::Popular);
        }
    }
}

/// Lays Moai and Ahu tiles on the ahus.
fn set_sites(table: &mut Open, on_spaces: &[(Space, &str)], full: &str) {
    let mut left = if table.options.beginner_tiles { BEGINNER_TILES } else { TILES };
    for player in table.players.values() {
        for tile in Tile::ALL {
            left[tile] -= player.tiles[tile];
        }
    }
    let board = table.options.board.board();
    let mut named: BTreeMap<Space, Vec<Tile>> = BTreeMap::new();
    for (space, text) in on_spaces {
        for (word, count) in words(text) {
            for _ in 0..count {
                match (word.trim_end_matches('^').parse::<Size>(), word.parse::<Tile>()) {
                    (Ok(size), _) => {
                        let styled = u8::from(word.ends_with('^'));
                        let on = &mut table.sites[space.index()];
                        on.set_ahus(on.tiles(), on.moai() + Sizes::from_iter([size]), on.styled() + styled);
                        table.supply[size] -= 1;
                        table.pukao -= styled;
                    }
                    (_, Ok(tile)) => {
                        named.entry(*space).or_default().push(tile);
                        left[tile] -= 1;
                    }
                    _ => panic!("nothing on a space is called {word}"),
                }
            }
        }
    }
    for (space, _) in words(full) {
        let space: Space = space.parse().expect("a space");
        for _ in 0..board.ahus(space) {
            let size = Size::ALL.into_iter().find(|&size| table.supply[size] > 0).expect("a Moai is left");
            table.supply[size] -= 1;
            let on = &mut table.sites[space.index()];
            on.set_ahus(on.tiles(), on.moai() + Sizes::from_iter([size]), on.styled());
        }
    }
    for space in board.spaces() {
        let mut tiles = named.remove(&space).unwrap_or_default();
        let free = usize::from(board.ahus(space) - table.site(space).moai().total());
        while tiles.len() < free {
            let tile = IDLE_FIRST.into_iter().find(|&tile| left[tile] > 0).expect("an Ahu tile is left");
            left[tile] -= 1;
            tiles.push(tile);
        }
        let on = &mut table.sites[space.index()];
        on.set_ahus(tiles, on.moai(), on.styled());
    }
}

/// The kinds of Ahu tiles, first the kinds that cannot be played in phase 3.
const IDLE_FIRST: [Tile; Tile::COUNT] = [
    Tile::ChipIn,
    Tile::ChangeJobs,
    Tile::Skimp,
    Tile::GainFavor,
    Tile::TakeYourPick,
    Tile::TakeTwoMore,
    Tile::TakeThreeMore,
    Tile::Barter,
    Tile::LendAHand,
    Tile::Rest,
];

/// Places the Sorcerers without a place on the first free star spaces, in turn order.
fn place_sorcerers(table: &mut Open) {
    let order: Vec<_> = table.order.iter().collect();
    for seat in order {
        let is_free = |star| table.players.values().iter().all(|player| player.sorcerer != Sorcerer::OnStar(star));
        if table.players[seat].sorcerer == Sorcerer::InHand {
            let star = (1..=6).map(|n| n.to_string().parse().expect("a star space")).find(|&star| is_free(star));
            table.players[seat].sorcerer = Sorcerer::OnStar(star.expect("a star space is free"));
        }
    }
}

/// Returns the words of `reeds*3 eggs` with their counts.
fn words(text: &str) -> impl Iterator<Item = (&str, u8)> {
    text.split_whitespace().map(|word| {
        let (name, count) = word.split_once('*').unwrap_or((word, "1"));
        (name, number(count) as u8)
    })
}

/// Parses `reeds*3 eggs` as counts.
fn counts<K: Numbered + FromStr<Err = ParseError>, const N: usize>(text: &str) -> Counts<K, N> {
    let mut counts = Counts::EMPTY;
    for (name, count) in words(text) {
        counts[name.parse::<K>().unwrap_or_else(|error| panic!("{text}: {error:?}"))] += count;
    }
    counts
}

fn number(text: &str) -> usize {
    text.trim().parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}

impl Scripted for RapanuiBoard {
    /// Returns the seat to act and its decision: `seat 0: place`.
    fn due(&self) -> String {
        let what = match self.table.phase {
            Phase::Order => return "turn order".to_owned(),
            Phase::Tiles => return "Ahu tiles".to_owned(),
            Phase::Over => return "over".to_owned(),
            Phase::Draft { .. } => "draft".to_owned(),
            Phase::Place => "place".to_owned(),
            Phase::Sculpt { .. } => "sculpt".to_owned(),
            Phase::Transport => "transport".to_owned(),
            Phase::Carry { at, .. } => format!("carry on from {at}"),
            Phase::Toll { .. } => "toll".to_owned(),
            Phase::Gain { count, .. } => format!("gain {count}"),
            Phase::Shift { .. } => "shift".to_owned(),
            Phase::Exchange { .. } => "exchange".to_owned(),
            Phase::Pay { offering, .. } => format!("pay {offering}"),
            Phase::EndTurn => "end turn".to_owned(),
        };
        let to_act = self.turn().to_act().first().expect("a seat is to act");
        format!("seat {to_act}: {what}")
    }

    fn check_invariants(&self) -> Result<(), String> {
        self.check_invariants()
    }
}

impl Table {
    /// Returns the legal actions that begin with these words, without the words, in the order of the ids.
    fn legal(&self, verb: &str) -> String {
        let Some(to_act) = self.game.turn().to_act().first() else { return String::new() };
        let mut legal = ActionSet::of::<Action>();
        self.game.legal_actions(to_act, &mut legal);
        let texts = legal.actions().map(|action: Action| action.to_string());
        let behind = |text: String| match verb {
            "" => Some(text),
            _ => text.strip_prefix(verb)?.strip_prefix(' ').map(str::to_owned),
        };
        texts.filter_map(behind).collect::<Vec<_>>().join(", ")
    }

    fn player(&self, index: usize) -> &Player {
        &self.game.table.players[seat(index)]
    }

    /// Returns the Reeds, Eggs, Wood, and Pearls of a seat.
    fn resources(&self, index: usize) -> [u8; 4] {
        *self.player(index).resources.as_array()
    }

    /// Returns the Ahu tiles of a seat, `rest skimp`.
    fn tiles(&self, index: usize) -> String {
        let tiles = self.player(index).tiles;
        let names = Tile::ALL.into_iter().flat_map(|tile| std::iter::repeat_n(tile.name(), tiles[tile].into()));
        names.collect::<Vec<_>>().join(" ")
    }

    /// Returns the Moai that a seat has sculpted: small, medium, large.
    fn moai(&self, index: usize) -> [u8; 3] {
        *self.player(index).moai.as_array()
    }

    /// Returns the worth of the Offering tiles of a seat.
    fn offered(&self, index: usize) -> u16 {
        self.game.offered[seat(index)]
    }

    /// Returns the contents of a space, by its number on the map.
    fn site(&self, number: usize) -> &Site {
        self.game.table.site(Space::new(number - 1).expect("a space"))
    }

    /// Returns the standing and the lying Transporters on a space.
    fn transporters(&self, number: usize) -> (u8, u8) {
        (self.site(number).standing, self.site(number).lying)
    }

    fn order(&self) -> String {
        self.game.table.order.to_string()
    }

    fn supply(&self) -> [u8; 3] {
        *self.game.table.supply.as_array()
    }

    /// Returns the points of the seats if the game ended now, including points that are not shown.
    fn scores(&self) -> Vec<i32> {
        self.view(PUBLIC).scores().values().to_vec()
    }

    /// Plays until `due`: nobody plays a tile or buys, all players place, sculpt nothing, and drop out.
    fn pass_until(&mut self, due: &str) {
        for _ in 0..200 {
            if self.due() == due {
                return;
            }
            let action =
                ["sculpt done", "drop out", "end turn", "gain shown"].into_iter().find(|action| !self.refuses(action));
            let placed = ["sorcerer", "sculptor", "transporter"].into_iter().find_map(|verb| {
                self.legal(verb)
                    .split(", ")
                    .next()
                    .filter(|where_to| !where_to.is_empty())
                    .map(|to| format!("{verb} {to}"))
            });
            let action = action.map(str::to_owned).or(placed).unwrap_or_else(|| panic!("stuck at {}", self.due()));
            self.play(&action);
        }
        panic!("{due} does not come; it is {}", self.due());
    }
}

/// Plays a game in which a seat sometimes acts at random, and calls `look` at each position. Games of random actions
/// alone rarely come to Offering tiles.
fn play_sensibly(options: &Options, seed: u64, mut look: impl FnMut(&RapanuiBoard, &mut ChaCha8Rng)) {
    let mut game = RapanuiBoard::new(options);
    let (mut chance, mut rng) = (ChanceRng::new(Seed(seed)), ChaCha8Rng::seed_from_u64(seed));
    game.settle_all(&mut chance, &mut NoEvents);
    while let Some(to_act) = game.turn().to_act().first() {
        look(&game, &mut rng);
        let mut legal = ActionSet::of::<Action>();
        game.legal_actions(to_act, &mut legal);
        let random = legal.nth(rng.random_range(0..legal.len())).and_then(Action::from_id).expect("a legal action");
        let action = if rng.random_range(0..10) == 0 {
            random
        } else {
            (GREEDY_1.choose)(&game.view(Viewer::Seat(to_act)), &legal, &mut rng)
        };
        game.apply(to_act, action, &mut NoEvents);
    }
    look(&game, &mut rng);
}

/// Returns a new game with the seed's turn order and tiles, before phase 1 or the draft.
fn set_up(seats: usize, seed: u64, given: &[(&str, &str)]) -> Table {
    let options: Options = option_list::read(seats, given.iter().copied()).expect("these are options");
    let mut game = RapanuiBoard::new(&options);
    let mut events = Vec::new();
    game.settle_all(&mut ChanceRng::new(Seed(seed)), &mut events);
    Table { game, events }
}

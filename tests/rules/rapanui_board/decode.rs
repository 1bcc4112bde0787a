//! An observation in bits and numbers contains all facts of the typed observation.
//!
//! The decoder reads the fields by the layout that clients get. It knows the viewer and the options. The options imply the
//! side of the board and the values of the Offering tiles.

use std::collections::HashMap;
use std::fmt::Debug;

use ahu_core::{
    ChanceRng, Encode as _, Field, FieldKind, Game, GameExt as _, Layout, NoEvents, Seed, Tensor, View as _, Viewer,
};
use ahu_games::Wire as _;
use ahu_games::rapanui_board::{Area, Areas, Board, Offering, Options, Phase, RapanuiBoard, Space, View};
use ahu_messages::rapanui_board::v1;
use rand::RngExt;

use super::{play_sensibly, table};
use ahu_laws::laws::{few_games, play_random, some_options, tables, viewers};

/// An observation, with the knowledge of its reader.
struct Reader<'a> {
    options: &'a Options,
    viewer: Viewer,
    fields: &'a HashMap<&'static str, (usize, Field)>,
    bits: Vec<u64>,
    numbers: Vec<i16>,
}

/// Returns the fields by name.
fn fields(layout: &Layout) -> HashMap<&'static str, (usize, Field)> {
    layout.bits.iter().chain(&layout.numbers).map(|&(offset, field)| (field.name, (offset, field))).collect()
}

impl Reader<'_> {
    /// Returns the values of a field in the order of its axes: a binary number is one value, and -1 is no value.
    fn known(&self, name: &str) -> Vec<Option<u32>> {
        let (offset, field) = self.fields[name];
        let bit = |n: usize| (self.bits[n / 64] >> (n % 64) & 1) as u32;
        let places = offset..offset + field.size();
        match field.kind {
            FieldKind::Numbers => self.numbers[places].iter().map(|&number| number.try_into().ok()).collect(),
            FieldKind::Binary => {
                assert_eq!(field.axis + 1, field.shape.len(), "{name}");
                let number = |start| (0..field.shape[field.axis]).map(|digit| bit(start + digit) << digit).sum();
                places.step_by(field.shape[field.axis]).map(number).map(Some).collect()
            }
            FieldKind::Flags | FieldKind::OneHot | FieldKind::Thermometer => places.map(bit).map(Some).collect(),
        }
    }

    fn all(&self, name: &str) -> Vec<u32> {
        self.known(name).into_iter().map(|value| value.expect("the value is known")).collect()
    }

    /// Returns the value of a field with one value.
    fn one(&self, name: &str) -> u32 {
        let [value] = self.all(name)[..] else { panic!("{name} has several values") };
        value
    }

    /// Returns the code of a field as messages number enums.
    fn code(&self, name: &str) -> i32 {
        self.one(name).try_into().expect("a code")
    }

    /// Returns the places of the values that are not zero.
    fn places(&self, name: &str) -> Vec<usize> {
        let values = self.all(name);
        (0..values.len()).filter(|&place| values[place] != 0).collect()
    }

    /// Returns the place of the only value that is not zero; None if all values are zero.
    fn place(&self, name: &str) -> Option<usize> {
        let places = self.places(name);
        assert!(places.len() <= 1, "{name}: {places:?}");
        places.first().copied()
    }

    /// Returns the name of the place of the only value that is not zero.
    fn name(&self, name: &str) -> &'static str {
        self.place(name).map_or("none", |place| self.fields[name].1.values[place])
    }

    /// Returns the place of a seat in fields, which begin with the viewer's seat and go to the left.
    fn place_of(&self, seat: usize) -> usize {
        let seats = self.options.seats.count();
        (seat + seats - self.viewer.seat().index()) % seats
    }

    /// Returns the values of a field of one seat, in order.
    fn of_seat(&self, name: &str, seat: usize) -> Vec<u32> {
        let all = self.all(name);
        let each = all.len() / self.fields[name].1.shape[0];
        all[self.place_of(seat) * each..][..each].to_vec()
    }

    fn one_of_seat(&self, name: &str, seat: usize) -> u32 {
        let [value] = self.of_seat(name, seat)[..] else { panic!("{name} has several values for a seat") };
        value
    }

    /// Returns the seat whose place a field shows; None if the field shows no seat.
    fn seat(&self, name: &str) -> Option<u32> {
        let (own, seats) = (self.viewer.seat().index(), self.options.seats.count());
        self.place(name).map(|place| ((own + place) % seats) as u32)
    }
}

fn counts<const N: usize>(values: &[u32]) -> [u32; N] {
    values.try_into().expect("as many counts")
}

fn sizes(values: &[u32]) -> v1::SizeCounts {
    let [small, medium, large] = counts(values);
    v1::SizeCounts { small, medium, large }
}

/// Returns one entry for each copy of a tile.
fn tiles(counts: &[u32]) -> Vec<i32> {
    (1..).zip(counts).flat_map(|(tile, &count)| std::iter::repeat_n(tile, count as usize)).collect()
}

/// Returns the numbers of these indexes in messages.
fn numbers<N: TryFrom<usize, Error: Debug>>(indexes: impl IntoIterator<Item = usize>) -> Vec<N> {
    indexes.into_iter().map(|index| (index + 1).try_into().expect("a small number")).collect()
}

fn spaces(areas: Areas) -> Vec<u32> {
    numbers(Area::spaces_of(areas).iter().map(Space::index))
}

fn area(index: usize) -> v1::Area {
    let quarry = |quarry: v1::Quarry| v1::area::Area::Quarry(quarry.into());
    let oneof = match Area::new(index).expect("an area") {
        Area::CRATER => quarry(v1::Quarry::Crater),
        Area::PUKAO_QUARRY => quarry(v1::Quarry::Pukao),
        _ => v1::area::Area::Space(index as u32 + 1),
    };
    v1::Area { area: Some(oneof) }
}

impl Reader<'_> {
    fn observation(&self) -> v1::Observation {
        let seats = self.options.seats.count();
        let [Some(round), Some(rounds_left), idle_rounds_left] = self.known("rounds")[..] else {
            panic!("expected three numbers, got {:?}", self.known("rounds"))
        };
        let [empty, last] = counts(&self.all("empty_ahus"));
        let [resource_cap, star_count] = counts(&self.all("limits"));
        assert_eq!(resource_cap, u32::from(self.options.resource_cap));
        assert_eq!(self.name("board"), self.options.board.name());
        assert_eq!(self.places("present").len(), seats);
        let active_seat = self.seat("active");
        let mut turn_order: Vec<u32> = (0..seats as u32).collect();
        turn_order.sort_by_key(|&seat| self.one_of_seat("order", seat as usize));
        v1::Observation {
            viewer_seat: match self.viewer {
                Viewer::Seat(seat) => Some(seat.index() as u32),
                Viewer::Public => None,
            },
            phase: self.phase(round).into(),
            active_seat,
            seat_to_act: self.seat("to_act"),
            round,
            turn_order: if active_seat.is_some() { turn_order } else { Vec::new() },
            players: (0..seats).map(|seat| self.player(seat)).collect(),
            spaces: self.spaces(self.options.board.board()),
            supply: Some(sizes(&self.all("supply"))),
            pukao_count: self.one("pukao"),
            free_quarry_places: Some(sizes(&self.all("quarry"))),
            star_count,
            stacks: Offering::ALL.map(|offering| self.stack(offering)).to_vec(),
            empty_ahu_count: empty,
            last_ahu_count: last,
            idle_rounds_left,
            rounds_left,
            erected_or_styled: self.one("has_erected_or_styled") == 1,
            displayed_tiles: tiles(&self.all("display")),
            aside_tiles: tiles(&self.all("aside")),
            sculpted: (self.name("phase") == "sculpt").then(|| sizes(&self.all("sculpted"))),
            transport: self.transport(),
            gain: self.gain(),
            exchange: self.exchange(),
        }
    }

    fn phase(&self, round: u32) -> v1::Phase {
        let name = self.name("phase");
        match name {
            "none" if round == 0 => v1::Phase::Setup,
            "none" => v1::Phase::Over,
            _ => v1::Phase::from_str_name(&format!("PHASE_{}", name.to_uppercase())).expect("a phase"),
        }
    }

    fn player(&self, seat: usize) -> v1::Player {
        let of = |name| self.of_seat(name, seat);
        let one = |name| self.one_of_seat(name, seat);
        let [hut, chicken, hatchet, boat, necklace] = counts(&of("offerings"));
        let [reeds, eggs, wood, pearls] = counts(&of("resources"));
        let held = of("held");
        let improvements = of("improvements");
        v1::Player {
            seat: Some(seat as u32),
            points: one("points"),
            offering_points: self.known("offered")[self.place_of(seat)],
            offerings: Some(v1::OfferingCounts { hut, chicken, hatchet, boat, necklace }),
            resources: Some(v1::ResourceCounts { reeds, eggs, wood, pearls }),
            tiles: tiles(&of("tiles")),
            tablet: one("tablet") == 1,
            improvements: numbers((0..improvements.len()).filter(|&index| improvements[index] == 1)),
            moai: Some(sizes(&of("to_transport"))),
            villager_count: one("villagers"),
            sculptors: Some(sizes(&of("sculptors"))),
            virtual_sculptors: Some(sizes(&of("virtual_sculptors"))),
            sorcerer: Some(self.sorcerer(one("sorcerer"))),
            chief: Some(self.chief(one("chief"))),
            held_spaces: numbers((0..held.len()).filter(|&index| held[index] == 1)),
            dropped_out: one("dropped_out") == 1,
        }
    }

    fn sorcerer(&self, code: u32) -> v1::Sorcerer {
        let place = match self.fields["sorcerer"].1.values[code as usize] {
            "in_hand" => v1::SorcererPlace::InHand,
            "at_work" => v1::SorcererPlace::AtWork,
            star => {
                let star = star.strip_prefix("star_").expect("a star space").parse().expect("its number");
                return v1::Sorcerer { place: v1::SorcererPlace::OnStar.into(), star };
            }
        };
        v1::Sorcerer { place: place.into(), star: 0 }
    }

    fn chief(&self, code: u32) -> v1::Chief {
        let (mut column, mut space) = (0, 0);
        let place = match self.fields["chief"].1.values[code as usize].split_once('_') {
            None => v1::ChiefPlace::InVillage,
            Some(("in", "hand")) => v1::ChiefPlace::InHand,
            Some(("column", size)) => {
                let size = v1::Size::from_str_name(&format!("SIZE_{}", size.to_uppercase())).expect("a size");
                column = size.into();
                v1::ChiefPlace::InQuarry
            }
            Some(("space", number)) => {
                space = number.parse().expect("the number of a space");
                v1::ChiefPlace::OnSpace
            }
            Some(place) => panic!("no Chief is at {place:?}"),
        };
        v1::Chief { place: place.into(), column, space }
    }

    fn spaces(&self, board: &Board) -> Vec<v1::Space> {
        let codes = self.fields["ahus"].1.values;
        let mut ahus = self.all("ahus").into_iter().map(|code| codes[code as usize]);
        let seats = self.options.seats.count();
        let of_spaces = ["standing", "lying", "free_ahus", "unstyled"].map(|name| self.all(name));
        let space = |of: Space| {
            let (row, column) = board.place(of.into());
            let adjacent = board.adjacent(of.into());
            let colours = board.colours(of);
            let contents: Vec<&str> = ahus.by_ref().take(board.ahus(of).into()).collect();
            let tile = |name: &&str| v1::Tile::from_str_name(&format!("TILE_{}", name.to_uppercase()));
            let tiles: Vec<i32> = contents.iter().filter_map(tile).map(i32::from).collect();
            let of_size = |size: &str| contents.iter().filter(|&&name| name == size).count() as u32;
            let moai = ["small", "medium", "large"].map(of_size);
            let [standing, lying, free, unstyled] = of_spaces.each_ref().map(|values| values[of.index()]);
            assert_eq!(tiles.len(), free as usize, "a tile lies on each free ahu");
            let owner = (0..seats).find(|&seat| self.of_seat("held", seat)[of.index()] == 1);
            let is_here = |seat| self.chief(self.one_of_seat("chief", seat)).space == of.index() as u32 + 1;
            v1::Space {
                number: of.index() as u32 + 1,
                row: row.into(),
                column: column.into(),
                adjacent_spaces: spaces(adjacent),
                adjacent_quarries: (adjacent & Area::QUARRIES)
                    .iter()
                    .map(|of| 1 + i32::from(of != Area::CRATER))
                    .collect(),
                colours: numbers(std::iter::once(colours.first).chain(colours.second).map(|colour| colour as usize)),
                ahu_count: board.ahus(of).into(),
                tiles,
                moai: Some(sizes(&moai)),
                styled_count: moai.iter().sum::<u32>() - unstyled,
                owner_seat: owner.map(|seat| seat as u32),
                standing_count: standing,
                lying_count: lying,
                chief: owner.is_some_and(is_here),
            }
        };
        let spaces = board.spaces().map(space).collect();
        assert!(ahus.all(|code| code == "none"), "the side has no more ahus");
        spaces
    }

    fn stack(&self, offering: Offering) -> v1::OfferingStack {
        let tiles = self.options.offerings.tiles();
        let left = |values: &[u8], field| {
            let left = self.all(field)[offering as usize] as usize;
            values[values.len() - left..].iter().map(|&value| value.into()).collect()
        };
        v1::OfferingStack {
            r#type: offering as i32 + 1,
            values: left(tiles.stack(offering, self.options.seats).values(), "stacks"),
            outstanding_values: left(tiles.outstanding(offering).values(), "outstanding_tiles"),
        }
    }

    fn transport(&self) -> Option<v1::Transport> {
        let size = |size: v1::Size| v1::cargo::Cargo::Moai(size.into());
        let cargo = match self.name("cargo") {
            "none" => return None,
            "small" => size(v1::Size::Small),
            "medium" => size(v1::Size::Medium),
            "large" => size(v1::Size::Large),
            cargo => {
                assert_eq!(cargo, "pukao");
                v1::cargo::Cargo::Pukao(v1::cargo::Pukao {})
            }
        };
        Some(v1::Transport {
            cargo: Some(v1::Cargo { cargo: Some(cargo) }),
            at: self.place("at").map(area),
            visited: self.places("visited").into_iter().map(area).collect(),
            tile: self.code("tile"),
            tolls: numbers(self.places("tolls")),
        })
    }

    fn gain(&self) -> Option<v1::Gain> {
        let phase = self.name("phase");
        if !["gain", "shift"].contains(&phase) {
            return None;
        }
        let space = self.place("at").and_then(Space::new).expect("a Moai stands on a space");
        let colours = self.options.board.board().colours(space);
        let [count, first, second] = counts(&self.all("gain"));
        let colour = if first > 0 { Some(colours.first) } else { colours.second };
        let (part_count, colour) = match phase {
            "shift" if first > 0 => (first, colour),
            "shift" => (second, colour),
            _ => (0, None),
        };
        let part_colour = colour.map_or(0, |colour| colour as i32 + 1);
        Some(v1::Gain { space: space.index() as u32 + 1, count, part_count, part_colour })
    }

    fn exchange(&self) -> Option<v1::Exchange> {
        ["exchange", "pay"].contains(&self.name("phase")).then(|| v1::Exchange {
            price: if self.one("skimped") == 1 { 2 } else { 4 },
            offering: self.code("offering"),
            outstanding: self.one("outstanding") == 1,
        })
    }
}

/// Reads the observations of all viewers, and counts them by their phases.
#[derive(Default)]
struct Checked {
    by_phase: HashMap<v1::Phase, usize>,
}

impl Checked {
    fn check(&mut self, game: &RapanuiBoard) {
        let options = game.options();
        for viewer in viewers(options.seats) {
            let view = game.view(viewer).shown();
            let mut layout = Layout::default();
            view.write(&mut layout);
            let (mut bits, mut numbers) = (vec![u64::MAX; View::BITS.div_ceil(64)], vec![i16::MAX; View::NUMBERS]);
            Tensor::fill(&mut bits, &mut numbers, &view);
            let reader = Reader { options, viewer, fields: &fields(&layout), bits, numbers };
            let typed = RapanuiBoard::observation(&view);
            assert_eq!(reader.observation(), typed, "{viewer}:\n{view}");
            *self.by_phase.entry(typed.phase()).or_default() += 1;
        }
    }
}

/// Both sides of the board, random options, random and sensible play, all phases, all viewers.
#[test]
fn a_tensor_tells_what_the_typed_observation_tells() {
    let mut checked = Checked::default();
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(40) {
            let options = some_options::<RapanuiBoard>(seats, seed);
            play_random::<RapanuiBoard>(&options, seed, |game, _, rng| {
                let is_rare =
                    matches!(game.table.phase, Phase::Order | Phase::Tiles | Phase::Draft { .. } | Phase::Over);
                if is_rare || rng.random_range(0..8) == 0 {
                    checked.check(game);
                }
            });
            play_sensibly(&options, seed, |game, rng| {
                let is_common = matches!(game.table.phase, Phase::Place | Phase::Carry { .. } | Phase::Sculpt { .. });
                if !is_common || rng.random_range(0..8) == 0 {
                    checked.check(game);
                }
            });
        }
    }
    let all = checked.by_phase.values().sum::<usize>();
    assert!(all > 5_000, "{all} observations were decoded");
    for phase in 1..=13 {
        let phase = v1::Phase::try_from(phase).expect("there are 13 phases");
        let count = checked.by_phase.get(&phase).copied().unwrap_or_default();
        assert!(count > 20, "{count} observations of {phase:?} were decoded: {:?}", checked.by_phase);
    }
}

/// The first chance event: the turn order is not drawn yet.
#[test]
fn a_tensor_shows_no_turn_order_before_it_is_drawn() {
    for seats in tables::<RapanuiBoard>() {
        let mut game = RapanuiBoard::new(&some_options::<RapanuiBoard>(seats, 7));
        let mut checked = Checked::default();
        checked.check(&game);
        game.settle_all(&mut ChanceRng::new(Seed(7)), &mut NoEvents);
        checked.check(&game);
        assert!(checked.by_phase.len() == 2, "{:?}", checked.by_phase);
    }
}

/// Random and sensible games seldom lend the Chief to a space.
#[test]
fn a_tensor_tells_each_place_of_a_chief() {
    let mut checked = Checked::default();
    let on_board = Space::all().map(|space| space.to_string());
    for place in ["", "small", "medium", "large"].into_iter().map(str::to_owned).chain(on_board) {
        checked.check(&table(&format!("0: has reeds\n1: chief {place}\n2: tablet")).game);
    }
    assert_eq!(checked.by_phase.values().sum::<usize>(), (4 + Space::COUNT) * 4, "31 places, 4 viewers");
}

//! The observation: a view as bits and numbers. Seats go from the own one to the left.
//!
//! The facts that the options decide are not part of it: the spaces of each side of the board, their colours and
//! neighbours, and the values of the Offering tiles.

use ahu_core::observation::flag_bits;
use ahu_core::parts::counts::Counts;
use ahu_core::{Encode, Numbered, Seat, Sink, fields};

use super::board::{AHUS, Side};
use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::{PUKAO, Size};
use super::offering::{Offering, Source};
use super::options::{ChiefTiming, OfferingView, Options, TakeYourPick};
use super::order::Star;
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::resource::{Resource, Resources};
use super::space::{Area, Space};
use super::table::Table;
use super::tile::Tile;
use super::view::View;

/// The number of seats of the largest table.
const SEATS: usize = 4;
/// The number of ahus on the larger side of the board.
const ALL_AHUS: usize = 21;
/// The most victory points of a player's Offering tiles: all 27 tiles, of at most 14 points each.
const MOST_OFFERED: i16 = 27 * 14;
/// The most victory points: Offering tiles, four full Resource rows, the tablet, and Gain Favor.
const MOST_POINTS: i16 = MOST_OFFERED + 4 * 15 + 6;

fields! {
    bits {
        /// the options that have this value
        options: flags[7].values(&[
            "chief_timing=phase1", "chief_timing=phase2", "choice_split=false", "take_your_pick=any",
            "pass_other_quarry=false", "beginner_tiles=true", "offering_view=open"
        ]);
        /// the side of the board
        board: one_hot[Side::COUNT].values(Side::NAMES);
        /// the seat is taken in this game
        present: flags[SEATS].by_seat();
        /// the seat whose turn it is; none before the turn order is drawn
        active: one_hot[SEATS].by_seat();
        /// the seat to act
        to_act: one_hot[SEATS].by_seat();
        /// the place of each seat in the turn order, from 0, the first player; 0 before the order is drawn
        order: binary[SEATS, 2].by_seat();
        /// the decision that is due; none while chance is due or at the end
        phase: one_hot[11].values(&[
            "draft", "place", "sculpt", "transport", "carry", "toll", "gain", "shift", "exchange", "pay", "end_turn"
        ]);
        /// the seat has dropped out of phase 3 of this round
        dropped_out: flags[SEATS].by_seat();
        /// a Moai was erected or styled in this round: the round is not idle
        has_erected_or_styled: flags[];

        /// Resources of each seat, by type
        resources: binary[SEATS, Resource::COUNT, 4].by_seat().values_along(1, Resource::NAMES);
        /// Ahu tiles in front of each seat, by kind
        tiles: binary[SEATS, Tile::COUNT, 3].by_seat().values_along(1, Tile::NAMES);
        /// the seat has its Rongorongo Tablet
        tablet: flags[SEATS].by_seat();
        /// Improvement tiles of each seat
        improvements: flags[SEATS, Improvement::COUNT].by_seat().values(Improvement::NAMES);
        /// Offering tiles of each seat, by type
        offerings: binary[SEATS, Offering::COUNT, 3].by_seat().values_along(1, Offering::NAMES);
        /// Villagers of each seat that are not placed
        villagers: binary[SEATS, 3].by_seat();
        /// Sculptors of each seat in each column, without the Chief
        sculptors: binary[SEATS, Size::COUNT, 3].by_seat().values_along(1, Size::NAMES);
        /// virtual Sculptors of each seat in each column, by Chip In
        virtual_sculptors: binary[SEATS, Size::COUNT, 3].by_seat().values_along(1, Size::NAMES);
        /// Moai of each seat that are sculpted in this round and not erected
        to_transport: binary[SEATS, Size::COUNT, 4].by_seat().values_along(1, Size::NAMES);
        /// the place of each seat's Sorcerer
        sorcerer: binary[SEATS, 3].by_seat().codes(&SORCERER_PLACES);
        /// the place of each seat's Chief
        chief: binary[SEATS, 5].by_seat().codes(&CHIEF_PLACES);

        /// Transporters of this seat are on the space, including the Chief
        held: flags[SEATS, Space::COUNT].by_seat();
        /// Transporters that stand on each space, without the Chief
        standing: binary[Space::COUNT, 3];
        /// Transporters that lie on each space: they are fatigued
        lying: binary[Space::COUNT, 3];
        /// ahus of each space with an Ahu tile: those without a Moai
        free_ahus: binary[Space::COUNT, 2];
        /// Moai on each space without a Pukao
        unstyled: binary[Space::COUNT, 2];
        /// the Ahu tile or the Moai on each ahu. The ahus go space by space, in board order; on each space, first tiles in
        /// the order of the codes, then Moai. Side rn_34_v1 has one ahu on each of the spaces 1, 3, 9, 10, 22, 23, 26, 27,
        /// two on 2, 4, 15, 16, 24, three on 25; side rn_2_v1 one on 1, 3, 4, 8, 9, 11, 17, 19, two on 2, 12, 16, three on
        /// 18
        ahus: binary[ALL_AHUS, 4].codes(&AHU_CONTENTS);
        /// Offering tiles left in each stack; the top ones are gone first
        stacks: binary[Offering::COUNT, 3].values_along(0, Offering::NAMES);
        /// Outstanding Offering tiles left, by type; the best are gone first
        outstanding_tiles: binary[Offering::COUNT, 2].values_along(0, Offering::NAMES);
        /// Ahu tiles displayed for the draft, by kind
        display: binary[Tile::COUNT, 3].values_along(0, Tile::NAMES);
        /// Ahu tiles set aside in the draft, by kind
        aside: binary[Tile::COUNT, 2].values_along(0, Tile::NAMES);

        /// the cargo that is transported or has just arrived
        cargo: one_hot[Cargo::COUNT].values(&Cargo::NAMES);
        /// the area of the cargo: the spaces, the Crater, the Pukao Quarry; for a gain, the space of the Moai
        at: one_hot[Area::COUNT];
        /// the transport has visited the area, by area as in at
        visited: flags[Area::COUNT];
        /// the Ahu tile to be taken after all tolls are chosen
        tile: binary[4].codes(&TILES_OR_NONE);
        /// the tolls to be chosen, by space; the first space comes next
        tolls: flags[Space::COUNT];
        /// the price of this exchange is two Resources
        skimped: flags[];
        /// the Offering tile to be paid for
        offering: binary[3].codes(&OFFERINGS_OR_NONE);
        /// the Offering tile to be paid for is an Outstanding one
        outstanding: flags[];
    }
    numbers {
        /// the total worth of each seat's Offering tiles; -1 if it is not shown
        offered: numbers[SEATS].range(-1, MOST_OFFERED).by_seat();
        /// victory points of each seat if the game ended now; Offering tiles of unknown worth count nothing
        points: numbers[SEATS].range(0, MOST_POINTS).by_seat();
        /// Moai in the supply
        supply: numbers[Size::COUNT].range(0, 8).values(Size::NAMES);
        /// Pukao in the supply
        pukao: numbers[].range(0, PUKAO as i16);
        /// free places in the columns of the Moai Quarry
        quarry: numbers[Size::COUNT].range(0, 9).values(Size::NAMES);
        /// the number of the round; the largest number of rounds still to be played, this one included; the number of
        /// further idle rounds, this one included, that end the game, or -1 with stall_end=0
        rounds: numbers[3].range(-1, 30).values(&["round", "rounds_left", "idle_rounds_left"]);
        /// ahus without a Moai; the number of them that ends the game
        empty_ahus: numbers[2].range(0, ALL_AHUS as i16).values(&["now", "at_end"]);
        /// the rightmost space of the Resource rows; the number of star spaces
        limits: numbers[2].range(0, 15).values(&["resource_spaces", "star_spaces"]);
        /// Resources to be gained; during a decision about Fervent for each of two colours, those of the first and of the
        /// second
        gain: numbers[3].range(0, 18).values(&["resources", "first_colour", "second_colour"]);
        /// Moai that the active player has sculpted in this turn of phase 2
        sculpted: numbers[Size::COUNT].range(0, 8).values(Size::NAMES);
    }
}

/// The places of a Sorcerer.
const SORCERER_PLACES: [&str; Star::COUNT + 2] =
    ["in_hand", "star_1", "star_2", "star_3", "star_4", "star_5", "star_6", "at_work"];

/// The places of a Chief.
const CHIEF_PLACES: [&str; CHIEF_ON_SPACE + Space::COUNT] =
    joined(&[&["village", "in_hand", "column_small", "column_medium", "column_large"], &SPACES]);
/// The spaces of the island, as codes.
const SPACES: [&str; Space::COUNT] = [
    "space_1", "space_2", "space_3", "space_4", "space_5", "space_6", "space_7", "space_8", "space_9", "space_10",
    "space_11", "space_12", "space_13", "space_14", "space_15", "space_16", "space_17", "space_18", "space_19",
    "space_20", "space_21", "space_22", "space_23", "space_24", "space_25", "space_26", "space_27",
];
/// The code of a Chief on the first space.
const CHIEF_ON_SPACE: usize = 2 + Size::COUNT;

/// The contents of an ahu: none if the side lacks the ahu, or before the tiles are laid.
const AHU_CONTENTS: [&str; AHU_WITH_MOAI + Size::COUNT] = joined(&[&["none"], Tile::NAMES, Size::NAMES]);
/// The code of an ahu with a small Moai.
const AHU_WITH_MOAI: usize = 1 + Tile::COUNT;

/// The kinds of Ahu tiles, after none.
const TILES_OR_NONE: [&str; 1 + Tile::COUNT] = joined(&[&["none"], Tile::NAMES]);

/// The types of Offering tiles, after none.
const OFFERINGS_OR_NONE: [&str; 1 + Offering::COUNT] = joined(&[&["none"], Offering::NAMES]);

/// Returns the names of several lists as one list.
const fn joined<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut list, mut next) = (0, 0);
    while list < lists.len() {
        let mut place = 0;
        while place < lists[list].len() {
            names[next] = lists[list][place];
            (place, next) = (place + 1, next + 1);
        }
        list += 1;
    }
    assert!(next == N, "the lists have as many names");
    names
}

/// Returns counts as binary digits, one after the other.
#[inline]
fn digits<K: Numbered, const N: usize>(counts: &Counts<K, N>, width: usize) -> u64 {
    counts.as_array().iter().rev().fold(0, |digits, &count| digits << width | u64::from(count))
}

/// Returns the words of a field that has `width` bits for each seat, if several seats share a word.
#[inline]
fn by_seat<const WORDS: usize>(players: &Players<'_>, width: usize, of: impl Fn(&Player) -> u64) -> [u64; WORDS] {
    let each = SEATS / WORDS;
    std::array::from_fn(|word| (0..each).rev().fold(0, |bits, seat| bits << width | of(players[word * each + seat])))
}

/// The players from the own seat to the left. Absent seats have a player without anything.
type Players<'a> = [&'a Player; SEATS];

/// The player of an absent seat.
static ABSENT: Player = Player { resources: Resources::EMPTY, villagers: 0, ..Player::new(false) };

/// The factors that repeat a code of four bits, by the number of times.
const REPEATED: [u64; AHUS + 1] = [0, 0x1, 0x11, 0x111];

/// The contents of the spaces as words of bits.
#[derive(Default)]
struct SiteBits {
    standing: [u64; 3],
    lying: [u64; 3],
    free_ahus: u64,
    unstyled: u64,
    ahus: u128,
}

impl SiteBits {
    #[inline]
    fn of(table: &Table) -> Self {
        let mut bits = Self::default();
        for space in table.occupied().iter() {
            let site = table.site(space);
            // Each word has the three digits of nine spaces.
            let (word, shift) = (space.index() / 9, space.index() % 9 * 3);
            bits.standing[word] |= u64::from(site.standing) << shift;
            bits.lying[word] |= u64::from(site.lying) << shift;
        }
        let board = table.board();
        let mut shift = 0;
        for space in board.with_ahus.iter() {
            let site = table.site(space);
            let codes = site.tiles.map(|tile| tile.map_or(0, |tile| 1 + tile.index() as u64));
            let mut contents = codes[0] | codes[1] << 4 | codes[2] << 8;
            let mut used = codes.iter().filter(|&&code| code > 0).count();
            bits.free_ahus |= (used as u64) << (space.index() * 2);
            bits.unstyled |= u64::from(site.unstyled()) << (space.index() * 2);
            for (size, count) in site.moai.iter() {
                let code = (AHU_WITH_MOAI + size.index()) as u64;
                contents |= (code * REPEATED[usize::from(count)]) << (4 * used);
                used += usize::from(count);
            }
            bits.ahus |= u128::from(contents) << shift;
            shift += 4 * board.ahus(space);
        }
        bits
    }
}

/// The undecided data of a phase.
#[derive(Clone, Copy, Default)]
struct Pending {
    phase: u64,
    cargo: u64,
    at: u64,
    visited: u64,
    tile: u64,
    tolls: u64,
    skimped: u64,
    offering: u64,
    outstanding: u64,
    gain: [i16; 3],
    sculpted: [i16; 3],
}

impl Pending {
    #[inline]
    fn of(phase: Phase) -> Self {
        let none = Self::default();
        match phase {
            Phase::Order | Phase::Tiles | Phase::Over => none,
            Phase::Draft { .. } => Self { phase: 1, ..none },
            Phase::Place => Self { phase: 1 << 1, ..none },
            Phase::Sculpt { sculpted } => Self { phase: 1 << 2, sculpted: sculpted.as_array().map(i16::from), ..none },
            Phase::Transport => Self { phase: 1 << 3, ..none },
            Phase::Carry { cargo, at, visited } => {
                Self { phase: 1 << 4, cargo: 1 << cargo.index(), at: 1 << at.index(), visited: visited.bits(), ..none }
            }
            Phase::Toll { space, size, tile, left } => Self {
                phase: 1 << 5,
                cargo: 1 << size.index(),
                at: 1 << space.index(),
                tile: tile.index() as u64 + 1,
                tolls: left.bits(),
                ..none
            },
            Phase::Gain { space, count } => {
                Self { phase: 1 << 6, at: 1 << space.index(), gain: [count.into(), 0, 0], ..none }
            }
            Phase::Shift { space, first, second } => {
                let gain = [(first + second).into(), first.into(), second.into()];
                Self { phase: 1 << 7, at: 1 << space.index(), gain, ..none }
            }
            Phase::Exchange { skimped } => Self { phase: 1 << 8, skimped: skimped.into(), ..none },
            Phase::Pay { skimped, offering, source } => Self {
                phase: 1 << 9,
                skimped: skimped.into(),
                offering: offering.index() as u64 + 1,
                outstanding: (source == Source::Outstanding).into(),
                ..none
            },
            Phase::EndTurn => Self { phase: 1 << 10, ..none },
        }
    }
}

impl View {
    /// Returns the seats from the own one to the left; None for absent seats.
    #[inline]
    fn seats_from_left(&self) -> [Option<Seat>; SEATS] {
        let seats = self.table.options.seats;
        std::array::from_fn(|place| (place < seats.count()).then(|| seats.left_of(self.viewer.seat(), place)))
    }

    #[inline]
    fn write_turn(&self, players: &Players<'_>, pending: &Pending, sink: &mut impl Sink) {
        let table = &self.table;
        let Options { seats, board, chief_timing, choice_split, take_your_pick, pass_other_quarry, .. } = table.options;
        let flags = [
            chief_timing == ChiefTiming::Phase1,
            chief_timing == ChiefTiming::Phase2,
            !choice_split,
            take_your_pick == TakeYourPick::Any,
            !pass_other_quarry,
            table.options.beginner_tiles,
            table.options.offering_view == OfferingView::Open,
        ];
        sink.bits(fields::options, &[flag_bits(flags)]);
        sink.bits(fields::board, &[1 << board.index()]);
        sink.bits(fields::present, &[(1 << seats.count()) - 1]);
        let seat_bit = |seat| 1 << seats.steps_left(self.viewer.seat(), seat);
        let (mut active, mut order) = (0, 0);
        if table.phase != Phase::Order {
            active = seat_bit(table.active);
            for (place, seat) in table.order.iter().enumerate() {
                order |= (place as u64) << (seats.steps_left(self.viewer.seat(), seat) * 2);
            }
        }
        sink.bits(fields::active, &[active]);
        sink.bits(fields::to_act, &[table.to_act().map_or(0, seat_bit)]);
        sink.bits(fields::order, &[order]);
        sink.bits(fields::phase, &[pending.phase]);
        sink.bits(fields::dropped_out, &by_seat::<1>(players, 1, |player| player.has_dropped_out.into()));
        sink.bits(fields::has_erected_or_styled, &[table.has_erected_or_styled.into()]);
    }

    #[inline]
    fn write_players(players: &Players<'_>, sink: &mut impl Sink) {
        sink.bits(fields::resources, &by_seat::<1>(players, 16, |player| digits(&player.resources, 4)));
        sink.bits(fields::tiles, &by_seat::<2>(players, 30, |player| digits(&player.tiles, 3)));
        sink.bits(fields::tablet, &by_seat::<1>(players, 1, |player| player.has_tablet.into()));
        sink.bits(fields::improvements, &by_seat::<1>(players, 4, |player| player.improvements.bits()));
        sink.bits(fields::offerings, &by_seat::<1>(players, 15, |player| digits(&player.offerings, 3)));
        sink.bits(fields::villagers, &by_seat::<1>(players, 3, |player| player.villagers.into()));
        sink.bits(fields::sculptors, &by_seat::<1>(players, 9, |player| digits(&player.sculptors, 3)));
        sink.bits(fields::virtual_sculptors, &by_seat::<1>(players, 9, |player| digits(&player.chip_ins, 3)));
        sink.bits(fields::to_transport, &by_seat::<1>(players, 12, |player| digits(&player.moai, 4)));
        let sorcerer = |player: &Player| match player.sorcerer {
            Sorcerer::InHand => 0,
            Sorcerer::OnStar(star) => 1 + star.index() as u64,
            Sorcerer::AtWork => 1 + Star::COUNT as u64,
        };
        sink.bits(fields::sorcerer, &by_seat::<1>(players, 3, sorcerer));
        let chief = |player: &Player| match player.chief {
            Chief::InVillage => 0,
            Chief::InHand => 1,
            Chief::InQuarry(column) => 2 + column.index() as u64,
            Chief::OnSpace(space) => (CHIEF_ON_SPACE + space.index()) as u64,
        };
        sink.bits(fields::chief, &by_seat::<1>(players, 5, chief));
    }

    #[inline]
    fn write_board(&self, players: &Players<'_>, sink: &mut impl Sink) {
        let table = &self.table;
        sink.bits(fields::held, &by_seat::<2>(players, Space::COUNT, |player| player.held.bits()));
        let sites = SiteBits::of(table);
        sink.bits(fields::standing, &sites.standing);
        sink.bits(fields::lying, &sites.lying);
        sink.bits(fields::free_ahus, &[sites.free_ahus]);
        sink.bits(fields::unstyled, &[sites.unstyled]);
        let half = ALL_AHUS * 2;
        sink.bits(fields::ahus, &[sites.ahus as u64 & ((1 << half) - 1), (sites.ahus >> half) as u64]);
        let left = |source, width: usize| {
            let of = |bits: u64, offering| bits << width | table.values_left(offering, source).len() as u64;
            Offering::ALL.into_iter().rev().fold(0, of)
        };
        sink.bits(fields::stacks, &[left(Source::Stack, 3)]);
        sink.bits(fields::outstanding_tiles, &[left(Source::Outstanding, 2)]);
        sink.bits(fields::display, &[digits(&table.display, 3)]);
        sink.bits(fields::aside, &[digits(&table.aside, 2)]);
    }

    #[inline]
    fn write_pending(pending: &Pending, sink: &mut impl Sink) {
        sink.bits(fields::cargo, &[pending.cargo]);
        sink.bits(fields::at, &[pending.at]);
        sink.bits(fields::visited, &[pending.visited]);
        sink.bits(fields::tile, &[pending.tile]);
        sink.bits(fields::tolls, &[pending.tolls]);
        sink.bits(fields::skimped, &[pending.skimped]);
        sink.bits(fields::offering, &[pending.offering]);
        sink.bits(fields::outstanding, &[pending.outstanding]);
    }

    #[inline]
    fn write_numbers(&self, seats: [Option<Seat>; SEATS], pending: &Pending, sink: &mut impl Sink) {
        let table = &self.table;
        let offered = |seat| self.offered[seat].map_or(-1, |offered| offered as i16);
        sink.numbers(fields::offered, &seats.map(|seat| seat.map_or(0, offered)));
        sink.numbers(fields::points, &seats.map(|seat| seat.map_or(0, |seat| self.points(seat) as i16)));
        sink.numbers(fields::supply, &table.supply.as_array().map(i16::from));
        sink.numbers(fields::pukao, &[table.pukao.into()]);
        sink.numbers(fields::quarry, &table.free_places().as_array().map(i16::from));
        let idle_rounds_left = table.idle_rounds_left().map_or(-1, i16::from);
        sink.numbers(fields::rounds, &[table.round.into(), table.rounds_left().into(), idle_rounds_left]);
        sink.numbers(fields::empty_ahus, &[table.empty_ahus().into(), table.last_ahus().into()]);
        let Options { resource_cap, star_spaces, .. } = table.options;
        sink.numbers(fields::limits, &[resource_cap.into(), star_spaces.into()]);
        sink.numbers(fields::gain, &pending.gain);
        sink.numbers(fields::sculpted, &pending.sculpted);
    }
}

impl Encode for View {
    const BITS: usize = BITS;
    const NUMBERS: usize = NUMBERS;

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
        let (seats, pending) = (self.seats_from_left(), Pending::of(self.table.phase));
        let players = seats.map(|seat| seat.map_or(&ABSENT, |seat| &self.table.players[seat]));
        self.write_turn(&players, &pending, sink);
        Self::write_players(&players, sink);
        self.write_board(&players, sink);
        Self::write_pending(&pending, sink);
        self.write_numbers(seats, &pending, sink);
    }
}

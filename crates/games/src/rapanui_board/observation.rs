//! The observation: a view as bits and numbers. Seats go from the own one to the left.
//!
//! The facts that the options decide are not part of it: the spaces of each side of the board, their colours and
//! neighbours, and the values of the Offering tiles.

use ahu_core::observation::flag_bits;
use ahu_core::{Encode, Sink, fields};

use super::board::Side;
use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::{PUKAO, Size};
use super::offering::{Offering, Source};
use super::options::{ChiefTiming, OfferingView, Options, TakeYourPick};
use super::order::Star;
use super::phase::Phase;
use super::player::{Chief, Sorcerer};
use super::resource::Resource;
use super::site::AHU_WITH_MOAI;
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

/// The contents of the spaces as words of bits.
#[derive(Default)]
struct SiteBits {
    standing: [u64; 3],
    lying: [u64; 3],
    free_ahus: u64,
    unstyled: u64,
    ahus: [u64; 3],
    /// The number of ahus without a Moai.
    empty_ahus: i16,
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
        // The contents of the next ahus; each word has a third of all.
        let (mut word, mut contents, mut filled) = (0, 0, 0);
        for space in board.with_ahus.iter() {
            let (site, ahus) = (table.site(space), board.ahus(space));
            bits.free_ahus |= u64::from(site.free()) << (space.index() * 2);
            bits.unstyled |= u64::from(site.unstyled()) << (space.index() * 2);
            bits.empty_ahus += i16::from(ahus - site.moai_count());
            contents |= site.codes() << filled;
            filled += 4 * usize::from(ahus);
            if filled >= WORD_OF_AHUS {
                bits.ahus[word] = contents & ((1 << WORD_OF_AHUS) - 1);
                (word, contents, filled) = (word + 1, contents >> WORD_OF_AHUS, filled - WORD_OF_AHUS);
            }
        }
        if filled > 0 {
            bits.ahus[word] = contents;
        }
        bits
    }
}

/// The bits of a third of the ahus.
const WORD_OF_AHUS: usize = ALL_AHUS / 3 * 4;

/// The facts by seat, from the own seat to the left; absent seats are zero. A word has the bits of all seats, or of two.
#[derive(Default)]
struct Rows {
    order: u64,
    dropped_out: u64,
    resources: u64,
    tiles: [u64; 2],
    tablet: u64,
    improvements: u64,
    offerings: u64,
    villagers: u64,
    sculptors: u64,
    virtual_sculptors: u64,
    to_transport: u64,
    sorcerer: u64,
    chief: u64,
    held: [u64; 2],
    offered: [i16; SEATS],
    points: [i16; SEATS],
}

impl Rows {
    // One loop for all fields.
    #[inline]
    fn of(view: &View) -> Self {
        let table = &view.table;
        let seats = table.options.seats;
        let mut rows = Self::default();
        for k in 0..seats.count() {
            let seat = seats.left_of(view.viewer.seat(), k);
            let player = &table.players[seat];
            rows.dropped_out |= u64::from(player.has_dropped_out) << k;
            rows.resources |= player.resources.digits(4) << (16 * k);
            rows.tiles[k / 2] |= player.tiles.digits(3) << (30 * (k % 2));
            rows.tablet |= u64::from(player.has_tablet) << k;
            rows.improvements |= player.improvements.bits() << (4 * k);
            rows.offerings |= player.offerings.digits(3) << (15 * k);
            rows.villagers |= u64::from(player.villagers) << (3 * k);
            rows.sculptors |= player.sculptors.digits(3) << (9 * k);
            rows.virtual_sculptors |= player.chip_ins.digits(3) << (9 * k);
            rows.to_transport |= player.moai.digits(4) << (12 * k);
            let sorcerer = match player.sorcerer {
                Sorcerer::InHand => 0,
                Sorcerer::OnStar(star) => 1 + star.index() as u64,
                Sorcerer::AtWork => 1 + Star::COUNT as u64,
            };
            rows.sorcerer |= sorcerer << (3 * k);
            let chief = match player.chief {
                Chief::InVillage => 0,
                Chief::InHand => 1,
                Chief::InQuarry(column) => 2 + column.index() as u64,
                Chief::OnSpace(space) => (CHIEF_ON_SPACE + space.index()) as u64,
            };
            rows.chief |= chief << (5 * k);
            rows.held[k / 2] |= player.held.bits() << (Space::COUNT * (k % 2));
            rows.offered[k] = view.offered[seat].map_or(-1, |offered| offered as i16);
            rows.points[k] = view.points(seat) as i16;
        }
        if table.phase != Phase::Order {
            for (place, seat) in table.order.iter().enumerate() {
                rows.order |= (place as u64) << (seats.steps_left(view.viewer.seat(), seat) * 2);
            }
        }
        rows
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
    #[inline]
    fn write_turn(&self, rows: &Rows, pending: &Pending, sink: &mut impl Sink) {
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
        sink.bits(fields::active, &[if table.phase == Phase::Order { 0 } else { seat_bit(table.active) }]);
        sink.bits(fields::to_act, &[table.to_act().map_or(0, seat_bit)]);
        sink.bits(fields::order, &[rows.order]);
        sink.bits(fields::phase, &[pending.phase]);
        sink.bits(fields::dropped_out, &[rows.dropped_out]);
        sink.bits(fields::has_erected_or_styled, &[table.has_erected_or_styled.into()]);
    }

    #[inline]
    fn write_players(rows: &Rows, sink: &mut impl Sink) {
        sink.bits(fields::resources, &[rows.resources]);
        sink.bits(fields::tiles, &rows.tiles);
        sink.bits(fields::tablet, &[rows.tablet]);
        sink.bits(fields::improvements, &[rows.improvements]);
        sink.bits(fields::offerings, &[rows.offerings]);
        sink.bits(fields::villagers, &[rows.villagers]);
        sink.bits(fields::sculptors, &[rows.sculptors]);
        sink.bits(fields::virtual_sculptors, &[rows.virtual_sculptors]);
        sink.bits(fields::to_transport, &[rows.to_transport]);
        sink.bits(fields::sorcerer, &[rows.sorcerer]);
        sink.bits(fields::chief, &[rows.chief]);
    }

    #[inline]
    fn write_board(&self, rows: &Rows, sites: &SiteBits, sink: &mut impl Sink) {
        let table = &self.table;
        sink.bits(fields::held, &rows.held);
        sink.bits(fields::standing, &sites.standing);
        sink.bits(fields::lying, &sites.lying);
        sink.bits(fields::free_ahus, &[sites.free_ahus]);
        sink.bits(fields::unstyled, &[sites.unstyled]);
        sink.bits(fields::ahus, &sites.ahus);
        let left = |source, width: usize| {
            let of = |bits: u64, offering| bits << width | table.values_left(offering, source).len() as u64;
            Offering::ALL.into_iter().rev().fold(0, of)
        };
        sink.bits(fields::stacks, &[left(Source::Stack, 3)]);
        sink.bits(fields::outstanding_tiles, &[left(Source::Outstanding, 2)]);
        sink.bits(fields::display, &[table.display.digits(3)]);
        sink.bits(fields::aside, &[table.aside.digits(2)]);
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
    fn write_numbers(&self, rows: &Rows, sites: &SiteBits, pending: &Pending, sink: &mut impl Sink) {
        let table = &self.table;
        sink.numbers(fields::offered, &rows.offered);
        sink.numbers(fields::points, &rows.points);
        sink.numbers(fields::supply, &table.supply.as_array().map(i16::from));
        sink.numbers(fields::pukao, &[table.pukao.into()]);
        sink.numbers(fields::quarry, &table.free_places().as_array().map(i16::from));
        let idle_rounds_left = table.idle_rounds_left().map_or(-1, i16::from);
        sink.numbers(fields::rounds, &[table.round.into(), table.rounds_left().into(), idle_rounds_left]);
        sink.numbers(fields::empty_ahus, &[sites.empty_ahus, table.last_ahus().into()]);
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
        let pending = Pending::of(self.table.phase);
        let rows = Rows::of(self);
        let sites = SiteBits::of(&self.table);
        self.write_turn(&rows, &pending, sink);
        Self::write_players(&rows, sink);
        self.write_board(&rows, &sites, sink);
        Self::write_pending(&pending, sink);
        self.write_numbers(&rows, &sites, &pending, sink);
    }
}

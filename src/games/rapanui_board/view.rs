//! A viewer's knowledge, and its observation.

use super::RapanuiBoard;
use super::board::{AHUS, Side};
use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::{PUKAO, Size};
use super::offering::{Offering, Source, Stack};
use super::options::{ChiefTiming, OfferingView, Options, TakeYourPick};
use super::order::Star;
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::resource::Resource;
use super::space::{Area, Space};
use super::table::Table;
use super::tile::{Tile, Tiles};
use crate::core::{self, BySeat, Field, Seat, Sink, Viewer, ranks_by};

/// The knowledge of one viewer: the whole game, before [`View::shown`](core::View::shown) leaves facts out.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The public part of the state.
    pub table: Table,
    /// The total worth of each player's Offering tiles; None if it is not shown.
    pub offered: BySeat<Option<u16>>,
}

impl View {
    #[inline]
    pub(super) fn of(game: &RapanuiBoard, viewer: Viewer) -> Self {
        Self { viewer, table: game.table.clone(), offered: game.offered.map(Some) }
    }

    /// Returns the viewer's game: the viewer knows all of it (M32).
    pub(super) fn game(&self) -> RapanuiBoard {
        let offered = self.offered.map(|offered| offered.expect("the view has all totals before it is shown"));
        RapanuiBoard { table: self.table.clone(), offered }
    }

    /// Returns the victory points as the final scoring would give them now. Offering tiles of unknown worth count
    /// nothing.
    pub fn points(&self, seat: Seat) -> u16 {
        self.offered[seat].unwrap_or(0) + self.table.open_points(seat)
    }

    /// Returns the bit of `seat`, own seat first.
    #[inline]
    fn seat_bit(&self, seat: Seat) -> u64 {
        1 << self.table.options.seats.steps_left(self.viewer.seat(), seat)
    }
}

/// The fields of the observation.
mod fields {
    use super::{AHUS, Area, Cargo, Field, Improvement, Offering, Resource, Side, Size, Space, Stack, Star, Tile};

    /// The number of seats at the largest table.
    pub(super) const SEATS: usize = 4;
    /// The highest cap of a Resource row.
    pub(super) const CAP: usize = 15;
    /// The largest number of lying or standing Transporters on a space: five Villagers and the Sorcerer.
    pub(super) const CROWD: usize = 6;
    /// The largest number of copies of an Ahu tile.
    pub(super) const COPIES: usize = 4;
    /// The numbers for each seat and type of Offering tiles.
    pub(super) const TYPES: usize = SEATS * Offering::COUNT;
    /// The numbers for each seat and size of Moai.
    pub(super) const SIZES: usize = SEATS * Size::COUNT;
    /// The number of phases in which a seat decides.
    pub(super) const PHASES: usize = 11;

    pub(super) const OPTIONS: Field = Field::flags(
        "options",
        &[7],
        "chief_timing=phase1, chief_timing=phase2, choice_split=false, take_your_pick=any, pass_other_quarry=false, \
         beginner_tiles=true, offering_view=open",
    )
    .values(&[
        "chief_timing=phase1",
        "chief_timing=phase2",
        "choice_split=false",
        "take_your_pick=any",
        "pass_other_quarry=false",
        "beginner_tiles=true",
        "offering_view=open",
    ]);
    pub(super) const BOARD: Field =
        Field::one_hot("board", &[Side::COUNT], "the side of the board: rn_34_v1, rn_2_v1").values(Side::NAMES);
    pub(super) const PRESENT: Field = Field::flags("present", &[SEATS], "the seat is taken in this game").by_seat();
    pub(super) const ACTIVE: Field = Field::one_hot("active", &[SEATS], "the seat whose turn it is").by_seat();
    pub(super) const OWING: Field = Field::one_hot("to_act", &[SEATS], "the seat to act").by_seat();
    pub(super) const ORDER: Field =
        Field::one_hot("order", &[SEATS, SEATS], "the place of each seat in the turn order, from the first player on")
            .by_seat();
    pub(super) const PHASE: Field = Field::one_hot(
        "phase",
        &[PHASES],
        "Draft, Place, Sculpt, Transport, Carry, Toll, Gain, Shift, Exchange, Pay, EndTurn; none of them if chance \
         is due or at the end",
    )
    .values(&[
        "draft",
        "place",
        "sculpt",
        "transport",
        "carry",
        "toll",
        "gain",
        "shift",
        "exchange",
        "pay",
        "end_turn",
    ]);
    pub(super) const DROPPED_OUT: Field =
        Field::flags("dropped_out", &[SEATS], "the seat has dropped out of phase 3 of this round").by_seat();
    pub(super) const HAS_ERECTED: Field = Field::flags("has_erected", &[], "a Moai was erected in this round");
    pub(super) const RESOURCES: Field = Field::thermometer(
        "resources",
        &[SEATS, Resource::COUNT, CAP],
        "Resources of each seat: reeds, eggs, wood, pearls",
    )
    .by_seat()
    .values_along(1, Resource::NAMES);
    pub(super) const TILES: Field = Field::thermometer(
        "tiles",
        &[SEATS, Tile::COUNT, COPIES],
        "Ahu tiles before each seat: rest, barter, skimp, chip_in, take_three_more, take_your_pick, change_jobs, \
         lend_a_hand, gain_favor, take_two_more",
    )
    .by_seat()
    .values_along(1, Tile::NAMES);
    pub(super) const TABLET: Field = Field::flags("tablet", &[SEATS], "the seat has its Rongorongo Tablet").by_seat();
    pub(super) const IMPROVEMENTS: Field = Field::flags(
        "improvements",
        &[SEATS, Improvement::COUNT],
        "Improvement tiles of each seat: fervent, artistic, popular, chief",
    )
    .by_seat()
    .values(Improvement::NAMES);
    pub(super) const SORCERER: Field = Field::one_hot(
        "sorcerer",
        &[SEATS, Star::COUNT + 2],
        "the place of each seat's Sorcerer: in hand, on the star spaces from the first on, at work",
    )
    .by_seat()
    .values(&["in_hand", "star_1", "star_2", "star_3", "star_4", "star_5", "star_6", "at_work"]);
    pub(super) const CHIEF: Field = Field::one_hot(
        "chief",
        &[SEATS, 5],
        "the place of each seat's Chief: in hand, below the columns small, medium, large, on a space; none: in the \
         Village",
    )
    .by_seat()
    .values(&["in_hand", "column_small", "column_medium", "column_large", "on_space"]);
    pub(super) const DISPLAY: Field =
        Field::thermometer("display", &[Tile::COUNT, COPIES], "Ahu tiles displayed for the draft, by kind as in tiles")
            .values_along(0, Tile::NAMES);
    pub(super) const ASIDE: Field =
        Field::thermometer("aside", &[Tile::COUNT, COPIES], "Ahu tiles set aside in the draft, by kind as in tiles")
            .values_along(0, Tile::NAMES);

    pub(super) const SPACES: Field = Field::flags("spaces", &[Space::COUNT], "the board has this space");
    pub(super) const COLOURS: Field = Field::flags(
        "colours",
        &[Resource::COUNT, Space::COUNT],
        "the space shows this colour: reeds, eggs, wood, pearls",
    )
    .values_along(0, Resource::NAMES);
    pub(super) const BESIDE: Field =
        Field::flags("beside", &[2, Space::COUNT], "the space is adjacent to the Crater, to the Pukao Quarry")
            .values_along(0, &["crater", "pukao_quarry"]);
    pub(super) const HELD: Field =
        Field::flags("held", &[SEATS, Space::COUNT], "Transporters of this seat are on the space, including the Chief")
            .by_seat();
    pub(super) const LENT_CHIEF: Field =
        Field::one_hot("lent_chief", &[SEATS, Space::COUNT], "the Chief of this seat is on the space").by_seat();
    pub(super) const STANDING: Field = Field::thermometer(
        "standing",
        &[CROWD, Space::COUNT],
        "Transporters that stand on each space, without the Chief",
    )
    .along(0);
    pub(super) const LYING: Field =
        Field::thermometer("lying", &[CROWD, Space::COUNT], "Transporters that lie on each space").along(0);
    pub(super) const FREE_AHUS: Field =
        Field::thermometer("free_ahus", &[AHUS, Space::COUNT], "ahus of each space without a Moai").along(0);
    pub(super) const AHU_TILES: Field = Field::thermometer(
        "ahu_tiles",
        &[Tile::COUNT, AHUS, Space::COUNT],
        "Ahu tiles on the ahus of each space, by kind as in tiles",
    )
    .along(1)
    .values_along(0, Tile::NAMES);
    pub(super) const MOAI: Field = Field::thermometer(
        "moai",
        &[Size::COUNT, AHUS, Space::COUNT],
        "Moai erected on each space: small, medium, large",
    )
    .along(1)
    .values_along(0, Size::NAMES);
    pub(super) const UNSTYLED: Field =
        Field::thermometer("unstyled", &[AHUS, Space::COUNT], "Moai of each space without a Pukao").along(0);

    pub(super) const CARGO: Field = Field::one_hot(
        "cargo",
        &[Cargo::COUNT],
        "the cargo that is transported or has just arrived: small, medium, large Moai, Pukao",
    )
    .values(&["small", "medium", "large", "pukao"]);
    pub(super) const AT: Field = Field::one_hot(
        "at",
        &[Area::COUNT],
        "the area of the cargo: the spaces, the Crater, the Pukao Quarry; for a gain, the space of the Moai",
    );
    pub(super) const VISITED: Field =
        Field::flags("visited", &[Area::COUNT], "the transport has visited the area, by area as in at");
    pub(super) const TILE: Field = Field::one_hot(
        "tile",
        &[Tile::COUNT],
        "the Ahu tile to be taken after all tolls are chosen, by kind as in tiles",
    )
    .values(Tile::NAMES);
    pub(super) const TOLLS: Field = Field::flags("tolls", &[Space::COUNT], "the toll of this space is to be chosen");
    pub(super) const TOLL: Field = Field::one_hot("toll", &[Space::COUNT], "the space whose toll is chosen now");
    pub(super) const SKIMPED: Field = Field::flags("skimped", &[], "the price of this exchange is two Resources");
    pub(super) const OFFERING: Field = Field::one_hot(
        "offering",
        &[Offering::COUNT],
        "the Offering tile to be paid for: hut, chicken, hatchet, boat, necklace",
    )
    .values(Offering::NAMES);
    pub(super) const OUTSTANDING: Field =
        Field::flags("outstanding", &[], "the Offering tile to be paid for is an Outstanding one");

    const MOST_OFFERED: i16 = 27 * 14;
    pub(super) const STACKS: Field = Field::numbers(
        "stacks",
        &[Offering::COUNT, Stack::MAX],
        (0, 14),
        "the worth of the Offering tiles in the stacks, from the top, by type as in offering; 0 after the last",
    )
    .values_along(0, Offering::NAMES);
    pub(super) const OUTSTANDING_TILES: Field = Field::numbers(
        "outstanding_tiles",
        &[Offering::COUNT, Stack::MAX_OUTSTANDING],
        (0, 14),
        "the worth of the Outstanding Offering tiles left, the best first; 0 after the last",
    )
    .values_along(0, Offering::NAMES);
    pub(super) const OFFERINGS: Field = Field::numbers(
        "offerings",
        &[SEATS, Offering::COUNT],
        (0, 6),
        "Offering tiles of each seat, by type as in offering",
    )
    .by_seat()
    .values(Offering::NAMES);
    pub(super) const OFFERED: Field = Field::numbers(
        "offered",
        &[SEATS],
        (-1, MOST_OFFERED),
        "the total worth of each seat's Offering tiles; -1 if it is not shown",
    )
    .by_seat();
    pub(super) const POINTS: Field = Field::numbers(
        "points",
        &[SEATS],
        (0, MOST_OFFERED + 4 * CAP as i16 + 9),
        "victory points of each seat if the game ended now; Offering tiles of unknown worth count nothing",
    )
    .by_seat();
    pub(super) const VILLAGERS: Field =
        Field::numbers("villagers", &[SEATS], (0, 5), "Villagers of each seat that are not placed").by_seat();
    pub(super) const SCULPTORS: Field = Field::numbers(
        "sculptors",
        &[SEATS, Size::COUNT],
        (0, 6),
        "Sculptors of each seat in the columns small, medium, large, without the Chief",
    )
    .by_seat()
    .values(Size::NAMES);
    pub(super) const CHIP_INS: Field = Field::numbers(
        "virtual_sculptors",
        &[SEATS, Size::COUNT],
        (0, 5),
        "virtual Sculptors of each seat in the columns small, medium, large, by Chip In",
    )
    .by_seat()
    .values(Size::NAMES);
    pub(super) const TO_TRANSPORT: Field = Field::numbers(
        "to_transport",
        &[SEATS, Size::COUNT],
        (0, 8),
        "Moai of each seat that are sculpted in this round and not erected: small, medium, large",
    )
    .by_seat()
    .values(Size::NAMES);
    pub(super) const SUPPLY: Field =
        Field::numbers("supply", &[Size::COUNT], (0, 8), "Moai in the supply: small, medium, large")
            .values(Size::NAMES);
    pub(super) const PUKAO_LEFT: Field = Field::numbers("pukao", &[], (0, super::PUKAO as i16), "Pukao in the supply");
    pub(super) const QUARRY: Field = Field::numbers(
        "quarry",
        &[Size::COUNT],
        (0, 9),
        "free places in the columns of the Moai Quarry: small, medium, large",
    )
    .values(Size::NAMES);
    pub(super) const ROUNDS: Field = Field::numbers(
        "rounds",
        &[2],
        (-1, 30),
        "the number of the round; the number of further rounds without an erected Moai, this one included, that end \
         the game, or -1 with stall_end=0",
    )
    .values(&["round", "idle_rounds_left"]);
    pub(super) const ROUNDS_LEFT: Field = Field::numbers(
        "rounds_left",
        &[],
        (0, 30),
        "the largest number of rounds still to be played, this one included",
    );
    pub(super) const EMPTY_AHUS: Field =
        Field::numbers("empty_ahus", &[2], (0, 21), "ahus without a Moai; the number of them that ends the game")
            .values(&["now", "at_end"]);
    pub(super) const LIMITS: Field =
        Field::numbers("limits", &[2], (0, 15), "the rightmost space of the Resource rows; the number of star spaces")
            .values(&["resource_spaces", "star_spaces"]);
    pub(super) const GAIN: Field = Field::numbers(
        "gain",
        &[3],
        (0, 18),
        "Resources to be gained; during a decision about Fervent for each of two colours, those of the first and of \
         the second",
    )
    .values(&["resources", "first_colour", "second_colour"]);
    pub(super) const SCULPTED: Field = Field::numbers(
        "sculpted",
        &[Size::COUNT],
        (0, 8),
        "Moai that the active player has sculpted in this turn of phase 2: small, medium, large",
    )
    .values(Size::NAMES);
}

const _: () = assert!(
    <View as core::View>::BITS <= 4096 && <View as core::View>::NUMBERS <= 128,
    "a board game has at most 4,096 bits and 128 numbers"
);

fn showing(board: &super::Board, resource: Resource) -> u64 {
    let shows =
        |space: &Space| board.colours(*space).first == resource || board.colours(*space).second == Some(resource);
    board.spaces().filter(shows).collect::<super::space::Spaces>().bits()
}

/// Returns the lowest `count` bits.
#[inline]
const fn thermometer(count: u8) -> u64 {
    (1 << count) - 1
}

/// Returns a thermometer of four bits for each kind of tile, one after the other.
#[inline]
fn tile_bits(tiles: &Tiles) -> u64 {
    let counts = tiles.as_array();
    (0..Tile::COUNT).fold(0, |bits, kind| bits | thermometer(counts[kind]) << (kind * fields::COPIES))
}

/// For each level, the spaces that hold more than this number of something.
#[derive(Clone, Copy)]
struct Planes<const LEVELS: usize>([u64; LEVELS]);

impl<const LEVELS: usize> Planes<LEVELS> {
    const EMPTY: Self = Self([0; LEVELS]);

    #[inline]
    fn add(&mut self, space: usize, count: u8) {
        for plane in &mut self.0[..count.into()] {
            *plane |= 1 << space;
        }
    }
}

/// The contents of the spaces, as planes.
struct SitePlanes {
    standing: Planes<{ fields::CROWD }>,
    lying: Planes<{ fields::CROWD }>,
    free_ahus: Planes<AHUS>,
    tiles: [Planes<AHUS>; Tile::COUNT],
    moai: [Planes<AHUS>; Size::COUNT],
    unstyled: Planes<AHUS>,
}

impl SitePlanes {
    #[inline]
    fn of(table: &Table) -> Self {
        let mut planes = Self {
            standing: Planes::EMPTY,
            lying: Planes::EMPTY,
            free_ahus: Planes::EMPTY,
            tiles: [Planes::EMPTY; Tile::COUNT],
            moai: [Planes::EMPTY; Size::COUNT],
            unstyled: Planes::EMPTY,
        };
        for space in table.occupied().iter() {
            let site = table.site(space);
            planes.standing.add(space.index(), site.standing);
            planes.lying.add(space.index(), site.lying);
        }
        for space in table.board().with_ahus.iter() {
            let (site, space) = (table.site(space), space.index());
            for (place, &tile) in site.tiles.iter().flatten().enumerate() {
                planes.free_ahus.0[place] |= 1 << space;
                // Equal tiles are adjacent: the level is the number of equal tiles before this one.
                let level = site.tiles[..place].iter().filter(|&&other| other == Some(tile)).count();
                planes.tiles[tile as usize].0[level] |= 1 << space;
            }
            for size in Size::ALL {
                planes.moai[size as usize].add(space, site.moai[size]);
            }
            planes.unstyled.add(space, site.unstyled());
        }
        planes
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
                cargo: 1 << size as u64,
                at: 1 << space.index(),
                tile: 1 << tile as u64,
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
                offering: 1 << offering as u64,
                outstanding: (source == Source::Outstanding).into(),
                ..none
            },
            Phase::EndTurn => Self { phase: 1 << 10, ..none },
        }
    }
}

impl View {
    /// Returns one word of bits for each seat, own seat first.
    #[inline]
    fn by_seat(&self, of: impl Fn(&Player) -> u64) -> [u64; fields::SEATS] {
        self.table.players.from_left(self.viewer.seat(), |player| of(&player))
    }

    /// Returns `EACH` numbers for each seat, own seat first.
    #[inline]
    fn numbers_by_seat<const EACH: usize, const N: usize>(&self, of: impl Fn(&Player) -> [u8; EACH]) -> [i16; N] {
        let mut numbers = [0; N];
        let seats = self.table.options.seats;
        for (place, numbers) in numbers.chunks_exact_mut(EACH).enumerate().take(seats.count()) {
            let player = &self.table.players[seats.left_of(self.viewer.seat(), place)];
            numbers.iter_mut().zip(of(player)).for_each(|(number, count)| *number = count.into());
        }
        numbers
    }

    /// Returns the worth of the tiles left of each type, in rows of `EACH` numbers.
    fn values_left<const EACH: usize, const N: usize>(&self, source: Source) -> [i16; N] {
        let mut numbers = [0; N];
        for (line, offering) in numbers.chunks_exact_mut(EACH).zip(Offering::ALL) {
            let left = self.table.values_left(offering, source);
            line.iter_mut().zip(left).for_each(|(number, &value)| *number = value.into());
        }
        numbers
    }

    #[inline]
    fn write_players(&self, sink: &mut impl Sink) {
        let resources = |player: &Player| {
            let counts = player.resources.as_array();
            (0..Resource::COUNT).fold(0, |bits, of| bits | thermometer(counts[of]) << (of * fields::CAP))
        };
        sink.bits(fields::RESOURCES, &self.by_seat(resources));
        sink.bits(fields::TILES, &self.by_seat(|player| tile_bits(&player.tiles)));
        sink.bits(fields::TABLET, &self.by_seat(|player| player.has_tablet.into()));
        sink.bits(fields::IMPROVEMENTS, &self.by_seat(|player| player.improvements.bits()));
        let sorcerer = |player: &Player| match player.sorcerer {
            Sorcerer::InHand => 1,
            Sorcerer::OnStar(star) => 2 << star.index(),
            Sorcerer::AtWork => 2 << Star::COUNT,
        };
        sink.bits(fields::SORCERER, &self.by_seat(sorcerer));
        let chief = |player: &Player| match player.chief {
            Chief::InVillage => 0,
            Chief::InHand => 1,
            Chief::InQuarry(column) => 2 << column as u64,
            Chief::OnSpace(_) => 2 << Size::COUNT,
        };
        sink.bits(fields::CHIEF, &self.by_seat(chief));
    }

    #[inline]
    fn write_spaces(&self, sink: &mut impl Sink) {
        let board = self.table.board();
        sink.bits(fields::SPACES, &[board.all().bits()]);
        sink.bits(fields::COLOURS, &Resource::ALL.map(|resource| showing(board, resource)));
        let beside = |quarry| board.adjacent(quarry).spaces().bits();
        sink.bits(fields::BESIDE, &[beside(Area::CRATER), beside(Area::PUKAO_QUARRY)]);
        sink.bits(fields::HELD, &self.by_seat(|player| player.held.bits()));
        let lent = |player: &Player| player.lent_chief().map_or(0, |space| 1 << space.index());
        sink.bits(fields::LENT_CHIEF, &self.by_seat(lent));
        let planes = SitePlanes::of(&self.table);
        sink.bits(fields::STANDING, &planes.standing.0);
        sink.bits(fields::LYING, &planes.lying.0);
        sink.bits(fields::FREE_AHUS, &planes.free_ahus.0);
        sink.bits(fields::AHU_TILES, planes.tiles.map(|planes| planes.0).as_flattened());
        sink.bits(fields::MOAI, planes.moai.map(|planes| planes.0).as_flattened());
        sink.bits(fields::UNSTYLED, &planes.unstyled.0);
    }

    #[inline]
    fn write_numbers(&self, pending: &Pending, sink: &mut impl Sink) {
        let table = &self.table;
        let own = self.viewer.seat();
        sink.numbers(
            fields::STACKS,
            &self.values_left::<{ Stack::MAX }, { Offering::COUNT * Stack::MAX }>(Source::Stack),
        );
        sink.numbers(
            fields::OUTSTANDING_TILES,
            &self.values_left::<{ Stack::MAX_OUTSTANDING }, { Offering::COUNT * Stack::MAX_OUTSTANDING }>(
                Source::Outstanding,
            ),
        );
        sink.numbers(
            fields::OFFERINGS,
            &self.numbers_by_seat::<_, { fields::TYPES }>(|player| *player.offerings.as_array()),
        );
        let offered = |offered: Option<u16>| offered.map_or(-1, |offered| offered as i16);
        sink.numbers(fields::OFFERED, &self.offered.from_left::<{ fields::SEATS }, _>(own, offered));
        let points = BySeat::from_fn(table.options.seats, |seat| self.points(seat) as i16);
        sink.numbers(fields::POINTS, &points.from_left::<{ fields::SEATS }, _>(own, |points| points));
        sink.numbers(fields::VILLAGERS, &self.numbers_by_seat::<_, { fields::SEATS }>(|player| [player.villagers]));
        sink.numbers(
            fields::SCULPTORS,
            &self.numbers_by_seat::<_, { fields::SIZES }>(|player| *player.sculptors.as_array()),
        );
        sink.numbers(
            fields::CHIP_INS,
            &self.numbers_by_seat::<_, { fields::SIZES }>(|player| *player.chip_ins.as_array()),
        );
        sink.numbers(
            fields::TO_TRANSPORT,
            &self.numbers_by_seat::<_, { fields::SIZES }>(|player| *player.moai.as_array()),
        );
        sink.numbers(fields::SUPPLY, &table.supply.as_array().map(i16::from));
        sink.numbers(fields::PUKAO_LEFT, &[table.pukao.into()]);
        sink.numbers(fields::QUARRY, &Size::ALL.map(|column| table.free_places(column).into()));
        let Options { stall_end, max_rounds, resource_cap, star_spaces, .. } = table.options;
        let idle_left = if stall_end == 0 { -1 } else { i16::from(stall_end.saturating_sub(table.idle_rounds)) };
        sink.numbers(fields::ROUNDS, &[table.round.into(), idle_left]);
        sink.numbers(fields::ROUNDS_LEFT, &[(max_rounds + 1 - table.round.max(1)).into()]);
        sink.numbers(fields::EMPTY_AHUS, &[table.empty_ahus().into(), table.last_ahus().into()]);
        sink.numbers(fields::LIMITS, &[resource_cap.into(), star_spaces.into()]);
        sink.numbers(fields::GAIN, &pending.gain);
        sink.numbers(fields::SCULPTED, &pending.sculpted);
    }
}

impl core::View for View {
    const BITS: usize = 2682;
    const NUMBERS: usize = 118;

    fn viewer(&self) -> Viewer {
        self.viewer
    }

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
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
        let pending = Pending::of(table.phase);
        sink.bits(fields::OPTIONS, &[flags.iter().enumerate().fold(0, |bits, (n, &on)| bits | u64::from(on) << n)]);
        sink.bits(fields::BOARD, &[1 << board as u64]);
        sink.bits(fields::PRESENT, &[(1 << seats.count()) - 1]);
        sink.bits(fields::ACTIVE, &[self.seat_bit(table.active)]);
        sink.bits(fields::OWING, &[table.to_act().map_or(0, |seat| self.seat_bit(seat))]);
        let mut places = [0; fields::SEATS];
        for (place, seat) in table.order.iter().enumerate() {
            places[seats.steps_left(self.viewer.seat(), seat)] = 1 << place;
        }
        sink.bits(fields::ORDER, &places);
        sink.bits(fields::PHASE, &[pending.phase]);
        sink.bits(fields::DROPPED_OUT, &self.by_seat(|player| player.has_dropped_out.into()));
        sink.bits(fields::HAS_ERECTED, &[table.has_erected.into()]);
        self.write_players(sink);
        sink.bits(fields::DISPLAY, &[tile_bits(&table.display)]);
        sink.bits(fields::ASIDE, &[tile_bits(&table.aside)]);
        self.write_spaces(sink);
        sink.bits(fields::CARGO, &[pending.cargo]);
        sink.bits(fields::AT, &[pending.at]);
        sink.bits(fields::VISITED, &[pending.visited]);
        sink.bits(fields::TILE, &[pending.tile]);
        sink.bits(fields::TOLLS, &[pending.tolls]);
        sink.bits(fields::TOLL, &[pending.tolls & pending.tolls.wrapping_neg()]);
        sink.bits(fields::SKIMPED, &[pending.skimped]);
        sink.bits(fields::OFFERING, &[pending.offering]);
        sink.bits(fields::OUTSTANDING, &[pending.outstanding]);
        self.write_numbers(&pending, sink);
    }

    /// Leaves out the worth of others' Offering tiles before the end, unless it is public (M32).
    fn shown(mut self) -> Self {
        if self.table.options.offering_view == OfferingView::Private && self.table.phase != Phase::Over {
            for seat in self.table.options.seats.iter().filter(|&seat| !self.viewer.is(seat)) {
                self.offered[seat] = None;
            }
        }
        self
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(self.table.options.seats, |seat| self.points(seat).into())
    }

    /// Ranks the seats by points; tied players share the rank (M36).
    fn ranks(&self) -> BySeat<u8> {
        ranks_by(&self.scores())
    }
}

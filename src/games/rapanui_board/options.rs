//! The options: variants for the points on which the rulebook is silent.

use super::board::Side;
use super::counts::named;
use super::moai::{Size, Sizes};
use super::offering::Values;
use crate::core::{GameOptions, OptionKind, OptionSpec, Seats};

/// The options that the players agree on before play. The defaults are the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of seats.
    pub seats: Seats,
    /// The side of the board.
    pub board: Side,
    /// The number of places in each column of the Moai Quarry.
    pub quarry: Sizes,
    /// The number of star spaces on the turn order track, at least one for each seat.
    pub star_spaces: u8,
    /// The values of the Offering tiles.
    pub offerings: Values,
    /// The rightmost space of a Resource row.
    pub resource_cap: u8,
    /// The time at which the Chief goes to the Moai Quarry.
    pub chief_timing: ChiefTiming,
    /// True if each Resource of a Moai on a space with two colours is chosen separately.
    pub choice_split: bool,
    /// The Outstanding Offering tiles that Take Your Pick gives.
    pub take_your_pick: TakeYourPick,
    /// True if Moai may pass the Pukao Quarry, and Pukao the Crater.
    pub pass_other_quarry: bool,
    /// True if the game uses the Ahu tiles of a first game, without Rongorongo Tablets.
    pub beginner_tiles: bool,
    /// The number of rounds in a row without an erected Moai that ends the game; 0 for never.
    pub stall_end: u8,
    /// The number of rounds that ends the game.
    pub max_rounds: u8,
    /// The rule for showing the total worth of others' Offering tiles.
    pub offering_view: OfferingView,
}

/// The time at which the Chief goes to the Moai Quarry (ruling M4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChiefTiming {
    /// In phase 1 as a figurine, or else in phase 2 before sculpting.
    Either,
    /// In phase 1, where he must be placed.
    Phase1,
    /// In phase 2, before sculpting.
    Phase2,
}

named!(ChiefTiming, "moment for the Chief", [Either "either", Phase1 "phase1", Phase2 "phase2"]);

/// The Outstanding Offering tiles that Take Your Pick gives (ruling M19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TakeYourPick {
    /// Tiles of the paid type, or, with Artistic, of the next-higher type.
    Matching,
    /// Tiles of any type, whatever the payment.
    Any,
}

named!(TakeYourPick, "reading of Take Your Pick", [Matching "matching", Any "any"]);

/// The rule for showing the total worth of others' Offering tiles in observations (ruling M32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfferingView {
    /// The total is not shown: the tiles are face down.
    Private,
    /// The total is shown.
    Open,
}

named!(OfferingView, "view of Offering tiles", [Private "private", Open "open"]);

/// The option for the number of places in a column of the Moai Quarry.
macro_rules! quarry {
    ($key:literal, $size:expr, $column:literal) => {
        OptionSpec {
            key: $key,
            kind: OptionKind::Number { min: 1, max: 9 },
            meaning: concat!(
                "The number of places in the ",
                $column,
                " column of the Moai Quarry (reconstruction); board sets it."
            ),
            get: |options| options.quarry[$size].into(),
            set: |options, value| options.quarry[$size] = value as u8,
        }
    };
}

impl GameOptions for Options {
    const MIN_SEATS: usize = 2;
    const MAX_SEATS: usize = 4;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "board",
            kind: OptionKind::Choice(&["rn_34_v1", "rn_2_v1"]),
            meaning: "The side of the board (reconstructions): rn_34_v1, for 3 and 4 players; rn_2_v1, for 2. It \
                      sets the quarry and the star spaces, unless these are given too.",
            get: |options| options.board as u16,
            set: |options, value| options.turn_up(Side::ALL[usize::from(value)]),
        },
        quarry!("quarry_small", Size::Small, "first"),
        quarry!("quarry_medium", Size::Medium, "second"),
        quarry!("quarry_large", Size::Large, "third"),
        OptionSpec {
            key: "star_spaces",
            kind: OptionKind::Number { min: 2, max: 6 },
            meaning: "The number of star spaces on the turn order track, at least one for each player \
                      (reconstruction); board sets it.",
            get: |options| options.star_spaces.into(),
            set: |options, value| options.star_spaces = value as u8,
        },
        OptionSpec {
            key: "offerings",
            kind: OptionKind::Choice(&["rn_v1"]),
            meaning: "The values of the Offering tiles: rn_v1 (reconstruction).",
            get: |options| options.offerings as u16,
            set: |options, value| options.offerings = Values::ALL[usize::from(value)],
        },
        OptionSpec {
            key: "resource_cap",
            kind: OptionKind::Number { min: 4, max: 15 },
            meaning: "The largest number of Resources of a type for a player: the length of the rows on a player board \
                      (reconstruction).",
            get: |options| options.resource_cap.into(),
            set: |options, value| options.resource_cap = value as u8,
        },
        OptionSpec {
            key: "chief_timing",
            kind: OptionKind::Choice(&["either", "phase1", "phase2"]),
            meaning: "The time for the Chief to go to the Moai Quarry: either, in phase 1 as an optional figurine, or \
                      in phase 2 before sculpting; phase1, only as a figurine, which must be placed; phase2, only \
                      before sculpting.",
            get: |options| options.chief_timing as u16,
            set: |options, value| options.chief_timing = ChiefTiming::ALL[usize::from(value)],
        },
        OptionSpec {
            key: "choice_split",
            kind: OptionKind::Flag,
            meaning: "The gain of a Moai on a space with two colours: true, each Resource is chosen separately; \
                      false, all are of one colour.",
            get: |options| options.choice_split.into(),
            set: |options, value| options.choice_split = value != 0,
        },
        OptionSpec {
            key: "take_your_pick",
            kind: OptionKind::Choice(&["matching", "any"]),
            meaning: "The Outstanding Offering tiles that Take Your Pick gives: matching, those of the type that \
                      would be taken from the stack; any, those of any type, whatever the payment.",
            get: |options| options.take_your_pick as u16,
            set: |options, value| options.take_your_pick = TakeYourPick::ALL[usize::from(value)],
        },
        OptionSpec {
            key: "pass_other_quarry",
            kind: OptionKind::Flag,
            meaning: "Transports of Moai through the Pukao Quarry, and of Pukao through the Crater: true, allowed; \
                      false, not allowed.",
            get: |options| options.pass_other_quarry.into(),
            set: |options, value| options.pass_other_quarry = value != 0,
        },
        OptionSpec {
            key: "beginner_tiles",
            kind: OptionKind::Flag,
            meaning: "A first game: 21 Ahu tiles without the harder kinds, and no Rongorongo Tablets.",
            get: |options| options.beginner_tiles.into(),
            set: |options, value| options.beginner_tiles = value != 0,
        },
        OptionSpec {
            key: "stall_end",
            kind: OptionKind::Number { min: 0, max: 9 },
            meaning: "The number of rounds in a row without an erected Moai that ends the game; 0, never.",
            get: |options| options.stall_end.into(),
            set: |options, value| options.stall_end = value as u8,
        },
        OptionSpec {
            key: "max_rounds",
            kind: OptionKind::Number { min: 1, max: 30 },
            meaning: "The largest number of rounds; after it the game is over.",
            get: |options| options.max_rounds.into(),
            set: |options, value| options.max_rounds = value as u8,
        },
        OptionSpec {
            key: "offering_view",
            kind: OptionKind::Choice(&["private", "open"]),
            meaning: "The total worth of others' Offering tiles in observations before the end: private, hidden, \
                      because the tiles are face down; open, shown. The number of tiles of each type is always \
                      shown, and events tell the worth of each tile as it is taken.",
            get: |options| options.offering_view as u16,
            set: |options, value| options.offering_view = OfferingView::ALL[usize::from(value)],
        },
    ];

    fn new(seats: Seats) -> Self {
        let mut options = Self {
            seats,
            board: Side::Rn34V1,
            quarry: Sizes::EMPTY,
            star_spaces: 0,
            offerings: Values::RnV1,
            resource_cap: 8,
            chief_timing: ChiefTiming::Either,
            choice_split: true,
            take_your_pick: TakeYourPick::Matching,
            pass_other_quarry: true,
            beginner_tiles: false,
            stall_end: 2,
            max_rounds: 15,
            offering_view: OfferingView::Private,
        };
        options.turn_up(if seats.count() == 2 { Side::Rn2V1 } else { Side::Rn34V1 });
        options
    }

    fn seats(&self) -> Seats {
        self.seats
    }

    fn check(&self) -> Result<(), String> {
        let seats = self.seats.count();
        match (self.board, seats == 2) {
            (Side::Rn34V1, true) => return Err("expected board rn_2_v1 for 2 players, got rn_34_v1".to_owned()),
            (Side::Rn2V1, false) => return Err("expected board rn_34_v1 for 3 or 4 players, got rn_2_v1".to_owned()),
            (Side::Rn34V1, false) | (Side::Rn2V1, true) => {}
        }
        match usize::from(self.star_spaces) < seats {
            true => {
                Err(format!("expected star_spaces of at least {seats}, one for each player, got {}", self.star_spaces))
            }
            false => Ok(()),
        }
    }
}

impl Options {
    fn turn_up(&mut self, side: Side) {
        let board = side.board();
        (self.board, self.quarry, self.star_spaces) = (side, board.quarry, board.stars);
    }
}

//! The options: what a table may agree on where the rulebook is silent.

use super::board::Side;
use super::counts::named;
use super::moai::{Size, Sizes};
use super::offering::Values;
use crate::core::{GameOptions, OptionKind, OptionSpec, Seats};

/// What is agreed before play. The defaults are the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many play.
    pub seats: Seats,
    /// Which side of the board lies up.
    pub board: Side,
    /// The places in the columns of the Moai Quarry.
    pub quarry: Sizes,
    /// How many star spaces the turn order track has, at least one a seat.
    pub star_spaces: u8,
    /// What Offering tiles are worth.
    pub offerings: Values,
    /// The rightmost space of a Resource row.
    pub resource_cap: u8,
    /// When the Chief goes to the Moai Quarry.
    pub chief_timing: ChiefTiming,
    /// Whether each Resource of a Moai erected on a space with two colours is chosen by itself.
    pub choice_split: bool,
    /// Which Outstanding Offering tiles Take Your Pick gives.
    pub take_your_pick: TakeYourPick,
    /// Whether Moai may pass the Pukao Quarry, and Pukao the Crater.
    pub pass_other_quarry: bool,
    /// Whether the game is played with the Ahu tiles of a first game, and without Rongorongo Tablets.
    pub beginner_tiles: bool,
    /// After how many rounds in a row without a Moai erected the game is over; never, if 0.
    pub stall_end: u8,
    /// After how many rounds the game is over.
    pub max_rounds: u8,
    /// Whether observations show the total of others' Offering tiles.
    pub offering_view: OfferingView,
}

/// When the Chief goes to the Moai Quarry (ruling M4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChiefTiming {
    /// In phase 1 as a figurine that is placed, or else in phase 2, before sculpting.
    Either,
    /// In phase 1, where he must be placed.
    Phase1,
    /// In phase 2, before sculpting.
    Phase2,
}

named!(ChiefTiming, "moment for the Chief", [Either "either", Phase1 "phase1", Phase2 "phase2"]);

/// Which Outstanding Offering tiles Take Your Pick gives (ruling M19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TakeYourPick {
    /// Those of the type that is paid for, or, if Artistic, of the next-higher.
    Matching,
    /// Those of any type, whatever is paid.
    Any,
}

named!(TakeYourPick, "reading of Take Your Pick", [Matching "matching", Any "any"]);

/// Whether observations show the total of others' Offering tiles (ruling M32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfferingView {
    /// No: they lie face down.
    Private,
    /// Yes.
    Open,
}

named!(OfferingView, "view of Offering tiles", [Private "private", Open "open"]);

/// The option that says how many places a column of the Moai Quarry has.
macro_rules! quarry {
    ($key:literal, $size:expr, $column:literal) => {
        OptionSpec {
            key: $key,
            kind: OptionKind::Number { min: 1, max: 9 },
            meaning: concat!(
                "How many places the ",
                $column,
                " column of the Moai Quarry has (reconstruction); board sets it."
            ),
            get: |options| options.quarry[$size].into(),
            set: |options, value| options.quarry[$size] = value as u8,
        }
    };
}

impl GameOptions for Options {
    const SEATS_MIN: usize = 2;
    const SEATS_MAX: usize = 4;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "board",
            kind: OptionKind::Choice(&["rn_34_v1", "rn_2_v1"]),
            meaning: "Which side of the board (reconstructions): rn_34_v1, for 3 and 4 players; rn_2_v1, for 2. It \
                      sets the quarry and the star spaces, unless they are given by themselves.",
            get: |options| options.board as u16,
            set: |options, value| options.turn_up(Side::ALL[usize::from(value)]),
        },
        quarry!("quarry_small", Size::Small, "first"),
        quarry!("quarry_medium", Size::Medium, "second"),
        quarry!("quarry_large", Size::Large, "third"),
        OptionSpec {
            key: "star_spaces",
            kind: OptionKind::Number { min: 2, max: 6 },
            meaning: "How many star spaces the turn order track has, at least one a player (reconstruction); board \
                      sets it.",
            get: |options| options.star_spaces.into(),
            set: |options, value| options.star_spaces = value as u8,
        },
        OptionSpec {
            key: "offerings",
            kind: OptionKind::Choice(&["rn_v1"]),
            meaning: "What the Offering tiles are worth: rn_v1 (reconstruction).",
            get: |options| options.offerings as u16,
            set: |options, value| options.offerings = Values::ALL[usize::from(value)],
        },
        OptionSpec {
            key: "resource_cap",
            kind: OptionKind::Number { min: 4, max: 15 },
            meaning: "How many Resources of a type a player can have: the length of the rows on a player board \
                      (reconstruction).",
            get: |options| options.resource_cap.into(),
            set: |options, value| options.resource_cap = value as u8,
        },
        OptionSpec {
            key: "chief_timing",
            kind: OptionKind::Choice(&["either", "phase1", "phase2"]),
            meaning: "When the Chief goes to the Moai Quarry: either, in phase 1 as a figurine that may be placed, or \
                      in phase 2 before sculpting; phase1, only as a figurine, which must be placed; phase2, only \
                      before sculpting.",
            get: |options| options.chief_timing as u16,
            set: |options, value| options.chief_timing = ChiefTiming::ALL[usize::from(value)],
        },
        OptionSpec {
            key: "choice_split",
            kind: OptionKind::Flag,
            meaning: "Where a Moai is erected on a space with two colours: true, each Resource is chosen by itself; \
                      false, all are of one colour.",
            get: |options| options.choice_split.into(),
            set: |options, value| options.choice_split = value != 0,
        },
        OptionSpec {
            key: "take_your_pick",
            kind: OptionKind::Choice(&["matching", "any"]),
            meaning: "Which Outstanding Offering tiles Take Your Pick gives: matching, those of the type that would be \
                      taken from the stack; any, those of any type, whatever is paid.",
            get: |options| options.take_your_pick as u16,
            set: |options, value| options.take_your_pick = TakeYourPick::ALL[usize::from(value)],
        },
        OptionSpec {
            key: "pass_other_quarry",
            kind: OptionKind::Flag,
            meaning: "Whether a Moai may be transported through the Pukao Quarry, and a Pukao through the Crater.",
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
            meaning: "After how many rounds in a row in which nobody erects a Moai the game is over; 0, never.",
            get: |options| options.stall_end.into(),
            set: |options, value| options.stall_end = value as u8,
        },
        OptionSpec {
            key: "max_rounds",
            kind: OptionKind::Number { min: 1, max: 30 },
            meaning: "After how many rounds the game is over at the latest.",
            get: |options| options.max_rounds.into(),
            set: |options, value| options.max_rounds = value as u8,
        },
        OptionSpec {
            key: "offering_view",
            kind: OptionKind::Choice(&["private", "open"]),
            meaning: "Whether observations show what the Offering tiles of others are worth in all before the end: \
                      private, no, they lie face down; open, yes. How many there are of each type is always shown, \
                      and events tell the worth of each as it is taken.",
            get: |options| options.offering_view as u16,
            set: |options, value| options.offering_view = OfferingView::ALL[usize::from(value)],
        },
    ];

    fn new(seats: Seats) -> Self {
        let mut options = Self {
            seats,
            board: Side::Rn34V1,
            quarry: Sizes::NONE,
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
            (Side::Rn34V1, true) => return Err("board rn_34_v1 is for 3 and 4 players, rn_2_v1 for 2".to_owned()),
            (Side::Rn2V1, false) => return Err("board rn_2_v1 is for 2 players, rn_34_v1 for 3 and 4".to_owned()),
            (Side::Rn34V1, false) | (Side::Rn2V1, true) => {}
        }
        match usize::from(self.star_spaces) < seats {
            true => Err(format!("star_spaces is at least {seats}, one a player, not {}", self.star_spaces)),
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

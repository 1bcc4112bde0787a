//! The options: the choices of a table where the editions differ or the rulebook is silent.

use std::fmt;
use std::str::FromStr;

use super::cards::Food;
use crate::core::{GameOptions, OptionKind, OptionSpec, ParseError, Seats};

/// The options that the players agree on. The defaults are the German edition with the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seats of the table.
    pub seats: Seats,
    /// The edition of the rulebook: it sets `stone_view`, and the names of cards.
    pub edition: Edition,
    /// The choice of the starting player.
    pub start_player: StartPlayer,
    /// The visible part of the Stone of Sacrifice before the end.
    pub stone_view: StoneView,
    /// The visible part of the columns.
    pub display_view: DisplayView,
    /// The builder's duty to add a card from the supply.
    pub moai_supply_sacrifice: SupplySacrifice,
    /// The duty to take a substitute.
    pub depleted_pick: DepletedPick,
    /// The worth of a food without sacrifices.
    pub zero_count_types: ZeroCount,
    /// For each colour, in order, the food that its start cards lack.
    pub start_sets: [Food; Colour::COUNT],
}

/// The edition of the rulebook (differences D1 to D15 of the front page).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// KOSMOS, German.
    German,
    /// The English translation.
    English,
}

/// The choice of the starting player (ruling A1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPlayer {
    /// A random seat.
    Random,
    /// Seat 0.
    Seat0,
}

/// The visible part of the Stone of Sacrifice before the end (difference D3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneView {
    /// The card on top.
    TopOnly,
    /// All cards that were laid face up.
    AllFaceUp,
}

/// The visible part of the columns (ruling A16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayView {
    /// All cards: they overlap, so that their titles can be read.
    All,
    /// The front cards.
    Front,
}

/// The builder's duty to add a card from the supply after building a Moai (ruling A5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupplySacrifice {
    /// A duty, as the rule says.
    Mandatory,
    /// No duty, as in the example.
    Optional,
}

/// The duty to take a substitute for a card of a depleted stack (ruling A7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepletedPick {
    /// A duty; the player chooses the food.
    Choice,
    /// No duty.
    MayDecline,
}

/// The worth of a food without sacrifices (ruling A12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroCount {
    /// The worth of its rank.
    Ranked,
    /// Nothing.
    WorthZero,
}

/// The colour of a player's start cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// Yellow-green.
    YellowGreen,
    /// Light blue.
    LightBlue,
    /// Red.
    Red,
    /// Violet.
    Violet,
}

impl Colour {
    /// The number of colours.
    pub const COUNT: usize = 4;
    /// Every colour, in the order of `start_sets`.
    pub const ALL: [Self; Self::COUNT] = [Self::YellowGreen, Self::LightBlue, Self::Red, Self::Violet];
}

/// Writes the colour's name as options and records use it.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::YellowGreen => "yellowgreen",
            Self::LightBlue => "lightblue",
            Self::Red => "red",
            Self::Violet => "violet",
        })
    }
}

impl FromStr for Colour {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|colour| colour.to_string() == text).ok_or_else(|| {
            let names = Self::ALL.map(|colour| colour.to_string()).join(", ");
            ParseError::new(0, format!("expected one of {names}, got \"{text}\""))
        })
    }
}

const FOODS: OptionKind = OptionKind::Choice(&["fish", "mulberry", "sweet_potato", "grain"]);

/// Creates the option that names the food that the start cards of a colour lack.
macro_rules! start_set {
    ($key:literal, $colour:expr, $name:literal) => {
        OptionSpec {
            key: $key,
            kind: FOODS,
            meaning: concat!(
                "The food that the start cards of ",
                $name,
                " lack: they have one Hunter & Gatherer of each other food (reconstruction)."
            ),
            get: |options| options.start_sets[$colour as usize] as u16,
            set: |options, value| {
                options.start_sets[$colour as usize] = Food::new(value.into()).expect("one of four foods");
            },
        }
    };
}

impl GameOptions for Options {
    const MIN_SEATS: usize = 2;
    const MAX_SEATS: usize = 4;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "edition",
            kind: OptionKind::Choice(&["german", "english"]),
            meaning: "The edition of the rulebook. It sets stone_view to top_only for german and to all_face_up for english, \
                      unless stone_view is given too. The table of foods says paper mulberry for german.",
            get: |options| options.edition as u16,
            set: |options, value| {
                options.edition = [Edition::German, Edition::English][usize::from(value)];
                options.stone_view = [StoneView::TopOnly, StoneView::AllFaceUp][usize::from(value)];
            },
        },
        OptionSpec {
            key: "start_player",
            kind: OptionKind::Choice(&["random", "seat0"]),
            meaning: "The starting player: random, each seat equally likely; seat0, seat 0.",
            get: |options| options.start_player as u16,
            set: |options, value| options.start_player = [StartPlayer::Random, StartPlayer::Seat0][usize::from(value)],
        },
        OptionSpec {
            key: "stone_view",
            kind: OptionKind::Choice(&["top_only", "all_face_up"]),
            meaning: "The part of the Stone of Sacrifice that observations show before the end: top_only, the card on top; \
                      all_face_up, also the number of face-up cards of each food.",
            get: |options| options.stone_view as u16,
            set: |options, value| options.stone_view = [StoneView::TopOnly, StoneView::AllFaceUp][usize::from(value)],
        },
        OptionSpec {
            key: "display_view",
            kind: OptionKind::Choice(&["all", "front"]),
            meaning: "The visible cards of the columns: all, every card; front, only the front cards, the others when they \
                      are uncovered.",
            get: |options| options.display_view as u16,
            set: |options, value| options.display_view = [DisplayView::All, DisplayView::Front][usize::from(value)],
        },
        OptionSpec {
            key: "moai_supply_sacrifice",
            kind: OptionKind::Choice(&["mandatory", "optional"]),
            meaning: "The card from the supply that the builder of a Moai adds to the Stone of Sacrifice: mandatory, always, \
                      as the rule says; optional, at the builder's choice, as in the example.",
            get: |options| options.moai_supply_sacrifice as u16,
            set: |options, value| {
                options.moai_supply_sacrifice =
                    [SupplySacrifice::Mandatory, SupplySacrifice::Optional][usize::from(value)];
            },
        },
        OptionSpec {
            key: "depleted_pick",
            kind: OptionKind::Choice(&["choice", "may_decline"]),
            meaning: "The substitute for a card of a depleted stack: choice, the player must take a card of another food, of \
                      the player's choice; may_decline, the player may decline it.",
            get: |options| options.depleted_pick as u16,
            set: |options, value| {
                options.depleted_pick = [DepletedPick::Choice, DepletedPick::MayDecline][usize::from(value)];
            },
        },
        OptionSpec {
            key: "zero_count_types",
            kind: OptionKind::Choice(&["ranked", "worth_0"]),
            meaning: "The worth at the end of a food without sacrifices: ranked, the worth of its rank; worth_0, nothing, \
                      while the other foods keep their rank.",
            get: |options| options.zero_count_types as u16,
            set: |options, value| {
                options.zero_count_types = [ZeroCount::Ranked, ZeroCount::WorthZero][usize::from(value)];
            },
        },
        start_set!("start_set_yellowgreen_lacks", Colour::YellowGreen, "yellow-green"),
        start_set!("start_set_lightblue_lacks", Colour::LightBlue, "light blue"),
        start_set!("start_set_red_lacks", Colour::Red, "red"),
        start_set!("start_set_violet_lacks", Colour::Violet, "violet"),
    ];

    fn new(seats: Seats) -> Self {
        Self {
            seats,
            edition: Edition::German,
            start_player: StartPlayer::Random,
            stone_view: StoneView::TopOnly,
            display_view: DisplayView::All,
            moai_supply_sacrifice: SupplySacrifice::Mandatory,
            depleted_pick: DepletedPick::Choice,
            zero_count_types: ZeroCount::Ranked,
            start_sets: [Food::Fish, Food::Mulberry, Food::SweetPotato, Food::Grain],
        }
    }

    fn seats(&self) -> Seats {
        self.seats
    }
}

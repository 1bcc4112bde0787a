//! The options: what a table may agree on where the editions differ or the rulebook is silent.

use std::fmt;
use std::str::FromStr;

use super::cards::Food;
use crate::core::{GameOptions, OptionKind, OptionSpec, ParseError, Seats};

/// What is agreed before play. The defaults are the German edition with the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many play.
    pub seats: Seats,
    /// Whose rulebook: sets `stone_view`, and the names of cards.
    pub edition: Edition,
    /// Who begins.
    pub start_player: StartPlayer,
    /// What of the Stone of Sacrifice is seen before the end.
    pub stone_view: StoneView,
    /// What of the columns is seen.
    pub display_view: DisplayView,
    /// Whether the builder of a Moai must add a card from the supply.
    pub moai_supply_sacrifice: SupplySacrifice,
    /// Whether a substitute must be taken.
    pub depleted_pick: DepletedPick,
    /// What a food is worth that nobody sacrificed.
    pub zero_count_types: ZeroCount,
    /// For each colour, in order, the food that its start cards lack.
    pub start_sets: [Food; Colour::COUNT],
}

/// Whose rulebook (differences D1 to D15 of the front page).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// KOSMOS, German.
    German,
    /// The English translation.
    English,
}

/// Who begins (ruling A1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPlayer {
    /// Chance decides.
    Random,
    /// Seat 0.
    Seat0,
}

/// What of the Stone of Sacrifice is seen before the end (difference D3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneView {
    /// The card on top.
    TopOnly,
    /// All cards that were laid face up.
    AllFaceUp,
}

/// What of the columns is seen (ruling A16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayView {
    /// All cards: they overlap, so that their titles can be read.
    All,
    /// The front cards.
    Front,
}

/// Whether the builder of a Moai must add a card from the supply (ruling A5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupplySacrifice {
    /// Yes, as the rule says.
    Mandatory,
    /// No, as the example has it.
    Optional,
}

/// Whether who is due a card of a depleted stack must take another (ruling A7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepletedPick {
    /// Yes; which one is its choice.
    Choice,
    /// No.
    MayDecline,
}

/// What a food is worth that nobody sacrificed (ruling A12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroCount {
    /// What its rank gives it.
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
    /// How many there are.
    pub const COUNT: usize = 4;
    /// Each of them, in the order of `start_sets`.
    pub const ALL: [Self; Self::COUNT] = [Self::YellowGreen, Self::LightBlue, Self::Red, Self::Violet];
}

/// As options and records write it.
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
            ParseError::new(0, format!("no colour is called \"{text}\" (there are {names})"))
        })
    }
}

const FOODS: OptionKind = OptionKind::Choice(&["fish", "mulberry", "sweet_potato", "grain"]);

/// The option that says which food the start cards of a colour lack.
macro_rules! start_set {
    ($key:literal, $colour:expr, $name:literal) => {
        OptionSpec {
            key: $key,
            kind: FOODS,
            meaning: concat!(
                "The food of which the start cards of ",
                $name,
                " have no Hunter & Gatherer: they have one of each other (reconstruction)."
            ),
            get: |options| options.start_sets[$colour as usize] as u16,
            set: |options, value| {
                options.start_sets[$colour as usize] = Food::new(value.into()).expect("one of four foods");
            },
        }
    };
}

impl GameOptions for Options {
    const SEATS_MIN: usize = 2;
    const SEATS_MAX: usize = 4;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "edition",
            kind: OptionKind::Choice(&["german", "english"]),
            meaning: "Whose rulebook. It sets what differs in play: stone_view is top_only in german, all_face_up in \
                      english, unless it is given by itself. The table of foods says paper mulberry in german.",
            get: |options| options.edition as u16,
            set: |options, value| {
                options.edition = [Edition::German, Edition::English][usize::from(value)];
                options.stone_view = [StoneView::TopOnly, StoneView::AllFaceUp][usize::from(value)];
            },
        },
        OptionSpec {
            key: "start_player",
            kind: OptionKind::Choice(&["random", "seat0"]),
            meaning: "Who begins: random, each seat as likely; seat0, seat 0.",
            get: |options| options.start_player as u16,
            set: |options, value| options.start_player = [StartPlayer::Random, StartPlayer::Seat0][usize::from(value)],
        },
        OptionSpec {
            key: "stone_view",
            kind: OptionKind::Choice(&["top_only", "all_face_up"]),
            meaning: "What observations show of the Stone of Sacrifice before the end: top_only, the card on top; \
                      all_face_up, how many of each food were laid face up too.",
            get: |options| options.stone_view as u16,
            set: |options, value| options.stone_view = [StoneView::TopOnly, StoneView::AllFaceUp][usize::from(value)],
        },
        OptionSpec {
            key: "display_view",
            kind: OptionKind::Choice(&["all", "front"]),
            meaning: "What is seen of the columns: all, every card; front, the front cards, the others when they are \
                      uncovered.",
            get: |options| options.display_view as u16,
            set: |options, value| options.display_view = [DisplayView::All, DisplayView::Front][usize::from(value)],
        },
        OptionSpec {
            key: "moai_supply_sacrifice",
            kind: OptionKind::Choice(&["mandatory", "optional"]),
            meaning: "Whether the builder of a Moai adds a card from the supply to the Stone of Sacrifice: mandatory, \
                      always, as the rule says; optional, if the builder likes, as the example has it.",
            get: |options| options.moai_supply_sacrifice as u16,
            set: |options, value| {
                options.moai_supply_sacrifice =
                    [SupplySacrifice::Mandatory, SupplySacrifice::Optional][usize::from(value)];
            },
        },
        OptionSpec {
            key: "depleted_pick",
            kind: OptionKind::Choice(&["choice", "may_decline"]),
            meaning: "Whether who is due a card of a depleted stack takes one of another: choice, always, of which is \
                      its choice; may_decline, if the player likes.",
            get: |options| options.depleted_pick as u16,
            set: |options, value| {
                options.depleted_pick = [DepletedPick::Choice, DepletedPick::MayDecline][usize::from(value)];
            },
        },
        OptionSpec {
            key: "zero_count_types",
            kind: OptionKind::Choice(&["ranked", "worth_0"]),
            meaning: "What a food is worth at the end that nobody sacrificed: ranked, what its rank gives it; worth_0, \
                      nothing, the others keep their rank.",
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

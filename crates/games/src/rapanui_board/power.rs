//! The powers of Ahu tiles: the effect of a tile, or of a Rongorongo Tablet that copies it.

use std::fmt;
use std::str::FromStr;

use ahu_core::parse::{read_each, words};
use ahu_core::parts::set::Set;
use ahu_core::{Action, ActionId, Argument, ParseError, actions, named, numbered, numbered_by_inherent, set_operators};

use super::moai::Size;
use super::resource::Resource;
use super::space::{Space, Spaces};
use super::tile::Tile;

named! {
    /// The object that is played: the tile itself, or a tablet in its place.
    pub enum Means("means") {
        /// An Ahu tile of this kind.
        Tile = "tile",
        /// The Rongorongo Tablet.
        Tablet = "tablet",
    }
}

actions! {
    /// A power with all its choices: a part of an action. Skimp is not among them: it is part of an exchange.
    pub enum Power {
        /// Exchange 3 Resources of one type for 3 of another: the type that is given, then the type that is taken.
        "barter <types>" => Barter(types: Barter as piece "exchange") says "Exchange <types>",
        /// A virtual Sculptor in this column.
        "chip_in <column>" => ChipIn(column: Size as place "column") says "Add a Sculptor to the <column> column",
        /// The Sorcerer becomes a Sculptor in this column, even if all its places are occupied.
        "change_jobs <column>" => ChangeToSculptor(column: Size as place "column")
            says "Make the Sorcerer a Sculptor in the <column> column",
        /// The Sorcerer becomes a Transporter on this space.
        "change_jobs <space>" => ChangeToTransporter(space: Space as place "space")
            says "Make the Sorcerer a Transporter on space <space>",
        /// A fatigued Transporter on this space stands up.
        "rest <space>" => Rest(space: Space as place "space") says "Let a Transporter on space <space> stand up",
        /// A Sculptor becomes a Transporter on this space.
        "lend_a_hand sculptor <space>" => LendSculptor(space: Space as place "space")
            says "Make a Sculptor a Transporter on space <space>",
        /// The Chief becomes a Transporter on this space.
        "lend_a_hand chief <space>" => LendChief(space: Space as place "space")
            says "Make the Chief a Transporter on space <space>",
        /// 2 more Resources when erecting a Moai.
        "take_two_more" => TakeTwoMore says "Take 2 more Resources",
        /// 3 more Resources when erecting a Moai.
        "take_three_more" => TakeThreeMore says "Take 3 more Resources",
    }
    hint: hint
}

/// Explains a missing power, the kinds of tiles that have none, and the two ways to change jobs.
fn hint(words: &[(usize, &str)]) -> Option<ParseError> {
    match *words {
        [] => Some(ParseError::new(0, "expected a power, got nothing, such as \"rest 12\" or \"skimp\"")),
        [(at, tile @ ("gain_favor" | "take_your_pick")), ..] => {
            Some(ParseError::new(at, format!("expected a power, got \"{tile}\", which works by itself")))
        }
        [(_, "change_jobs"), (at, to)] => {
            let expected = format!("expected a column (small, medium, large) or a space from 1 to {}", Space::COUNT);
            Some(ParseError::new(at, format!("{expected}, got \"{to}\"")))
        }
        _ => None,
    }
}

impl Power {
    /// The number of powers.
    pub const COUNT: usize = <Self as Action>::COUNT;

    /// Returns the number of the power.
    #[inline]
    pub fn index(self) -> usize {
        self.id().index()
    }

    /// Returns the power with this number; None if there is none.
    #[inline]
    pub fn new(index: usize) -> Option<Self> {
        Self::from_id(ActionId(index.try_into().ok()?))
    }

    /// Returns the kind of tile that has this power.
    pub const fn tile(self) -> Tile {
        match self {
            Self::Barter(_) => Tile::Barter,
            Self::ChipIn(_) => Tile::ChipIn,
            Self::ChangeToSculptor(_) | Self::ChangeToTransporter(_) => Tile::ChangeJobs,
            Self::Rest(_) => Tile::Rest,
            Self::LendSculptor(_) | Self::LendChief(_) => Tile::LendAHand,
            Self::TakeTwoMore => Tile::TakeTwoMore,
            Self::TakeThreeMore => Tile::TakeThreeMore,
        }
    }
}

numbered_by_inherent!(Power);

impl Argument for Power {
    const TAKES_REST: bool = true;
}

/// The number of types for which a type can be exchanged.
const OTHERS: usize = Resource::COUNT - 1;

numbered! {
    /// The types of Resources in a Barter: the type that is given, and another that is taken.
    pub struct Barter[Resource::COUNT * OTHERS];
}

impl Barter {
    /// Creates the exchange of a type for another; None if they are the same.
    pub fn of(give: Resource, take: Resource) -> Option<Self> {
        Self::all().find(|barter| (barter.give(), barter.take()) == (give, take))
    }

    /// Returns the type that is given.
    pub const fn give(self) -> Resource {
        Resource::ALL[self.index() / OTHERS]
    }

    /// Returns the type that is taken: the others count from 0.
    pub const fn take(self) -> Resource {
        let other = self.index() % OTHERS;
        Resource::ALL[other + (other >= self.give() as usize) as usize]
    }
}

/// Writes `eggs wood`.
impl fmt::Display for Barter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.give(), self.take())
    }
}

impl FromStr for Barter {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        if words.len() != 2 {
            let message = format!("expected the Resource to give and the one to take, got \"{text}\"");
            return Err(ParseError::new(0, message));
        }
        let types: Vec<Resource> = read_each(&words)?;
        Self::of(types[0], types[1])
            .ok_or_else(|| ParseError::new(words[1].0, "expected a Resource other than the given one"))
    }
}

impl Argument for Barter {
    const TAKES_REST: bool = true;

    fn words(self) -> String {
        format!("3 {} for 3 {}", self.give(), self.take())
    }
}

/// A set of powers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers(u128);

const _: () = assert!(Power::COUNT == 128, "a set of powers is one word");

/// The number after the last power.
const END: ActionId = ActionId(Power::COUNT as u16);

impl Powers {
    /// No power.
    pub const EMPTY: Self = Self(0);
    /// Chip In, in each column.
    pub const CHIP_IN: Self = Self::run(first::ChipIn, first::ChangeToSculptor);
    /// Change Jobs into a Sculptor, in each column.
    pub const CHANGE_TO_SCULPTOR: Self = Self::run(first::ChangeToSculptor, first::ChangeToTransporter);
    /// Take Two More and Take Three More.
    pub const TAKE_MORE: Self = Self::run(first::TakeTwoMore, END);

    /// Returns Barter of this Resource for each of the others.
    #[inline]
    pub const fn barter(give: Resource) -> Self {
        Self(((1 << OTHERS) - 1) << (first::Barter.index() + give as usize * OTHERS))
    }

    /// Returns the powers of a row of the table, on each of these spaces. `first` is the first number of the row.
    #[inline]
    pub(super) const fn on(first: ActionId, spaces: Spaces) -> Self {
        Self((spaces.bits() as u128) << first.index())
    }

    /// Returns all powers of tiles of these kinds.
    #[inline]
    pub fn of_kinds(kinds: Set<Tile>) -> Self {
        kinds.iter().fold(Self::EMPTY, |powers, tile| powers | OF_KIND[tile as usize])
    }

    /// Returns true if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the powers as bits, by their numbers.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Returns the powers from one number to the one before another.
    const fn run(first: ActionId, end: ActionId) -> Self {
        Self(u128::MAX >> (Power::COUNT - (end.index() - first.index())) << first.index())
    }
}

set_operators!(Powers, 0, Self);

/// All powers of each kind of tile.
const OF_KIND: [Powers; Tile::COUNT] = {
    let mut of_kind = [Powers::EMPTY; Tile::COUNT];
    of_kind[Tile::Barter as usize] = Powers::run(first::Barter, first::ChipIn);
    of_kind[Tile::ChipIn as usize] = Powers::CHIP_IN;
    of_kind[Tile::ChangeJobs as usize] = Powers::run(first::ChangeToSculptor, first::Rest);
    of_kind[Tile::Rest as usize] = Powers::run(first::Rest, first::LendSculptor);
    of_kind[Tile::LendAHand as usize] = Powers::run(first::LendSculptor, first::TakeTwoMore);
    of_kind[Tile::TakeTwoMore as usize] = Powers::run(first::TakeTwoMore, first::TakeThreeMore);
    of_kind[Tile::TakeThreeMore as usize] = Powers::run(first::TakeThreeMore, END);
    of_kind
};

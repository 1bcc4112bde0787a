//! The deck: 120 cards of 62 kinds, and their names.

mod set;

use std::fmt;

use crate::core::ParseError;
use crate::core::parse::did_you_mean;

pub use set::CardSet;

/// The number of cards.
pub const CARDS: usize = 120;
/// The number of kinds: 48 resources, Raid, Huri Moai, 12 Disasters.
pub const KINDS: usize = 62;
/// The lowest and the highest number of a resource card.
pub const VALUES: (u8, u8) = (1, 12);
/// The number of kinds of resource cards: 4 suits of 12 numbers, 2 cards each.
const RESOURCES: u8 = 48;
const RAIDS: u8 = 8;
const HURI_MOAI: u8 = 4;

/// The four resource suits, in the rulebook's order. A meld has cards of all four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suit {
    /// Food.
    Food,
    /// Wood.
    Wood,
    /// People.
    People,
    /// Stone.
    Stone,
}

impl Suit {
    /// Every suit, in order.
    pub const ALL: [Self; 4] = [Self::Food, Self::Wood, Self::People, Self::Stone];

    /// Returns the letter of the suit in card notation.
    pub const fn letter(self) -> char {
        match self {
            Self::Food => 'F',
            Self::Wood => 'W',
            Self::People => 'P',
            Self::Stone => 'S',
        }
    }

    /// Returns the next suit in a meld; None after Stone.
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::Food => Some(Self::Wood),
            Self::Wood => Some(Self::People),
            Self::People => Some(Self::Stone),
            Self::Stone => None,
        }
    }

    /// Returns the kinds of the suit, as bits by [`Kind::index`].
    pub const fn kinds(self) -> u64 {
        0xFFF << (self as u64 * 12)
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The printed face of a card. Equal cards are of one kind.
///
/// The text of a kind is `F7` for the 7 of Food (`W`, `P`, `S` likewise), `raid`, `huri`, or a Disaster's name, such
/// as `civil-war`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

/// The function of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A resource of a suit, with its number.
    Resource(Suit, u8),
    /// Event: steal a card.
    Raid,
    /// Event: an opponent loses Moai points.
    HuriMoai,
    /// Event: an opponent discards. The twelve differ in name alone.
    Disaster,
}

impl Kind {
    /// The Raid.
    pub const RAID: Self = Self(RESOURCES);
    /// The Huri Moai.
    pub const HURI_MOAI: Self = Self(RESOURCES + 1);
    /// The first of the twelve Disasters.
    pub const FIRST_DISASTER: Self = Self(RESOURCES + 2);

    /// Returns the kind with number `index`, from 0 to [`KINDS`] - 1; None if there is none.
    pub const fn new(index: usize) -> Option<Self> {
        if index < KINDS { Some(Self(index as u8)) } else { None }
    }

    /// Returns every kind: Food 1 to 12, Wood, People, Stone, Raid, Huri Moai, the Disasters.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KINDS as u8).map(Self)
    }

    /// Returns the resource of a suit and number.
    ///
    /// # Panics
    /// Panics if the number is not in [`VALUES`].
    pub const fn resource(suit: Suit, value: u8) -> Self {
        assert!(value >= VALUES.0 && value <= VALUES.1, "resources have the numbers 1 to 12");
        Self(suit as u8 * 12 + value - 1)
    }

    /// Returns the number of the kind among all kinds.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the function of the card.
    pub const fn face(self) -> Face {
        match self.0 {
            0..RESOURCES => Face::Resource(Suit::ALL[self.0 as usize / 12], self.0 % 12 + 1),
            RESOURCES => Face::Raid,
            49 => Face::HuriMoai,
            _ => Face::Disaster,
        }
    }

    /// Returns the suit and number of a resource; None for an event.
    pub const fn as_resource(self) -> Option<(Suit, u8)> {
        match self.face() {
            Face::Resource(suit, value) => Some((suit, value)),
            Face::Raid | Face::HuriMoai | Face::Disaster => None,
        }
    }

    /// Returns the number of cards of this kind in the deck.
    pub const fn copies(self) -> u8 {
        match self.face() {
            Face::Resource(..) => 2,
            Face::Raid => RAIDS,
            Face::HuriMoai => HURI_MOAI,
            Face::Disaster => 1,
        }
    }

    /// Returns the name of the card. Names have no effect in play.
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// Returns the cards of this kind. The resources are two blocks of 48 bits, so that one step finds all resources
    /// with "at least one" or "two" cards.
    pub const fn cards(self) -> CardSet {
        CardSet::from_bits(match self.face() {
            Face::Resource(..) => (1 | 1 << RESOURCES) << self.0,
            Face::Raid => 0xFF << 96,
            Face::HuriMoai => 0xF << 104,
            Face::Disaster => 1 << (self.0 + 58),
        })
    }
}

/// The names on the cards, by kind.
const NAMES: [&str; KINDS] = [
    // Food
    "Cannibalism",
    "Dogs",
    "Rats",
    "Chickens",
    "Fish",
    "Shellfish",
    "Yams",
    "Bananas",
    "Coconut Palms",
    "Nesting Seabirds",
    "Fishing Canoes",
    "Sea Turtles",
    // Wood
    "Palm Trees",
    "Palm Trees",
    "Toromiro Trees",
    "Toromiro Trees",
    "Stand",
    "Stand",
    "Grove",
    "Grove",
    "Woodlands",
    "Woodlands",
    "Forest",
    "Forest",
    // People
    "Islanders",
    "Islanders",
    "Islanders",
    "Rapa Nui",
    "Rapa Nui",
    "Rapa Nui",
    "Villagers",
    "Villagers",
    "Villagers",
    "Tribe",
    "Tribe",
    "Tribe",
    // Stone
    "Carvers",
    "Craftsmen",
    "Rano Raraku",
    "Tuff Volcanic Ash",
    "Quarries",
    "Trachyte",
    "Scoria Pukao",
    "Basalt Tools",
    "Obsidian Eyes",
    "Ahu Platforms",
    "Monoliths",
    "Stone Giants",
    // Events
    "Raid",
    "Huri Moai",
    "Rebellion",
    "Erosion",
    "Fire",
    "Disease",
    "Famine",
    "Civil War",
    "Deforestation",
    "Extinction",
    "Drought",
    "Climate Change",
    "Clan War",
    "Collapse",
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.face() {
            Face::Resource(suit, value) => write!(f, "{}{value}", suit.letter()),
            Face::Raid => f.write_str("raid"),
            Face::HuriMoai => f.write_str("huri"),
            Face::Disaster => f.write_str(&self.name().to_lowercase().replace(' ', "-")),
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let asked = text.to_lowercase();
        Self::all().find(|kind| kind.to_string().to_lowercase() == asked).ok_or_else(|| {
            let known: Vec<String> = Self::all().map(|kind| kind.to_string()).collect();
            let hint = did_you_mean(text, known.iter().skip(usize::from(RESOURCES)).map(String::as_str));
            let grammar = "a card is F, W, P or S with a number from 1 to 12, raid, huri, or a Disaster such as famine";
            ParseError::new(0, format!("expected a card, got \"{text}\"{hint} ({grammar})"))
        })
    }
}

/// One of the 120 cards. Players cannot tell equal cards apart; chance, which orders the deck, can.
///
/// The text of a card is that of its kind, with the number of the copy if the kind has several: `F7.2`. The number
/// has no meaning in the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// Returns the card with number `index`, from 0 to [`CARDS`] - 1; None if there is none.
    pub const fn new(index: usize) -> Option<Self> {
        if index < CARDS { Some(Self(index as u8)) } else { None }
    }

    /// Returns the kind of the card.
    pub const fn kind(self) -> Kind {
        Kind(match self.0 {
            0..48 => self.0,
            48..96 => self.0 - RESOURCES,
            96..104 => RESOURCES,
            104..108 => RESOURCES + 1,
            _ => self.0 - 58,
        })
    }

    /// Returns the number of the card among the equal cards, from 1.
    const fn copy(self) -> u8 {
        match self.0 {
            48..96 => 2,
            96..104 => self.0 - 95,
            104..108 => self.0 - 103,
            _ => 1,
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind().copies() {
            1 => write!(f, "{}", self.kind()),
            _ => write!(f, "{}.{}", self.kind(), self.copy()),
        }
    }
}

impl std::str::FromStr for Card {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (kind, copy) = text.split_once('.').unwrap_or((text, "1"));
        let kind: Kind = kind.parse()?;
        let copies = kind.cards();
        let card = copies.iter().find(|card| card.copy().to_string() == copy && card.to_string().len() == text.len());
        card.ok_or_else(|| {
            let right: Vec<String> = copies.iter().map(|card| card.to_string()).collect();
            ParseError::new(0, format!("expected {}, got \"{text}\"", right.join(" or ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deck_is_the_rulebooks_card_list() {
        let all = CardSet::ALL;
        assert_eq!(all.len(), 120);
        assert_eq!(all.iter().count(), 120);
        for kind in Kind::all() {
            assert_eq!(all.count(kind), usize::from(kind.copies()), "{kind}");
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let faces = |face: Face| all.iter().filter(|card| card.kind().face() == face).count();
        assert_eq!((faces(Face::Raid), faces(Face::HuriMoai), faces(Face::Disaster)), (8, 4, 12));
        for suit in Suit::ALL {
            assert_eq!(CardSet::ALL.kinds() & suit.kinds(), suit.kinds());
            for value in 1..=12 {
                assert_eq!(all.count(Kind::resource(suit, value)), 2, "{suit} {value}");
            }
        }
        let names = |kind: &str| kind.parse::<Kind>().map(Kind::name);
        assert_eq!(names("P1"), Ok("Islanders"));
        assert_eq!(names("F12"), Ok("Sea Turtles"));
        assert_eq!(names("W5"), Ok("Stand"));
        assert_eq!(names("S12"), Ok("Stone Giants"));
        assert_eq!(names("climate-change"), Ok("Climate Change"));
    }

    #[test]
    fn a_card_is_written_with_its_copy_where_there_are_several() {
        for card in CardSet::ALL.iter() {
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        let text = |index| Card::new(index).map(|card| card.to_string());
        assert_eq!(text(6).as_deref(), Some("F7.1"));
        assert_eq!(text(54).as_deref(), Some("F7.2"));
        assert_eq!(text(103).as_deref(), Some("raid.8"));
        assert_eq!(text(112).as_deref(), Some("famine"));
        for wrong in ["F7", "F7.3", "F13.1", "F7.01", "famine.1", "raid.9", "", "."] {
            assert!(wrong.parse::<Card>().is_err(), "{wrong}");
        }
    }
}

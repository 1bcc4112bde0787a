//! The kinds of cards: 48 resources and 14 events, and their names.

use std::fmt;
use std::str::FromStr;

use ahu_core::parse::{did_you_mean, number};
use ahu_core::parts::set::Set;
use ahu_core::{Argument, Numbered, ParseError, named, numbered};

named! {
    /// The four resource suits, in the rulebook's order. A meld has cards of all four.
    pub enum Suit("suit") {
        /// Food.
        Food = "Food",
        /// Wood.
        Wood = "Wood",
        /// People.
        People = "People",
        /// Stone.
        Stone = "Stone",
    }
}

impl Suit {
    /// Returns the letter of the suit in card notation.
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// Returns the resources of the suit.
    pub const fn kinds(self) -> Set<ResourceKind> {
        Set::from_bits(((1 << HIGHEST) - 1) << (self.index() * HIGHEST as usize))
    }
}

/// The highest number of a resource card; the lowest is 1.
pub const HIGHEST: u8 = 12;
const RAIDS: u8 = 8;
const HURI_MOAI: u8 = 4;

numbered! {
    /// The face of a resource card: Food 1 to 12, Wood, People, Stone. Its text is `F7` for the 7 of Food (`W`, `P`, `S`
    /// likewise).
    pub struct ResourceKind[Suit::COUNT * HIGHEST as usize];
    /// The face of an event card: Raid, Huri Moai, or one of the twelve Disasters. Its text is `raid`, `huri`, or the
    /// Disaster's name, such as `civil-war`.
    pub struct EventKind[14];
}

impl ResourceKind {
    /// Returns the resource of a suit and number; None if the number is not from 1 to [`HIGHEST`].
    pub const fn of(suit: Suit, number: u8) -> Option<Self> {
        match number {
            1..=HIGHEST => Some(Self(suit as u8 * HIGHEST + number - 1)),
            _ => None,
        }
    }

    /// Returns the suit of the card.
    #[inline]
    pub const fn suit(self) -> Suit {
        Suit::ALL[(self.0 / HIGHEST) as usize]
    }

    /// Returns the number on the card.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0 % HIGHEST + 1
    }
}

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The player steals a card.
    Raid,
    /// An opponent loses Moai points.
    HuriMoai,
    /// An opponent discards. The twelve Disasters differ in name alone.
    Disaster,
}

impl EventKind {
    /// The Raid.
    pub const RAID: Self = Self(0);
    /// The Huri Moai.
    pub const HURI_MOAI: Self = Self(1);
    /// The first of the twelve Disasters.
    pub const FIRST_DISASTER: Self = Self(2);

    /// Returns the effect of the card.
    #[inline]
    pub const fn effect(self) -> Effect {
        match self {
            Self::RAID => Effect::Raid,
            Self::HURI_MOAI => Effect::HuriMoai,
            _ => Effect::Disaster,
        }
    }
}

/// The printed face of a card. Equal cards are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A resource.
    Resource(ResourceKind),
    /// An event.
    Event(EventKind),
}

impl Kind {
    /// Returns the resource; None for an event.
    pub const fn as_resource(self) -> Option<ResourceKind> {
        match self {
            Self::Resource(resource) => Some(resource),
            Self::Event(_) => None,
        }
    }

    /// Returns the number of cards of this kind in the deck.
    pub const fn copies(self) -> u8 {
        match self {
            Self::Resource(_) => 2,
            Self::Event(event) => match event.effect() {
                Effect::Raid => RAIDS,
                Effect::HuriMoai => HURI_MOAI,
                Effect::Disaster => 1,
            },
        }
    }

    /// Returns the name on the card. Names have no effect in play; actions and events use the texts of kinds.
    pub fn name(self) -> &'static str {
        let (row, place) = match self {
            Self::Resource(resource) => (resource.suit().index(), usize::from(resource.number()) - 1),
            Self::Event(event) => (Suit::COUNT, event.index()),
        };
        NAMES[row].split(", ").nth(place).expect("every card has a name")
    }
}

/// Food 1 to 12, Wood, People, Stone, Raid, Huri Moai, the Disasters.
impl Numbered for Kind {
    const COUNT: usize = ResourceKind::COUNT + EventKind::COUNT;

    #[inline]
    fn new(index: usize) -> Option<Self> {
        match index.checked_sub(ResourceKind::COUNT) {
            None => ResourceKind::new(index).map(Self::Resource),
            Some(index) => EventKind::new(index).map(Self::Event),
        }
    }

    #[inline]
    fn index(self) -> usize {
        match self {
            Self::Resource(resource) => resource.index(),
            Self::Event(event) => ResourceKind::COUNT + event.index(),
        }
    }
}

impl Argument for ResourceKind {}
impl Argument for EventKind {}
impl Argument for Kind {}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.suit().letter(), self.number())
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.effect() {
            Effect::Raid => f.write_str("raid"),
            Effect::HuriMoai => f.write_str("huri"),
            Effect::Disaster => f.write_str(&Kind::Event(*self).name().to_lowercase().replace(' ', "-")),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(resource) => resource.fmt(f),
            Self::Event(event) => event.fmt(f),
        }
    }
}

/// Reads the text of a kind, in upper or lower case.
impl FromStr for Kind {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let asked = text.to_lowercase();
        let resource = Suit::ALL.into_iter().find_map(|suit| {
            let digits = asked.strip_prefix(suit.letter().to_ascii_lowercase())?;
            ResourceKind::of(suit, number(digits)?).map(Self::Resource)
        });
        let event = || EventKind::all().find(|event| event.to_string() == asked).map(Self::Event);
        resource.or_else(event).ok_or_else(|| {
            let events: Vec<String> = EventKind::all().map(|event| event.to_string()).collect();
            let hint = did_you_mean(text, events.iter().map(String::as_str));
            let grammar = "a card is F, W, P or S with a number from 1 to 12, raid, huri, or a Disaster such as famine";
            ParseError::new(0, format!("expected a card, got \"{text}\"{hint} ({grammar})"))
        })
    }
}

impl FromStr for ResourceKind {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text.parse()? {
            Kind::Resource(resource) => Ok(resource),
            Kind::Event(event) => Err(ParseError::new(0, format!("expected a resource, but {event} is an event"))),
        }
    }
}

impl FromStr for EventKind {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text.parse()? {
            Kind::Event(event) => Ok(event),
            Kind::Resource(resource) => {
                Err(ParseError::new(0, format!("expected an event, but {resource} is a resource")))
            }
        }
    }
}

/// The names on the cards: suit by suit, then the events.
const NAMES: [&str; Suit::COUNT + 1] = [
    "Cannibalism, Dogs, Rats, Chickens, Fish, Shellfish, Yams, Bananas, Coconut Palms, Nesting Seabirds, Fishing Canoes, \
     Sea Turtles",
    "Palm Trees, Palm Trees, Toromiro Trees, Toromiro Trees, Stand, Stand, Grove, Grove, Woodlands, Woodlands, Forest, Forest",
    "Islanders, Islanders, Islanders, Rapa Nui, Rapa Nui, Rapa Nui, Villagers, Villagers, Villagers, Tribe, Tribe, Tribe",
    "Carvers, Craftsmen, Rano Raraku, Tuff Volcanic Ash, Quarries, Trachyte, Scoria Pukao, Basalt Tools, Obsidian Eyes, \
     Ahu Platforms, Monoliths, Stone Giants",
    "Raid, Huri Moai, Rebellion, Erosion, Fire, Disease, Famine, Civil War, Deforestation, Extinction, Drought, \
     Climate Change, Clan War, Collapse",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_as_it_is_written() {
        for (index, kind) in Kind::all().enumerate() {
            assert_eq!((kind.index(), Kind::new(index)), (index, Some(kind)));
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(kind.to_string().to_uppercase().parse(), Ok(kind));
            assert_eq!(kind.as_resource().is_some(), index < 48);
        }
        assert_eq!((Kind::all().count(), Kind::new(62)), (62, None));
        for suit in Suit::ALL {
            for number in 1..=12 {
                let resource = ResourceKind::of(suit, number).expect("the suit has the number");
                assert_eq!((resource.suit(), resource.number()), (suit, number));
                assert!(suit.kinds().contains(resource));
            }
            assert_eq!((suit.kinds().len(), ResourceKind::of(suit, 0), ResourceKind::of(suit, 13)), (12, None, None));
        }
    }
}

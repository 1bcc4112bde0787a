//! The deck: 120 cards of 62 kinds, their names, and sets of them.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub, SubAssign};

use crate::core::parse::did_you_mean;
use crate::core::{Luck, ParseError, Stream};

/// How many cards there are.
pub const CARDS: usize = 120;
/// How many kinds of cards there are: 48 resources, Raid, Huri Moai, 12 Disasters.
pub const KINDS: usize = 62;
/// The lowest and the highest number of a resource card.
pub const VALUES: (u8, u8) = (1, 12);
/// How many kinds of resource cards there are: 4 suits of 12 numbers, 2 cards each.
const RESOURCES: u8 = 48;
const RAIDS: u8 = 8;
const HURI_MOAI: u8 = 4;

/// The four resource suits, in the rulebook's order. A meld has them all.
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

    /// The letter that stands for it in card notation.
    pub const fn letter(self) -> char {
        match self {
            Self::Food => 'F',
            Self::Wood => 'W',
            Self::People => 'P',
            Self::Stone => 'S',
        }
    }

    /// The suit that follows it in a meld.
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::Food => Some(Self::Wood),
            Self::Wood => Some(Self::People),
            Self::People => Some(Self::Stone),
            Self::Stone => None,
        }
    }

    /// Its kinds, as bits by [`Kind::index`].
    pub const fn kinds(self) -> u64 {
        0xFFF << (self as u64 * 12)
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// What is printed on a card. Equal cards are of one kind.
///
/// Its text is `F7` for the 7 of Food (`W`, `P`, `S` likewise), `raid`, `huri`, or a Disaster's
/// name, such as `civil-war`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

/// What a card does.
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

    /// The kind of this index, from 0 to [`KINDS`] - 1.
    pub const fn new(index: usize) -> Option<Self> {
        if index < KINDS { Some(Self(index as u8)) } else { None }
    }

    /// Every kind: Food 1 to 12, Wood, People, Stone, Raid, Huri Moai, the Disasters.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KINDS as u8).map(Self)
    }

    /// The resource of a suit and number.
    ///
    /// # Panics
    /// Where there is no such number.
    pub const fn resource(suit: Suit, value: u8) -> Self {
        assert!(value >= VALUES.0 && value <= VALUES.1, "resources have the numbers 1 to 12");
        Self(suit as u8 * 12 + value - 1)
    }

    /// Its number among the kinds.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What the card does.
    pub const fn face(self) -> Face {
        match self.0 {
            0..RESOURCES => Face::Resource(Suit::ALL[self.0 as usize / 12], self.0 % 12 + 1),
            RESOURCES => Face::Raid,
            49 => Face::HuriMoai,
            _ => Face::Disaster,
        }
    }

    /// Its suit and number, if it is a resource.
    pub const fn as_resource(self) -> Option<(Suit, u8)> {
        match self.face() {
            Face::Resource(suit, value) => Some((suit, value)),
            Face::Raid | Face::HuriMoai | Face::Disaster => None,
        }
    }

    /// How many cards of it the deck has.
    pub const fn copies(self) -> u8 {
        match self.face() {
            Face::Resource(..) => 2,
            Face::Raid => RAIDS,
            Face::HuriMoai => HURI_MOAI,
            Face::Disaster => 1,
        }
    }

    /// What the card is called. Names have no effect in play.
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// Its cards. Resources lie in two planes of 48, so that "at least one" and "two" of all of
    /// them are one step each.
    pub const fn cards(self) -> CardSet {
        CardSet(match self.face() {
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
            ParseError::new(0, format!("no card is called \"{text}\"{hint} ({grammar})"))
        })
    }
}

/// One of the 120 cards. Players can't tell equal cards apart; the luck of the deck can.
///
/// Its text is that of its kind, with the number of the copy where there are several: `F7.2`. That
/// number has no meaning in the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The card of this index, from 0 to [`CARDS`] - 1.
    pub const fn new(index: usize) -> Option<Self> {
        if index < CARDS { Some(Self(index as u8)) } else { None }
    }

    /// What is printed on it.
    pub const fn kind(self) -> Kind {
        Kind(match self.0 {
            0..48 => self.0,
            48..96 => self.0 - RESOURCES,
            96..104 => RESOURCES,
            104..108 => RESOURCES + 1,
            _ => self.0 - 58,
        })
    }

    /// Which of the equal cards it is, from 1.
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
            ParseError::new(0, format!("no card is written \"{text}\": the equal cards are {}", right.join(", ")))
        })
    }
}

/// A set of cards: a hand, a pile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CardSet(u128);

impl CardSet {
    /// No card.
    pub const EMPTY: Self = Self(0);
    /// The whole deck.
    pub const ALL: Self = Self((1 << CARDS) - 1);

    /// The set of these bits: bit `i` is the card of index `i`.
    pub const fn from_bits(bits: u128) -> Self {
        assert!(bits & !Self::ALL.0 == 0, "there are 120 cards");
        Self(bits)
    }

    /// Its bits.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Whether `card` is in it.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// The set with `card` in it.
    #[inline]
    #[must_use]
    pub const fn with(self, card: Card) -> Self {
        Self(self.0 | 1 << card.0)
    }

    /// How many cards it has.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of it is in `other`.
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// How many cards of a kind it has.
    #[inline]
    pub const fn count(self, kind: Kind) -> usize {
        Self(self.0 & kind.cards().0).len()
    }

    /// The first of its cards, by index.
    #[inline]
    pub const fn first(self) -> Option<Card> {
        if self.is_empty() { None } else { Some(Card(self.0.trailing_zeros() as u8)) }
    }

    /// The first of its cards of a kind: of equal cards, this one is played.
    #[inline]
    pub const fn first_of(self, kind: Kind) -> Option<Card> {
        Self(self.0 & kind.cards().0).first()
    }

    /// The kinds that it has, as bits by [`Kind::index`].
    #[inline]
    pub const fn kinds(self) -> u64 {
        self.at_least_one()
            | ((self.raids() != 0) as u64) << RESOURCES
            | ((self.huri_moai() != 0) as u64) << (RESOURCES + 1)
            | self.disasters() << (RESOURCES + 2)
    }

    /// The resources of which it has a card, as bits by [`Kind::index`].
    #[inline]
    pub const fn at_least_one(self) -> u64 {
        (self.0 as u64 | (self.0 >> RESOURCES) as u64) & 0xFFFF_FFFF_FFFF
    }

    /// The resources of which it has both cards.
    #[inline]
    pub const fn both(self) -> u64 {
        (self.0 as u64 & (self.0 >> RESOURCES) as u64) & 0xFFFF_FFFF_FFFF
    }

    /// Its Raids, Huri Moai and Disasters, as bits.
    const fn raids(self) -> u64 {
        (self.0 >> 96) as u64 & 0xFF
    }

    const fn huri_moai(self) -> u64 {
        (self.0 >> 104) as u64 & 0xF
    }

    const fn disasters(self) -> u64 {
        (self.0 >> 108) as u64 & 0xFFF
    }

    /// The same number of each kind, as the first ones of the equal cards: what a viewer sees of
    /// it, for equal cards look the same.
    #[inline]
    #[must_use]
    pub const fn unmarked(self) -> Self {
        // What is known of hands is mostly nothing.
        if self.is_empty() {
            return self;
        }
        let raids = (1_u128 << self.raids().count_ones()) - 1;
        let huri_moai = (1_u128 << self.huri_moai().count_ones()) - 1;
        Self(
            self.at_least_one() as u128
                | (self.both() as u128) << RESOURCES
                | raids << 96
                | huri_moai << 104
                | (self.disasters() as u128) << 108,
        )
    }

    /// For every kind, so many of its cards as `wanted` has, or as many as there are: a hand of
    /// equal look out of this pool.
    #[must_use]
    pub const fn alike(self, wanted: Self) -> Self {
        let (first, second) = (self.0 as u64 & 0xFFFF_FFFF_FFFF, (self.0 >> RESOURCES) as u64 & 0xFFFF_FFFF_FFFF);
        let (one, two) = (wanted.at_least_one(), wanted.both());
        let of_second = second & (one & !first | two & first);
        let raids = lowest(self.raids(), wanted.raids().count_ones());
        let huri_moai = lowest(self.huri_moai(), wanted.huri_moai().count_ones());
        Self(
            (first & one) as u128
                | (of_second as u128) << RESOURCES
                | (raids as u128) << 96
                | (huri_moai as u128) << 104
                | ((self.disasters() & wanted.disasters()) as u128) << 108,
        )
    }

    /// The first of its cards in the order of `stream`, so many or as many as there are.
    #[inline]
    #[must_use]
    pub(super) fn draw(self, luck: &mut Luck, stream: Stream, count: usize) -> Self {
        Self(luck.draw(stream, CARDS, self.0, count))
    }

    /// The same, from a set that is drawn from once.
    #[must_use]
    pub(super) fn draw_once(self, luck: &Luck, stream: Stream, count: usize) -> Self {
        Self(luck.draw_once(stream, CARDS, self.0, count))
    }

    /// Its cards, by kind and then by copy.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        Kind::all().flat_map(move |kind| {
            let mut rest = self.0 & kind.cards().0;
            std::iter::from_fn(move || {
                let card = (rest != 0).then(|| Card(rest.trailing_zeros() as u8))?;
                rest &= rest - 1;
                Some(card)
            })
        })
    }
}

/// The lowest `count` of the bits that are set.
const fn lowest(bits: u64, count: u32) -> u64 {
    let (mut rest, mut left) = (bits, count);
    while rest != 0 && left > 0 {
        rest &= rest - 1;
        left -= 1;
    }
    bits & !rest
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl From<Card> for CardSet {
    fn from(card: Card) -> Self {
        Self(1 << card.0)
    }
}

impl BitOr for CardSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for CardSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for CardSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for CardSet {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

/// The cards of the first that are not in the second.
impl Sub for CardSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl SubAssign for CardSet {
    fn sub_assign(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl Not for CardSet {
    type Output = Self;
    fn not(self) -> Self {
        Self::ALL - self
    }
}

/// The kinds of its cards, in order: `F3 F7 F7 raid famine`. Nothing, for no card.
impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, card) in self.iter().enumerate() {
            write!(f, "{}{}", if n == 0 { "" } else { " " }, card.kind())?;
        }
        Ok(())
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

    #[test]
    fn equal_cards_look_the_same() {
        let cards =
            |texts: &[&str]| texts.iter().map(|text| text.parse::<Card>().expect("a card")).collect::<CardSet>();
        let hand = cards(&["F7.2", "W3.1", "W3.2", "raid.5", "raid.8", "huri.4", "famine"]);
        assert_eq!(hand.unmarked(), cards(&["F7.1", "W3.1", "W3.2", "raid.1", "raid.2", "huri.1", "famine"]));
        assert_eq!(hand.to_string(), "F7 W3 W3 raid raid huri famine");
        assert_eq!(CardSet::ALL.unmarked(), CardSet::ALL);
        for kind in Kind::all() {
            assert_eq!(hand.kinds() >> kind.index() & 1 == 1, hand.count(kind) > 0, "{kind}");
        }
        assert_eq!((!cards(&["F7.1"])).alike(cards(&["F7.1", "raid.8"])), cards(&["F7.2", "raid.1"]));
    }

    #[test]
    fn alike_takes_so_many_of_each_kind_as_are_wanted_and_there() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..2_000 {
            let [pool, wanted] = [(); 2].map(|()| CardSet(rng.random::<u128>() & CardSet::ALL.0));
            let alike = pool.alike(wanted);
            assert!(alike.is_within(pool));
            for kind in Kind::all() {
                assert_eq!(alike.count(kind), pool.count(kind).min(wanted.count(kind)), "{kind}");
            }
        }
    }
}

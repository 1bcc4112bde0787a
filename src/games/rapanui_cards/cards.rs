//! The cards: sacrifice cards of four foods, and the people and Moai of the display.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, Index, IndexMut, Sub};
use std::str::FromStr;

use crate::core::ParseError;
use crate::core::parse::did_you_mean;

/// A sort of card: a food, or a kind of the display. [`Counts`] holds a number of cards for each sort.
pub trait Card: Copy + Eq + fmt::Display + 'static {
    /// Every sort, in the order of ids and fields.
    const SORTS: &'static [Self];

    /// Returns the place of the sort in that order.
    fn index(self) -> usize;
}

/// The four sorts of sacrifice cards. Each Hunter & Gatherer brings cards of one food.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Food {
    /// Fish.
    #[default]
    Fish,
    /// Mulberries; paper mulberries in the German edition.
    Mulberry,
    /// Sweet potatoes.
    SweetPotato,
    /// Grain.
    Grain,
}

impl Food {
    /// The number of foods.
    pub const COUNT: usize = 4;
    /// Every food, in the order of ids and fields.
    pub const ALL: [Self; Self::COUNT] = [Self::Fish, Self::Mulberry, Self::SweetPotato, Self::Grain];
    /// The names of the foods, in the same order.
    pub const NAMES: &'static [&'static str] = &["fish", "mulberry", "sweet_potato", "grain"];

    /// Returns the food at place `index` in that order; None if there is none.
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
    }
}

impl Card for Food {
    const SORTS: &'static [Self] = &Self::ALL;

    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// Writes the food's name as actions, records, and events use it.
impl fmt::Display for Food {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::NAMES[*self as usize])
    }
}

impl FromStr for Food {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        read(text, "food")
    }
}

/// The kind of a card of the display. Four kinds are Hunters & Gatherers, one for each food.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A Hunter & Gatherer of fish.
    Fish,
    /// A Hunter & Gatherer of mulberries.
    Mulberry,
    /// A Hunter & Gatherer of sweet potatoes.
    SweetPotato,
    /// A Hunter & Gatherer of grain.
    Grain,
    /// A lumberjack.
    Lumberjack,
    /// A priest.
    Priest,
    /// A Moai.
    Moai,
}

impl Kind {
    /// The number of kinds.
    pub const COUNT: usize = Food::COUNT + 3;
    /// Every kind, in the order of ids and fields.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Fish, Self::Mulberry, Self::SweetPotato, Self::Grain, Self::Lumberjack, Self::Priest, Self::Moai];
    /// The names of the kinds, in the same order: a gatherer has the name of its food.
    pub const NAMES: &'static [&'static str] =
        &["fish", "mulberry", "sweet_potato", "grain", "lumberjack", "priest", "moai"];

    /// Returns the Hunter & Gatherer of a food.
    #[inline]
    pub const fn gatherer(of: Food) -> Self {
        Self::ALL[of as usize]
    }

    /// Returns the food of a Hunter & Gatherer; None for other kinds.
    #[inline]
    pub const fn food(self) -> Option<Food> {
        Food::new(self as usize)
    }
}

impl Card for Kind {
    const SORTS: &'static [Self] = &Self::ALL;

    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// Writes the kind's name as actions, records, and events use it: a gatherer has the name of its food.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::NAMES[*self as usize])
    }
}

impl FromStr for Kind {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        read(text, "card")
    }
}

fn read<C: Card>(text: &str, what: &str) -> Result<C, ParseError> {
    C::SORTS.iter().copied().find(|card| card.to_string() == text).ok_or_else(|| {
        let names: Vec<String> = C::SORTS.iter().map(C::to_string).collect();
        let hint = did_you_mean(text, names.iter().map(String::as_str));
        ParseError::new(0, format!("expected a {what}, got \"{text}\"{hint} (one of {})", names.join(", ")))
    })
}

/// The number of cards of each sort. Equal cards need no identity. Each sort has one byte, so that all counts are one
/// word, and one step adds or compares all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts<C>([u8; MAX_SORTS], PhantomData<C>);

/// The number of sorts that fit into a word.
const MAX_SORTS: usize = 8;
/// The word with a one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte. All counts are below it.
const HIGHEST: u64 = ONES << 7;

/// Sacrifice cards, by food.
pub type Foods = Counts<Food>;
/// Cards of the display, by kind.
pub type KindCounts = Counts<Kind>;

/// The number of Moai in the deck.
pub const MOAI: usize = 9;
/// The 50 cards of the deck.
pub const DECK: KindCounts = KindCounts::of([5, 5, 5, 5, 12, 9, MOAI as u8]);

impl<C: Copy> Counts<C> {
    /// The empty counts.
    pub const EMPTY: Self = Self([0; MAX_SORTS], PhantomData);

    /// Creates counts from numbers in the order of [`Card::SORTS`].
    pub const fn of<const N: usize>(counts: [u8; N]) -> Self {
        let mut all = Self::EMPTY;
        let mut n = 0;
        while n < N {
            all.0[n] = counts[n];
            n += 1;
        }
        all
    }

    #[inline]
    const fn word(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    /// Returns the number of cards of all sorts.
    #[inline]
    pub const fn total(self) -> u8 {
        (self.word().wrapping_mul(ONES) >> (u64::BITS - 8)) as u8
    }

    /// Returns the sorts with more cards than in each of `others`: one bit for each sort.
    #[inline]
    pub fn more_than(self, others: impl IntoIterator<Item = Self>) -> u64 {
        let more = |other: Self| more_than(self.word(), other.word());
        gather(others.into_iter().fold(HIGHEST, |bits, other| bits & more(other)))
    }

    /// Returns the sorts with at least one card: one bit for each sort.
    #[inline]
    pub fn bits(self) -> u64 {
        self.more_than([Self::EMPTY])
    }

    /// Returns true if `all` has as many cards of each sort, or more.
    pub fn is_within(self, all: Self) -> bool {
        self.more_than([all]) == 0
    }
}

/// Returns the highest bit of each byte that is greater in `a` than in `b`.
#[inline]
const fn more_than(a: u64, b: u64) -> u64 {
    (a + (HIGHEST - ONES) - b) & HIGHEST
}

/// Returns the highest bits of the bytes, side by side.
#[inline]
const fn gather(highest: u64) -> u64 {
    (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> (u64::BITS - 8)
}

impl<C: Card> Counts<C> {
    /// Returns the numbers of cards in the order of [`Card::SORTS`].
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.0[..C::SORTS.len()]
    }

    /// Returns each sort with its number of cards, zero included.
    pub fn iter(self) -> impl Iterator<Item = (C, u8)> {
        C::SORTS.iter().copied().zip(self.0)
    }

    /// Returns the card in place `n`, from 0, of the cards laid out sort by sort; None if there are fewer cards.
    #[inline]
    pub fn nth(self, n: usize) -> Option<C> {
        // Each byte is the number of cards up to the end of its sort.
        let ends = self.word().wrapping_mul(ONES);
        let behind = more_than(ends, n.min(usize::from(u8::MAX >> 1)) as u64 * ONES);
        C::SORTS.get(behind.trailing_zeros() as usize / 8).copied()
    }
}

impl<C: Copy> Default for Counts<C> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<C: Card> Index<C> for Counts<C> {
    type Output = u8;

    #[inline]
    fn index(&self, card: C) -> &u8 {
        &self.0[card.index()]
    }
}

impl<C: Card> IndexMut<C> for Counts<C> {
    #[inline]
    fn index_mut(&mut self, card: C) -> &mut u8 {
        &mut self.0[card.index()]
    }
}

impl<C: Copy> Add for Counts<C> {
    type Output = Self;

    #[inline]
    fn add(self, more: Self) -> Self {
        Self((self.word() + more.word()).to_le_bytes(), PhantomData)
    }
}

impl<C: Copy> Sub for Counts<C> {
    type Output = Self;

    /// Returns the cards that remain after removing `taken`, which must be there.
    #[inline]
    fn sub(self, taken: Self) -> Self {
        debug_assert!(taken.is_within(self), "expected cards within {1:?}, got {0:?}", taken.0, self.0);
        Self((self.word() - taken.word()).to_le_bytes(), PhantomData)
    }
}

impl<C: Card> FromIterator<C> for Counts<C> {
    fn from_iter<I: IntoIterator<Item = C>>(cards: I) -> Self {
        cards.into_iter().fold(Self::EMPTY, |mut counts, card| {
            counts[card] += 1;
            counts
        })
    }
}

/// Writes `lumberjack, fish x2`, or `nothing`.
impl<C: Card> fmt::Display for Counts<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .iter()
            .filter_map(|(card, count)| match count {
                0 => None,
                1 => Some(card.to_string()),
                _ => Some(format!("{card} x{count}")),
            })
            .collect();
        f.pad(&if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        for (index, food) in Food::ALL.into_iter().enumerate() {
            assert_eq!((food.to_string().parse(), Food::new(index)), (Ok(food), Some(food)));
            assert_eq!((Kind::gatherer(food).to_string(), Kind::gatherer(food).food()), (food.to_string(), Some(food)));
        }
        assert_eq!(Food::new(Food::COUNT), None);
        let error = "lumberjak".parse::<Kind>().expect_err("the name is misspelled");
        assert!(error.message.contains("did you mean \"lumberjack\"?"), "{error}");
        assert!("priest".parse::<Food>().is_err());
    }

    #[test]
    fn sorts_have_their_places() {
        assert!(Kind::ALL.iter().enumerate().all(|(place, kind)| kind.index() == place));
        assert!(Food::ALL.iter().enumerate().all(|(place, food)| food.index() == place));
    }

    #[test]
    fn the_deck_has_fifty_cards_one_after_the_other() {
        assert_eq!(DECK.total(), 50);
        let laid_out: Vec<Kind> = (0..51).map_while(|n| DECK.nth(n)).collect();
        assert_eq!((laid_out.len(), laid_out.is_sorted()), (50, true));
        assert_eq!(laid_out.into_iter().collect::<KindCounts>(), DECK);
        assert_eq!(KindCounts::EMPTY.nth(0), None);
    }

    #[test]
    fn cards_are_told_by_sort() {
        let foods: Foods = [Food::Grain, Food::Fish, Food::Grain].into_iter().collect();
        assert_eq!((foods.to_string(), foods.bits(), foods.total()), ("fish, grain x2".to_owned(), 0b1001, 3));
        assert_eq!(Foods::EMPTY.to_string(), "nothing");
        let other = Foods::of([1, 1, 0, 1]);
        assert_eq!((foods.more_than([other]), other.more_than([foods]), foods.more_than([])), (0b1000, 0b0010, 0xFF));
        assert_eq!((foods.is_within(other), Foods::of([0, 0, 0, 2]).is_within(foods)), (false, true));
        assert_eq!(foods - Foods::of([1, 0, 0, 1]) + other, Foods::of([1, 1, 0, 2]));
    }
}

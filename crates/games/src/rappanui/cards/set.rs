//! Sets of cards: hands and piles, as bits.

use borsh::{BorshDeserialize, BorshSerialize};
use std::fmt;

use ahu_core::parts::lines::joined;
use ahu_core::parts::set::Set;
use ahu_core::{ChanceRng, Numbered, Stream, set_operators};

use super::card::{Card, DISASTERS, HURI_MOAI, RAIDS, SECOND_COPIES};
use super::kind::{Effect, EventKind, Kind, ResourceKind};

/// A set of cards, such as a hand or a pile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct CardSet(u128);

/// One bit for each resource.
const RESOURCES: u64 = (1 << ResourceKind::COUNT) - 1;

impl Kind {
    /// Returns the cards of this kind. The resources are two blocks of 48 bits, so that one step finds all resources
    /// with "at least one" or "two" cards.
    #[inline]
    pub const fn cards(self) -> CardSet {
        CardSet(match self {
            Self::Resource(resource) => (1 | 1 << SECOND_COPIES) << resource.index(),
            Self::Event(event) => match event.effect() {
                Effect::Raid => ((1 << self.copies()) - 1) << RAIDS,
                Effect::HuriMoai => ((1 << self.copies()) - 1) << HURI_MOAI,
                Effect::Disaster => 1 << (DISASTERS as usize + event.index() - EventKind::FIRST_DISASTER.index()),
            },
        })
    }
}

/// As many bits from the lowest on as each number has: the first copies of the Raids or Huri Moai.
static LOWEST: [u8; 1 << 8] = {
    let (mut lowest, mut bits) = ([0; 1 << 8], 0_usize);
    while bits < lowest.len() {
        lowest[bits] = ((1_u16 << bits.count_ones()) - 1) as u8;
        bits += 1;
    }
    lowest
};

impl CardSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// The whole deck.
    pub const ALL: Self = Self((1 << Card::COUNT) - 1);

    /// Creates a set from bits: bit `i` is the card of index `i`.
    pub const fn from_bits(bits: u128) -> Self {
        assert!(bits & !Self::ALL.0 == 0, "there are 120 cards");
        Self(bits)
    }

    /// Returns the bits of the set.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Returns true if the set contains `card`.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.index() & 1 == 1
    }

    /// Returns the set with `card` added.
    #[inline]
    #[must_use]
    pub const fn with(self, card: Card) -> Self {
        Self(self.0 | 1 << card.index())
    }

    /// Returns the number of cards.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if `other` contains all cards of the set.
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns the number of cards of a kind.
    #[inline]
    pub const fn count(self, kind: Kind) -> usize {
        Self(self.0 & kind.cards().0).len()
    }

    /// Returns the first card by index; None if the set is empty.
    #[inline]
    pub const fn first(self) -> Option<Card> {
        Card::new(self.0.trailing_zeros() as usize)
    }

    /// Returns the first card of a kind; None if there is none. Players play this one of equal cards.
    #[inline]
    pub const fn first_of(self, kind: Kind) -> Option<Card> {
        Self(self.0 & kind.cards().0).first()
    }

    /// Returns the kinds with at least one card in the set.
    #[inline]
    pub const fn kinds(self) -> Set<Kind> {
        Set::from_bits(self.at_least_one().bits() | self.events().bits() << ResourceKind::COUNT)
    }

    /// Returns the resources with at least one card in the set.
    #[inline]
    pub const fn at_least_one(self) -> Set<ResourceKind> {
        Set::from_bits((self.0 as u64 | (self.0 >> SECOND_COPIES) as u64) & RESOURCES)
    }

    /// Returns the resources with both cards in the set.
    #[inline]
    pub const fn both(self) -> Set<ResourceKind> {
        Set::from_bits((self.0 as u64 & (self.0 >> SECOND_COPIES) as u64) & RESOURCES)
    }

    /// Returns the events with at least one card in the set.
    #[inline]
    pub const fn events(self) -> Set<EventKind> {
        let (raid, huri_moai) = ((self.raids() != 0) as u64, (self.huri_moai() != 0) as u64);
        Set::from_bits(raid | huri_moai << 1 | self.disasters() << EventKind::FIRST_DISASTER.index())
    }

    /// Returns the Raids of the set, as bits.
    const fn raids(self) -> u64 {
        (self.0 >> RAIDS) as u64 & ((1 << (HURI_MOAI - RAIDS)) - 1)
    }

    const fn huri_moai(self) -> u64 {
        (self.0 >> HURI_MOAI) as u64 & ((1 << (DISASTERS - HURI_MOAI)) - 1)
    }

    const fn disasters(self) -> u64 {
        (self.0 >> DISASTERS) as u64
    }

    /// Creates the set of these resources, second copies, Raids, Huri Moai, and Disasters, each as bits.
    #[inline]
    const fn join(first: u64, second: u64, raids: u64, huri_moai: u64, disasters: u64) -> Self {
        Self(
            first as u128
                | (second as u128) << SECOND_COPIES
                | (raids as u128) << RAIDS
                | (huri_moai as u128) << HURI_MOAI
                | (disasters as u128) << DISASTERS,
        )
    }

    /// Returns a set with the same number of each kind, made of the first copies. A viewer sees a set of cards in
    /// this form, since equal cards look the same.
    #[inline]
    #[must_use]
    pub fn unmarked(self) -> Self {
        // Views unmark the known cards of each hand, and most of these sets are empty.
        if self.is_empty() {
            return self;
        }
        let [raids, huri_moai] = [self.raids(), self.huri_moai()].map(|copies| LOWEST[copies as usize].into());
        Self::join(self.at_least_one().bits(), self.both().bits(), raids, huri_moai, self.disasters())
    }

    /// Returns, for every kind, as many cards of the set as `wanted` has, or as many as there are: cards from this
    /// pool that look like `wanted`.
    #[must_use]
    pub const fn alike(self, wanted: Self) -> Self {
        let (first, second) = (self.0 as u64 & RESOURCES, (self.0 >> SECOND_COPIES) as u64 & RESOURCES);
        let (one, two) = (wanted.at_least_one().bits(), wanted.both().bits());
        let of_second = second & (one & !first | two & first);
        let raids = lowest(self.raids(), wanted.raids().count_ones());
        let huri_moai = lowest(self.huri_moai(), wanted.huri_moai().count_ones());
        Self::join(first & one, of_second, raids, huri_moai, self.disasters() & wanted.disasters())
    }

    /// Returns the first `count` cards in the order of `stream`, or all if the set has fewer.
    #[inline]
    #[must_use]
    pub(in crate::rappanui) fn draw(self, chance: &mut ChanceRng, stream: Stream, count: usize) -> Self {
        Self(chance.draw(stream, Card::COUNT, self.0, count))
    }

    /// Returns the same cards as [`Self::draw`]. It suits a set from which chance draws only once.
    #[must_use]
    pub(in crate::rappanui) fn draw_once(self, chance: &ChanceRng, stream: Stream, count: usize) -> Self {
        Self(chance.draw_once(stream, Card::COUNT, self.0, count))
    }

    /// Returns the cards in the order of their kinds, then of their copies.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        Kind::all().flat_map(move |kind| {
            let mut rest = self.0 & kind.cards().0;
            std::iter::from_fn(move || {
                let card = Card::new(rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(card)
            })
        })
    }
}

/// Returns the lowest `count` of the set bits.
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
        Self(1 << card.index())
    }
}

set_operators!(CardSet, 0, Self);

/// Writes the kinds of the cards in order: `F3 F7 F7 raid famine`. The empty set writes nothing.
impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(self.iter().map(Card::kind), " "))
    }
}

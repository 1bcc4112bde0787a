//! The Moai Phase and the Deforestation Phase: melds, their points, and the piles that their cards go to.

use super::action::MELD;
use super::cards::{CardSet, Kind, Suit};
use super::event::Event;
use super::{Action, Phase, RappaNui};
use crate::core::{ActionId, ActionSet, Events, Seat};

impl RappaNui {
    /// Adds the legal actions of the Moai Phase. A player lays a meld suit by suit, so that each meld has one
    /// spelling, and begins only a meld that the hand can finish. B12: at most one meld a turn. B14: exactly one card
    /// of each suit; with the Combine rule one or more, in rising order.
    pub(super) fn legal_meld(&self, seat: Seat, laid: CardSet, legal: &mut ActionSet) {
        let hand = self.hands[seat].at_least_one();
        let Some((suit, value)) = last_laid(laid) else {
            legal.insert(Action::NoMeld);
            if Suit::ALL.iter().all(|suit| hand & suit.kinds() != 0) {
                legal.insert_bits(ActionId(MELD as u16), hand & Suit::Food.kinds());
            }
            return;
        };
        let next = suit.next().map_or(0, Suit::kinds);
        let more =
            if self.options.combine_rule { suit.kinds() & (!0 << Kind::resource(suit, value).index()) } else { 0 };
        legal.insert_bits(ActionId(MELD as u16), hand & (next | more));
        if self.options.combine_rule && suit == Suit::Stone {
            legal.insert(Action::Done);
        }
    }

    pub(super) fn lay(&mut self, seat: Seat, laid: CardSet, kind: Kind, events: &mut impl Events<Event>) {
        let card = self.hands[seat].first_of(kind).expect("the card is in the hand");
        self.leave_openly(seat, card);
        events.push(Event::Laid { seat, kind });
        let laid = laid.with(card);
        self.phase = Phase::Meld { laid };
        if !self.options.combine_rule && laid.len() == Suit::ALL.len() {
            self.finish_meld(seat, laid, events);
        }
    }

    /// Scores a meld: its lowest number in Moai points. Then moves its cards to the piles of the Deforestation Phase.
    pub(super) fn finish_meld(&mut self, seat: Seat, laid: CardSet, events: &mut impl Events<Event>) {
        let numbers = Suit::ALL.map(|suit| number(laid, suit));
        let points = numbers.into_iter().min().unwrap_or(0);
        self.points[seat] += points;

        let eroded = eroded(laid, numbers);
        let discarded = laid - eroded;
        self.piles.eroded |= eroded;
        self.piles.discard |= discarded;
        events.push(Event::Melded { seat, points, eroded, discarded });
        self.decline(events);
    }
}

/// Returns the suits that an unfinished meld still lacks; none before its first card.
pub(super) fn lacking_suits(laid: CardSet) -> &'static [Suit] {
    const SUITS: &[Suit] = &Suit::ALL;
    last_laid(laid).map_or(&[], |(suit, _)| &SUITS[suit as usize + 1..])
}

/// Returns the suit and number of the last card of a meld; None if it has no card.
fn last_laid(laid: CardSet) -> Option<(Suit, u8)> {
    let kinds = laid.at_least_one();
    Kind::new(kinds.checked_ilog2()? as usize)?.as_resource()
}

/// Returns the number of a suit in a meld: that of its card, or with the Combine rule the sum of its cards (B15),
/// without limit (B16).
fn number(meld: CardSet, suit: Suit) -> u16 {
    let mut sum = 0;
    for half in [meld.at_least_one(), meld.both()] {
        let mut values = half >> (suit as usize * 12) & 0xFFF;
        while values != 0 {
            sum += values.trailing_zeros() as u16 + 1;
            values &= values - 1;
        }
    }
    sum
}

/// Returns the cards of a meld that erode. Wood always erodes. Food, People, and Stone each erode if their number is
/// greater than that of the suit before them in the chain Wood, Food, People, Stone (B13: by the printed numbers,
/// strictly, regardless of the pile that the other card went to). Of a combined suit, Wood included, only the highest
/// card erodes (B15).
fn eroded(meld: CardSet, [food, wood, people, stone]: [u16; 4]) -> CardSet {
    [(Suit::Wood, true), (Suit::Food, food > wood), (Suit::People, people > food), (Suit::Stone, stone > people)]
        .into_iter()
        .filter(|&(_, erodes)| erodes)
        .map(|(suit, _)| highest(meld, suit))
        .fold(CardSet::EMPTY, |eroded, card| eroded | card)
}

fn highest(meld: CardSet, suit: Suit) -> CardSet {
    let kinds = meld.at_least_one() & suit.kinds();
    let kind = kinds.checked_ilog2().and_then(|index| Kind::new(index as usize));
    kind.and_then(|kind| meld.first_of(kind)).map_or(CardSet::EMPTY, CardSet::from)
}

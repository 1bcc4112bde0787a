//! The Moai Phase and the Deforestation Phase: melds, their points, and what becomes of the cards.

use super::action::MELD;
use super::cards::{CardSet, Kind, Suit};
use super::event::Event;
use super::{Action, Phase, RappaNui};
use crate::core::{ActionId, ActionSet, Events, Seat};

impl RappaNui {
    /// A meld is laid suit by suit, so that each meld has one spelling, and is begun only by who
    /// can finish it. B12: at most one a turn. B14: exactly one card of each suit; with the Combine
    /// rule one or more, laid in rising order.
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

    /// Moai points: the lowest of the four numbers. Then the cards go where the Deforestation
    /// Phase sends them.
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

/// The suits that a meld which is begun still lacks.
pub(super) fn lacking_suits(laid: CardSet) -> &'static [Suit] {
    const SUITS: &[Suit] = &Suit::ALL;
    last_laid(laid).map_or(&[], |(suit, _)| &SUITS[suit as usize + 1..])
}

/// The card of a meld that was laid last: its suit and number.
fn last_laid(laid: CardSet) -> Option<(Suit, u8)> {
    let kinds = laid.at_least_one();
    Kind::new(kinds.checked_ilog2()? as usize)?.as_resource()
}

/// The number that a suit has in a meld: its card's, or with the Combine rule the sum of its
/// cards' (B15), however high (B16).
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

/// Deforestation Phase: Wood always erodes; Food, People and Stone each if their number is greater
/// than that of the suit before them in this chain (B13: the printed numbers, strictly, wherever
/// the other card went). Of a combined suit only the highest card erodes, of Wood too (B15).
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

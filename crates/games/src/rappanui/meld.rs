//! The Moai Phase and the Deforestation Phase: melds, their points, and the piles that their cards go to.

use ahu_core::parts::set::Set;
use ahu_core::{ActionSet, Events, Seat};

use super::RappaNui;
use super::action::{Action, first};
use super::cards::{CardSet, Kind, ResourceKind, Suit};
use super::event::Event;
use super::phase::Phase;

impl RappaNui {
    /// Adds the legal actions of the Moai Phase. A player lays a meld suit by suit, so that each meld has one
    /// spelling, and begins only a meld that the hand can finish. B12: at most one meld a turn. B14: exactly one card
    /// of each suit; with the Combine rule one or more, in rising order.
    pub(super) fn legal_meld(&self, seat: Seat, laid: CardSet, legal: &mut ActionSet) {
        let hand = self.hands[seat].at_least_one();
        let Some(last) = laid.at_least_one().last() else {
            legal.insert(Action::NoMeld);
            if Suit::ALL.iter().all(|suit| hand.meets(suit.kinds())) {
                legal.insert_bits(first::Meld, (hand & Suit::Food.kinds()).bits());
            }
            return;
        };
        let mut next = lacking_suits(laid).first().map_or(Set::EMPTY, |suit| suit.kinds());
        if self.table.options.combine_rule {
            next |= Set::from_bits(last.suit().kinds().bits() & (!0 << last.index()));
            if last.suit() == Suit::Stone {
                legal.insert(Action::Done);
            }
        }
        legal.insert_bits(first::Meld, (hand & next).bits());
    }

    pub(super) fn play_no_meld(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        events.push(Event::NoMeld { seat });
        self.decline(events);
    }

    pub(super) fn lay(&mut self, seat: Seat, laid: CardSet, kind: ResourceKind, events: &mut impl Events<Event>) {
        let card = self.hands[seat].first_of(Kind::Resource(kind)).expect("the card is in the hand");
        self.leave_openly(seat, card);
        events.push(Event::Laid { seat, card: kind });
        let laid = laid.with(card);
        self.table.phase = Phase::Meld { laid };
        if !self.table.options.combine_rule && laid.len() == Suit::COUNT {
            self.finish_meld(seat, laid, events);
        }
    }

    /// Scores a meld: its lowest number in Moai points. Then moves its cards to the piles of the Deforestation Phase.
    pub(super) fn finish_meld(&mut self, seat: Seat, laid: CardSet, events: &mut impl Events<Event>) {
        let numbers = Suit::ALL.map(|suit| number(laid, suit));
        let points = numbers.into_iter().min().unwrap_or(0);
        let eroded = eroded(laid, numbers);
        let discarded = laid - eroded;
        self.table.points[seat] += points;
        self.table.eroded |= eroded;
        self.table.discard |= discarded;
        events.push(Event::Melded { seat, points, eroded, discarded });
        self.decline(events);
    }
}

/// Returns the suits that an unfinished meld still lacks; none before its first card.
pub(super) fn lacking_suits(laid: CardSet) -> &'static [Suit] {
    const SUITS: &[Suit] = &Suit::ALL;
    laid.at_least_one().last().map_or(&[], |last| &SUITS[last.suit().index() + 1..])
}

/// Returns the number of a suit in a meld: the number of its card, or with the Combine rule the sum of its cards (B15),
/// without limit (B16).
fn number(meld: CardSet, suit: Suit) -> u16 {
    let sum = |half: Set<ResourceKind>| (half & suit.kinds()).iter().map(|kind| u16::from(kind.number())).sum::<u16>();
    sum(meld.at_least_one()) + sum(meld.both())
}

/// Returns the cards of a meld that erode. Wood always erodes. Food, People, and Stone each erode if their number is
/// greater than that of the suit before them in the chain Wood, Food, People, Stone (B13: by the printed numbers,
/// strictly, regardless of the pile that the other card went to). Of a combined suit, Wood included, only the highest
/// card erodes (B15).
fn eroded(meld: CardSet, [food, wood, people, stone]: [u16; Suit::COUNT]) -> CardSet {
    let highest = |suit: Suit| {
        let kind = (meld.at_least_one() & suit.kinds()).last();
        kind.and_then(|kind| meld.first_of(Kind::Resource(kind))).map_or(CardSet::EMPTY, CardSet::from)
    };
    [(Suit::Wood, true), (Suit::Food, food > wood), (Suit::People, people > food), (Suit::Stone, stone > people)]
        .into_iter()
        .filter(|&(_, erodes)| erodes)
        .fold(CardSet::EMPTY, |eroded, (suit, _)| eroded | highest(suit))
}

//! The observation: a view as bits and numbers. Seats go from the own one to the left.

use ahu_core::observation::flag_bits;
use ahu_core::{Encode, MAX_SEATS, Numbered, Sink, fields};

use super::cards::{Card, CardSet, HIGHEST, Kind, Suit};
use super::options::{Options, Reshuffle, Tie};
use super::phase::Phase;
use super::table::{PASSES, Table, hand_limit};
use super::view::View;

/// The most Moai points. Each meld erodes one of the 24 Wood cards, and brings at most the sum of them all, 156.
const MOST_POINTS: i16 = 24 * 156;
/// The most cards in a hand: the hand limit, and the cards drawn in a turn.
const MOST_CARDS: i16 = 10 + 4;

fields! {
    bits {
        /// the options that have this value
        options: flags[5].values(&["combine_rule", "reshuffle=eager", "equal_turns", "require_effect", "tie=fewest_cards"]);
        /// the seat is taken in this game
        present: flags[MAX_SEATS].by_seat();
        /// the player whose turn it is
        player: one_hot[MAX_SEATS].by_seat();
        /// the first player
        first: one_hot[MAX_SEATS].by_seat();
        /// Conflict, Moai, Decline; none of them while chance is due or at the end
        phase: one_hot[3].values(&["conflict", "moai", "decline"]);
        /// the number of times that the deck has run out
        passes: thermometer[PASSES as usize];
        /// own hand: 0-47 at least one of a resource (Food 1-12, Wood, People, Stone), 48-95 both of them, 96-103 more than
        /// 0 to 7 Raids, 104-107 more than 0 to 3 Huri Moai, 108-119 a Disaster (Rebellion to Collapse)
        hand: flags[Card::COUNT];
        /// the discard pile, as in hand
        discard: flags[Card::COUNT];
        /// the cards of the deck at its last shuffle, as in hand
        shuffled: flags[Card::COUNT];
        /// the cards laid so far for a meld: at least one of a resource, both of them; by suit and number
        laid: flags[2, Suit::COUNT, HIGHEST as usize];
        /// the erosion pile, as in laid
        eroded: flags[2, Suit::COUNT, HIGHEST as usize];
        /// at least one of a kind that the viewer knows to be in the hand, the left neighbour's first, by kind
        known: flags[MAX_SEATS - 1, Kind::COUNT].by_seat();
        /// at least one of a kind that some other player knows to be in the viewer's hand
        exposed: flags[Kind::COUNT];
    }
    numbers {
        /// Moai points
        points: numbers[MAX_SEATS].range(0, MOST_POINTS).by_seat();
        /// cards in hand
        hand_sizes: numbers[MAX_SEATS].range(0, MOST_CARDS).by_seat();
        /// cards in the deck
        deck: numbers[].range(0, Card::COUNT as i16);
        /// the most cards that a player may keep in the Decline Phase
        hand_limit: numbers[].range(6, 10);
        /// cards still to discard in this Decline Phase
        excess: numbers[].range(0, MOST_CARDS - 6);
        /// the number of this turn among the player's turns, from 1; a player may play events from the third on
        round: numbers[].range(0, 100);
    }
}

/// Returns the bits of any cards. The bits of unmarked cards have the order that the layout names.
fn cards(cards: CardSet) -> [u64; 2] {
    const HALF: usize = Card::COUNT / 2;
    [cards.bits() as u64 & ((1 << HALF) - 1), (cards.bits() >> HALF) as u64]
}

fn resources(cards: CardSet) -> [u64; 2] {
    [cards.at_least_one().bits(), cards.both().bits()]
}

impl Encode for View {
    const BITS: usize = BITS;
    const NUMBERS: usize = NUMBERS;

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
        let Table { options, phase, first, player, round, passes, points, discard, eroded, shuffled } = &self.table;
        let Options { seats, combine_rule, reshuffle, equal_turns, require_effect, tie } = *options;
        let flags = [combine_rule, reshuffle == Reshuffle::Eager, equal_turns, require_effect, tie == Tie::FewestCards];
        let decision = match phase {
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => 0,
            Phase::Conflict => 1,
            Phase::Meld { .. } => 1 << 1,
            Phase::Decline { .. } => 1 << 2,
        };
        sink.bits(fields::options, &[flag_bits(flags)]);
        sink.bits(fields::present, &[(1 << seats.count()) - 1]);
        sink.bits(fields::player, &[self.seat_bit(*player)]);
        sink.bits(fields::first, &[self.seat_bit(*first)]);
        sink.bits(fields::phase, &[decision]);
        sink.bits(fields::passes, &[(1 << passes.min(&PASSES)) - 1]);
        sink.bits(fields::hand, &cards(self.hand));
        sink.bits(fields::discard, &cards(*discard));
        sink.bits(fields::shuffled, &cards(*shuffled));
        sink.bits(fields::laid, &resources(phase.laid()));
        sink.bits(fields::eroded, &resources(*eroded));
        let own = self.viewer.seat();
        let known: [_; MAX_SEATS] = self.known.from_left(own, |cards| cards.kinds().bits());
        sink.bits(fields::known, &known[1..]);
        sink.bits(fields::exposed, &[self.exposed.values().iter().fold(0, |all, cards| all | cards.kinds().bits())]);

        sink.numbers(fields::points, &points.from_left::<MAX_SEATS, _>(own, |points| points as i16));
        sink.numbers(fields::hand_sizes, &self.hand_sizes.from_left::<MAX_SEATS, _>(own, i16::from));
        sink.numbers(fields::deck, &[self.deck.into()]);
        sink.numbers(fields::hand_limit, &[hand_limit(*passes) as i16]);
        sink.numbers(fields::excess, &[phase.excess().into()]);
        sink.numbers(fields::round, &[*round as i16]);
    }
}

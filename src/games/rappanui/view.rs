//! What a viewer knows, its observation, and the games that it could be in.

use std::iter::{repeat_n, repeat_with};

use rand::Rng;
use rand::seq::SliceRandom;

use super::cards::{CARDS, Card, CardSet, KINDS};
use super::decline::hand_limit;
use super::options::{Options, Reshuffle, Tie};
use super::piles::{PASSES, Piles};
use super::{Phase, RappaNui, ranks, still_needed};
use crate::core::{self, BySeat, Field, SEATS_MAX, Seat, Sink, Viewer};

/// All that one viewer knows of a game. Cards are unmarked: equal ones can't be told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Who knows this.
    pub viewer: Viewer,
    /// What was agreed before play.
    pub options: Options,
    /// What comes next.
    pub phase: Phase,
    /// Who went first.
    pub first: Seat,
    /// Whose turn it is.
    pub player: Seat,
    /// Which of the player's turns it is, from 1; 0 before the deal.
    pub round: u16,
    /// How many times the deck has run out, 0 to 3.
    pub passes: u8,
    /// How many cards the deck has.
    pub deck: u8,
    /// What the deck was when it was last shuffled.
    pub shuffled: CardSet,
    /// The discard pile.
    pub discard: CardSet,
    /// The erosion pile.
    pub eroded: CardSet,
    /// The viewer's hand; a spectator has none.
    pub hand: CardSet,
    /// How many cards each player holds.
    pub hand_sizes: BySeat<u8>,
    /// Moai points.
    pub points: BySeat<u16>,
    /// Of each other hand, the cards that the viewer knows to be in it.
    pub known: BySeat<CardSet>,
    /// Of the viewer's hand, the cards that each other player knows to be in it.
    pub exposed: BySeat<CardSet>,
}

impl View {
    #[inline]
    pub(super) fn of(game: &RappaNui, viewer: Viewer) -> Self {
        let RappaNui { options, phase, first, player, round, piles, hands, points, known } = game;
        let nothing = BySeat::new(options.seats, CardSet::EMPTY);
        let mut view = Self {
            viewer,
            options: *options,
            phase: match *phase {
                Phase::Meld { laid } => Phase::Meld { laid: laid.unmarked() },
                phase => phase,
            },
            first: *first,
            player: *player,
            round: *round,
            passes: piles.passes,
            deck: piles.deck.len() as u8,
            shuffled: piles.shuffled,
            discard: piles.discard.unmarked(),
            eroded: piles.eroded.unmarked(),
            hand: CardSet::EMPTY,
            hand_sizes: hands.map(|hand| hand.len() as u8),
            points: *points,
            known: nothing,
            exposed: nothing,
        };
        if let Viewer::Seat(own) = viewer {
            view.hand = hands[own].unmarked();
            for seat in options.seats.iter().filter(|&seat| seat != own) {
                view.known[seat] = (hands[seat] & known[own]).unmarked();
                view.exposed[seat] = (hands[own] & known[seat]).unmarked();
            }
        }
        view
    }

    /// The cards of the meld that is being laid.
    pub fn laid(&self) -> CardSet {
        match self.phase {
            Phase::Meld { laid } => laid,
            _ => CardSet::EMPTY,
        }
    }

    /// The cards that the viewer can't see: in the deck or in hands, those it knows of included.
    pub fn unseen(&self) -> CardSet {
        [self.hand, self.laid(), self.discard, self.eroded]
            .into_iter()
            .fold(CardSet::ALL, |rest, seen| rest - rest.alike(seen))
    }

    /// The unseen cards that must be in other hands, as they were not in the deck when it was last
    /// shuffled; counted by kind.
    pub fn surely_held(&self) -> CardSet {
        let unseen = self.unseen();
        unseen - unseen.alike(self.shuffled)
    }

    /// A game that the viewer could be in: the unseen cards dealt until the player can finish what
    /// is begun. Where that is a rare hand, the player is given cards that will do.
    ///
    /// # Panics
    /// Where no game looks like this to its viewer.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> RappaNui {
        const TRIES: usize = 200;
        let mut deals = repeat_with(|| self.deal_unseen(CardSet::EMPTY, rng)).take(TRIES);
        if let Some(game) = deals.find(RappaNui::can_go_on) {
            return game;
        }
        let game = self.deal_unseen(self.enough_to_go_on(rng), rng);
        assert!(game.can_go_on(), "the view is that of a game");
        game
    }

    /// Unseen cards with which the player can finish what is begun, beside those that it is known
    /// to hold. Cards that must be in some hand come first, so that there is room for all of them.
    fn enough_to_go_on(&self, rng: &mut dyn Rng) -> CardSet {
        let known =
            self.known.values().iter().fold(CardSet::EMPTY, |all, &hand| all | (CardSet::ALL - all).alike(hand));
        let hidden = self.unseen() - self.unseen().alike(known);
        let held = self.surely_held() - self.surely_held().alike(known);
        let mut cards: Vec<Card> = hidden.iter().collect();
        cards.shuffle(rng);
        cards.sort_by_key(|&card| !held.contains(card));

        let of_player = self.known[self.player];
        let mut enough = CardSet::EMPTY;
        for (kinds, count) in still_needed(self.phase) {
            let is_fit = |card: &Card| kinds >> card.kind().index() & 1 == 1;
            let lacking = count - of_player.iter().filter(is_fit).count().min(count);
            enough |= cards.iter().copied().filter(is_fit).take(lacking).collect();
        }
        enough
    }

    /// Deals the unseen cards: those known to be in a hand go there, those that must be in some
    /// hand go to hands, and the rest to hands and deck. `of_player` goes to the player. What the
    /// others know of each other's hands is not dealt: they know nothing.
    fn deal_unseen(&self, of_player: CardSet, rng: &mut dyn Rng) -> RappaNui {
        let mut pool = CardSet::ALL;
        let mut take = |wanted: CardSet| {
            let taken = pool.alike(wanted);
            pool -= taken;
            taken
        };
        let (discard, eroded, laid, own) = (take(self.discard), take(self.eroded), take(self.laid()), take(self.hand));
        let mut hands = self.known.map(&mut take);
        let of_player = take(of_player);
        let known = hands.values().iter().fold(CardSet::EMPTY, |all, &hand| all | hand);
        let mut others_know = self.exposed.map(|exposed| own.alike(exposed));
        if let Viewer::Seat(seat) = self.viewer {
            hands[seat] = own;
            others_know[seat] = known;
        }
        hands[self.player] |= of_player;

        let held = self.surely_held();
        let held = held - held.alike(known);
        let held = pool.alike(held - held.alike(of_player));
        let mut rest: Vec<Card> = (pool - held).iter().collect();
        rest.shuffle(rng);
        let mut places: Vec<Seat> = hands
            .iter()
            .flat_map(|(seat, hand)| repeat_n(seat, usize::from(self.hand_sizes[seat]) - hand.len()))
            .collect();
        places.shuffle(rng);
        let mut places = places.into_iter();
        let mut deck = CardSet::EMPTY;
        for card in held.iter().chain(rest) {
            match places.next() {
                Some(seat) => hands[seat] = hands[seat].with(card),
                None => deck = deck.with(card),
            }
        }
        RappaNui {
            options: self.options,
            phase: match self.phase {
                Phase::Meld { .. } => Phase::Meld { laid },
                phase => phase,
            },
            first: self.first,
            player: self.player,
            round: self.round,
            piles: Piles { deck, discard, eroded, shuffled: self.shuffled, passes: self.passes },
            hands,
            points: self.points,
            known: others_know,
        }
    }

    /// A bit for `seat`, own seat first.
    #[inline]
    fn seat_bit(&self, seat: Seat) -> u64 {
        1 << self.options.seats.steps_left(self.viewer.seat(), seat)
    }
}

/// The fields of the observation.
mod fields {
    use super::{CARDS, Field, KINDS, SEATS_MAX};

    const OTHERS: &[usize] = &[SEATS_MAX - 1, KINDS];

    pub(super) const OPTIONS: Field =
        Field::flags("options", &[5], "combine_rule, reshuffle=eager, equal_turns, require_effect, tie=fewest_cards");
    pub(super) const PRESENT: Field = Field::flags("present", &[SEATS_MAX], "the seat is taken in this game").by_seat();
    pub(super) const PLAYER: Field = Field::one_hot("player", &[SEATS_MAX], "whose turn it is").by_seat();
    pub(super) const FIRST: Field = Field::one_hot("first", &[SEATS_MAX], "who went first").by_seat();
    pub(super) const PHASE: Field =
        Field::one_hot("phase", &[3], "Conflict, Moai, Decline; none of them while chance is due or at the end");
    pub(super) const PASSES: Field = Field::thermometer("passes", &[3], "how many times the deck has run out");

    /// Any cards: 120 bits.
    const fn cards(name: &'static str, meaning: &'static str) -> Field {
        Field::flags(name, &[CARDS], meaning)
    }

    /// Resources: 2 times 48 bits.
    const fn resources(name: &'static str, meaning: &'static str) -> Field {
        Field::flags(name, &[2, 4, 12], meaning)
    }

    pub(super) const HAND: Field = cards(
        "hand",
        "own hand: 0-47 at least one of a resource (Food 1-12, Wood, People, Stone), 48-95 both of them, 96-103 more than \
         0 to 7 Raids, 104-107 more than 0 to 3 Huri Moai, 108-119 a Disaster (Rebellion to Collapse)",
    );
    pub(super) const DISCARD: Field = cards("discard", "the discard pile, as in hand");
    pub(super) const SHUFFLED: Field = cards("shuffled", "what the deck was when it was last shuffled, as in hand");
    pub(super) const LAID: Field =
        resources("laid", "the meld that is being laid: at least one of a resource, both of them; by suit and number");
    pub(super) const ERODED: Field = resources("eroded", "the erosion pile, as in laid");

    pub(super) const KNOWN: Field = Field::flags(
        "known",
        OTHERS,
        "at least one of a kind is known to be in that hand, the left neighbour's first, by kind",
    )
    .by_seat();
    pub(super) const EXPOSED: Field =
        Field::flags("exposed", &[KINDS], "some other player knows that at least one of a kind is in the own hand");

    pub(super) const POINTS: Field = Field::numbers("points", &[SEATS_MAX], (0, 3744), "Moai points").by_seat();
    pub(super) const HAND_SIZES: Field = Field::numbers("hand_sizes", &[SEATS_MAX], (0, 14), "cards in hand").by_seat();
    pub(super) const DECK: Field = Field::numbers("deck", &[], (0, 120), "cards in the deck");
    pub(super) const HAND_LIMIT: Field =
        Field::numbers("hand_limit", &[], (6, 10), "cards that may be kept in the Decline Phase");
    pub(super) const EXCESS: Field =
        Field::numbers("excess", &[], (0, 8), "cards still to be discarded in this Decline Phase");
    pub(super) const ROUND: Field = Field::numbers(
        "round",
        &[],
        (0, 100),
        "which of the player's turns it is, from 1; events may be played from the third on",
    );
}

const _: () =
    assert!(<View as core::View>::BITS <= 1024 && <View as core::View>::NUMBERS <= 64, "the caps of a card game");

impl core::View for View {
    const BITS: usize = 953;
    const NUMBERS: usize = 16;

    fn viewer(&self) -> Viewer {
        self.viewer
    }

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
        let Options { seats, combine_rule, reshuffle, equal_turns, require_effect, tie } = self.options;
        let flags = [combine_rule, reshuffle == Reshuffle::Eager, equal_turns, require_effect, tie == Tie::FewestCards];
        let (phase, excess) = match self.phase {
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => (0, 0),
            Phase::Conflict => (1, 0),
            Phase::Meld { .. } => (2, 0),
            Phase::Decline { excess, .. } => (4, excess),
        };
        sink.bits(fields::OPTIONS, &[flags.iter().enumerate().fold(0, |bits, (n, &on)| bits | u64::from(on) << n)]);
        sink.bits(fields::PRESENT, &[(1 << seats.count()) - 1]);
        sink.bits(fields::PLAYER, &[self.seat_bit(self.player)]);
        sink.bits(fields::FIRST, &[self.seat_bit(self.first)]);
        sink.bits(fields::PHASE, &[phase]);
        sink.bits(fields::PASSES, &[(1 << self.passes.min(PASSES)) - 1]);
        sink.bits(fields::HAND, &cards(self.hand));
        sink.bits(fields::DISCARD, &cards(self.discard));
        sink.bits(fields::SHUFFLED, &cards(self.shuffled));
        sink.bits(fields::LAID, &resources(self.laid()));
        sink.bits(fields::ERODED, &resources(self.eroded));
        let own = self.viewer.seat();
        let known: [_; SEATS_MAX] = self.known.from_left(own, CardSet::kinds);
        sink.bits(fields::KNOWN, &known[1..]);
        sink.bits(fields::EXPOSED, &[self.exposed.values().iter().fold(0, |all, cards| all | cards.kinds())]);

        sink.numbers(fields::POINTS, &self.points.from_left::<SEATS_MAX, _>(own, |points| points as i16));
        sink.numbers(fields::HAND_SIZES, &self.hand_sizes.from_left::<SEATS_MAX, _>(own, i16::from));
        sink.numbers(fields::DECK, &[self.deck.into()]);
        sink.numbers(fields::HAND_LIMIT, &[hand_limit(self.passes) as i16]);
        sink.numbers(fields::EXCESS, &[excess.into()]);
        sink.numbers(fields::ROUND, &[self.round as i16]);
    }

    fn scores(&self) -> BySeat<i32> {
        self.points.map(i32::from)
    }

    fn ranks(&self) -> BySeat<u8> {
        ranks(self.options, self.points, self.hand_sizes)
    }
}

/// The bits of any cards: unmarked, they are in the order that the layout names.
fn cards(cards: CardSet) -> [u64; 2] {
    const HALF: u32 = CARDS as u32 / 2;
    [cards.bits() as u64 & ((1 << HALF) - 1), (cards.bits() >> HALF) as u64]
}

fn resources(cards: CardSet) -> [u64; 2] {
    [cards.at_least_one(), cards.both()]
}

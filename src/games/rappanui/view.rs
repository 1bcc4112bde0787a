//! The view, its observation, and the resampling of games that the viewer could be in.

use std::iter::{repeat_n, repeat_with};

use rand::Rng;
use rand::seq::SliceRandom;

use super::cards::{CARDS, Card, CardSet, KINDS};
use super::deck::{PASSES, Piles};
use super::decline::hand_limit;
use super::options::{Options, Reshuffle, Tie};
use super::{Phase, RappaNui, ranks, still_needed};
use crate::core::{self, BySeat, Field, MAX_SEATS, Seat, Sink, Viewer};

/// Everything that one viewer knows of a game. Cards are unmarked, since nobody can tell equal cards apart.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The options that the players agreed on.
    pub options: Options,
    /// The current phase.
    pub phase: Phase,
    /// The first player.
    pub first: Seat,
    /// The player whose turn it is.
    pub player: Seat,
    /// The number of this turn among the player's turns, from 1; 0 before the deal.
    pub round: u16,
    /// The number of times that the deck has run out, 0 to 3.
    pub passes: u8,
    /// The number of cards in the deck.
    pub deck: u8,
    /// The cards of the deck at its last shuffle.
    pub shuffled: CardSet,
    /// The discard pile.
    pub discard: CardSet,
    /// The erosion pile.
    pub eroded: CardSet,
    /// The viewer's hand; empty for the public.
    pub hand: CardSet,
    /// The number of cards in each hand.
    pub hand_sizes: BySeat<u8>,
    /// Moai points.
    pub points: BySeat<u16>,
    /// For each other hand, the cards that the viewer knows to be in it.
    pub known: BySeat<CardSet>,
    /// For each other player, the cards that this player knows to be in the viewer's hand.
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

    /// Returns the cards laid so far for a meld.
    pub fn laid(&self) -> CardSet {
        match self.phase {
            Phase::Meld { laid } => laid,
            _ => CardSet::EMPTY,
        }
    }

    /// Returns the cards that the viewer does not see: those in the deck and in other hands, including the ones that
    /// it knows of.
    pub fn unseen(&self) -> CardSet {
        [self.hand, self.laid(), self.discard, self.eroded]
            .into_iter()
            .fold(CardSet::ALL, |rest, seen| rest - rest.alike(seen))
    }

    /// Returns the unseen cards that must be in other hands, since they were not in the deck at its last shuffle;
    /// counted by kind.
    pub fn surely_held(&self) -> CardSet {
        let unseen = self.unseen();
        unseen - unseen.alike(self.shuffled)
    }

    /// Returns a game that the viewer could be in. It deals the unseen cards until the player can finish the current
    /// meld or discards. If such a hand is too rare, it deals the player suitable cards.
    ///
    /// # Panics
    /// Panics if no game has this view.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> RappaNui {
        const TRIES: usize = 200;
        let mut deals = repeat_with(|| self.deal_unseen(CardSet::EMPTY, rng)).take(TRIES);
        if let Some(game) = deals.find(RappaNui::can_go_on) {
            return game;
        }
        let game = self.deal_unseen(self.enough_to_go_on(rng), rng);
        assert!(game.can_go_on(), "expected the view of a game");
        game
    }

    /// Returns unseen cards that complete the player's known cards, so that the player can finish the current meld or
    /// discards. It prefers cards that must be in some hand, so that there is room for all of them.
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

    /// Deals the unseen cards: those known to be in a hand to that hand, those that must be in some hand to hands,
    /// and the rest to hands and deck. The cards `of_player` go to the player. The other players know nothing of each
    /// other's hands in this game.
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

    /// Returns the bit of `seat`, own seat first.
    #[inline]
    fn seat_bit(&self, seat: Seat) -> u64 {
        1 << self.options.seats.steps_left(self.viewer.seat(), seat)
    }
}

/// The fields of the observation.
mod fields {
    use super::{CARDS, Field, KINDS, MAX_SEATS};

    const OTHERS: &[usize] = &[MAX_SEATS - 1, KINDS];

    pub(super) const OPTIONS: Field =
        Field::flags("options", &[5], "combine_rule, reshuffle=eager, equal_turns, require_effect, tie=fewest_cards")
            .values(&["combine_rule", "reshuffle=eager", "equal_turns", "require_effect", "tie=fewest_cards"]);
    pub(super) const PRESENT: Field = Field::flags("present", &[MAX_SEATS], "the seat is taken in this game").by_seat();
    pub(super) const PLAYER: Field = Field::one_hot("player", &[MAX_SEATS], "the player whose turn it is").by_seat();
    pub(super) const FIRST: Field = Field::one_hot("first", &[MAX_SEATS], "the first player").by_seat();
    pub(super) const PHASE: Field =
        Field::one_hot("phase", &[3], "Conflict, Moai, Decline; none of them while chance is due or at the end")
            .values(&["conflict", "moai", "decline"]);
    pub(super) const PASSES: Field =
        Field::thermometer("passes", &[3], "the number of times that the deck has run out");

    /// Returns a field of any cards: 120 bits.
    const fn cards(name: &'static str, meaning: &'static str) -> Field {
        Field::flags(name, &[CARDS], meaning)
    }

    /// Returns a field of resources: 2 times 48 bits.
    const fn resources(name: &'static str, meaning: &'static str) -> Field {
        Field::flags(name, &[2, 4, 12], meaning)
    }

    pub(super) const HAND: Field = cards(
        "hand",
        "own hand: 0-47 at least one of a resource (Food 1-12, Wood, People, Stone), 48-95 both of them, 96-103 more than \
         0 to 7 Raids, 104-107 more than 0 to 3 Huri Moai, 108-119 a Disaster (Rebellion to Collapse)",
    );
    pub(super) const DISCARD: Field = cards("discard", "the discard pile, as in hand");
    pub(super) const SHUFFLED: Field = cards("shuffled", "the cards of the deck at its last shuffle, as in hand");
    pub(super) const LAID: Field = resources(
        "laid",
        "the cards laid so far for a meld: at least one of a resource, both of them; by suit and number",
    );
    pub(super) const ERODED: Field = resources("eroded", "the erosion pile, as in laid");

    pub(super) const KNOWN: Field = Field::flags(
        "known",
        OTHERS,
        "at least one of a kind that the viewer knows to be in the hand, the left neighbour's first, by kind",
    )
    .by_seat();
    pub(super) const EXPOSED: Field = Field::flags(
        "exposed",
        &[KINDS],
        "at least one of a kind that some other player knows to be in the viewer's hand",
    );

    pub(super) const POINTS: Field = Field::numbers("points", &[MAX_SEATS], (0, 3744), "Moai points").by_seat();
    pub(super) const HAND_SIZES: Field = Field::numbers("hand_sizes", &[MAX_SEATS], (0, 14), "cards in hand").by_seat();
    pub(super) const DECK: Field = Field::numbers("deck", &[], (0, 120), "cards in the deck");
    pub(super) const HAND_LIMIT: Field =
        Field::numbers("hand_limit", &[], (6, 10), "the most cards that a player may keep in the Decline Phase");
    pub(super) const EXCESS: Field =
        Field::numbers("excess", &[], (0, 8), "cards still to discard in this Decline Phase");
    pub(super) const ROUND: Field = Field::numbers(
        "round",
        &[],
        (0, 100),
        "the number of this turn among the player's turns, from 1; a player may play events from the third on",
    );
}

const _: () = assert!(
    <View as core::View>::BITS <= 1024 && <View as core::View>::NUMBERS <= 64,
    "at most 1024 bits and 64 numbers for a card game"
);

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
        let known: [_; MAX_SEATS] = self.known.from_left(own, CardSet::kinds);
        sink.bits(fields::KNOWN, &known[1..]);
        sink.bits(fields::EXPOSED, &[self.exposed.values().iter().fold(0, |all, cards| all | cards.kinds())]);

        sink.numbers(fields::POINTS, &self.points.from_left::<MAX_SEATS, _>(own, |points| points as i16));
        sink.numbers(fields::HAND_SIZES, &self.hand_sizes.from_left::<MAX_SEATS, _>(own, i16::from));
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

/// Returns the bits of any cards. The bits of unmarked cards have the order that the layout names.
fn cards(cards: CardSet) -> [u64; 2] {
    const HALF: u32 = CARDS as u32 / 2;
    [cards.bits() as u64 & ((1 << HALF) - 1), (cards.bits() >> HALF) as u64]
}

fn resources(cards: CardSet) -> [u64; 2] {
    [cards.at_least_one(), cards.both()]
}

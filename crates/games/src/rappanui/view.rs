//! The view: the knowledge of a viewer, and the resampling of games that the viewer could be in.

use borsh::{BorshDeserialize, BorshSerialize};
use std::iter::{repeat_n, repeat_with};

use ahu_core::parts::set::Set;
use ahu_core::{BySeat, Seat, Viewer};
use rand::Rng;
use rand::seq::SliceRandom;

use super::RappaNui;
use super::cards::{Card, CardSet, Kind};
use super::final_scoring::ranks;
use super::meld::lacking_suits;
use super::phase::Phase;
use super::table::Table;

/// Everything that one viewer knows of a game. Cards are unmarked, since nobody can tell equal cards apart.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The public part of the state.
    pub table: Table,
    /// The number of cards in the deck.
    pub deck: u8,
    /// The viewer's hand; empty for the public.
    pub hand: CardSet,
    /// The number of cards in each hand.
    pub hand_sizes: BySeat<u8>,
    /// For each other hand, the cards that the viewer knows to be in it.
    pub known: BySeat<CardSet>,
    /// For each other player, the cards that this player knows to be in the viewer's hand.
    pub exposed: BySeat<CardSet>,
}

impl View {
    #[inline]
    pub(super) fn of(game: &RappaNui, viewer: Viewer) -> Self {
        let RappaNui { table, deck, hands, known } = game;
        let seats = table.options.seats;
        let nothing = BySeat::new(seats, CardSet::EMPTY);
        let mut view = Self {
            viewer,
            table: table.unmarked(),
            deck: deck.len() as u8,
            hand: CardSet::EMPTY,
            hand_sizes: hands.map(|hand| hand.len() as u8),
            known: nothing,
            exposed: nothing,
        };
        if let Viewer::Seat(own) = viewer {
            view.hand = hands[own].unmarked();
            for seat in seats.iter().filter(|&seat| seat != own) {
                view.known[seat] = (hands[seat] & known[own]).unmarked();
                view.exposed[seat] = (hands[own] & known[seat]).unmarked();
            }
        }
        view
    }

    /// Returns the cards that the viewer does not see: the deck and the other hands, including the cards there that it
    /// knows of.
    pub fn unseen(&self) -> CardSet {
        [self.hand, self.table.phase.laid(), self.table.discard, self.table.eroded]
            .into_iter()
            .fold(CardSet::ALL, |rest, seen| rest - rest.alike(seen))
    }

    /// Returns the unseen cards that must be in other hands, since they were not in the deck at its last shuffle;
    /// counted by kind.
    pub fn surely_held(&self) -> CardSet {
        let unseen = self.unseen();
        unseen - unseen.alike(self.table.shuffled)
    }

    /// Returns the cards of the last shuffle that the viewer sees now; counted by kind.
    pub(super) fn seen_of_deck(&self) -> CardSet {
        let shuffled = self.table.shuffled;
        shuffled - shuffled.alike(self.unseen())
    }

    /// Returns a game that the viewer could be in. It deals the unseen cards until the player can finish the current
    /// meld or discards. If such a hand is too rare, it deals the player suitable cards.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> RappaNui {
        const TRIES: usize = 200;
        let mut deals = repeat_with(|| self.deal_unseen(CardSet::EMPTY, rng)).take(TRIES);
        if let Some(game) = deals.find(RappaNui::can_go_on) {
            return game;
        }
        self.deal_unseen(self.enough_to_go_on(rng), rng)
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

        let of_player = self.known[self.table.player];
        let mut enough = CardSet::EMPTY;
        for (kinds, count) in still_needed(self.table.phase) {
            let is_fit = |card: &Card| kinds.contains(card.kind());
            let lacking = count - of_player.iter().filter(is_fit).count().min(count);
            enough |= cards.iter().copied().filter(is_fit).take(lacking).collect();
        }
        enough
    }

    /// Deals the unseen cards. A card that is known to be in a hand goes to that hand, a card that must be in some hand goes
    /// to any hand, and the rest goes to hands and deck. The cards `of_player` go to the player. The other players know
    /// nothing of each other's hands in this game.
    fn deal_unseen(&self, of_player: CardSet, rng: &mut dyn Rng) -> RappaNui {
        let mut pool = CardSet::ALL;
        let mut take = |wanted: CardSet| {
            let taken = pool.alike(wanted);
            pool -= taken;
            taken
        };
        let mut table = self.table;
        for pile in [&mut table.discard, &mut table.eroded] {
            *pile = take(*pile);
        }
        if let Phase::Meld { laid } = &mut table.phase {
            *laid = take(*laid);
        }
        let own = take(self.hand);
        let mut hands = self.known.map(&mut take);
        let of_player = take(of_player);
        let known = hands.values().iter().fold(CardSet::EMPTY, |all, &hand| all | hand);
        let mut others_know = self.exposed.map(|exposed| own.alike(exposed));
        if let Viewer::Seat(seat) = self.viewer {
            hands[seat] = own;
            others_know[seat] = known;
        }
        hands[table.player] |= of_player;

        let held = self.surely_held();
        let held = held - held.alike(known);
        let held = pool.alike(held - held.alike(of_player));
        let mut rest: Vec<Card> = (pool - held).iter().collect();
        rest.shuffle(rng);
        let mut places: Vec<Seat> = hands
            .iter()
            .flat_map(|(seat, hand)| repeat_n(seat, usize::from(self.hand_sizes[seat]).saturating_sub(hand.len())))
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
        RappaNui { table, deck, hands, known: others_know }
    }

    /// Returns the bit of `seat`, own seat first.
    #[inline]
    pub(super) fn seat_bit(&self, seat: Seat) -> u64 {
        1 << self.table.options.seats.steps_left(self.viewer.seat(), seat)
    }
}

impl ahu_core::View for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn scores(&self) -> BySeat<i32> {
        self.table.points.map(i32::from)
    }

    fn ranks(&self) -> BySeat<u8> {
        ranks(&self.table, self.hand_sizes)
    }

    fn tie_break(&self, _before: Seat, _after: Seat) -> &'static str {
        "fewer cards"
    }

    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        vec![("Moai points", self.scores())]
    }
}

/// Returns the cards that the player must still hold to finish the meld or the discards: sets of kinds, each with a
/// number of cards. A player begins a meld, and discards cards, only as the hand allows it.
fn still_needed(phase: Phase) -> Vec<(Set<Kind>, usize)> {
    match phase {
        // The resources are the first of the kinds.
        Phase::Meld { laid } => {
            lacking_suits(laid).iter().map(|suit| (Set::from_bits(suit.kinds().bits()), 1)).collect()
        }
        Phase::Decline { excess, from } => {
            vec![(Set::from_bits(CardSet::ALL.kinds().bits() >> from << from), excess.into())]
        }
        Phase::Deal | Phase::Draw | Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => {
            Vec::new()
        }
    }
}

impl RappaNui {
    /// Returns true if the player can finish the current meld or discards.
    pub(super) fn can_go_on(&self) -> bool {
        let hand = self.hands[self.table.player];
        let count = |kinds: Set<Kind>| hand.iter().filter(|card| kinds.contains(card.kind())).count();
        still_needed(self.table.phase).into_iter().all(|(kinds, needed)| count(kinds) >= needed)
    }
}

//! The Rapa Nui Phase: draws from the deck, and the passes through it.

use ahu_core::{ChanceRng, Events, NoEvents, OutcomeError, ensure};

use super::RappaNui;
use super::cards::CardSet;
use super::chance_outcome;
use super::event::Event;
use super::options::Reshuffle;
use super::table::Table;

/// The number of cards that a player draws in a turn.
pub(super) const DRAW: usize = 4;

impl RappaNui {
    pub(super) fn draw_from_deck(&self, chance: &mut ChanceRng) -> CardSet {
        let (mut table, mut deck) = (self.table, self.deck);
        table.draw(&mut deck, &mut NoEvents, |deck, passes, count| {
            deck.draw(chance, chance_outcome::deck(passes), count)
        })
    }

    /// Returns the number of cards of the due draw; None if the deck is used up on the way, and shuffled anew.
    pub(super) fn draw_without_a_shuffle(&self) -> Option<usize> {
        let (mut table, mut deck, mut rounds) = (self.table, self.deck, 0);
        let drawn = table.draw(&mut deck, &mut NoEvents, |deck, _, count| {
            rounds += 1;
            deck.iter().take(count).collect()
        });
        (rounds == 1 && drawn.is_within(self.deck)).then(|| drawn.len())
    }

    pub(super) fn check_draw(&self, cards: CardSet) -> Result<(), OutcomeError> {
        let (mut table, mut deck) = (self.table, self.deck);
        let mut fits = true;
        let drawn = table.draw(&mut deck, &mut NoEvents, |deck, _, count| {
            let chosen = cards & deck;
            fits &= chosen.len() == count;
            if fits { chosen } else { deck.iter().take(count).collect() }
        });
        ensure(fits && drawn == cards, || {
            OutcomeError(format!("expected a draw of {} cards from the deck, got {cards}", drawn.len()))
        })
    }

    pub(super) fn draw_cards(&mut self, cards: CardSet, events: &mut impl Events<Event>) {
        let Self { table, deck, hands, .. } = self;
        events.push(Event::Drew { seat: table.player, cards });
        table.draw(deck, events, |deck, _, _| cards & deck);
        hands[table.player] |= cards;
        table.begin_conflict();
    }
}

impl Table {
    /// Draws the four cards of a turn, or as many as there are. `choose` gets the deck, the number of passes, and a
    /// number of cards, and returns as many cards of the deck.
    ///
    /// A pass is complete when a player draws the last card, and the third pass ends the drawing (B3, B4). If deck
    /// and discard pile are both empty, the draw fails and counts as a pass (B5).
    #[inline]
    fn draw(
        &mut self,
        deck: &mut CardSet,
        events: &mut impl Events<Event>,
        mut choose: impl FnMut(CardSet, u8, usize) -> CardSet,
    ) -> CardSet {
        let mut drawn = CardSet::EMPTY;
        while drawn.len() < DRAW && !self.is_deck_gone_through() {
            if deck.is_empty() && self.discard.is_empty() {
                self.end_pass(events);
                break;
            }
            if deck.is_empty() {
                self.shuffle_into(deck, events);
            }
            let wanted = (DRAW - drawn.len()).min(deck.len());
            let cards = choose(*deck, self.passes, wanted);
            assert!(
                cards.len() == wanted && cards.is_within(*deck),
                "expected {wanted} cards from the deck, got {cards}"
            );
            *deck -= cards;
            drawn |= cards;
            if deck.is_empty() {
                self.end_pass(events);
                let is_eager = self.options.reshuffle == Reshuffle::Eager;
                if is_eager && !self.is_deck_gone_through() && !self.discard.is_empty() {
                    self.shuffle_into(deck, events);
                }
            }
        }
        drawn
    }

    fn end_pass(&mut self, events: &mut impl Events<Event>) {
        self.passes += 1;
        events.push(Event::PassEnded { passes: self.passes });
    }

    /// Makes the discard pile the deck.
    fn shuffle_into(&mut self, deck: &mut CardSet, events: &mut impl Events<Event>) {
        events.push(Event::Reshuffled { deck_count: self.discard.len() as u8 });
        *deck = std::mem::take(&mut self.discard);
        self.shuffled = deck.unmarked();
    }
}

//! Setup: the cut for the first player, and the deal.

use ahu_core::{BySeat, ChanceRng, Events, OutcomeError, Seat, ensure};

use super::RappaNui;
use super::cards::CardSet;
use super::chance_outcome::{self, Outcome};
use super::event::Event;

/// The number of cards dealt to each player.
const DEAL: usize = 6;

impl RappaNui {
    /// Draws the first player (B2) and the hands.
    pub(super) fn draw_deal(&self, chance: &mut ChanceRng) -> Outcome {
        let seats = self.table.options.seats;
        let first = chance.number(chance_outcome::CUT, 0, seats.count() as u32) as usize;
        let first = seats.get(first).expect("the number is below the count");
        let mut deck = self.deck;
        let hands = BySeat::from_fn(seats, |_| {
            let hand = deck.draw(chance, chance_outcome::deck(0), DEAL);
            deck -= hand;
            hand
        });
        Outcome::Deal { first, hands }
    }

    pub(super) fn check_deal(&self, hands: BySeat<CardSet>) -> Result<(), OutcomeError> {
        let seats = self.table.options.seats;
        let given = hands.seats();
        ensure(given == seats, || OutcomeError(format!("expected {seats} hands, one for each seat, got {given}")))?;
        let mut deck = CardSet::ALL;
        for (seat, hand) in hands.iter() {
            ensure(hand.len() == DEAL && hand.is_within(deck), || {
                OutcomeError(format!("expected {DEAL} cards for seat {seat} that no other seat has, got {hand}"))
            })?;
            deck -= hand;
        }
        Ok(())
    }

    pub(super) fn deal(&mut self, first: Seat, hands: BySeat<CardSet>, events: &mut impl Events<Event>) {
        self.hands = hands;
        hands.values().iter().for_each(|&hand| self.deck -= hand);
        self.table.first = first;
        self.table.player = first;
        self.table.round = 1;
        events.push(Event::Dealt { first_seat: first, hands });
        self.table.begin_turn(events);
    }
}

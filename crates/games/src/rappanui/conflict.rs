//! The Conflict Phase: events against opponents.

use ahu_core::{ActionSet, ChanceRng, Events, OutcomeError, Seat, ensure};

use super::RappaNui;
use super::action::{Action, play_event_ids};
use super::cards::{Card, CardSet, Effect, EventKind, Kind};
use super::chance_outcome;
use super::event::Event;
use super::phase::Phase;
use super::table::Table;

/// The first of a player's own turns with events (B11).
const FIRST_TURN_WITH_EVENTS: u16 = 3;
/// The number of Moai points that a Huri Moai takes.
const HURI_MOAI_LOSS: u16 = 2;
/// The number of cards that a Disaster takes.
const DISASTER_LOSS: usize = 2;

impl Table {
    /// Begins the Conflict Phase, from the player's third turn on, regardless of the hand (B23): an omitted question
    /// would reveal what the hand lacks.
    pub(super) fn begin_conflict(&mut self) {
        self.phase = if self.round >= FIRST_TURN_WITH_EVENTS { Phase::Conflict } else { Phase::MELD };
    }
}

impl RappaNui {
    pub(super) fn legal_events(&self, seat: Seat, legal: &mut ActionSet) {
        legal.insert(Action::NoEvent);
        for event in self.hands[seat].events().iter() {
            legal.insert_bits(play_event_ids(event), self.targets(seat, event));
        }
    }

    /// Returns the opponents that `seat` may target with `event`: bit `k` is the opponent `k` + 1 seats to the left.
    ///
    /// B8: any opponent, even an opponent that loses nothing, unless the players agreed on `require_effect`.
    fn targets(&self, seat: Seat, event: EventKind) -> u64 {
        let Table { options, points, .. } = &self.table;
        if !options.require_effect {
            return (1 << (options.seats.count() - 1)) - 1;
        }
        let can_lose = |target| match event.effect() {
            Effect::HuriMoai => points[target] > 0,
            Effect::Raid | Effect::Disaster => !self.hands[target].is_empty(),
        };
        options
            .seats
            .others(seat)
            .enumerate()
            .filter(|&(_, target)| can_lose(target))
            .fold(0, |set, (k, _)| set | 1 << k)
    }

    pub(super) fn play_no_event(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        events.push(Event::NoEvent { seat });
        self.table.phase = Phase::MELD;
    }

    pub(super) fn play_event(&mut self, seat: Seat, event: EventKind, target: Seat, events: &mut impl Events<Event>) {
        // B24: the card goes to the discard pile before it takes effect.
        let card = self.hands[seat].first_of(Kind::Event(event)).expect("the event is in the hand");
        self.discard_openly(seat, card);
        events.push(Event::EventPlayed { seat, card: event, target_seat: target });

        let Self { table, hands, .. } = self;
        table.phase = match event.effect() {
            Effect::Raid | Effect::Disaster if hands[target].is_empty() => {
                events.push(Event::NothingToTake { seat: target });
                Phase::MELD
            }
            Effect::Raid => Phase::Steal { victim: target },
            Effect::Disaster => Phase::Lose { victim: target },
            Effect::HuriMoai => {
                // B20: the points go to the bank.
                let loss = table.points[target].min(HURI_MOAI_LOSS);
                table.points[target] -= loss;
                events.push(Event::Toppled { seat: target, points: loss });
                Phase::MELD
            }
        };
    }

    pub(super) fn draw_theft(&self, victim: Seat, chance: &ChanceRng) -> Card {
        self.taken_by_event(victim, 1, chance).first().expect("a Raid on an empty hand steals nothing")
    }

    pub(super) fn check_theft(&self, victim: Seat, card: Card) -> Result<(), OutcomeError> {
        ensure(self.hands[victim].contains(card), || {
            OutcomeError(format!("expected a card from the hand of seat {victim}, got {card}"))
        })
    }

    /// Moves a stolen card from the victim to the thief. B9: the thief may use it at once; thief and victim know it.
    pub(super) fn steal(&mut self, victim: Seat, card: Card, events: &mut impl Events<Event>) {
        let thief = self.table.player;
        self.remember_theft(thief, victim, card);
        self.hands[victim] -= card.into();
        self.hands[thief] |= card.into();
        events.push(Event::Stolen { thief_seat: thief, victim_seat: victim, cards: card.into() });
        self.table.phase = Phase::MELD;
    }

    pub(super) fn draw_loss(&self, victim: Seat, chance: &ChanceRng) -> CardSet {
        self.taken_by_event(victim, self.loss_of(victim), chance)
    }

    pub(super) fn check_loss(&self, victim: Seat, cards: CardSet) -> Result<(), OutcomeError> {
        let loss = self.loss_of(victim);
        ensure(cards.is_within(self.hands[victim]) && cards.len() == loss, || {
            OutcomeError(format!("expected {loss} cards from the hand of seat {victim}, got {cards}"))
        })
    }

    /// Discards the cards that a Disaster took. B10: all cards of a hand of fewer than two, face up.
    pub(super) fn lose(&mut self, victim: Seat, cards: CardSet, events: &mut impl Events<Event>) {
        cards.iter().for_each(|card| self.discard_openly(victim, card));
        events.push(Event::Lost { seat: victim, cards });
        self.table.phase = Phase::MELD;
    }

    /// Returns the number of cards that the current Disaster takes from `victim`.
    pub(super) fn loss_of(&self, victim: Seat) -> usize {
        self.hands[victim].len().min(DISASTER_LOSS)
    }

    /// Draws the cards that the event of this turn takes from a hand.
    fn taken_by_event(&self, victim: Seat, count: usize, chance: &ChanceRng) -> CardSet {
        let stream = chance_outcome::event(self.table.round, self.table.player);
        self.hands[victim].draw_once(chance, stream, count)
    }
}

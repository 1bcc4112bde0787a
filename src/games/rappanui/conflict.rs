//! The Conflict Phase: events against opponents.

use super::action::play_event_ids;
use super::cards::{Card, CardSet, Face, Kind};
use super::event::Event;
use super::{Action, Phase, RappaNui};
use crate::core::{ActionSet, Events, Seat};

/// The first of a player's own turns with events (B11).
const FIRST_TURN_WITH_EVENTS: u16 = 3;
/// The number of Moai points that a Huri Moai takes.
const HURI_MOAI_LOSS: u16 = 2;
/// The number of cards that a Disaster takes.
pub(super) const DISASTER_LOSS: usize = 2;

impl RappaNui {
    /// Returns true from the player's third turn on, regardless of the hand (B23): an omitted question would reveal
    /// what the hand lacks.
    pub(super) fn may_play_events(&self) -> bool {
        self.round >= FIRST_TURN_WITH_EVENTS
    }

    pub(super) fn legal_events(&self, seat: Seat, legal: &mut ActionSet) {
        legal.insert(Action::NoEvent);
        let mut events = self.hands[seat].kinds() >> Kind::RAID.index() << Kind::RAID.index();
        while let Some(event) = Kind::new(events.trailing_zeros() as usize) {
            legal.insert_bits(play_event_ids(event), self.targets(seat, event));
            events &= events - 1;
        }
    }

    /// Returns the opponents that `seat` may target with `event`: bit `k` is the opponent `k` + 1 seats to the left.
    ///
    /// B8: any opponent, even one that loses nothing, unless the players agreed on `require_effect`.
    fn targets(&self, seat: Seat, event: Kind) -> u64 {
        let seats = self.options.seats;
        if !self.options.require_effect {
            return (1 << (seats.count() - 1)) - 1;
        }
        let takes_points = event.face() == Face::HuriMoai;
        let can_lose = |target| if takes_points { self.points[target] > 0 } else { !self.hands[target].is_empty() };
        seats.others(seat).enumerate().filter(|&(_, target)| can_lose(target)).fold(0, |set, (k, _)| set | 1 << k)
    }

    pub(super) fn play_event(&mut self, seat: Seat, event: Kind, target: Seat, events: &mut impl Events<Event>) {
        // B24: the card goes to the discard pile before it takes effect.
        let card = self.hands[seat].first_of(event).expect("the event is in the hand");
        self.discard_openly(seat, card);
        events.push(Event::EventPlayed { seat, event, target });

        let empty_hand = self.hands[target].is_empty();
        match event.face() {
            Face::Resource(..) => unreachable!("{event} is a resource"),
            Face::Raid | Face::Disaster if empty_hand => {
                events.push(Event::NothingToTake { seat: target });
                self.phase = Phase::MELD;
            }
            Face::Raid => self.phase = Phase::Steal { victim: target },
            Face::Disaster => self.phase = Phase::Lose { victim: target },
            Face::HuriMoai => {
                // B20: the points go to the bank.
                let loss = self.points[target].min(HURI_MOAI_LOSS);
                self.points[target] -= loss;
                events.push(Event::Toppled { seat: target, points: loss });
                self.phase = Phase::MELD;
            }
        }
    }

    /// Moves a stolen card from the victim to the thief. B9: the thief may use it at once; thief and victim know it.
    pub(super) fn steal(&mut self, victim: Seat, card: Card, events: &mut impl Events<Event>) {
        let thief = self.player;
        self.remember_theft(thief, victim, card);
        self.hands[victim] -= card.into();
        self.hands[thief] |= card.into();
        events.push(Event::Stolen { thief, victim, card: card.into() });
        self.phase = Phase::MELD;
    }

    /// Discards the cards that a Disaster took. B10: all cards of a hand of fewer than two, face up.
    pub(super) fn lose(&mut self, victim: Seat, cards: CardSet, events: &mut impl Events<Event>) {
        cards.iter().for_each(|card| self.discard_openly(victim, card));
        events.push(Event::Lost { seat: victim, cards });
        self.phase = Phase::MELD;
    }

    /// Returns the number of cards that the current Disaster takes from `victim`.
    pub(super) fn loss_of(&self, victim: Seat) -> usize {
        self.hands[victim].len().min(DISASTER_LOSS)
    }
}

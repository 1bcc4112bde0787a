//! The Conflict Phase: playing an event against an opponent.

use super::action::play_event_ids;
use super::cards::{Card, CardSet, Face, Kind};
use super::event::Event;
use super::{Action, Phase, RappaNui};
use crate::core::{ActionSet, Events, Seat};

/// From which of their own turns on players may play events (B11).
const FIRST_TURN_WITH_EVENTS: u16 = 3;
/// How many Moai points a Huri Moai takes.
const HURI_MOAI_LOSS: u16 = 2;
/// How many cards a Disaster takes.
pub(super) const DISASTER_LOSS: usize = 2;

impl RappaNui {
    /// B23: from their third turn on players are asked, whatever they hold. A question left out
    /// would tell the others what a hand lacks.
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

    /// Against whom `seat` may play `event`: bit `k` is the opponent `k` + 1 seats to the left.
    ///
    /// B8: any opponent, even one whom it takes nothing from, unless `require_effect` is agreed.
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
            Face::Resource(..) => unreachable!("{event} is no event"),
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

    /// B9: the card may be used at once; thief and victim know which it is.
    pub(super) fn steal(&mut self, victim: Seat, card: Card, events: &mut impl Events<Event>) {
        let thief = self.player;
        self.remember_theft(thief, victim, card);
        self.hands[victim] -= card.into();
        self.hands[thief] |= card.into();
        events.push(Event::Stolen { thief, victim, card: card.into() });
        self.phase = Phase::MELD;
    }

    /// B10: all they have, where it is less than two. The cards go to the discard pile, face up.
    pub(super) fn lose(&mut self, victim: Seat, cards: CardSet, events: &mut impl Events<Event>) {
        cards.iter().for_each(|card| self.discard_openly(victim, card));
        events.push(Event::Lost { seat: victim, cards });
        self.phase = Phase::MELD;
    }

    /// How many cards the Disaster under way takes from `victim`.
    pub(super) fn loss_of(&self, victim: Seat) -> usize {
        self.hands[victim].len().min(DISASTER_LOSS)
    }
}

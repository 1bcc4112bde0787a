//! Phase 3, placement: figures on the island, the powers of Sorcerer and Chief, and half-tablets.

use ahu_core::{ActionSet, Events, Seat, SeatSet};

use super::action::{Action, first};
use super::board::{Ahu, Ahus, Hex, Terrain};
use super::event::{Event, Gain};
use super::logs::Log;
use super::options::BaseView;
use super::party::{LOGS_A_FIGURE, Party};
use super::phase::{Phase, PlaceStep};
use super::piece::Kind;
use super::table::Table;
use super::tribe::Spot;

/// The number of half-tablets that the Chief breaks to use a power.
const TABLET: u8 = 2;

/// The powers that a figure has on a hex.
struct Powers {
    /// The gain from village, hut, forest, or headdress quarry.
    of_the_hex: Option<Gain>,
    /// The Ahus that the player can reserve.
    reserve: Ahus,
}

impl Powers {
    /// Returns true if there is no power to use.
    const fn is_none(&self) -> bool {
        self.of_the_hex.is_none() && self.reserve.is_empty()
    }
}

/// The legal placements.
impl Table {
    /// Adds the legal actions of a step of a placement.
    pub(super) fn legal_placements(&self, seat: Seat, step: PlaceStep, legal: &mut ActionSet) {
        match step {
            PlaceStep::What => {
                self.parties(seat).for_each(|party| legal.insert(Action::Place(party)));
                if self.can_take_half(seat) {
                    legal.insert(Action::TakeHalf);
                }
                legal.insert(Action::Pass);
                legal.insert_bits(first::Peek, self.peekable(seat).bits());
            }
            PlaceStep::Where { .. } => legal.insert_bits(first::At, self.board().hexes.bits()),
            PlaceStep::Power { chief, hex } => {
                let powers = self.powers(seat, chief, hex);
                legal.insert(Action::NoPower);
                if powers.of_the_hex.is_some() {
                    legal.insert(Action::UsePower);
                }
                legal.insert_bits(first::Reserve, powers.reserve.bits());
            }
        }
    }

    /// Returns the figures behind a screen, each with the numbers of logs that it may bring.
    fn parties(&self, seat: Seat) -> impl Iterator<Item = Party> {
        let tribe = &self.tribes[seat];
        let (workers, logs) = (tribe.reserve.workers, tribe.reserve.logs.min(LOGS_A_FIGURE));
        let (sorcerer, chief) = (tribe.sorcerer == Spot::Reserve, tribe.chief == Spot::Reserve);
        Party::ALL.into_iter().filter(move |party| {
            let is_there = match party {
                Party::Worker(_) => workers > 0,
                Party::Sorcerer(_) => sorcerer,
                Party::Chief => chief,
            };
            is_there && party.logs() <= logs
        })
    }

    /// Returns true if the player has a Tribe Marker and the draw has a half-tablet (G16).
    fn can_take_half(&self, seat: Seat) -> bool {
        self.tribes[seat].reserve.markers > 0 && self.halves > 0
    }

    /// Returns true if a player can do something other than pass. Logs alone are not enough (G17).
    fn can_place(&self, seat: Seat) -> bool {
        self.tribes[seat].figures_in_reserve() > 0 || self.can_take_half(seat)
    }

    /// Returns the Ahus under whose Moai a player may look (G31).
    pub(super) fn peekable(&self, seat: Seat) -> Ahus {
        let tribe = &self.tribes[seat];
        match self.options.base_view {
            BaseView::Open => Ahus::EMPTY,
            BaseView::Memory if tribe.halves == 0 => Ahus::EMPTY,
            BaseView::Memory => self.sites.erected() - tribe.peeked,
        }
    }

    /// Returns the powers that the Sorcerer, or the Chief for a tablet, has on a hex. A power without effect is left
    /// out (G46).
    fn powers(&self, seat: Seat, chief: bool, hex: Hex) -> Powers {
        let tribe = &self.tribes[seat];
        if chief && tribe.halves < TABLET {
            return Powers { of_the_hex: None, reserve: Ahus::EMPTY };
        }
        // G14
        let free = self.board().ahus_at(hex) - self.sites.occupied();
        let reserve = if tribe.reserve.bases > 0 { free } else { Ahus::EMPTY };
        Powers { of_the_hex: self.power_of_the_hex(seat, hex), reserve }
    }

    /// Returns the gain from the hex's own power, if it has one with an effect.
    fn power_of_the_hex(&self, seat: Seat, hex: Hex) -> Option<Gain> {
        let receptacle = self.tribes[seat].receptacle;
        match self.board().terrain(hex) {
            Terrain::Village => (receptacle.workers > 0).then_some(Gain::Worker),
            Terrain::Hut => (receptacle.markers > 0).then_some(Gain::Marker),
            // G11: no more than are left.
            Terrain::Forest { logs } => {
                let logs = logs.min(self.logs_left);
                (!self.harvested.contains(hex) && logs > 0).then_some(Gain::Logs(logs))
            }
            Terrain::HeaddressQuarry => self.in_rock(Kind::Headdress).first().map(Gain::Headdress),
            Terrain::MoaiQuarry | Terrain::Land => None,
        }
    }
}

/// The effects of placements.
impl Table {
    /// Begins phase 3 with the first player.
    pub(super) fn begin_placement(&mut self, events: &mut impl Events<Event>) {
        self.ask_placement(self.first, SeatSet::EMPTY, events);
    }

    /// Asks the next player with something to place, from `seat` on to the left.
    fn ask_placement(&mut self, seat: Seat, passed: SeatSet, events: &mut impl Events<Event>) {
        match self.next_able(seat, passed, |seat| self.can_place(seat), events) {
            Some((seat, passed)) => self.phase = Phase::Place { seat, passed, step: PlaceStep::What },
            None => self.begin_transport(events),
        }
    }

    /// Ends a player's action and asks the next player.
    fn end_placement(&mut self, seat: Seat, passed: SeatSet, events: &mut impl Events<Event>) {
        self.ask_placement(self.options.seats.left_of(seat, 1), passed, events);
    }

    /// Applies an action of a placement.
    pub(super) fn place(
        &mut self,
        seat: Seat,
        passed: SeatSet,
        step: PlaceStep,
        action: Action,
        events: &mut impl Events<Event>,
    ) {
        match (step, action) {
            (PlaceStep::What, Action::Place(party)) => {
                self.phase = Phase::Place { seat, passed, step: PlaceStep::Where { party } };
            }
            (PlaceStep::What, Action::TakeHalf) => {
                self.take_half(seat, events);
                self.end_placement(seat, passed, events);
            }
            (PlaceStep::What, Action::Peek(ahu)) => self.peek(seat, ahu, events),
            (PlaceStep::What, Action::Pass) => {
                events.push(Event::Passed { seat, forced: false });
                self.end_placement(seat, passed.with(seat), events);
            }
            (PlaceStep::Where { party }, Action::At(hex)) => self.place_figure(seat, passed, party, hex, events),
            (PlaceStep::Power { .. }, Action::NoPower) => self.end_placement(seat, passed, events),
            (PlaceStep::Power { chief, hex }, Action::UsePower) => {
                let gain = self.power_of_the_hex(seat, hex).expect("the power is offered only if it has an effect");
                self.use_power(seat, chief, hex, gain, events);
                self.end_placement(seat, passed, events);
            }
            (PlaceStep::Power { chief, hex }, Action::Reserve(ahu)) => {
                self.use_power(seat, chief, hex, Gain::Reserved(ahu), events);
                self.end_placement(seat, passed, events);
            }
            (step, action) => panic!("seat {seat} cannot {action} at {step:?}"),
        }
    }

    /// Places a figure with its logs, then offers its power. The Chief's power is offered only here, and he is
    /// placed once a turn (G15). The logs come with the figure, before the power brings others (G37).
    fn place_figure(&mut self, seat: Seat, passed: SeatSet, party: Party, hex: Hex, events: &mut impl Events<Event>) {
        let tribe = &mut self.tribes[seat];
        tribe.reserve.logs -= party.logs();
        (0..party.logs()).for_each(|_| self.logs.place(Log { hex, seat }));
        let chief = match party {
            Party::Worker(_) => {
                tribe.reserve.workers -= 1;
                tribe.workers.add(hex);
                None
            }
            Party::Sorcerer(_) => {
                tribe.sorcerer = Spot::On(hex);
                Some(false)
            }
            Party::Chief => {
                tribe.chief = Spot::On(hex);
                Some(true)
            }
        };
        events.push(Event::Placed { seat, party, hex });
        match chief.filter(|&chief| !self.powers(seat, chief, hex).is_none()) {
            Some(chief) => self.phase = Phase::Place { seat, passed, step: PlaceStep::Power { chief, hex } },
            None => self.end_placement(seat, passed, events),
        }
    }

    /// Gives a player the gain of a power; the Chief breaks a tablet for it.
    fn use_power(&mut self, seat: Seat, chief: bool, hex: Hex, gain: Gain, events: &mut impl Events<Event>) {
        let tribe = &mut self.tribes[seat];
        if chief {
            tribe.halves -= TABLET;
            self.halves += TABLET;
        }
        match gain {
            Gain::Worker => {
                tribe.receptacle.workers -= 1;
                tribe.reserve.workers += 1;
            }
            Gain::Marker => {
                tribe.receptacle.markers -= 1;
                tribe.reserve.markers += 1;
            }
            Gain::Logs(logs) => {
                self.logs_left -= logs;
                tribe.reserve.logs += logs;
                self.harvested |= hex.into();
            }
            Gain::Headdress(_) => {
                self.bring_in(Kind::Headdress, seat);
            }
            Gain::Reserved(ahu) => {
                tribe.reserve.bases -= 1;
                self.sites.reserve(ahu, seat);
            }
        }
        events.push(Event::PowerUsed { seat, chief, gain });
    }

    /// Spends a Tribe Marker for a half-tablet.
    fn take_half(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        let tribe = &mut self.tribes[seat];
        tribe.reserve.markers -= 1;
        tribe.front.markers += 1;
        tribe.halves += 1;
        self.halves -= 1;
        events.push(Event::HalfTaken { seat });
    }

    /// Looks under a Moai for a half, which goes back to the draw (G31). The player's action is still to come.
    pub(super) fn peek(&mut self, seat: Seat, ahu: Ahu, events: &mut impl Events<Event>) {
        let owner = self.sites.owner(ahu).expect("a Moai stands on a base");
        let tribe = &mut self.tribes[seat];
        tribe.halves -= 1;
        tribe.peeked |= ahu.into();
        self.halves += 1;
        events.push(Event::Peeked { seat, ahu, owner });
    }
}

//! Rounds: their begin and end, and the end of the game.

use ahu_core::Events;

use super::event::{EndReason, Event};
use super::improvement::Improvement;
use super::moai::Sizes;
use super::options::Options;
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::space::Spaces;
use super::table::Table;

/// The number of empty ahus that ends a game of two players.
const EMPTY_AHUS_OF_TWO: u8 = 3;

impl Table {
    pub(super) fn begin_round(&mut self, events: &mut impl Events<Event>) {
        self.round += 1;
        self.has_erected_or_styled = false;
        self.active = self.order.first();
        self.phase = Phase::Place;
        events.push(Event::RoundBegan { round: self.round });
    }

    /// Ends the round: figurines return to their players, and Moai that are not erected to the supply (M29, M39).
    pub(super) fn end_round(&mut self, events: &mut impl Events<Event>) {
        for seat in self.options.seats.iter() {
            let player = &mut self.players[seat];
            self.supply = self.supply + player.moai;
            player.gather();
        }
        for site in &mut self.sites {
            (site.standing, site.lying) = (0, 0);
        }
        self.idle_rounds = if self.has_erected_or_styled { 0 } else { self.idle_rounds + 1 };
        events.push(Event::RoundEnded { round: self.round, empty_ahus: self.empty_ahus() });
        match self.end_reason() {
            Some(_) => self.phase = Phase::Over,
            None => self.begin_round(events),
        }
    }

    /// Returns the number of ahus without a Moai (M30).
    pub(super) fn empty_ahus(&self) -> u8 {
        let board = self.board();
        board.with_ahus.iter().map(|space| board.ahus(space) - self.site(space).moai_count()).sum()
    }

    /// Returns the largest number of empty ahus that ends the game.
    pub(super) fn last_ahus(&self) -> u8 {
        match self.options.seats.count() {
            2 => EMPTY_AHUS_OF_TWO,
            seats => seats as u8,
        }
    }

    /// Returns the largest number of rounds still to be played, this one included.
    pub(super) fn rounds_left(&self) -> u8 {
        self.options.max_rounds + 1 - self.round.max(1)
    }

    /// Returns the number of further idle rounds that end the game, this one included; None if they never do (M31).
    pub(super) fn idle_rounds_left(&self) -> Option<u8> {
        let Options { stall_end, .. } = self.options;
        (stall_end > 0).then(|| stall_end.saturating_sub(self.idle_rounds))
    }

    /// Returns the reason for which the game is over at the end of this round; None if it goes on (M31).
    pub(super) fn end_reason(&self) -> Option<EndReason> {
        if self.empty_ahus() <= self.last_ahus() {
            Some(EndReason::Ahus)
        } else if self.round >= self.options.max_rounds {
            Some(EndReason::Rounds)
        } else if self.idle_rounds_left() == Some(0) {
            Some(EndReason::Stall)
        } else {
            None
        }
    }
}

impl Player {
    /// Takes all placed figurines back.
    fn gather(&mut self) {
        self.villagers = self.villager_count();
        self.sorcerer = Sorcerer::InHand;
        self.chief = if self.is(Improvement::Chief) { Chief::InHand } else { Chief::InVillage };
        (self.sculptors, self.chip_ins, self.moai) = (Sizes::EMPTY, Sizes::EMPTY, Sizes::EMPTY);
        self.held = Spaces::EMPTY;
        self.has_dropped_out = false;
    }
}

//! Phase 1: placing figurines.

use ahu_core::parts::set::Set;
use ahu_core::{ActionSet, Events, Seat};

use super::action::{Action, first};
use super::event::Event;
use super::moai::{Size, Sizes};
use super::options::ChiefTiming;
use super::order::Star;
use super::phase::Phase;
use super::player::{Chief, Sorcerer};
use super::space::{Space, Spaces};
use super::table::Table;

impl Table {
    /// Asks the next player in turn order with something to place; with none left, phase 2 begins (M3).
    pub(super) fn go_on_placing(&mut self, events: &mut impl Events<Event>) {
        let next = self.order.round_from(self.active).find(|&seat| self.has_figurine_to_place(seat));
        match next {
            Some(seat) => self.active = seat,
            None => self.change_order(events),
        }
    }

    /// Returns true if the player must be asked. The Chief alone counts only if he must be placed in this phase (M4).
    #[inline]
    fn has_figurine_to_place(&self, seat: Seat) -> bool {
        let player = &self.players[seat];
        let must_place_chief = player.chief == Chief::InHand && self.options.chief_timing == ChiefTiming::Phase1;
        player.sorcerer == Sorcerer::InHand || must_place_chief || (player.villagers > 0 && self.has_room(seat))
    }

    /// Returns true if a Villager of this player has a legal place.
    fn has_room(&self, seat: Seat) -> bool {
        !self.open_spaces(seat).is_empty() || !self.open_columns().is_empty()
    }

    /// Returns the spaces on which a player may place Transporters: those without Transporters of others (M38).
    #[inline]
    pub(super) fn open_spaces(&self, seat: Seat) -> Spaces {
        self.board().all() - (self.occupied() - self.players[seat].held)
    }

    /// Returns the columns of the Moai Quarry with a free place.
    #[inline]
    fn open_columns(&self) -> Set<Size> {
        self.free_places().kinds()
    }

    /// Returns the number of free places of each column. A Sculptor that comes by Change Jobs needs none.
    #[inline]
    pub(super) fn free_places(&self) -> Sizes {
        let placed = self.players.values().iter().fold(Sizes::EMPTY, |all, player| all + player.sculptors);
        Sizes::of(Size::ALL.map(|column| self.options.quarry(column).saturating_sub(placed[column])))
    }

    /// Returns the star spaces on which a Sorcerer may be placed.
    fn open_stars(&self, seat: Seat) -> Set<Star> {
        let all = Set::from_bits((1 << self.options.star_spaces) - 1);
        let allowed = if self.is_opening(seat) { all - Star::FIRST.into() } else { all };
        self.players.values().iter().fold(allowed, |open, player| match player.sorcerer {
            Sorcerer::OnStar(star) => open - star.into(),
            Sorcerer::InHand | Sorcerer::AtWork => open,
        })
    }

    /// Returns true if this is the first player's first placement of the round (M1).
    fn is_opening(&self, seat: Seat) -> bool {
        let player = &self.players[seat];
        let has_placed = player.villagers < player.villager_count() || matches!(player.chief, Chief::InQuarry(_));
        seat == self.order.first() && !has_placed
    }

    pub(super) fn legal_placements(&self, seat: Seat, legal: &mut ActionSet) {
        let player = &self.players[seat];
        if player.villagers > 0 {
            legal.insert_bits(first::PlaceTransporter, self.open_spaces(seat).bits());
            legal.insert_bits(first::PlaceSculptor, self.open_columns().bits());
        }
        if player.sorcerer == Sorcerer::InHand {
            legal.insert_bits(first::PlaceSorcerer, self.open_stars(seat).bits());
        }
        self.legal_chief_columns(seat, legal);
    }

    pub(super) fn place_transporter(&mut self, seat: Seat, space: Space, events: &mut impl Events<Event>) {
        self.players[seat].villagers -= 1;
        self.stand(seat, space);
        events.push(Event::TransporterPlaced { seat, space });
        self.go_on_placing(events);
    }

    /// Adds a figurine to the standing Transporters of a space.
    pub(super) fn stand(&mut self, seat: Seat, space: Space) {
        self.sites[space.index()].standing += 1;
        self.players[seat].held |= space.into();
    }

    pub(super) fn place_sculptor(&mut self, seat: Seat, column: Size, events: &mut impl Events<Event>) {
        let player = &mut self.players[seat];
        player.villagers -= 1;
        player.sculptors[column] += 1;
        events.push(Event::SculptorPlaced { seat, column });
        self.go_on_placing(events);
    }

    pub(super) fn place_sorcerer(&mut self, seat: Seat, star: Star, events: &mut impl Events<Event>) {
        self.players[seat].sorcerer = Sorcerer::OnStar(star);
        events.push(Event::SorcererPlaced { seat, star });
        self.go_on_placing(events);
    }

    /// Places the Chief (M4): in phase 1 this is the player's turn; in phase 2 the player goes on to sculpt.
    pub(super) fn place_chief(&mut self, seat: Seat, column: Size, events: &mut impl Events<Event>) {
        self.players[seat].chief = Chief::InQuarry(column);
        events.push(Event::ChiefPlaced { seat, column });
        if self.phase == Phase::Place {
            self.go_on_placing(events);
        }
    }

    /// Adds the columns for a Chief in hand, in the phases that `chief_timing` allows (M4).
    pub(super) fn legal_chief_columns(&self, seat: Seat, legal: &mut ActionSet) {
        let other_phase = if self.phase == Phase::Place { ChiefTiming::Phase2 } else { ChiefTiming::Phase1 };
        if self.players[seat].chief == Chief::InHand && self.options.chief_timing != other_phase {
            for column in Size::ALL {
                legal.insert(Action::PlaceChief(column));
            }
        }
    }
}

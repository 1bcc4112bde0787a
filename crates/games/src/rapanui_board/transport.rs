//! Phase 3: transports along chains of Transporters, one a turn, until all have dropped out.
//!
//! A transport is a chain of steps. One flood over sets of areas (`Board::leading_to`) tells which steps can still be finished:
//! adjacency is symmetric, so an area that reaches a goal over unvisited areas is reached from the goal. Two ways over the same
//! spaces of others end in the same position (M9).

use ahu_core::{ActionSet, Events, Seat};

use super::action::{Action, first};
use super::cargo::Cargo;
use super::event::Event;
use super::moai::{Size, Sizes};
use super::phase::Phase;
use super::space::{Area, Areas, Space, Spaces};
use super::table::Table;
use super::tile::Tile;

/// The legal actions of a player.
impl Table {
    /// Adds the legal transports. A transport is legal only if the player can end it (M13).
    pub(super) fn legal_transports(&self, seat: Seat, legal: &mut ActionSet) {
        legal.insert(Action::DropOut);
        let moai = self.players[seat].moai;
        if moai != Sizes::EMPTY && self.can_begin(seat, Cargo::Moai(Size::Small)) {
            let sizes = Size::ALL.into_iter().filter(|&size| moai[size] > 0);
            sizes.for_each(|size| legal.insert(Action::Transport(Cargo::Moai(size))));
        }
        if self.can_begin(seat, Cargo::Pukao) && self.can_exchange(seat) {
            legal.insert(Action::Transport(Cargo::Pukao));
        }
    }

    /// Returns true if a chain leads from the cargo's quarry to a space where the transport can end.
    fn can_begin(&self, seat: Seat, cargo: Cargo) -> bool {
        let start = cargo.quarry();
        let (goals, board) = (self.goals(seat, cargo), self.board());
        !goals.is_empty() && board.adjacent(start).meets(self.ways(goals, start.into()))
    }

    /// Returns the spaces on which a player can end a transport. The player needs a Transporter that is not fatigued,
    /// or the Chief (M25), and an ahu or the head of a Moai must be free.
    pub(super) fn goals(&self, seat: Seat, cargo: Cargo) -> Spaces {
        if cargo == Cargo::Pukao && self.pukao == 0 {
            return Spaces::EMPTY;
        }
        let is_goal = |&space: &Space| self.has_strength(seat, space) && self.is_room_for(cargo, space);
        self.players[seat].held.iter().filter(is_goal).collect()
    }

    /// Returns true if the player has a Transporter that is not fatigued, or the Chief, on the space.
    #[inline]
    pub(super) fn has_strength(&self, seat: Seat, space: Space) -> bool {
        let player = &self.players[seat];
        player.held.contains(space) && (self.site(space).standing > 0 || player.lent_chief() == Some(space))
    }

    /// Returns true if the space has a free ahu for a Moai, or a free head for a Pukao.
    #[inline]
    pub(super) fn is_room_for(&self, cargo: Cargo, space: Space) -> bool {
        match cargo {
            Cargo::Moai(_) => self.site(space).free() > 0,
            Cargo::Pukao => self.site(space).unstyled() > 0,
        }
    }

    /// Returns the areas that leave a transport a way to a goal over areas not visited yet (M9). If a Moai may
    /// not pass the Pukao Quarry, nor a Pukao the Crater (M8), no quarry is among them.
    fn ways(&self, goals: Spaces, visited: Areas) -> Areas {
        let quarries = if self.options.pass_other_quarry { Area::QUARRIES } else { Areas::EMPTY };
        let passable = (Area::all_of(self.occupied()) | quarries) - visited;
        self.board().leading_to(Area::all_of(goals), passable)
    }

    pub(super) fn legal_steps(&self, seat: Seat, cargo: Cargo, at: Area, visited: Areas, legal: &mut ActionSet) {
        let goals = self.goals(seat, cargo);
        let steps = self.board().adjacent(at) & self.ways(goals, visited);
        legal.insert_bits(first::Step, steps.bits());
        let Some(space) = at.space().filter(|&space| goals.contains(space)) else { return };
        match cargo {
            Cargo::Moai(_) => legal.insert_bits(first::Erect, self.sites[space.index()].kinds().bits()),
            Cargo::Pukao => legal.insert(Action::Style),
        }
    }
}

/// The effects of actions.
impl Table {
    pub(super) fn begin_transport(&mut self, seat: Seat, cargo: Cargo, events: &mut impl Events<Event>) {
        events.push(Event::TransportBegan { seat, cargo });
        let at = cargo.quarry();
        self.phase = Phase::Carry { cargo, at, visited: at.into() };
    }

    pub(super) fn step(&mut self, seat: Seat, cargo: Cargo, to: Area, visited: Areas, events: &mut impl Events<Event>) {
        events.push(Event::Stepped { seat, area: to });
        self.phase = Phase::Carry { cargo, at: to, visited: visited | to.into() };
    }

    /// Lays down the Transporter that ended a transport here; if the Chief stands here, nobody lies down (M25).
    /// Returns true if a Transporter lies down.
    pub(super) fn tire(&mut self, seat: Seat, space: Space) -> bool {
        let is_tiring = self.players[seat].lent_chief() != Some(space);
        if is_tiring {
            let site = &mut self.sites[space.index()];
            site.standing -= 1;
            site.lying += 1;
        }
        is_tiring
    }

    pub(super) fn drop_out(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.players[seat].has_dropped_out = true;
        events.push(Event::DroppedOut { seat });
        self.end_turn(events);
    }

    /// Ends the turn, unless something can still be played (M44).
    pub(super) fn finish_transport(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.phase = Phase::EndTurn;
        if !self.can_interrupt(seat) {
            self.end_turn(events);
        }
    }

    /// Passes the turn to the next player who has not dropped out; if all have, the round ends.
    pub(super) fn end_turn(&mut self, events: &mut impl Events<Event>) {
        let next = self.order.round_from(self.active).find(|&seat| !self.players[seat].has_dropped_out);
        match next {
            Some(seat) => {
                self.active = seat;
                self.phase = Phase::Transport;
            }
            None => self.end_round(events),
        }
    }

    /// Returns the visited spaces of others. Each of them earns its owner a toll (M9).
    fn tolled(&self, seat: Seat, visited: Areas) -> Spaces {
        Area::spaces_of(visited) - self.players[seat].held
    }

    pub(super) fn stop_with_moai(
        &mut self,
        seat: Seat,
        (at, size): (Area, Size),
        visited: Areas,
        tile: Tile,
        events: &mut impl Events<Event>,
    ) {
        let space = at.space().expect("a Moai is erected on a space");
        let tolled = self.tolled(seat, visited);
        let choices = tolled & self.board().choices;
        self.pay_fixed_tolls(tolled - choices, events);
        self.choose_tolls(space, size, tile, choices, events);
    }

    pub(super) fn stop_with_pukao(&mut self, seat: Seat, at: Area, visited: Areas, events: &mut impl Events<Event>) {
        let space = at.space().expect("a Moai is styled on a space");
        self.pay_reeds(self.tolled(seat, visited), events);
        self.style(seat, space, events);
    }
}

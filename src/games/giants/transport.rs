//! Phase 4, transport: players lift, move, mark, erect, and top pieces.

use super::action::{Action, first};
use super::board::{Ahu, Ahus, Hex, Hexes};
use super::event::Event;
use super::piece::{Claim, Kind, Piece, Pieces, Place, Size};
use super::set::Numbered;
use super::tribe::Carriers;
use super::{Phase, Site, Table, TransportStep};
use crate::core::{ActionSet, Events, Seat, SeatSet};

/// A player's means for transports of any piece.
struct Hauling {
    /// The capacity of each hex.
    carriers: Carriers,
    /// The hexes where the player could erect a Moai.
    erecting: Hexes,
    /// The hexes where the player could put a headdress on top.
    topping: Hexes,
    /// True if the player has a Tribe Marker.
    can_mark: bool,
}

impl Hauling {
    /// Returns the hexes where the player could erect or top with a piece of this kind.
    const fn goals(&self, kind: Kind) -> Hexes {
        match kind {
            Kind::Moai(_) => self.erecting,
            Kind::Headdress => self.topping,
        }
    }
}

/// The legal transports.
impl Table {
    /// Adds the legal actions of a step of a transport.
    #[inline]
    pub(super) fn legal_transports(&self, seat: Seat, step: TransportStep, legal: &mut ActionSet) {
        match step {
            TransportStep::Lift => {
                legal.insert_bits(first::LIFT, self.liftable(seat).bits());
                legal.insert(Action::Pass);
                legal.insert_bits(first::PEEK, self.peekable(seat).bits());
            }
            TransportStep::Carry { piece, moved } => self.legal_ways(seat, piece, moved, legal),
            TransportStep::Pay { piece, to, dues } => self.legal_payments(seat, piece, to, dues, legal),
        }
    }

    /// Returns the player's means for transports.
    fn hauling(&self, seat: Seat) -> Hauling {
        let tribe = &self.tribes[seat];
        let near = |stands: Hexes, kind: Kind| -> Hexes {
            stands.iter().filter(|&hex| !self.goals_at(seat, kind, hex).is_empty()).collect()
        };
        Hauling {
            carriers: self.carriers(),
            erecting: near(self.erecting_figures(seat), Kind::Moai(Size::One)),
            topping: near(tribe.figures(), Kind::Headdress),
            can_mark: tribe.reserve.markers > 0,
        }
    }

    /// Returns the hexes with a figure that can erect a Moai (G21).
    pub(super) fn erecting_figures(&self, seat: Seat) -> Hexes {
        let tribe = &self.tribes[seat];
        if self.options.erect_needs_worker { tribe.workers.hexes() } else { tribe.figures() }
    }

    /// Returns the Ahus of a hex that would take such a piece of the player, whether or not the player has a figure
    /// there.
    fn goals_at(&self, seat: Seat, kind: Kind, hex: Hex) -> Ahus {
        let has_base = self.tribes[seat].reserve.bases > 0;
        let is_goal = |&ahu: &Ahu| match (kind, self.site(ahu)) {
            // G40, G51
            (Kind::Moai(_), Site::Free) => has_base,
            (Kind::Moai(_), Site::Reserved(owner)) => owner == seat,
            // G22
            (Kind::Headdress, Site::Erected { owner, headdress: None, .. }) => {
                !self.options.top_own_only || owner == Some(seat)
            }
            (Kind::Moai(_), Site::Erected { .. })
            | (Kind::Headdress, Site::Free | Site::Reserved(_) | Site::Erected { headdress: Some(_), .. }) => false,
        };
        self.board().ahus_at(hex).iter().filter(is_goal).collect()
    }

    /// Returns the hex of a piece. For a piece in front of a screen it is the quarry.
    ///
    /// # Panics
    /// If the piece is not in play, or is on an Ahu.
    #[inline]
    pub(super) fn hex_of(&self, piece: Piece) -> Hex {
        match (self.place_of(piece), piece.kind()) {
            (Place::Island { hex, .. }, _) => hex,
            (Place::Front(_), Kind::Moai(_)) => self.board().moai_quarry,
            (Place::Front(_), Kind::Headdress) => self.board().headdress_quarry,
            (place @ (Place::Rock | Place::Ahu(_)), _) => panic!("{piece} cannot move: {place:?}"),
        }
    }

    /// Returns the pieces that a player can lift.
    fn liftable(&self, seat: Seat) -> Pieces {
        let hauling = self.hauling(seat);
        self.takeable(seat, &hauling).iter().filter(|&piece| self.can_lift(piece, &hauling)).collect()
    }

    /// Returns true if a player can lift any piece.
    fn can_transport(&self, seat: Seat) -> bool {
        let hauling = self.hauling(seat);
        self.takeable(seat, &hauling).iter().any(|piece| self.can_lift(piece, &hauling))
    }

    /// Returns the own pieces, and the abandoned pieces if the player can mark, erect, or top anywhere (G20).
    fn takeable(&self, seat: Seat, hauling: &Hauling) -> Pieces {
        let takes_abandoned = hauling.can_mark || !(hauling.erecting | hauling.topping).is_empty();
        let may_take = |&piece: &Piece| match self.place_of(piece) {
            Place::Front(owner) | Place::Island { claim: Claim::Held(owner) | Claim::Marked(owner), .. } => {
                owner == seat
            }
            Place::Island { claim: Claim::Abandoned, .. } => takes_abandoned,
            Place::Rock | Place::Ahu(_) => false,
        };
        self.movable().iter().filter(may_take).collect()
    }

    /// Returns true if the player can do something with an own or abandoned piece.
    fn can_lift(&self, piece: Piece, hauling: &Hauling) -> bool {
        let (is_own, is_marked) = self.claimed(piece);
        if hauling.can_mark && !is_marked {
            return true;
        }
        let (at, goals) = (self.hex_of(piece), hauling.goals(piece.kind()));
        let open = self.open_to(piece, &hauling.carriers);
        goals.contains(at)
            || match is_own {
                true => self.board().neighbours(at).meets(open),
                // G20
                false => self.board().flood(at, open).meets(goals),
            }
    }

    /// Returns two flags of a piece that a player may take: true if it is the player's own, and true if it is marked.
    fn claimed(&self, piece: Piece) -> (bool, bool) {
        match self.place_of(piece) {
            Place::Island { claim: Claim::Abandoned, .. } => (false, false),
            Place::Island { claim: Claim::Marked(_), .. } => (true, true),
            Place::Front(_) | Place::Island { claim: Claim::Held(_), .. } => (true, false),
            place @ (Place::Rock | Place::Ahu(_)) => unreachable!("{piece} cannot move: {place:?}"),
        }
    }

    /// Returns the hexes, near or far, that a piece may enter in this turn: those that can carry it and where it has
    /// not been.
    fn open_to(&self, piece: Piece, carriers: &Carriers) -> Hexes {
        carriers.hexes(piece.kind().weight()) - self.visited[piece.index()] - self.hex_of(piece).into()
    }

    /// Adds the legal steps and ends for the lifted piece.
    fn legal_ways(&self, seat: Seat, piece: Piece, moved: bool, legal: &mut ActionSet) {
        let (at, kind) = (self.hex_of(piece), piece.kind());
        let stands = match kind {
            Kind::Moai(_) => self.erecting_figures(seat),
            Kind::Headdress => self.tribes[seat].figures(),
        };
        if stands.contains(at) {
            let first = if kind == Kind::Headdress { first::TOP } else { first::ERECT };
            legal.insert_bits(first, self.goals_at(seat, kind, at).bits());
        }
        let (is_own, is_marked) = self.claimed(piece);
        let can_mark = self.tribes[seat].reserve.markers > 0;
        // G48, G49
        if can_mark && !is_marked {
            legal.insert(Action::Mark);
        }
        if moved && is_own {
            legal.insert(Action::Stop);
        }
        let open = self.open_to(piece, &self.carriers());
        let mut next = self.board().neighbours(at) & open;
        if !is_own && !can_mark {
            next = self.with_a_goal(seat, kind, next, open);
        }
        legal.insert_bits(first::ENTER, next.bits());
    }

    /// Returns those of the next hexes from which a way leads to an Ahu (G20). If a walk over open hexes reaches a
    /// hex, then a way reaches it that enters no hex twice; and an entry uses nothing up. So a flood decides.
    fn with_a_goal(&self, seat: Seat, kind: Kind, next: Hexes, open: Hexes) -> Hexes {
        let goals = self.hauling(seat).goals(kind);
        next.iter().filter(|&hex| self.board().flood(hex, open).meets(goals)).collect()
    }
}

/// The effects of transports.
impl Table {
    /// Begins phase 4 with the first player.
    pub(super) fn begin_transport(&mut self, events: &mut impl Events<Event>) {
        self.ask_transport(self.first, SeatSet::EMPTY, events);
    }

    /// Asks the next player who can lift a piece, from `seat` on to the left. The skipped players have passed (G47).
    fn ask_transport(&mut self, seat: Seat, mut passed: SeatSet, events: &mut impl Events<Event>) {
        for k in 0..self.options.seats.count() {
            let seat = self.options.seats.left_of(seat, k);
            if passed.contains(seat) {
                continue;
            }
            if self.can_transport(seat) {
                self.phase = Phase::Transport { seat, passed, step: TransportStep::Lift };
                return;
            }
            passed = passed.with(seat);
            events.push(Event::Passed { seat, forced: true });
        }
        self.end_transport(events);
    }

    /// Ends a player's action and asks the next player.
    fn end_action(&mut self, seat: Seat, passed: SeatSet, events: &mut impl Events<Event>) {
        self.ask_transport(self.options.seats.left_of(seat, 1), passed, events);
    }

    /// Applies an action of a transport.
    #[inline]
    pub(super) fn transport(
        &mut self,
        seat: Seat,
        passed: SeatSet,
        step: TransportStep,
        action: Action,
        events: &mut impl Events<Event>,
    ) {
        match (step, action) {
            (TransportStep::Lift, Action::Lift(piece)) => {
                self.visited[piece.index()] |= self.hex_of(piece).into();
                events.push(Event::Lifted { seat, piece });
                self.phase = Phase::Transport { seat, passed, step: TransportStep::Carry { piece, moved: false } };
            }
            (TransportStep::Lift, Action::Peek(ahu)) => self.peek(seat, ahu, events),
            (TransportStep::Lift, Action::Pass) => {
                events.push(Event::Passed { seat, forced: false });
                self.end_action(seat, passed.with(seat), events);
            }
            (TransportStep::Carry { piece, .. }, Action::Enter(to)) => self.enter(seat, passed, piece, to, events),
            (TransportStep::Carry { piece, .. }, action) => {
                self.end_way(seat, piece, action, events);
                self.end_action(seat, passed, events);
            }
            (TransportStep::Pay { piece, to, dues }, action) => {
                self.pay(seat, passed, (piece, to, dues), action, events);
            }
            (TransportStep::Lift, action) => panic!("seat {seat} cannot {action} at {step:?}"),
        }
    }

    /// Moves a piece to a hex. A player who moves an own piece keeps it until the phase ends (G19).
    pub(super) fn move_to(&mut self, seat: Seat, piece: Piece, hex: Hex, events: &mut impl Events<Event>) {
        let claim = match self.place_of(piece) {
            Place::Front(owner) => Claim::Held(owner),
            Place::Island { claim, .. } => claim,
            place @ (Place::Rock | Place::Ahu(_)) => panic!("{piece} cannot move: {place:?}"),
        };
        self.pieces[piece.index()] = Place::Island { hex, claim };
        self.visited[piece.index()] |= hex.into();
        events.push(Event::Entered { seat, piece, hex });
    }

    /// Applies the action that ends a transport on the piece's hex.
    fn end_way(&mut self, seat: Seat, piece: Piece, action: Action, events: &mut impl Events<Event>) {
        match action {
            Action::Stop => events.push(Event::Stopped { seat, piece }),
            Action::Mark => {
                self.mark(seat, piece);
                events.push(Event::Marked { seat, piece });
            }
            Action::Erect(ahu) => {
                self.unmark(piece);
                self.erect(seat, piece, ahu);
                events.push(Event::Erected { seat, piece, ahu });
            }
            Action::Top(ahu) => {
                self.unmark(piece);
                self.top(piece, ahu);
                events.push(Event::Topped { seat, piece, ahu });
            }
            action => panic!("seat {seat} cannot {action} with {piece}"),
        }
    }

    /// Puts a Tribe Marker on a piece in place. A piece in front of a screen goes to its quarry (G48).
    pub(super) fn mark(&mut self, seat: Seat, piece: Piece) {
        self.tribes[seat].reserve.markers -= 1;
        self.pieces[piece.index()] = Place::Island { hex: self.hex_of(piece), claim: Claim::Marked(seat) };
    }

    /// Moves the Tribe Marker of a marked piece behind the screen (G28).
    fn unmark(&mut self, piece: Piece) {
        if let Place::Island { claim: Claim::Marked(owner), .. } = self.place_of(piece) {
            self.tribes[owner].reserve.markers += 1;
        }
    }

    /// Erects a Moai, on the base that lies there or on a base from the hand (G51).
    fn erect(&mut self, seat: Seat, piece: Piece, ahu: Ahu) {
        if self.site(ahu) == Site::Free {
            self.tribes[seat].reserve.bases -= 1;
        }
        self.sites[ahu.index()] = Site::Erected { owner: Some(seat), moai: piece, headdress: None };
        self.pieces[piece.index()] = Place::Ahu(ahu);
        self.score_at_once(seat, piece, ahu);
    }

    /// Puts a headdress on the Moai of an Ahu.
    fn top(&mut self, piece: Piece, ahu: Ahu) {
        match &mut self.sites[ahu.index()] {
            Site::Erected { headdress, .. } => *headdress = Some(piece),
            site @ (Site::Free | Site::Reserved(_)) => panic!("expected a Moai on {ahu}, got {site:?}"),
        }
        self.pieces[piece.index()] = Place::Ahu(ahu);
    }
}

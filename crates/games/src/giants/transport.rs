//! Phase 4, transport: players lift, move, mark, erect, and top pieces.

use ahu_core::{ActionSet, Events, Seat, SeatSet};

use super::action::{Action, first};
use super::board::{Ahu, Ahus, Hex, Hexes};
use super::carriers::Carriers;
use super::event::Event;
use super::phase::{Phase, TransportStep};
use super::piece::{Kind, Piece, Pieces};
use super::place::{Claim, Place};
use super::table::Table;

/// A player's means for transports of any piece.
struct Hauling {
    /// The capacity of each hex.
    carriers: Carriers,
    /// The hexes where the player could erect a Moai.
    erecting: Hexes,
    /// The hexes where the player could put a headdress on top.
    topping: Hexes,
    /// The player's pieces.
    own: Pieces,
    /// The pieces that the player may lift to mark them.
    to_mark: Pieces,
    /// The other pieces that the player may lift if there is something to do with them.
    others: Pieces,
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
                legal.insert_bits(first::Lift, self.liftable(seat).bits());
                legal.insert(Action::Pass);
                legal.insert_bits(first::Peek, self.peekable(seat).bits());
            }
            TransportStep::Carry { piece, moved } => self.legal_ways(seat, piece, moved, legal),
            TransportStep::Pay { piece, to, dues } => self.legal_payments(seat, piece, to, dues, legal),
        }
    }

    /// Returns the player's means for transports.
    fn hauling(&self, seat: Seat) -> Hauling {
        let (board, tribe) = (self.board(), &self.tribes[seat]);
        let near = |stands: Hexes, goals: Ahus| -> Hexes {
            stands.iter().filter(|&hex| board.ahus_at(hex).meets(goals)).collect()
        };
        let erecting = near(self.erecting_figures(seat), self.bases_to_use(seat));
        let topping = near(tribe.figures(), self.moai_to_top(seat));
        let own = self.pieces.owned()[seat];
        // G20
        let can_mark = tribe.reserve.markers > 0;
        let takes_abandoned = can_mark || !(erecting | topping).is_empty();
        let takeable = if takes_abandoned { own | self.pieces.abandoned() } else { own };
        let to_mark = if can_mark { takeable - self.pieces.marked() } else { Pieces::EMPTY };
        Hauling { carriers: self.carriers(), erecting, topping, own, to_mark, others: takeable - to_mark }
    }

    /// Returns the hexes with a figure that can erect a Moai (G21).
    pub(super) fn erecting_figures(&self, seat: Seat) -> Hexes {
        let tribe = &self.tribes[seat];
        if self.options.erect_needs_worker { tribe.workers.hexes() } else { tribe.figures() }
    }

    /// Returns the Ahus that would take a Moai of the player (G40, G51), whether or not the player has a figure there.
    pub(super) fn bases_to_use(&self, seat: Seat) -> Ahus {
        let reserved = self.sites.bases()[seat] - self.sites.erected();
        let has_base = self.tribes[seat].reserve.bases > 0;
        if has_base { reserved | (self.board().all_ahus() - self.sites.occupied()) } else { reserved }
    }

    /// Returns the Ahus that would take a headdress of the player (G22), whether or not the player has a figure there.
    pub(super) fn moai_to_top(&self, seat: Seat) -> Ahus {
        let untopped = self.sites.erected() - self.sites.topped();
        if self.options.top_own_only { untopped & self.sites.bases()[seat] } else { untopped }
    }

    /// Returns the pieces that a player can lift.
    fn liftable(&self, seat: Seat) -> Pieces {
        let hauling = self.hauling(seat);
        hauling.to_mark | hauling.others.iter().filter(|&piece| self.can_use(piece, &hauling)).collect()
    }

    /// Returns true if a player can lift any piece.
    fn can_transport(&self, seat: Seat) -> bool {
        let hauling = self.hauling(seat);
        !hauling.to_mark.is_empty() || hauling.others.iter().any(|piece| self.can_use(piece, &hauling))
    }

    /// Returns true if a player can do something with an own or abandoned piece other than mark it.
    fn can_use(&self, piece: Piece, hauling: &Hauling) -> bool {
        let (at, goals) = (self.hex_of(piece), hauling.goals(piece.kind()));
        let open = self.open_to(piece, &hauling.carriers);
        goals.contains(at)
            || match hauling.own.contains(piece) {
                true => self.board().neighbours(at).meets(open),
                // G20
                false => self.board().flood(at, open).meets(goals),
            }
    }

    /// Returns the hexes, near or far, that a piece may enter in this turn: hexes that can carry it and where it has
    /// not been.
    fn open_to(&self, piece: Piece, carriers: &Carriers) -> Hexes {
        carriers.hexes(piece.kind().weight()) - self.visited[piece.index()] - self.hex_of(piece).into()
    }

    /// Adds the legal steps and ends for the lifted piece.
    fn legal_ways(&self, seat: Seat, piece: Piece, moved: bool, legal: &mut ActionSet) {
        let (at, tribe) = (self.hex_of(piece), &self.tribes[seat]);
        let here = self.board().ahus_at(at);
        match piece.kind() {
            Kind::Moai(_) if self.erecting_figures(seat).contains(at) => {
                legal.insert_bits(first::Erect, (here & self.bases_to_use(seat)).bits());
            }
            Kind::Headdress if tribe.figures().contains(at) => {
                legal.insert_bits(first::Top, (here & self.moai_to_top(seat)).bits());
            }
            Kind::Moai(_) | Kind::Headdress => {}
        }
        let (is_own, can_mark) = (self.pieces.owned()[seat].contains(piece), tribe.reserve.markers > 0);
        // G48, G49
        if can_mark && !self.pieces.marked().contains(piece) {
            legal.insert(Action::Mark);
        }
        if moved && is_own {
            legal.insert(Action::Stop);
        }
        let open = self.open_to(piece, &self.carriers());
        let mut next = self.board().neighbours(at) & open;
        if !is_own && !can_mark {
            next = self.with_a_goal(seat, piece.kind(), next, open);
        }
        legal.insert_bits(first::Enter, next.bits());
    }

    /// Returns the next hexes that lie on a way to an Ahu (G20). If a walk over open hexes reaches a
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

    /// Asks the next player who can lift a piece, from `seat` on to the left.
    fn ask_transport(&mut self, seat: Seat, passed: SeatSet, events: &mut impl Events<Event>) {
        match self.next_able(seat, passed, |seat| self.can_transport(seat), events) {
            Some((seat, passed)) => self.phase = Phase::Transport { seat, passed, step: TransportStep::Lift },
            None => self.end_transport(events),
        }
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
        self.pieces.carry(piece, hex);
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
                let points = self.erect(seat, piece, ahu);
                events.push(Event::Erected { seat, piece, ahu, points });
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
        self.pieces.put(piece, Place::Island { hex: self.hex_of(piece), claim: Claim::Marked(seat) });
    }

    /// Moves the Tribe Marker of a marked piece behind the screen (G28).
    fn unmark(&mut self, piece: Piece) {
        if let Place::Island { claim: Claim::Marked(owner), .. } = self.place_of(piece) {
            self.tribes[owner].reserve.markers += 1;
        }
    }

    /// Erects a Moai, on the base that lies there or on a base from the hand (G51). Returns the points that the player
    /// earns at once: the points of the Moai in the variant `visible_score`.
    fn erect(&mut self, seat: Seat, piece: Piece, ahu: Ahu) -> u16 {
        let points = if self.options.visible_score { self.worth(piece, ahu) } else { 0 };
        let tribe = &mut self.tribes[seat];
        tribe.prestige += points;
        if !self.sites.bases()[seat].contains(ahu) {
            tribe.reserve.bases -= 1;
            self.sites.reserve(ahu, seat);
        }
        self.sites.erect(ahu, piece.kind().weight());
        self.pieces.put(piece, Place::Ahu(ahu));
        points
    }

    /// Puts a headdress on the Moai of an Ahu.
    fn top(&mut self, piece: Piece, ahu: Ahu) {
        self.sites.top(ahu);
        self.pieces.put(piece, Place::Ahu(ahu));
    }
}

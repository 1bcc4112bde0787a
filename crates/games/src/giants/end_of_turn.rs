//! The end of phase 4, and phase 5: unmoved pieces, the return of figures and logs, and Tribe Markers taken back.

use ahu_core::{BySeat, Events, Seat};

use super::action::Action;
use super::board::Hexes;
use super::event::Event;
use super::logs::Logs;
use super::options::MAX_TURNS;
use super::phase::Phase;
use super::piece::Piece;
use super::place::{Claim, Place};
use super::table::Table;
use super::tribe::{Goods, Spot, Tribe, Workers};

const _: () = assert!(MAX_TURNS < u8::MAX as u16, "turns are counted in a byte");

impl Table {
    /// Ends phase 4 after all players have passed. The test of the end comes first (G33, G45).
    pub(super) fn end_transport(&mut self, events: &mut impl Events<Event>) {
        self.visited = [Hexes::EMPTY; Piece::COUNT];
        self.pieces.let_go();
        match self.reason_to_end() {
            Some(reason) => {
                self.phase = Phase::Over;
                let points = BySeat::from_fn(self.options.seats, |seat| self.points(seat));
                events.push(Event::Ended { reason, points });
            }
            None => self.store_unmoved(events),
        }
    }

    /// Returns the players in turn order.
    fn in_turn_order(&self) -> impl Iterator<Item = Seat> + use<> {
        let (seats, first) = (self.options.seats, self.first);
        (0..seats.count()).map(move |k| seats.left_of(first, k))
    }

    /// Moves the unmoved pieces to their quarries, one by one, until a player has to decide on a mark (G27).
    fn store_unmoved(&mut self, events: &mut impl Events<Event>) {
        for seat in self.in_turn_order() {
            while let Some(piece) = self.in_front_of(seat).first() {
                if self.tribes[seat].reserve.markers > 0 {
                    self.phase = Phase::Store { seat, piece };
                    return;
                }
                self.store_unmarked(seat, piece, events);
            }
        }
        self.come_home(events);
    }

    /// Leaves a piece on its hex without an owner. A piece in front of a screen goes to its quarry.
    fn abandon(&mut self, piece: Piece) {
        self.pieces.put(piece, Place::Island { hex: self.hex_of(piece), claim: Claim::Abandoned });
    }

    /// Moves an unmoved piece to its quarry, without a mark.
    fn store_unmarked(&mut self, seat: Seat, piece: Piece, events: &mut impl Events<Event>) {
        self.abandon(piece);
        events.push(Event::Stored { seat, piece, marked: false });
    }

    /// Applies a player's decision on a mark for an unmoved piece.
    pub(super) fn store(&mut self, seat: Seat, piece: Piece, action: Action, events: &mut impl Events<Event>) {
        match action {
            Action::Leave => self.store_unmarked(seat, piece, events),
            Action::Mark => {
                self.mark(seat, piece);
                events.push(Event::Stored { seat, piece, marked: true });
            }
            action => panic!("seat {seat} cannot {action} with unmoved {piece}"),
        }
        self.store_unmoved(events);
    }

    /// Begins phase 5: figures and spent Tribe Markers go back behind the screens, and the logs leave the game.
    fn come_home(&mut self, events: &mut impl Events<Event>) {
        for seat in self.options.seats.iter() {
            self.tribes[seat].come_home();
        }
        let returned = self.return_unused_logs(events);
        let gone = self.logs.total() - returned;
        self.logs_gone += gone;
        self.logs = Logs::default();
        events.push(Event::CameHome { logs: gone });
        self.ask_to_recover(None);
    }

    /// Returns the unused logs to the players who placed them, with `unused_logs_return` (G26). The result is their
    /// number.
    fn return_unused_logs(&mut self, events: &mut impl Events<Event>) -> u8 {
        if !self.options.unused_logs_return {
            return 0;
        }
        let mut returned = 0;
        for seat in self.options.seats.iter() {
            let logs = self.logs.unused().filter(|log| log.seat == seat).count() as u8;
            if logs > 0 {
                self.tribes[seat].reserve.logs += logs;
                returned += logs;
                events.push(Event::LogsReturned { seat, logs });
            }
        }
        returned
    }

    /// Asks about the next marked piece after `last`, in turn order, a player's lowest piece first (G39). If there
    /// is none, the next turn begins.
    fn ask_to_recover(&mut self, last: Option<(Seat, Piece)>) {
        let order = |seat| self.options.seats.steps_left(self.first, seat);
        let is_next = |&(seat, piece): &(Seat, Piece)| match last {
            Some((last_seat, last_piece)) => (order(seat), piece) > (order(last_seat), last_piece),
            None => true,
        };
        let marked = |seat: Seat| self.marked_by(seat).iter().map(move |piece| (seat, piece));
        let next = self.in_turn_order().flat_map(marked).find(is_next);
        match next {
            Some((seat, piece)) => self.phase = Phase::Recover { seat, piece },
            None => self.begin_next_turn(),
        }
    }

    /// Applies a player's decision to take a Tribe Marker back or not.
    pub(super) fn recover(&mut self, seat: Seat, piece: Piece, action: Action, events: &mut impl Events<Event>) {
        match action {
            Action::Keep => {}
            Action::TakeBack => {
                self.tribes[seat].reserve.markers += 1;
                self.abandon(piece);
                events.push(Event::TakenBack { seat, piece });
            }
            action => panic!("seat {seat} cannot {action} with marked {piece}"),
        }
        self.ask_to_recover(Some((seat, piece)));
    }

    /// Passes the first player's pawn to the left and begins the next turn.
    fn begin_next_turn(&mut self) {
        self.turn += 1;
        self.roll = None;
        self.shown_bids = None;
        self.first = self.options.seats.left_of(self.first, 1);
        self.phase = Phase::Roll;
    }
}

impl Tribe {
    /// Moves all figures, and the Tribe Markers in front of the screen, behind the screen.
    fn come_home(&mut self) {
        self.reserve.workers += self.front.workers + self.workers.total();
        self.reserve.markers += self.front.markers;
        self.front = Goods::default();
        self.workers = Workers::default();
        self.sorcerer = Spot::Reserve;
        self.chief = Spot::Reserve;
    }
}

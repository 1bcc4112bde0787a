//! The end of phase 4, and phase 5: what was not moved, who comes home, what is taken back.

use super::action::Action;
use super::board::Hexes;
use super::event::Event;
use super::logs::Logs;
use super::options::TURNS_MAX;
use super::piece::{Claim, PIECES, Piece, Place};
use super::set::Numbered;
use super::tribe::{Goods, Spot, Tribe, Workers};
use super::{Phase, Table};
use crate::core::{Events, Seat};

const _: () = assert!(TURNS_MAX < u8::MAX as u16, "turns are counted in a byte");

impl Table {
    /// All have passed. G33, G45: the end is tested before anything else.
    pub(super) fn end_transport(&mut self, events: &mut impl Events<Event>) {
        self.visited = [Hexes::EMPTY; PIECES];
        self.let_go();
        match self.reason_to_end() {
            Some(reason) => {
                self.phase = Phase::Over;
                events.push(Event::Ended { reason, scores: self.scores() });
            }
            None => self.store_unmoved(events),
        }
    }

    /// G19: what was moved and left unmarked is now abandoned.
    fn let_go(&mut self) {
        for place in &mut self.pieces {
            if let Place::Island { claim: claim @ Claim::Held(_), .. } = place {
                *claim = Claim::Abandoned;
            }
        }
    }

    /// The players in turn order.
    fn in_turn_order(&self) -> impl Iterator<Item = Seat> + use<> {
        let (seats, first) = (self.options.seats, self.first);
        (0..seats.count()).map(move |k| seats.left_of(first, k))
    }

    /// G27: piece by piece to the quarries, as far as nobody has to be asked for a mark.
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

    fn store_unmarked(&mut self, seat: Seat, piece: Piece, events: &mut impl Events<Event>) {
        self.pieces[piece.index()] = Place::Island { hex: self.hex_of(piece), claim: Claim::Abandoned };
        events.push(Event::Stored { seat, piece, marked: false });
    }

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

    /// Phase 5: figures and spent Tribe Markers go back behind the screens, the logs leave the game.
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

    /// G26: with `unused_logs_return` each player gets back those that were not needed. Says how many they are.
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

    /// G39: the next marked piece after `last`, in turn order, a player's lowest first; where there is none, the next turn begins.
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

    pub(super) fn recover(&mut self, seat: Seat, piece: Piece, action: Action, events: &mut impl Events<Event>) {
        match action {
            Action::Keep => {}
            Action::TakeBack => {
                self.tribes[seat].reserve.markers += 1;
                self.pieces[piece.index()] = Place::Island { hex: self.hex_of(piece), claim: Claim::Abandoned };
                events.push(Event::TakenBack { seat, piece });
            }
            action => panic!("seat {seat} cannot {action} with marked {piece}"),
        }
        self.ask_to_recover(Some((seat, piece)));
    }

    /// The first player's pawn goes to the left.
    fn begin_next_turn(&mut self) {
        self.turn += 1;
        self.first = self.options.seats.left_of(self.first, 1);
        self.phase = Phase::Roll;
    }
}

impl Tribe {
    /// All figures, and the Tribe Markers in front of the screen, go back behind it.
    fn come_home(&mut self) {
        self.reserve.workers += self.front.workers + self.workers.total();
        self.reserve.markers += self.front.markers;
        self.front = Goods::default();
        self.workers = Workers::default();
        self.sorcerer = Spot::Reserve;
        self.chief = Spot::Reserve;
    }
}

//! The entry of a piece into a hex: the capacity of the hex, and the payments for help.
//!
//! A piece may enter a hex with at least one figure, of any colour, if the figures and logs there can carry its
//! weight together. Own figures and logs are free. Opponents' figures make up the *shortage*, unit by unit, and each
//! unit earns its owner a Prestige Point. On a hex without an own figure the shortage is at least one unit, for any
//! number of logs (G25).

use ahu_core::{ActionSet, BySeat, Events, Seat, SeatSet};

use super::action::Action;
use super::board::Hex;
use super::dues::{Dues, Payee};
use super::event::Event;
use super::options::ChiefPay;
use super::phase::{Phase, TransportStep};
use super::piece::{Piece, Size};
use super::table::Table;
use super::tribe::Spot;

/// The shortage.
impl Table {
    /// Returns the shortage: the units that own figures and logs on a hex leave for opponents to carry.
    pub(super) fn short_of(&self, seat: Seat, weight: Size, hex: Hex) -> u8 {
        let (own, logs) = (self.tribes[seat].units(hex), self.logs.count(hex));
        let alone = u8::from(own == 0);
        weight.units().saturating_sub(own + logs).max(alone)
    }

    /// Returns the units that the figures of `payee` on a hex can lend. A Chief who earns the full size lends no
    /// single units (G23).
    pub(super) fn lendable(&self, payee: Seat, hex: Hex) -> u8 {
        match self.options.chief_pp {
            ChiefPay::PerUnit => self.tribes[payee].units(hex),
            ChiefPay::FullSize => self.tribes[payee].units_without_chief(hex),
        }
    }
}

/// The payments.
impl Table {
    /// Begins the entry of a piece into a hex, with the payments.
    pub(super) fn enter(
        &mut self,
        seat: Seat,
        passed: SeatSet,
        piece: Piece,
        to: Hex,
        events: &mut impl Events<Event>,
    ) {
        let weight = piece.kind().weight();
        let short = self.short_of(seat, weight, to);
        // G24: exactly the shortage, unless gifts are allowed.
        let most = if self.options.allow_gift_pp { weight.units().max(short) } else { short };
        let nothing = BySeat::new(self.options.seats, 0);
        self.go_on_paying(seat, passed, (piece, to, Dues::new(short, most)), nothing, events);
    }

    /// Adds the legal payments.
    pub(super) fn legal_payments(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues, legal: &mut ActionSet) {
        self.payments(seat, piece, to, dues).for_each(|payment| legal.insert(payment));
    }

    /// Applies a payment, and goes on with the entry.
    pub(super) fn pay(
        &mut self,
        seat: Seat,
        passed: SeatSet,
        (piece, to, dues): (Piece, Hex, Dues),
        action: Action,
        events: &mut impl Events<Event>,
    ) {
        let mut earned = BySeat::new(self.options.seats, 0);
        let dues = self.carry_out_payment(seat, piece, dues, action, &mut earned);
        self.go_on_paying(seat, passed, (piece, to, dues), earned, events);
    }

    /// Pays as long as there is no choice (G47), then asks for a payment, or moves the piece. `earned` are the points
    /// that opponents have earned in this ply.
    fn go_on_paying(
        &mut self,
        seat: Seat,
        passed: SeatSet,
        (piece, to, mut dues): (Piece, Hex, Dues),
        mut earned: BySeat<u8>,
        events: &mut impl Events<Event>,
    ) {
        let mut has_choice = false;
        while dues.paid < dues.most && !has_choice {
            let mut ways = self.payments(seat, piece, to, dues);
            let only = ways.next().expect("a player can pay for each legal entry");
            has_choice = ways.next().is_some();
            drop(ways);
            if !has_choice {
                dues = self.carry_out_payment(seat, piece, dues, only, &mut earned);
            }
        }
        for payee in self.options.seats.others(seat).filter(|&payee| earned[payee] > 0) {
            events.push(Event::Paid { seat, payee_seat: payee, hex: to, points: earned[payee] });
        }
        let step = if has_choice {
            TransportStep::Pay { piece, to, dues }
        } else {
            self.note_used_logs(seat, piece.kind().weight(), to, dues.paid);
            self.move_to(seat, piece, to, events);
            TransportStep::Carry { piece, moved: true }
        };
        self.phase = Phase::Transport { seat, passed, step };
    }

    /// Returns the possible next payments. From the payer's left on, an opponent is offered if this opponent and
    /// those farther left can make up the rest. So no payment reaches a dead end, and each division has exactly one
    /// sequence of actions.
    fn payments(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues) -> impl Iterator<Item = Action> {
        let seats = self.options.seats;
        let opponents = move || Payee::all().filter_map(move |payee| Some((payee, payee.of(seat, seats)?)));
        let mut units = [false; Payee::COUNT];
        let mut within_reach = 0;
        for (payee, owner) in opponents().rev().take_while(|(payee, _)| *payee >= dues.payee) {
            let lendable = self.lendable(owner, to) - dues.lent_by(payee);
            within_reach += lendable;
            units[payee.index()] = lendable > 0 && within_reach >= dues.short();
        }
        let unit = Payee::all().filter(move |payee| units[payee.index()]).map(Action::Pay);
        let may_pay = move |&(_, owner): &(Payee, Seat)| self.may_pay_chief(owner, piece, to, dues);
        let chief = opponents().filter(may_pay).map(|(payee, _)| Action::PayChief(payee));
        unit.chain(chief).chain((dues.short() == 0).then_some(Action::Enough))
    }

    /// Returns true if the player may pay the Chief of `payee` the full size (G23): before any other payment, and
    /// only if units of the same opponent cannot bring the same points.
    fn may_pay_chief(&self, payee: Seat, piece: Piece, to: Hex, dues: Dues) -> bool {
        let tribe = &self.tribes[payee];
        let size = piece.kind().weight().units();
        let same_in_units = dues.most == size && tribe.units_without_chief(to) >= size;
        self.options.chief_pp == ChiefPay::FullSize && tribe.chief == Spot::On(to) && dues.paid == 0 && !same_in_units
    }

    /// Pays, adds the points to `earned`, and returns the dues after it.
    fn carry_out_payment(
        &mut self,
        seat: Seat,
        piece: Piece,
        dues: Dues,
        payment: Action,
        earned: &mut BySeat<u8>,
    ) -> Dues {
        let mut earn = |to: Payee, points: u8| {
            let payee = to.of(seat, self.options.seats).expect("a legal payee is at the table");
            self.tribes[payee].prestige += u16::from(points);
            earned[payee] += points;
        };
        match payment {
            Action::Pay(to) => {
                earn(to, 1);
                Dues { paid: dues.paid + 1, payee: to, lent: dues.lent_by(to) + 1, ..dues }
            }
            Action::PayChief(to) => {
                let size = piece.kind().weight().units();
                earn(to, size);
                Dues { most: size, paid: size, ..dues }
            }
            Action::Enough => Dues { most: dues.paid, ..dues },
            action => panic!("seat {seat} cannot {action} while it owes {dues:?}"),
        }
    }

    /// Records the logs that an entry used: as many as the units that neither own nor paid figures carried (G26).
    fn note_used_logs(&mut self, seat: Seat, weight: Size, hex: Hex, paid: u8) {
        let needed = weight.units().saturating_sub(self.tribes[seat].units(hex) + paid);
        self.logs.use_on(hex, needed);
    }
}

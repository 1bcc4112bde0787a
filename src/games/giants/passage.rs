//! The entry of a piece into a hex: the capacity of the hex, and the payments for help.
//!
//! A piece may enter a hex with at least one figure, of any colour, if the figures and logs there can carry its
//! weight together. Own figures and logs are free. Opponents' figures make up the *shortage*, unit by unit, and each
//! unit earns its owner a Prestige Point. On a hex without an own figure the shortage is at least one unit, for any
//! number of logs (G25).

use super::action::{Action, OPPONENTS};
use super::board::Hex;
use super::event::Event;
use super::options::ChiefPay;
use super::piece::{Piece, Size};
use super::tribe::{CHIEF_UNITS, Carriers, Spot};
use super::{Phase, Table, TransportStep};
use crate::core::{ActionSet, Events, RelativeSeat, Seat, SeatSet};

/// The payments that a player owes opponents for entering a hex, in units of a Prestige Point each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dues {
    /// The fewest units to pay, in all.
    pub least: u8,
    /// The most units to pay, in all: more than the fewest only with `allow_gift_pp`. A Chief who earns the full
    /// size counts apart (G23).
    pub most: u8,
    /// The units paid so far.
    pub paid: u8,
    /// The opponent who was paid last, at first the left neighbour. Opponents nearer to the payer's left get no
    /// further payment.
    pub payee: RelativeSeat,
    /// The units that this opponent has lent.
    pub lent: u8,
}

impl Dues {
    /// Creates the dues before the first payment.
    const fn new(least: u8, most: u8) -> Self {
        Self { least, most, paid: 0, payee: NEXT_SEAT, lent: 0 }
    }

    /// Returns the number of units that the player still has to pay.
    pub(super) const fn short(self) -> u8 {
        self.least.saturating_sub(self.paid)
    }
}

/// The next step of a payment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Payment {
    /// A unit of an opponent's figures.
    Unit(RelativeSeat),
    /// The full size, to an opponent's Chief.
    Chief(RelativeSeat),
    /// No further payment.
    Enough,
}

impl Payment {
    /// Returns the action that makes this payment.
    const fn action(self) -> Action {
        match self {
            Self::Unit(left) => Action::Pay(left),
            Self::Chief(left) => Action::PayChief(left),
            Self::Enough => Action::Enough,
        }
    }
}

/// The left neighbour.
const NEXT_SEAT: RelativeSeat = match RelativeSeat::new(0) {
    Some(left) => left,
    None => panic!("everybody has a left neighbour"),
};

/// The capacity of hexes.
impl Table {
    /// Returns the capacity of all hexes. Logs count without a check, because they lie only on hexes with a figure.
    #[inline]
    pub(super) fn carriers(&self) -> Carriers {
        let mut carriers = Carriers::default();
        self.options.seats.iter().for_each(|seat| carriers.add_figures(&self.tribes[seat]));
        self.logs.placed().iter().for_each(|log| carriers.add(log.hex.into()));
        carriers
    }

    /// Returns the shortage: the units that own figures and logs on a hex leave for opponents to carry.
    pub(super) fn short_of(&self, seat: Seat, weight: Size, hex: Hex) -> u8 {
        let (own, logs) = (self.tribes[seat].units(hex), self.logs.count(hex));
        let alone = u8::from(own == 0);
        weight.units().saturating_sub(own + logs).max(alone)
    }

    /// Returns the units that the figures of `payee` on a hex can lend. A Chief who earns the full size lends no
    /// single units (G23).
    fn lendable(&self, payee: Seat, hex: Hex) -> u8 {
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
        self.go_on_paying(seat, passed, piece, to, Dues::new(short, most), events);
    }

    /// Adds the legal payments.
    pub(super) fn legal_payments(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues, legal: &mut ActionSet) {
        self.payments(seat, piece, to, dues).for_each(|payment| legal.insert(payment.action()));
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
        let payment = match action {
            Action::Pay(left) => Payment::Unit(left),
            Action::PayChief(left) => Payment::Chief(left),
            Action::Enough => Payment::Enough,
            action => panic!("seat {seat} cannot {action} while it owes {dues:?}"),
        };
        let dues = self.carry_out_payment(seat, piece, to, dues, payment, events);
        self.go_on_paying(seat, passed, piece, to, dues, events);
    }

    /// Pays as long as there is no choice (G47), then asks for a payment, or moves the piece.
    fn go_on_paying(
        &mut self,
        seat: Seat,
        passed: SeatSet,
        piece: Piece,
        to: Hex,
        mut dues: Dues,
        events: &mut impl Events<Event>,
    ) {
        while dues.paid < dues.most {
            let mut ways = self.payments(seat, piece, to, dues);
            let only = ways.next().expect("a player can pay for each legal entry");
            if ways.next().is_some() {
                drop(ways);
                self.phase = Phase::Transport { seat, passed, step: TransportStep::Pay { piece, to, dues } };
                return;
            }
            drop(ways);
            dues = self.carry_out_payment(seat, piece, to, dues, only, events);
        }
        self.note_used_logs(seat, piece.kind().weight(), to, dues.paid);
        self.move_to(seat, piece, to, events);
        self.phase = Phase::Transport { seat, passed, step: TransportStep::Carry { piece, moved: true } };
    }

    /// Returns the possible next payments. From the payer's left on, an opponent is offered if this opponent and
    /// those farther left can make up the rest. So no payment reaches a dead end, and each division has exactly one
    /// sequence of actions.
    fn payments(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues) -> impl Iterator<Item = Payment> {
        let seats = self.options.seats;
        let left = move |k: usize| RelativeSeat::new(k).and_then(|left| Some((left, left.of(seat, seats)?)));
        let mut units = [false; OPPONENTS];
        let mut within_reach = 0;
        for (left, payee) in (dues.payee.index()..OPPONENTS).rev().filter_map(left) {
            let already = if left == dues.payee { dues.lent } else { 0 };
            let lendable = self.lendable(payee, to) - already;
            within_reach += lendable;
            units[left.index()] = lendable > 0 && within_reach >= dues.short();
        }
        let chief = move |(left, payee)| self.may_pay_chief(payee, piece, to, dues).then_some(Payment::Chief(left));
        let unit = move |k: usize| RelativeSeat::new(k).filter(|_| units[k]).map(Payment::Unit);
        let enough = (dues.short() == 0).then_some(Payment::Enough);
        (0..OPPONENTS).filter_map(unit).chain((0..OPPONENTS).filter_map(left).filter_map(chief)).chain(enough)
    }

    /// Returns true if the player may pay the Chief of `payee` the full size (G23): before any other payment, and
    /// only if units of the same opponent cannot bring the same points.
    fn may_pay_chief(&self, payee: Seat, piece: Piece, to: Hex, dues: Dues) -> bool {
        let tribe = &self.tribes[payee];
        let size = piece.kind().weight().units();
        let same_in_units = dues.most == size && tribe.units_without_chief(to) >= size;
        self.options.chief_pp == ChiefPay::FullSize && tribe.chief == Spot::On(to) && dues.paid == 0 && !same_in_units
    }

    /// Pays, and returns the dues after it.
    fn carry_out_payment(
        &mut self,
        seat: Seat,
        piece: Piece,
        hex: Hex,
        dues: Dues,
        payment: Payment,
        events: &mut impl Events<Event>,
    ) -> Dues {
        let mut earn = |to: RelativeSeat, points: u8| {
            let payee = to.of(seat, self.options.seats).expect("a legal payee is at the table");
            self.tribes[payee].prestige += u16::from(points);
            events.push(Event::Paid { seat, payee, hex, points });
        };
        match payment {
            Payment::Unit(to) => {
                earn(to, 1);
                let before = if to == dues.payee { dues.lent } else { 0 };
                Dues { paid: dues.paid + 1, payee: to, lent: before + 1, ..dues }
            }
            Payment::Chief(to) => {
                let size = piece.kind().weight().units();
                earn(to, size);
                Dues { most: size, paid: size, ..dues }
            }
            Payment::Enough => Dues { most: dues.paid, ..dues },
        }
    }

    /// Records the logs that an entry used: as many as the units that neither own nor paid figures carried (G26).
    fn note_used_logs(&mut self, seat: Seat, weight: Size, hex: Hex, paid: u8) {
        let needed = weight.units().saturating_sub(self.tribes[seat].units(hex) + paid);
        self.logs.use_on(hex, needed);
    }
}

const _: () = assert!(CHIEF_UNITS == Size::Three.units(), "a Chief carries every piece alone");

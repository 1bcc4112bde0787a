//! What a hex lets pass, and who is paid for it.
//!
//! A piece may enter a hex with at least one figure, of any colour, whose figures and logs together carry its weight. Own
//! figures and logs serve for nothing. What is then *short* is made up by opponents' figures, unit by unit, and each unit earns
//! its owner a Prestige Point. A hex without an own figure takes at least one unit, however many logs lie there (G25).

use super::action::{Action, OPPONENTS};
use super::board::Hex;
use super::event::Event;
use super::options::ChiefPay;
use super::piece::{Piece, Size};
use super::tribe::{CHIEF_UNITS, Carriers, Spot};
use super::{Phase, Table, TransportStep};
use crate::core::{ActionSet, Events, Left, Seat, SeatSet};

/// What a player owes others for entering a hex, in units of a Prestige Point each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dues {
    /// The fewest units that have to be paid, in all.
    pub least: u8,
    /// The most units that may be paid: more than the fewest with `allow_gift_pp` alone. A Chief who earns the full size
    /// counts apart (G23).
    pub most: u8,
    /// What has been paid.
    pub paid: u8,
    /// The opponent who was paid last, at first the left neighbour: those who sit nearer to the payer's left are not paid any
    /// more.
    pub payee: Left,
    /// How many units that opponent has lent.
    pub lent: u8,
}

impl Dues {
    const fn new(least: u8, most: u8) -> Self {
        Self { least, most, paid: 0, payee: NEXT_SEAT, lent: 0 }
    }

    /// What still has to be paid.
    pub(super) const fn short(self) -> u8 {
        self.least.saturating_sub(self.paid)
    }
}

/// A way to go on with a payment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Payment {
    /// A unit of an opponent's figures.
    Unit(Left),
    /// An opponent's Chief does it all.
    Chief(Left),
    /// No more.
    Enough,
}

impl Payment {
    const fn action(self) -> Action {
        match self {
            Self::Unit(left) => Action::Pay(left),
            Self::Chief(left) => Action::PayChief(left),
            Self::Enough => Action::Enough,
        }
    }
}

const NEXT_SEAT: Left = match Left::new(0) {
    Some(left) => left,
    None => panic!("everybody has a left neighbour"),
};

/// What a hex lets pass.
impl Table {
    /// What can be carried over which hexes. Logs lie only where a figure stands.
    #[inline]
    pub(super) fn carriers(&self) -> Carriers {
        let mut carriers = Carriers::default();
        self.options.seats.iter().for_each(|seat| carriers.add_figures(&self.tribes[seat]));
        self.logs.placed().iter().for_each(|log| carriers.add(log.hex.into()));
        carriers
    }

    /// What own figures and logs leave for others to carry.
    pub(super) fn short_of(&self, seat: Seat, weight: Size, hex: Hex) -> u8 {
        let (own, logs) = (self.tribes[seat].units(hex), self.logs.count(hex));
        let alone = u8::from(own == 0);
        weight.units().saturating_sub(own + logs).max(alone)
    }

    /// What the figures of `payee` on a hex can lend. A Chief who earns the full size does all or nothing (G23).
    fn lendable(&self, payee: Seat, hex: Hex) -> u8 {
        match self.options.chief_pp {
            ChiefPay::PerUnit => self.tribes[payee].units(hex),
            ChiefPay::FullSize => self.tribes[payee].units_without_chief(hex),
        }
    }
}

/// Who is paid.
impl Table {
    /// A piece is to enter a hex: first come the payments.
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
        // G24: exactly what is short, unless gifts are allowed.
        let most = if self.options.allow_gift_pp { weight.units().max(short) } else { short };
        self.go_on_paying(seat, passed, piece, to, Dues::new(short, most), events);
    }

    pub(super) fn legal_payments(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues, legal: &mut ActionSet) {
        self.payments(seat, piece, to, dues).for_each(|payment| legal.insert(payment.action()));
    }

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

    /// Pays as long as there is no choice (G47), then asks, or moves the piece.
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
            let only = ways.next().expect("what lets pass can be paid");
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

    /// The ways to go on with a payment. From the payer's left on, an opponent is offered if those who sit farther can
    /// make up the rest, so that no payment gets stuck and each has one spelling.
    fn payments(&self, seat: Seat, piece: Piece, to: Hex, dues: Dues) -> impl Iterator<Item = Payment> {
        let seats = self.options.seats;
        let left = move |k: usize| Left::new(k).and_then(|left| Some((left, left.of(seat, seats)?)));
        let mut units = [false; OPPONENTS];
        let mut within_reach = 0;
        for (left, payee) in (dues.payee.index()..OPPONENTS).rev().filter_map(left) {
            let already = if left == dues.payee { dues.lent } else { 0 };
            let lendable = self.lendable(payee, to) - already;
            within_reach += lendable;
            units[left.index()] = lendable > 0 && within_reach >= dues.short();
        }
        let chief = move |(left, payee)| self.may_pay_chief(payee, piece, to, dues).then_some(Payment::Chief(left));
        let unit = move |k: usize| Left::new(k).filter(|_| units[k]).map(Payment::Unit);
        let enough = (dues.short() == 0).then_some(Payment::Enough);
        (0..OPPONENTS).filter_map(unit).chain((0..OPPONENTS).filter_map(left).filter_map(chief)).chain(enough)
    }

    /// G23, `full_size`: before anything is paid, and where units of the same player could not bring the same.
    fn may_pay_chief(&self, payee: Seat, piece: Piece, to: Hex, dues: Dues) -> bool {
        let tribe = &self.tribes[payee];
        let size = piece.kind().weight().units();
        let same_in_units = dues.most == size && tribe.units_without_chief(to) >= size;
        self.options.chief_pp == ChiefPay::FullSize && tribe.chief == Spot::On(to) && dues.paid == 0 && !same_in_units
    }

    fn carry_out_payment(
        &mut self,
        seat: Seat,
        piece: Piece,
        hex: Hex,
        dues: Dues,
        payment: Payment,
        events: &mut impl Events<Event>,
    ) -> Dues {
        let mut earn = |to: Left, points: u8| {
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

    /// G26: what neither own figures nor paid ones carried, logs did.
    fn note_used_logs(&mut self, seat: Seat, weight: Size, hex: Hex, paid: u8) {
        let needed = weight.units().saturating_sub(self.tribes[seat].units(hex) + paid);
        self.logs.use_on(hex, needed);
    }
}

const _: () = assert!(CHIEF_UNITS == Size::Three.units(), "a Chief carries everything");

//! The messages of actions.

use ahu_core::{ParseError, RelativeSeat, Seat, Seats};
use ahu_messages::giants::v1::{self, Figure};

use super::index;
use super::observation::figure;
use crate::giants::action::Action;
use crate::giants::bid::{Amount, Leaders};
use crate::giants::board::{Ahu, Hex};
use crate::giants::dues::Payee;
use crate::giants::party::{LOGS_A_FIGURE, Party};
use crate::giants::piece::Piece;
use crate::wire::message::{FromField, Opponent, ToField, action_messages, left_number, number};

const PAYEE: Opponent = Opponent { question: "whom?", field: "payee_seat", most: Payee::COUNT };

action_messages! {
    v1, |seat, seats|;
    BidMarkers(count), BidWorkers(count), Pick(size), Decline, TakeHalf, Pass, At(hex), NoPower, UsePower, Reserve(ahu),
    Lift(piece), Enter(hex), Enough, Stop, Mark, Erect(ahu), Top(ahu), Peek(ahu), Leave, Keep, TakeBack;
    write {
        Action::BidLeaders(leaders) => {
            One::BidLeaders(to::BidLeaders { sorcerer: leaders.sorcerer(), chief: leaders.chief() })
        },
        Action::Place(party) => One::Place(to::Place { figure: figure(party).into(), logs: party.logs().into() }),
        Action::Pay(payee) => One::Pay(to::Pay {
            left: left_number(payee.relative()),
            payee_seat: payee.of(seat, seats).map(number),
        }),
        Action::PayChief(payee) => One::PayChief(to::PayChief {
            left: left_number(payee.relative()),
            payee_seat: payee.of(seat, seats).map(number),
        }),
    }
    read {
        One::BidLeaders(to::BidLeaders { sorcerer, chief }) => Action::BidLeaders(Leaders::of(*sorcerer, *chief)),
        One::Place(to::Place { figure, logs }) => Action::Place(read_party(*figure, *logs)?),
        One::Pay(to::Pay { left, payee_seat }) => Action::Pay(payee(PAYEE.read(*left, *payee_seat, seat, seats)?)),
        One::PayChief(to::PayChief { left, payee_seat }) => {
            Action::PayChief(payee(PAYEE.read(*left, *payee_seat, seat, seats)?))
        },
    }
}

/// The error for a message without an action.
const NO_ACTION: &str = "expected one of bid_markers, bid_workers, bid_leaders, pick, decline, place, take_half, \
                         pass, at, no_power, use_power, reserve, lift, enter, pay, pay_chief, enough, stop, mark, \
                         erect, top, peek, leave, keep, take_back; got none of them";

fn payee(opponent: RelativeSeat) -> Payee {
    Payee::new(opponent.index()).expect("the opponent is one of the game's")
}

fn read_party(of: i32, logs: u32) -> Result<Party, String> {
    let brought = u8::try_from(logs).ok().filter(|&fits| fits <= LOGS_A_FIGURE);
    let brought = brought.ok_or_else(|| format!("expected 0 to {LOGS_A_FIGURE} logs, got {logs}"))?;
    match Figure::try_from(of) {
        Ok(Figure::Worker) => Ok(Party::Worker(brought)),
        Ok(Figure::Sorcerer) => Ok(Party::Sorcerer(brought)),
        Ok(Figure::Chief) if brought == 0 => Ok(Party::Chief),
        Ok(Figure::Chief) => Err(format!("expected no logs with the Chief, got {brought}")),
        Ok(Figure::Unspecified) => {
            Err("expected FIGURE_WORKER, FIGURE_SORCERER, or FIGURE_CHIEF, got FIGURE_UNSPECIFIED".to_owned())
        }
        Err(_) => Err(format!("expected a figure from 1 (FIGURE_WORKER) to 3 (FIGURE_CHIEF), got {of}")),
    }
}

/// Implements the field of things that are numbered from 0. Errors have the nouns.
macro_rules! indexed_fields {
    ($($type:ty, $noun:literal;)+) => {$(
        impl ToField<u32> for $type {
            fn to_field(self) -> u32 {
                index(self)
            }
        }

        impl FromField<Option<u32>> for $type {
            fn from_field(number: &Option<u32>) -> Result<Self, String> {
                let most = Self::COUNT - 1;
                let number = number.ok_or_else(|| format!("expected {} from 0 to {most}, got none", $noun))?;
                Self::new(number as usize).ok_or_else(|| format!("expected {} from 0 to {most}, got {number}", $noun))
            }
        }
    )+};
}
indexed_fields! {
    Amount, "a count";
    Hex, "the number of a hex";
    Ahu, "the number of an Ahu";
}

impl ToField<String> for Piece {
    fn to_field(self) -> String {
        self.to_string()
    }
}

impl FromField<String> for Piece {
    fn from_field(name: &String) -> Result<Self, String> {
        name.parse().map_err(|error: ParseError| error.message.into_owned())
    }
}

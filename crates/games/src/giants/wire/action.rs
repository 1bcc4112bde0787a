//! The messages of actions.

use ahu_core::{Numbered, ParseError, Seat, Seats};
use ahu_messages::giants::v1::{self, Figure};

use super::index;
use super::observation::figure;
use crate::giants::action::Action;
use crate::giants::bid::Leaders;
use crate::giants::dues::Payee;
use crate::giants::party::{LOGS_A_FIGURE, Party};
use crate::wire::message::{Opponent, from_one, left_number, number, read_from_one};

const PAYEE: Opponent = Opponent { question: "whom?", field: "payee_seat", most: Payee::COUNT };

pub(super) fn action_message(action: Action, seat: Seat, seats: Seats) -> v1::action::Action {
    use v1::action as to;
    use v1::action::Action as One;
    let opponent = |payee: Payee| (left_number(payee.relative()), payee.of(seat, seats).map(number));
    match action {
        Action::BidMarkers(count) => One::BidMarkers(to::BidMarkers { count: Some(index(count)) }),
        Action::BidWorkers(count) => One::BidWorkers(to::BidWorkers { count: Some(index(count)) }),
        Action::BidLeaders(leaders) => {
            One::BidLeaders(to::BidLeaders { sorcerer: leaders.sorcerer(), chief: leaders.chief() })
        }
        Action::Pick(size) => One::Pick(to::Pick { size: from_one(size) }),
        Action::Decline => One::Decline(to::Decline {}),
        Action::Place(party) => One::Place(to::Place { figure: figure(party).into(), logs: party.logs().into() }),
        Action::TakeHalf => One::TakeHalf(to::TakeHalf {}),
        Action::Pass => One::Pass(to::Pass {}),
        Action::At(hex) => One::At(to::At { hex: Some(index(hex)) }),
        Action::NoPower => One::NoPower(to::NoPower {}),
        Action::UsePower => One::UsePower(to::UsePower {}),
        Action::Reserve(ahu) => One::Reserve(to::Reserve { ahu: Some(index(ahu)) }),
        Action::Lift(piece) => One::Lift(to::Lift { piece: piece.to_string() }),
        Action::Enter(hex) => One::Enter(to::Enter { hex: Some(index(hex)) }),
        Action::Pay(payee) => {
            let (left, payee_seat) = opponent(payee);
            One::Pay(to::Pay { left, payee_seat })
        }
        Action::PayChief(payee) => {
            let (left, payee_seat) = opponent(payee);
            One::PayChief(to::PayChief { left, payee_seat })
        }
        Action::Enough => One::Enough(to::Enough {}),
        Action::Stop => One::Stop(to::Stop {}),
        Action::Mark => One::Mark(to::Mark {}),
        Action::Erect(ahu) => One::Erect(to::Erect { ahu: Some(index(ahu)) }),
        Action::Top(ahu) => One::Top(to::Top { ahu: Some(index(ahu)) }),
        Action::Peek(ahu) => One::Peek(to::Peek { ahu: Some(index(ahu)) }),
        Action::Leave => One::Leave(to::Leave {}),
        Action::Keep => One::Keep(to::Keep {}),
        Action::TakeBack => One::TakeBack(to::TakeBack {}),
    }
}

pub(super) fn read_oneof(oneof: &v1::action::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
    use v1::action as to;
    use v1::action::Action as One;
    let payee = |left, by_seat| {
        let opponent = PAYEE.read(left, by_seat, seat, seats)?;
        Ok(Payee::new(opponent.index()).expect("the opponent is one of the game's"))
    };
    match oneof {
        One::BidMarkers(to::BidMarkers { count }) => read_number(*count, "a count").map(Action::BidMarkers),
        One::BidWorkers(to::BidWorkers { count }) => read_number(*count, "a count").map(Action::BidWorkers),
        One::BidLeaders(to::BidLeaders { sorcerer, chief }) => Ok(Action::BidLeaders(Leaders::of(*sorcerer, *chief))),
        One::Pick(to::Pick { size }) => read_from_one("Moai's size", *size).map(Action::Pick),
        One::Decline(to::Decline {}) => Ok(Action::Decline),
        One::Place(to::Place { figure, logs }) => read_party(*figure, *logs).map(Action::Place),
        One::TakeHalf(to::TakeHalf {}) => Ok(Action::TakeHalf),
        One::Pass(to::Pass {}) => Ok(Action::Pass),
        One::At(to::At { hex }) => read_number(*hex, HEX).map(Action::At),
        One::NoPower(to::NoPower {}) => Ok(Action::NoPower),
        One::UsePower(to::UsePower {}) => Ok(Action::UsePower),
        One::Reserve(to::Reserve { ahu }) => read_number(*ahu, AHU).map(Action::Reserve),
        One::Lift(to::Lift { piece }) => {
            piece.parse().map(Action::Lift).map_err(|error: ParseError| error.message.into_owned())
        }
        One::Enter(to::Enter { hex }) => read_number(*hex, HEX).map(Action::Enter),
        One::Pay(to::Pay { left, payee_seat }) => payee(*left, *payee_seat).map(Action::Pay),
        One::PayChief(to::PayChief { left, payee_seat }) => payee(*left, *payee_seat).map(Action::PayChief),
        One::Enough(to::Enough {}) => Ok(Action::Enough),
        One::Stop(to::Stop {}) => Ok(Action::Stop),
        One::Mark(to::Mark {}) => Ok(Action::Mark),
        One::Erect(to::Erect { ahu }) => read_number(*ahu, AHU).map(Action::Erect),
        One::Top(to::Top { ahu }) => read_number(*ahu, AHU).map(Action::Top),
        One::Peek(to::Peek { ahu }) => read_number(*ahu, AHU).map(Action::Peek),
        One::Leave(to::Leave {}) => Ok(Action::Leave),
        One::Keep(to::Keep {}) => Ok(Action::Keep),
        One::TakeBack(to::TakeBack {}) => Ok(Action::TakeBack),
    }
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

const HEX: &str = "the number of a hex";
const AHU: &str = "the number of an Ahu";

/// Reads a number from 0; `noun` names it in errors.
fn read_number<T: Numbered>(number: Option<u32>, noun: &str) -> Result<T, String> {
    let most = T::COUNT - 1;
    let number = number.ok_or_else(|| format!("expected {noun} from 0 to {most}, got none"))?;
    T::new(number as usize).ok_or_else(|| format!("expected {noun} from 0 to {most}, got {number}"))
}

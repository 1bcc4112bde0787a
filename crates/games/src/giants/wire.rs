//! The typed messages of the game, package `ahu.giants.v1`.

mod fields;
mod island;
mod observation;

use ahu_core::{RelativeSeat, Seat, Seats};
use ahu_messages::giants::v1;
use fields::{figure, leader, numbers, read_party};
use island::island;
use observation::observation;

use super::board::Board;
use super::{Action, BoardName, Event, Giants, Leaders, Options, Payee, Points, View};
use crate::wire::message::{Opponent, ToField as _, action_messages, event_messages, from_one, left_number, number};
use crate::{DataFile, Pack as _, Wire};

impl Wire for Giants {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        observation(view)
    }

    action_messages! {
        v1, |seat, seats|;
        BidMarkers(count), BidWorkers(count), Pick(size), Decline, TakeHalf, At(hex), NoPower, UsePower, Reserve(ahu),
        Lift(piece), Enter(hex), Enough, Stop, Mark, Erect(ahu), Top(ahu), Peek(ahu), Leave, Keep, TakeBack;
        write {
            // Python has the keyword `pass`.
            Action::Pass => One::NoMore(to::NoMore {}),
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
            One::NoMore(to::NoMore {}) => Action::Pass,
            One::BidLeaders(to::BidLeaders { sorcerer, chief }) => Action::BidLeaders(Leaders::of(*sorcerer, *chief)),
            One::Place(to::Place { figure, logs }) => Action::Place(read_party(*figure, *logs)?),
            One::Pay(to::Pay { left, payee_seat }) => Action::Pay(payee(PAYEE.read(*left, *payee_seat, seat, seats)?)),
            One::PayChief(to::PayChief { left, payee_seat }) => {
                Action::PayChief(payee(PAYEE.read(*left, *payee_seat, seat, seats)?))
            },
        }
    }

    event_messages! {
        v1, Event<Option<Seat>>;
        TurnBegan { turn, first_seat },
        BidSealed { seat, bid },
        BidsShown { bids },
        Picked { seat, piece },
        Declined { seat },
        Unclaimed { moai, returned },
        HalfTaken { seat },
        Passed { seat, forced },
        Lifted { seat, piece },
        Paid { seat, payee_seat, hex, points },
        Entered { seat, piece, hex },
        Stopped { seat, piece },
        Marked { seat, piece },
        Erected { seat, piece, ahu, points },
        Topped { seat, piece, ahu },
        Stored { seat, piece, marked },
        LogsReturned { seat, logs },
        TakenBack { seat, piece };
        Event::Rolled { turn: _, roll, offered } => {
            One::Rolled(to::Rolled { faces: numbers(roll.faces()), offered_moai: offered.to_field() })
        },
        Event::Placed { seat, party, hex } => One::Placed(to::Placed {
            seat: seat.to_field(),
            figure: figure(party).into(),
            logs: party.logs().into(),
            hex: hex.to_field(),
        }),
        Event::PowerUsed { seat, chief, gain } => One::PowerUsed(to::PowerUsed {
            seat: seat.to_field(),
            figure: leader(chief).into(),
            gain: gain.to_field(),
        }),
        Event::Peeked { seat, ahu, owner } => One::Peeked(to::Peeked {
            seat: seat.to_field(),
            ahu: ahu.to_field(),
            owner_seat: owner.map(number),
        }),
        Event::CameHome { logs } => One::CameHome(to::CameHome { logs_gone: logs.to_field() }),
        Event::Ended { reason, points } => One::Ended(to::Ended {
            reason: from_one(reason),
            points: points.map(Points::total).to_field(),
            sources: points.to_field(),
        }),
    }

    fn data_files() -> Vec<DataFile> {
        let file =
            |of: BoardName, about| DataFile { name: of.file_name(), about, content: island(Board::named(of)).packed() };
        vec![
            file(BoardName::V1, "The island, a reconstruction of the printed board."),
            file(BoardName::Tiny, "A very small island, for tests."),
        ]
    }

    fn data_files_of(options: &Options) -> Vec<&'static str> {
        vec![options.board.file_name()]
    }
}

const PAYEE: Opponent = Opponent { question: "whom?", field: "payee_seat", most: Payee::COUNT };

/// The error for a message without an action.
const NO_ACTION: &str = "expected one of bid_markers, bid_workers, bid_leaders, pick, decline, place, take_half, \
                         pass, at, no_power, use_power, reserve, lift, enter, pay, pay_chief, enough, stop, mark, \
                         erect, top, peek, leave, keep, take_back; got none of them";

fn payee(opponent: RelativeSeat) -> Payee {
    Payee::new(opponent.index()).expect("the opponent is one of the game's")
}

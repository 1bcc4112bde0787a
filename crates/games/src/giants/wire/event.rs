//! The messages of events.

use ahu_core::Seat;
use ahu_messages::giants::v1;

use super::observation::{bid, figure, leader};
use super::{by_size, index, numbers};
use crate::giants::event::{Event, Gain, Points};
use crate::giants::piece::Piece;
use crate::wire::message::{from_one, number};

pub(super) fn event_message(visible: Event<Option<Seat>>) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as One;
    let by = |seat: Seat| Some(number(seat));
    let name = |piece: Piece| piece.to_string();
    match visible {
        Event::TurnBegan { turn, first } => One::TurnBegan(to::TurnBegan { turn: turn.into(), first_seat: by(first) }),
        Event::Rolled { turn: _, roll, offered } => {
            One::Rolled(to::Rolled { faces: numbers(roll.faces()), offered_moai: by_size(offered) })
        }
        Event::BidSealed { seat, bid: own } => One::BidSealed(to::BidSealed { seat: by(seat), bid: Some(bid(own)) }),
        Event::BidsShown { bids } => {
            One::BidsShown(to::BidsShown { bids: bids.values().iter().copied().map(bid).collect() })
        }
        Event::Picked { seat, piece } => One::Picked(to::Picked { seat: by(seat), piece: name(piece) }),
        Event::Declined { seat } => One::Declined(to::Declined { seat: by(seat) }),
        Event::Unclaimed { moai, returned } => One::Unclaimed(to::Unclaimed { moai: by_size(moai), returned }),
        Event::Placed { seat, party, hex } => {
            let (figure, logs) = (figure(party).into(), party.logs().into());
            One::Placed(to::Placed { seat: by(seat), figure, logs, hex: Some(index(hex)) })
        }
        Event::PowerUsed { seat, chief, gain: brought } => {
            let (figure, gain) = (leader(chief).into(), Some(gain(brought)));
            One::PowerUsed(to::PowerUsed { seat: by(seat), figure, gain })
        }
        Event::HalfTaken { seat } => One::HalfTaken(to::HalfTaken { seat: by(seat) }),
        Event::Passed { seat, forced } => One::Passed(to::Passed { seat: by(seat), forced }),
        Event::Peeked { seat, ahu, owner } => {
            One::Peeked(to::Peeked { seat: by(seat), ahu: Some(index(ahu)), owner_seat: owner.map(number) })
        }
        Event::Lifted { seat, piece } => One::Lifted(to::Lifted { seat: by(seat), piece: name(piece) }),
        Event::Paid { seat, payee, hex, points } => {
            let (payee_seat, hex, points) = (by(payee), Some(index(hex)), points.into());
            One::Paid(to::Paid { seat: by(seat), payee_seat, hex, points })
        }
        Event::Entered { seat, piece, hex } => {
            One::Entered(to::Entered { seat: by(seat), piece: name(piece), hex: Some(index(hex)) })
        }
        Event::Stopped { seat, piece } => One::Stopped(to::Stopped { seat: by(seat), piece: name(piece) }),
        Event::Marked { seat, piece } => One::Marked(to::Marked { seat: by(seat), piece: name(piece) }),
        Event::Erected { seat, piece, ahu, points } => {
            let (piece, ahu, points) = (name(piece), Some(index(ahu)), points.into());
            One::Erected(to::Erected { seat: by(seat), piece, ahu, points })
        }
        Event::Topped { seat, piece, ahu } => {
            One::Topped(to::Topped { seat: by(seat), piece: name(piece), ahu: Some(index(ahu)) })
        }
        Event::Stored { seat, piece, marked } => One::Stored(to::Stored { seat: by(seat), piece: name(piece), marked }),
        Event::CameHome { logs } => One::CameHome(to::CameHome { logs_gone: logs.into() }),
        Event::LogsReturned { seat, logs } => One::LogsReturned(to::LogsReturned { seat: by(seat), logs: logs.into() }),
        Event::TakenBack { seat, piece } => One::TakenBack(to::TakenBack { seat: by(seat), piece: name(piece) }),
        Event::Ended { reason, points } => One::Ended(to::Ended {
            reason: from_one(reason),
            points: points.values().iter().map(|points| points.total().into()).collect(),
            sources: points.values().iter().copied().map(sources).collect(),
        }),
    }
}

fn gain(gain: Gain) -> v1::event::power_used::Gain {
    use v1::event::power_used::Gain as Brought;
    match gain {
        Gain::Worker => Brought::Workers(1),
        Gain::Marker => Brought::Markers(1),
        Gain::Logs(logs) => Brought::Logs(logs.into()),
        Gain::Headdress(piece) => Brought::Headdress(piece.to_string()),
        Gain::Reserved(ahu) => Brought::ReservedAhu(index(ahu)),
    }
}

fn sources(Points { scored, moai, headdresses, tablets }: Points) -> v1::event::Points {
    v1::event::Points {
        scored: scored.into(),
        moai: moai.into(),
        headdresses: headdresses.into(),
        tablets: tablets.into(),
    }
}

#[cfg(test)]
mod tests {
    use ahu_messages::giants::v1;

    use crate::giants::End;
    use crate::wire::message::assert_same_names;

    #[test]
    fn enums_of_messages_are_those_of_the_game() {
        assert_same_names! {
            End, v1::event::Reason, "REASON";
        }
    }
}

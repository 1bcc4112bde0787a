//! The messages of events.

use ahu_core::Seat;
use ahu_messages::giants::v1;

use super::numbers;
use super::observation::{figure, leader};
use crate::giants::event::{Event, Gain, Points};
use crate::wire::message::{ToField, event_messages, from_one, number};

event_messages! {
    v1, Event<Option<Seat>>;
    BidSealed { seat, bid },
    BidsShown { bids },
    Picked { seat, piece },
    Declined { seat },
    Unclaimed { moai, returned },
    HalfTaken { seat },
    Passed { seat, forced },
    Lifted { seat, piece },
    Entered { seat, piece, hex },
    Stopped { seat, piece },
    Marked { seat, piece },
    Erected { seat, piece, ahu, points },
    Topped { seat, piece, ahu },
    Stored { seat, piece, marked },
    LogsReturned { seat, logs },
    TakenBack { seat, piece };
    Event::TurnBegan { turn, first } => {
        One::TurnBegan(to::TurnBegan { turn: turn.to_field(), first_seat: first.to_field() })
    },
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
    Event::Paid { seat, payee, hex, points } => One::Paid(to::Paid {
        seat: seat.to_field(),
        payee_seat: payee.to_field(),
        hex: hex.to_field(),
        points: points.to_field(),
    }),
    Event::CameHome { logs } => One::CameHome(to::CameHome { logs_gone: logs.to_field() }),
    Event::Ended { reason, points } => One::Ended(to::Ended {
        reason: from_one(reason),
        points: points.map(Points::total).to_field(),
        sources: points.to_field(),
    }),
}

impl ToField<v1::event::power_used::Gain> for Gain {
    fn to_field(self) -> v1::event::power_used::Gain {
        use v1::event::power_used::Gain as One;
        match self {
            Self::Worker => One::Workers(1),
            Self::Marker => One::Markers(1),
            Self::Logs(logs) => One::Logs(logs.into()),
            Self::Headdress(piece) => One::Headdress(piece.to_string()),
            Self::Reserved(ahu) => One::ReservedAhu(ahu.to_field()),
        }
    }
}

impl ToField<v1::event::Points> for Points {
    fn to_field(self) -> v1::event::Points {
        v1::event::Points {
            scored: self.scored.into(),
            moai: self.moai.into(),
            headdresses: self.headdresses.into(),
            tablets: self.tablets.into(),
        }
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

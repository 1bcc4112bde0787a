//! The messages of events.

use ahu_core::Seat;
use ahu_messages::rapanui_board::v1;

use crate::rapanui_board::event::{EndReason, Event};
use crate::wire::message::{ToField, event_messages};

event_messages! {
    v1, Event;
    TilesLaid { tiles },
    Drafted { seat, tile },
    NothingToDraft { seat },
    RoundBegan { round },
    TransporterPlaced { seat, space },
    SculptorPlaced { seat, column },
    SorcererPlaced { seat, star },
    ChiefPlaced { seat, column },
    Improved { seat, improvement },
    Played { seat, means, power },
    Sculpted { seat, size },
    SculptingDone { seat, moai },
    TransportBegan { seat, cargo },
    Stepped { seat, area },
    Skimped { seat, means },
    DroppedOut { seat },
    Ended { reason, points };
    Event::Ordered { order } => One::Ordered(to::Ordered { seats: order.iter().map(Seat::to_field).collect() }),
    Event::TollEarned { seat, space, resource, is_lost } => One::TollEarned(to::TollEarned {
        seat: seat.to_field(),
        space: space.to_field(),
        resource: resource.to_field(),
        lost: is_lost,
    }),
    Event::Erected { seat, space, size, tile, is_tiring } => One::Erected(to::Erected {
        seat: seat.to_field(),
        space: space.to_field(),
        size: size.to_field(),
        tile: tile.to_field(),
        tiring: is_tiring,
    }),
    Event::Gained { seat, resource, count, lost } => One::Gained(to::Gained {
        seat: seat.to_field(),
        resource: resource.to_field(),
        count: count.to_field(),
        lost_count: lost.to_field(),
    }),
    Event::Styled { seat, space, is_tiring } => {
        One::Styled(to::Styled { seat: seat.to_field(), space: space.to_field(), tiring: is_tiring })
    },
    Event::OfferingChosen { seat, offering, source } => One::OfferingChosen(to::OfferingChosen {
        seat: seat.to_field(),
        offering: offering.to_field(),
        outstanding: source.to_field(),
    }),
    Event::OfferingTaken { seat, offering, source, value, payment } => One::OfferingTaken(to::OfferingTaken {
        seat: seat.to_field(),
        offering: offering.to_field(),
        outstanding: source.to_field(),
        value: value.to_field(),
        payment: payment.to_field(),
    }),
    Event::RoundEnded { round, empty_ahus } => {
        One::RoundEnded(to::RoundEnded { round: round.to_field(), empty_ahu_count: empty_ahus.to_field() })
    },
}

impl ToField<i32> for EndReason {
    fn to_field(self) -> i32 {
        match self {
            Self::Ahus => v1::EndReason::Ahus,
            Self::Rounds => v1::EndReason::Rounds,
            Self::Stall => v1::EndReason::Stall,
        }
        .into()
    }
}

//! The messages of events.
use ahu_messages::rapanui_board::v1;

use super::{area, cargo, power, resources, sizes};
use crate::rapanui_board::event::{EndReason, Event};
use crate::rapanui_board::offering::Source;
use crate::wire::message::{by_seat, from_one, number};

pub(super) fn event_message(visible: &Event) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as EventOneof;
    let who = |seat| Some(number(seat));
    match *visible {
        Event::Ordered { order } => EventOneof::Ordered(to::Ordered { seats: order.iter().map(number).collect() }),
        Event::TilesLaid { tiles } => {
            EventOneof::TilesLaid(to::TilesLaid { tiles: tiles.iter().copied().map(from_one).collect() })
        }
        Event::Drafted { seat, tile } => EventOneof::Drafted(to::Drafted { seat: who(seat), tile: from_one(tile) }),
        Event::NothingToDraft { seat } => EventOneof::NothingToDraft(to::NothingToDraft { seat: who(seat) }),
        Event::RoundBegan { round } => EventOneof::RoundBegan(to::RoundBegan { round: round.into() }),
        Event::TransporterPlaced { seat, space } => {
            EventOneof::TransporterPlaced(to::TransporterPlaced { seat: who(seat), space: from_one(space) })
        }
        Event::SculptorPlaced { seat, column } => {
            EventOneof::SculptorPlaced(to::SculptorPlaced { seat: who(seat), column: from_one(column) })
        }
        Event::SorcererPlaced { seat, star } => {
            EventOneof::SorcererPlaced(to::SorcererPlaced { seat: who(seat), star: from_one(star) })
        }
        Event::ChiefPlaced { seat, column } => {
            EventOneof::ChiefPlaced(to::ChiefPlaced { seat: who(seat), column: from_one(column) })
        }
        Event::Improved { seat, improvement } => {
            EventOneof::Improved(to::Improved { seat: who(seat), improvement: from_one(improvement) })
        }
        Event::Played { seat, means, power: what } => {
            EventOneof::Played(to::Played { seat: who(seat), means: from_one(means), power: Some(power(what)) })
        }
        Event::Sculpted { seat, size } => EventOneof::Sculpted(to::Sculpted { seat: who(seat), size: from_one(size) }),
        Event::SculptingDone { seat, moai } => {
            EventOneof::SculptingDone(to::SculptingDone { seat: who(seat), moai: Some(sizes(moai)) })
        }
        Event::TransportBegan { seat, cargo: of } => {
            EventOneof::TransportBegan(to::TransportBegan { seat: who(seat), cargo: Some(cargo(of)) })
        }
        Event::Stepped { seat, area: at } => EventOneof::Stepped(to::Stepped { seat: who(seat), area: Some(area(at)) }),
        Event::TollEarned { seat, space, resource, is_lost } => EventOneof::TollEarned(to::TollEarned {
            seat: who(seat),
            space: from_one(space),
            resource: from_one(resource),
            lost: is_lost,
        }),
        Event::Erected { seat, space, size, tile, is_tiring } => EventOneof::Erected(to::Erected {
            seat: who(seat),
            space: from_one(space),
            size: from_one(size),
            tile: from_one(tile),
            tiring: is_tiring,
        }),
        Event::Gained { seat, resource, count, lost } => EventOneof::Gained(to::Gained {
            seat: who(seat),
            resource: from_one(resource),
            count: count.into(),
            lost_count: lost.into(),
        }),
        Event::Styled { seat, space, is_tiring } => {
            EventOneof::Styled(to::Styled { seat: who(seat), space: from_one(space), tiring: is_tiring })
        }
        Event::Skimped { seat, means } => EventOneof::Skimped(to::Skimped { seat: who(seat), means: from_one(means) }),
        Event::OfferingChosen { seat, offering, source } => EventOneof::OfferingChosen(to::OfferingChosen {
            seat: who(seat),
            offering: from_one(offering),
            outstanding: source == Source::Outstanding,
        }),
        Event::OfferingTaken { seat, offering, source, value, payment } => {
            EventOneof::OfferingTaken(to::OfferingTaken {
                seat: who(seat),
                offering: from_one(offering),
                outstanding: source == Source::Outstanding,
                value: value.into(),
                payment: Some(resources(payment.resources())),
            })
        }
        Event::DroppedOut { seat } => EventOneof::DroppedOut(to::DroppedOut { seat: who(seat) }),
        Event::RoundEnded { round, empty_ahus } => {
            EventOneof::RoundEnded(to::RoundEnded { round: round.into(), empty_ahu_count: empty_ahus.into() })
        }
        Event::Ended { reason, points } => {
            EventOneof::Ended(to::Ended { reason: end_reason(reason).into(), points: by_seat(&points) })
        }
    }
}

const fn end_reason(reason: EndReason) -> v1::EndReason {
    match reason {
        EndReason::Ahus => v1::EndReason::Ahus,
        EndReason::Rounds => v1::EndReason::Rounds,
        EndReason::Stall => v1::EndReason::Stall,
    }
}

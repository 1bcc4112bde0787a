//! The typed messages of the game, package `ahu.rapanui_board.v1`.

mod data;
mod fields;
mod observation;

use ahu_core::{Seat, Seats};
use ahu_messages::rapanui_board::v1;
use data::{board, game_tiles};
use observation::observation;

use super::{Action, Event, Options, RapanuiBoard, Side, Values, View};
use crate::wire::message::{FromField, ToField as _, action_messages, event_messages};
use crate::{DataFile, Pack as _, Wire};

impl Wire for RapanuiBoard {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        observation(view)
    }

    action_messages! {
        v1, |_, _|;
        PlaceTransporter(space), PlaceSculptor(column), PlaceSorcerer(star), PlaceChief(column), Improve(improvement),
        Play(means, power), Sculpt(size), SculptDone, DropOut, EndTurn, Step(to), Erect(tile), Style, Toll(resource),
        Skimp(means), Offer(offering, outstanding), Pay(resources), Draft(tile);
        write {
            Action::Transport(cargo) => One::BeginTransport(to::BeginTransport { cargo: cargo.to_field() }),
            Action::GainShown => One::TakeGain(to::TakeGain { shifted: false }),
            Action::GainShifted => One::TakeGain(to::TakeGain { shifted: true }),
            Action::GainFirst(count) => One::DivideGain(to::DivideGain { first_count: count.to_field() }),
        }
        read {
            One::BeginTransport(message) => Action::Transport(FromField::from_field(&message.cargo)?),
            One::TakeGain(to::TakeGain { shifted: false }) => Action::GainShown,
            One::TakeGain(to::TakeGain { shifted: true }) => Action::GainShifted,
            One::DivideGain(message) => Action::GainFirst(FromField::from_field(&message.first_count)?),
        }
    }

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
        Gained { seat, resource, count, lost_count },
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

    fn data_files() -> Vec<DataFile> {
        let side = |side: Side, about| DataFile { name: side.file_name(), about, content: board(side).packed() };
        let about = "The tiles, their prices, and the Moai. The worths of the Offering tiles are reconstructions.";
        let tiles = |values: Values| DataFile { name: values.file_name(), about, content: game_tiles(values).packed() };
        vec![
            side(Side::Rn34V1, "The side of the board for 3 and 4 players, a reconstruction."),
            side(Side::Rn2V1, "The side of the board for 2 players, a reconstruction."),
            tiles(Values::RnV1),
        ]
    }

    fn data_files_of(options: &Options) -> Vec<&'static str> {
        vec![options.board.file_name(), options.offerings.file_name()]
    }
}

const NO_ACTION: &str = "expected one of place_transporter, place_sculptor, place_sorcerer, place_chief, improve, \
                         play, sculpt, sculpt_done, begin_transport, drop_out, end_turn, step, erect, style, toll, \
                         take_gain, divide_gain, skimp, offer, pay, draft, got none";

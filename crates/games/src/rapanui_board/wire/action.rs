//! The messages of actions.
use ahu_messages::rapanui_board::v1;

use super::{area, cargo, power, resources};
use crate::rapanui_board::action::{Action, FirstCount, MAX_GAIN};
use crate::rapanui_board::cargo::Cargo;
use crate::rapanui_board::moai::Size;
use crate::rapanui_board::offering::Source;
use crate::rapanui_board::payment::Payment;
use crate::rapanui_board::power::{Barter, Means, Power};
use crate::rapanui_board::resource::{Resource, Resources};
use crate::rapanui_board::space::{Area, Space};
use crate::wire::message::{from_one, read_enum, read_from_one};

pub(super) fn action_message(action: Action) -> v1::Action {
    use v1::action as to;
    use v1::action::Action as ActionOneof;
    let oneof = match action {
        Action::PlaceTransporter(space) => {
            ActionOneof::PlaceTransporter(to::PlaceTransporter { space: from_one(space) })
        }
        Action::PlaceSculptor(column) => ActionOneof::PlaceSculptor(to::PlaceSculptor { column: from_one(column) }),
        Action::PlaceSorcerer(star) => ActionOneof::PlaceSorcerer(to::PlaceSorcerer { star: from_one(star) }),
        Action::PlaceChief(column) => ActionOneof::PlaceChief(to::PlaceChief { column: from_one(column) }),
        Action::Improve(tile) => ActionOneof::Improve(to::Improve { improvement: from_one(tile) }),
        Action::Play(means, what) => ActionOneof::Play(to::Play { means: from_one(means), power: Some(power(what)) }),
        Action::Sculpt(size) => ActionOneof::Sculpt(to::Sculpt { size: from_one(size) }),
        Action::SculptDone => ActionOneof::SculptDone(to::SculptDone {}),
        Action::Transport(of) => ActionOneof::BeginTransport(to::BeginTransport { cargo: Some(cargo(of)) }),
        Action::DropOut => ActionOneof::DropOut(to::DropOut {}),
        Action::EndTurn => ActionOneof::EndTurn(to::EndTurn {}),
        Action::Step(to_area) => ActionOneof::Step(to::Step { to: Some(area(to_area)) }),
        Action::Erect(tile) => ActionOneof::Erect(to::Erect { tile: from_one(tile) }),
        Action::Style => ActionOneof::Style(to::Style {}),
        Action::Toll(resource) => ActionOneof::Toll(to::Toll { resource: from_one(resource) }),
        Action::GainShown => ActionOneof::TakeGain(to::TakeGain { shifted: false }),
        Action::GainShifted => ActionOneof::TakeGain(to::TakeGain { shifted: true }),
        Action::GainFirst(first) => ActionOneof::DivideGain(to::DivideGain { first_count: first.index() as u32 }),
        Action::Skimp(means) => ActionOneof::Skimp(to::Skimp { means: from_one(means) }),
        Action::Offer(offering, source) => {
            ActionOneof::Offer(to::Offer { offering: from_one(offering), outstanding: source == Source::Outstanding })
        }
        Action::Pay(payment) => ActionOneof::Pay(to::Pay { resources: Some(resources(payment.resources())) }),
        Action::Draft(tile) => ActionOneof::Draft(to::Draft { tile: from_one(tile) }),
    };
    v1::Action { action: Some(oneof) }
}

const NO_ACTION: &str = "expected one of place_transporter, place_sculptor, place_sorcerer, place_chief, improve, \
                         play, sculpt, sculpt_done, begin_transport, drop_out, end_turn, step, erect, style, toll, \
                         take_gain, divide_gain, skimp, offer, pay, draft, got none";

pub(super) fn read_message(message: &v1::Action) -> Result<Action, String> {
    use v1::action::Action as ActionOneof;
    match message.action.as_ref().ok_or(NO_ACTION)? {
        ActionOneof::PlaceTransporter(message) => read_space(message.space).map(Action::PlaceTransporter),
        ActionOneof::PlaceSculptor(message) => read_size(message.column).map(Action::PlaceSculptor),
        ActionOneof::PlaceSorcerer(message) => read_from_one("star", message.star).map(Action::PlaceSorcerer),
        ActionOneof::PlaceChief(message) => read_size(message.column).map(Action::PlaceChief),
        ActionOneof::Improve(message) => {
            read_enum!(v1::Improvement, "improvement", message.improvement).map(Action::Improve)
        }
        ActionOneof::Play(message) => Ok(Action::Play(read_means(message.means)?, read_power(message.power.as_ref())?)),
        ActionOneof::Sculpt(message) => read_size(message.size).map(Action::Sculpt),
        ActionOneof::SculptDone(_) => Ok(Action::SculptDone),
        ActionOneof::BeginTransport(message) => read_cargo(message.cargo.as_ref()).map(Action::Transport),
        ActionOneof::DropOut(_) => Ok(Action::DropOut),
        ActionOneof::EndTurn(_) => Ok(Action::EndTurn),
        ActionOneof::Step(message) => read_area(message.to.as_ref()).map(Action::Step),
        ActionOneof::Erect(message) => read_enum!(v1::Tile, "tile", message.tile).map(Action::Erect),
        ActionOneof::Style(_) => Ok(Action::Style),
        ActionOneof::Toll(message) => read_resource(message.resource).map(Action::Toll),
        ActionOneof::TakeGain(message) => Ok(if message.shifted { Action::GainShifted } else { Action::GainShown }),
        ActionOneof::DivideGain(message) => read_count(message.first_count).map(Action::GainFirst),
        ActionOneof::Skimp(message) => read_means(message.means).map(Action::Skimp),
        ActionOneof::Offer(message) => {
            let source = if message.outstanding { Source::Outstanding } else { Source::Stack };
            read_enum!(v1::Offering, "offering", message.offering).map(|offering| Action::Offer(offering, source))
        }
        ActionOneof::Pay(message) => read_payment(message.resources.unwrap_or_default()).map(Action::Pay),
        ActionOneof::Draft(message) => read_enum!(v1::Tile, "tile", message.tile).map(Action::Draft),
    }
}

fn read_space(value: u32) -> Result<Space, String> {
    read_from_one("space", value)
}

fn read_size(value: i32) -> Result<Size, String> {
    read_enum!(v1::Size, "size or column", value)
}

fn read_resource(value: i32) -> Result<Resource, String> {
    read_enum!(v1::Resource, "resource", value)
}

fn read_means(value: i32) -> Result<Means, String> {
    read_enum!(v1::Means, "means", value)
}

fn read_count(value: u32) -> Result<FirstCount, String> {
    let count = FirstCount::new(value as usize);
    count.ok_or_else(|| format!("expected first_count from 0 to {MAX_GAIN}, got {value}"))
}

fn read_area(message: Option<&v1::Area>) -> Result<Area, String> {
    use v1::area::Area as AreaOneof;
    match message.and_then(|message| message.area) {
        Some(AreaOneof::Space(number)) => read_space(number).map(Area::from),
        Some(AreaOneof::Quarry(value)) => match v1::Quarry::try_from(value) {
            Ok(v1::Quarry::Crater) => Ok(Area::CRATER),
            Ok(v1::Quarry::Pukao) => Ok(Area::PUKAO_QUARRY),
            Ok(v1::Quarry::Unspecified) | Err(_) => {
                Err(format!("expected quarry 1 (QUARRY_CRATER) or 2 (QUARRY_PUKAO), got {value}"))
            }
        },
        None => Err("expected an area with a space or a quarry, got neither".to_owned()),
    }
}

fn read_cargo(message: Option<&v1::Cargo>) -> Result<Cargo, String> {
    use v1::cargo::Cargo as CargoOneof;
    match message.and_then(|message| message.cargo) {
        Some(CargoOneof::Moai(size)) => read_size(size).map(Cargo::Moai),
        Some(CargoOneof::Pukao(_)) => Ok(Cargo::Pukao),
        None => Err("expected a cargo with a moai or a pukao, got neither".to_owned()),
    }
}

fn read_power(message: Option<&v1::Power>) -> Result<Power, String> {
    use v1::power::Power as PowerOneof;
    match message.and_then(|message| message.power).ok_or(NO_POWER)? {
        PowerOneof::Barter(barter) => {
            let (give, take) = (read_resource(barter.give)?, read_resource(barter.take)?);
            let types = Barter::of(give, take).map(Power::Barter);
            types.ok_or_else(|| format!("expected two different Resources for Barter, got {take} for {give}"))
        }
        PowerOneof::ChipIn(column) => read_size(column).map(Power::ChipIn),
        PowerOneof::ChangeToSculptor(column) => read_size(column).map(Power::ChangeToSculptor),
        PowerOneof::ChangeToTransporter(space) => read_space(space).map(Power::ChangeToTransporter),
        PowerOneof::Rest(space) => read_space(space).map(Power::Rest),
        PowerOneof::LendSculptor(space) => read_space(space).map(Power::LendSculptor),
        PowerOneof::LendChief(space) => read_space(space).map(Power::LendChief),
        PowerOneof::TakeTwoMore(_) => Ok(Power::TakeTwoMore),
        PowerOneof::TakeThreeMore(_) => Ok(Power::TakeThreeMore),
    }
}

const NO_POWER: &str = "expected one of barter, chip_in, change_to_sculptor, change_to_transporter, rest, \
                        lend_sculptor, lend_chief, take_two_more, take_three_more, got none";

fn read_payment(counts: v1::ResourceCounts) -> Result<Payment, String> {
    let v1::ResourceCounts { reeds, eggs, wood, pearls } = counts;
    // Counts above five are capped: five is already more than any payment has.
    let counts = [reeds, eggs, wood, pearls].map(|count| count.min(5) as u8);
    Payment::of(Resources::of(counts)).ok_or_else(|| {
        format!("expected 4 Resources, or 2 with Skimp, got {reeds} reeds, {eggs} eggs, {wood} wood, {pearls} pearls")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rapanui_board::{Improvement, Offering, Tile};
    use crate::wire::message::assert_same_names;

    #[test]
    fn enums_of_messages_are_those_of_the_game() {
        assert_same_names! {
            Resource, v1::Resource, "RESOURCE";
            Size, v1::Size, "SIZE";
            Tile, v1::Tile, "TILE";
            Improvement, v1::Improvement, "IMPROVEMENT";
            Offering, v1::Offering, "OFFERING";
            Means, v1::Means, "MEANS";
        }
    }
}

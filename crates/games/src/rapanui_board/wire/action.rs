//! The messages of actions.

use ahu_core::{Seat, Seats};
use ahu_messages::rapanui_board::v1;

use crate::rapanui_board::action::{Action, FirstCount, MAX_GAIN};
use crate::rapanui_board::cargo::Cargo;
use crate::rapanui_board::offering::Source;
use crate::rapanui_board::payment::Payment;
use crate::rapanui_board::power::{Barter, Power};
use crate::rapanui_board::resource::{Resource, Resources};
use crate::rapanui_board::space::{Area, Space};
use crate::wire::message::{FromField, ToField, action_messages, from_one};

action_messages! {
    v1, |_, _|;
    PlaceTransporter(space), PlaceSculptor(column), PlaceSorcerer(star), PlaceChief(column), Improve(improvement),
    Play(means, power), Sculpt(size), SculptDone, DropOut, EndTurn, Step(to), Erect(tile), Style, Toll(resource),
    Skimp(means), Offer(offering, outstanding), Pay(resources), Draft(tile);
    write {
        Action::Transport(cargo) => One::BeginTransport(to::BeginTransport { cargo: cargo.to_field() }),
        Action::GainShown => One::TakeGain(to::TakeGain { shifted: false }),
        Action::GainShifted => One::TakeGain(to::TakeGain { shifted: true }),
        Action::GainFirst(count) => One::DivideGain(to::DivideGain { first_count: count.index() as u32 }),
    }
    read {
        One::BeginTransport(message) => Action::Transport(FromField::from_field(&message.cargo)?),
        One::TakeGain(to::TakeGain { shifted: false }) => Action::GainShown,
        One::TakeGain(to::TakeGain { shifted: true }) => Action::GainShifted,
        One::DivideGain(message) => Action::GainFirst(read_count(message.first_count)?),
    }
}

const NO_ACTION: &str = "expected one of place_transporter, place_sculptor, place_sorcerer, place_chief, improve, \
                         play, sculpt, sculpt_done, begin_transport, drop_out, end_turn, step, erect, style, toll, \
                         take_gain, divide_gain, skimp, offer, pay, draft, got none";

fn read_count(value: u32) -> Result<FirstCount, String> {
    let count = FirstCount::new(value as usize);
    count.ok_or_else(|| format!("expected first_count from 0 to {MAX_GAIN}, got {value}"))
}

/// The field `outstanding`.
impl ToField<bool> for Source {
    fn to_field(self) -> bool {
        self == Self::Outstanding
    }
}

impl FromField<bool> for Source {
    fn from_field(&is_outstanding: &bool) -> Result<Self, String> {
        Ok(if is_outstanding { Self::Outstanding } else { Self::Stack })
    }
}

impl FromField<Option<v1::Area>> for Area {
    fn from_field(message: &Option<v1::Area>) -> Result<Self, String> {
        use v1::area::Area as One;
        match message.and_then(|message| message.area) {
            Some(One::Space(number)) => Space::from_field(&number).map(Self::from),
            Some(One::Quarry(value)) => match v1::Quarry::try_from(value) {
                Ok(v1::Quarry::Crater) => Ok(Self::CRATER),
                Ok(v1::Quarry::Pukao) => Ok(Self::PUKAO_QUARRY),
                Ok(v1::Quarry::Unspecified) | Err(_) => {
                    Err(format!("expected quarry 1 (QUARRY_CRATER) or 2 (QUARRY_PUKAO), got {value}"))
                }
            },
            None => Err("expected an area with a space or a quarry, got neither".to_owned()),
        }
    }
}

impl FromField<Option<v1::Cargo>> for Cargo {
    fn from_field(message: &Option<v1::Cargo>) -> Result<Self, String> {
        use v1::cargo::Cargo as One;
        match message.and_then(|message| message.cargo) {
            Some(One::Moai(size)) => FromField::from_field(&size).map(Self::Moai),
            Some(One::Pukao(_)) => Ok(Self::Pukao),
            None => Err("expected a cargo with a moai or a pukao, got neither".to_owned()),
        }
    }
}

impl ToField<v1::Power> for Power {
    fn to_field(self) -> v1::Power {
        use v1::power::{self as to, Power as One};
        let oneof = match self {
            Self::Barter(types) => {
                One::Barter(to::Barter { give: from_one(types.give()), take: from_one(types.take()) })
            }
            Self::ChipIn(column) => One::ChipIn(from_one(column)),
            Self::ChangeToSculptor(column) => One::ChangeToSculptor(from_one(column)),
            Self::ChangeToTransporter(space) => One::ChangeToTransporter(from_one(space)),
            Self::Rest(space) => One::Rest(from_one(space)),
            Self::LendSculptor(space) => One::LendSculptor(from_one(space)),
            Self::LendChief(space) => One::LendChief(from_one(space)),
            Self::TakeTwoMore => One::TakeTwoMore(to::TakeTwoMore {}),
            Self::TakeThreeMore => One::TakeThreeMore(to::TakeThreeMore {}),
        };
        v1::Power { power: Some(oneof) }
    }
}

impl FromField<Option<v1::Power>> for Power {
    fn from_field(message: &Option<v1::Power>) -> Result<Self, String> {
        use v1::power::Power as One;
        Ok(match message.and_then(|message| message.power).ok_or(NO_POWER)? {
            One::Barter(types) => {
                let (give, take) = (Resource::from_field(&types.give)?, Resource::from_field(&types.take)?);
                let types = Barter::of(give, take).map(Self::Barter);
                types.ok_or_else(|| format!("expected two different Resources for Barter, got {take} for {give}"))?
            }
            One::ChipIn(column) => Self::ChipIn(FromField::from_field(&column)?),
            One::ChangeToSculptor(column) => Self::ChangeToSculptor(FromField::from_field(&column)?),
            One::ChangeToTransporter(space) => Self::ChangeToTransporter(FromField::from_field(&space)?),
            One::Rest(space) => Self::Rest(FromField::from_field(&space)?),
            One::LendSculptor(space) => Self::LendSculptor(FromField::from_field(&space)?),
            One::LendChief(space) => Self::LendChief(FromField::from_field(&space)?),
            One::TakeTwoMore(_) => Self::TakeTwoMore,
            One::TakeThreeMore(_) => Self::TakeThreeMore,
        })
    }
}

const NO_POWER: &str = "expected one of barter, chip_in, change_to_sculptor, change_to_transporter, rest, \
                        lend_sculptor, lend_chief, take_two_more, take_three_more, got none";

impl ToField<v1::ResourceCounts> for Payment {
    fn to_field(self) -> v1::ResourceCounts {
        self.resources().to_field()
    }
}

impl FromField<Option<v1::ResourceCounts>> for Payment {
    fn from_field(counts: &Option<v1::ResourceCounts>) -> Result<Self, String> {
        let v1::ResourceCounts { reeds, eggs, wood, pearls } = counts.unwrap_or_default();
        // Counts above five are capped: five is already more than any payment has.
        let counts = [reeds, eggs, wood, pearls].map(|count| count.min(5) as u8);
        Self::of(Resources::of(counts)).ok_or_else(|| {
            format!(
                "expected 4 Resources, or 2 with Skimp, got {reeds} reeds, {eggs} eggs, {wood} wood, {pearls} pearls"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rapanui_board::{Improvement, Means, Offering, Size, Tile};
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

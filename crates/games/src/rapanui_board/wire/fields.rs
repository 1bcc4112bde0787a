//! The fields of messages: how messages have each type of the game.

use ahu_messages::rapanui_board::v1;

use crate::rapanui_board::{
    Area, Barter, Cargo, EndReason, FirstCount, Improvement, MAX_GAIN, Means, Offering, Offerings, Payment, Power,
    Resource, Resources, Size, Sizes, Source, Space, Star, Tile,
};
use crate::wire::message::{FromField, ToField, from_one, numbered_fields};

numbered_fields! {
    enums {
        Size as v1::Size, "size or column";
        Improvement as v1::Improvement, "improvement";
        Means as v1::Means, "means";
        Tile as v1::Tile, "tile";
        Resource as v1::Resource, "resource";
        Offering as v1::Offering, "offering";
    }
    numbers {
        Space, "space";
        Star, "star";
    }
}

impl ToField<v1::Area> for Area {
    fn to_field(self) -> v1::Area {
        use v1::area::Area as One;
        let oneof = self.space().map_or_else(|| One::Quarry(quarry(self).into()), |space| One::Space(from_one(space)));
        v1::Area { area: Some(oneof) }
    }
}

impl ToField<v1::Cargo> for Cargo {
    fn to_field(self) -> v1::Cargo {
        use v1::cargo::Cargo as One;
        let oneof = match self {
            Self::Moai(size) => One::Moai(from_one(size)),
            Self::Pukao => One::Pukao(v1::cargo::Pukao {}),
        };
        v1::Cargo { cargo: Some(oneof) }
    }
}

impl ToField<v1::ResourceCounts> for Resources {
    fn to_field(self) -> v1::ResourceCounts {
        let [reeds, eggs, wood, pearls] = self.as_array().map(u32::from);
        v1::ResourceCounts { reeds, eggs, wood, pearls }
    }
}

impl ToField<v1::SizeCounts> for Sizes {
    fn to_field(self) -> v1::SizeCounts {
        let [small, medium, large] = self.as_array().map(u32::from);
        v1::SizeCounts { small, medium, large }
    }
}

impl ToField<v1::OfferingCounts> for Offerings {
    fn to_field(self) -> v1::OfferingCounts {
        let [hut, chicken, hatchet, boat, necklace] = self.as_array().map(u32::from);
        v1::OfferingCounts { hut, chicken, hatchet, boat, necklace }
    }
}

pub(super) const fn quarry(area: Area) -> v1::Quarry {
    if area.index() == Area::CRATER.index() { v1::Quarry::Crater } else { v1::Quarry::Pukao }
}

impl ToField<u32> for FirstCount {
    fn to_field(self) -> u32 {
        self.index() as u32
    }
}

impl FromField<u32> for FirstCount {
    fn from_field(&value: &u32) -> Result<Self, String> {
        let count = Self::new(value as usize);
        count.ok_or_else(|| format!("expected first_count from 0 to {MAX_GAIN}, got {value}"))
    }
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

#[cfg(test)]
mod tests {
    use super::*;
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

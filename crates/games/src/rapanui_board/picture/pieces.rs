//! The pieces of the picture, each with its symbol.

use ahu_core::parts::picture::Picture;

use crate::rapanui_board::{Cargo, Improvement, Offering, Resource, Size, Tile};

/// Returns the symbol of a Resource.
pub(super) const fn resource(resource: Resource) -> &'static str {
    match resource {
        Resource::Reeds => "reeds",
        Resource::Eggs => "egg",
        Resource::Wood => "wood",
        Resource::Pearls => "pearl",
    }
}

/// Returns the colour of the land that brings a Resource.
pub(super) const fn land(resource: Resource) -> &'static str {
    match resource {
        Resource::Reeds => "wooded",
        Resource::Eggs => "cliff",
        Resource::Wood => "earth",
        Resource::Pearls => "lagoon",
    }
}

/// Returns the symbol of an Ahu tile.
pub(super) const fn tile(tile: Tile) -> &'static str {
    match tile {
        Tile::Rest => "tile-rest",
        Tile::Barter => "tile-barter",
        Tile::Skimp => "tile-skimp",
        Tile::ChipIn => "tile-chip-in",
        Tile::TakeThreeMore => "tile-take-three-more",
        Tile::TakeYourPick => "tile-take-your-pick",
        Tile::ChangeJobs => "tile-change-jobs",
        Tile::LendAHand => "tile-lend-a-hand",
        Tile::GainFavor => "tile-gain-favor",
        Tile::TakeTwoMore => "tile-take-two-more",
    }
}

/// Returns the symbol of an Offering tile.
pub(super) const fn offering(offering: Offering) -> &'static str {
    match offering {
        Offering::Hut => "house",
        Offering::Chicken => "hen",
        Offering::Hatchet => "adze",
        Offering::Boat => "canoe",
        Offering::Necklace => "reimiro",
    }
}

/// Returns the symbol of an Improvement tile.
pub(super) const fn improvement(improvement: Improvement) -> &'static str {
    match improvement {
        Improvement::Fervent => "flame",
        Improvement::Artistic => "swirl",
        Improvement::Popular => "clan",
        Improvement::Chief => "chief",
    }
}

/// Returns the height of a Moai without a Pukao.
pub(super) const fn height(size: Size) -> f32 {
    match size {
        Size::Small => 23.0,
        Size::Medium => 29.0,
        Size::Large => 36.0,
    }
}

/// Draws a Moai or a Pukao on its way with its foot at this point.
pub(super) fn cargo(picture: &mut Picture<'_>, cargo: Cargo, foot: (f32, f32), scale: f32) {
    match cargo {
        Cargo::Moai(size) => picture.moai(foot, height(size) * scale, false),
        Cargo::Pukao => _ = picture.symbol("pukao", foot, 14.0 * scale),
    }
}

/// Returns the distance between the beginnings of pieces of this width that stand side by side. They overlap if there is not
/// room enough.
pub(super) fn step(count: usize, width: f32, room: f32) -> f32 {
    width.min((room - width) / (count.max(2) - 1) as f32)
}

//! The pieces of the picture, each with its symbol.

use ahu_core::parts::picture::{Picture, text_width};

use crate::rapanui_board::{Cargo, Improvement, Offering, Resource, Size, Tile};

/// The symbols of the Resources.
pub(super) const RESOURCES: [&str; Resource::COUNT] = ["reeds", "egg", "wood", "pearl"];
/// The colours of the land that brings the Resources.
pub(super) const LANDS: [&str; Resource::COUNT] = ["wooded", "cliff", "earth", "lagoon"];
/// The symbols of the Ahu tiles with their effects in few words.
pub(super) const TILES: [(&str, &str); Tile::COUNT] = [
    ("tile-rest", "get up"),
    ("tile-barter", "3 for 3"),
    ("tile-skimp", "pay 2"),
    ("tile-chip-in", "sculptor"),
    ("tile-take-three-more", "goods"),
    ("tile-take-your-pick", "pick"),
    ("tile-change-jobs", "new job"),
    ("tile-lend-a-hand", "lend"),
    ("tile-gain-favor", "3 points"),
    ("tile-take-two-more", "goods"),
];
/// The symbols of the Offering tiles.
pub(super) const OFFERINGS: [&str; Offering::COUNT] = ["house", "hen", "adze", "canoe", "reimiro"];
/// The symbols of the Improvement tiles.
pub(super) const IMPROVEMENTS: [&str; Improvement::COUNT] = ["flame", "swirl", "clan", "chief"];

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

/// Returns the room for a number behind a piece; none for a single one.
pub(super) fn number_width(count: u8) -> f32 {
    if count == 1 { 0.0 } else { text_width("b t9", &format!("\u{d7}{count}")) }
}

/// Writes a number behind a piece, unless it is one.
pub(super) fn number(picture: &mut Picture<'_>, place: (f32, f32), count: u8) {
    if count != 1 {
        picture.text("b t9", place, format_args!("\u{d7}{count}"));
    }
}

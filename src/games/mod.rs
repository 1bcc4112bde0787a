//! The games: one folder each, and nothing about a game outside it but one line in the catalog,
//! its proto file and its tests.

pub mod giants;
pub mod rapanui_board;
pub mod rapanui_cards;
pub mod rappanui;
#[cfg(feature = "service")]
mod wire;

#[cfg(feature = "service")]
pub use wire::Wire;

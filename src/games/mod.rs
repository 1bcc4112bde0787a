//! The games. Each game has a folder. Outside it, a game has only a line in the catalog, its proto file, and its
//! tests.

pub mod giants;
pub mod rapanui_board;
pub mod rapanui_cards;
pub mod rappanui;
#[cfg(feature = "service")]
mod wire;

#[cfg(feature = "service")]
pub use wire::Wire;

//! The games. Each game has a folder. Outside it, a game has a proto file, tests, and one line each in this file,
//! `host/catalog.rs`, `src/engine/build.rs`, `src/engine/proto.rs`, and README.

pub mod giants;
pub mod rapanui_board;
pub mod rapanui_cards;
pub mod rappanui;
#[cfg(feature = "messages")]
mod wire;

#[cfg(feature = "messages")]
pub(crate) use wire::Pack;
#[cfg(feature = "messages")]
pub use wire::{Any, DataFile, Wire};

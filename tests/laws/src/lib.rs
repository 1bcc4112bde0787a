//! The laws of all games, as a library: properties that hold after every ply of random games, with any rules. A crate with a
//! game tests them with one line, [`laws!`], and the hidden facts of its game, [`Secrets`].

pub mod bots;
pub mod laws;
pub mod pictures;
mod secrets;

pub use secrets::{Ply, Secrets};

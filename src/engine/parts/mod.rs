//! Pieces that several games share. A piece moves in with its second user.

pub mod counts;
pub(crate) mod draws;
pub mod lines;
#[cfg(feature = "messages")]
pub(crate) mod message;
pub mod set;
pub mod svg;

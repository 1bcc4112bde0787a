//! Pieces that several games share. A piece moves in with its second user.

pub mod counts;
pub mod draws;
pub mod lines;
pub mod list;
pub mod numbers;
pub mod picture;
pub mod set;

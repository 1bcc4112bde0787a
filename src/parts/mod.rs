//! What several games share. A piece moves in with its second user.

#[cfg(feature = "service")]
pub(crate) mod message;

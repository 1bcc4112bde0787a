//! Code that several games share. Code moves here when a second game uses it.

#[cfg(feature = "service")]
pub(crate) mod message;

//! In the place of `wire.rs` where there is no service: nothing has messages.

use crate::core::Game;

/// What the catalog lists: any game.
pub trait Listed: Game {}
impl<G: Game> Listed for G {}

/// Nothing.
pub trait WireRules {}
impl<T: ?Sized> WireRules for T {}

/// Nothing.
pub trait WireView {}
impl<T: ?Sized> WireView for T {}

/// Nothing.
pub trait WireEvent {}
impl<T: ?Sized> WireEvent for T {}

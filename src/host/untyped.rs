//! Empty traits in place of those of `wire.rs`, for builds without the service: nothing has messages.

use crate::core::Game;

/// A game of the catalog: any game.
pub trait CatalogGame: Game {}
impl<G: Game> CatalogGame for G {}

/// The message methods of rules: none.
pub trait WireRules {}
impl<T: ?Sized> WireRules for T {}

/// The message methods of views: none.
pub trait WireView {}
impl<T: ?Sized> WireView for T {}

/// The message methods of events: none.
pub trait WireEvent {}
impl<T: ?Sized> WireEvent for T {}

//! Typed messages: how a game's views, actions and events travel. Each game has a package of its own,
//! `ahu.<game>.v1`, and its conversions in `wire.rs`.

use prost::Name;

use crate::core::{Event, Game, Seat, Seats};

/// A game that has typed messages.
pub trait Wire: Game {
    /// All that a viewer knows.
    type Observation: Name;
    /// One decision of one seat.
    type ActionMessage: Name + Default;
    /// Something that happened, as a viewer is told of it.
    type EventMessage: Name;

    /// What the view holds; a covered one is shown as it is.
    fn observation(view: &Self::View) -> Self::Observation;

    /// An action of `seat`, at a table of so many seats: opponents have both their numbers, the one to
    /// the left and that of the seat.
    fn action(action: Self::Action, seat: Seat, seats: Seats) -> Self::ActionMessage;

    /// The action of `seat`, one of `seats`, that a message says; or what it lacks, and what would be
    /// right.
    fn read_action(message: &Self::ActionMessage, seat: Seat, seats: Seats) -> Result<Self::Action, String>;

    /// What a viewer is told.
    fn event(seen: &<Self::Event as Event>::Seen) -> Self::EventMessage;
}

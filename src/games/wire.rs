//! Typed messages: the conversion of a game's views, actions, and events. Each game has a package of its own,
//! `ahu.<game>.v1`, and its conversions in `wire.rs`.

use prost::Name;

use crate::core::{Event, Game, Seat, Seats};

/// A game that has typed messages.
pub trait Wire: Game {
    /// The message of a view.
    type Observation: Name;
    /// The message of an action.
    type ActionMessage: Name + Default;
    /// The message of an event, as a viewer is told of it.
    type EventMessage: Name;

    /// Returns the message of a view and hides nothing: the caller passes a shown view.
    fn observation(view: &Self::View) -> Self::Observation;

    /// Returns the message of an action of `seat` at a table of `seats`. It names an opponent in both ways: by the
    /// steps to the left, and by the seat.
    fn action(action: Self::Action, seat: Seat, seats: Seats) -> Self::ActionMessage;

    /// Returns the action of `seat`, one of `seats`, that a message describes. An error names the fault and the
    /// expected input.
    fn read_action(message: &Self::ActionMessage, seat: Seat, seats: Seats) -> Result<Self::Action, String>;

    /// Returns the message of an event, as a viewer is told of it.
    fn event(visible: &<Self::Event as Event>::Visible) -> Self::EventMessage;
}

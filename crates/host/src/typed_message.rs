//! Typed messages of type-erased games, as [`Any`].

use ahu_core::{Action, ActionId, Seat, Seats};
pub(super) use ahu_games::Pack;
use ahu_games::Wire;
pub use ahu_games::{Any, DataFile};
use prost::{Message as _, Name};

/// The full names of a game's message types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageNames {
    /// The type of observations.
    pub observation: String,
    /// The type of actions.
    pub action: String,
    /// The type of events.
    pub event: String,
}

impl MessageNames {
    pub(super) fn of<G: Wire>() -> Self {
        Self {
            observation: G::Observation::full_name(),
            action: G::ActionMessage::full_name(),
            event: G::EventMessage::full_name(),
        }
    }
}

/// Reads the action of `seat` from a message; an error describes the fault.
pub(super) fn read_action<G: Wire>(message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String> {
    let expected = G::ActionMessage::full_name();
    if message.type_url.rsplit('/').next() != Some(&expected) {
        return Err(format!("expected an action as a message {expected}, got \"{}\"", message.type_url));
    }
    let read = G::ActionMessage::decode(&*message.value)
        .map_err(|_| format!("expected the bytes of a message {expected}, got bytes that do not decode"))?;
    G::read_action(&read, seat, seats).map(Action::id)
}

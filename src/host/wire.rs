//! Typed messages of type-erased games, as [`Any`].

use prost::{Message as _, Name};
use prost_types::Any;

use super::any_game::{ErasedEvent, ErasedView, Rules};
use crate::core::{Action as _, ActionId, Event as _, Game, Seat, Seats, Viewer};
pub use crate::games::Wire as CatalogGame;

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

/// The message methods of [`AnyRules`](super::AnyRules).
pub trait WireRules {
    /// Returns the full names of the game's message types.
    fn message_names(&self) -> MessageNames;
    /// Returns the message of the action with this id, taken by `seat`; None if no action has the id.
    fn action_message(&self, id: ActionId, seat: Seat, seats: Seats) -> Option<Any>;
    /// Reads the action of `seat` from a message; an error describes the fault.
    fn read_action(&self, message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String>;
}

/// The message methods of [`AnyView`](super::AnyView).
pub trait WireView {
    /// Returns the view as a message.
    fn message(&self) -> Any;
}

/// The message methods of [`AnyEvent`](super::AnyEvent).
pub trait WireEvent {
    /// Returns the message that `viewer` is told; None if the event is not visible to the viewer.
    fn message_for(&self, viewer: Viewer) -> Option<Any>;
}

impl<G: CatalogGame> WireRules for Rules<G> {
    fn message_names(&self) -> MessageNames {
        MessageNames {
            observation: G::Observation::full_name(),
            action: G::ActionMessage::full_name(),
            event: G::EventMessage::full_name(),
        }
    }

    fn action_message(&self, id: ActionId, seat: Seat, seats: Seats) -> Option<Any> {
        <G as Game>::Action::from_id(id).map(|action| any(&G::action(action, seat, seats)))
    }

    fn read_action(&self, message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String> {
        let expected = G::ActionMessage::full_name();
        if message.type_url.rsplit('/').next() != Some(&expected) {
            return Err(format!("expected an action as a message {expected}, got \"{}\"", message.type_url));
        }
        let read = G::ActionMessage::decode(&*message.value)
            .map_err(|_| format!("expected the bytes of a message {expected}, got bytes that do not decode"))?;
        G::read_action(&read, seat, seats).map(<G as Game>::Action::id)
    }
}

impl<G: CatalogGame> WireView for ErasedView<G> {
    fn message(&self) -> Any {
        any(&G::observation(&self.0))
    }
}

impl<G: CatalogGame> WireEvent for ErasedEvent<G> {
    fn message_for(&self, viewer: Viewer) -> Option<Any> {
        self.0.visible_to(viewer).map(|visible| any(&G::event(&visible)))
    }
}

/// Packs a message together with its name, in the form that the protobuf libraries of all languages expect.
fn any<M: Name>(message: &M) -> Any {
    Any { type_url: format!("type.googleapis.com/{}", M::full_name()), value: message.encode_to_vec() }
}

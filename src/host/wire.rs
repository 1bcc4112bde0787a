//! Typed messages of games with their type forgotten, as [`Any`].

use prost::{Message as _, Name};
use prost_types::Any;

use super::erased::{ErasedEvent, ErasedView, Rules};
use crate::core::{Action as _, ActionId, Event as _, Game, Seat, Seats, Viewer};
pub use crate::games::Wire as Listed;

/// The full names of a game's messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageNames {
    /// Of its observations.
    pub observation: String,
    /// Of its actions.
    pub action: String,
    /// Of its events.
    pub event: String,
}

/// Of [`AnyRules`](super::AnyRules), what has to do with messages.
pub trait WireRules {
    /// What its messages are called.
    fn message_names(&self) -> MessageNames;
    /// The action of this id as a message, taken by `seat`.
    fn action_message(&self, id: ActionId, seat: Seat, seats: Seats) -> Option<Any>;
    /// The action of `seat` that a message says; or what is wrong with it.
    fn read_action(&self, message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String>;
}

/// Of [`AnyView`](super::AnyView), what has to do with messages.
pub trait WireView {
    /// The view as a message.
    fn message(&self) -> Any;
}

/// Of [`AnyEvent`](super::AnyEvent), what has to do with messages.
pub trait WireEvent {
    /// What `viewer` is told of it, as a message.
    fn message_for(&self, viewer: Viewer) -> Option<Any>;
}

impl<G: Listed> WireRules for Rules<G> {
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
            return Err(format!("an action is a message {expected}, not \"{}\"", message.type_url));
        }
        let read =
            G::ActionMessage::decode(&*message.value).map_err(|_| format!("these bytes are no message {expected}"))?;
        G::read_action(&read, seat, seats).map(<G as Game>::Action::id)
    }
}

impl<G: Listed> WireView for ErasedView<G> {
    fn message(&self) -> Any {
        any(&G::observation(&self.0))
    }
}

impl<G: Listed> WireEvent for ErasedEvent<G> {
    fn message_for(&self, viewer: Viewer) -> Option<Any> {
        self.0.seen_by(viewer).map(|seen| any(&G::event(&seen)))
    }
}

/// The message with its name, in the way that every language's protobuf library expects.
fn any<M: Name>(message: &M) -> Any {
    Any { type_url: format!("type.googleapis.com/{}", M::full_name()), value: message.encode_to_vec() }
}

//! Typed messages of type-erased games, as [`Any`].
//!
//! A game without protos has messages of text: observations, actions, and events are `google.protobuf.StringValue`.

use std::fmt;

use ahu_core::{Action, ActionId, Event, Game, Seat, Seats};
pub use ahu_games::{Any, DataFile, Pack, Wire};
use prost::Name;

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

/// The conversions of a game: see [`Wire`].
pub(super) struct Messages<G: Game> {
    pub(super) names: fn() -> MessageNames,
    pub(super) observation: fn(&G::View) -> Any,
    pub(super) event: fn(&<G::Event as Event>::Visible) -> Any,
    pub(super) action: fn(G::Action, Seat, Seats) -> Any,
    pub(super) read_action: fn(&Any, Seat, Seats) -> Result<ActionId, String>,
    pub(super) data_files: fn() -> Vec<DataFile>,
    pub(super) data_files_of: fn(&G::Options) -> Vec<&'static str>,
}

impl<G: Game> fmt::Debug for Messages<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", (self.names)())
    }
}

impl<G: Wire> Messages<G> {
    /// Creates the conversions to the messages of the game's own protos.
    pub(super) const fn typed() -> Self {
        Self {
            names: || MessageNames {
                observation: G::Observation::full_name(),
                action: G::ActionMessage::full_name(),
                event: G::EventMessage::full_name(),
            },
            observation: |view| G::observation(view).packed(),
            event: |visible| G::event(visible).packed(),
            action: |action, seat, seats| G::action(action, seat, seats).packed(),
            read_action: |message, seat, seats| {
                G::read_action(&read::<G::ActionMessage>(message)?, seat, seats).map(Action::id)
            },
            data_files: G::data_files,
            data_files_of: G::data_files_of,
        }
    }
}

impl<G: Game> Messages<G> {
    /// Creates the conversions to messages of text.
    pub(super) const fn text() -> Self {
        Self {
            names: || {
                let name = String::full_name();
                MessageNames { observation: name.clone(), action: name.clone(), event: name }
            },
            observation: |view| view.to_string().packed(),
            event: |visible| visible.to_string().packed(),
            action: |action, _, _| action.to_string().packed(),
            read_action: |message, _, _| {
                let action = read::<String>(message)?.parse::<G::Action>();
                action.map(Action::id).map_err(|error| error.message.into_owned())
            },
            data_files: Vec::new,
            data_files_of: |_| Vec::new(),
        }
    }
}

/// Reads a message of this type; an error describes the fault.
fn read<M: Name + Default>(message: &Any) -> Result<M, String> {
    let expected = M::full_name();
    if message.type_url.rsplit('/').next() != Some(&expected) {
        return Err(format!("expected an action as a message {expected}, got \"{}\"", message.type_url));
    }
    M::decode(&*message.value)
        .map_err(|_| format!("expected the bytes of a message {expected}, got bytes that do not decode"))
}

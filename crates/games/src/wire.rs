//! Typed messages: the conversion of a game's views, actions, and events. Each game has a package of its own,
//! `ahu.<game>.v1`, and its conversions in `wire.rs`.

pub(crate) mod message;

use ahu_core::{Event, Game, Seat, Seats};
use prost::Name;
pub use prost_types::Any;

/// A message that can travel as [`Any`].
pub trait Pack {
    /// Packs the message together with its name, in the form that the protobuf libraries of all languages expect.
    fn packed(&self) -> Any;
}

impl<M: Name> Pack for M {
    fn packed(&self) -> Any {
        Any { type_url: format!("type.googleapis.com/{}", M::full_name()), value: self.encode_to_vec() }
    }
}

/// The data of components, such as an island or a deck.
///
/// Component data have no call of their own: a data file is part of the rules. The data under a name never change; other data
/// have another name, or belong to a new rules version. Files are made from the tables that the rules use, as typed messages
/// in the words of the observation, so that a client has one reader for both.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// The name of the file, such as `giants/v1`: the id of the game, a slash, and the word of the option that names the
    /// data.
    pub name: &'static str,
    /// The content, in a sentence, and whether it is a reconstruction.
    pub about: &'static str,
    /// The content, as a message of the game's package.
    pub content: Any,
}

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

    /// Returns the data of the components, from the tables that the rules use.
    fn data_files() -> Vec<DataFile>;

    /// Returns the names of the data files that a game with these options uses.
    fn data_files_of(options: &Self::Options) -> Vec<&'static str>;
}

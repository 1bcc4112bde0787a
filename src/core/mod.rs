//! What any game is: seats, turns, actions, luck, views, events, state bytes.
//!
//! Nothing in here knows a game, reads a file or a clock, or starts a thread.

mod action;
mod event;
mod game;
mod luck;
mod observation;
pub mod options;
pub mod parse;
mod seat;
mod state;
mod turn;

pub use action::{ACTIONS_MAX, Action, ActionGroup, ActionId, ActionSet};
pub use event::{Event, Events, NoEvents};
pub use game::{Game, GameExt, GameInfo, OutcomeError, PlayError, View, ranks_by};
pub use luck::{Luck, ORDER_MAX, Seed, Stream};
pub use observation::{Field, FieldKind, Layout, Sink, Tensor};
pub use options::{GameOptions, OptionError, OptionKind, OptionSpec};
pub use parse::ParseError;
pub use seat::{BySeat, Left, SEATS_MAX, Seat, SeatSet, Seats};
pub use state::{Fingerprint, StateBytes, hex};
pub use turn::{Turn, Viewer};

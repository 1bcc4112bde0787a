//! The definition of a game: seats, turns, actions, chance, views, events, state bytes; in [`parts`], what games share.
//!
//! **It must not know** any game: it uses no other crate of ours, reads no file and no clock, and starts no thread.
//!
//! **Tables declare what a game lists.** Actions, words, options, and observation fields are rows of tables (`actions!`,
//! `named!`, `numbered!`, `options!`, `fields!`). Ids, printing, parsing, the grammar in the catalog, and the sizes of
//! layouts follow, so an action stands in one place. A row names its variant as Rust code does, so that a search finds it.
//! Events, rules, and the code that writes an observation stay plain Rust: a table of them would read worse.

mod action;
mod action_features;
pub mod action_table;
pub mod action_words;
pub mod bytes;
mod chance;
mod event;
mod game;
pub mod numbered;
pub mod observation;
pub mod options;
pub mod parse;
pub mod parts;
mod policy;
mod seat;
mod state;
mod tensor;
mod turn;
mod view;

pub use action::{Action, ActionGroup, ActionId, ActionSet, MAX_ACTIONS};
pub use action_features::{ActionFeature, ActionFeatures};
pub use action_table::{Argument, ArgumentSpec, Role};
/// The bytes of views.
pub use borsh;
pub use bytes::ViewBytes;
pub use chance::{CHANCE_LABEL, ChanceRng, MAX_ORDER, Seed, Stream, labelled_keystream, portable_seed};
pub use event::{Event, Events, NoEvents, Told};
pub use game::{Game, GameExt, GameInfo, OutcomeError, PlayError, Resample, ensure};
pub use numbered::Numbered;
pub use observation::{BIT_BLOCK, Field, FieldKind, Layout, NUMBER_BLOCK, Sink};
pub use options::{GameOptions, OptionError, OptionKind, OptionSpec, OptionValue, SeatsAlone};
pub use parse::ParseError;
pub use parts::picture::Draw;
pub use policy::{Policy, any_best};
/// The random numbers of bots and of resampling.
pub use rand;
pub use seat::{BySeat, MAX_SEATS, RelativeSeat, Seat, SeatSet, Seats};
pub use state::{Fingerprint, StateBytes, hex};
pub use tensor::{Block, BlockBytes, Tensor};
pub use turn::{Turn, Viewer};
pub use view::{Ask, Compact, Describe, Encode, Tint, View, ranks_by};

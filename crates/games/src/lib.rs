//! The games. Each game has a folder. Outside it, a game has a proto file, tests, and one line each in this file,
//! `host/catalog.rs`, `crates/messages/build.rs`, `crates/messages/src/lib.rs`, and README.
//!
//! All games have the same files for the same things. `rapanui_cards` is the model of a small game, and `giants` the model of a
//! large game.
//!
//! * `mod.rs`: the front page: a table of the turn that names the file of each phase, the rules, the state, `impl Game`.
//! * `rules.md`: the rules in our own words: Goal, Setup, Turn, Scoring, Rulings (each with its reason), Glossary. It names
//!   no file, since `ahu rules` shows it. No text or picture of a rulebook.
//! * `options.rs`, `action.rs`: the tables `options!` and `actions!`; ids, texts, grammar, and sentences for people follow.
//! * `chance_outcome.rs`, `event.rs`: results of chance and their streams; events, and the part of each that a viewer is
//!   told.
//! * `table.rs`, `phase.rs`: the public part of the state; the point in the turn. Secrets stand beside them. Facts that
//!   nobody knows yet are no part of the state: chance draws them when they come to light.
//! * `state_bytes.rs`, `invariants.rs`: the state as bytes; what holds in every position.
//! * `conflict.rs`, …: a file for each noun of the rules; `final_scoring.rs` has the end. If file A uses file B, B does not
//!   use A.
//! * `view.rs`, `observation.rs`: what a viewer knows, and resampling; the table `fields!`. Build a view from the facts
//!   that the viewer may know; never remove secrets from a copy of the state.
//! * `text.rs`: `impl Describe`: the table for people, in lines of at most 80 characters and the words of the events ("seat 1
//!   places a Tribe Marker").
//! * `compact.rs`: `impl Compact`: the table for language models, and its legend: the facts of `text.rs` in few tokens.
//! * `wording.rs`: the words and signs that both tables share, and perhaps the picture.
//! * `question.rs`, `picture.rs`: `impl Ask`, the question for a decision, with prices and limits, and the elements of the
//!   picture that each action touches; `impl Draw`, the picture, readable at 400 pixels and without colours.
//! * `wire.rs`: conversions to the messages of `proto/ahu/<id>/v1/<id>.proto`, and the data files.
//! * `greedy.rs`: a fast `Policy` of rules of thumb, from what its seat is shown; searches play with it. A version plays
//!   the same for ever.
//!
//! Component data that the rulebook states goes into the code. Reconstructed data goes into data files beside the code, or into
//! options if it is a few words; `INFO.reconstructed` tells users about it. Changed data needs another name (`DataFile`).

pub mod giants;
pub mod rapanui_board;
pub mod rapanui_cards;
pub mod rappanui;
#[cfg(feature = "messages")]
mod wire;

#[cfg(feature = "messages")]
pub use wire::{Any, DataFile, Pack, Wire};

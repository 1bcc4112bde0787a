//! The host: plays any game without a network.
//!
//! This layer never waits, and no rule in it reads a clock. It knows games only from the list in the catalog.

mod any_game;
pub mod bench;
pub mod blocks;
mod bots;
mod catalog;
mod event_log;
mod log;
pub mod record;
mod referee;
mod reward;
pub mod statistics;
mod vector;
#[cfg_attr(not(feature = "service"), path = "untyped.rs")]
mod wire;

pub use any_game::{AnyEvent, AnyGame, AnyRules, AnyView, BotName, OptionInfo, Rules, SettleError, Setup};
pub use bots::{Bot, RANDOM};
pub use catalog::{GAMES, UnknownGame, find};
pub use event_log::event_log;
pub use log::{DecidedBy, Entry, LogError, MatchLog, MemoryLog};
pub use record::{MatchResult, Record, RecordError};
pub use referee::{Conduct, PlyEvent, Referee, StepError, StepOutcome};
pub use reward::RewardRule;
pub use vector::{
    AnyVectorEnv, Autoreset, BatchError, EnvConfig, EnvIndices, Episode, FinalSteps, Player, Rotation, RowSize, Rows,
    VectorEnv,
};
#[cfg(feature = "service")]
pub use wire::MessageNames;
pub use wire::{CatalogGame, WireEvent, WireRules, WireView};

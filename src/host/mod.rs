//! Any game, hosted: everything but the network.
//!
//! Nothing in here waits, reads a clock for a rule, or knows a game but the catalog's one list.

pub mod bench;
pub mod blocks;
mod bots;
mod catalog;
mod erased;
mod log;
pub mod record;
mod referee;
mod reward;
pub mod statistics;
mod told;
mod vector;
#[cfg_attr(not(feature = "service"), path = "untyped.rs")]
mod wire;

pub use bots::{Bot, RANDOM};
pub use catalog::{GAMES, UnknownGame, find};
pub use erased::{Agreed, AnyEvent, AnyGame, AnyRules, AnyView, BotName, OptionInfo, Rules, SettleError};
pub use log::{By, Entry, LogError, MatchLog, MemoryLog};
pub use record::{MatchResult, Record, RecordError};
pub use referee::{PlyEvent, Receipt, Referee, Refusal, Terms};
pub use reward::RewardRule;
pub use told::told;
pub use vector::{
    AnyVectorEnv, Arrangement, Autoreset, BatchError, Ends, Episode, Player, Rotation, RowSize, Rows, VectorEnv, Which,
};
#[cfg(feature = "service")]
pub use wire::MessageNames;
pub use wire::{Listed, WireEvent, WireRules, WireView};

//! The host: plays any game without a network.
//!
//! This layer never waits, and no rule in it reads a clock. It knows games only from the list in the catalog.

mod agreement;
mod any_game;
#[cfg(feature = "messages")]
pub mod api;
pub mod bench;
pub mod blocks;
mod bot_seed;
mod bots;
mod catalog;
mod clock;
mod conduct;
mod ensure;
mod event_log;
#[cfg(feature = "serde")]
pub mod files;
mod log;
mod planned_game;
mod player;
mod position;
pub mod ratings;
pub mod record;
mod referee;
mod replay;
mod reward;
mod rules;
mod rules_page;
pub mod search;
pub mod statistics;
mod trajectory;
#[cfg(feature = "messages")]
mod typed;
mod vector;
pub mod visible;

pub use crate::parts::svg::STYLE as PICTURE_STYLE;
pub use agreement::{Agreement, BotChoices, differs, verify_bots};
pub use any_game::{AnyEvent, AnyGame, AnyView, CatalogGame, SettleError};
pub use bot_seed::{BotRng, BotSeed};
pub use bots::{Bot, BotAnalysis, BotChoice, BotName, Method, RANDOM, STAND_IN};
pub use catalog::{GAMES, UnknownGame, find, searches};
pub use clock::{MAX_CONTROL, MatchTime, ThinkingTime, TimeControl};
pub use conduct::{Cause, Conduct, Consequence, Ending, MAX_REASON, Terms, check_reason};
pub use ensure::ensure;
pub use event_log::{event_lines, event_log};
pub use log::{DecidedBy, Entry};
pub use planned_game::PlannedGame;
pub use player::SeatPlayer;
pub use position::{EventList, Ply, Position, SettleRefusal};
pub use record::{MatchResult, Record, RecordError};
pub use referee::{BotAnswer, BotDecision, Draft, EntryError, PlyEvent, Referee, StepError, StepOutcome};
pub use replay::{Replay, Step, read_intact, verify, verify_digest};
pub use reward::RewardRule;
pub use rules::{AnyRules, AnySetup, OptionInfo, Rules, Setup};
pub use rules_page::{Topic, UnknownTopic, rules_about, rules_page, rules_topic, rules_topics};
pub use trajectory::{Trajectory, trajectories};
#[cfg(feature = "messages")]
pub use typed::{Any, DataFile, MessageNames};
pub use vector::{
    AnyVectorEnv, Autoreset, BatchError, COLUMNS, Column, Cores, EnvConfig, EnvIndices, Episode, FinalSteps, Player,
    Rotation, RowMemory, RowSize, Rows, TableForm, VectorEnv,
};

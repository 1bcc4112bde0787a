//! The host: plays any game without a network.
//!
//! This layer never waits, and no rule in it reads a clock. It knows games only from the list in the catalog.

mod agreement;
mod any_game;
#[cfg(feature = "messages")]
pub mod api;
pub mod blocks;
mod bot_seed;
mod bots;
mod catalog;
mod clock;
mod conduct;
mod ending;
mod entry;
#[cfg(feature = "serde")]
pub mod file_values;
pub mod nets;
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
pub mod speed;
pub mod statistics;
mod terms;
mod trajectory;
#[cfg(feature = "messages")]
mod typed;
mod vector;
mod verify;
pub mod visible_text;

pub use crate::parts::svg::{SEAT_STYLE, STYLE as PICTURE_STYLE};
pub use agreement::{Agreement, differs};
pub use any_game::{AnyEvent, AnyGame, AnyView, CatalogGame, RowPlaces, SettleError};
pub use bot_seed::{BotRng, BotSeed};
pub use bots::{Bot, BotAnalysis, BotChoice, BotName, Method, RANDOM, STAND_IN};
pub use catalog::{GAMES, UnknownGame, find, layout_hash, searches};
pub use clock::{MAX_CONTROL, MatchTime, ThinkingTime, TimeControl};
pub use conduct::{Cause, Conduct, Consequence};
pub use ending::{Ending, MAX_REASON, check_reason};
pub use entry::{DecidedBy, Entry};
pub use planned_game::PlannedGame;
pub use player::SeatPlayer;
pub use position::{EventList, Ply, Position, SettleRefusal};
pub use record::{MatchResult, Record, RecordError};
pub use referee::{BotAnswer, BotDecision, Draft, EntryError, PlyEvent, Referee, StepError, StepOutcome};
pub use replay::{Replay, Step, read_intact};
pub use reward::RewardRule;
pub use rules::{AnyRules, AnySetup, OptionInfo, Rules, Setup};
pub use rules_page::{Topic, UnknownTopic, rules_about, rules_page, rules_topic, rules_topics};
pub use terms::Terms;
pub use trajectory::{Trajectory, trajectories};
#[cfg(feature = "messages")]
pub use typed::{Any, DataFile, MessageNames};
pub use vector::{
    Advice, AnyVectorEnv, Autoreset, BatchError, COLUMNS, CatalogVectorEnv, Central, Column, Cores, EnvConfig,
    EnvIndices, Episode, FinalSteps, Look, Looked, NotRestored, Player, RolloutMemory, RolloutPlan, Rotation,
    RowMemory, RowSize, Rows, SavedEnvironment, VectorEnv, share_out,
};
pub use verify::{BotChoices, verify, verify_bots, verify_digest, verify_nets};

/// Returns an error if a condition does not hold.
pub fn ensure<E>(holds: bool, error: impl FnOnce() -> E) -> Result<(), E> {
    if holds { Ok(()) } else { Err(error()) }
}

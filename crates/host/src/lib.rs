//! The host: plays any game without a network.
//!
//! `catalog.rs` names the games. [`Referee`] plays a match: decisions, chance, clocks, faults, forfeits, bots, entries.
//! [`record`] writes and reads matches, and [`verify`] checks them. [`VectorEnv`] steps environments, and [`Position`] is
//! one game in the caller's hands. Bots, [`search`], and [`nets`] choose. `api` makes messages of all this, with the feature
//! `messages`, and `raster` pictures in pixels.
//!
//! **It must not know** the network, a file, or a runtime. It never waits, and no clock is in it, except in [`speed`] and in the
//! budget of a search: time is a value that the caller passes in. It knows games only from the list in the catalog.
//!
//! A game between two bots, from the deal to the end:
//!
//! ```
//! use ahu_core::{Seed, Viewer};
//! use ahu_host::{Conduct, Referee, SeatPlayer, find};
//!
//! let rules = find("rappanui").unwrap();
//! let setup = rules.configure(2, &[("combine_rule", "true")]).unwrap();
//! let players = ["greedy", "random"].map(|name| SeatPlayer::bot(rules.bot(name).unwrap()));
//!
//! let mut referee = Referee::new(setup, Seed(7), players.to_vec(), Conduct::default());
//! while let Some(due) = referee.due_bot() {
//!     let answer = due.choose(); // Any thread may do this work.
//!     referee.answer(answer);
//! }
//! println!("{}", referee.view(Viewer::Public).text());
//! assert_eq!(referee.result().unwrap().ranks.values(), [1, 2]);
//! ```

mod agreement;
mod any_game;
#[cfg(feature = "messages")]
pub mod api;
mod bot_seed;
mod bots;
mod catalog;
mod clock;
mod conduct;
mod cores;
mod ending;
mod entry;
#[cfg(feature = "serde")]
pub mod file_values;
pub mod nets;
pub mod outcome;
mod path_parts;
mod player;
mod position;
#[cfg(feature = "messages")]
pub mod raster;
pub mod record;
mod referee;
mod replay;
mod reward;
mod rules;
mod rules_page;
pub mod search;
pub mod speed;
mod terms;
mod trajectory;
#[cfg(feature = "messages")]
mod typed_message;
mod vector;
mod verify;
pub mod visible_text;

pub use ahu_core::parts::picture::{
    KIT as PICTURE_KIT, Layout as PictureLayout, SEAT_STYLE, STYLE as PICTURE_STYLE, Scene,
};

pub use agreement::{Agreement, differs};
pub use any_game::{AnyEvent, AnyGame, AnyView, SettleError};
pub use bot_seed::{BotRng, BotSeed};
pub use bots::{Bot, BotAnalysis, BotChoice, BotName, Method, RANDOM, STAND_IN};
pub use catalog::{GAMES, Games, NotRegistered, UnknownGame, find, layout_hash, searches};
pub use clock::{MAX_CONTROL, MatchTime, ThinkingTime, TimeControl, parse_time};
pub use conduct::{Cause, Conduct, Consequence};
pub use cores::{Cores, Helpers};
pub use ending::{Ending, MAX_REASON, check_reason};
pub use entry::{DecidedBy, Entry};
pub use path_parts::{check_file_name, check_match_id};
pub use player::SeatPlayer;
pub use position::{EventList, Ply, Position};
pub use record::{MatchResult, Record, RecordError, Transcript, forfeited_last};
pub use referee::{BotAnswer, BotDecision, Draft, EntryError, PlyEvent, Referee, StepError, StepOutcome, ToldEvent};
pub use replay::{Replay, Step, read_intact};
pub use reward::RewardRule;
pub use rules::{AnyRules, AnySetup, OptionInfo, Rules, Setup};
pub use rules_page::{Topic, UnknownTopic, rules_about, rules_page, rules_topic, rules_topics};
pub use terms::Terms;
pub use trajectory::{Trajectory, trajectories};
#[cfg(feature = "messages")]
pub use typed_message::{Any, DataFile, MessageNames, Pack, Wire};
pub use vector::{
    Advice, AnyVectorEnv, Autoreset, BatchError, COLUMNS, CatalogVectorEnv, Central, Column, EnvConfig, EnvIndices,
    Episode, FinalSteps, Look, Looked, NotRestored, Player, RolloutMemory, RolloutPlan, Rotation, RowMemory, RowMut,
    RowSize, Rows, SavedEnvironment, VectorEnv, write_positions,
};
pub use verify::{BotChoices, verify, verify_bots, verify_digest, verify_nets};

/// Returns an error if a condition does not hold.
pub fn ensure<E>(holds: bool, error: impl FnOnce() -> E) -> Result<(), E> {
    if holds { Ok(()) } else { Err(error()) }
}

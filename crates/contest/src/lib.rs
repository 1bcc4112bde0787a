//! Competitions on paper: which games are played, and what their results mean.
//!
//! * [`blocks`]: comparisons of players by blocks of games; [`statistics`]: their intervals and tests.
//! * [`ratings`]: the fit of ratings, crosstables, and what agents gain beside others.
//! * [`cup`]: the files, journals, draws, and standings of tournaments.
//! * [`suite`]: the files, reports, and checks of benchmarks.
//! * [`html`]: the frame of the pages of cups and reports.
//!
//! A game that is to be played has one type, [`PlannedGame`]. A run of many games, a duel or a benchmark, has a log of the games
//! that it started and kept, [`GamesLog`].
//!
//! **It must not know** how games are hosted: it opens no connection and starts no program, so a competition can be verified from
//! its folder.

pub mod blocks;
pub mod cup;
mod games_log;
pub mod html;
mod planned_game;
pub mod ratings;
pub mod statistics;
pub mod suite;

pub use games_log::GamesLog;
pub use planned_game::PlannedGame;

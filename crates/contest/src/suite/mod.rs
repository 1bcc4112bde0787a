//! Suites: benchmarks whose figures can be cited and checked.
//!
//! A suite is a file: cells, each with a game, seats, and opponents. A report says how an agent did on the suite, and its
//! records prove as much of the report as records can. Nothing here plays.
//!
//! **A report is its records.** A game with a record is played, and the figures of the report are a function of the records.
//! A log counts the games that the run has started, and so the games that it did not keep; it decides nothing. A record
//! alone does not prove who took an action, and weak opponents under strong names would be the cheapest forgery. So a
//! checker computes the choices of built-in opponents again: all choices of quick bots, and a random sample of the choices
//! of searches, because a weak search shows in a few of its choices.
//!
//! **Seeds.** Each game of a block has a seed of its own, so that agents may remember earlier games. All training runs play the
//! same games, so that two methods are compared block by block. An interval over several runs draws runs and then blocks, and
//! a block for all runs at once, because the runs share its luck.
//!
//! **Anchors are constants of the suite.** Anchors that were measured for each report would move with the luck of its games.
//! A report repeats the anchors, so that its figures, and the differences of two reports, can be checked and bounded without
//! the file of the suite.
//!
//! **Held-out opponents.** A cell may have opponents that nobody is to train against. A report with cells of both kinds has a
//! mean of each and their difference, the gap: how much of a score is a fit to known opponents.
//!
//! | file | content |
//! |---|---|
//! | `file.rs`, `v1.toml`, `v2.toml`, `v2-text.toml` | the file of a suite; the suites v1, v2, and that for language models |
//! | `language.rs` | the style in which language models are asked, and what their agents count |
//! | `prices.rs` | the prices of language models, a file of the user |
//! | `plan.rs` | the games of a suite: their seeds, seatings, and paths of records |
//! | `scores.rs` | the figures, from records |
//! | `interval.rs` | means of blocks with intervals, for several cells and training runs |
//! | `blocks_csv.rs` | `blocks.csv`, with a line for each block |
//! | `report.rs`, `report.schema.json` | the report, and its schema |
//! | `formats.rs` | reports as Markdown, as LaTeX, and as a page |
//! | `verify.rs` | the checks of records and figures |
//! | `compare.rs` | the comparison of two reports by their blocks |

pub mod blocks_csv;
mod compare;
mod file;
pub mod formats;
mod interval;
mod language;
mod plan;
mod prices;
mod report;
mod scores;
mod verify;

pub use compare::{CellDifference, Comparison};
pub use file::{Anchors, Suite, SuiteCell};
pub use interval::{Interval, REPLICATES, Values};
pub use language::{LanguageClaim, LanguageStyle};
pub use plan::{GamePlace, SuitePlan};
pub use prices::{ModelPrices, PriceFile};
pub use report::{
    AgentClaim, AgentKind, Aggregate, Budget, BudgetKind, CellReport, DecisionMs, FORMAT, LogClaim, MachineClaim,
    Manifest, RecordsClaim, Report, RunClaim, SCHEMA, SeedsClaim, SeedsKind, ServerClaim, Split, SuiteClaim, TimeClaim,
};
pub use scores::{BlockRow, PlayedRecord, Scores, timeless};
pub use verify::{check_alone, check_blocks, check_figures, check_log, check_record, plan_of};

//! Suites: benchmarks whose figures can be cited and checked.
//!
//! A suite is a file: cells of games, seats, and opponents. A report says how an agent did on it, and its records prove as
//! much of that as records can. Nothing here plays.
//!
//! | file | content |
//! |---|---|
//! | `file.rs`, `v1.toml` | the file of a suite, and the suite v1 |
//! | `plan.rs` | the games of a suite: seeds, seatings, places of records |
//! | `scores.rs` | the figures, from records |
//! | `interval.rs` | means of blocks with intervals, for several cells and training runs |
//! | `blocks_csv.rs` | the table with a line for each block |
//! | `report.rs`, `report.schema.json` | the report, and its schema |
//! | `formats.rs` | Markdown, LaTeX, and a page from reports alone |
//! | `check.rs` | the checks of records and figures |
//! | `compare.rs` | the comparison of two reports by their blocks |

pub mod blocks_csv;
mod check;
mod compare;
mod file;
pub mod formats;
mod interval;
mod plan;
mod report;
mod scores;

pub use check::{check_alone, check_blocks, check_figures, check_record, plan_of};
pub use compare::{CellDifference, Comparison};
pub use file::{Anchors, Suite, SuiteCell};
pub use interval::{Interval, REPLICATES, Values};
pub use plan::{GamePlace, Plan};
pub use report::{
    AgentClaim, AgentKind, Aggregate, Budget, BudgetKind, CellReport, DecisionMs, FORMAT, MachineClaim, Manifest,
    RecordsClaim, Report, RunClaim, SCHEMA, SeedsClaim, SeedsKind, ServerClaim, SuiteClaim, TimeClaim,
};
pub use scores::{BlockRow, PlayedRecord, Scores, timeless};

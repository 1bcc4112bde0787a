//! Ratings: the strengths of many agents from the blocks of a cup, and the statistics around them.
//!
//! Every result counts as the pairs within each game: two seats of different agents, of which one ranks before the
//! other, or they tie. Blocks are the unit of every statistic: intervals and tests draw whole blocks anew, so that luck
//! which the games of a block share costs no interval its promise. `tests/host/calibration/` holds all of them to their
//! promises.
//!
//! | file | content |
//! |---|---|
//! | `results.rs` | the pairs of each block: the input |
//! | `strengths.rs` | the fit of Bradley and Terry, its prior, and its covariance |
//! | `bootstrap.rs` | replicates, the same with any number of threads |
//! | `rating.rs` | ratings against an anchor, with intervals and ranges of ranks |
//! | `surplus.rs` | pairs won beyond those that ratings let expect, and their tests |
//! | `crosstable.rs` | the results of each two agents, and those that do not fit the ratings |
//! | `audit.rs` | agents that score better with another at the table |
//! | `plan.rs` | the difference that a cup can resolve, before it is played |

mod audit;
mod bootstrap;
mod crosstable;
mod plan;
mod rating;
mod results;
mod strengths;
mod surplus;

pub use audit::{Audit, Finding};
pub use bootstrap::{Bootstrap, draw};
pub use crosstable::{Crosstable, CrosstableCell, Intransitive};
pub use plan::{POWER, Plan};
pub use rating::{Rating, Ratings};
pub use results::{Results, ResultsError};
pub use strengths::{ELO, PRIOR_DEVIATION};

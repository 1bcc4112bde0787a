//! Ratings: the strengths of many agents from the blocks of a cup, and the statistics around them.
//!
//! Every result counts as the pairs within each game: two seats of different agents, where one seat ranks before the other,
//! or they tie. Blocks are the unit of every statistic: intervals and tests draw whole blocks anew, so that shared luck
//! within a block leaves every interval its promise. `tests/contest/calibration/` holds all of them to their promises.
//!
//! The model of Bradley and Terry knows ties, and tables of any size once a game counts as its pairs; under Plackett and
//! Luce's model of rankings it has the same strengths. Its likelihood takes pairs for independent. The pairs of a game and of
//! a block are not, so no interval uses the likelihood. Of the bootstraps over blocks, the studentized bootstrap in its
//! symmetric form holds its promise at ten blocks of one table; the percentile, the basic, and the bias-corrected intervals
//! are too short there. A weak prior holds ratings that the results leave open, and then the interval has no end on that
//! side.
//!
//! Tests of many pairs of agents are step-downs over the same replicates: Holm's own steps would need a hundred thousand
//! replicates for sixty agents. Holm corrects the differences in the crosstable, whose p-values are exact functions. Cycles take
//! random signs by block, since a draw of ten blocks with replacement says little about the blocks of two agents.
//!
//! | file | content |
//! |---|---|
//! | `results.rs` | the pairs of each block: the input |
//! | `strengths.rs` | the fit of Bradley and Terry, its prior, and its covariance |
//! | `bootstrap.rs` | replicates, the same with any number of threads |
//! | `rating.rs` | ratings against an anchor, with intervals and ranges of ranks |
//! | `season.rs` | the ratings of a ladder: one fit over all its games |
//! | `surplus.rs` | pairs won beyond the number that the ratings predict, and their tests |
//! | `crosstable.rs` | the results of every two agents, and results that do not fit the ratings |
//! | `influence.rs` | what each agent gained beside another, and the ratings did not expect |
//! | `resolution.rs` | the difference that a cup can resolve, before it is played |

mod bootstrap;
mod crosstable;
mod influence;
mod rating;
mod resolution;
mod results;
mod season;
mod strengths;
mod surplus;

pub use bootstrap::{Bootstrap, draw};
pub use crosstable::{Crosstable, CrosstableCell, Intransitive};
pub use influence::{Beside, Influence};
pub use rating::{Rating, Ratings};
pub use resolution::{POWER, Resolution};
pub use results::Results;
pub use season::{SeasonGames, SeasonRating, SeasonRatings};
pub use strengths::{ELO, PRIOR_DEVIATION};

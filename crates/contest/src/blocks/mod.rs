//! Blocks: the same table with its players permuted.
//!
//! The result of one game depends on the seating and on chance. In a block every player has every seat equally often,
//! with shared luck under the same chance, and the block counts as one sample.
//!
//! Blocks are the unit of every statistic, because the games of a block share their players and perhaps their luck. Blocks
//! enter in the order of their numbers, so that a table, and the end of a test, are the same with any number of games at
//! once. If a player takes several seats, equal seatings are played once: the balance stays, and a block is as short as it
//! can be. Intervals are Wilson's with the effective sample size, because block means have neither the variance of single
//! games nor a known variance. The test is the multinomial SPRT, because the normal SPRT trusts a variance of 0
//! (`host/statistics`). `tests/contest/calibration/` chose the constants.
//!
//! | file | content |
//! |---|---|
//! | `seatings.rs` | the seatings of a block, and the players of a table |
//! | `luck.rs` | the seed of each game |
//! | `game.rs` | the result of one game, as any host of games fills it, and a whole block |
//! | `assembly.rs` | games that have ended, until their block is whole |
//! | `shard.rs` | the blocks that one of several machines plays |
//! | `tally.rs` | blocks in the order of their numbers, and the test that stops them |
//! | `scoring.rs` | the values of one block: wins, pairs, points |
//! | `table.rs` | the results of all blocks, with intervals; `verdict.rs` in words |
//! | `times.rs` | the times of decisions |

mod assembly;
mod game;
mod luck;
mod scoring;
mod seatings;
mod shard;
mod table;
mod tally;
mod times;
mod verdict;

pub use assembly::Assembly;
pub use game::{Block, DecisionTime, GameOutcome, PlayedGame};
pub use luck::Luck;
pub use scoring::BlockMeans;
pub(super) use scoring::pair;
pub use seatings::{Design, Lineup, Seating};
pub use shard::BlockShard;
pub use table::{Measure, PlayerRow, Table};
pub use tally::{Entered, Tally};
pub use times::Times;
pub use verdict::{MIN_BLOCKS, PairVerdict};

//! Runs of many games that go on where they were interrupted: the folders of duels and benchmarks, and how shards become a whole.
//!
//! A run has a folder. It is played by one process at a time, and keeps each game when its result counts: a game of a benchmark
//! at its end, the games of a duel with their whole block. So a process that is killed loses no more than games and blocks in
//! progress, and the same command goes on.
//!
//! | file | content |
//! |---|---|
//! | `folder.rs` | the folder of a run: its claims, its lock, and its records |
//! | `games_log.rs` | `games.jsonl`: the games that were started and kept |
//! | `planned.rs` | the games that the Python package plays |
//! | `shards.rs` | the folders of all shards of a run, and the whole that they make |

mod folder;
mod games_log;
mod planned;
mod shards;

use std::time::SystemTime;

pub(crate) use folder::{Claims, Folder, OpenRun, RunFile};
pub(crate) use games_log::{NAME as GAMES_LOG, read as read_log};
pub(crate) use planned::planned_json;
pub(crate) use shards::{Shard, check_complete, check_count, merge, read_all};

use crate::time_of_day;

/// Returns the present time.
pub(crate) fn now() -> String {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    time_of_day(seconds)
}

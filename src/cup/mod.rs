//! Cups: tournaments that one file describes, and that anybody can check.
//!
//! A cup is a file (`cup.toml`) and a journal. The journal has everything that happened, one line for each event, and
//! each line seals those before it. The state of a cup is the fold of its journal, so a cup goes on where it was
//! interrupted, and a table is a function of the journal. Nothing here plays: the program that runs a cup asks the state
//! for games, and adds their results to the journal.
//!
//! | file | content |
//! |---|---|
//! | `file.rs` | the file: its keys and defaults; in `file/`, its checks, its agents, and its changes after the cup began |
//! | `toml_file.rs` | TOML whose errors name the line; suites use it too |
//! | `entrant.rs` | agents |
//! | `stage.rs` | stages |
//! | `draw.rs` | the tables of a round robin and of a gauntlet |
//! | `seeds.rs` | the seeds of all games, from the salt |
//! | `key_hashes.rs` | writes the hashes of agents' keys into the file |
//! | `journal.rs` | the events, the keys of games, and the lines that keep them |
//! | `game_result.rs` | the result of one game |
//! | `state.rs` | the state: the fold of the journal, and the games that are left |
//! | `due_event.rs` | the events that follow from the results: draws, ends of stages, the end of the cup |
//! | `standings.rs` | places in a group |
//! | `tiebreak.rs` | the rules that break ties |
//! | `rated_blocks.rs` | the blocks of a cup as the ratings read them |
//! | `report.rs` | ratings, crosstable, seats, and endings |
//! | `kingmaking.rs` | last moves that cost the mover and lift one other |
//! | `verify.rs` | the checks with which anybody can verify a cup |
//! | `test_cups.rs` | cups of bots that unit tests play |

mod draw;
mod due_event;
mod entrant;
mod file;
mod game_result;
mod journal;
mod key_hashes;
mod kingmaking;
mod rated_blocks;
mod report;
mod seeds;
mod stage;
mod standings;
mod state;
#[cfg(test)]
mod test_cups;
mod tiebreak;
mod toml_file;
mod verify;

pub use draw::{Draw, DrawError};
pub use entrant::{Entrant, Player};
pub use file::{Cup, FileConduct, Tournament};
pub use game_result::{Forfeit, GameResult};
pub use journal::{Event, GameKey, Journal, JournalError, Line, NewTable};
pub use key_hashes::{KeyHash, with_key_hashes};
pub use kingmaking::{Cost, Gift, GiftRate, Kingmaking, LastDecision, last_decisions};
pub use rated_blocks::RatedBlocks;
pub use report::{Endings, GameReport, Report, SeatReport};
pub use seeds::{Salt, SeedText};
pub use stage::{Kind, Stage};
pub use standings::{Standing, Standings};
pub use state::{AgentState, StageState, State, Status, TableState};
pub use tiebreak::Tiebreak;
pub use toml_file::FileError;
pub(crate) use toml_file::{Fault, TomlFile, at, ensure};
pub use verify::{RecordClaim, Verification, VerifyFault};

//! Cups: tournaments that one file describes, and that anybody can check.
//!
//! A cup is a file (`cup.toml`) and a journal. The journal has everything that happened, one line for each event, and
//! each line seals those before it. The state of a cup is the fold of its journal, so a cup goes on where it was
//! interrupted, and a table is a function of the journal. Nothing here plays: the program that runs a cup asks the state
//! for games, and adds their results to the journal.
//!
//! | file | content |
//! |---|---|
//! | `file.rs` | the file: its keys, their checks, and its changes after the begin |
//! | `places.rs` | the places of keys in a file, and the errors that name them; suites use them too |
//! | `entrant.rs` | agents |
//! | `stage.rs` | stages |
//! | `draw.rs` | the tables of a round robin and of a gauntlet |
//! | `seeds.rs` | the seeds of all games, from the salt |
//! | `keys.rs` | the hashes of keys in the file |
//! | `journal.rs` | the events, and the lines that keep them |
//! | `result.rs` | the result of one game |
//! | `state.rs` | the state: the fold of the journal, and the games that are left |
//! | `due.rs` | the events that follow from the results |
//! | `standings.rs` | places, with the rules that break ties |
//! | `rated.rs` | the blocks of a cup as the ratings read them |
//! | `report.rs` | ratings, crosstable, seats, and endings |
//! | `kingmaking.rs` | last moves that cost the mover and lift one other |
//! | `verify.rs` | the checks with which anybody can verify a cup |
//! | `played.rs` | cups of bots that tests play |

mod draw;
mod due;
mod entrant;
mod file;
mod journal;
mod keys;
mod kingmaking;
mod places;
#[cfg(test)]
mod played;
mod rated;
mod report;
mod result;
mod seeds;
mod stage;
mod standings;
mod state;
mod verify;

pub use draw::{Draw, DrawError};
pub use entrant::{Entrant, Player};
pub use file::{Cup, FileConduct, Tiebreak, Tournament};
pub use journal::{Event, Journal, JournalError, Line, NewTable, Place};
pub use keys::{NewKey, with_keys};
pub use kingmaking::{Cost, Gift, GiftRate, Kingmaking, LastDecision, last_decisions};
pub use places::FileError;
pub(crate) use places::{Fault, Places, at, ensure};
pub use rated::Rated;
pub use report::{Endings, GameReport, Report, SeatReport};
pub use result::{Forfeit, GameResult};
pub use seeds::{Salt, SeedText};
pub use stage::{Kind, Stage};
pub use standings::{Standing, Standings};
pub use state::{AgentState, StageState, State, Status, TableState};
pub use verify::{RecordClaim, Verification, VerifyFault};

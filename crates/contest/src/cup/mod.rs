//! Cups: tournaments that one file describes, and that anybody can check.
//!
//! A cup has a file (`cup.toml`) and a journal. The file says which agents play which game, and how they are ranked. The
//! journal has one line for each event, in the order in which they happened: tables are drawn, a match starts, a game ends,
//! an agent leaves, a stage closes. Nothing here plays. The program that runs a cup ([`State::open_games`],
//! [`State::planned`]) plays the games and appends their results.
//!
//! **The state is the fold of the journal.** [`State::after`] applies the events one after the other, and nothing else
//! changes a state. So a cup goes on where it was interrupted, a table is a function of the journal, and whoever has the
//! journal can compute both again. [`State::apply`] refuses an event that cannot follow the events before it.
//!
//! **Events that follow from results are computed.** [`State::next_event`] returns the next draw, the close of a stage, or the
//! end of the cup as soon as the results lead to it. It is a pure function of the state and the salt. The program appends the
//! event, and [`Verification`] compares it with the event that it computes itself. A draw depends on agents, tables, and
//! meetings alone, so a cup that is planned is the cup that is played.
//!
//! **Each game has a key and a seed.** A [`GameKey`] is the stage, the table, and the game at the table; lines of the journal
//! and paths of records name a game by it. The seed of a game is the HMAC of a text with its stage, rules, agents, and block
//! ([`SeedText`]) under the [`Salt`]. The hash of the salt is in the first line of the journal and the salt in the last, so
//! nobody knows a seed before play and everybody can check it afterwards. Neither an added agent nor the order of play moves
//! the seed of another game.
//!
//! **To add a rule that breaks ties**, add a variant to [`Tiebreak`] in `tiebreak.rs`, whose name in snake case is its name in
//! the file, and its arm in `order`: a figure of each agent in the tie, of which more is better. A new figure is a method of the
//! trait `Figures`, which `Tie` in `standings.rs` computes. If it needs a count of all games, add a field to [`Standing`], which
//! `Standing::count` adds up. A rule that needs further games also draws their tables (`State::extra_tables` in `next_event.rs`).
//! Then name the rule in `rule_name` (`src/cup/wording.rs`) and in `docs/organise/cup.md`.
//!
//! | file | content |
//! |---|---|
//! | `file.rs` | the file: its keys and defaults; in `file/`, its checks, its agents, and its changes after the cup began |
//! | `toml_file.rs` | TOML whose errors name the line; suites use it too |
//! | `entrant.rs` | agents, and whether they take part |
//! | `stage.rs` | stages |
//! | `table_draw.rs` | the tables of a round robin and of a gauntlet |
//! | `ladder/` | stages in which agents come and go |
//! | `account_calls.rs` | the calls of accounts for a ladder |
//! | `seeds.rs` | the salt, and the seeds of all games |
//! | `key_hashes.rs` | writes the hashes of agents' keys into the file |
//! | `linked_lines.rs` | lines of JSON in which a change is found; the logs of benchmarks use them too |
//! | `journal.rs` | the events, the keys of games, and the lines that keep them |
//! | `journal_copy.rs` | the copy of a journal on the server that hosts its cup |
//! | `game_result.rs` | the result of one game |
//! | `games.rs` | the games: their agents, their seeds, and what is needed to play them |
//! | `state.rs` | the state: the fold of the journal, and the games that are left |
//! | `annulment.rs` | games that the organiser takes back |
//! | `next_event.rs` | the next event, which follows from the results: a draw, the close of a stage, the end of the cup |
//! | `standings.rs` | the places in a group |
//! | `tiebreak.rs` | the rules that break ties |
//! | `rated_blocks.rs` | the blocks of a cup as the ratings read them |
//! | `report.rs` | ratings, crosstable, seats, and endings |
//! | `verify.rs` | the checks with which anybody can verify a cup |
//! | `record_claim.rs` | the claims of a journal about the record of a game |
//! | `public_salts.rs` | the salts that a journal makes public |
//! | `test_cups.rs` | cups of bots that unit tests play |

mod account_calls;
mod annulment;
mod entrant;
mod file;
mod game_result;
mod games;
mod journal;
mod journal_copy;
mod key_hashes;
mod ladder;
mod linked_lines;
mod next_event;
mod public_salts;
mod rated_blocks;
mod record_claim;
mod report;
mod seeds;
mod stage;
mod standings;
mod state;
mod table_draw;
#[cfg(test)]
mod test_cups;
mod tiebreak;
mod toml_file;
mod verify;

pub use entrant::{AgentState, Entrant, Player, Status};
pub use file::{Cup, FileConduct, Header};
pub use game_result::{Forfeit, GameResult};
pub use journal::{Event, GameKey, Journal, JournalError, Line, NewTable, now};
pub use journal_copy::JournalCopy;
pub use key_hashes::{KeyHash, with_key_hashes};
pub use ladder::{
    Account, CHAIN_DAYS, Contestant, Ladder, LadderRow, LadderRules, LadderTable, OpenGame, PlayedBefore, Position,
    RANKED, longest_game,
};
pub(crate) use linked_lines::{linked, unlinked, whole_lines};
pub use public_salts::PublicSalts;
pub use rated_blocks::RatedBlocks;
pub use record_claim::RecordClaim;
pub use report::{Endings, GameReport, Report, SeatReport};
pub use seeds::{Salt, SeedText};
pub use stage::{Kind, Stage};
pub use standings::{Standing, Standings};
pub use state::{AnnulledGame, StageState, State, TableState};
pub use table_draw::{Draw, DrawError};
pub use tiebreak::Tiebreak;
pub use toml_file::FileError;
pub(crate) use toml_file::{Fault, TomlFile, at, ensure};
pub use verify::{Verification, VerifyFault};

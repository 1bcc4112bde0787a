//! The journal: a file with a line of JSON for each event of a cup.
//!
//! Each line ends with a link: SHA-256 over the link of the line before and the line without its own link. So a reader that
//! knows the last link knows that no line was changed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::entrant::Entrant;
use super::game_result::GameResult;
use super::stage::Stage;
use ahu_engine::core::hex;

/// An event of a cup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The cup begins.
    Begin {
        /// The version of the journal's format.
        format: u32,
        /// The release of this program.
        release: String,
        /// The hash of the salt: see [`Salt::hash`](super::Salt::hash).
        salt_hash: String,
        /// The text of the file.
        file: String,
    },
    /// Tables were drawn.
    Draw {
        /// The number of the stage.
        stage: usize,
        /// True if the tables break ties.
        extra: bool,
        /// The new tables, which follow the tables that the stage has.
        tables: Vec<NewTable>,
    },
    /// A match began.
    Start {
        /// The key of the game.
        #[serde(flatten)]
        key: GameKey,
        /// The id of the match.
        #[serde(rename = "match")]
        match_id: String,
    },
    /// A game has ended.
    Result {
        /// The key of the game.
        #[serde(flatten)]
        key: GameKey,
        /// The result.
        #[serde(flatten)]
        result: GameResult,
    },
    /// An agent was added.
    Add {
        /// The agent.
        agent: Entrant,
    },
    /// An agent left the cup, and loses its games that have not been played.
    Withdraw {
        /// The name of the agent.
        agent: String,
        /// The reason, for people; None if nobody gave one.
        reason: Option<String>,
    },
    /// An agent came back, and plays its games that have not been played.
    Readmit {
        /// The name of the agent.
        agent: String,
    },
    /// An agent was excluded, and loses its games that have not been played.
    Disqualify {
        /// The name of the agent.
        agent: String,
        /// The reason, for people.
        reason: String,
    },
    /// A stage has ended.
    Close {
        /// The number of the stage.
        stage: usize,
        /// The names of the agents that advance, the first place first.
        advance: Vec<String>,
        /// The agents among these that a lot chose between equals.
        by_lot: Vec<String>,
    },
    /// The cup has ended.
    End {
        /// The salt, in hexadecimal digits.
        salt: String,
    },
}

/// A table of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTable {
    /// The number of the group.
    pub group: usize,
    /// The names of the agents. If there are fewer agents than seats, the last agent takes the remaining seats.
    pub agents: Vec<String>,
}

/// The key of a game: lines of the journal and paths of records name a game by it. Keys are ordered as games are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GameKey {
    /// The number of the stage, from 0.
    pub stage: usize,
    /// The number of the table in the stage, from 0.
    pub table: usize,
    /// The number of the game at the table, from 0.
    pub game: usize,
}

impl GameKey {
    /// Returns the name of the game for people, such as `groups/3.0`: the stage, the table, and the game.
    pub fn name(self, stage: &Stage) -> String {
        format!("{}/{}.{}", stage.name, self.table, self.game)
    }
}

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The time, as RFC 3339 writes it.
    pub at: String,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// The reason why a journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// A line is damaged: the file, the line from 1, and the fault.
    #[error("{}, line {}: {}", .0.display(), .1, .2)]
    Damaged(PathBuf, usize, String),
    /// Another process writes the journal.
    #[error("{}: another process runs this cup", .0.display())]
    InUse(PathBuf),
}

/// A journal that this process writes. A lock on the file keeps other processes from writing it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    link: String,
}

/// The link before the first line.
const FIRST_LINK: &str = "";
/// The beginning of a link in a line.
const LINK: &str = ",\"link\":\"";

impl Journal {
    /// Opens a journal, or creates it if it is missing. Returns it with its lines. Removes a last line without an end, which
    /// was cut off while it was written.
    pub fn open(path: &Path) -> Result<(Self, Vec<Line>), JournalError> {
        let fail = |error| JournalError::Io(path.to_owned(), error);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::InUse(path.to_owned()),
            TryLockError::Error(error) => fail(error),
        })?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(fail)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(fail)?;
            file.seek(io::SeekFrom::End(0)).map_err(fail)?;
        }
        let (lines, link) = parse(path, &text[..whole])?;
        Ok((Self { path: path.to_owned(), file, link }, lines))
    }

    /// Reads a journal that another process may be writing. Returns its lines and the last link.
    pub fn read(path: &Path) -> Result<(Vec<Line>, String), JournalError> {
        let text = std::fs::read_to_string(path).map_err(|error| JournalError::Io(path.to_owned(), error))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        parse(path, &text[..whole])
    }

    /// Appends an event with the time now. The line is on the disk when this returns.
    pub fn append(&mut self, event: Event) -> Result<Line, JournalError> {
        let line = Line { at: prost_types::Timestamp::from(whole_ms(SystemTime::now())).to_string(), event };
        let body = serde_json::to_string(&line).expect("an event has plain values");
        let new_link = link_after(&self.link, &body);
        let text = format!("{}{LINK}{new_link}\"}}\n", body.strip_suffix('}').expect("an event is an object"));
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| JournalError::Io(self.path.clone(), error))?;
        self.link = new_link;
        Ok(line)
    }
}

fn parse(path: &Path, text: &str) -> Result<(Vec<Line>, String), JournalError> {
    let mut link = FIRST_LINK.to_owned();
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let damaged = |fault: String| JournalError::Damaged(path.to_owned(), number, fault);
        let (body, own) = line
            .rsplit_once(LINK)
            .and_then(|(body, rest)| Some((format!("{body}}}"), rest.strip_suffix("\"}")?.to_owned())))
            .ok_or_else(|| damaged("expected a link at the end of the line".to_owned()))?;
        let expected = link_after(&link, &body);
        if own != expected {
            return Err(damaged(format!(
                "expected the link {expected}, got {own}: this line or one before it was changed"
            )));
        }
        lines.push(serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))?);
        link = own;
    }
    Ok((lines, link))
}

fn link_after(link: &str, body: &str) -> String {
    let digest = Sha256::new().chain_update(link).chain_update(body).finalize();
    hex(&<[u8; 32]>::from(digest))
}

fn whole_ms(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withdraw(agent: &str) -> Event {
        Event::Withdraw { agent: agent.to_owned(), reason: Some("{}".to_owned()) }
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let (mut journal, lines) = Journal::open(&path).expect("a new file");
        assert!(lines.is_empty());
        let entrant = Entrant {
            name: "moai".to_owned(),
            owner: None,
            is_anchor: false,
            player: crate::cup::Player::Bot { bot: "greedy".to_owned() },
        };
        let written: Vec<_> = [withdraw("a"), Event::Add { agent: entrant }, withdraw("b")]
            .into_iter()
            .map(|event| journal.append(event).expect("it is written"))
            .collect();
        assert!(matches!(Journal::open(&path), Err(JournalError::InUse(_))), "one writer at a time");
        assert_eq!(Journal::read(&path).expect("it is whole").0, written);
        drop(journal);
        // A line that was cut off is no line.
        let text = std::fs::read_to_string(&path).expect("a file");
        std::fs::write(&path, format!("{text}{{\"at\":\"20")).expect("a file");
        let (mut journal, lines) = Journal::open(&path).expect("it is whole but for the last line");
        assert_eq!(lines, written);
        journal.append(withdraw("c")).expect("it is written");
        assert_eq!(Journal::read(&path).expect("it is whole").0.len(), 4);
    }

    #[test]
    fn a_changed_line_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).expect("a new file");
        for agent in ["a", "b", "c"] {
            journal.append(withdraw(agent)).expect("it is written");
        }
        let text = std::fs::read_to_string(&path).expect("a file");
        std::fs::write(&path, text.replace("\"agent\":\"b\"", "\"agent\":\"d\"")).expect("a file");
        let error = Journal::read(&path).expect_err("line 2 was changed").to_string();
        assert!(error.contains("line 2: expected the link"), "{error}");
    }
}

//! The journal: a file with a line of JSON for each event of a cup.
//!
//! The lines are linked (`linked_lines.rs`), so a reader that knows the last link knows that no line was changed.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::entrant::Entrant;
use super::game_result::GameResult;
use super::linked_lines::{FIRST_LINK, linked, unlinked, whole_lines};
use super::stage::Stage;

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
        /// The secret of the aliases: see [`Salt::alias_secret`](super::Salt::alias_secret).
        alias_secret: String,
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
    /// The results of games were taken back. The games are played again, with other seeds.
    Annul {
        /// The number of the stage.
        stage: usize,
        /// The number of the table in the stage.
        table: usize,
        /// The number of the game at the table; None for all games of the table.
        game: Option<usize>,
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

    /// Returns the path of the record of a game that was annulled this number of times, relative to the folder of the cup.
    pub fn record_path(self, stage: &Stage, attempt: u64) -> PathBuf {
        let attempt = if attempt > 0 { format!("-{attempt}") } else { String::new() };
        let file = format!("{:05}-{:02}{attempt}.txt", self.table, self.game);
        Path::new("records").join(&stage.name).join(file)
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
    has_failed: bool,
}

impl Journal {
    /// Opens a journal, or creates it for its owner alone if it is missing: it tells who has which alias. Returns it with its
    /// lines. Removes a last line without an end, which was cut off while it was written.
    pub fn open(path: &Path) -> Result<(Self, Vec<Line>), JournalError> {
        let fail = |error| JournalError::Io(path.to_owned(), error);
        let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::InUse(path.to_owned()),
            TryLockError::Error(error) => fail(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fail)?;
        let (lines, link, length) = parse(path, &bytes)?;
        file.set_len(length as u64).map_err(fail)?;
        Ok((Self { path: path.to_owned(), file, link, has_failed: false }, lines))
    }

    /// Reads a journal that another process may be writing. Returns its lines and the last link.
    pub fn read(path: &Path) -> Result<(Vec<Line>, String), JournalError> {
        let bytes = std::fs::read(path).map_err(|error| JournalError::Io(path.to_owned(), error))?;
        parse(path, &bytes).map(|(lines, link, _)| (lines, link))
    }

    /// Appends an event with the time now. The line is on the disk when this returns. After an error, which may have left a
    /// part of a line, nothing is appended any more.
    pub fn append(&mut self, event: Event) -> Result<Line, JournalError> {
        let fail = |error| JournalError::Io(self.path.clone(), error);
        if self.has_failed {
            return Err(fail(io::Error::other("an earlier line could not be written")));
        }
        let line = Line { at: prost_types::Timestamp::from(whole_ms(SystemTime::now())).to_string(), event };
        let body = serde_json::to_string(&line).expect("an event has plain values");
        let (text, new_link) = linked(&self.link, &body);
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        self.has_failed = written.is_err();
        written.map_err(fail)?;
        self.link = new_link;
        Ok(line)
    }
}

/// A copy of a journal that a process elsewhere writes. Only whoever reads the copy checks its lines.
#[derive(Debug)]
pub struct JournalCopy {
    file: File,
    length: u64,
}

impl JournalCopy {
    /// Opens a copy, or creates it with its folder if it is missing. Nobody but the owner may read the file (mode 0600). A copy
    /// that is damaged, such as one that was being written when the machine lost its power, begins anew.
    pub fn open(path: &Path) -> io::Result<Self> {
        path.parent().map_or(Ok(()), |folder| DirBuilder::new().recursive(true).mode(0o700).create(folder))?;
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        let has_begun = Journal::read(path).is_ok_and(|(lines, _)| !lines.is_empty());
        let length = if has_begun { file.metadata()?.len() } else { 0 };
        file.set_len(length)?;
        Ok(Self { file, length })
    }

    /// Appends the part that follows the first `from` bytes of the journal; the part from 0 on replaces the copy. Returns the
    /// number of bytes that the copy has then. If `from` is another number than that before, nothing is appended.
    pub fn append(&mut self, from: u64, part: &[u8]) -> io::Result<u64> {
        if from != 0 && from != self.length {
            return Ok(self.length);
        }
        self.file.set_len(from)?;
        self.length = from;
        if let Err(error) = self.file.write_all(part) {
            // The part is sent again: leave no piece of it.
            self.file.set_len(from)?;
            return Err(error);
        }
        self.length += part.len() as u64;
        Ok(self.length)
    }
}

/// Parses the whole lines of a journal. Returns them with the last link and their length in bytes.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Vec<Line>, String, usize), JournalError> {
    let text = whole_lines(bytes).map_err(|(line, fault)| JournalError::Damaged(path.to_owned(), line, fault))?;
    let mut link = FIRST_LINK.to_owned();
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let damaged = |fault: String| JournalError::Damaged(path.to_owned(), number, fault);
        let (body, own) = unlinked(&link, line).map_err(damaged)?;
        lines.push(serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))?);
        link = own;
    }
    Ok((lines, link, text.len()))
}

fn whole_ms(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::entrant::Player;
    use super::super::state::State;
    use super::super::test_cups::{SALT, play, small as cup};
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
        let cut = format!("{text}{{\"at\":\"🗿").into_bytes();
        std::fs::write(&path, &cut[..cut.len() - 2]).expect("a file");
        assert_eq!(Journal::read(&path).expect("it is whole but for the last line").0, written);
        let (mut journal, lines) = Journal::open(&path).expect("it is whole but for the last line");
        assert_eq!(lines, written);
        journal.append(withdraw("c")).expect("it is written");
        assert_eq!(Journal::read(&path).expect("it is whole").0.len(), 4);
    }

    #[test]
    fn a_copy_takes_each_part_once_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("source.jsonl");
        let (mut journal, _) = Journal::open(&source).expect("a new file");
        for event in [crate::cup::State::begin("", &crate::cup::Salt([1; 32])), withdraw("a"), withdraw("b")] {
            journal.append(event).expect("it is written");
        }
        let journal = std::fs::read(&source).expect("a file");
        let path = folder.path().join("cups").join("copy.jsonl");
        let content = || std::fs::read(&path).expect("a file");
        let mut copy = JournalCopy::open(&path).expect("a new file");
        // A part may end within a line.
        let (first, rest) = journal.split_at(journal.len() - 10);
        let [cut, all] = [first.len(), journal.len()].map(|length| length as u64);
        assert_eq!(copy.append(7, first).expect("a gap is no error"), 0, "the first part is missing");
        assert_eq!(copy.append(0, first).expect("it follows"), cut);
        assert_eq!(copy.append(cut - 1, rest).expect("it is no error"), cut, "the part begins elsewhere");
        drop(copy);
        let mut copy = JournalCopy::open(&path).expect("it has whole lines and a part of one");
        assert_eq!(copy.append(cut, rest).expect("it follows"), all);
        assert_eq!(content(), journal);
        assert_eq!(copy.append(0, first).expect("it is the first part"), cut, "the copy begins anew");
        assert_eq!(content(), first);
        drop(copy);
        std::fs::write(&path, vec![0; 1000]).expect("a file");
        let mut copy = JournalCopy::open(&path).expect("it is damaged, and begins anew");
        assert_eq!(copy.append(all, rest).expect("it is no error"), 0);
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

    #[test]
    fn no_text_of_a_journal_leads_to_another_folder() {
        let mut state = State::after(&[State::begin(&cup(""), &SALT)]).expect("a file");
        let draw = state.next_event(&SALT).expect("there are tables").expect("a draw follows");
        state.apply(&draw).expect("it follows");
        let (key, before) = (GameKey { stage: 0, table: 0, game: 0 }, format!("{state:?}"));
        for id in ["../../../stolen", "", "0123456789abcdeF"] {
            let (result, _) = play(&state, &state.planned(key, &SALT));
            let result = GameResult { match_id: Some(id.to_owned()), ..result };
            for event in [Event::Start { key, match_id: id.to_owned() }, Event::Result { key, result }] {
                let error = state.apply(&event).expect_err("it is no id");
                assert!(error.starts_with("expected the id of a match"), "{error}");
            }
        }
        let player = |bot: &str| Player::Bot { bot: bot.to_owned() };
        for (name, player, expected) in [
            ("../../../stolen", player("random"), "expected a name of 1 to 32 letters"),
            ("nul", player("random"), "expected a name of 1 to 32 letters"),
            ("new", player("nobody"), "unknown bot"),
        ] {
            let agent = Entrant { name: name.to_owned(), player, ..state.agents[0].entrant.clone() };
            let error = state.apply(&Event::Add { agent }).expect_err("it cannot play");
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(format!("{state:?}"), before, "a refusal changes nothing");
    }
}

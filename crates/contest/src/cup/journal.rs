//! The journal: a file with a line of JSON for each event of a cup.
//!
//! The lines are linked (`linked_lines.rs`), so a reader that knows the last link knows that no line was changed.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::entrant::Entrant;
use super::file::time;
use super::game_result::GameResult;
use super::ladder::{Position, millis};
use super::linked_lines::{linked, unlinked};
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
    /// A chain of salts begins, and with the first one the ladder.
    Open {
        /// The number of the chain, from 0.
        chain: u64,
        /// SHA-256 of the salt of the first day of the chain, in hexadecimal digits.
        salt: String,
    },
    /// Agents elsewhere have come to wait for a seat of the ladder, or wait no longer.
    Waiting {
        /// The names of the agents that came.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        came: Vec<String>,
        /// The names of the agents that went.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<String>,
    },
    /// The salt of a day of the season is published.
    Salt {
        /// The day, from 0.
        day: u64,
        /// The salt, in hexadecimal digits.
        salt: String,
    },
    /// The ratings of a ladder that have moved.
    Ratings {
        /// The number of games from which they come.
        games: usize,
        /// The rating and half the width of its interval by agent, in Elo points.
        ratings: BTreeMap<String, [i32; 2]>,
    },
    /// The records of a day of the season are in an archive.
    Archive {
        /// The day, from 0.
        day: u64,
        /// SHA-256 of the archive, in hexadecimal digits.
        digest: String,
    },
    /// A call of an account was taken, in the order in which the server has them.
    Called {
        /// The number of the call, from 1.
        call: u64,
        /// The name of the account.
        account: String,
        /// The change that it led to; None if it was refused.
        change: Option<Box<Self>>,
        /// The reason why it was refused, for people; None if it was not.
        refusal: Option<String>,
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

impl Line {
    /// Returns the line of an event at a time in milliseconds since 1970.
    pub fn at(now: u64, event: Event) -> Self {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(now);
        Self { at: prost_types::Timestamp::from(time).to_string(), event }
    }

    /// Returns the line of an event now.
    pub fn now(event: Event) -> Self {
        Self::at(now(), event)
    }

    /// Returns the time in milliseconds since 1970; 0 if the text is no time.
    pub fn time(&self) -> u64 {
        time(&self.at).map_or(0, millis)
    }
}

/// Returns the time now in milliseconds since 1970.
pub fn now() -> u64 {
    millis(SystemTime::now())
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
    end: Position,
    has_failed: bool,
}

impl Journal {
    /// Locks a journal, or creates it for its owner alone if it is missing: it tells who has which alias. Nothing is appended
    /// before [`Self::resume`], unless it is empty.
    pub fn lock(path: &Path) -> Result<Self, JournalError> {
        let fail = |error| JournalError::Io(path.to_owned(), error);
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::InUse(path.to_owned()),
            TryLockError::Error(error) => fail(error),
        })?;
        Ok(Self { path: path.to_owned(), file, end: Position::default(), has_failed: false })
    }

    /// Goes on at the end that the journal had when it was read. Removes a last line without an end, which was cut off while it
    /// was written.
    pub fn resume(&mut self, end: Position) -> Result<(), JournalError> {
        self.file.set_len(end.length).map_err(|error| JournalError::Io(self.path.clone(), error))?;
        self.end = end;
        Ok(())
    }

    /// Reads a journal that another process may be writing. Returns its lines and the last link.
    pub fn read(path: &Path) -> Result<(Vec<Line>, String), JournalError> {
        let mut lines = Vec::new();
        let end = Self::read_from(path, &Position::default(), |line| {
            lines.push(line.clone());
            Ok(())
        })?;
        Ok((lines, end.link))
    }

    /// Calls `each` with each whole line from a position on, one after the other, so that a long journal takes no memory. Returns
    /// the position of the end.
    ///
    /// # Errors
    /// If the file cannot be read, a line is damaged, or `each` refuses one.
    pub fn read_from(
        path: &Path,
        from: &Position,
        mut each: impl FnMut(&Line) -> Result<(), String>,
    ) -> Result<Position, JournalError> {
        let fail = |error| JournalError::Io(path.to_owned(), error);
        let mut file = File::open(path).map_err(fail)?;
        if file.metadata().map_err(fail)?.len() < from.length {
            return Err(JournalError::Damaged(path.to_owned(), from.lines as usize, "expected more lines".to_owned()));
        }
        file.seek(SeekFrom::Start(from.length)).map_err(fail)?;
        let (mut reader, mut end, mut bytes) = (BufReader::with_capacity(1 << 16, file), from.clone(), Vec::new());
        loop {
            bytes.clear();
            reader.read_until(b'\n', &mut bytes).map_err(fail)?;
            // A last line without an end is being written, or was cut off, perhaps within a character.
            let Some(text) = bytes.strip_suffix(b"\n") else { return Ok(end) };
            let number = end.lines as usize + 1;
            let damaged = |fault: String| JournalError::Damaged(path.to_owned(), number, fault);
            let text = std::str::from_utf8(text).map_err(|_| damaged("expected UTF-8".to_owned()))?;
            let (body, link) = unlinked(&end.link, text).map_err(damaged)?;
            each(&serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))?).map_err(damaged)?;
            end = Position { length: end.length + bytes.len() as u64, lines: end.lines + 1, link };
        }
    }

    /// Returns the position of the end.
    pub fn end(&self) -> &Position {
        &self.end
    }

    /// Appends a line. It is on the disk when this returns. After an error, which may have left a part of a line, nothing is
    /// appended any more.
    pub fn append(&mut self, line: &Line) -> Result<(), JournalError> {
        let fail = |error| JournalError::Io(self.path.clone(), error);
        if self.has_failed {
            return Err(fail(io::Error::other("an earlier line could not be written")));
        }
        let body = serde_json::to_string(line).expect("an event has plain values");
        let (text, next) = linked(&self.end.link, &body);
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        self.has_failed = written.is_err();
        written.map_err(fail)?;
        self.end = Position { length: self.end.length + text.len() as u64, lines: self.end.lines + 1, link: next };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::entrant::Player;
    use super::super::state::State;
    use super::super::test_cups::{SALT, play, small as cup};
    use super::*;

    /// Opens a journal with its lines.
    fn open(path: &Path) -> Result<(Journal, Vec<Line>), JournalError> {
        let (mut journal, mut lines) = (Journal::lock(path)?, Vec::new());
        let end = Journal::read_from(path, &Position::default(), |line| {
            lines.push(line.clone());
            Ok(())
        })?;
        journal.resume(end)?;
        Ok((journal, lines))
    }

    fn append(journal: &mut Journal, event: Event) -> Line {
        let line = Line::now(event);
        journal.append(&line).expect("it is written");
        line
    }

    fn withdraw(agent: &str) -> Event {
        Event::Withdraw { agent: agent.to_owned(), reason: Some("{}".to_owned()) }
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let (mut journal, lines) = open(&path).expect("a new file");
        assert!(lines.is_empty());
        let entrant = Entrant {
            name: "moai".to_owned(),
            owner: None,
            is_anchor: false,
            player: crate::cup::Player::Bot { bot: "greedy".to_owned() },
        };
        let written: Vec<_> = [withdraw("a"), Event::Add { agent: entrant }, withdraw("b")]
            .into_iter()
            .map(|event| append(&mut journal, event))
            .collect();
        assert!(matches!(open(&path), Err(JournalError::InUse(_))), "one writer at a time");
        assert_eq!(Journal::read(&path).expect("it is whole but for a last line").0, written);
        drop(journal);
        // A line that was cut off is no line.
        let text = std::fs::read_to_string(&path).expect("a file");
        let cut = format!("{text}{{\"at\":\"🗿").into_bytes();
        std::fs::write(&path, &cut[..cut.len() - 2]).expect("a file");
        assert_eq!(Journal::read(&path).expect("it is whole but for a last line").0, written);
        let (mut journal, lines) = open(&path).expect("it is whole but for the last line");
        assert_eq!(lines, written);
        append(&mut journal, withdraw("c"));
        assert_eq!(Journal::read(&path).expect("it is whole").0.len(), 4);
    }

    #[test]
    fn a_changed_line_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = open(&path).expect("a new file");
        for agent in ["a", "b", "c"] {
            append(&mut journal, withdraw(agent));
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

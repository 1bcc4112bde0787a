//! The file of a cup, and the folder in which the cup is kept.
//!
//! | path | content |
//! |---|---|
//! | `journal.jsonl` | everything that happened |
//! | `salt` | the secret of all seeds; nobody may read it before the end |
//! | `ahu.db` | the matches |
//! | `records/` | the record of each game; of a ladder, an archive for each day |
//! | `journal.checkpoint` | the state of a long ladder, so that the journal opens quickly |
//! | `logs/` | the output of each command |
//! | `calls/` | the ledger of each language model |
//! | `inbox/` | changes for the process that runs the cup |

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use ahu_contest::cup::{Cup, Event, FileError, GameKey, Journal, JournalError, Position, Salt, State};
use ahu_service::limits::{FOLDER_WAIT, LOCK_TRIES};

use super::CupArguments;
use crate::CliError;
use crate::files::{create_private, key_file, text};

/// The file of a cup, and its folder.
pub(super) struct CupFolder {
    pub(super) file: PathBuf,
    pub(super) text: String,
    pub(super) cup: Cup,
    pub(super) data: PathBuf,
}

impl CupArguments {
    /// Reads the file of the cup.
    pub(super) fn read(&self) -> Result<CupFolder, CliError> {
        self.read_with(Cup::read)
    }

    /// Reads the file of a cup that may still have too few agents for its seats.
    pub(super) fn read_without_seats(&self) -> Result<CupFolder, CliError> {
        self.read_with(Cup::read_without_seats)
    }

    fn read_with(&self, read: impl FnOnce(&str) -> Result<Cup, FileError>) -> Result<CupFolder, CliError> {
        let file = self.file.clone();
        let text = text(&file)?;
        let cup = read(&text).map_err(|error| CliError::Usage(format!("{}: {error}", file.display())))?;
        let data = self.data.clone().unwrap_or_else(|| file.with_extension("data"));
        Ok(CupFolder { file, text, cup, data })
    }
}

/// A cup whose journal is open.
pub(super) struct OpenCup {
    pub(super) journal: Journal,
    pub(super) state: State,
    pub(super) salt: Salt,
    /// The event that begins the cup, if it has not begun: the caller appends it once nothing can be refused any more.
    pub(super) begin: Option<Event>,
}

impl CupFolder {
    /// Reads the file again.
    pub(super) fn read_again(&self) -> Result<Self, CliError> {
        CupArguments { file: self.file.clone(), data: Some(self.data.clone()) }.read()
    }

    fn lock(&self) -> Result<Journal, JournalError> {
        let deadline = Instant::now() + FOLDER_WAIT;
        loop {
            match Journal::lock(&self.journal()) {
                Err(JournalError::InUse(_)) if Instant::now() < deadline => thread::sleep(LOCK_TRIES),
                done => return done,
            }
        }
    }

    /// Opens the journal for this process alone.
    pub(super) fn open(&self) -> Result<OpenCup, CliError> {
        if !self.has_begun() {
            // Fail before anything is written.
            let wrong = |message| CliError::Usage(format!("{}: {message}", self.file.display()));
            State::drawn(&self.text).map_err(wrong)?;
        }
        create_private(&self.data)?;
        let mut journal = self.lock().map_err(CliError::failed)?;
        let has_begun = self.has_begun();
        let salt = if has_begun { self.salt()? } else { self.new_salt()? };
        let begin = (!has_begun).then(|| State::begin(&self.text, &salt));
        let state = if let Some(begin) = &begin {
            State::after([begin]).map_err(|message| self.wrong(&message))?
        } else {
            let (state, end) = self.read_journal()?;
            journal.resume(end).map_err(CliError::failed)?;
            state
        };
        if salt.hash() != state.salt_hash {
            let path = self.data.join("salt");
            return Err(CliError::Failed(format!(
                "{}: expected the salt with the hash {} that the journal has, got one with {}",
                path.display(),
                state.salt_hash,
                salt.hash()
            )));
        }
        Ok(OpenCup { journal, state, salt, begin })
    }

    /// Reads the state of a cup that has begun. Another process may be running it.
    pub(super) fn state(&self) -> Result<State, CliError> {
        if !self.has_begun() {
            return Err(CliError::Failed(format!(
                "expected a cup that has begun, got no journal in {}; `ahu cup run {}` begins it",
                self.data.display(),
                self.file.display()
            )));
        }
        Ok(self.read_journal()?.0)
    }

    pub(super) fn has_begun(&self) -> bool {
        // A run that was refused leaves an empty file.
        fs::metadata(self.journal()).is_ok_and(|file| file.len() > 0)
    }

    fn wrong(&self, message: &str) -> CliError {
        CliError::Failed(format!("{}: {message}", self.journal().display()))
    }

    /// Returns the state after the lines of the journal, which must belong to the same cup as the file, and the end of the
    /// journal.
    pub(super) fn read_journal(&self) -> Result<(State, Position), CliError> {
        let (state, end) = State::read(&self.journal()).map_err(CliError::failed)?;
        if state.cup.header.name != self.cup.header.name {
            return Err(CliError::Usage(format!(
                "expected the folder of \"{}\", got {}, which is that of \"{}\"; --data names another folder",
                self.cup.header.name,
                self.data.display(),
                state.cup.header.name
            )));
        }
        Ok((state, end))
    }

    /// Checks that the file has not changed since the cup began, except for added agents.
    pub(super) fn check_unchanged(&self, state: &State) -> Result<(), CliError> {
        let place = self.file.display().to_string();
        let changed = self.cup.check_unchanged(&state.cup, &self.text);
        changed.map_err(|error| CliError::Usage(format!("{place}: {error}").replace("FILE", &place)))
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.data.join("journal.jsonl")
    }

    pub(super) fn record(&self, state: &State, key: GameKey) -> PathBuf {
        self.data.join(record_path(state, key))
    }

    /// Returns the salt with which the cup begins: the salt that the organiser has put into the folder, or else a random salt,
    /// which it writes there.
    fn new_salt(&self) -> Result<Salt, CliError> {
        key_file::read_or_create(&self.data.join("salt"), || Salt::draw().to_hex())?;
        self.salt()
    }

    fn salt(&self) -> Result<Salt, CliError> {
        let path = self.data.join("salt");
        Salt::parse(text(&path)?.trim())
            .ok_or_else(|| CliError::Failed(format!("{}: expected 64 hexadecimal digits", path.display())))
    }
}

/// Returns the path of the record of a game, relative to the folder of its cup or of an export.
pub(super) fn record_path(state: &State, key: GameKey) -> PathBuf {
    key.record_path(&state.cup.stages[key.stage], state.attempt(key))
}

//! The folder of a run.
//!
//! | path | content |
//! |---|---|
//! | `run.json` | the claims that were known before the first game, and who plays |
//! | `games.jsonl` | the log of the games that were started and kept |
//! | the records | one file for each game that has ended |
//! | `logs/` | the output of programs |
//! | `salt`, `agent.key` | secrets, for the owner alone |
//!
//! A duel and a benchmark add files that they make from the records.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ahu_arena::News as _;
use ahu_contest::GamesLog;
use ahu_contest::blocks::BlockShard;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::games_log::LogFile;
use super::now;
use crate::files::{create_private, difference, key_file, replace, text};
use crate::terminal::progress::Progress;
use crate::{CliError, Done};

/// The names of the secrets, which may lie in a folder before its run begins.
const SECRETS: [&str; 2] = ["salt", "agent.key"];

/// The facts on which all processes of a run agree, and who plays at present.
pub(crate) trait Claims: Clone + Serialize + DeserializeOwned {
    /// The facts that may change when the run goes on, such as the machine.
    type Host: Clone + Serialize + DeserializeOwned;
    /// The option that names the folder.
    const OPTION: &'static str;
    /// The files that are made from the records once all games have ended.
    const REPORT: &'static [&'static str];
    /// True if each line of the log is on the disk before the game goes on.
    const IS_SYNCED: bool;

    /// Returns the number of blocks, which may grow when the run goes on; None for all that there are.
    fn blocks(&mut self) -> &mut Option<u64>;

    /// Returns the values that all shards of a run share.
    fn shared(run: &RunFile<Self>) -> Value {
        value(&run.claims)
    }
}

/// The file `run.json`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub(crate) struct RunFile<C: Claims> {
    /// The release that wrote the file. No other release has to read it.
    #[serde(default)]
    pub(crate) format: String,
    /// The claims that were known before the first game.
    pub(crate) claims: C,
    /// The time at which the first process began to play, by RFC 3339.
    pub(crate) started: String,
    /// The shard that is played; None for the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<BlockShard>,
    /// The facts about the last process.
    pub(crate) host: C::Host,
}

impl<C: Claims> RunFile<C> {
    pub(crate) fn new(claims: C, shard: Option<BlockShard>, host: C::Host) -> Self {
        let format = format!("private to ahu {}", env!("CARGO_PKG_VERSION"));
        Self { format, claims, started: now(), shard, host }
    }

    /// Returns the values that stay the same when the run goes on.
    fn compared(&self) -> Value {
        let mut claims = value(&self.claims);
        claims["shard"] = value(&self.shard);
        claims
    }
}

/// The folder of a run.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Begins a run in the folder, or goes on with it. A whole run may go on with more blocks. A run that has no record yet may
    /// be replaced by another; the log stays, and counts the games that the replaced run started.
    pub(crate) fn begin<C: Claims>(self, mut run: RunFile<C>) -> Result<OpenRun<C>, CliError> {
        let begun = self.run::<C>()?;
        if begun.is_none() {
            let has_files = fs::read_dir(&self.0).is_ok_and(|files| {
                files.flatten().any(|file| !SECRETS.contains(&&*file.file_name().to_string_lossy()))
            });
            if has_files {
                return Err(CliError::Usage(format!(
                    "{}: expected a new folder, or one of a run, got {}, which has other files",
                    C::OPTION,
                    self.0.display()
                )));
            }
            create_private(&self.0)?;
        }
        let lock = self.lock(C::OPTION)?;
        if let Some(mut begun) = begun {
            let (before, now) = (begun.claims.blocks().to_owned(), run.claims.blocks().to_owned());
            let grows = run.shard.is_none() && before.is_some_and(|before| now.is_none_or(|now| now > before));
            if grows {
                *begun.claims.blocks() = now;
            }
            match difference("", &begun.compared(), &run.compared()) {
                None => {
                    run.started = begun.started;
                    if grows {
                        // They are about fewer games.
                        C::REPORT.iter().try_for_each(|name| self.remove(name))?;
                    }
                }
                Some((key, before, now)) if self.has_records() => {
                    return Err(CliError::Usage(format!(
                        "expected the same {key} as when the run in {} began, {before}, got {now}; take another folder for \
                         another run",
                        self.0.display()
                    )));
                }
                Some(_) => {
                    let logs = self.0.join("logs");
                    if logs.exists() {
                        fs::remove_dir_all(&logs).map_err(CliError::cannot("write", &logs))?;
                    }
                }
            }
        }
        self.write("run.json", format!("{:#}\n", value(&run)))?;
        let log = LogFile::open(&self.0, C::IS_SYNCED)?;
        Ok(OpenRun { folder: self, file: run, log, _lock: lock })
    }

    /// Locks the folder, so that two processes do not play into it.
    fn lock(&self, option: &str) -> Result<File, CliError> {
        let lock = File::open(&self.0).map_err(CliError::cannot("write", &self.0))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(CliError::Usage(format!(
                "{option}: expected a folder of its own, got {}, in which another process plays",
                self.0.display()
            ))),
            // Any other error comes from a file system without locks.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(lock),
        }
    }

    /// Returns true if the folder has a file with an ending of records.
    pub(crate) fn has_records(&self) -> bool {
        let is_record = |path: PathBuf| path.extension().is_some_and(|ending| ending == "rec" || ending == "txt");
        files_below(&self.0, Path::new("")).any(is_record)
    }

    /// Reads `run.json`; None if the folder has no run.
    pub(crate) fn run<C: Claims>(&self) -> Result<Option<RunFile<C>>, CliError> {
        let path = self.0.join("run.json");
        let wrong = |error| CliError::Failed(format!("{}: {error}", path.display()));
        path.exists().then(|| serde_json::from_str(&text(&path)?).map_err(wrong)).transpose()
    }

    /// Reads the record of a game, which must be the one that the log keeps; None if there is none.
    pub(crate) fn record(&self, name: &Path, log: &GamesLog) -> Result<Option<Vec<u8>>, CliError> {
        let path = self.0.join(name);
        match fs::read(&path) {
            Ok(bytes) => log.check(&name.display().to_string(), &bytes).map(|()| Some(bytes)).map_err(|message| {
                CliError::Failed(format!("{}: {message}; delete it to play the game again", path.display()))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CliError::cannot("read", &path)(error)),
        }
    }

    /// Returns the files below `part` of the folder, relative to the folder, sorted.
    pub(crate) fn files(&self, part: &str) -> Vec<PathBuf> {
        let mut files: Vec<_> = files_below(&self.0, Path::new(part)).collect();
        files.sort();
        files
    }

    /// Writes a file in one step.
    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Done {
        let path = self.0.join(name);
        replace(&path, content).map_err(CliError::cannot("write", &path))
    }

    /// Removes a file, if there is one.
    pub(crate) fn remove(&self, name: impl AsRef<Path>) -> Done {
        let path = self.0.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(CliError::cannot("write", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Reads the secret in a file. If the file does not exist, writes the secret that `make` returns, for its owner alone.
    pub(crate) fn secret(&self, name: &str, make: impl FnOnce() -> String) -> Result<String, CliError> {
        create_private(&self.0)?;
        key_file::read_or_create(&self.0.join(name), make)
    }
}

/// A run in progress.
pub(crate) struct OpenRun<C: Claims> {
    pub(crate) folder: Folder,
    pub(crate) file: RunFile<C>,
    log: LogFile,
    _lock: File,
}

impl<C: Claims> OpenRun<C> {
    pub(crate) fn log(&self) -> &GamesLog {
        &self.log.log
    }

    /// Notes that a game starts. `record` is the path of its record in the folder.
    pub(crate) fn start(&mut self, record: &Path) -> Done {
        self.log.start(record)
    }

    /// Keeps the record of a game that was started. A process that is killed leaves no part of one.
    pub(crate) fn keep(&mut self, record: &Path, bytes: &[u8]) -> Done {
        // If the process is killed before the record is there, the game starts again.
        self.log.keep(record, bytes)?;
        self.write(record, bytes)
    }

    /// Enters the lines of the log of a shard of this run.
    pub(super) fn enter_log(&mut self, lines: &[u8]) -> Done {
        self.log.enter(lines)
    }

    pub(super) fn write(&self, record: &Path, bytes: &[u8]) -> Done {
        let path = self.folder.0.join(record);
        let parent = path.parent().unwrap_or(&self.folder.0);
        fs::create_dir_all(parent).map_err(CliError::cannot("write", parent))?;
        self.folder.write(record, bytes)
    }

    /// Reads the record of a game; None if none is kept.
    pub(crate) fn record(&self, name: &Path) -> Result<Option<Vec<u8>>, CliError> {
        self.folder.record(name, self.log())
    }

    /// Writes the facts about this process to `run.json`.
    pub(crate) fn set_host(&mut self, host: C::Host) -> Done {
        self.file.host = host;
        self.folder.write("run.json", format!("{:#}\n", value(&self.file)))
    }

    /// Says what an interrupted run keeps, and how it goes on.
    pub(crate) fn tell_kept(&self, kept: usize, all: usize) {
        let folder = self.folder.0.display();
        Progress::new().tell(&format!("{kept} of {all} games are kept in {folder}; the same command goes on"));
    }
}

/// Returns all files below `part` of a folder, relative to the folder.
fn files_below(folder: &Path, part: &Path) -> impl Iterator<Item = PathBuf> {
    let mut open = vec![part.to_owned()];
    let mut files = Vec::new();
    std::iter::from_fn(move || {
        while files.is_empty() {
            let part = open.pop()?;
            for entry in fs::read_dir(folder.join(&part)).into_iter().flatten().flatten() {
                let list = if entry.path().is_dir() { &mut open } else { &mut files };
                list.push(part.join(entry.file_name()));
            }
        }
        files.pop()
    })
}

pub(super) fn value(of: &impl Serialize) -> Value {
    // Structs of plain values always have a form in JSON.
    serde_json::to_value(of).unwrap_or_default()
}

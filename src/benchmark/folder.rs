//! The folder of a benchmark: a run in progress, and then its report.
//!
//! | path | content |
//! |---|---|
//! | `run.json` | the claims that were known before the first game; the number of a shard |
//! | `games.jsonl` | the log of the games that were started and kept |
//! | `records/CELL/RUN-BLOCK-GAME.rec` | the record of each game that has ended |
//! | `tokens.jsonl` | the work of a language model: a line for each game that ended |
//! | `report.json`, `blocks.csv` | the report, once all games have ended |
//! | `report.md`, `report.html` | the same for people, made from `report.json` |
//! | `logs/` | the output of the agent's programs |
//! | `salt`, `agent.key` | the secrets of an organiser with a remote agent |

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ahu_contest::blocks::BlockShard;
use ahu_contest::suite::{GamePlace, GamesLog, LanguageClaim, MachineClaim, Manifest, Plan, Report, ServerClaim};
use serde_json::Value;

use super::games_log;
use crate::CliError;
use crate::files::{create_private, difference, key_file, replace};

/// The folder of a benchmark.
pub(super) struct Folder(pub(super) PathBuf);

/// The file `run.json`.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFile {
    /// The claims that were known before the first game.
    pub(super) claims: Manifest,
    /// The time at which the first process began to play, by RFC 3339.
    pub(super) started: String,
    /// The shard that is played; None for the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<ShardRun>,
}

/// One shard of a run, and the facts of the report that the records do not have.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShardRun {
    pub(super) part: BlockShard,
    /// The program of the last process.
    pub(super) server: ServerClaim,
    /// The machine of the last process.
    pub(super) machine: MachineClaim,
}

impl RunFile {
    /// Returns the values that stay the same when the run goes on.
    fn compared(&self) -> Value {
        let mut claims = value(&self.claims);
        if let Some(shard) = &self.shard {
            claims["shard"] = value(&shard.part);
        }
        claims
    }
}

impl Folder {
    /// Begins a run in the folder, or goes on with it. A run that has no record yet may be replaced by another; the log
    /// stays, and counts the games that the replaced run started. Returns the time at which the run began, and the file that
    /// holds the lock of the folder until it is dropped.
    pub(super) fn begin(
        &self,
        claims: &Manifest,
        shard: Option<&ShardRun>,
        now: String,
    ) -> Result<(String, File), CliError> {
        let path = self.0.join("run.json");
        if !path.exists() {
            let has_files = fs::read_dir(&self.0).is_ok_and(|files| {
                files.flatten().any(|file| !["salt", "agent.key"].contains(&&*file.file_name().to_string_lossy()))
            });
            if has_files {
                return Err(CliError::Usage(format!(
                    "--out: expected a new folder, or one of a run, got {}, which has other files",
                    self.0.display()
                )));
            }
            create_private(&self.0)?;
        }
        let lock = self.lock()?;
        let mut run = RunFile { claims: claims.clone(), started: now, shard: shard.cloned() };
        if path.exists() {
            let begun: RunFile = read(&path)?;
            let Some(difference) = difference("", &begun.compared(), &run.compared()) else {
                // A shard may go on with another machine.
                run.started = begun.started;
                write(&path, format!("{:#}\n", value(&run)).as_bytes())?;
                return Ok((run.started, lock));
            };
            if self.has_records() {
                return Err(CliError::Usage(self.refusal(&begun.claims, difference)));
            }
            let logs = self.0.join("logs");
            if logs.exists() {
                fs::remove_dir_all(&logs).map_err(CliError::cannot("write", &logs))?;
            }
        }
        write(&path, format!("{:#}\n", value(&run)).as_bytes())?;
        Ok((run.started, lock))
    }

    /// Locks the folder, so that two processes do not play into it.
    fn lock(&self) -> Result<File, CliError> {
        let lock = File::open(&self.0).map_err(CliError::cannot("write", &self.0))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(CliError::Usage(format!(
                "--out: expected a folder of its own, got {}, in which another process plays",
                self.0.display()
            ))),
            // Any other error comes from a file system without locks.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(lock),
        }
    }

    /// Describes how the claims of a run differ from those of the run in the folder, and what to do.
    fn refusal(&self, begun: &Manifest, (key, before, now): (String, String, String)) -> String {
        let folder = self.0.display();
        let expected = format!("expected the same {key} as when the run in {folder} began, {before}, got {now}");
        if key != "suite.first" {
            return format!("{expected}; take another folder for another run");
        }
        let again = begun.suite.first.map_or_else(
            || "neither --first nor --quick goes on with it".to_owned(),
            |first| format!("--first {first} goes on with it"),
        );
        format!("{expected}: {again}; take another folder for another number of blocks")
    }

    /// Returns the work of a language model in all games that ended; None if no such agent has played.
    pub(super) fn language(&self) -> Result<Option<LanguageClaim>, CliError> {
        let path = self.0.join("tokens.jsonl");
        match fs::read_to_string(&path) {
            Ok(lines) => {
                LanguageClaim::sum(&lines).map_err(|message| CliError::Failed(format!("{}: {message}", path.display())))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CliError::cannot("read", &path)(error)),
        }
    }

    /// Returns true if the folder has a record.
    pub(super) fn has_records(&self) -> bool {
        files_below(&self.0, Path::new("records")).next().is_some()
    }

    /// Returns the games that have no record. Each record must be the one that the log keeps.
    pub(super) fn missing(&self, plan: &Plan, log: &GamesLog) -> Result<Vec<GamePlace>, CliError> {
        let mut missing = Vec::new();
        for place in plan.games() {
            let path = self.record(plan, place);
            match fs::read(&path) {
                Ok(bytes) => log.check(&games_log::name(plan, place), &bytes).map_err(|message| {
                    CliError::Failed(format!("{}: {message}; delete it to play the game again", path.display()))
                })?,
                Err(error) if error.kind() == ErrorKind::NotFound => missing.push(place),
                Err(error) => return Err(CliError::cannot("read", &path)(error)),
            }
        }
        Ok(missing)
    }

    pub(super) fn record(&self, plan: &Plan, place: GamePlace) -> PathBuf {
        self.0.join(place.record(&plan.suite))
    }

    /// Writes a record. A process that is killed leaves no part of one.
    pub(super) fn keep(&self, plan: &Plan, place: GamePlace, bytes: &[u8]) -> Result<(), CliError> {
        let path = self.record(plan, place);
        let parent = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(parent).map_err(CliError::cannot("write", parent))?;
        write(&path, bytes)
    }

    /// Returns the files in `records/` that belong to no game of the plan, sorted.
    pub(super) fn surplus(&self, plan: &Plan) -> Vec<PathBuf> {
        let expected: BTreeSet<_> = plan.games().map(|place| place.record(&plan.suite)).collect();
        let mut found: Vec<_> =
            files_below(&self.0, Path::new("records")).filter(|path| !expected.contains(path)).collect();
        found.sort();
        found
    }

    /// Reads `run.json`.
    pub(super) fn run(&self) -> Result<RunFile, CliError> {
        read(&self.0.join("run.json"))
    }

    /// Reads `report.json`.
    pub(super) fn report(&self) -> Result<Report, CliError> {
        let path = self.0.join("report.json");
        if !path.exists() && self.0.join("run.json").exists() {
            return Err(CliError::Failed(format!(
                "expected a report in {}, got a run that has not ended; `ahu benchmark run` with the same arguments ends it",
                self.0.display()
            )));
        }
        let text = text(&path)?;
        Report::read(&text).map_err(|message| CliError::Failed(format!("{}: {message}", path.display())))
    }

    /// Reads `blocks.csv`.
    pub(super) fn blocks(&self) -> Result<String, CliError> {
        text(&self.0.join("blocks.csv"))
    }

    /// Writes a file in one step.
    pub(super) fn write(&self, name: &str, content: &str) -> Result<(), CliError> {
        write(&self.0.join(name), content.as_bytes())
    }

    /// Reads the secret in a file. If the file does not exist, writes the secret that `make` returns, for its owner alone.
    pub(super) fn secret(&self, name: &str, make: impl FnOnce() -> String) -> Result<String, CliError> {
        let path = self.0.join(name);
        if !path.exists() {
            create_private(&self.0)?;
            key_file::write(&path, &make(), false).map_err(CliError::cannot("write", &path))?;
        }
        Ok(text(&path)?.trim().to_owned())
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

/// Reads a text file.
pub(super) fn text(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path).map_err(CliError::cannot("read", path))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, CliError> {
    let wrong = |error| CliError::Failed(format!("{}: {error}", path.display()));
    serde_json::from_str(&text(path)?).map_err(wrong)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    replace(path, bytes).map_err(CliError::cannot("write", path))
}

fn value(of: &impl serde::Serialize) -> Value {
    // Structs of plain values always have a form in JSON.
    serde_json::to_value(of).unwrap_or_default()
}

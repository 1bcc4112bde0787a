//! The files that a benchmark adds to the folder of its run.
//!
//! | path | content |
//! |---|---|
//! | `records/CELL/RUN-BLOCK-GAME.rec` | the record of each game that has ended |
//! | `calls.jsonl` | the calls of a language model: a line each, also those of games that were interrupted |
//! | `report.json`, `blocks.csv` | the report, once all games have ended |
//! | `report.md`, `report.html` | the same for people, made from `report.json` |

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use ahu_contest::suite::{LanguageClaim, MachineClaim, Manifest, Report, ServerClaim, SuitePlan};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::CliError;
use crate::files::text;
use crate::runs::{Claims, Folder, RunFile};

/// The facts of the report that the records do not have.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Host {
    /// The program of the last process.
    pub(super) server: ServerClaim,
    /// The machine of the last process.
    pub(super) machine: MachineClaim,
}

impl Claims for Manifest {
    type Host = Host;
    const OPTION: &'static str = "--out";
    const REPORT: &'static [&'static str] = &["report.json", "blocks.csv", "report.md", "report.html"];
    const IS_SYNCED: bool = true;

    fn blocks(&mut self) -> &mut Option<u64> {
        &mut self.suite.first
    }

    fn shared(run: &RunFile<Self>) -> Value {
        json!({"claims": run.claims, "server": run.host.server})
    }
}

/// The file with the calls of a language model.
pub(super) const CALLS: &str = "calls.jsonl";

/// Returns the calls of a language model; empty if no such agent has played.
pub(super) fn calls(folder: &Folder) -> Result<Vec<u8>, CliError> {
    let path = folder.0.join(CALLS);
    if path.exists() { fs::read(&path).map_err(CliError::cannot("read", &path)) } else { Ok(Vec::new()) }
}

/// Returns the work of a language model in each cell; empty if no such agent has played.
pub(super) fn language(folder: &Folder) -> Result<Vec<LanguageClaim>, CliError> {
    let wrong = |message: String| CliError::Failed(format!("{}: {message}", folder.0.join(CALLS).display()));
    LanguageClaim::of_calls(&calls(folder)?).map_err(wrong)
}

/// Returns the files in `records/` that belong to no game of the plan, sorted.
pub(super) fn surplus(folder: &Folder, plan: &SuitePlan) -> Vec<PathBuf> {
    let expected: BTreeSet<_> = plan.games().map(|place| place.record(&plan.suite)).collect();
    folder.files("records").into_iter().filter(|path| !expected.contains(path)).collect()
}

/// Reads `report.json`.
pub(super) fn report(folder: &Folder) -> Result<Report, CliError> {
    let path = folder.0.join("report.json");
    if !path.exists() && folder.0.join("run.json").exists() {
        return Err(CliError::Failed(format!(
            "expected a report in {}, got a run that has not ended; `ahu benchmark run` with the same arguments ends it",
            folder.0.display()
        )));
    }
    Report::read(&text(&path)?).map_err(|message| CliError::Failed(format!("{}: {message}", path.display())))
}

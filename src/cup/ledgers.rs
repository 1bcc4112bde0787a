//! The ledgers of the language models of a cup: what their programs tell of their calls. Nothing proves it.

use std::fs;
use std::path::{Path, PathBuf};

use ahu_contest::cup::State;
use ahu_contest::suite::LanguageClaim;
use ahu_host::visible_text::shown;
use serde_json::{Value, json};

use crate::CliError;
use crate::files::create_private;

/// The folder of the ledgers in the folder of a cup.
const FOLDER: &str = "calls";

/// The heads of the columns of the work of language models.
pub(super) fn heads() -> Vec<&'static str> {
    LanguageClaim::COLUMNS.iter().map(|(head, _)| if *head == "cell" { "agent" } else { head }).collect()
}

/// Returns the cells of the work of a language model.
pub(super) fn cells(claim: &LanguageClaim) -> Vec<String> {
    LanguageClaim::COLUMNS.iter().map(|(_, value)| shown(&value(claim))).collect()
}

fn path(data: &Path, agent: &str) -> PathBuf {
    data.join(FOLDER).join(format!("{agent}.jsonl"))
}

/// Creates the folder of the ledgers. Returns the whole path of the ledger of an agent, which its program gets as `AHU_LEDGER`.
pub(super) fn create(data: &Path, agent: &str) -> Result<PathBuf, CliError> {
    create_private(&data.join(FOLDER))?;
    std::path::absolute(path(data, agent)).map_err(CliError::failed)
}

/// Reads the ledgers in the folder of a cup. The cell of each claim is its agent. A file that is no ledger counts as a claim
/// without calls: no program can hide the table.
pub(super) fn read(data: &Path, state: &State) -> Vec<LanguageClaim> {
    let mut claims = Vec::new();
    for agent in (0..state.agents.len()).map(|agent| state.name(agent)) {
        let path = path(data, agent);
        let Ok(kind) = path.symlink_metadata() else { continue };
        // A pipe would be read for ever.
        let bytes = kind.is_file().then(|| fs::read(&path).ok()).flatten();
        let unread = || vec![LanguageClaim { style: "no ledger".to_owned(), ..LanguageClaim::default() }];
        let own = bytes.and_then(|bytes| LanguageClaim::of_calls(&bytes).ok()).unwrap_or_else(unread);
        claims.extend(own.into_iter().map(|claim| LanguageClaim { cell: agent.to_owned(), ..claim }));
    }
    claims
}

/// Returns the claims for the table in JSON.
pub(super) fn as_json(claims: &[LanguageClaim]) -> Vec<Value> {
    let with_agent = |claim: &LanguageClaim| {
        let mut value = json!(claim);
        if let Some(fields) = value.as_object_mut() {
            let agent = fields.remove("cell").unwrap_or_default();
            fields.insert("agent".to_owned(), agent);
        }
        value
    };
    claims.iter().map(with_agent).collect()
}

/// Returns the claims in the table of an export, which follow from no other file.
pub(super) fn of_export(folder: &Path) -> Vec<LanguageClaim> {
    let table = fs::read(folder.join("table.json")).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    table.and_then(|mut table| serde_json::from_value(table.get_mut("language")?.take()).ok()).unwrap_or_default()
}

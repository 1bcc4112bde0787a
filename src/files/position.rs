//! Positions: points of records with the actions that an agent should choose there, or should not. A file of positions has a
//! line of JSON for each.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{relative, text};
use crate::{CliError, Done};

/// A position, with the expected choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    /// The path of the record, relative to the folder of the file of positions.
    pub(crate) record: PathBuf,
    /// The ply that the decision made, from 1.
    pub(crate) ply: u32,
    /// The seat that decides; None for the seat that made the ply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seat: Option<usize>,
    /// The texts of the actions that are right; empty if all are that `none_of` does not name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) one_of: Vec<String>,
    /// The texts of the actions that are wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) none_of: Vec<String>,
    /// A text for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

/// Reads a file of positions. Returns each with the number of its line, and the path of its record from here. If `is_answered`,
/// each must say which actions are right or wrong.
pub(crate) fn read(path: &Path, is_answered: bool) -> Result<Vec<(usize, PathBuf, Position)>, CliError> {
    let text = text(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut positions = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |message: String| CliError::Usage(format!("{}, line {number}: {message}", path.display()));
        let position: Position = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if is_answered && position.one_of.is_empty() == position.none_of.is_empty() {
            return Err(wrong("expected either one_of or none_of, each with texts of actions".to_owned()));
        }
        positions.push((number, folder.join(&position.record), position));
    }
    match positions.is_empty() {
        true => Err(CliError::Usage(format!("{}: expected a position in each line, got none", path.display()))),
        false => Ok(positions),
    }
}

/// Appends positions to a file, which is made if it is missing. The paths of their records lead from here.
pub(crate) fn append(path: &Path, positions: Vec<Position>) -> Done {
    let cannot = CliError::cannot("write", path);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let from = parent.canonicalize().map_err(CliError::cannot("find", parent))?;
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).map_err(cannot)?;
    for mut position in positions {
        let record = position.record.canonicalize().map_err(CliError::cannot("find", &position.record))?;
        position.record = relative(&from, &record);
        let line = serde_json::to_string(&position).expect("a position has plain values");
        writeln!(file, "{line}").map_err(cannot)?;
    }
    Ok(())
}

//! The suite of a command.

use std::fs;
use std::path::Path;

use ahu::suite::Suite;

use crate::cli::CliError;

/// Returns the suite of this name, or of this file.
pub(super) fn suite(name: &str) -> Result<Suite, CliError> {
    if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
        return Suite::named(name).map_err(CliError::Usage);
    }
    let text = fs::read_to_string(name).map_err(|error| CliError::Failed(format!("cannot read {name}: {error}")))?;
    Suite::read(&text).map_err(|message| CliError::Usage(format!("{name}: {message}")))
}

//! New folders, and files that are replaced at once.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use crate::cli::CliError;

/// Creates a folder that must be new or empty.
pub(in crate::cli) fn create_empty(option: &str, folder: &Path) -> Result<(), CliError> {
    let cannot = CliError::cannot("write", folder);
    fs::create_dir_all(folder).map_err(cannot)?;
    match fs::read_dir(folder).map_err(cannot)?.next() {
        None => Ok(()),
        Some(_) => Err(CliError::Usage(format!(
            "{option}: expected a new or empty folder, got {}, which has files",
            folder.display()
        ))),
    }
}

/// Creates a folder that its owner alone may read.
pub(in crate::cli) fn create_private(folder: &Path) -> Result<(), CliError> {
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(CliError::cannot("create", folder))
}

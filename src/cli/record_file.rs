//! The file of the record of a match that this program plays.

use std::fs;
use std::path::Path;

use ahu_engine::host::Record;

use super::{CliError, Done};

/// Checks that the file can be written, before the match is played. A file that was not there is not there afterwards.
pub(super) fn check_writable(path: &Path) -> Done {
    let is_new = !path.exists();
    let opened = fs::OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|error| cannot_write(path, &error))?;
    match is_new {
        true => fs::remove_file(path).map_err(|error| cannot_write(path, &error)),
        false => Ok(()),
    }
}

/// Writes a record: in binary format if the name of the file ends in `.bin`, else as text.
pub(super) fn write_record(path: &Path, record: &Record) -> Done {
    let bytes = match path.extension().is_some_and(|extension| extension == "bin") {
        true => record.to_bytes(),
        false => record.to_text().into_bytes(),
    };
    fs::write(path, bytes).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", path.display()))
}

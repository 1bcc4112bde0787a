//! Files with one record.

use std::fs;
use std::path::Path;

use ahu_host::Record;

use super::output::{self, Replacing, is_standard};
use crate::{CliError, Done};

/// Reads a record in text or binary format.
pub(crate) fn read_record(path: &Path) -> Result<Record, String> {
    Record::read(&output::read(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// Checks that a file can be written, before a match is played. A file that did not exist does not exist afterwards.
pub(crate) fn check_writable(path: &Path, replacing: Replacing) -> Done {
    replacing.check(path)?;
    if is_standard(path) {
        return Ok(());
    }
    let is_new = !path.exists();
    let opened = fs::OpenOptions::new().create(true).append(true).open(path);
    let removed = opened.and_then(|_| if is_new { fs::remove_file(path) } else { Ok(()) });
    removed.map_err(CliError::cannot("write", path))
}

/// Writes a record: in binary format if the name of the file ends in `.bin`, else as text.
pub(crate) fn write_record(path: &Path, record: &Record) -> Done {
    let bytes = match path.extension().is_some_and(|extension| extension == "bin") {
        true => record.to_bytes(),
        false => record.to_text().into_bytes(),
    };
    output::write(path, bytes)
}

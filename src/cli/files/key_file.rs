//! Files with one key, which only their owner may read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use ahu::service::new_agent_key;

use crate::cli::CliError;

/// Reads a key.
pub(in crate::cli) fn read(path: &Path) -> Result<String, CliError> {
    let text = fs::read_to_string(path).map_err(CliError::cannot("read", path))?;
    let key = text.trim();
    match !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(key.to_owned()),
        false => Err(CliError::Usage(format!("{}: expected one key, got another content", path.display()))),
    }
}

/// Writes a file with a key: a new one, or also in place of an old one.
pub(in crate::cli) fn write(path: &Path, key: &str, may_replace: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600).create(may_replace).truncate(may_replace).create_new(!may_replace);
    let mut file = options.open(path)?;
    file.write_all(format!("{key}\n").as_bytes())?;
    // A salt must outlive the machine's next stop: games are played with it at once.
    file.sync_all()
}

/// Reads a key; writes a new one if the file is missing.
pub(in crate::cli) fn read_or_create(path: &Path) -> Result<String, CliError> {
    let key = new_agent_key();
    match write(path, &key, false) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(path),
        Err(error) => Err(CliError::cannot("write", path)(error)),
    }
}

//! Files that a command reads or writes for a person, where `-` is stdin or stdout.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use crate::{CliError, Done};

/// Returns true if a path means stdin or stdout.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or stdin.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = match is_standard(path) {
        true => io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        false => fs::read(path),
    };
    read.map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file, or to stdout.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Done {
    match is_standard(path) {
        true => Ok(io::stdout().write_all(bytes.as_ref())?),
        false => fs::write(path, bytes).map_err(CliError::cannot("write", path)),
    }
}

/// The choice between refusing and replacing files that are in the way.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Replacing {
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

impl Replacing {
    /// Checks that no file is in the way.
    pub(crate) fn check(self, path: &Path) -> Done {
        match path.is_file() && !self.force && !is_standard(path) {
            true => Err(CliError::Usage(format!("{} exists: use --force to replace it", path.display()))),
            false => Ok(()),
        }
    }

    /// Writes a file that has no other in the way, or to stdout.
    pub(crate) fn write(self, path: &Path, bytes: impl AsRef<[u8]>) -> Done {
        self.check(path)?;
        write(path, bytes)
    }
}

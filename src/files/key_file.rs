//! Files with one key or salt, which only their owner may read (mode 0600).

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{create_anew, text};
use crate::CliError;

/// Reads a key: one word of visible ASCII characters.
pub(crate) fn read(path: &Path) -> Result<String, CliError> {
    let text = text(path)?;
    let key = text.trim();
    match !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(key.to_owned()),
        false => Err(CliError::Usage(format!("{}: expected one key, got another content", path.display()))),
    }
}

/// Writes a file with a key. With `may_replace`, an old file is replaced; otherwise the file must be new.
pub(crate) fn write(path: &Path, key: &str, may_replace: bool) -> io::Result<()> {
    let mut file = match may_replace {
        true => create_anew(path, 0o600)?,
        false => OpenOptions::new().write(true).mode(0o600).create_new(true).open(path)?,
    };
    file.write_all(format!("{key}\n").as_bytes())?;
    // The salt of a cup must survive a crash of the machine, since its games begin at once.
    file.sync_all()
}

/// Reads the key in a file, or writes the key that `make` returns if the file does not exist.
pub(crate) fn read_or_create(path: &Path, make: impl FnOnce() -> String) -> Result<String, CliError> {
    let key = make();
    match write(path, &key, false) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(path),
        Err(error) => Err(CliError::cannot("write", path)(error)),
    }
}

/// The files of new keys, until it is known whether an account has them. They are removed with this value.
#[derive(Default)]
pub(crate) struct NewKeyFiles(Vec<PathBuf>);

impl NewKeyFiles {
    /// Writes a key to a new file.
    pub(crate) fn write(&mut self, path: PathBuf, key: &str) -> Result<(), CliError> {
        write(&path, key, false).map_err(CliError::cannot("write", &path))?;
        self.0.push(path);
        Ok(())
    }

    /// Keeps the files.
    pub(crate) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewKeyFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            // A file that stays has a key that nobody knows.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_stand_behind_a_byte_order_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        std::fs::write(&file, "\u{feff}secret\r\n").expect("it is new");
        assert_eq!(read(&file).ok().as_deref(), Some("secret"));
    }
}

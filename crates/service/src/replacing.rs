//! Replacement of files in one step: a new file beside the old one gets its name.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

/// Returns the path of the file that a file at `path` replaces: where a link leads.
pub fn replaced(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Gives a new file the name of another file, and its owner and mode if it exists, of which `mask` is left. Links are not followed.
pub fn take_place(new: &Path, old: &Path, mask: u32) -> io::Result<()> {
    if let Ok(replaced) = fs::metadata(old) {
        // Only root may give files away. The mode follows, since a change of the owner takes bits away.
        let _ = chown(new, Some(replaced.uid()), Some(replaced.gid()));
        fs::set_permissions(new, Permissions::from_mode(replaced.mode() & mask))?;
    }
    fs::rename(new, old)
}

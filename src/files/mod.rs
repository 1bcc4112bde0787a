//! Files and folders that several commands read or write.

pub(super) mod key_file;
pub(super) mod opening;
pub(super) mod position;
pub(super) mod record_file;
pub(super) mod record_source;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use ahu_service::store::maintenance::{replaced, take_place};
use serde_json::{Map, Value};

use crate::CliError;

/// Creates a folder; it may exist already if it is empty. `option` names it in the error.
pub(super) fn create_empty(option: &str, folder: &Path) -> Result<(), CliError> {
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

/// Creates a folder and missing folders above it, which only their owner may read (mode 0700).
pub(super) fn create_private(folder: &Path) -> Result<(), CliError> {
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(CliError::cannot("create", folder))
}

/// Lets everybody read a folder and all that it has, such as a web server: files get mode 0644, folders 0755.
pub(super) fn make_public(folder: &Path) -> Result<(), CliError> {
    let set = |path: &Path, mode| {
        fs::set_permissions(path, Permissions::from_mode(mode)).map_err(CliError::cannot("change", path))
    };
    set(folder, 0o755)?;
    for entry in fs::read_dir(folder).map_err(CliError::cannot("read", folder))? {
        let path = entry.map_err(CliError::cannot("read", folder))?.path();
        if path.is_dir() { make_public(&path)? } else { set(&path, 0o644)? }
    }
    Ok(())
}

/// Returns the path that leads from one folder to another. Both paths must be absolute.
pub(super) fn relative(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// Reads a text file, without the byte order mark that some editors put in front.
pub(super) fn text(path: &Path) -> Result<String, CliError> {
    let text = fs::read_to_string(path).map_err(CliError::cannot("read", path))?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// Replaces a file in one step: a process that is killed leaves the old file or the new one. The new file has the owner and the
/// mode of the old one, and a link leads to it as before.
pub(super) fn replace(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let path = replaced(path);
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    // A process that was killed may have left a draft.
    let _ = fs::remove_file(&draft);
    let mode = if path.exists() { 0o600 } else { 0o666 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&draft)?;
    file.write_all(content.as_ref())?;
    take_place(Path::new(&draft), &path, 0o7777)
}

/// Finds the first difference of two values of JSON. Returns its path, such as `suite.first`, and both values.
pub(super) fn difference(path: &str, one: &Value, other: &Value) -> Option<(String, String, String)> {
    let (Value::Object(all), Value::Object(others)) = (one, other) else {
        return (one != other).then(|| (path.to_owned(), one.to_string(), other.to_string()));
    };
    let keys: BTreeMap<_, _> = all.iter().chain(others).collect();
    keys.into_keys().find_map(|key| {
        let of = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or_default();
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        difference(&path, &of(all), &of(others))
    })
}

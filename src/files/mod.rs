//! Files and folders that several commands read or write.

pub(super) mod key_file;
pub(super) mod opening;
pub(super) mod output;
pub(super) mod position;
pub(super) mod record_file;
pub(super) mod record_source;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
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

/// A new folder of files for everybody, such as a web server, or for its owner alone. The umask changes nothing.
pub(super) struct NewFolder {
    path: PathBuf,
    is_public: bool,
}

impl NewFolder {
    /// Creates the folder as [`create_empty`] does.
    pub(super) fn create(option: &str, path: &Path, is_public: bool) -> Result<Self, CliError> {
        create_private(path)?;
        let folder = Self { path: path.to_owned(), is_public };
        // Nobody else can put a link into it from here on.
        folder.open_to_readers(path).map_err(CliError::cannot("change", path))?;
        create_empty(option, path)?;
        Ok(folder)
    }

    /// Writes a new file, and creates the folders on the way to it. `name` is its path in the folder.
    pub(super) fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), CliError> {
        let mut path = self.path.clone();
        for part in name.parent().into_iter().flat_map(Path::components) {
            path.push(part);
            if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
                let created = fs::create_dir(&path).and_then(|()| self.open_to_readers(&path));
                created.map_err(CliError::cannot("create", &path))?;
            }
        }
        let path = self.path.join(name);
        // A new file is no link to another.
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let written = file.and_then(|mut file| file.write_all(bytes));
        written.and_then(|()| self.open_to_readers(&path)).map_err(CliError::cannot("write", &path))
    }

    fn open_to_readers(&self, path: &Path) -> io::Result<()> {
        let readers = if self.is_public { 0o055 } else { 0 };
        let mode = if path.is_dir() { 0o700 | readers } else { 0o600 | readers & 0o044 };
        fs::set_permissions(path, Permissions::from_mode(mode))
    }
}

/// Opens a new file in the place of what is there: another file, or a link, which is not followed.
pub(super) fn create_anew(path: &Path, mode: u32) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create_new(true).mode(mode).open(path),
    }
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

/// Reads a table (CSV). Returns the line of each row, and its cells in these columns; a table has at least the first.
pub(super) fn table<const N: usize>(path: &Path, columns: [&str; N]) -> Result<Vec<(u64, [String; N])>, CliError> {
    let wrong = |message: String| CliError::Usage(format!("{}: {message}", path.display()));
    let unreadable = |error: csv::Error| wrong(error.to_string());
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(unreadable)?;
    let head = reader.headers().map_err(unreadable)?.clone();
    let places = columns.map(|name| head.iter().position(|column| column == name));
    if places[0].is_none() {
        let found = head.iter().collect::<Vec<_>>().join(", ");
        return Err(wrong(format!("expected a column {}, got {found}", columns[0])));
    }
    let rows = reader.records().map(|row| {
        let row = row.map_err(unreadable)?;
        let cell = |place: Option<usize>| place.and_then(|place| row.get(place)).unwrap_or_default().to_owned();
        Ok((row.position().map_or(0, csv::Position::line), places.map(cell)))
    });
    rows.collect()
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_new_folder_is_for_its_readers_and_follows_no_link() {
        let place = tempfile::tempdir().expect("a folder");
        let secret = place.path().join("secret");
        fs::write(&secret, "a key").expect("it is new");
        fs::set_permissions(&secret, Permissions::from_mode(0o600)).expect("it is ours");
        for (name, is_public, of_folder, of_file) in [("all", true, 0o755, 0o644), ("own", false, 0o700, 0o600)] {
            let path = place.path().join(name);
            // A folder that is there gets the mode too.
            fs::create_dir(&path).expect("it is new");
            fs::set_permissions(&path, Permissions::from_mode(0o777)).expect("it is ours");
            let folder = NewFolder::create("--out", &path, is_public).expect("it is empty");
            folder.write(Path::new("records/a/1.txt"), b"one").expect("it is new");
            for part in ["", "records", "records/a"] {
                assert_eq!(mode(&path.join(part)), of_folder, "{name}/{part}");
            }
            assert_eq!(mode(&path.join("records/a/1.txt")), of_file);
            symlink(&secret, path.join("table.json")).expect("it is new");
            symlink(place.path(), path.join("logs")).expect("it is new");
            for planted in ["table.json", "logs/x.txt"] {
                folder.write(Path::new(planted), b"{}").expect_err(planted);
            }
            assert_eq!((fs::read_to_string(&secret).expect("a file").as_str(), mode(&secret)), ("a key", 0o600));
            assert!(!place.path().join("x.txt").exists());
        }
    }

    #[test]
    fn a_file_that_is_made_anew_follows_no_link_and_keeps_no_mode() {
        let place = tempfile::tempdir().expect("a folder");
        let [other, path] = ["other", "new"].map(|name| place.path().join(name));
        fs::write(&other, "of somebody else").expect("it is new");
        symlink(&other, &path).expect("it is new");
        for text in ["one", "two"] {
            create_anew(&path, 0o600).and_then(|mut file| file.write_all(text.as_bytes())).expect("the folder is ours");
            assert_eq!((fs::read_to_string(&path).expect("a file").as_str(), mode(&path)), (text, 0o600));
            fs::set_permissions(&path, Permissions::from_mode(0o666)).expect("it is ours");
        }
        assert_eq!(fs::read_to_string(&other).expect("a file"), "of somebody else");
    }
}

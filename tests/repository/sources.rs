//! The files that the checks read.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders and files of Rust. A check of `files.rs` fails if git tracks Rust elsewhere.
pub(crate) const RUST: [&str; 10] = [
    "agents/python/module",
    "agents/python/native",
    "agents/rust",
    "benches",
    "build.rs",
    "crates",
    "examples",
    "fuzz",
    "src",
    "tests",
];

/// A file: its path from the top of the repository, and its text.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// Returns the text without the lines that are comments.
    pub(crate) fn code(&self) -> String {
        self.text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the path of a file or folder from its path from the top of the repository.
pub(crate) fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the text of a file.
pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files with this extension in these folders, in order. A place may be a file, too.
///
/// # Panics
///
/// If a place has no such file: then the list of places is out of date, and a check would read nothing.
pub(crate) fn sources(places: &[&str], extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    for place in places {
        let before = found.len();
        walk(place, &mut |path| {
            if Path::new(&path).extension().is_some_and(|own| own == extension) {
                found.push(Source { text: text(&path), path });
            }
        });
        assert!(found.len() > before, "{place} has no file that ends with .{extension}");
    }
    found
}

/// Calls `each` with every file of a folder, or with the file itself.
fn walk(place: &str, each: &mut impl FnMut(String)) {
    if !at(place).is_dir() {
        return each(place.to_owned());
    }
    let entries = fs::read_dir(at(place)).unwrap_or_else(|error| panic!("{place}: {error}"));
    let mut names: Vec<_> = entries.map(|entry| entry.expect("the entry can be read").file_name()).collect();
    names.sort();
    for name in names {
        walk(&format!("{place}/{}", name.display()), each);
    }
}

#[test]
#[should_panic(expected = "crates/core/src has no file that ends with .py")]
fn a_list_of_places_is_out_of_date_if_one_has_no_files() {
    let _ = sources(&["tests", "crates/core/src"], "py");
}

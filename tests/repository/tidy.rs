//! The rules of prose that a machine can check (CONTRIBUTING.md, "Prose").

use std::fs;
use std::path::{Path, PathBuf};

/// The words that no doc comment begins with: they open a clause where a noun or a verb belongs (R1, R2).
const CLAUSE_OPENERS: [&str; 5] = ["What", "Who", "Whoever", "How", "Whether"];

/// Returns every file below `folder` with this extension, and its path from the root of the repository.
fn files(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut folders) = (Vec::new(), vec![root.join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                let text = fs::read_to_string(&path).expect("the file can be read");
                found.push((path.strip_prefix(root).expect("it lies below the root").to_owned(), text));
            }
        }
    }
    found
}

/// Returns the lines of comments that begin with one of these marks and a word that opens a clause.
fn clauses<'a>(text: &'a str, marks: &'a [&str]) -> impl Iterator<Item = (usize, &'a str)> {
    (1..).zip(text.lines()).filter(|(_, line)| {
        let comment = marks.iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        let first = comment.and_then(|comment| comment.split_whitespace().next()).unwrap_or_default();
        CLAUSE_OPENERS.contains(&first.trim_matches(|c: char| !c.is_alphabetic()))
    })
}

#[test]
fn no_doc_comment_begins_with_a_clause() {
    let mut faults = Vec::new();
    let mut read = 0;
    let sources =
        ["src", "tests", "benches", "fuzz", "agents/rust", "agents/python/native"].map(|folder| files(folder, "rs"));
    let protos = files("proto", "proto");
    let marked = sources.iter().flatten().map(|file| (file, &["///", "//!"][..]));
    for ((path, text), marks) in marked.chain(protos.iter().map(|file| (file, &["//"][..]))) {
        read += 1;
        faults.extend(clauses(text, marks).map(|(line, text)| format!("{}:{line}: {text}", path.display())));
    }
    assert!(read > 200, "{read} files were read");
    assert!(faults.is_empty(), "begin with a noun or a verb (CONTRIBUTING.md, Prose):\n{}", faults.join("\n"));
}

#[test]
fn the_check_finds_what_it_is_for() {
    let found = |text: &str| clauses(text, &["///", "//!"]).count();

    assert_eq!(found("    /// What a seat may do.\n//! How it works\n/// Whether it is."), 3);
    assert_eq!(found("// What a line comment says\n/// Whatever\n/// The seat. What it may do\nlet what = 1;"), 0);
}

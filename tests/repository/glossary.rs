//! The glossary: do its paths and names exist, and has each word one meaning?

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::at;

/// The keywords that define a type in Rust, Python, and the protos.
const KEYWORDS: [&str; 7] = ["struct", "enum", "trait", "type", "class", "message", "service"];

/// The extensions of the files in which a name is looked for.
const TEXTS: [&str; 4] = ["rs", "py", "proto", "md"];

/// One row of a table of the glossary.
struct Row {
    term: String,
    place: String,
}

fn rows() -> Vec<Row> {
    let glossary = crate::sources::text("docs/glossary.md");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    glossary
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| term |"))
        .map(|line| match <[String; 5]>::try_from(cells(line)) {
            Ok([_, term, _, place, _]) => Row { term, place },
            Err(cells) => panic!("expected a row of 3 cells, got {cells:?}"),
        })
        .collect()
}

/// Returns the text of a file, or of all files below a folder.
fn text(path: &Path) -> String {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("the folder can be read");
        return entries.map(|entry| text(&entry.expect("the entry can be read").path())).collect();
    }
    let known = path.extension().is_some_and(|own| TEXTS.iter().any(|extension| own == *extension));
    if known { fs::read_to_string(path).expect("the file can be read") } else { String::new() }
}

/// Returns the folder of each game.
fn games() -> Vec<PathBuf> {
    let entries = fs::read_dir(at("crates/games/src")).expect("the folder of the games can be read");
    entries
        .map(|entry| entry.expect("the entry can be read").path())
        .filter(|path| path.join("mod.rs").exists())
        .collect()
}

/// Returns true if the text has the name as a word, and, for a type, as the word after a keyword.
fn has(text: &str, name: &str, is_type: bool) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(name).any(|(at, _)| {
        let before = &text[..at];
        let is_word = ends(before.chars().next_back()) && ends(text[at + name.len()..].chars().next());
        is_word && (!is_type || KEYWORDS.iter().any(|keyword| before.trim_end().ends_with(keyword)))
    })
}

/// Returns what is wrong with the place of a row: a path or a name that does not exist.
fn faults(row: &Row, everywhere: &str) -> Vec<String> {
    let tokens: Vec<&str> = row.place.split('`').skip(1).step_by(2).collect();
    let is_file = |token: &str| TEXTS.iter().any(|extension| token.ends_with(&format!(".{extension}")));
    let mut faults = Vec::new();
    let mut read = String::new();
    for token in tokens.iter().filter(|token| token.contains('/')) {
        match at(token) {
            path if path.exists() => read.push_str(&text(&path)),
            _ => faults.push(format!("{}: {token} does not exist", row.term)),
        }
    }
    if row.place.contains("of each game") {
        for game in games() {
            read.push_str(&text(&game));
            let files = tokens.iter().filter(|token| is_file(token) && !token.contains('/'));
            let missing = files.filter(|file| !game.join(file).exists());
            faults.extend(missing.map(|file| format!("{}: {} has no {file}", row.term, game.display())));
        }
    }
    let read = if read.is_empty() { everywhere } else { &read };
    for token in tokens.iter().filter(|token| !token.contains('/') && !is_file(token)) {
        let names: Vec<&str> = token.split(['.', ':']).filter(|name| !name.is_empty()).collect();
        for (at, name) in names.iter().enumerate() {
            let is_type = at == 0 && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
            // Methods of a type may stand in another file than the type.
            let text = if is_type && names.len() > 1 { everywhere } else { read };
            if !has(text, name, is_type) {
                faults.push(format!("{}: nothing is named {name} in {}", row.term, row.place));
            }
        }
    }
    faults
}

#[test]
fn the_places_of_the_glossary_exist() {
    let everywhere = ["crates", "src", "proto", "agents/python/ahu"].map(|folder| text(&at(folder)));
    assert!(everywhere.iter().all(|text| !text.is_empty()), "a folder has no files");
    let everywhere = everywhere.concat();
    let rows = rows();
    let faults: Vec<String> = rows.iter().flat_map(|row| faults(row, &everywhere)).collect();

    assert!(rows.len() > 100, "{} rows were read", rows.len());
    assert!(faults.is_empty(), "docs/glossary.md:\n{}", faults.join("\n"));
}

#[test]
fn the_glossary_has_each_term_once() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        for term in row.term.split(", ") {
            assert!(seen.insert(term.to_owned()), "docs/glossary.md has two meanings for {term}");
        }
    }
}

#[test]
fn a_wrong_place_is_found() {
    let row = |place: &str| Row { term: "term".to_owned(), place: place.to_owned() };
    let everywhere = "pub struct Seat(u8); fn of() {}";
    let count = |place: &str| faults(&row(place), everywhere).len();

    assert_eq!(count("`Seat`, `Seat::of`, `crates/core/src/`, `mod.rs` of each game"), 0);
    assert_eq!(count("`src/nowhere.rs`"), 1, "a path that does not exist");
    assert_eq!(count("`Place`, `Seat::at`"), 2, "a type and a method that do not exist");
    assert_eq!(count("`nowhere.rs` of each game"), games().len());
}

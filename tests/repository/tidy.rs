//! The rules of prose that a machine can check (CONTRIBUTING.md, "Prose").

use crate::sources::{RUST, sources};

/// The words that no doc comment begins with: they open a clause where a noun or a verb belongs (R1, R2).
const CLAUSE_OPENERS: [&str; 5] = ["What", "Who", "Whoever", "How", "Whether"];

/// The most characters of a line of Rust that is a comment, with its indentation.
const WIDTH: usize = 130;

/// Returns the lines of comments that begin with one of these marks and a word that opens a clause.
fn clauses<'a>(text: &'a str, marks: &'a [&str]) -> impl Iterator<Item = (usize, &'a str)> {
    (1..).zip(text.lines()).filter(|(_, line)| {
        let comment = marks.iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        let first = comment.and_then(|comment| comment.split_whitespace().next()).unwrap_or_default();
        CLAUSE_OPENERS.contains(&first.trim_matches(|c: char| !c.is_alphabetic()))
    })
}

/// Returns the lines of comments that are too wide, with their widths.
fn wide(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let comments = (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with("//"));
    comments.map(|(line, text)| (line, text.chars().count())).filter(|(_, width)| *width > WIDTH)
}

#[test]
fn no_doc_comment_begins_with_a_clause() {
    let mut faults = Vec::new();
    let (rust, protos) = (sources(&RUST, "rs"), sources(&["proto"], "proto"));
    let marked =
        rust.iter().map(|file| (file, &["///", "//!"][..])).chain(protos.iter().map(|file| (file, &["//"][..])));
    for (file, marks) in marked {
        faults.extend(clauses(&file.text, marks).map(|(line, text)| format!("{}:{line}: {text}", file.path)));
    }
    assert!(rust.len() > 200, "{} files were read", rust.len());
    assert!(faults.is_empty(), "begin with a noun or a verb (CONTRIBUTING.md, Prose):\n{}", faults.join("\n"));
}

#[test]
fn comments_are_narrow() {
    let mut faults = Vec::new();
    for file in sources(&RUST, "rs") {
        faults.extend(wide(&file.text).map(|(line, width)| format!("{}:{line}: {width} characters", file.path)));
    }
    assert!(faults.is_empty(), "expected at most {WIDTH} characters in a line of a comment:\n{}", faults.join("\n"));
}

#[test]
fn the_checks_find_what_they_are_for() {
    let found = |text: &str| clauses(text, &["///", "//!"]).count();
    assert_eq!(found("    /// What a seat may do.\n//! How it works\n/// Whether it is."), 3);
    assert_eq!(found("// What a line comment says\n/// Whatever\n/// The seat. What it may do\nlet what = 1;"), 0);

    // Letters of two bytes count once.
    let line = |mark: &str, width: usize| format!("{mark}{}\n", "é".repeat(width - mark.len()));
    let lines =
        [line("//", 130), line("//", 131), line("    /// ", 130), line("\t//! ", 131), line("\"", 140)].concat();
    assert_eq!(wide(&lines).collect::<Vec<_>>(), [(2, 131), (4, 131)]);
}

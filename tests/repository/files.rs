//! The files around the code: do they agree with it?

use std::fs;
use std::path::Path;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the rest of the first line of a file that begins with `key`.
fn value(file: &str, key: &str) -> String {
    let text = text(file);
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.unwrap_or_else(|| panic!("{file} has no line that begins with {key:?}")).trim().to_owned()
}

#[test]
fn the_citation_names_the_version_and_the_license() {
    assert_eq!(value("CITATION.cff", "version:"), env!("CARGO_PKG_VERSION"));
    assert_eq!(value("CITATION.cff", "license:"), env!("CARGO_PKG_LICENSE"));
}

#[test]
fn the_image_is_built_with_the_minimum_version_of_rust() {
    let image = value("Dockerfile", "FROM rust:");
    assert_eq!(image.split('-').next(), Some(env!("CARGO_PKG_RUST_VERSION")));
}

#[test]
fn the_image_gets_every_file_of_the_build_and_no_other() {
    let ignore = text(".dockerignore");
    let given: Vec<&str> = ignore.lines().filter_map(|line| line.strip_prefix('!')).collect();
    for file in &given {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists(), "{file}");
    }
    for file in [".cargo", "Cargo.lock", "Cargo.toml", "LICENSE", "agents/python/native", "build.rs", "proto", "src"] {
        assert!(given.contains(&file), "the build needs {file}");
    }
    assert!(ignore.lines().any(|line| line == "*"), "what is not named stays out");
}

#[test]
fn the_server_of_the_image_is_not_root_and_says_how_it_is() {
    let dockerfile = text("Dockerfile");
    let last = |instruction: &str| dockerfile.lines().rfind(|line| line.starts_with(instruction)).map(str::to_owned);
    assert!(last("USER ").is_some_and(|line| line != "USER root"), "{dockerfile}");
    assert!(last("HEALTHCHECK ").is_some_and(|line| line.contains("/50551")), "{dockerfile}");
}

#[test]
fn the_readme_stays_short_and_leads_to_the_first_page_of_the_docs() {
    let readme = text("README.md");
    assert!(readme.lines().count() < 120, "{} lines", readme.lines().count());
    assert!(readme.contains("](docs/index.md)"));
}

/// The most lines of a file of `src`.
const LONGEST: usize = 500;

/// The lines below which a file is short. Few files may be: a reader looks for a short file in the file that uses it.
const SHORT: usize = 30;

#[test]
fn files_of_src_are_neither_long_nor_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut lengths, mut folders) = (Vec::new(), vec![root.join("src")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("it lies below the root").display().to_string();
                lengths.push((text(&name).lines().count(), name));
            }
        }
    }
    lengths.sort();
    assert!(lengths.len() > 200, "{} files were read", lengths.len());
    let long: Vec<_> = lengths.iter().filter(|(lines, _)| *lines > LONGEST).collect();
    assert!(long.is_empty(), "split files of two subjects: {long:#?}");
    let short: Vec<_> = lengths.iter().take_while(|(lines, _)| *lines < SHORT).collect();
    assert!(short.len() < 10, "join short files with the files that use them: {short:#?}");
}

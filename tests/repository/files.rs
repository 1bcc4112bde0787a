//! The files around the code: do they agree with it?

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::sources::{RUST, at, sources, text};

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
        assert!(at(file).exists(), "{file}");
    }
    // Cargo reads the manifest of every member, whatever it builds.
    let manifest = text("Cargo.toml");
    let members =
        manifest.lines().find_map(|line| line.strip_prefix("members = [")).expect("the workspace has members");
    let members = members.split('"').skip(1).step_by(2).map(|member| member.trim_end_matches("/*"));
    let files = [".cargo", "Cargo.lock", "Cargo.toml", "LICENSE", "build.rs", "proto", "src"];
    for file in files.into_iter().chain(members) {
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

/// The most lines of a file of the crates and of the program.
const LONGEST: usize = 500;

/// The lines below which a file is short. Few files may be: a reader looks for a short file in the file that uses it. Files
/// of which Cargo or a folder fixes the name do not count.
const SHORT: usize = 30;

#[test]
fn files_of_the_crates_and_the_program_are_neither_long_nor_short() {
    let files = sources(&["crates", "src"], "rs");
    let mut lengths: Vec<_> = files.iter().map(|file| (file.text.lines().count(), file.path.as_str())).collect();
    lengths.sort_unstable();
    assert!(lengths.len() > 200, "{} files were read", lengths.len());
    let long: Vec<_> = lengths.iter().filter(|(lines, _)| *lines > LONGEST).collect();
    assert!(long.is_empty(), "split files of two subjects: {long:#?}");
    let is_fixed =
        |path: &str| ["build.rs", "lib.rs", "main.rs", "mod.rs"].contains(&path.rsplit('/').next().unwrap_or(path));
    let short = lengths.iter().take_while(|(lines, _)| *lines < SHORT).filter(|(_, path)| !is_fixed(path));
    let short: Vec<_> = short.collect();
    assert!(short.len() < 10, "join short files with the files that use them: {short:#?}");
}

/// The most characters of a path. Windows takes 259 with the folder of the checkout.
const LONGEST_PATH: usize = 180;

/// Returns every path that git tracks, from the top of the repository.
fn tracked_paths() -> Vec<String> {
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--full-name", ":/"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("git can be started");
    assert!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let paths = String::from_utf8(output.stdout).expect("paths are UTF-8");
    paths.split_terminator('\0').map(str::to_owned).collect()
}

/// Returns the reason why no file or folder of Windows has this name.
fn fault_of_name(name: &str) -> Option<&'static str> {
    // Windows keeps the names of devices for itself, with any extension.
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem).trim_end().to_ascii_lowercase();
    let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = number.is_some_and(|number| number.len() == 1 && number.bytes().all(|digit| digit.is_ascii_digit()));
    match () {
        () if name.contains(|letter: char| letter.is_control() || "<>:\"|?*\\".contains(letter)) => {
            Some("expected no control character and none of <>:\"|?*\\")
        }
        () if name.ends_with(['.', ' ']) => Some("expected no dot or space at the end of a name"),
        () if is_port || ["con", "prn", "aux", "nul"].contains(&stem.as_str()) => Some("expected no name of a device"),
        () => None,
    }
}

/// Returns each path that Windows cannot check out, with the reason.
fn faults_on_windows(paths: &[impl AsRef<str>]) -> Vec<String> {
    let mut faults = Vec::new();
    // Each file and folder, by the spelling that Windows takes for the same.
    let mut spellings = BTreeMap::new();
    for path in paths.iter().map(AsRef::as_ref) {
        if path.chars().count() > LONGEST_PATH {
            faults.push(format!("{path}: expected at most {LONGEST_PATH} characters"));
        }
        faults.extend(path.split('/').find_map(fault_of_name).map(|fault| format!("{path}: {fault}")));
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for place in ends.map(|end| &path[..end]) {
            let first = *spellings.entry(place.to_lowercase()).or_insert(place);
            if first != place {
                faults.push(format!("{path}: expected another name, since there is {first}"));
            }
        }
    }
    faults
}

#[test]
fn windows_can_check_out_every_path() {
    let paths = tracked_paths();
    assert!(paths.len() > 1000, "{} paths were read", paths.len());
    let faults = faults_on_windows(&paths);
    assert!(faults.is_empty(), "rename:\n{}", faults.join("\n"));
}

#[test]
fn every_file_of_rust_lies_in_a_folder_of_the_checks() {
    let paths = tracked_paths();
    let rust = paths.iter().map(Path::new).filter(|path| path.extension().is_some_and(|own| own == "rs"));
    let apart: Vec<_> = rust.filter(|path| !RUST.iter().any(|place| path.starts_with(place))).collect();
    assert!(apart.is_empty(), "add their folders to RUST in tests/repository/sources.rs: {apart:?}");
}

#[test]
fn the_check_of_paths_finds_what_windows_refuses() {
    let long = "a".repeat(LONGEST_PATH + 1);
    for wrong in [
        "docs/search@1:50/report.json",
        "what?.md",
        "a\\b",
        "a\tb",
        "folder./file",
        "file ",
        "src/nul",
        "src/Aux.rs",
        "com1.tar.gz/file",
        "LPT9",
        long.as_str(),
    ] {
        assert_eq!(faults_on_windows(&[wrong]).len(), 1, "{wrong:?}");
    }
    assert_eq!(faults_on_windows(&["docs/Index.md", "docs/index.md"]).len(), 1);
    assert_eq!(faults_on_windows(&["Docs/a.md", "docs/b.md"]).len(), 1, "folders too");
    let right = ["docs/a.md", "docs/b.md", ".ci/run", "com/lpt.rs", "console.rs", "com10", &long[1..]];
    assert_eq!(faults_on_windows(&right), [""; 0]);
}

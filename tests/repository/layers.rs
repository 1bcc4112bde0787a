//! The layers: what Cargo cannot express of them. That a crate uses only those below it, Cargo proves (`crates.rs`).

use std::collections::BTreeSet;

use crate::sources::{Source, sources};

/// The crates of the rules.
const RULES: [&str; 2] = ["crates/core/src", "crates/games/src"];

/// The crates below the service, without the generated messages.
const HOST: [&str; 3] = ["crates/core/src", "crates/games/src", "crates/host/src"];

/// The crates below the command line.
const CRATES: [&str; 7] = [
    "crates/arena/src",
    "crates/contest/src",
    "crates/core/src",
    "crates/games/src",
    "crates/host/src",
    "crates/service/src",
    "agents/python/native/src",
];

/// The modules of the standard library that reach outside of the process, or start threads.
const EFFECTS: [&str; 7] = ["env", "fs", "io", "net", "os", "process", "thread"];

/// The files of rules with floats beside pictures: the probabilities of all outcomes of a chance event.
const PROBABILITIES: [&str; 2] = ["crates/core/src/parts/draws.rs", "crates/games/src/giants/chance_outcome.rs"];

/// Each room of `src` with the rooms that it may use. Every other part of `src` is a command: it may use all rooms, and no
/// other command.
const ROOMS: [(&str, &[&str]); 6] = [
    ("arguments", &[]),
    ("files", &[]),
    ("network", &["files"]),
    ("output", &["terminal"]),
    ("runs", &["files", "terminal"]),
    ("terminal", &[]),
];

/// Returns the names that follow `start` in a code: `host` for `crate::host`, and both names for `crate::{core, host}`.
fn words_after(code: &str, start: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, _) in code.match_indices(start) {
        let rest = &code[at + start.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            // The names at the first level of the group.
            let mut depth = 0;
            let mut word = String::new();
            for c in group.chars() {
                match c {
                    '}' if depth == 0 => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => words.push(std::mem::take(&mut word)),
                    _ if depth == 0 => word.push(c),
                    _ => {}
                }
            }
            words.push(word);
        } else {
            words.push(rest.to_owned());
        }
    }
    let first_name =
        |word: String| word.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned();
    words.into_iter().map(first_name).filter(|word| !word.is_empty()).collect()
}

/// Returns the modules with effects that a code uses.
fn effects(code: &str) -> Vec<String> {
    words_after(code, "std::").into_iter().filter(|word| EFFECTS.contains(&word.as_str())).collect()
}

/// Returns true if a line has a type or a literal of floats.
fn has_float(line: &str) -> bool {
    let words: Vec<_> = line.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_type = |word: &&str| {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        ["f32", "f64"].contains(&name.trim_start_matches(|c: char| c.is_ascii_digit()))
    };
    // The places of tuples are no literals: `pair.0.1`.
    let is_literal = |at: usize| {
        let follows_dot = at > 0 && words[at - 1].ends_with('.');
        !follows_dot && is_number(words[at]) && words[at].ends_with('.') && is_number(words[at + 1])
    };
    words.iter().any(is_type) || (1..words.len()).any(|end| is_literal(end - 1))
}

/// Returns the paths of the files of which the code fits.
fn paths(files: &[Source], fits: impl Fn(&str) -> bool) -> Vec<&str> {
    files.iter().filter(|file| fits(&file.code())).map(|file| file.path.as_str()).collect()
}

#[test]
fn the_rules_and_the_host_have_no_effects_no_clock_and_never_wait() {
    let files = sources(&HOST, "rs");
    assert_eq!(paths(&files, |code| !effects(code).is_empty()), [""; 0]);
    assert_eq!(paths(&files, |code| ["async ", ".await"].iter().any(|word| code.contains(word))), [""; 0]);
    // The measurement of speed, and searches with a budget of time.
    let clocks = paths(&files, |code| words_after(code, "std::").iter().any(|word| word == "time"));
    assert_eq!(clocks, ["crates/host/src/search/budget.rs", "crates/host/src/speed.rs"]);
}

#[test]
fn rules_have_no_floats() {
    let mut read = 0;
    for file in sources(&RULES, "rs") {
        // Pictures have coordinates.
        let is_exempt = file.path.contains("/picture.rs") || file.path.contains("/picture/");
        // Bots of other hands weigh chances in floats. IEEE 754 fixes what they use: no function, which may differ by platform.
        if file.path.ends_with("/held_out.rs") {
            const FUNCTIONS: [&str; 7] = [".powi(", ".powf(", ".sqrt(", ".exp(", ".ln(", ".sin(", ".mul_add("];
            assert!(!FUNCTIONS.iter().any(|function| file.code().contains(function)), "{}", file.path);
            continue;
        }
        if is_exempt || PROBABILITIES.contains(&file.path.as_str()) {
            continue;
        }
        let code = file.code();
        let rules = code.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for line in rules.lines().filter(|line| has_float(line)) {
            read += 1;
            assert!(line.contains("utcome") || line.contains("probability"), "{} has a float: {line}", file.path);
        }
    }
    assert!(read > 4, "{read} probabilities were read");
    assert!(["x as f64", "let x = 1.5;", "2f32", "[0, 0.25]"].into_iter().all(has_float));
    assert!(!["0..3", "x.0.1", "a.1 + 2", "0x1f64.max(3)"].into_iter().any(has_float));
}

/// The code that reads and makes messages stands in modules of its own, which only builds with the feature `messages` have: a
/// build without the feature has no prost (`.ci/check`).
#[test]
fn below_the_service_only_modules_of_messages_use_messages() {
    let files = sources(&HOST, "rs");
    let found = paths(&files, |code| code.contains("prost") || code.contains("ahu_messages"));
    let is_module = |path: &&str| {
        let inside = path.trim_start_matches("crates/").replace(".rs", "/");
        match inside.split_once("/src/") {
            Some(("games", inside)) => inside.split('/').take(2).any(|part| part == "wire"),
            Some(("host", inside)) => inside.starts_with("api/") || inside == "typed_message/",
            _ => false,
        }
    };
    assert!(found.len() > 10, "{found:?}");
    assert!(found.iter().all(is_module), "{found:#?}");
}

#[test]
fn no_game_uses_another() {
    let mut games = BTreeSet::new();
    for file in sources(&["crates/games/src"], "rs") {
        let inside = file.path.trim_start_matches("crates/games/src/");
        let Some((game, _)) = inside.split_once('/').filter(|(folder, _)| *folder != "wire") else { continue };
        let code = file.code();
        for used in words_after(&code, "crate::").iter().filter(|used| used.starts_with(char::is_lowercase)) {
            assert!(used == game || used == "wire", "{} uses {used}", file.path);
        }
        assert!(!code.contains("super::super"), "{}: expected `crate::`, got `super::super`", file.path);
        games.insert(game.to_owned());
    }
    assert_eq!(games.len(), 4, "{games:?}");
}

#[test]
fn only_the_catalog_names_games() {
    let files = sources(&[&CRATES[..], &["src"]].concat(), "rs");
    // A game is a module; the names of types do not count.
    let names_one =
        |code: &str| words_after(code, "ahu_games::").iter().any(|used| used.starts_with(char::is_lowercase));
    assert_eq!(paths(&files, names_one), ["crates/host/src/catalog.rs"]);
}

#[test]
fn a_contest_on_paper_has_its_journal_and_one_clock() {
    let files = sources(&["crates/contest/src"], "rs");
    // It opens no connection, starts no program, and reads no environment.
    let outside = |code: &str| effects(code).iter().any(|used| !["fs", "io", "os"].contains(&used.as_str()));
    assert_eq!(paths(&files, outside), [""; 0]);
    // A journal, its copy, and its checkpoint are files.
    let [journal, copy] = ["journal", "journal_copy"].map(|name| format!("crates/contest/src/cup/{name}.rs"));
    let checkpoint = "crates/contest/src/cup/ladder/checkpoint.rs".to_owned();
    assert_eq!(paths(&files, |code| !effects(code).is_empty()), [journal.clone(), copy, checkpoint]);
    assert_eq!(paths(&files, |code| code.contains("Time::now") || code.contains("Instant")), [journal]);
}

#[test]
fn the_tools_for_language_models_know_the_protos_alone() {
    for file in sources(&["crates/service/src/mcp"], "rs") {
        let code = file.code();
        let others = words_after(&code, "crate::").into_iter().filter(|used| used != "proto").collect::<Vec<_>>();
        let leaves = code.contains("super::super")
            || file.path.ends_with("/mod.rs") && !words_after(&code, "super::").is_empty();
        assert!(others.is_empty() && !leaves && !code.contains("ahu_"), "{} uses the service: {others:?}", file.path);
    }
}

#[test]
fn below_the_command_line_nothing_prints_or_reads_arguments() {
    // Clippy refuses `println!` and its kind everywhere.
    const OUTPUTS: [&str; 5] = ["io::stdout", "io::stderr", "io::stdin", "env::args", "clap::"];
    // The metrics of a server count the lines that its thread for standard error drops.
    let files: Vec<_> =
        sources(&CRATES, "rs").into_iter().filter(|file| file.path != "crates/service/src/stderr.rs").collect();
    assert_eq!(paths(&files, |code| OUTPUTS.iter().any(|word| code.contains(word))), [""; 0]);
}

#[test]
fn no_command_uses_another_and_no_room_uses_a_command() {
    let files: Vec<_> = sources(&["src"], "rs");
    // The parts of a path: `duel` and `report.rs` for `src/duel/report.rs`, `watch` for `src/watch.rs`.
    let parts = |path: &str| {
        path.trim_start_matches("src/").replace(".rs", "").split('/').map(str::to_owned).collect::<Vec<_>>()
    };
    let names: BTreeSet<_> = files.iter().map(|file| parts(&file.path).swap_remove(0)).collect();
    let rooms = ROOMS.map(|(room, _)| room);
    assert!(rooms.iter().all(|room| names.contains(*room)), "{names:?}");
    for file in files.iter().filter(|file| !["src/lib.rs", "src/main.rs"].contains(&file.path.as_str())) {
        let (code, place) = (file.code(), parts(&file.path));
        let allowed = ROOMS.iter().find(|(room, _)| *room == place[0]).map_or(&rooms[..], |(_, rooms)| rooms);
        for used in words_after(&code, "crate::").iter().filter(|used| **used != place[0] && names.contains(*used)) {
            assert!(allowed.contains(&used.as_str()), "{} uses {used}", file.path);
        }
        let is_front = place.len() == 1 || place.len() == 2 && place[1] == "mod";
        let leaves = code.contains("super::super") || is_front && !words_after(&code, "super::").is_empty();
        assert!(!leaves, "{}: expected `crate::` before another part, got `super::`", file.path);
    }
}

//! The layers: a check over the code that each part of the crates uses only its permitted parts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with the layers that it may use. A layer may always use itself. The layers of the engine come first.
const LAYERS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("parts", &["core"]),
    ("games", &["core", "parts"]),
    ("raster", &[]),
    ("host", &["core", "parts", "games", "raster"]),
    ("cup", &["core", "host"]),
    ("proto", &[]),
    ("mcp", &["proto"]),
    ("service", &["core", "host", "cup", "mcp", "proto"]),
    ("suite", &["core", "host", "cup"]),
];

/// Each room of `src/cli` with the rooms that it may use. Every other part of `src/cli` is a command: it may use all rooms, and no
/// other command.
const ROOMS: &[(&str, &[&str])] = &[
    ("terminal", &[]),
    ("files", &[]),
    ("network", &[]),
    ("output", &["terminal"]),
    ("programs", &["network", "output", "terminal"]),
    ("arguments", &["programs"]),
    ("runner", &["arguments", "files", "network", "output", "programs", "terminal"]),
];

/// The names of the network, of effects, and of clocks: neither the rules nor the host may use them.
const OUTSIDE: &[&str] = &["tonic", "tokio", "tracing::", "clap::", "serde_json::", "async ", ".await"];
const EFFECTS: &[&str] =
    &["std::fs", "std::io", "std::net", "std::thread", "std::process", "std::env", "println!", "eprintln!"];
const CLOCKS: &[&str] = &["std::time", "Instant", "SystemTime"];

/// Returns every file of the two crates: its layer, its path, and its code without comments.
fn files() -> Vec<(String, PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&root, &mut found);
    let file = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("code is text");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        let inside = path.strip_prefix(&root).expect("it is in there").to_path_buf();
        let layer = inside
            .components()
            .find(|name| name.as_os_str() != "engine")
            .expect("a name")
            .as_os_str()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_owned();
        (layer, inside, code)
    };
    found.into_iter().map(file).collect()
}

/// Returns the names that follow `start` in a code: `host` for `crate::host`, and both names for
/// `crate::{core, host}`.
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

/// Returns the module of messages that the file belongs to, as the file that declares it and its name. These are `wire`
/// of each game and of all games, and `typed` and `api` of the host. None for all other files below the service.
fn module_of_messages(path: &Path) -> Option<(PathBuf, &'static str)> {
    let in_folder = path.with_file_name("mod.rs");
    let in_host = || PathBuf::from("engine/host/mod.rs");
    match () {
        () if path.starts_with("engine/games") && path.ends_with("wire.rs") => Some((in_folder, "wire")),
        () if path.starts_with("engine/games") && path.parent().is_some_and(|folder| folder.ends_with("wire")) => {
            Some((path.parent().expect("a folder").with_file_name("mod.rs"), "wire"))
        }
        () if path == Path::new("engine/host/typed.rs") => Some((in_host(), "typed")),
        () if path.starts_with("engine/host/api") => Some((in_host(), "api")),
        () => None,
    }
}

/// Returns true if the code declares a module for builds with the feature `messages` alone.
fn declares_for_messages(code: &str, module: &str) -> bool {
    let lines: Vec<_> = code.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| {
        pair[0] == "#[cfg(feature = \"messages\")]"
            && [format!("mod {module};"), format!("pub mod {module};")].contains(&pair[1].to_owned())
    })
}

/// Returns true if a name is the name of a module, as games have, and false for the name of a type.
fn is_module(name: &str) -> bool {
    name.starts_with(char::is_lowercase)
}

#[test]
fn each_layer_uses_only_those_below_it() {
    let mut checked = 0;
    for (layer, path, code) in files() {
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else { continue };
        for used in ["crate::", "ahu_engine::"].iter().flat_map(|start| words_after(&code, start)) {
            let known = LAYERS.iter().any(|(name, _)| *name == used);
            let is_message = used == "proto" && module_of_messages(&path).is_some();
            let may = used == layer || allowed.contains(&used.as_str()) || is_message;
            assert!(!known || may, "{} uses {used}", path.display());
            checked += usize::from(known);
        }
    }
    assert!(checked > 50, "{checked} uses were found");
}

#[test]
fn no_command_uses_another_and_no_room_uses_a_command() {
    let files: Vec<_> = files().into_iter().filter(|(layer, ..)| layer == "cli").collect();
    // The part of a file: `duel` for `cli/duel/report.rs`, `watch` for `cli/watch.rs`.
    let part = |path: &Path| {
        let name = path.components().nth(1).expect("a part").as_os_str();
        name.to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    let parts: BTreeSet<_> = files.iter().map(|(_, path, _)| part(path)).filter(|part| part != "mod").collect();
    let all: Vec<_> = ROOMS.iter().map(|(room, _)| *room).collect();
    for (_, path, code) in files.iter().filter(|(_, path, _)| path != Path::new("cli/mod.rs")) {
        let own = part(path);
        let allowed = ROOMS.iter().find(|(room, _)| *room == own).map_or(&all[..], |(_, rooms)| rooms);
        for used in words_after(code, "crate::cli::").iter().filter(|used| **used != own && parts.contains(*used)) {
            assert!(allowed.contains(&used.as_str()), "{} uses {used}", path.display());
        }
        let is_front = path.components().count() == 2 || path.ends_with("mod.rs") && path.components().count() == 3;
        let leaves = code.contains("super::super") || is_front && !words_after(code, "super::").is_empty();
        assert!(!leaves, "{}: expected `crate::cli::` before another part, got `super::`", path.display());
    }
    assert!(all.iter().all(|room| parts.contains(*room)), "{parts:?}");
}

/// Checks the rule for messages below the service: only the modules of messages use `prost`, `prost_types`, and
/// `crate::proto`. In `games` these are the files `wire.rs` and the folders `wire`; in `host` they are `typed.rs`, which
/// packs the messages of any game, and the folder `api`, which reads requests and makes answers. Only builds with the feature
/// `messages` contain them, so without the feature the games, the referee, and the records need no prost. Other files of the
/// host may name a type of these modules, under the same feature.
#[test]
fn below_the_service_only_the_modules_of_the_feature_messages_use_messages() {
    let files = files();
    let mut modules = BTreeSet::new();
    for (layer, path, code) in &files {
        if !["core", "parts", "games", "host"].contains(&layer.as_str()) {
            continue;
        }
        let uses = code.contains("prost") || words_after(code, "crate::").iter().any(|used| used == "proto");
        let module = module_of_messages(path);
        assert!(!uses || module.is_some(), "{} uses messages", path.display());
        modules.extend(module.filter(|_| uses));
    }

    modules.insert((PathBuf::from("engine/lib.rs"), "proto"));
    for (declaring, module) in &modules {
        let (.., code) = files.iter().find(|(_, path, _)| path == declaring).expect("the declaring file exists");
        assert!(declares_for_messages(code, module), "{} declares {module} in all builds", declaring.display());
    }
    let of_host: Vec<_> =
        modules.iter().filter(|(file, _)| file.starts_with("engine/host")).map(|(_, name)| *name).collect();
    assert_eq!(of_host, ["api", "typed"]);
    assert!(modules.iter().filter(|(_, name)| *name == "wire").count() > 4, "{modules:?}");
}

#[test]
fn no_game_uses_another() {
    for (layer, path, code) in files() {
        let mut folders = path.components().skip(2);
        let (Some(game), "games") = (folders.next(), layer.as_str()) else { continue };
        for used in words_after(&code, "crate::games::").into_iter().filter(|used| is_module(used)) {
            assert_eq!(used, game.as_os_str().to_string_lossy(), "{}", path.display());
        }
        assert!(!code.contains("super::super"), "{}", path.display());
    }
}

#[test]
fn only_the_catalog_names_games() {
    for (layer, path, code) in files() {
        if layer != "games" && path != Path::new("engine/host/catalog.rs") {
            let mut named =
                ["crate::games::", "ahu_engine::games::"].iter().flat_map(|start| words_after(&code, start));
            assert!(!named.any(|name| is_module(&name)), "{}", path.display());
        }
    }
}

#[test]
fn rules_have_no_effects_and_below_the_service_nothing_waits() {
    for (layer, path, code) in files() {
        if !["core", "parts", "games", "host"].contains(&layer.as_str()) {
            continue;
        }
        let check = |names: &[&str]| {
            let used: Vec<_> = names.iter().filter(|name| code.contains(**name)).collect();
            assert!(used.is_empty(), "{} uses {used:?}", path.display());
        };
        check(OUTSIDE);
        check(EFFECTS);
        // Below the service only the bench measures time, and searches with a budget of time.
        if ![Path::new("engine/host/speed.rs"), Path::new("engine/host/search/budget.rs")].contains(&&*path) {
            check(CLOCKS);
        }
    }
}

#[test]
fn agents_use_nothing_but_the_protos() {
    let agent = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/rust/random_agent.rs"));
    let agent = agent.expect("it is there");
    assert!(!agent.contains("ahu::") && !agent.contains("use ahu"), "the agent in Rust uses the crate");
}

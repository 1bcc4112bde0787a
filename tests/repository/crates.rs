//! The crates: is the drawing of ARCHITECTURE.md the graph of Cargo?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sources::{at, text};

/// The line before the drawing.
const MARK: &str = "<!-- crates -->";

/// The word for a crate that uses no other.
const NOTHING: &str = "nothing";

/// Each crate with the crates of this repository that it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns the packages of the workspace, as Cargo reads them.
fn packages() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo can be started");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata are JSON");
    metadata["packages"].as_array_mut().map(std::mem::take).expect("metadata have packages")
}

fn name(value: &Value) -> String {
    value["name"].as_str().expect("it has a name").to_owned()
}

/// Returns the graph of the packages: the dependencies of every build. Those of tests and of the fuzzer are left out, and the
/// dependency with which an sdist of the extension has the sources of the program, which no build has (`cfg(any())`).
fn graph(packages: &[Value]) -> Graph {
    let is_edge = |used: &&Value| used["path"].is_string() && used["kind"].is_null() && used["target"].is_null();
    let used = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("a package has dependencies");
        dependencies.iter().filter(is_edge).map(name).collect()
    };
    packages.iter().map(|package| (name(package), used(package))).collect()
}

/// Returns the graph that a page draws in the block below [`MARK`]: a line for each crate, such as `ahu-games ─► ahu-core`.
fn drawing(page: &str) -> Result<Graph, String> {
    let mut lines = page.lines().skip_while(|line| line.trim() != MARK).skip(1);
    if !lines.next().is_some_and(|line| line.starts_with("```")) {
        return Err(format!("expected the line {MARK} and a block in ``` below it"));
    }
    let mut graph = Graph::new();
    for line in lines.take_while(|line| !line.starts_with("```")).filter(|line| !line.trim().is_empty()) {
        let (own, used) = line.split_once("─►").ok_or_else(|| format!("expected CRATE ─► CRATES, got {line:?}"))?;
        let used = used.split(',').map(|name| name.trim().to_owned()).filter(|name| name != NOTHING).collect();
        if graph.insert(own.trim().to_owned(), used).is_some() {
            return Err(format!("expected one line of {}, got another", own.trim()));
        }
    }
    Ok(graph)
}

/// Draws a graph.
fn drawn(graph: &Graph) -> String {
    let width = graph.keys().map(String::len).max().unwrap_or_default();
    let list = |used: &BTreeSet<String>| used.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let line = |(own, used): (&String, &BTreeSet<String>)| match list(used) {
        used if used.is_empty() => format!("{own:width$} ─► {NOTHING}\n"),
        used => format!("{own:width$} ─► {used}\n"),
    };
    format!("{MARK}\n```\n{}```\n", graph.iter().map(line).collect::<String>())
}

#[test]
fn the_drawing_of_the_architecture_is_the_graph_of_cargo() {
    let graph = graph(&packages());
    assert!(graph.len() > 8, "{graph:?}");
    let drawing = drawing(&text("ARCHITECTURE.md"));
    let hint = || format!("expected in ARCHITECTURE.md, in any order:\n\n{}", drawn(&graph));
    let drawing = drawing.unwrap_or_else(|fault| panic!("{fault}; {}", hint()));
    let faults: Vec<_> =
        graph.keys().chain(drawing.keys()).filter(|name| graph.get(*name) != drawing.get(*name)).collect();
    assert!(faults.is_empty(), "the lines of {faults:?} differ; {}", hint());
}

#[test]
fn a_crate_has_the_name_of_its_folder() {
    let folder_and_name = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.strip_prefix(at("crates")).ok()?.parent()?;
        Some((format!("ahu-{}", folder.display()), name(package)))
    };
    let names: Vec<_> = packages().iter().filter_map(folder_and_name).collect();
    assert!(names.len() > 5, "{names:?}");
    assert!(names.iter().all(|(expected, name)| expected == name), "{names:?}");
}

/// Returns the features with which each package is built, for these kinds of dependencies.
fn features(edges: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--workspace", "--offline", "--prefix", "none", "--format", "{p}\t{f}", "--edges", edges]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo can be started");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let mut packages = BTreeMap::<_, BTreeSet<_>>::new();
    for line in String::from_utf8(output.stdout).expect("it is text").lines().filter(|line| !line.is_empty()) {
        let (package, features) = line.trim_end_matches(" (*)").split_once('\t').expect("two columns");
        packages.entry(package.to_owned()).or_default().insert(features.to_owned());
    }
    packages
}

/// With other features, `cargo test` would compile again what `cargo build` has compiled, and all that is built on it.
#[test]
fn tests_share_the_packages_of_the_programs() {
    let (programs, tests) = (features("normal,build"), features("normal,build,dev"));
    assert!(programs.len() > 100, "{programs:?}");
    let other = |(package, features): &(String, BTreeSet<String>)| tests.get(package) != Some(features);
    let others: Vec<_> =
        programs.into_iter().filter(other).map(|(package, had)| (tests[&package].clone(), package, had)).collect();
    assert!(
        others.is_empty(),
        "expected the features of programs in tests too: add them in fuzz/targets/Cargo.toml: {others:#?}"
    );
}

#[test]
fn an_agent_uses_nothing_but_the_protos() {
    let packages = packages();
    let agent = packages.iter().find(|package| name(package) == "random-agent").expect("there is the agent in Rust");
    let dependencies = agent["dependencies"].as_array().expect("a package has dependencies");
    assert!(dependencies.iter().all(|used| used["path"].is_null()), "{dependencies:#?}");
}

#[test]
fn a_drawing_is_read_as_it_is_drawn() {
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let graph = Graph::from([("a".to_owned(), of(&[])), ("bc".to_owned(), of(&["a", "d"]))]);

    assert_eq!(drawing(&format!("# Page\n\n{}\nbc ─► e\n", drawn(&graph))), Ok(graph.clone()));
    assert_eq!(drawing(&format!("{MARK}\n```text\nbc─►d,a\n\n a ─► nothing\n```")), Ok(graph));
    for wrong in ["a ─► b", "<!-- crates -->\na ─► b", "<!-- crates -->\n```\na -> b\n```"] {
        assert!(drawing(wrong).is_err(), "{wrong}");
    }
    assert!(drawing(&format!("{MARK}\n```\na ─► b\na ─► b\n```")).is_err(), "a crate twice");
}

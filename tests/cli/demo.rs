//! The scripts of the first minutes, `agents/demo`, `.ci/test`, and `.ci/check`: missing tools, and the output of the demo.
//!
//! The demo runs with a `cargo` that builds nothing: it links the programs that cargo has built for these tests.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A `cargo` that reaches its registry. It writes its calls that build into the file `built`.
const CARGO: &str = r#"case "$1" in
    --version) echo "cargo 1.99.0 (0123456789 2026-01-01)" ;;
    build) echo "$@" >> "$FAKES/built"; mkdir -p "$CARGO_TARGET_DIR/debug"
        ln -sf "$AHU" "$CARGO_TARGET_DIR/debug/ahu"; ln -sf "$AGENT" "$CARGO_TARGET_DIR/debug/random-agent" ;;
esac"#;

/// The programs of every Unix system that the scripts call.
const USUAL: [&str; 10] = ["bash", "cat", "cut", "dirname", "head", "ln", "mkdir", "sed", "sort", "tail"];

/// A folder of programs that is the whole PATH.
struct Fakes(TempDir);

impl Fakes {
    /// Makes a folder with all programs that the scripts need. The programs `cargo`, `cc`, and `python3` are fakes.
    fn new() -> Self {
        let fakes = Self(tempfile::tempdir().expect("a folder"));
        for program in USUAL {
            symlink(found(program), fakes.0.path().join(program)).expect("a link");
        }
        fakes.put("cargo", CARGO).put("cc", "").put("python3", "echo 3.11.2")
    }

    /// Puts a script into the folder, in place of a program with its name.
    fn put(self, name: &str, script: &str) -> Self {
        let path = self.0.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        self
    }

    /// Removes a program.
    fn without(self, name: &str) -> Self {
        fs::remove_file(self.0.path().join(name)).expect("it was there");
        self
    }

    /// Runs a script of the repository with these programs alone, and returns its output.
    fn run(&self, script: &str) -> Output {
        let target = self.0.path().join("target");
        let mut command = Command::new(found("bash"));
        command.arg(repository().join(script)).env_clear().env("PATH", self.0.path()).env("FAKES", self.0.path());
        command.env("CARGO_TARGET_DIR", target).output().expect("bash starts")
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the path of a program of this machine.
fn found(program: &str) -> PathBuf {
    let path = env::var_os("PATH").expect("there is a PATH");
    let found = env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{program} is installed"))
}

/// Returns the exit code and the error output of a script, and checks that it printed nothing else and built nothing.
fn refused(fakes: &Fakes, script: &str) -> (Option<i32>, String) {
    let output = fakes.run(script);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(!fakes.0.path().join("built").exists(), "it builds before it has looked for everything");
    (output.status.code(), String::from_utf8(output.stderr).expect("errors are text"))
}

#[test]
fn a_missing_tool_is_named_in_one_line_before_anything_is_built() {
    let no_network = CARGO.replace("build)", "fetch) echo 'many lines' >&2; exit 101 ;;\n    build)");
    let cases = [
        (Fakes::new().without("cargo"), "cargo is missing: install Rust 1.90 or later, as https://rustup.rs explains"),
        (
            Fakes::new().put("cargo", "echo 'cargo 1.9.0 (0123456789 2016-05-26)'"),
            "expected Rust 1.90 or later, got 1.9.0: run `rustup update stable`",
        ),
        (
            Fakes::new().put("cargo", "echo 'no default toolchain' >&2; exit 1"),
            "expected Rust 1.90 or later, got none: run `rustup update stable`",
        ),
        (
            Fakes::new().without("cc"),
            "the C compiler cc is missing: install gcc or clang (Debian: apt-get install gcc libc6-dev)",
        ),
        (Fakes::new().without("python3"), "python3 is missing: install Python 3.11 or later"),
        (
            Fakes::new().put("python3", "echo 3.9.2"),
            "expected python3 to be Python 3.11 or later, got 3.9.2: install it",
        ),
        (
            Fakes::new().put("python3", r#"case "$2" in *venv*) exit 1 ;; *) echo 3.11.2 ;; esac"#),
            "the module venv of python3 is missing: install it (Debian: apt-get install python3-venv)",
        ),
        (
            Fakes::new().put("cargo", &no_network),
            "cargo cannot download packages: connect to a network; `cargo fetch` names the reason",
        ),
    ];
    for (fakes, expected) in cases {
        for script in ["agents/demo", ".ci/test", ".ci/check"] {
            assert_eq!(refused(&fakes, script), (Some(1), format!("error: {expected}\n")), "{script}");
        }
    }
    let no_clippy = CARGO.replace("build)", "clippy) exit 101 ;;\n    build)");
    let (code, error) = refused(&Fakes::new().put("cargo", &no_clippy), ".ci/check");
    assert_eq!(
        (code, &*error),
        (Some(1), "error: cargo clippy is missing: run `rustup component add rustfmt clippy`\n")
    );
}

/// Runs the demo with the programs of these tests, and with this agent in Rust.
fn demo(agent: &Path, arguments: &[&str]) -> (TempDir, Output) {
    let fakes = Fakes::new();
    let target = fakes.0.path().join("elsewhere");
    fs::create_dir(&target).expect("the folder is ours");
    // The demo has everything of this machine but cargo.
    for program in USUAL.into_iter().chain(["cc", "python3"]) {
        fs::remove_file(fakes.0.path().join(program)).expect("it was there");
    }
    let path = env::var_os("PATH").expect("there is a PATH");
    let folders = [fakes.0.path().to_owned()].into_iter().chain(env::split_paths(&path));
    let mut command = Command::new("bash");
    command.arg(repository().join("agents/demo")).args(arguments).env("PATH", env::join_paths(folders).expect("paths"));
    command.env("FAKES", fakes.0.path()).env("CARGO_TARGET_DIR", target);
    let output = command.env("AHU", env!("CARGO_BIN_EXE_ahu")).env("AGENT", agent).output().expect("bash starts");
    (fakes.0, output)
}

#[test]
fn the_demo_shows_a_match_on_a_page_or_all_of_it() {
    let (folder, output) = demo(&crate::rust_agent(), &[]);
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{errors}");
    assert!(out.starts_with("This is Rappa Nui, a deck game in which "), "{out}");
    let sentences = out.lines().take_while(|line| !line.is_empty()).filter(|line| line.ends_with('.')).count();
    assert_eq!(sentences, 3, "{out}");
    assert_eq!(out.matches("the game is over: seat 0 has ").count(), 1, "the end of the last turns: {out}");
    assert_eq!(out.matches("Rappa Nui: the game is over after turn ").count(), 1, "the table: {out}");
    assert_eq!(out.matches("  seat  player").count(), 1, "the result: {out}");
    assert!(out.contains("random_agent.py ") && out.contains("random-agent ") && out.contains("greedy@2 "), "{out}");
    let steps = folder.path().join("elsewhere/debug/ahu").display().to_string();
    assert_eq!(out.matches(&steps).count(), 3, "the next steps name the program that was built: {out}");
    assert!(out.lines().count() < 60, "{out}");
    assert!(errors.lines().count() < 5, "{errors}");
    let built = fs::read_to_string(folder.path().join("built")).expect("cargo was called");
    assert_eq!(built.lines().count(), 1, "{built}");

    let record = folder.path().join("match.txt").display().to_string();
    let (_, output) = demo(&crate::rust_agent(), &["--verbose", "--record", &record]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}{}", String::from_utf8_lossy(&output.stderr));
    assert!(out.lines().count() > 300 && out.contains("   1  --- turn 1: seat 0 ---\n"), "{out}");
    assert!(Path::new(&record).exists());
}

#[test]
fn the_demo_fails_if_a_player_forfeits() {
    let folder = tempfile::tempdir().expect("a folder");
    let agent = folder.path().join("agent");
    fs::write(&agent, "#!/bin/sh\necho 'no such module' >&2\nexit 3\n").expect("it can be written");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("the file is ours");

    for arguments in [&[][..], &["--verbose"]] {
        let (_fakes, output) = demo(&agent, arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{errors}");
        assert!(
            errors.contains("error: --strict: expected no forfeit, got that of seat 1 (its program exited)\n"),
            "{errors}"
        );
        assert!(!String::from_utf8_lossy(&output.stdout).contains("Next steps:"));
    }
    let (_fakes, output) = demo(&agent, &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no such module"), "the error of the agent is shown");
}

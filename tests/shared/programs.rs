//! The example agents as programs, for tests of the service and of the program. A file that several tests include by its path.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the top folder of the repository.
pub(crate) fn repository() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("proto").is_dir()).expect("the package is in the repository")
}

/// Returns the interpreter of a virtual environment: see `agents/python/environment`, which installs it if necessary.
pub(crate) fn python(what: &str) -> String {
    let made = Command::new("bash").arg(repository().join("agents/python/environment")).arg(what).output();
    let made = made.expect("bash is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("a path is text").trim().to_owned()
}

/// Returns the command of the agent in TypeScript, which `agents/typescript/build` builds, if this machine has Node and npm.
pub(crate) fn typescript_agent() -> Option<String> {
    static AGENT: OnceLock<Option<String>> = OnceLock::new();
    let needed = ["node", "npm"];
    let command = || has("the agent in TypeScript", &needed).then(|| format!("node '{}'", built("typescript")));
    AGENT.get_or_init(command).clone()
}

/// Returns the command of the agent in Go, which `agents/go/build` builds, if this machine has Go and Debian's packages of
/// gRPC.
pub(crate) fn go_agent() -> Option<String> {
    static AGENT: OnceLock<Option<String>> = OnceLock::new();
    let packages = "/usr/share/gocode/src/google.golang.org";
    let needed = ["go", &format!("{packages}/grpc"), &format!("{packages}/protobuf")];
    let command = || has("the agent in Go", &needed).then(|| format!("'{}'", built("go")));
    AGENT.get_or_init(command).clone()
}

/// Returns true if this machine has these programs or files. Prints that a test is skipped if not.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn has(what: &str, programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |file: &str| std::env::split_paths(&path).any(|folder| folder.join(file).exists());
    let missing: Vec<_> = programs.iter().filter(|program| !is_there(program)).collect();
    if !missing.is_empty() {
        println!("skipped {what}: this machine does not have {missing:?}");
    }
    missing.is_empty()
}

/// Builds the agent in this folder of `agents/`, and returns its path.
fn built(folder: &str) -> String {
    let built = Command::new("bash").arg(repository().join("agents").join(folder).join("build")).output();
    let built = built.expect("bash is installed");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    String::from_utf8(built.stdout).expect("a path is text").trim().to_owned()
}

/// Returns the path of the agent in Rust, which `cargo build` puts beside the program.
pub(crate) fn rust_agent() -> PathBuf {
    // The programs lie in the folder above the one with the tests.
    let test = std::env::current_exe().expect("the system knows it");
    let path = test.parent().expect("a folder").with_file_name("random-agent");
    assert!(path.exists(), "expected {}: run `cargo build` before the tests", path.display());
    path
}

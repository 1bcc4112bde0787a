//! `ahu cup run --server`: cups whose matches a server elsewhere hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use super::cup::{Cup, HEAD, LINES, Remote, SHORT, free_port};
use super::cup_organiser::{Team, until};
use super::printed;
use super::served::Served;
use crate::programs::python;

/// A server that admits an organiser.
pub(super) struct Server {
    pub(super) served: Served,
    folder: TempDir,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("organiser.key").display().to_string();
        let served = Served::start(&folder.path().join("data"), &[&["--organiser-key", &key], more].concat());
        Self { served, folder }
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("organiser.key")
    }

    pub(super) fn port(&self) -> u16 {
        self.served.address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port")
    }

    /// Returns the options of a run on this server.
    pub(super) fn options(&self) -> [String; 4] {
        let key = self.key().display().to_string();
        ["--server".to_owned(), self.served.address.clone(), "--organiser-key".to_owned(), key]
    }
}

/// Returns the command of the agent in Python.
pub(super) fn python_agent() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/python/random_agent.py");
    format!("'{}' '{}'", python("agents"), script.display())
}

/// A cup of two commands, a remote agent, and a bot, in two stages.
fn cup() -> Cup {
    let text = format!(
        "{HEAD}[[stage]]\nname = \"groups\"\ngame = \"rapanui_cards\"\nblocks = 1\nadvance = 3\n\
         [[stage]]\nname = \"final\"\ngame = \"giants\"\n{SHORT}seats = 3\nblocks = 1\ndesign = \"cyclic\"\n\
         [[agent]]\nname = \"py\"\ncmd = \"{}\"\n\
         [[agent]]\nname = \"rust\"\ncmd = \"'{}'\"\n\
         [[agent]]\nname = \"far\"\nremote = true\n\
         [[agent]]\nname = \"greedy\"\nbot = \"greedy\"\n",
        python_agent(),
        crate::rust_agent().display(),
    );
    Cup::new(&text).with_salt()
}

#[test]
fn a_cup_on_a_server_ends_as_one_at_home_though_both_are_killed() {
    let home = cup();
    let port = free_port();
    let far = Remote::start(&home, &python_agent(), port);
    let whole = home.plays(&["--listen", &format!("127.0.0.1:{port}")]);
    assert_eq!(home.forfeits(), Vec::<Value>::new());
    drop(far);
    let games = usize::try_from(whole["games"].as_u64().expect("a number")).expect("some");

    let mut server = Server::start();
    let options = server.options();
    let options = options.each_ref().map(String::as_str);
    let cup = cup();
    let _far = Remote::start(&cup, &python_agent(), server.port());
    for (percent, is_server) in [(10, false), (40, true), (60, false), (80, true)] {
        let mut run = cup.starts_until(games * percent / 100, &options);
        if is_server {
            // The run goes on with the server that has started anew.
            server.served.crash();
            drop(run.kill().and_then(|()| run.wait()));
        } else {
            run.kill().expect("it is ours");
            run.wait().expect("it is ours");
        }
    }
    let table = cup.plays(&options);
    assert_eq!(table, whole, "the final table");
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
}

#[test]
fn a_run_outlives_its_server() {
    let mut server = Server::start();
    let options = server.options();
    let options = options.each_ref().map(String::as_str);
    let cup = cup();
    let _far = Remote::start(&cup, &python_agent(), server.port());
    let mut run = cup.starts_until(3, &options);
    server.served.crash();
    assert!(run.wait().expect("it is ours").success());
    assert_eq!(cup.forfeits(), Vec::<Value>::new(), "all agents come back");
    cup.does("verify", &[]);
}

#[test]
fn a_run_and_its_agents_go_on_after_a_restore_from_a_backup() {
    let mut server = Server::start_with(&["--require-key"]);
    let options = server.options();
    let options = options.each_ref().map(String::as_str);
    let text = format!(
        "game = \"giants\"\n{SHORT}seats = 3\nblocks = 1\ndesign = \"cyclic\"\n{HEAD}[[agent]]\nname = \"far\"\nremote = true\n\
         [[agent]]\nname = \"plain\"\nremote = true\n[[agent]]\nname = \"near\"\nremote = true\n[[agent]]\nname = \"rust\"\ncmd = \"'{}'\"\n",
        crate::rust_agent().display(),
    );
    let cup = Cup::new(&text);
    cup.does("keys", &["--out", "keys"]);
    // Nobody starts the agents again.
    let agent = "import ahu, random; ahu.connect(lambda turn: random.choice(list(turn.legal_ids)))";
    let mut package = Command::new(python("agents"));
    package.args(["-c", agent]).env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/python"));
    let mut far = Team::start_agent(&cup, "far", server.port(), package);
    let mut plain = Team::start(&cup, "plain", server.port());
    let mut near = Team::start_agent(&cup, "near", server.port(), Command::new(crate::rust_agent()));
    let backup = server.folder.path().join("backup.db").display().to_string();
    let data = server.folder.path().join("data").display().to_string();
    // The backup lacks all matches.
    printed(&["data", "backup", "--data", &data, &backup]);
    let mut run = cup.starts_until(2, &options);
    server.served.kill();
    printed(&["data", "restore", "--force", &backup, "--data", &data]);
    server.served.start_again();
    until("an end", || {
        run.try_wait().expect("it is ours").is_some()
            || ![&mut far, &mut plain, &mut near].into_iter().all(Team::is_running)
    });
    if let Some(status) = run.try_wait().expect("it is ours") {
        assert!(status.success(), "the run goes on");
    }
    assert!([&mut far, &mut plain, &mut near].into_iter().all(Team::ends), "the agents go on");
    assert!(run.wait().expect("it is ours").success());
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
    cup.does("verify", &[]);
}

#[test]
fn games_of_shared_luck_are_sealed_on_a_server() {
    let text = format!(
        "game = \"rapanui_cards\"\nseats = 3\nblocks = 1\nluck = \"shared\"\n{HEAD}\
         [[agent]]\nname = \"py\"\ncmd = \"{}\"\n\
         [[agent]]\nname = \"random\"\nbot = \"random\"\n[[agent]]\nname = \"greedy\"\nbot = \"greedy\"\n",
        python_agent(),
    );
    let whole = Cup::new(&text).with_salt().plays(&[]);
    let server = Server::start();
    let options = server.options();
    let options = options.each_ref().map(String::as_str);
    let cup = Cup::new(&text).with_salt();
    let sealed = || -> usize {
        let store = Connection::open(server.folder.path().join("data/ahu.db")).expect("a store");
        // A match that was cancelled stays sealed.
        let count = "SELECT count(*) FROM match WHERE sealed = 1 AND state = 3";
        store.query_row(count, [], |row| row.get(0)).expect("a number")
    };
    let mut run = cup.starts_until(2, &options);
    run.kill().and_then(|()| run.wait()).expect("it is ours");
    assert!(sealed() >= 2, "games with the same chance are still to come");
    let table = cup.plays(&options);
    assert_eq!(table, whole);
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
    assert_eq!(sealed(), 0, "also those of the run that was killed");
}

#[test]
fn a_server_admits_its_organiser_alone() {
    let text = format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"random\"\nbot = \"random\"\n");
    let cup = Cup::new(&text);
    let server = Server::start();
    let wrong = cup.folder.path().join("wrong.key");
    fs::write(&wrong, "00000000000000000000\n").expect("it is new");
    let [_, address, ..] = server.options();
    let (code, error) = cup.refuses("run", &["--server", &address, "--organiser-key", &wrong.display().to_string()]);
    let expected = format!("the server at {address} refuses: the token is not the key of the organiser of this server");
    assert!(code == 1 && error.contains(&expected), "{error}");
    let (code, error) = cup.refuses("run", &["--server", &address]);
    assert!(code == 2 && error.contains("--organiser-key <FILE>"), "{error}");
    let nobody = "127.0.0.1:1";
    let key = server.key().display().to_string();
    let (code, error) = cup.refuses("run", &["--server", nobody, "--organiser-key", &key]);
    assert!(code == 1 && error.contains(&format!("cannot reach a server at {nobody}")), "{error}");

    let lines = Cup::new(&format!("{text}[[agent]]\nname = \"lines\"\ncmd = \"jsonl:python3 lines.py\"\n"));
    fs::write(lines.folder.path().join("lines.py"), LINES).expect("it is new");
    for command in ["check", "run"] {
        let (code, error) = lines.refuses(command, &["--server", &address, "--organiser-key", &key]);
        assert!(code == 2 && error.contains("agent lines: expected a program that calls the server"), "{error}");
    }
    // What was refused has not begun, so the mended file is another cup.
    fs::write(lines.file(), text.replace("blocks = 1", "blocks = 2")).expect("a file");
    // Nothing listens at the first address.
    let addresses = format!("{nobody},{address}");
    assert_eq!(lines.plays(&["--server", &addresses, "--organiser-key", &key])["games"], 4);
}

#[test]
fn a_check_starts_programs_as_the_run_does() {
    let text = |command: &str, luck: &str| {
        format!(
            "game = \"giants\"\n{SHORT}seats = 3\nblocks = 1\nluck = \"{luck}\"\n{HEAD}[[agent]]\nname = \"lines\"\n\
             cmd = \"{command}\"\n[[agent]]\nname = \"random\"\nbot = \"random\"\n",
        )
    };
    let server = Server::start();
    let options = server.options();
    let options = options.each_ref().map(String::as_str);
    let python = python("agents");
    // A program that plays with a key alone gets none on a server, and none in games with the same chance.
    let needs_key = text(&format!("test -n \\\"$AHU_KEY\\\" && exec {}", python_agent()), "own");
    let cup = Cup::new(&needs_key);
    assert!(cup.does("check", &[]).starts_with("ok "));
    let (code, error) = cup.refuses("check", &options);
    assert!(code == 3 && error.contains("1 of 1 checks failed"), "{error}");
    let (code, error) = Cup::new(&needs_key.replace("\"own\"", "\"shared\"")).refuses("check", &[]);
    assert!(code == 3 && error.contains("1 of 1 checks failed"), "{error}");

    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/python");
    let lines = format!("PYTHONPATH='{}' '{python}' -m ahu.lines '{python} lines.py'", package.display());
    let cup = Cup::new(&text(&lines, "shared"));
    fs::write(cup.folder.path().join("lines.py"), LINES).expect("it is new");
    assert!(cup.does("check", &options).starts_with("ok "));
    cup.plays(&options);
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
}

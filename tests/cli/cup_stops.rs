//! Cups that stand still, and runs that are asked to end.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;

use super::cup::{Cup, HEAD, bots};
use super::cup_organiser::until;
use super::cup_server::Server;

/// A run whose news are read.
struct Run {
    process: Child,
    news: BufReader<ChildStderr>,
}

impl Run {
    /// Starts a run with these options, whose files may have this size, in KiB.
    fn start(cup: &Cup, more: &[&str], file_limit: &str) -> Self {
        let run = cup.command("run", &[&["--concurrency", "2"], more].concat());
        let mut shell = Command::new("bash");
        // Without the trap, the first write beyond the limit would end the process.
        shell.args(["-c", &format!("trap '' XFSZ; ulimit -S -f {file_limit}; exec \"$0\" \"$@\"")]);
        shell.arg(run.get_program()).args(run.get_args());
        let mut process = shell.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
        let news = BufReader::new(process.stderr.take().expect("it is a pipe"));
        Self { process, news }
    }

    /// Reads the news up to a line with this text.
    fn tells(&mut self, text: &str) {
        let mut seen = String::new();
        while !seen.contains(text) {
            let length = self.news.read_line(&mut seen).expect("text");
            assert!(length > 0, "expected \"{text}\", got the end of {seen}");
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).expect("it runs");
    }

    /// Waits for the end, and returns its code.
    fn ends(&mut self) -> Option<i32> {
        self.process.wait().expect("it is ours").code()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_run_that_is_asked_to_end_says_what_it_waits_for_and_does_not_wait_for_a_server_that_is_gone() {
    let text =
        format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"hangs\"\ncmd = \"sleep 600\"\n");
    let waits = "the run ends after the games in progress: main/0.0, main/0.1; a second signal ends it at once\n";
    let begun = |cup: &Cup| cup.events().iter().filter(|event| event["event"] == "start").count() == 2;
    let cup = Cup::new(&text);
    let mut run = Run::start(&cup, &[], "unlimited");
    until("two games", || begun(&cup));
    run.signal(Signal::INT);
    run.tells(waits);
    run.signal(Signal::INT);
    assert_eq!(run.ends(), Some(130));

    let mut server = Server::start();
    let options = server.options();
    let cup = Cup::new(&text);
    let mut run = Run::start(&cup, &options.each_ref().map(String::as_str), "unlimited");
    until("two games", || begun(&cup));
    run.signal(Signal::TERM);
    run.tells(waits);
    server.served.kill();
    assert_eq!(run.ends(), Some(143));
}

/// A program of the line protocol that stands still at its third decision, until it is started again.
const PAUSES: &str = r#"import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        if message["decision"] == 3 and not os.path.exists("stands"):
            open("stands", "w").close()
            time.sleep(600)
        print(message["legal"][0]["action_id"], flush=True)
"#;

#[test]
fn a_game_of_a_command_goes_on_after_a_kill_if_the_clock_has_room_for_a_new_start() {
    for (clock, startup, goes_on) in [("limit", "20s", true), ("limit", "40s", false), ("bank", "20s", false)] {
        let text = format!(
            "game = \"rapanui_cards\"\nblocks = 1\n[cup]\nname = \"c\"\nanchor = \"greedy\"\n[clock]\n{clock} = \"30s\"\n\
             startup = \"{startup}\"\n[[agent]]\nname = \"own\"\ncmd = \"jsonl:python3 stands.py\"\n"
        );
        let cup = Cup::new(&text);
        fs::write(cup.folder.path().join("stands.py"), PAUSES).expect("it is new");
        let mut run = cup.starts_until(0, &[]);
        until("the third decision", || cup.folder.path().join("stands").exists());
        run.kill().and_then(|()| run.wait()).expect("it is ours");
        cup.plays(&[]);
        assert_eq!(cup.forfeits(), Vec::<Value>::new());
        let begun = cup.events().iter().filter(|event| event["event"] == "start").count();
        assert_eq!(begun == 2, goes_on, "{clock} {startup}: {begun} starts of 2 games");
    }
}

#[test]
fn a_cup_whose_disk_is_full_says_so_ends_at_the_first_signal_and_goes_on_when_there_is_room() {
    const STANDS: &str = "all games stand still until the store can be written: ";
    let text = format!("game = \"rapanui_cards\"\nblocks = 5\n{HEAD}{}", bots(&["a", "b"]));
    let cup = Cup::new(&text);
    let mut run = Run::start(&cup, &[], "200");
    run.tells(STANDS);
    run.signal(Signal::INT);
    assert_eq!(run.ends(), Some(130));

    // The last line was cut off within a character.
    let journal = cup.data().join("journal.jsonl");
    let mut journal = File::options().append(true).open(journal).expect("a file");
    journal.write_all(b"{\"at\":\"2026-11-28T06:00:45.877Z\",\"reason\":\"m\xC3").expect("it is written");
    let mut run = Run::start(&cup, &[], "200");
    run.tells(STANDS);
    let lifted = Rlimit { current: None, maximum: None };
    prlimit(Some(Pid::from_child(&run.process)), Resource::Fsize, lifted).expect("it is ours");
    run.tells("the store can be written again, and the games go on");
    assert_eq!(run.ends(), Some(0));
    cup.does("verify", &[]);
    assert_eq!(cup.results(), 30);
}

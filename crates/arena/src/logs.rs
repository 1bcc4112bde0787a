//! The output of programs in a run: a log file for each agent, and the last lines of each program for errors.

use std::collections::VecDeque;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::Agent;
use crate::programs::cleaned;
use crate::{Error, lock};

/// The maximum size of a log file, in bytes.
const MAX_FILE: usize = 64 * 1024 * 1024;
/// The maximum size of the lines that a sealed game holds back, in bytes.
const MAX_HELD: usize = 1024 * 1024;
const FULL: &str = "(the log is full: further output is left out)\n";
/// The number of last lines that are kept for errors.
const LAST: usize = 10;

/// The logs of all agents, in the order of the agents.
pub struct Logs(Vec<Arc<Mutex<LogFile>>>);

/// The log file of an agent.
struct LogFile {
    /// None if the output is not kept.
    file: Option<File>,
    /// The number of bytes by which the file may still grow.
    left: usize,
}

/// The output of one program, over all its games. Clones share it.
#[derive(Clone)]
pub struct ProgramLog(Arc<Mutex<Lines>>);

struct Lines {
    file: Arc<Mutex<LogFile>>,
    /// The name of the game in progress, with which each line begins.
    label: String,
    last: VecDeque<String>,
    /// The lines of a sealed game; None if lines are written at once.
    held: Option<Held>,
}

/// The lines that a sealed game holds back.
#[derive(Default)]
struct Held {
    text: String,
    is_full: bool,
}

impl Held {
    /// Adds a line, unless the limit is reached. Then the last line says so.
    fn add(&mut self, line: &str) {
        if self.is_full {
            return;
        }
        self.is_full = self.text.len() + line.len() > MAX_HELD;
        self.text.push_str(if self.is_full { FULL } else { line });
    }
}

impl Logs {
    /// Opens a file in this folder for each agent that is a program, and appends to it. Without a folder, only the last lines of
    /// each program are kept.
    pub fn open(folder: Option<&Path>, agents: &[Agent]) -> Result<Self, Error> {
        let open = |agent: &Agent| {
            let Some(folder) = folder.filter(|_| agent.is_program()) else {
                return Ok(Arc::new(Mutex::new(LogFile { file: None, left: 0 })));
            };
            let path = folder.join(format!("{}.log", agent.name));
            let cannot = Error::cannot("write", &path);
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(cannot)?;
            let file = File::options().append(true).create(true).open(&path).map_err(cannot)?;
            let size = file.metadata().map_err(cannot)?.len();
            let left = MAX_FILE.saturating_sub(usize::try_from(size).unwrap_or(usize::MAX));
            Ok(Arc::new(Mutex::new(LogFile { file: Some(file), left })))
        };
        agents.iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Returns a new log for a program of the agent with this number.
    pub fn of(&self, player: usize) -> ProgramLog {
        let file = Arc::clone(&self.0[player]);
        ProgramLog(Arc::new(Mutex::new(Lines { file, label: String::new(), last: VecDeque::new(), held: None })))
    }
}

impl ProgramLog {
    /// Names the game to which the next lines belong. The lines of a sealed game are held back until [`Self::release`], so that
    /// no program can read them during another game with the same chance.
    pub fn begin(&self, label: String, is_sealed: bool) {
        let mut lines = lock(&self.0);
        lines.label = label;
        lines.last.clear();
        lines.held = is_sealed.then(Held::default);
    }

    /// Writes the lines that were held back.
    pub fn release(&self) {
        let mut lines = lock(&self.0);
        if let Some(held) = lines.held.take() {
            lock(&lines.file).write(&held.text);
        }
    }

    /// Returns the last lines of the game in progress, without its label.
    pub fn last(&self) -> Vec<String> {
        lock(&self.0).last.iter().cloned().collect()
    }
}

impl Write for ProgramLog {
    /// Takes whole lines.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut lines = lock(&self.0);
        for line in String::from_utf8_lossy(bytes).lines() {
            let line = cleaned(line);
            let whole = format!("{} {line}\n", lines.label);
            match &mut lines.held {
                Some(held) => held.add(&whole),
                None => lock(&lines.file).write(&whole),
            }
            if lines.last.len() == LAST {
                lines.last.pop_front();
            }
            lines.last.push_back(line);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogFile {
    /// Writes lines, unless the file is full. The last line of a full file says so.
    fn write(&mut self, lines: &str) {
        let Some(file) = &mut self.file else { return };
        let (text, left) = match self.left.checked_sub(lines.len()) {
            Some(left) => (lines, left),
            None if self.left > 0 => (FULL, 0),
            None => return,
        };
        self.left = left;
        // Ignore errors: a full disk must not end the run, whose results are worth more than its logs.
        let _ = file.write_all(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn log(left: usize) -> (tempfile::TempDir, ProgramLog) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Some(File::create(folder.path().join("a.log")).expect("it is new"));
        let file = Arc::new(Mutex::new(LogFile { file, left }));
        let lines = Lines { file, label: String::new(), last: VecDeque::new(), held: None };
        (folder, ProgramLog(Arc::new(Mutex::new(lines))))
    }

    fn written(folder: &tempfile::TempDir) -> String {
        fs::read_to_string(folder.path().join("a.log")).expect("it exists")
    }

    #[test]
    fn lines_are_labelled_and_have_no_control_characters() {
        let (folder, mut log) = log(1000);
        log.begin("[3.1 seat 0]".to_owned(), false);
        log.write_all(b"one\ttwo\n\x1b[31mred\x07\n").expect("it takes all");
        assert_eq!(written(&folder), "[3.1 seat 0] one\ttwo\n[3.1 seat 0] \\u{1b}[31mred\\u{7}\n");
        assert_eq!(log.last(), ["one\ttwo", "\\u{1b}[31mred\\u{7}"]);
    }

    #[test]
    fn a_full_log_says_so_once_and_the_last_lines_go_on() {
        let (folder, mut log) = log(20);
        log.begin("[x]".to_owned(), false);
        for number in 0..20 {
            log.write_all(format!("line {number}\n").as_bytes()).expect("it takes all");
        }
        assert_eq!(written(&folder), "[x] line 0\n(the log is full: further output is left out)\n");
        assert_eq!(log.last().first().map(String::as_str), Some("line 10"));
        assert_eq!(log.last().len(), 10);
        log.write_all("x".repeat(3000).as_bytes()).expect("it takes all");
        assert_eq!(log.last().last().map(String::len), Some(2003));
    }

    #[test]
    fn the_lines_of_a_sealed_game_come_when_it_is_released() {
        let (folder, mut log) = log(1000);
        log.begin("[x]".to_owned(), true);
        writeln!(log, "a card").expect("it takes all");
        assert_eq!(written(&folder), "");
        log.release();
        assert_eq!(written(&folder), "[x] a card\n");
    }
}

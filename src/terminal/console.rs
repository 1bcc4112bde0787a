//! The lines that a person types. At a terminal the person can edit them; from a pipe or a file they are read as they are.
//!
//! A thread reads the lines, so that a match goes on while nobody types: it can end, a clock can run out, and a program can exit.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::CliError;
use crate::terminal::{is_interactive, keep_settings};

/// The interval at which a wait for a line checks that the line is still needed.
const LOOK: Duration = Duration::from_millis(50);
/// The values of `TERM` for terminals without line editing.
const PLAIN: [&str; 4] = ["", "dumb", "cons25", "emacs"];

/// The input of the people at this terminal.
pub(crate) struct Console {
    asking: Sender<LineRequest>,
    typed: Receiver<ReadLine>,
    /// True while the thread waits for a line.
    is_reading: bool,
    /// True if the line editor shows the prompt. Otherwise this struct prints it.
    edits: bool,
}

/// A request for a line.
struct LineRequest {
    prompt: String,
    /// The lines that the Tab key completes.
    words: Vec<String>,
}

/// A line, or the reason why no further line will come.
type ReadLine = Result<String, String>;

impl Console {
    pub(crate) fn start() -> Self {
        let (asking, questions) = mpsc::channel();
        let (answering, typed) = mpsc::channel();
        let edits = is_interactive() && !PLAIN.contains(&std::env::var("TERM").unwrap_or_default().as_str());
        if edits {
            keep_settings();
        }
        thread::spawn(move || match edits {
            true => edit_lines(&questions, &answering),
            false => read_lines(&questions, &answering),
        });
        Self { asking, typed, is_reading: false, edits }
    }

    /// Asks for a line, and returns it without leading and trailing spaces. Returns None as soon as `is_open` says that nobody
    /// needs the line any more; the request then stays open, and the next call gets its line. An error says why no line will
    /// come.
    pub(crate) fn line(
        &mut self,
        prompt: &str,
        words: Vec<String>,
        is_open: &mut dyn FnMut() -> bool,
        out: &mut dyn Write,
    ) -> Result<Option<String>, CliError> {
        if !self.edits || self.is_reading {
            write!(out, "{prompt}")?;
        }
        out.flush()?;
        if !self.is_reading {
            // This fails only after the end of the input, which `typed` reports.
            let _ = self.asking.send(LineRequest { prompt: prompt.to_owned(), words });
            self.is_reading = true;
        }
        loop {
            let typed = match self.typed.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) if is_open() => continue,
                Err(RecvTimeoutError::Timeout) => {
                    writeln!(out)?;
                    return Ok(None);
                }
                Err(RecvTimeoutError::Disconnected) => Err("stdin was closed".to_owned()),
                Ok(typed) => typed,
            };
            self.is_reading = false;
            return typed.map(|line| Some(line.trim().to_owned())).map_err(CliError::Failed);
        }
    }

    /// Asks for a line, and waits for it; None at the end of the input.
    pub(crate) fn line_or_end(&mut self, prompt: &str, out: &mut dyn Write) -> Result<Option<String>, CliError> {
        match self.line(prompt, Vec::new(), &mut || true, out) {
            Err(CliError::Failed(_)) => Ok(None),
            typed => typed,
        }
    }
}

/// Reads a line from stdin for each request.
fn read_lines(questions: &Receiver<LineRequest>, answering: &Sender<ReadLine>) {
    let mut input = io::stdin().lock();
    for _ in questions {
        let mut line = Vec::new();
        let typed = match input.read_until(b'\n', &mut line) {
            Ok(0) => Err("stdin was closed".to_owned()),
            Ok(_) => Ok(String::from_utf8_lossy(&line).into_owned()),
            Err(error) => Err(format!("stdin cannot be read ({})", error.kind())),
        };
        if answering.send(typed).is_err() {
            return;
        }
    }
}

/// Reads a line from the line editor for each request.
fn edit_lines(questions: &Receiver<LineRequest>, answering: &Sender<ReadLine>) {
    // If several words match, the Tab key lists them, and inserts nothing.
    let config = Config::builder()
        .auto_add_history(true)
        .bracketed_paste(false)
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .build();
    let mut editor = match Editor::<Words, DefaultHistory>::with_config(config) {
        Ok(editor) => editor,
        Err(error) => {
            let _ = answering.send(Err(format!("the terminal cannot be read ({error})")));
            return;
        }
    };
    for LineRequest { prompt, words } in questions {
        editor.set_helper(Some(Words(words)));
        let typed = match editor.readline(&prompt) {
            Ok(line) => Ok(line),
            Err(ReadlineError::Interrupted) => {
                // The line editor turns the signal of Ctrl-C off. Send the signal, so that Ctrl-C has the same effect as
                // elsewhere.
                let _ = kill_process(getpid(), Signal::INT);
                loop {
                    thread::park();
                }
            }
            Err(ReadlineError::Eof) => Err("stdin was closed".to_owned()),
            Err(error) => Err(format!("the terminal cannot be read ({error})")),
        };
        if answering.send(typed).is_err() {
            return;
        }
    }
}

/// The lines that the Tab key completes.
struct Words(Vec<String>);

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..pos).unwrap_or(line).to_lowercase();
        Ok((0, self.0.iter().filter(|word| word.to_lowercase().starts_with(&typed)).cloned().collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {}

impl Helper for Words {}

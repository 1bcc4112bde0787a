//! The start of a program: its protocol, command, wrapper, and working folder, and the output that its lines go to.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ahu_engine::core::Seat;
use ahu_engine::host::record::check_new_name;
use ahu_engine::host::visible_text::shown;

use crate::cli::{CliError, lock};

/// The prefix of a command that speaks the line protocol.
const LINES: &str = "jsonl:";

/// The protocol between a program and this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum Protocol {
    /// The program calls the service over gRPC.
    #[default]
    Grpc,
    /// The program reads and writes lines of JSON, as `docs/lines.md` describes.
    Lines,
}

impl Protocol {
    /// Describes the first sign of a program, to follow "the program has not".
    pub(in crate::cli) const fn first_sign(self) -> &'static str {
        match self {
            Self::Grpc => "called the server",
            Self::Lines => "written a line",
        }
    }
}

/// A program that is to be started.
#[derive(Clone, Default)]
pub(in crate::cli) struct Launch {
    pub(in crate::cli) protocol: Protocol,
    /// The command, which a shell runs.
    pub(in crate::cli) command: String,
    /// The words of a command around the shell, such as a jail. `{socket}` stands for the Unix socket of the server, and
    /// `{folder}` for the working folder. A program with a wrapper calls the server through the socket.
    pub(in crate::cli) wrapper: Vec<String>,
    /// The name under which the program joins the match; None for the name of its file.
    pub(in crate::cli) player: Option<String>,
    /// The value of `AHU_AGENT_SEED`, for the program's own random choices.
    pub(in crate::cli) agent_seed: Option<u64>,
    /// The working folder, which is also `HOME` and the folder for temporary files (`TMPDIR`); None for the working folder of
    /// this process.
    pub(in crate::cli) folder: Option<PathBuf>,
    /// The output for the lines of the program; None for the terminal.
    pub(in crate::cli) output: Option<Output>,
}

impl Launch {
    /// Parses a player that is a program: a command, or `jsonl:COMMAND`. Its output goes to the terminal.
    pub(in crate::cli) fn new(player: &str) -> Result<Self, CliError> {
        let (protocol, command) = match player.strip_prefix(LINES) {
            Some(command) => (Protocol::Lines, command),
            None => (Protocol::Grpc, player),
        };
        if command.trim().is_empty() {
            let example = if protocol == Protocol::Lines { "jsonl:./my_bot.sh" } else { "python3 my_agent.py" };
            return Err(CliError::Usage(format!("expected a command such as \"{example}\", got \"{player}\"")));
        }
        Ok(Self { protocol, command: command.to_owned(), ..Self::default() })
    }

    /// Returns the words of the wrapper, in which the paths replace `{socket}` and `{folder}`.
    pub(super) fn wrapper_at(&self, socket: Option<&Path>) -> impl Iterator<Item = String> {
        let folder = self.folder.clone().or_else(|| env::current_dir().ok()).unwrap_or_default();
        let [socket, folder] = [socket.unwrap_or(Path::new("")), &folder].map(|path| path.display().to_string());
        self.wrapper.iter().map(move |word| word.replace("{socket}", &socket).replace("{folder}", &folder))
    }

    /// Returns true if a player is a program that speaks the line protocol.
    pub(in crate::cli) fn is_lines(player: &str) -> bool {
        player.starts_with(LINES)
    }

    pub(super) fn name(&self) -> String {
        self.player.clone().unwrap_or_else(|| name_of(&self.command))
    }

    pub(super) fn cannot_start(&self, error: &io::Error) -> CliError {
        CliError::Failed(format!("cannot start \"{}\": {error}", self.command))
    }

    /// Returns the output for the lines of the program. At the terminal, they begin with the seat.
    pub(super) fn output_of(&self, seat: Seat) -> Output {
        self.output.clone().unwrap_or_else(|| Output::bounded(format!("[seat {seat}] "), io::stderr(), MAX_OUTPUT))
    }
}

const MAX_OUTPUT: usize = 1024 * 1024;
/// The length at which a line is cut, in characters.
const MAX_LINE: usize = 2000;

/// The output for the lines of a program, and for lines about it. Clones write to the same place.
#[derive(Clone)]
pub(in crate::cli) struct Output {
    prefix: Arc<str>,
    writer: Arc<Mutex<dyn Write + Send>>,
    /// The number of bytes that the program may still write; 0 once it has exceeded its limit.
    left: Arc<AtomicUsize>,
}

impl Output {
    /// Creates an output that writes each line in one call, after a prefix. The writer has to limit the size itself.
    pub(in crate::cli) fn new(prefix: impl Into<Arc<str>>, writer: impl Write + Send + 'static) -> Self {
        Self::bounded(prefix, writer, usize::MAX)
    }

    /// Creates an output to which the program may write this many bytes.
    fn bounded(prefix: impl Into<Arc<str>>, writer: impl Write + Send + 'static, bytes: usize) -> Self {
        let left = Arc::new(AtomicUsize::new(bytes));
        Self { prefix: prefix.into(), writer: Arc::new(Mutex::new(writer)), left }
    }

    /// Writes a line of the program, unless the program has exceeded its limit.
    pub(super) fn line_of_program(&self, line: &str) {
        let length = cleaned(line).len() + 1;
        let rest = |left: usize| Some(left.saturating_sub(length));
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest) {
            Ok(left) if left > length => self.line(line),
            Ok(1..) => self.line("(further output of this program is left out)"),
            Ok(0) | Err(_) => {}
        }
    }

    /// Writes a line about the program, which may quote it. Control characters are shown as escapes.
    pub(in crate::cli) fn line(&self, line: &str) {
        let line = format!("{}{}\n", self.prefix, cleaned(line));
        // There is nowhere to report an error of this output.
        let _ = lock(&self.writer).write_all(line.as_bytes());
    }
}

/// Cuts a line to its maximum length, and shows hidden characters as escapes: they could change the terminal.
pub(in crate::cli) fn cleaned(line: &str) -> String {
    let kept: String = line.chars().take(MAX_LINE).collect();
    let mut clean = kept.split('\t').map(shown).collect::<Vec<_>>().join("\t");
    if line.chars().nth(MAX_LINE).is_some() {
        clean.push_str("...");
    }
    clean
}

/// The interpreters that [`name_of`] skips.
const INTERPRETERS: &[&str] =
    &["bash", "deno", "env", "java", "julia", "node", "perl", "php", "pypy", "python", "ruby", "sh"];

/// Returns the name of a program: the file name of the first word of its command that looks like a file. Only words after the
/// last `&&` count. A word looks like a file if it has a `/` or a `.`, and is no option, assignment, number, or interpreter. If
/// no word does, the first word is the name. For example, the name of `SEED=1 python3 bots/careful.py --rate 0.5` is
/// `careful.py`.
fn name_of(command: &str) -> String {
    let command = command.rsplit("&&").next().unwrap_or(command);
    let words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let mut words = words.filter(|word| !word.starts_with('-') && !word.contains('=')).peekable();
    let first = words.peek().copied();
    let word = words.find(|word| word.contains(['/', '.']) && word.parse::<f64>().is_err() && !is_interpreter(word));
    let name: String = word.or(first).map_or("", file_name).chars().take(16).collect();
    if check_new_name(&name).is_ok() { name } else { "agent".to_owned() }
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns true if the word is an interpreter, also with a version such as `python3.12`.
fn is_interpreter(word: &str) -> bool {
    let name = file_name(word).trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_read_with_its_protocol() {
        for (player, protocol, command, name) in [
            ("python3 bots/a.py", Protocol::Grpc, "python3 bots/a.py", "a.py"),
            ("jsonl:./bot.sh -v", Protocol::Lines, "./bot.sh -v", "bot.sh"),
            ("jsonl: node bot.js", Protocol::Lines, " node bot.js", "bot.js"),
        ] {
            let launch = Launch::new(player).expect(player);
            assert_eq!((launch.protocol, launch.command.as_str()), (protocol, command));
            assert_eq!(launch.name(), name);
        }
    }

    #[test]
    fn the_output_of_a_program_for_people_is_cleaned_and_bounded() {
        #[derive(Clone, Default)]
        struct Screen(Arc<Mutex<Vec<u8>>>);

        impl Write for Screen {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().expect("nobody panics").write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let screen = Screen::default();
        let output = Output::bounded("[seat 0] ", screen.clone(), MAX_LINE + 100);
        output.line_of_program("\x1b[2Jclear\tit\x07");
        output.line_of_program(&"x".repeat(MAX_LINE + 1));
        for _ in 0..100 {
            output.line_of_program("more");
        }
        output.line("the program has answered \x1b[2J");
        let text = String::from_utf8(screen.0.lock().expect("nobody panics").clone()).expect("text");
        let (first, rest) = text.split_once('\n').expect("a line");
        assert_eq!(first, "[seat 0] \\u{1b}[2Jclear\tit\\u{7}");
        let (second, rest) = rest.split_once('\n').expect("a line");
        assert_eq!(second, format!("[seat 0] {}...", "x".repeat(MAX_LINE)));
        let few = rest.lines().take_while(|line| *line == "[seat 0] more").count();
        assert!((1..20).contains(&few), "{rest}");
        let last: Vec<&str> = rest.lines().skip(few).collect();
        assert_eq!(
            last,
            ["[seat 0] (further output of this program is left out)", "[seat 0] the program has answered \\u{1b}[2J"]
        );
    }
}

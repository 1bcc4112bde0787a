//! The description of a program that is to be started: its protocol, command, wrapper, and working folder.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use ahu_host::record::check_new_name;

use super::program_output::Output;
use crate::Error;

/// The prefix of a command that speaks the line protocol.
pub(crate) const LINES: &str = "jsonl:";
/// The prefix that a command may have, and needs if it has neither a space nor a `/`.
pub(crate) const COMMAND: &str = "cmd:";

/// The protocol between a program and this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The program calls the service over gRPC.
    #[default]
    Grpc,
    /// The program reads and writes lines of JSON, as `docs/reference/lines.md` describes.
    Lines,
}

impl Protocol {
    /// Describes the first sign of a program, to follow "the program has not".
    pub const fn first_sign(self) -> &'static str {
        match self {
            Self::Grpc => "called the server",
            Self::Lines => "written a line",
        }
    }
}

/// The description of a program that is to be started.
#[derive(Clone, Default)]
pub struct ProgramSpec {
    /// The protocol that it speaks.
    pub protocol: Protocol,
    /// The command, which a shell runs.
    pub command: String,
    /// The words of a command around the shell, such as a jail. `{socket}` stands for the Unix socket of the server, and
    /// `{folder}` for the working folder. A program with a wrapper calls the server through the socket.
    pub wrapper: Vec<String>,
    /// The name under which the program joins the match; None for the name of its file.
    pub player: Option<String>,
    /// The value of `AHU_AGENT_SEED`, for the program's own random choices.
    pub agent_seed: Option<u64>,
    /// The working folder, which is also `HOME` and the folder for temporary files (`TMPDIR`); None for the working folder of
    /// this process.
    pub folder: Option<PathBuf>,
    /// The value of `AHU_LEDGER`, the file for the calls of a language model; None to leave the variable as it is.
    pub ledger: Option<PathBuf>,
    /// The output for the lines of the program; None to drop them.
    pub output: Option<Output>,
}

impl ProgramSpec {
    /// Parses a player that is a program: a command, `cmd:COMMAND`, or `jsonl:COMMAND`. Its lines are dropped until it gets an
    /// output.
    pub fn new(player: &str) -> Result<Self, Error> {
        let (protocol, command) = match player.strip_prefix(LINES) {
            Some(command) => (Protocol::Lines, command),
            None => (Protocol::Grpc, player.strip_prefix(COMMAND).unwrap_or(player)),
        };
        if command.trim().is_empty() {
            let example = if protocol == Protocol::Lines { "jsonl:./my_bot.sh" } else { "python3 my_agent.py" };
            return Err(Error::Usage(format!("expected a command such as \"{example}\", got \"{player}\"")));
        }
        Ok(Self { protocol, command: command.to_owned(), ..Self::default() })
    }

    /// Returns the words of the wrapper, in which the paths replace `{socket}` and `{folder}`.
    pub(super) fn wrapper_at(&self, socket: Option<&Path>) -> impl Iterator<Item = String> {
        let folder = self.folder.clone().or_else(|| env::current_dir().ok()).unwrap_or_default();
        let [socket, folder] = [socket.unwrap_or(Path::new("")), &folder].map(|path| path.display().to_string());
        self.wrapper.iter().map(move |word| word.replace("{socket}", &socket).replace("{folder}", &folder))
    }

    pub(super) fn name(&self) -> String {
        self.player.clone().unwrap_or_else(|| name_of(&self.command))
    }

    pub(crate) fn cannot_start(&self, error: &io::Error) -> Error {
        Error::Failed(format!("cannot start \"{}\": {error}", self.command))
    }

    pub(super) fn output(&self) -> Output {
        self.output.clone().unwrap_or_else(|| Output::new("", io::sink()))
    }
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
            let spec = ProgramSpec::new(player).expect(player);
            assert_eq!((spec.protocol, spec.command.as_str()), (protocol, command));
            assert_eq!(spec.name(), name);
        }
    }
}

//! The command line of the program `ahu`.
//!
//! Each command has a file or a folder here. Commands do not use each other: what several commands need is in a room, and rooms
//! use no command. A test holds this (`tests/repository/layers.rs`).
//!
//! | room | content |
//! |---|---|
//! | `arguments/` | arguments of several commands: games and options, players, time controls, sizes and ages |
//! | `files/` | records, keys, new folders |
//! | `network/` | addresses, certificates, commands to a server on this machine |
//! | `output/` | the outcome of a match, the plies of a record, the figures of a search, messages as JSON |
//! | `runs/` | the folder of a duel or a benchmark, its log, and the shards of one whole |
//! | `terminal/` | typed lines, long texts, Markdown, progress, size and colours |

/// Declares an enum of commands, and `run`, which runs the command that the arguments name.
/// `@"x"` before a variant means that only builds with the feature `x` have the command.
macro_rules! commands {
    ($(#[$of_enum:meta])* $vis:vis enum $name:ident {
        $($(#[$of_variant:meta])* $(@$feature:literal)? $variant:ident($command:ty),)+
    }) => {
        $(#[$of_enum])*
        $vis enum $name {
            $($(#[$of_variant])* $(#[cfg(feature = $feature)])? $variant($command),)+
        }

        impl $name {
            $vis fn run(self, out: &mut impl std::io::Write) -> $crate::Done {
                match self {
                    $($(#[cfg(feature = $feature)])? Self::$variant(command) => command.run(out),)+
                }
            }
        }
    };
}

mod accounts;
mod analyse;
mod arguments;
mod audit;
mod benchmark;
mod check_agent;
mod completions;
mod cup;
mod data;
mod drain;
mod duel;
mod files;
mod games;
mod keys;
#[cfg(feature = "mcp")]
mod mcp;
mod network;
mod output;
mod play;
mod positions;
mod records;
mod replay;
mod rules;
mod runs;
mod serve;
mod speed;
mod status;
mod terminal;

/// The definition of a game.
pub use ahu_core as core;
/// Any game, played.
pub use ahu_host as host;

use std::any::Any;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{self, ExitCode};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, panic, thread};

use ahu_host::{AnyRules, GAMES};
use ahu_service::Stderr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use serde_json::Value;

use self::terminal::visible::Visible;

/// The version. A release build also has its commit here: see `build.rs`.
const VERSION: &str = env!("AHU_VERSION");

/// The exit codes, for the help.
const EXIT_CODES: &str = "\
Exit codes:
  0    success; also a server that was asked to end, and a pipe that was closed
  1    the command could not do its work
  2    the arguments are wrong
  3    the command did its work, and the answer is no: not valid, failed checks, or forfeits with --strict
  129  SIGHUP ended the command, as when its terminal was closed
  130  Ctrl-C ended the command
  143  SIGTERM ended the command";

/// A referee for board and card games of Easter Island.
#[derive(Debug, Parser)]
#[command(name = "ahu", version = VERSION, about, max_term_width = 100, after_help = EXIT_CODES)]
struct Arguments {
    /// The use of colours: `auto` uses them at a terminal, unless the variable `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// For programs that start this one: end when stdin closes, such as when the parent process exits
    #[arg(long, hide = true)]
    exit_with_stdin: bool,
    #[command(subcommand)]
    command: Command,
}

commands! {
    #[derive(Debug, Subcommand)]
    enum Command {
        Play(play::Play),
        Games(games::Games),
        Rules(rules::Rules),
        Replay(replay::Replay),
        #[command(subcommand)]
        Records(records::Records),
        Analyse(analyse::Analyse),
        Positions(positions::Positions),
        Duel(Box<duel::Duel>),
        #[command(subcommand)]
        Benchmark(benchmark::Benchmark),
        #[command(subcommand)]
        Cup(Box<cup::CupCommand>),
        Speed(speed::Speed),
        Serve(Box<serve::Serve>),
        Drain(drain::Drain),
        #[command(subcommand)]
        Accounts(accounts::Accounts),
        #[command(subcommand)]
        Keys(keys::Keys),
        #[command(subcommand)]
        Audit(audit::Audit),
        Status(status::Status),
        CheckAgent(check_agent::CheckAgent),
        @"mcp" Mcp(mcp::Mcp),
        #[command(subcommand)]
        Data(data::Data),
        Completions(completions::Completions),
    }
}

/// The commands that read players or records, and so have the option `--net`.
const READERS: [&str; 12] = [
    "play",
    "replay",
    "records",
    "analyse",
    "positions",
    "duel",
    "benchmark",
    "cup",
    "serve",
    "check-agent",
    "mcp",
    "data",
];

/// Returns the command line.
fn command_line() -> clap::Command {
    let help = "Load a net, so that its name `net:…` is known, such as in a record or in the file of a cup; may be provided \
                multiple times. With `NAME=FILE`, the clients of a server find it as `net:NAME`";
    let net = Arg::new("net").long("net").value_name("[NAME=]FILE").help(help).global(true).action(ArgAction::Append);
    Arguments::command().mut_subcommands(|command| match READERS.contains(&command.get_name()) {
        true => command.arg(net.clone()),
        false => command,
    })
}

/// Commands of other programs that people try here, each with what does its work.
const GUESSES: [(&str, &str); 8] = [
    ("bots", "`ahu games GAME` lists the bots of a game"),
    ("compare", "`ahu duel` compares players, and `ahu benchmark compare` compares reports"),
    ("init", "there is nothing to set up: `ahu play rappanui` plays at once"),
    ("list", "`ahu games` lists the games, and `ahu games GAME` the bots of one"),
    ("tournament", "`ahu cup` plays tournaments"),
    (
        "verify",
        "`ahu replay FILE --verify` verifies a record; `ahu records`, `cup`, `benchmark`, and `data` have `verify` too",
    ),
    ("version", "`ahu --version` prints the version"),
    ("watch", "`ahu serve` and `ahu play --web` show matches on a page, and `ahu replay FILE` shows a record"),
];

/// Gives an error of the command line the tips that help here.
fn with_tips(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        // No argument of any command begins with a hyphen.
        tips.retain(|tip| !tip.to_string().starts_with("to pass "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    if let Some(ContextValue::String(value)) = error.remove(ContextKind::InvalidValue) {
        error.insert(ContextKind::InvalidValue, ContextValue::String(without_password(&value)));
    }
    let first = std::env::args().nth(1).filter(|_| error.kind() == ErrorKind::InvalidSubcommand);
    if let Some((_, tip)) = GUESSES.iter().find(|(guess, _)| first.as_deref() == Some(*guess)) {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*tip).into()]));
    }
    error
}

/// Returns the value of an argument; a URL without its password.
fn without_password(value: &str) -> String {
    let parts = value.split_once("://").and_then(|(scheme, rest)| {
        let (user, place) = rest.rsplit_once('@')?;
        Some(format!("{scheme}://{}:…@{place}", user.split_once(':')?.0))
    });
    parts.unwrap_or_else(|| value.to_owned())
}

/// The error with which a command ends.
#[derive(Debug)]
enum CliError {
    /// Invalid arguments; the message says what was expected. Exit code 2.
    Usage(String),
    /// A failure of the command itself. Exit code 1.
    Failed(String),
    /// The answer of a command that did its work: a record is not valid, a check failed, or a player forfeited. Exit code 3.
    No(String),
    /// A signal ended the command after it had shown its results so far. Exit code 128 plus the number of the signal.
    Interrupted,
    /// An I/O error of the terminal or of stdout. Exit code 1; 0 for a closed pipe.
    Output(io::Error),
}

impl CliError {
    fn usage(error: impl fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    fn failed(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// Returns a function that makes the error for a file or folder. `act` is a verb: "write" gives "cannot write PATH: …".
    fn cannot<E: fmt::Display>(act: &str, path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Failed(format!("cannot {act} {}: {error}", path.display()))
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Failed(message) | Self::No(message) => f.write_str(message),
            Self::Interrupted => f.write_str("interrupted before the end"),
            Self::Output(error) => write!(f, "cannot write: {error}"),
        }
    }
}

impl From<ahu_arena::Error> for CliError {
    fn from(error: ahu_arena::Error) -> Self {
        match error {
            ahu_arena::Error::Usage(message) => Self::Usage(message),
            ahu_arena::Error::Failed(message) => Self::Failed(message),
            ahu_arena::Error::Listen { address, source } if source.kind() == io::ErrorKind::AddrInUse => {
                Self::Failed(format!(
                    "cannot listen on {address}: another program listens there; choose another port with --listen, such as {} \
                     for a free one",
                    SocketAddr::new(address.ip(), 0)
                ))
            }
            error @ ahu_arena::Error::Listen { .. } => Self::failed(error),
        }
    }
}

/// A schedule of a command fails as the run does.
impl From<CliError> for ahu_arena::Error {
    fn from(error: CliError) -> Self {
        match error {
            CliError::Usage(message) => Self::Usage(message),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The return type of a command.
type Done = Result<(), CliError>;

/// Runs the program.
pub fn main() -> ExitCode {
    main_with(&[])
}

/// Runs the program with the games of another crate beside those of this one: see `docs/contribute/add_a_game.md`.
pub fn main_with(games: &[&'static dyn AnyRules]) -> ExitCode {
    if let Err(error) = GAMES.register(games) {
        return ExitCode::from(failed(error, 1));
    }
    let out = &mut Visible(io::stdout().lock());
    let matches = command_line().try_get_matches().unwrap_or_else(|error| with_tips(error).exit());
    let nets = matches.subcommand().and_then(|(_, matches)| matches.try_get_many::<String>("net").ok()?);
    let nets: Vec<_> = nets.into_iter().flatten().cloned().collect();
    let Arguments { color, exit_with_stdin, command } =
        Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if exit_with_stdin {
        end_with_stdin();
    }
    terminal::use_colours(color);
    panic::set_hook(Box::new(|panic| match lacks_thread(panic.payload()) {
        // The stack is not unwound: tokio waits for ever for the threads of a runtime that lacks one.
        true if thread::current().name() == Some("main") => process::exit(failed(NO_THREAD, 1).into()),
        true => {}
        false => Stderr::panicked(panic),
    }));
    ahu_arena::programs::before_exit(end);
    let loaded = nets.iter().try_for_each(|net| arguments::players::load(net));
    let done = loaded.and_then(|()| command.run(out));
    let Err(error) = done.and_then(|()| Ok(out.flush()?)) else {
        end();
        return ExitCode::SUCCESS;
    };
    let code = match &error {
        // A closed pipe is not an error: a person has left the pager.
        CliError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            end();
            return ExitCode::SUCCESS;
        }
        CliError::Output(_) | CliError::Failed(_) => 1,
        CliError::Usage(_) => 2,
        CliError::No(_) => 3,
        CliError::Interrupted => ahu_arena::programs::signalled().expect("a signal has ended the command") as u8,
    };
    ExitCode::from(failed(&error, code))
}

/// Ends this process when its stdin closes, as SIGTERM does that is sent again: the first may wait for games in progress.
fn end_with_stdin() {
    thread::spawn(|| {
        // Ignore the input. A read error ends the process too.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        loop {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
            thread::sleep(Duration::from_millis(100));
        }
    });
}

/// Ends the program with this message. Returns the code of its exit.
fn failed(message: impl fmt::Display, code: u8) -> u8 {
    Stderr::line(&terminal::fitted_error(&format!("error: {message}")));
    end();
    code
}

/// The error of a command for which the system starts no thread.
const NO_THREAD: &str = "the system starts no further thread: raise its limits of memory and of processes (`ulimit -v` and \
                         `ulimit -u`)";

/// Returns true if a thread panics since the system starts no further one: in our code, the standard library, tokio, or rayon.
fn lacks_thread(panic: &(dyn Any + Send)) -> bool {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    let beginnings = [
        "the system has threads",
        "failed to spawn thread",
        "OS can't spawn worker thread",
        "The global thread pool has not been initialized",
    ];
    text.is_some_and(|text| beginnings.iter().any(|beginning| text.starts_with(beginning)))
}

/// Restores the terminal, and writes the last lines: the end of every command.
fn end() {
    terminal::restore();
    Stderr::finish();
}

/// Locks a mutex, and ignores poisoning: no holder leaves its value half changed.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Formats a time in seconds since 1970 by RFC 3339, such as `2026-11-22T10:00:00Z`.
fn time_of_day(seconds: u64) -> String {
    prost_types::Timestamp { seconds: seconds as i64, nanos: 0 }.to_string()
}

/// Prints an object as indented JSON, with its keys in alphabetical order and the name of its format.
fn print_json(name: &str, value: Value, out: &mut impl Write) -> Done {
    Ok(writeln!(out, "{:#}", with_format(name, value))?)
}

/// Adds the name of its format to an object. A new key does not change the format; its readers ignore keys that they do not know.
fn with_format(name: &str, mut value: Value) -> Value {
    value["format"] = format!("ahu-{name}-1").into();
    value
}

//! The command line: arguments, and what becomes of errors.

mod bench;
mod check_agent;
mod games;
mod human;
mod play;
mod programs;
mod relay;
mod replay;
mod serve;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use ahu::core::Seed;
use ahu::host::{Agreed, AnyRules, find};
use clap::{Parser, Subcommand};

/// A referee for board and card games of Easter Island.
#[derive(Debug, Parser)]
#[command(name = "ahu", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(play::Play),
    Games(games::Games),
    Replay(replay::Replay),
    Bench(bench::Bench),
    Serve(serve::Serve),
    CheckAgent(check_agent::CheckAgent),
}

/// Why a command did not do what it was asked to.
#[derive(Debug)]
enum CliError {
    /// What was asked for makes no sense: what is wrong, and what would be right.
    Usage(String),
    /// It could not be done.
    Failed(String),
    /// The terminal, or whoever reads what we write, is gone.
    Output(io::Error),
}

impl CliError {
    fn usage(error: impl fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    fn failed(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// What a command returns.
type Done = Result<(), CliError>;

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let out = &mut io::stdout().lock();
    let done = match arguments.command {
        Command::Play(play) => play.run(out),
        Command::Games(games) => games.run(out),
        Command::Replay(replay) => replay.run(out),
        Command::Bench(bench) => bench.run(out),
        Command::Serve(serve) => serve.run(out),
        Command::CheckAgent(check) => check.run(out),
    };
    let (code, message) = match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => return ExitCode::SUCCESS,
        // Nobody reads on, as when a pager is closed: there is nobody to tell.
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(CliError::Output(error)) => (1, format!("cannot write: {error}")),
        Err(CliError::Failed(message)) => (1, message),
        Err(CliError::Usage(message)) => (2, message),
    };
    // Where nobody reads errors, there is nobody to tell either.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// The game and what is agreed, as several commands ask for them.
#[derive(Debug, clap::Args)]
struct GameArguments {
    /// The game, such as rappanui; `ahu games` lists them
    game: String,
    /// An option of the game; may be given several times
    #[arg(short, long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
}

impl GameArguments {
    fn rules(&self) -> Result<&'static dyn AnyRules, CliError> {
        find(&self.game).map_err(CliError::usage)
    }

    fn agree(&self, seats: usize) -> Result<Agreed, CliError> {
        agree(self.rules()?, seats, &self.options)
    }
}

fn agree(rules: &dyn AnyRules, seats: usize, options: &[String]) -> Result<Agreed, CliError> {
    let given = options.iter().map(|option| {
        let wrong = || CliError::Usage(format!("an option is written KEY=VALUE, not \"{option}\""));
        option.split_once('=').ok_or_else(wrong)
    });
    rules.agree(seats, &given.collect::<Result<Vec<_>, _>>()?).map_err(CliError::usage)
}

/// The seed that was asked for, or any.
fn seed_or_any(seed: Option<u64>) -> Seed {
    use rand::TryRng;
    use rand::rngs::SysRng;
    Seed(seed.unwrap_or_else(|| SysRng.try_next_u64().expect("the system has random numbers")))
}

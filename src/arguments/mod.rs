//! Arguments that several commands have.

pub(super) mod players;
pub(super) mod time_control;
pub(super) mod units;

use std::thread;

use ahu_core::Seed;
use ahu_host::{AnyRules, Setup, find};

use crate::CliError;

/// The most games at once that `--concurrency` accepts.
const MAX_CONCURRENCY: usize = 1024;

/// The arguments for a game and its options.
#[derive(Clone, Debug, clap::Args, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameArguments {
    /// The game to play, such as `rappanui`; `ahu games` lists all games
    game: String,
    /// Set an option of the game; may be provided multiple times
    #[arg(short, long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
}

impl GameArguments {
    pub(super) fn rules(&self) -> Result<&'static dyn AnyRules, CliError> {
        find(&self.game).map_err(CliError::usage)
    }

    pub(super) fn configure(&self, seats: usize) -> Result<Setup, CliError> {
        configure(self.rules()?, seats, &self.options)
    }
}

pub(super) fn configure(rules: &'static dyn AnyRules, seats: usize, options: &[String]) -> Result<Setup, CliError> {
    let given = options.iter().map(|option| {
        let wrong = || CliError::Usage(format!("expected an option of the form KEY=VALUE, got \"{option}\""));
        option.split_once('=').ok_or_else(wrong)
    });
    rules.configure(seats, &given.collect::<Result<Vec<_>, _>>()?).map_err(CliError::usage)
}

/// The value of `--concurrency`: the number of games at once; None for `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Concurrency(pub(super) Option<usize>);

/// Returns the number of cores that this process may use.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Parses the value of `--concurrency`.
pub(super) fn concurrency(text: &str) -> Result<Concurrency, String> {
    let games = text.parse().ok().filter(|games| (1..=MAX_CONCURRENCY).contains(games));
    match text {
        "auto" => Ok(Concurrency(None)),
        _ => games
            .map(|games| Concurrency(Some(games)))
            .ok_or_else(|| format!("expected auto, or 1 to {MAX_CONCURRENCY} games")),
    }
}

/// Returns the given seed, or draws one from the system.
pub(super) fn seed_or_any(seed: Option<Seed>) -> Seed {
    use rand::TryRng;
    use rand::rngs::SysRng;
    seed.unwrap_or_else(|| Seed(SysRng.try_next_u64().expect("the system has random numbers")))
}

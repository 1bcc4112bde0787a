//! The arguments of a duel that say what all its games agree on.

use std::num::NonZeroU8;
use std::time::Duration;

use ahu_arena::Agent;
use ahu_contest::blocks::{Design, Lineup, Luck};
use ahu_contest::cup::Salt;
use ahu_contest::statistics::{Hypotheses, Sprt};
use ahu_core::Seed;
use ahu_host::{Conduct, Consequence};
use serde::{Deserialize, Serialize};

use super::agents::{self, FIELD};
use super::matchup::Matchup;
use crate::CliError;
use crate::arguments::{GameArguments, seed_or_any, time_control};

/// The maximum number of blocks of a test without `--max-blocks`.
const MAX_BLOCKS: u64 = 5000;

/// The agents, the terms, and the test of a duel. The folder of its records has them, too.
#[derive(Clone, Debug, clap::Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchupArguments {
    /// The agents: for each its name, and the player as `ahu play` reads it, such as `new="python my_agent.py"`
    ///
    /// A player is a bot (`greedy`, `random@1`; without a version, the newest), a net (`net:FILE`, which counts as a bot),
    /// a command that starts an agent, or `jsonl:COMMAND`: a program that reads and writes lines of JSON
    /// (docs/reference/lines.md). A bot needs no name. The last agent also fills the seats that are left, unless --field
    /// does.
    #[arg(value_name = "PLAYER", required = true)]
    agents: Vec<String>,
    /// The number of seats [default: the fewest of the game that have room for all agents]
    #[arg(short, long)]
    seats: Option<usize>,
    /// The player that fills the seats that are left; its results count as those of the agent `field`
    #[arg(long, value_name = "PLAYER")]
    field: Option<String>,
    /// The seatings of a block: `neighbour` (2, 6, 12, 20, and 60 games for 2 to 6 seats) also gives everybody every
    /// neighbour equally often; `cyclic` has as many games as seats
    #[arg(long, default_value_t = Design::Neighbour)]
    design: Design,
    /// The chance of the games of a block: `shared` by all, or each its `own` [default: shared for bots and with --trust,
    /// else own]
    ///
    /// A program that remembers the first game of a block with shared luck knows the cards of the second. So without
    /// --trust, each program then starts anew for each game, in a scratch folder with copies or links of the files of the
    /// working folder. Own luck is the choice against programs that might cheat.
    #[arg(long, value_name = "LUCK", value_parser = luck)]
    pub(super) luck: Option<Luck>,
    /// Trust all programs not to use what they remember of another game of the block: they may share luck and play many
    /// games in one process
    #[arg(long)]
    trust: bool,
    /// The seed from which all games have theirs [default: random]
    #[arg(long)]
    #[serde(skip)]
    pub(super) seed: Option<Seed>,
    /// The salt of the seed, 64 hexadecimal digits [default: drawn for programs without --trust, else none]
    ///
    /// A program could guess a small seed, and know the cards of all games. The same seed and salt repeat a duel.
    #[arg(long, value_name = "HEX", value_parser = salt)]
    #[serde(skip)]
    pub(super) salt: Option<Salt>,
    /// The time control of all programs, or of one agent; may be provided multiple times
    #[arg(long, value_name = "[NAME=]TIME", allow_negative_numbers = true, long_help = time_control::DUEL_HELP)]
    tc: Vec<String>,
    /// The maximum time until a program first calls the server or writes a line; also that of one decision, for programs
    /// without --tc
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = time_control::patience, allow_negative_numbers = true)]
    patience: Duration,
    /// The number of illegal or unreadable actions with which a seat forfeits a game [default: the first unreadable one;
    /// illegal ones are refused]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=255))]
    strikes: Option<u8>,
    /// Stop as soon as a sequential test decides between two hypotheses about the first agent
    ///
    /// The hypotheses are differences from an even share of pairs won: with `0,0.05` the test decides whether the first
    /// agent wins 50 % of its pairs (H0) or 55 % (H1). It looks at whole blocks, from the 20th on.
    #[arg(long, value_name = "H0,H1", conflicts_with = "blocks", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// The maximum number of blocks of the test; then it is inconclusive [default: 5000, or one for each position]
    #[arg(long, value_name = "COUNT", requires = "sprt")]
    #[serde(skip)]
    max_blocks: Option<u64>,
    /// The probability with which the test may accept H1 although H0 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The probability with which the test may accept H0 although H1 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
}

impl MatchupArguments {
    /// Returns what is agreed for all games.
    pub(super) fn matchup(&self, game: &GameArguments) -> Result<Matchup, CliError> {
        let rules = game.rules()?;
        let mut agents = agents::read(rules, &self.agents)?;
        let named = agents.len();
        if let Some(player) = &self.field {
            agents.push(Agent::read(rules, FIELD, player)?);
        }
        if agents.len() < 2 {
            let message = "expected at least two agents, or one agent and --field, got one agent";
            return Err(CliError::Usage(message.to_owned()));
        }
        let seats = self.seats.unwrap_or_else(|| agents.len().max(*rules.seats().start()));
        let setup = game.configure(seats)?;
        agents::set_clocks(&mut agents, &self.tc, self.patience)?;
        let conduct = match self.strikes.and_then(NonZeroU8::new) {
            Some(strikes) => Conduct { unreadable: Consequence::Strike, ..Conduct::with_strikes(strikes) },
            None if agents.iter().all(|agent| agent.bot().is_some()) => Conduct::default(),
            None => Conduct { unreadable: Consequence::Forfeit, ..Conduct::default() },
        };
        let lineup = match named == agents.len() {
            true => Lineup::filled(named, setup.seats()),
            false => Lineup::with_field(named, setup.seats()),
        };
        let lineup = lineup.map_err(CliError::usage)?;
        let has_programs = agents.iter().any(Agent::is_program);
        // Programs that remember must not share luck, unless they are trusted.
        let luck = self.luck.unwrap_or(if has_programs && !self.trust { Luck::Own } else { Luck::Shared });
        // Programs that are not trusted must not guess the seed.
        let salt = self.salt.or_else(|| (has_programs && !self.trust).then(Salt::draw));
        Ok(Matchup {
            design: self.design,
            seatings: lineup.seatings(self.design),
            luck,
            may_remember: self.trust || luck == Luck::Own,
            seed: seed_or_any(self.seed),
            salt,
            conduct,
            patience: self.patience,
            starting_points: Vec::new(),
            setup,
            agents,
            lineup,
        })
    }

    /// Returns the sequential test, of at most `most` blocks; None without `--sprt`.
    pub(super) fn test(&self, most: Option<u64>) -> Result<Option<Sprt>, CliError> {
        let Some(text) = &self.sprt else { return Ok(None) };
        let hypotheses = text.split_once(',').and_then(|(h0, h1)| Some((h0.parse().ok()?, h1.parse().ok()?)));
        let (h0, h1) = hypotheses.ok_or_else(|| {
            CliError::Usage(format!("--sprt: expected two hypotheses such as 0,0.05, got \"{text}\""))
        })?;
        let usage = |error| CliError::Usage(format!("--sprt: {error}"));
        let hypotheses = Hypotheses::new(h0, h1, self.alpha, self.beta).map_err(usage)?;
        let max_blocks = usize::try_from(self.max_blocks.or(most).unwrap_or(MAX_BLOCKS)).unwrap_or(usize::MAX);
        Sprt::new(hypotheses, max_blocks).map_err(usage).map(Some)
    }
}

fn luck(text: &str) -> Result<Luck, String> {
    match text {
        "shared" => Ok(Luck::Shared),
        "own" => Ok(Luck::Own),
        _ => Err(format!("expected shared or own, got \"{text}\"")),
    }
}

fn salt(text: &str) -> Result<Salt, String> {
    Salt::parse(text).ok_or_else(|| "expected 64 hexadecimal digits".to_owned())
}

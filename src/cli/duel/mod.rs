//! `ahu duel`: compares agents in blocks of games, and says who is better.
//!
//! Duels of bots have no server. A [`Cell`] plays them in this process, with the same seatings, seeds, and table as a duel with
//! programs.

mod agents;
mod archive;
mod block_queue;
mod contest;
mod json;
mod progress;
mod report;
mod schedule;

use std::io::Write;
use std::num::NonZeroU8;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ahu::cup::Salt;
use ahu_engine::core::Seed;
use ahu_engine::host::blocks::{Cell, Design, Lineup, Luck, Tally};
use ahu_engine::host::statistics::{Hypotheses, Sprt};
use ahu_engine::host::{Conduct, Consequence, Referee};

use self::agents::FIELD;
use self::archive::Archive;
use self::block_queue::BlockQueue;
use self::contest::Contest;
use self::report::Report;
use self::schedule::DuelSchedule;
use crate::cli::arguments::{Concurrency, GameArguments, concurrency, seed_or_any, time_control};
use crate::cli::files::create_empty;
use crate::cli::programs::FREE_PORT;
use crate::cli::runner::{Agent, AtStop, LocalVenue, Logs, Runner, Surroundings};
use crate::cli::terminal::progress::Progress;
use crate::cli::{CliError, Done};

/// The number of blocks without `--blocks` and `--sprt`.
const BLOCKS: u64 = 200;
/// The maximum number of blocks of a test without `--max-blocks`.
const MAX_BLOCKS: u64 = 5000;

/// Compare agents in blocks of games, and say who is better
///
/// A block plays one table with its players permuted, so that every player has every seat equally often. All intervals
/// and tests are over blocks.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Duel {
    #[command(flatten)]
    game: GameArguments,
    /// An agent: its name, and the player as `ahu play` reads it; provide it once for each agent
    ///
    /// A player is a bot (`greedy`, `random@1`; without a version, the newest), a command that starts an agent, or
    /// `jsonl:COMMAND`: a program that reads and writes lines of JSON (docs/lines.md). A bot needs no name. The last agent
    /// also fills the seats that are left, unless --field does.
    #[arg(short, long = "agent", value_name = "NAME=PLAYER", required = true)]
    agents: Vec<String>,
    /// The number of seats [default: the fewest of the game that have room for all agents]
    #[arg(short, long)]
    seats: Option<usize>,
    /// The player that fills the seats that are left; its results count as those of the agent `field`
    #[arg(long, value_name = "PLAYER")]
    field: Option<String>,
    /// The number of blocks: at least 2; a verdict needs 10 [default: 200]
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(2..))]
    blocks: Option<u64>,
    /// Stop as soon as a sequential test decides between two hypotheses about the first agent
    ///
    /// The hypotheses are differences from an even share of pairs won: with `0,0.05` the test decides whether the first
    /// agent wins 50 % of its pairs (H0) or 55 % (H1). It looks at whole blocks, from the 20th on.
    #[arg(long, value_name = "H0,H1", conflicts_with = "blocks", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// The maximum number of blocks of the test; then it is inconclusive [default: 5000]
    #[arg(long, value_name = "COUNT", requires = "sprt")]
    max_blocks: Option<u64>,
    /// The probability with which the test may accept H1 although H0 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The probability with which the test may accept H0 although H1 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
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
    luck: Option<Luck>,
    /// Trust all programs not to use what they remember of another game of the block: they may share luck and play many
    /// games in one process
    #[arg(long)]
    trust: bool,
    /// The seed from which all games have theirs [default: random]
    #[arg(long)]
    seed: Option<Seed>,
    /// The salt of the seed, 64 hexadecimal digits [default: drawn for programs without --trust, else none]
    ///
    /// A program could guess a small seed, and know the cards of all games. The same seed and salt repeat a duel.
    #[arg(long, value_name = "HEX", value_parser = salt)]
    salt: Option<Salt>,
    /// The time control of all programs, or of one agent; may be provided multiple times
    #[arg(long, value_name = "[NAME=]TIME", allow_negative_numbers = true, long_help = time_control::DUEL_HELP)]
    tc: Vec<String>,
    /// The maximum time until a program first calls the server or writes a line, in seconds; also that of one decision, for
    /// programs without --tc
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = time_control::patience, allow_negative_numbers = true)]
    patience: Duration,
    /// The number of illegal or unreadable actions with which a seat forfeits a game [default: the first unreadable one;
    /// illegal ones are refused]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=255))]
    strikes: Option<u8>,
    /// The number of games at once: a number, or `auto`, which is the number of cores, divided by the programs of a game
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// Write the record of each game, and `results.csv`, to this new folder
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Write the output of each agent's programs to a file in this new folder
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// Exit with code 1 if a player forfeited
    #[arg(long)]
    strict: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  ahu duel rappanui --agent greedy --agent random
  ahu duel rapanui_cards --agent new=\"python my_agent.py\" --agent old=greedy@1 --sprt 0,0.05
  ahu duel giants --seats 4 --agent a=\"jsonl:./bot\" --field greedy --blocks 50 --tc 10+0.1";

impl Duel {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let contest = self.contest()?;
        let sprt = self.test()?;
        let blocks = sprt.as_ref().map_or(self.blocks.unwrap_or(BLOCKS), |sprt| sprt.max_blocks() as u64);
        let concurrency = contest.concurrency(match self.concurrency {
            Concurrency::Auto => None,
            Concurrency::Games(games) => Some(games),
        });
        let archive = self.records.as_deref().map(Archive::create).transpose()?;
        self.logs.as_deref().map_or(Ok(()), |folder| create_empty("--logs", folder))?;
        if !self.json {
            contest.announce(concurrency, out)?;
            out.flush()?;
        }
        let start = Instant::now();
        let (tally, is_interrupted) = match contest.has_programs() {
            false => (play_bots(&contest, blocks, sprt, concurrency, archive.as_ref())?, false),
            true => self.play(&contest, blocks, sprt, concurrency, archive.as_ref())?,
        };
        let report = Report { contest: &contest, table: tally.table(), elapsed: start.elapsed(), concurrency };
        let written = archive.map_or(Ok(()), |archive| archive.finish(report.table.blocks));
        match self.json {
            true => writeln!(out, "{:#}", json::value(&report))?,
            false => report.show(out)?,
        }
        out.flush()?;
        // Report an error of the records after the table, which is worth more.
        written?;
        if is_interrupted {
            return Err(CliError::Interrupted);
        }
        match report.forfeits() {
            forfeits if self.strict && !forfeits.is_empty() => {
                Err(CliError::Failed(format!("--strict: expected no forfeit, got {}", forfeits.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// Plays a contest with programs until it is decided or a signal comes. Returns the results, and true if a signal came.
    fn play(
        &self,
        contest: &Contest,
        blocks: u64,
        sprt: Option<Sprt>,
        concurrency: usize,
        archive: Option<&Archive>,
    ) -> Result<(Tally, bool), CliError> {
        let agents = &contest.agents;
        let logs = &Logs::open(self.logs.as_deref(), agents)?;
        let tally = Tally::new(contest.lineup.clone(), contest.seatings.clone(), sprt);
        let queue = BlockQueue::new(tally, contest.seatings.len(), blocks, contest.may_remember);
        let games = DuelSchedule { contest, queue, archive, blocks, start: Instant::now() };
        let venue = LocalVenue::without_store(FREE_PORT);
        let (runner, mut progress) = (Runner::new(games, &venue, AtStop::Cancel)?, Progress::new());
        let around =
            Surroundings { agents, logs, patience: contest.patience, trusts: contest.may_remember, must_begin: true };
        runner.play(around, concurrency, &mut progress)?;
        let (games, is_interrupted) = runner.finish(&mut progress)?;
        Ok((games.queue.tally, is_interrupted))
    }

    /// Returns what is agreed for all games.
    fn contest(&self) -> Result<Contest, CliError> {
        let rules = self.game.rules()?;
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
        let setup = self.game.configure(seats)?;
        agents::set_clocks(&mut agents, &self.tc, self.patience)?;
        let conduct = match self.strikes.and_then(NonZeroU8::new) {
            Some(strikes) => Conduct { unreadable: Consequence::Strike, ..Conduct::with_strikes(strikes) },
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
        Ok(Contest {
            design: self.design,
            seatings: lineup.seatings(self.design),
            luck,
            may_remember: self.trust || luck == Luck::Own,
            seed: seed_or_any(self.seed),
            salt,
            conduct,
            patience: self.patience,
            setup,
            agents,
            lineup,
        })
    }

    /// Returns the sequential test; None without `--sprt`.
    fn test(&self) -> Result<Option<Sprt>, CliError> {
        let Some(text) = &self.sprt else { return Ok(None) };
        let hypotheses = text.split_once(',').and_then(|(h0, h1)| Some((h0.parse().ok()?, h1.parse().ok()?)));
        let (h0, h1) = hypotheses.ok_or_else(|| {
            CliError::Usage(format!("--sprt: expected two hypotheses such as 0,0.05, got \"{text}\""))
        })?;
        let usage = |error| CliError::Usage(format!("--sprt: {error}"));
        let hypotheses = Hypotheses::new(h0, h1, self.alpha, self.beta).map_err(usage)?;
        let max_blocks = usize::try_from(self.max_blocks.unwrap_or(MAX_BLOCKS)).unwrap_or(usize::MAX);
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

/// Plays a contest of bots in this process.
fn play_bots(
    contest: &Contest,
    blocks: u64,
    sprt: Option<Sprt>,
    concurrency: usize,
    archive: Option<&Archive>,
) -> Result<Tally, CliError> {
    let Contest { setup, lineup, design, luck, .. } = contest;
    let cell = Cell {
        setup: setup.clone(),
        lineup: lineup.clone(),
        bots: contest.agents.iter().filter_map(Agent::bot).collect(),
        design: *design,
        luck: *luck,
        seed: contest.root(),
        clock: Some(nanoseconds),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(concurrency).build().map_err(CliError::failed)?;
    let keep = |block, game, referee: &Referee| {
        if let Some(archive) = archive {
            archive.add(contest, block, game, &referee.record());
        }
    };
    let (mut progress, start) = (Progress::new(), Instant::now());
    let show = |tally: &Tally| progress.show(|| progress::text(contest, blocks, start.elapsed(), tally));
    let tally = pool.install(|| cell.play(blocks, sprt, keep, show));
    progress.clear();
    Ok(tally)
}

/// Returns the nanoseconds since the first call.
fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

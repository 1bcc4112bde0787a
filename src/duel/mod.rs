//! `ahu duel`: compares agents in blocks of games, and says who is better.
//!
//! Duels of bots have no server. A [`Cell`] plays them in this process, with the same seatings, seeds, and table as a duel with
//! programs.

mod agents;
mod archive;
mod block_queue;
mod contest;
mod contest_arguments;
mod json;
mod merge;
mod planned;
mod progress;
mod report;
mod schedule;
mod shard_file;

use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ahu_arena::programs::FREE_PORT;
use ahu_arena::{Agent, AtStop, LocalVenue, Logs, Runner, Surroundings};
use ahu_contest::blocks::{BlockShard, Cell, Tally};
use ahu_contest::statistics::{Hypotheses, Sprt};
use ahu_host::Referee;
use clap::Subcommand;

use self::archive::Archive;
use self::block_queue::BlockQueue;
use self::contest::Contest;
use self::contest_arguments::ContestArguments;
use self::report::Report;
use self::schedule::DuelSchedule;
use self::shard_file::ShardFile;
use crate::arguments::{Concurrency, GameArguments, concurrency};
use crate::files::create_empty;
use crate::terminal::progress::Progress;
use crate::{CliError, Done};

/// The number of blocks without `--blocks` and `--sprt`.
const BLOCKS: u64 = 200;
/// The maximum number of blocks of a test without `--max-blocks`.
const MAX_BLOCKS: u64 = 5000;

/// Compare agents in blocks of games, and say who is better
///
/// A block plays one table with its players permuted, so that every player has every seat equally often. All intervals
/// and tests are over blocks.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Duel {
    #[command(subcommand)]
    command: Option<DuelCommand>,
    /// None only with a command, as are the arguments of the contest.
    #[command(flatten)]
    game: Option<GameArguments>,
    #[command(flatten)]
    contest: Option<ContestArguments>,
    #[command(flatten)]
    play: Play,
}

commands! {
    #[derive(Debug, Subcommand)]
    enum DuelCommand {
        Merge(merge::Merge),
    }
}

/// The arguments that say how many games are played, and where their results go.
#[derive(Debug, clap::Args)]
struct Play {
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
    /// Play one shard of the blocks, such as `3/16`; `ahu duel merge` makes the table from the folders of all shards
    ///
    /// Needs --records, and the seeds of all games: --seed, and --salt where a salt would be drawn.
    #[arg(long, value_name = "NUMBER/COUNT")]
    shard: Option<BlockShard>,
    /// The number of games at once: a number, or `auto`, which is the number of cores, divided by the programs of a game
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// Write the record of each game, and `results.csv`, to this new folder
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Plan the games of players of the Python package (`callable`), which plays them, and print them as JSON
    #[arg(long, hide = true, requires_all = ["records", "seed"], conflicts_with = "sprt")]
    games: bool,
    /// Write the output of each agent's programs to a file in this new folder
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// The arguments about the output of a duel.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Output {
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
  ahu duel giants --seats 4 --agent a=\"jsonl:./bot\" --field greedy --blocks 50 --tc 10+0.1
  ahu duel rappanui --agent greedy --agent random --seed 1 --shard 3/16 --records shards/3
  ahu duel merge shards/*";

impl Duel {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        match (self.command, self.game, self.contest) {
            (Some(command), ..) => command.run(out),
            (None, Some(game), Some(contest)) => self.play.run(game, contest, out),
            (None, ..) => unreachable!("without a command, the game and the agents are required"),
        }
    }
}

impl Play {
    fn run(self, game: GameArguments, arguments: ContestArguments, out: &mut impl Write) -> Done {
        let contest = arguments.contest(&game)?;
        let sprt = self.test()?;
        let all = sprt.as_ref().map_or(self.blocks.unwrap_or(BLOCKS), |sprt| sprt.max_blocks() as u64);
        self.check_shard(&arguments, &contest, all)?;
        if self.games {
            return self.plan(game, arguments, &contest, all, out);
        }
        planned::refuse_callables(&contest)?;
        let concurrency = contest.concurrency(match self.concurrency {
            Concurrency::Auto => None,
            Concurrency::Games(games) => Some(games),
        });
        let archive = self.records.as_deref().map(Archive::create).transpose()?;
        self.logs.as_deref().map_or(Ok(()), |folder| create_empty("--logs", folder))?;
        if !self.output.json {
            contest.announce(concurrency, out)?;
            out.flush()?;
        }
        let start = Instant::now();
        let (tally, is_interrupted) = match contest.has_programs() {
            false => (self.play_bots(&contest, all, sprt, concurrency, archive.as_ref())?, false),
            true => self.play_programs(&contest, all, sprt, concurrency, archive.as_ref())?,
        };
        let elapsed = start.elapsed();
        let report = Report { contest: &contest, table: tally.table(), elapsed, concurrency };
        let mut written = archive.map_or(Ok(()), |archive| archive.finish(tally.due()));
        match (self.shard, &self.records) {
            (Some(shard), Some(folder)) => {
                if written.is_ok() && !is_interrupted {
                    let file = ShardFile::new(shard, all, (game, arguments), &contest, concurrency, elapsed);
                    written = file.write(folder);
                }
                report.print_shard(shard, all, self.output.json, out)?;
            }
            _ => report.print(self.output.json, out)?,
        }
        out.flush()?;
        // Report an error of the records after the table, which is worth more.
        written?;
        if is_interrupted {
            return Err(CliError::Interrupted);
        }
        report.check_forfeits(self.output.strict)
    }

    /// Writes the games to `out`, and a shard that has all of them to the folder of the records.
    fn plan(
        &self,
        game: GameArguments,
        arguments: ContestArguments,
        contest: &Contest,
        all: u64,
        out: &mut impl Write,
    ) -> Done {
        let folder = self.records.as_deref().expect("clap requires it");
        create_empty("--records", folder)?;
        writeln!(out, "{}", planned::games_json(contest, self.shard(), all, folder))?;
        ShardFile::new(self.shard(), all, (game, arguments), contest, 1, Duration::ZERO).write(folder)
    }

    /// Checks that a shard can be a part of a duel of `all` blocks.
    fn check_shard(&self, arguments: &ContestArguments, contest: &Contest, all: u64) -> Done {
        let Some(shard) = self.shard else { return Ok(()) };
        let usage = |message: String| Err(CliError::Usage(format!("--shard: {message}")));
        if self.sprt.is_some() {
            return usage(
                "expected --blocks, got --sprt: a sequential test decides after each block, and a shard does not know the blocks \
                 of the others"
                    .to_owned(),
            );
        }
        if self.records.is_none() {
            return usage("expected --records DIR, from which `ahu duel merge` reads the games, got none".to_owned());
        }
        if arguments.seed.is_none() {
            return usage("expected --seed, so that all shards belong to one duel, got none".to_owned());
        }
        if contest.salt != arguments.salt {
            return usage(
                "expected --salt, so that all shards belong to one duel, or --trust, which needs no salt; got neither"
                    .to_owned(),
            );
        }
        if shard.count() > all {
            return usage(format!("expected at most {all} shards, one for each block, got {}", shard.count()));
        }
        Ok(())
    }

    /// Returns the shard of the blocks that are played.
    fn shard(&self) -> BlockShard {
        self.shard.unwrap_or(BlockShard::WHOLE)
    }

    /// Plays a contest with programs until it is decided or a signal comes. Returns the results, and true if a signal came.
    fn play_programs(
        &self,
        contest: &Contest,
        all: u64,
        sprt: Option<Sprt>,
        concurrency: usize,
        archive: Option<&Archive>,
    ) -> Result<(Tally, bool), CliError> {
        let agents = &contest.agents;
        let logs = &Logs::open(self.logs.as_deref(), agents)?;
        let tally = Tally::new(contest.lineup.clone(), contest.seatings.clone(), sprt).of_shard(self.shard());
        let queue = BlockQueue::new(tally, contest.seatings.len(), self.shard(), all, contest.may_remember);
        let blocks = self.shard().blocks(all);
        let games = DuelSchedule { contest, queue, archive, blocks, start: Instant::now() };
        let venue = LocalVenue::without_store(FREE_PORT);
        let (runner, mut progress) = (Runner::new(games, &venue, AtStop::Cancel)?, Progress::new());
        let around =
            Surroundings { agents, logs, patience: contest.patience, trusts: contest.may_remember, must_begin: true };
        runner.play(around, concurrency, &mut progress)?;
        let finished = runner.finish(&mut progress);
        progress.clear();
        let (games, is_interrupted) = finished?;
        Ok((games.queue.tally, is_interrupted))
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

    /// Plays a contest of bots in this process.
    fn play_bots(
        &self,
        contest: &Contest,
        all: u64,
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
        let (mut progress, start, blocks) = (Progress::new(), Instant::now(), self.shard().blocks(all));
        let show = |tally: &Tally| progress.show(|| progress::text(contest, blocks, start.elapsed(), tally));
        let tally = pool.install(|| cell.play_shard(self.shard(), all, sprt, keep, show));
        progress.clear();
        Ok(tally)
    }
}

/// Returns the nanoseconds since the first call.
fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

//! `ahu duel`: compares agents in blocks of games, and says who is better.

mod agents;
mod archive;
mod block_queue;
mod claims;
mod json;
mod matchup;
mod matchup_arguments;
mod merge;
mod planned;
mod progress;
mod report;
mod schedule;
mod starting_point;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use ahu_arena::programs::FREE_PORT;
use ahu_arena::{AtStop, LocalVenue, Logs, Runner, Surroundings};
use ahu_contest::blocks::{BlockShard, Luck, Tally};
use clap::Subcommand;

use self::archive::Archive;
use self::block_queue::BlockQueue;
use self::claims::{DuelClaims, Host, keep_salt};
use self::matchup::Matchup;
use self::matchup_arguments::MatchupArguments;
use self::report::Report;
use self::schedule::DuelSchedule;
use self::starting_point::StartingPoint;
use crate::arguments::{Concurrency, GameArguments, concurrency};
use crate::files::create_empty;
use crate::runs::{Folder, RunFile, check_count};
use crate::terminal::progress::{Pace, Progress};
use crate::{CliError, Done};

/// The number of blocks without `--blocks`, `--positions`, and `--sprt`.
const BLOCKS: u64 = 200;

/// Compare agents in blocks of games, and say who is better
///
/// A block plays one table with its players permuted, so that every player has every seat equally often. All intervals
/// and tests are over blocks.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Duel {
    #[command(subcommand)]
    command: Option<DuelCommand>,
    /// None only with a command, as are the arguments of the matchup.
    #[command(flatten)]
    game: Option<GameArguments>,
    #[command(flatten)]
    matchup: Option<MatchupArguments>,
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
    /// The number of blocks: at least 2; a verdict needs 10 [default: 200, or one for each position]
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(2..))]
    blocks: Option<u64>,
    /// The number of games, instead of --blocks: a multiple of the games of a block, which `ahu duel` prints
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["blocks", "sprt"])]
    games: Option<u64>,
    /// Begin each block at a position of this file, in their order
    ///
    /// A line is JSON with a record and a ply, as `ahu analyse --positions` writes them: {"record": "games/7.txt", "ply": 12}.
    /// All games of a block begin before this ply, and have the seed of the record, so luck is shared. --seed then decides
    /// the random choices of bots, and the seeds that programs are given.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["luck", "planned"])]
    positions: Option<PathBuf>,
    /// Play one shard of the blocks, such as `3/16`; `ahu duel merge` makes the table from the folders of all shards
    ///
    /// Needs --records, and the seeds of all games: --seed, and --salt where a salt would be drawn. A sequential test has no
    /// shards, since it decides after each block.
    #[arg(long, value_name = "NUMBER/COUNT", requires = "records", conflicts_with = "sprt")]
    shard: Option<BlockShard>,
    /// The number of games at once: a number, or `auto`, which is the number of cores, divided by the programs of a game
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// Keep the record of each game, and `results.csv`, in this folder; the same command goes on where it was interrupted
    ///
    /// Also with more --blocks. Programs get a salt that is kept in the folder, in a file for you alone.
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Plan the games of players of the Python package (`callable`), which plays them, and print them as JSON
    #[arg(long, hide = true, requires = "records", conflicts_with = "sprt")]
    planned: bool,
    /// Write the output of each agent's programs to a file in this new folder; a duel that goes on adds to it
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// The arguments about the output of a duel.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Output {
    /// Exit with code 3 if a player forfeited
    #[arg(long)]
    strict: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  ahu duel rappanui greedy random
  ahu duel rapanui_cards new=\"python my_agent.py\" old=greedy@1 --sprt 0,0.05
  ahu duel giants a=\"jsonl:./bot\" --seats 4 --field greedy --blocks 50 --tc 10+0.1
  ahu duel rapanui_cards greedy@2 greedy@1 --positions positions.jsonl
  ahu duel rappanui greedy random --seed 1 --shard 3/16 --records shards/3
  ahu duel merge shards/*";

impl Duel {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        match (self.command, self.game, self.matchup) {
            (Some(command), ..) => command.run(out),
            (None, Some(game), Some(matchup)) => self.play.run(game, matchup, out),
            (None, ..) => unreachable!("without a command, the game and the agents are required"),
        }
    }
}

impl Play {
    fn run(self, game: GameArguments, mut arguments: MatchupArguments, out: &mut impl Write) -> Done {
        let folder = self.records.clone().map(Folder);
        let begun = folder.as_ref().map_or(Ok(None), Folder::run::<DuelClaims>)?;
        if let (Some(folder), Some(begun)) = (&folder, &begun) {
            begun.claims.give_seeds(folder, &mut arguments);
        }
        if self.positions.is_some() {
            arguments.luck = Some(Luck::Shared);
        }
        let mut matchup = arguments.matchup(&game)?;
        let mut most = None;
        if let Some(file) = &self.positions {
            matchup.starting_points = StartingPoint::read(file, &matchup.setup)?;
            most = Some(matchup.starting_points.len() as u64);
        }
        let sprt = arguments.test(most)?;
        let asked = self.games.map_or(Ok(self.blocks), |games| matchup.blocks_of(games).map(Some))?;
        let all = sprt.as_ref().map_or(asked.or(most).unwrap_or(BLOCKS), |sprt| sprt.max_blocks() as u64);
        let needed = all.max(2);
        if let Some(most) = most.filter(|&most| most < needed) {
            let message = format!("--positions: expected a position for each of {needed} blocks, got {most}");
            return Err(CliError::Usage(message));
        }
        self.check_shard(&arguments, &matchup, all)?;
        if let (Some(logs), None) = (&self.logs, &begun) {
            create_empty("--logs", logs)?;
        }
        let concurrency = matchup.concurrency(self.concurrency.0);
        let (mut host, mut archive) = (Host { concurrency, seconds: 0.0 }, None);
        if let Some(folder) = folder {
            let claims = DuelClaims::new(&matchup, all, game, arguments);
            host.seconds = begun.map_or(0.0, |run| run.host.seconds);
            let run = folder.begin(RunFile::new(claims, self.shard, host))?;
            keep_salt(&run.folder, &matchup)?;
            archive = Some(Archive::new(run));
        }
        let shard = self.shard.unwrap_or(BlockShard::WHOLE);
        let mut tally = Tally::new(matchup.lineup.clone(), matchup.seatings.clone(), sprt).of_shard(shard);
        let kept = archive.as_ref().map_or(Ok(Vec::new()), |archive| archive.blocks(&matchup, shard.numbers(all)))?;
        let done: BTreeSet<_> = kept.iter().map(|block| block.number).collect();
        for block in kept {
            tally.enter(block);
        }
        if let (true, Some(archive), Some(folder)) = (self.planned, &archive, &self.records) {
            writeln!(out, "{}", planned::games_json(&matchup, shard.numbers(all), archive, &Folder(folder.clone())))?;
            return Ok(());
        }
        let blocks = shard.blocks(all);
        let is_whole = done.len() as u64 == blocks || tally.verdict().is_some();
        if !is_whole {
            planned::refuse_callables(&matchup)?;
        }
        if !self.output.json {
            matchup.announce(concurrency, out)?;
            if !done.is_empty() {
                writeln!(out, "{} of {blocks} blocks are kept\n", done.len())?;
            }
            out.flush()?;
        }
        let pace = Pace::new(tally.blocks() * matchup.seatings.len() as u64);
        let left = shard.numbers(all).filter(move |number| !done.contains(number));
        let mut is_interrupted = false;
        if !is_whole {
            (tally, is_interrupted) =
                self.play(&matchup, tally, (blocks, pace), left, concurrency, archive.as_ref())?;
            host.seconds += pace.elapsed().as_secs_f64();
        }
        let report = Report { matchup: &matchup, table: tally.table(), host };
        match self.shard {
            Some(shard) => report.print_shard(shard, all, self.output.json, out)?,
            None => report.print(self.output.json, out)?,
        }
        out.flush()?;
        // Report an error of the records after the table, which is worth more.
        let end = tally.verdict().map(|_| tally.due());
        let all = is_interrupted.then_some(blocks as usize * matchup.seatings.len());
        archive.map_or(Ok(()), |archive| archive.finish(end, host, all))?;
        if is_interrupted {
            return Err(CliError::Interrupted);
        }
        report.check_forfeits(self.output.strict)
    }

    /// Checks that a shard can be a part of a duel of `all` blocks: all shards need the same seeds.
    fn check_shard(&self, arguments: &MatchupArguments, matchup: &Matchup, all: u64) -> Done {
        let missing = match self.shard {
            Some(_) if arguments.seed.is_none() => "--seed",
            Some(_) if matchup.salt != arguments.salt => "--salt or, for programs of your own, --trust",
            _ => return check_count(self.shard, all),
        };
        Err(CliError::Usage(format!("--shard: expected {missing}, so that all shards belong to one duel, got none")))
    }

    /// Plays the blocks that are left until the matchup is decided or a signal comes. Returns the results, and true if a signal
    /// came.
    fn play(
        &self,
        matchup: &Matchup,
        tally: Tally,
        (blocks, pace): (u64, Pace),
        left: impl Iterator<Item = u64> + Send + 'static,
        concurrency: usize,
        archive: Option<&Archive>,
    ) -> Result<(Tally, bool), CliError> {
        let agents = &matchup.agents;
        let logs = &Logs::open(self.logs.as_deref(), agents)?;
        let queue = BlockQueue::new(tally, matchup.seatings.len(), left, matchup.may_remember);
        let games = DuelSchedule { matchup, queue, archive, blocks, pace };
        let venue = LocalVenue::without_store(FREE_PORT);
        // Nothing cancels a game of bots.
        let at_stop = if matchup.has_bots_alone() { AtStop::LetEnd } else { AtStop::Cancel };
        let around =
            Surroundings { agents, logs, patience: matchup.patience, trusts: matchup.may_remember, must_begin: true };
        let mut progress = Progress::new();
        let played = Runner::play_all(games, &venue, at_stop, around, concurrency, &mut progress);
        progress.clear();
        let (games, is_interrupted) = played?;
        Ok((games.queue.tally, is_interrupted))
    }
}

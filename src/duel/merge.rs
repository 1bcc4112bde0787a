//! `ahu duel merge`: makes the table of a duel from the records of its shards.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ahu_arena::MAX_ATTEMPTS;
use ahu_contest::blocks::{Block, PlayedGame, Tally};
use ahu_host::Record;
use ahu_host::differs;

use super::Output;
use super::archive::{Archive, record_name};
use super::contest::Contest;
use super::report::Report;
use super::shard_file::ShardFile;
use crate::files::shards::in_order;
use crate::{CliError, Done};

/// Make the table of a duel from the folders of its shards
///
/// The table is that of a duel on one machine, but for times: the duration is the sum over the shards, and decisions of
/// bots have no times. Names a shard that is missing, comes twice, or belongs to another duel.
#[derive(Debug, clap::Args)]
pub(super) struct Merge {
    /// The folders that the shards wrote with --records
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Write the record of each game, and `results.csv`, to this new folder
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

impl Merge {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folders = self.folders.iter().map(|folder| ShardFile::read(folder)).collect::<Result<_, _>>()?;
        let shards = in_order(folders)?;
        let (contest, blocks) = shards[0].file.contest()?;
        let archive = self.records.as_deref().map(Archive::create).transpose()?;
        let mut tally = Tally::new(contest.lineup.clone(), contest.seatings.clone(), None);
        for number in 0..blocks {
            let shard = shards.iter().find(|folder| folder.shard.has(number)).expect("each block is in one shard");
            let mut games = Vec::new();
            for game in 0..contest.seatings.len() {
                let record = read(&contest, &shard.folder, number, game)?;
                let is_timed = |seat| contest.agents[contest.seatings[game][seat]].bot().is_none();
                games.push(PlayedGame::of(&record, contest.seatings[game], is_timed));
                if let Some(archive) = &archive {
                    archive.add(&contest, number, game, &record);
                }
            }
            tally.enter(Block { number, games });
        }
        let elapsed = Duration::from_secs_f64(shards.iter().map(|shard| shard.file.seconds).sum());
        let concurrency = shards.iter().map(|shard| shard.file.concurrency).max().unwrap_or(1);
        if !self.output.json {
            contest.announce(concurrency, out)?;
        }
        let report = Report { contest: &contest, table: tally.table(), elapsed, concurrency };
        report.print(self.output.json, out)?;
        out.flush()?;
        archive.map_or(Ok(()), |archive| archive.finish(blocks))?;
        report.check_forfeits(self.output.strict)
    }
}

/// Reads the record of a game, and checks that it is the game that the contest has there.
fn read(contest: &Contest, folder: &Path, block: u64, game: usize) -> Result<Record, CliError> {
    let path = folder.join(record_name(block, game));
    let wrong = |message: String| CliError::Failed(format!("{}: {message}", path.display()));
    let bytes = fs::read(&path).map_err(CliError::cannot("read", &path))?;
    let record = Record::read(&bytes).map_err(|error| wrong(error.to_string()))?;
    check(contest, block, game, &record).map_err(wrong)?;
    Ok(record)
}

fn check(contest: &Contest, block: u64, game: usize, record: &Record) -> Result<(), String> {
    differs("the game", format!("{:?}", contest.setup), format!("{:?}", record.setup))?;
    // A block that was void is played again on new seeds.
    let attempts = if contest.may_remember { MAX_ATTEMPTS } else { 1 };
    let seed = |attempt| contest.luck.seed(contest.root(), block, attempt, game);
    if (0..attempts).all(|attempt| seed(attempt) != record.seed) {
        differs("the seed", seed(0), record.seed)?;
    }
    for (seat, player) in contest.players(game).iter().enumerate() {
        differs(&format!("the player of seat {seat}"), &player.name, &record.players[seat].name)?;
    }
    match record.result {
        Some(_) => Ok(()),
        None => Err("expected a finished game, got one without a result".to_owned()),
    }
}

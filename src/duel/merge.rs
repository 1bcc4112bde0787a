//! `ahu duel merge`: makes the table of a duel from the records of its shards.

use std::io::Write;
use std::path::PathBuf;

use ahu_arena::programs::temporary_folder;
use ahu_contest::blocks::{BlockShard, Tally};

use super::Output;
use super::archive::{Archive, record_name};
use super::claims::{DuelClaims, Host, keep_salt};
use super::report::Report;
use crate::files::create_empty;
use crate::runs::{self, Folder, RunFile, check_complete, read_all};
use crate::{CliError, Done};

/// Make the table of a duel from the folders of its shards
///
/// The table is that of a duel on one machine, but for times: the duration is the sum over the shards, and decisions of
/// bots have no times. Names a shard that is missing, comes twice, has not ended, or belongs to
/// another duel.
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
        let shards = read_all::<DuelClaims>(&self.folders)?;
        let claims = &shards[0].file.claims;
        let (matchup, all) = claims.matchup(&shards[0].folder)?;
        let games = |number| (0..matchup.seatings.len()).map(move |game| record_name(number, game));
        let records = |shard: BlockShard| shard.numbers(all).flat_map(games).collect();
        check_complete(&shards, records)?;
        let host = Host {
            concurrency: shards.iter().map(|shard| shard.file.host.concurrency).max().unwrap_or(1),
            seconds: shards.iter().map(|shard| shard.file.host.seconds).sum(),
        };
        let temporary = temporary_folder("ahu-merge-").map_err(CliError::failed)?;
        let folder = self.records.as_deref().unwrap_or(temporary.path());
        create_empty("--records", folder)?;
        let mut run = Folder(folder.to_owned()).begin(RunFile::new(claims.clone(), None, host))?;
        keep_salt(&run.folder, &matchup)?;
        runs::merge(&shards, records, &mut run)?;
        let archive = Archive::new(run);
        let mut tally = Tally::new(matchup.lineup.clone(), matchup.seatings.clone(), None);
        for block in archive.blocks(&matchup, 0..all)? {
            tally.enter(block);
        }
        if !self.output.json {
            matchup.announce(host.concurrency, out)?;
        }
        let report = Report { matchup: &matchup, table: tally.table(), host };
        report.print(self.output.json, out)?;
        out.flush()?;
        archive.finish(None, host, None)?;
        report.check_forfeits(self.output.strict)
    }
}

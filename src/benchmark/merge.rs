//! `ahu benchmark merge`: makes the report of a run from the folders of its shards.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use ahu_contest::suite::{MachineClaim, Manifest, Suite, TimeClaim, plan_of};
use prost_types::Timestamp;

use super::folder::Host;
use super::{folder, report, suite};
use crate::files::create_empty;
use crate::runs::{Folder, RunFile, Shard, check_complete, merge, read_all};
use crate::{CliError, Done};

/// Make the report of a run from the folders of its shards
///
/// The report is that of a run on one machine, but for times, machines, and the last link of the log. Names a shard that is
/// missing, comes twice, or belongs to another run.
#[derive(Debug, clap::Args)]
pub(crate) struct Merge {
    /// The folders that the shards wrote with --out
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// The folder of the report, which must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The file of the suite, if it is none of the program
    #[arg(long, value_name = "FILE")]
    suite: Option<String>,
    /// Exit with code 3 if the agent forfeited a game
    #[arg(long)]
    strict: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Merge {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let shards = read_all::<Manifest>(&self.shards)?;
        let claims = shards[0].file.claims.clone();
        let suite: Suite = match &self.suite {
            Some(name) => suite(name)?,
            None => Suite::named(&claims.suite.name).map_err(|_| {
                let (name, sha256) = (&claims.suite.name, &claims.suite.sha256);
                CliError::Usage(format!(
                    "expected --suite FILE with the file of the suite {name} (SHA-256 {sha256}), which is none of the \
                     program; got no --suite"
                ))
            })?,
        };
        let plan = plan_of(&claims, suite).map_err(CliError::Failed)?;
        let records = |shard| plan.clone().of_shard(shard).games().map(|place| place.record(&plan.suite)).collect();
        check_complete(&shards, records)?;
        let (host, time) = origin(&shards);
        create_empty("--out", &self.out)?;
        let file = RunFile { started: time.started.clone(), ..RunFile::new(claims.clone(), None, host.clone()) };
        let mut run = Folder(self.out.clone()).begin(file)?;
        merge(&shards, records, &mut run)?;
        let calls = shards.iter().map(|shard| folder::calls(&shard.folder)).collect::<Result<Vec<_>, _>>()?.concat();
        if !calls.is_empty() {
            run.folder.write(folder::CALLS, calls)?;
        }
        let report = report::write(&plan, claims, &run, host, time)?;
        report::print(&report, self.json, self.strict, out)
    }
}

/// Returns the claims about the machines and the times of all shards.
fn origin(shards: &[Shard<Manifest>]) -> (Host, TimeClaim) {
    let machines = || shards.iter().map(|shard| &shard.file.host.machine);
    let all = |values: BTreeSet<&str>| values.into_iter().collect::<Vec<_>>().join(", ");
    let processors = all(machines().filter_map(|machine| machine.processor.as_deref()).collect());
    let seconds = |text: &str| text.parse().map_or(0, |time: Timestamp| time.seconds);
    let spent: i64 = shards.iter().map(|shard| seconds(shard.log.ended()) - seconds(&shard.file.started)).sum();
    let host = Host {
        server: shards[0].file.host.server.clone(),
        machine: MachineClaim {
            system: all(machines().map(|machine| machine.system.as_str()).collect()),
            processor: Some(processors).filter(|names| !names.is_empty()),
            cores: machines().map(|machine| machine.cores).max().unwrap_or(1),
            memory: machines().filter_map(|machine| machine.memory).max(),
        },
    };
    let time = TimeClaim {
        started: shards.iter().map(|shard| shard.file.started.clone()).min().unwrap_or_default(),
        ended: shards.iter().map(|shard| shard.log.ended().to_owned()).max().unwrap_or_default(),
        seconds: spent as f64,
    };
    (host, time)
}

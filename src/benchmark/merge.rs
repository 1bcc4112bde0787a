//! `ahu benchmark merge`: makes the report of a run from the folders of its shards.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_contest::suite::{GamesLog, MachineClaim, Manifest, Plan, ServerClaim, Suite, TimeClaim, plan_of};
use prost_types::Timestamp;
use serde_json::json;

use super::folder::{Folder, RunFile, text};
use super::report::{self, Origin};
use super::{games_log, suite};
use crate::files::create_empty;
use crate::files::shards::{ShardFolder, in_order};
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
    /// Exit with code 1 if the agent forfeited a game
    #[arg(long)]
    strict: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// A shard that has ended.
struct ShardContent {
    claims: Manifest,
    server: ServerClaim,
    machine: MachineClaim,
    started: String,
    /// The text of `games.jsonl`.
    log: String,
    ended: String,
}

impl Merge {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let shards = self.shards.iter().map(|folder| read(folder)).collect::<Result<Vec<_>, _>>()?;
        let shards = in_order(shards)?;
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
        for shard in &shards {
            check_complete(&plan, shard)?;
        }
        let origin = origin(&shards);
        create_empty("--out", &self.out)?;
        let folder = Folder(self.out.clone());
        let (_, _lock) = folder.begin(&claims, None, origin.time.started.clone())?;
        let (mut log, mut lines) = (GamesLog::default(), String::new());
        for ShardFolder { folder: from, shard, file, .. } in &shards {
            let of_shard = |message: String| CliError::Failed(format!("{}: {message}", from.display()));
            lines += &log.enter_shard(&file.log).map_err(of_shard)?;
            let from = Folder(from.clone());
            for place in plan.clone().of_shard(*shard).games() {
                let path = from.record(&plan, place);
                folder.keep(&plan, place, &fs::read(&path).map_err(CliError::cannot("read", &path))?)?;
            }
        }
        folder.write(games_log::NAME, &lines)?;
        let report = report::write(&plan, claims, &folder, &log, origin)?;
        report::print(&report, self.json, self.strict, out)
    }
}

/// Reads the files of a shard beside its records.
fn read(folder: &Path) -> Result<ShardFolder<ShardContent>, CliError> {
    let RunFile { claims, started, shard } = Folder(folder.to_owned()).run()?;
    let shard = shard.ok_or_else(|| {
        CliError::Usage(format!(
            "{}: expected a folder of `ahu benchmark run --shard`, got one of a whole run",
            folder.display()
        ))
    })?;
    let path = folder.join(games_log::NAME);
    let (log, _) = games_log::read(&path)?;
    let (log, ended) = (text(&path)?, log.ended().to_owned());
    let compared = json!({"claims": claims, "server": shard.server});
    let file = ShardContent { claims, server: shard.server, machine: shard.machine, started, log, ended };
    Ok(ShardFolder { folder: folder.to_owned(), shard: shard.part, claims: compared, file })
}

/// Checks that a shard has the records of its games, and that its log keeps them.
fn check_complete(plan: &Plan, ShardFolder { folder, shard, file, .. }: &ShardFolder<ShardContent>) -> Done {
    let own = plan.clone().of_shard(*shard);
    let wrong = |message: String| CliError::Failed(format!("{}: {message}", folder.display()));
    let (log, _) = GamesLog::read(&file.log).map_err(wrong)?;
    match (Folder(folder.clone()).missing(&own, &log)?.len(), own.games().count()) {
        (0, _) => Ok(()),
        (missing, all) => Err(wrong(format!(
            "expected {all} records of the shard {shard}, got {}; `ahu benchmark run` with the same arguments plays the others",
            all - missing
        ))),
    }
}

/// Returns the claims about the machines and the times of all shards.
fn origin(shards: &[ShardFolder<ShardContent>]) -> Origin {
    let files = || shards.iter().map(|shard| &shard.file);
    let machines = || files().map(|file| &file.machine);
    let all = |values: BTreeSet<&str>| values.into_iter().collect::<Vec<_>>().join(", ");
    let processors = all(machines().filter_map(|machine| machine.processor.as_deref()).collect());
    let seconds = |text: &str| text.parse().map_or(0, |time: Timestamp| time.seconds);
    let spent: i64 = files().map(|file| seconds(&file.ended) - seconds(&file.started)).sum();
    Origin {
        server: shards[0].file.server.clone(),
        machine: MachineClaim {
            system: all(machines().map(|machine| machine.system.as_str()).collect()),
            processor: Some(processors).filter(|names| !names.is_empty()),
            cores: machines().map(|machine| machine.cores).max().unwrap_or(1),
            memory: machines().filter_map(|machine| machine.memory).max(),
        },
        time: TimeClaim {
            started: files().map(|file| file.started.clone()).min().unwrap_or_default(),
            ended: files().map(|file| file.ended.clone()).max().unwrap_or_default(),
            seconds: spent as f64,
        },
    }
}

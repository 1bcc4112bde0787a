//! `ahu benchmark check`: checks a report from its records.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ahu::core::Seed;
use ahu::host::{BotChoices, Record};
use ahu::suite::{
    AgentKind, GamePlace, Manifest, Plan, PlayedRecord, Report, Scores, Suite, blocks_csv, check_figures, check_record,
    plan_of, table, timeless,
};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng as _};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::json;

use super::folder::Folder;
use super::programs::Programs;
use super::suite::suite;
use super::{bots, machine};
use crate::cli::programs::LocalMatches;
use crate::cli::progress::{Progress, bar};
use crate::cli::{CliError, Done, lock, seed_or_any};

/// The number of faults that the text shows. The JSON has all.
const SHOWN: usize = 20;

/// The facts that no check of records proves.
const NOT_PROVED: &str = "\
not proved: which program chose the agent's actions (--rerun plays blocks again), what it declares, times, the machine,
the hash of the server's program, and that a sealed salt did not exist before the agent";

/// Check a report from its records and the suite
///
/// Plays every record again, checks that its game, options, seed, terms, and players are those of the suite, computes the
/// choices of its bots again, and works out every figure anew. Exits with code 1 after a fault.
///
/// Does not prove which program chose the agent's actions: play blocks again with --rerun, or let the agent play on a
/// server that holds the seeds (`ahu benchmark run --server`).
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// The folder of the report
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The file of the suite, if it is none of the program
    #[arg(long, value_name = "FILE")]
    suite: Option<String>,
    /// The share of the choices of search bots that are computed again, drawn at random: above 0, to 1 for all
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = share)]
    sample: f64,
    /// The seed of the draws [default: random, so that nobody can foresee which choices are computed]
    #[arg(long)]
    seed: Option<Seed>,
    /// Play this number of blocks of each run again with the agent, drawn at random, and compare the actions: for agents that
    /// repeat themselves
    #[arg(long, value_name = "N")]
    rerun: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|&share: &f64| share > 0.0 && share <= 1.0);
    share.ok_or_else(|| format!("expected a share above 0, to 1, got \"{text}\""))
}

/// The results of all checks.
#[derive(Default)]
struct Checked {
    records: usize,
    choices: BotChoices,
    /// The number of games that were played again.
    played_again: usize,
    faults: Vec<String>,
}

impl Check {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = Folder(self.folder.clone());
        let report = folder.report()?;
        let seed = seed_or_any(self.seed);
        let checked = match self.plan(&report) {
            Ok(plan) => self.check(&report, &plan, &folder, seed)?,
            Err(message) => Checked { faults: vec![message], ..Checked::default() },
        };
        let Checked { records, choices: BotChoices { all, checked: computed }, played_again, faults } = &checked;
        if self.json {
            let value = json!({
                "valid": faults.is_empty(), "records": records, "bot_choices": all, "bot_choices_computed": computed,
                "sample": self.sample, "seed": seed.0, "games_played_again": played_again, "faults": faults,
                "not_proved": NOT_PROVED,
            });
            writeln!(out, "{value:#}")?;
        } else {
            writeln!(out, "records {records}, choices of bots {all}, of which {computed} were computed again")?;
            if self.rerun.is_some() {
                writeln!(out, "games played again {played_again}")?;
            }
            faults.iter().take(SHOWN).try_for_each(|fault| writeln!(out, "{fault}"))?;
            if faults.len() > SHOWN {
                writeln!(out, "{} more faults are in --json", faults.len() - SHOWN)?;
            }
            writeln!(out, "{NOT_PROVED}")?;
            if faults.is_empty() {
                writeln!(out, "valid")?;
            }
        }
        out.flush()?;
        match faults.len() {
            0 => Ok(()),
            1 => Err(CliError::Failed(format!("the report is not valid: {}", faults[0]))),
            count => {
                Err(CliError::Failed(format!("the report is not valid: {count} faults, the first: {}", faults[0])))
            }
        }
    }

    /// Returns the plan that the report claims.
    fn plan(&self, report: &Report) -> Result<Plan, String> {
        let name = self.suite.as_deref().unwrap_or(&report.suite.name);
        let suite: Suite = suite(name).map_err(|error| match error {
            CliError::Usage(message) | CliError::Failed(message) => message,
            CliError::Interrupted | CliError::Output(_) => "cannot read the suite".to_owned(),
        })?;
        plan_of(&report.manifest(), suite)
    }

    fn check(&self, report: &Report, plan: &Plan, folder: &Folder, seed: Seed) -> Result<Checked, CliError> {
        let mut checked = Checked::default();
        let server = machine::server(&plan.suite)?;
        if (&server.rules, &server.layouts) != (&report.server.rules, &report.server.layouts) {
            checked.faults.push(format!(
                "server: expected the rules {:?} and layouts of this program, got {:?}",
                server.rules, report.server.rules
            ));
        }
        let surplus = folder.surplus(plan);
        checked.faults.extend(surplus.iter().map(|path| {
            let cell = path.components().nth(1).map(|part| part.as_os_str().to_string_lossy().into_owned());
            format!("cell {}: expected no further record, got {}", cell.unwrap_or_default(), path.display())
        }));
        let manifest = report.manifest();
        let games = self.check_records(plan, &manifest, folder, seed, &mut checked);
        if games.len() == plan.games().count() {
            let scores = Scores::of(plan, report.agent.kind, &games);
            checked.faults.extend(check_figures(report, &scores));
            let csv = folder.blocks()?;
            checked
                .faults
                .extend(blocks_csv::difference(&scores.rows, &csv).map(|message| format!("blocks.csv: {message}")));
            if blocks_csv::sha256(&csv) != report.records.blocks_csv {
                checked.faults.push(format!(
                    "all cells: records.blocks_csv: expected {}, the SHA-256 of blocks.csv, got {}",
                    blocks_csv::sha256(&csv),
                    report.records.blocks_csv
                ));
            }
            for (name, expected) in
                [("report.md", table::markdown(report)), ("report.html", table::page(report).into_string())]
            {
                // Both are made from the JSON, and need not be published with it.
                if fs::read_to_string(folder.0.join(name)).is_ok_and(|found| found != expected) {
                    checked.faults.push(format!("{name}: expected the one that follows from report.json, got another"));
                }
            }
        }
        if let Some(blocks) = self.rerun
            && checked.faults.is_empty()
        {
            play_again(plan, &manifest, folder, blocks, seed, &mut checked)?;
        }
        Ok(checked)
    }

    /// Checks all records, on all cores. Returns those without a fault.
    fn check_records(
        &self,
        plan: &Plan,
        manifest: &Manifest,
        folder: &Folder,
        seed: Seed,
        checked: &mut Checked,
    ) -> BTreeMap<GamePlace, PlayedRecord> {
        let places: Vec<_> = plan.games().collect();
        let (done, all, progress) = (AtomicU64::new(0), places.len() as u64, Mutex::new(Progress::new()));
        let check = |(index, &place): (usize, &GamePlace)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed.child(index as u64).0);
            let read = fs::read(folder.record(plan, place)).map_err(|error| format!("cannot read the record: {error}"));
            let found = read.and_then(|bytes| {
                let (record, choices) = check_record(plan, manifest, place, &bytes, || {
                    (rng.next_u64() as f64) < self.sample * u64::MAX as f64
                })?;
                let played = PlayedRecord::of(plan, place, &record).ok_or("expected a result, got none")?;
                Ok((place, played, choices))
            });
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            lock(&progress).show(|| format!("{} {done} of {all} records", bar(done, all)));
            found.map_err(|message| format!("{}: {message}", place.name(&plan.suite, plan.runs)))
        };
        let indexed: Vec<_> = places.iter().enumerate().collect();
        let found: Vec<_> = indexed.par_iter().map(|&pair| check(pair)).collect();
        lock(&progress).clear();
        let mut games = BTreeMap::new();
        for result in found {
            match result {
                Ok((place, played, choices)) => {
                    checked.records += 1;
                    checked.choices.all += choices.all;
                    checked.choices.checked += choices.checked;
                    games.insert(place, played);
                }
                Err(message) => checked.faults.push(message),
            }
        }
        games
    }
}

/// Plays blocks again with the agent, and compares the actions.
fn play_again(
    plan: &Plan,
    manifest: &Manifest,
    folder: &Folder,
    blocks: usize,
    seed: Seed,
    checked: &mut Checked,
) -> Result<(), CliError> {
    let agent = &manifest.agent;
    if matches!(agent.kind, AgentKind::Remote | AgentKind::Callable) {
        return Err(CliError::Usage(format!(
            "--rerun: expected a bot or a command, which this machine can start, got {}={}",
            agent.name, agent.player
        )));
    }
    let places = drawn(plan, blocks, seed);
    let is_stopped = AtomicBool::new(false);
    let faults = Mutex::new(Vec::new());
    let keep = |place: GamePlace, record: &Record| {
        let path = folder.record(plan, place);
        let before = fs::read(&path).map_err(|error| error.to_string());
        let before = before.and_then(|bytes| Record::read(&bytes).map_err(|error| error.to_string()));
        let before = before.map_err(|error| CliError::Failed(format!("{}: {error}", path.display())))?;
        if timeless(&before) != timeless(record) {
            let entries = before.entries.iter().zip(&record.entries);
            let same = entries.take_while(|(one, other)| is_same(one, other)).count();
            lock(&faults).push(format!(
                "{}: expected the same actions from the agent, got others from entry {} on",
                place.name(&plan.suite, plan.runs),
                same + 1
            ));
        }
        Ok(())
    };
    if agent.kind == AgentKind::Bot {
        bots::play(plan, agent, &places, &is_stopped, keep)?;
    } else {
        let matches = &LocalMatches::new();
        let concurrency = std::thread::available_parallelism().map_or(1, usize::from);
        let is_stopped = &is_stopped;
        let programs = Programs { plan, agent, matches, queue: None, logs: None, concurrency, is_stopped };
        programs.play(&places, &keep, &|_| {})?;
    }
    checked.played_again = places.len();
    checked.faults.append(&mut lock(&faults));
    Ok(())
}

/// Compares two entries without their times.
fn is_same(one: &ahu::host::Entry, other: &ahu::host::Entry) -> bool {
    use ahu::host::Entry::Action;
    match (one, other) {
        (Action { seat, id, by, .. }, Action { seat: other_seat, id: other_id, by: other_by, .. }) => {
            (seat, id, by) == (other_seat, other_id, other_by)
        }
        (one, other) => one == other,
    }
}

/// Returns the games of blocks of each run that are drawn at random.
fn drawn(plan: &Plan, blocks: usize, seed: Seed) -> Vec<GamePlace> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.0);
    let mut places = Vec::new();
    for run in 0..plan.runs {
        let cells = 0..plan.suite.cells.len();
        let mut all: Vec<_> = cells.flat_map(|cell| (0..plan.blocks(cell)).map(move |block| (cell, block))).collect();
        for place in 0..blocks.min(all.len()) {
            let other = place + (rng.next_u64() % (all.len() - place) as u64) as usize;
            all.swap(place, other);
        }
        let mut drawn = all[..blocks.min(all.len())].to_vec();
        drawn.sort_unstable();
        let games =
            |(cell, block)| (0..plan.games_of_block(cell)).map(move |game| GamePlace { run, cell, block, game });
        places.extend(drawn.into_iter().flat_map(games));
    }
    places
}

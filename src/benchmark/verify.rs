//! `ahu benchmark verify`: verifies a report from its records.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_arena::LocalVenue;
use ahu_arena::programs::FREE_PORT;
use ahu_contest::GamesLog;
use ahu_contest::suite::{
    AgentClaim, AgentKind, GamePlace, Manifest, PlayedRecord, Report, Scores, Suite, SuitePlan, blocks_csv,
    check_alone, check_blocks, check_figures, check_log, check_record, formats, plan_of, timeless,
};
use ahu_core::Seed;
use ahu_core::parts::lines::counted;
use ahu_host::{BotChoices, Record};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng as _};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::{Value, json};

use super::schedule::BenchmarkSchedule;
use super::{folder, machine, suite};
use crate::arguments::{cores, seed_or_any};
use crate::files::record_file::read_record;
use crate::files::text;
use crate::runs::{Folder, GAMES_LOG, read_log};
use crate::terminal::progress::Count;
use crate::{CliError, Done, print_json};

/// The number of faults that the text shows. The JSON has all of them.
const SHOWN: usize = 20;

/// The facts that no check of records proves.
const NOT_PROVED: &str = "\
not proved: which program chose the agent's actions (--rerun plays blocks again), what it declares (also model, tokens, and
cost of a language model: its host has the calls under the ids in calls.jsonl), times, the machine,
the hash of the server's program, that a sealed salt did not exist before the agent, and that the log is the only one: its
owner can play in another folder and show the better run";

/// The facts that a report does not prove without its records.
const NOT_PROVED_ALONE: &str =
    "not proved: that any game was played, and all that rests on the games; check the folder with its records";

/// Verify a report from its records and the suite
///
/// Plays every record again, checks that its game, options, seed, terms, and players are those of the suite, computes the
/// choices of its bots again, and works out every figure anew. Exits with code 3 after a fault.
///
/// Does not prove which program chose the agent's actions: play blocks again with --rerun, or let the agent play on a
/// server that holds the seeds (`ahu benchmark run --listen`).
///
/// Of a report.json alone, checks what needs no records: the suite, its cells, the seeds, and that the figures follow from
/// each other and from the blocks.csv beside it, if there is one.
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// The folder of the report, or its report.json alone
    #[arg(value_name = "DIR|FILE")]
    report: PathBuf,
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
    ///
    /// The command of the report runs in the current folder. The files that the report names must be there, with the same
    /// SHA-256.
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

#[derive(Default)]
struct Checked {
    records: usize,
    choices: BotChoices,
    /// The number of games that were played again with the agent.
    played_again: usize,
    faults: Vec<String>,
}

impl Verify {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        if !self.report.is_dir() {
            return self.run_alone(out);
        }
        let folder = Folder(self.report.clone());
        let report = folder::report(&folder)?;
        if self.rerun.is_some() {
            check_agent(&report.agent)?;
        }
        let seed = seed_or_any(self.seed);
        let checked = match self.plan(&report) {
            Ok(plan) => self.check(&report, &plan, &folder, seed)?,
            Err(message) => Checked { faults: vec![message], ..Checked::default() },
        };
        let Checked { records, choices: BotChoices { all, checked: computed }, played_again, faults } = &checked;
        let value = json!({
            "valid": faults.is_empty(), "records": records, "bot_choices": all, "bot_choices_computed": computed,
            "sample": self.sample, "seed": seed, "games_played_again": played_again, "faults": faults,
            "log": report.log, "not_proved": NOT_PROVED,
        });
        let again = self.rerun.map_or_else(String::new, |_| format!("\ngames played again {played_again}"));
        let head = format!("records {records}, choices of bots {all}, of which {computed} were computed again{again}");
        self.print(value, &head, faults, &format!("valid. {}", formats::log(&report)), out)
    }

    /// Prints the result of a check. Returns an error if there are faults.
    fn print(&self, value: Value, head: &str, faults: &[String], verdict: &str, out: &mut impl Write) -> Done {
        if self.json {
            print_json("benchmark-verification", value, out)?;
        } else {
            writeln!(out, "{head}")?;
            faults.iter().take(SHOWN).try_for_each(|fault| writeln!(out, "{fault}"))?;
            if faults.len() > SHOWN {
                writeln!(out, "{} more faults are in --json", faults.len() - SHOWN)?;
            }
            writeln!(out, "{}", value["not_proved"].as_str().unwrap_or_default())?;
            if faults.is_empty() {
                writeln!(out, "{verdict}")?;
            }
        }
        out.flush()?;
        match faults.len() as u64 {
            0 => Ok(()),
            count => Err(CliError::No(format!("the report is not valid: {}", counted(count, "fault")))),
        }
    }

    fn run_alone(&self, out: &mut impl Write) -> Done {
        let path = &self.report;
        if self.rerun.is_some() {
            return Err(CliError::Usage(format!(
                "--rerun: expected the folder of a report, which has the records, got {}",
                path.display()
            )));
        }
        let wrong = |message: String| CliError::Failed(format!("{}: {message}", path.display()));
        let report = Report::read(&text(path)?).map_err(wrong)?;
        let (mut faults, mut blocks) = (Vec::new(), None);
        match self.plan(&report) {
            Ok(plan) => {
                faults.extend(server_fault(&report, &plan));
                faults.extend(check_alone(&report, &plan));
                let log = path.with_file_name(GAMES_LOG);
                if log.exists() {
                    match read_log(&log) {
                        Ok((log, _)) => faults.extend(check_log(&report, &plan, &log)),
                        Err(error) => faults.push(error.to_string()),
                    }
                }
                let csv = path.with_file_name("blocks.csv");
                if csv.exists() {
                    let csv = text(&csv)?;
                    faults.extend(csv_fault(&report, &csv));
                    match blocks_csv::read(&csv) {
                        Ok(rows) => {
                            blocks = Some(rows.len());
                            let own = check_blocks(&report, &plan, &rows).into_iter();
                            faults.extend(own.map(|message| format!("blocks.csv: {message}")));
                        }
                        Err(message) => faults.push(format!("blocks.csv: {message}")),
                    }
                }
            }
            Err(message) => faults.push(message),
        }
        // Without records, a report without faults may still be invalid.
        let valid = if faults.is_empty() { None } else { Some(false) };
        let value = json!({
            "valid": valid, "records": null, "blocks": blocks, "faults": faults, "log": report.log,
            "not_proved": NOT_PROVED_ALONE,
        });
        let blocks = blocks.map_or_else(|| "none".to_owned(), |blocks| blocks.to_string());
        let head = format!("cells {}, blocks in blocks.csv {blocks}, records none", report.cells.len());
        self.print(value, &head, &faults, &format!("consistent. {}", formats::log(&report)), out)
    }

    /// Returns the plan that follows from the claims of the report.
    fn plan(&self, report: &Report) -> Result<SuitePlan, String> {
        let claim = &report.suite;
        let suite: Suite = match &self.suite {
            Some(name) => suite(name).map_err(|error| error.to_string())?,
            None => Suite::named(&claim.name).map_err(|_| {
                format!(
                    "expected --suite FILE with the file of the suite {} (SHA-256 {}), which is none of the program; got no \
                     --suite",
                    claim.name, claim.sha256
                )
            })?,
        };
        plan_of(&report.manifest(), suite)
    }

    fn check(&self, report: &Report, plan: &SuitePlan, folder: &Folder, seed: Seed) -> Result<Checked, CliError> {
        let mut checked = Checked::default();
        checked.faults.extend(server_fault(report, plan));
        if !folder.has_records() {
            checked.faults.push(format!(
                "expected the records of {} games in {}, got none; `ahu benchmark verify {}` checks the report without them",
                plan.games().count(),
                folder.0.join("records").display(),
                folder.0.join("report.json").display()
            ));
            return Ok(checked);
        }
        let surplus = folder::surplus(folder, plan);
        checked.faults.extend(surplus.iter().map(|path| {
            let cell = path.components().nth(1).map(|part| part.as_os_str().to_string_lossy().into_owned());
            format!("cell {}: expected no further record, got {}", cell.unwrap_or_default(), path.display())
        }));
        let manifest = report.manifest();
        let log = match read_log(&folder.0.join(GAMES_LOG)) {
            Ok((log, _)) => {
                checked.faults.extend(check_log(report, plan, &log));
                Some(log)
            }
            Err(error) => {
                checked.faults.push(error.to_string());
                None
            }
        };
        let games = self.check_records(plan, &manifest, folder, log.as_ref(), seed, &mut checked);
        if games.len() == plan.games().count() {
            let scores = Scores::of(plan, report.agent.kind, &games);
            checked.faults.extend(check_figures(report, &scores, "the records"));
            let csv = text(&folder.0.join("blocks.csv"))?;
            checked
                .faults
                .extend(blocks_csv::difference(&scores.rows, &csv).map(|message| format!("blocks.csv: {message}")));
            checked.faults.extend(csv_fault(report, &csv));
            for (name, expected) in
                [("report.md", formats::markdown(report)), ("report.html", formats::page(report).into_string())]
            {
                // Both follow from the JSON, and need not be published with it.
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

    /// Checks all records on all cores. Returns those without a fault.
    fn check_records(
        &self,
        plan: &SuitePlan,
        manifest: &Manifest,
        folder: &Folder,
        log: Option<&GamesLog>,
        seed: Seed,
        checked: &mut Checked,
    ) -> BTreeMap<GamePlace, PlayedRecord> {
        let places: Vec<_> = plan.games().collect();
        let count = Count::up_to(places.len());
        let check = |(index, &place): (usize, &GamePlace)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed.child(index as u64).0);
            let read = fs::read(folder.0.join(place.record(&plan.suite)))
                .map_err(|error| format!("cannot read the record: {error}"));
            let found = read.and_then(|bytes| {
                let (record, choices) = check_record(plan, manifest, place, &bytes, || {
                    (rng.next_u64() as f64) < self.sample * u64::MAX as f64
                })?;
                log.map_or(Ok(()), |log| log.check(&place.record(&plan.suite).display().to_string(), &bytes))?;
                let played = PlayedRecord::of(plan, place, &record).ok_or("expected a result, got none")?;
                Ok((place, played, choices))
            });
            count.add("records");
            found.map_err(|message| format!("{}: {message}", place.name(&plan.suite, plan.runs)))
        };
        let indexed: Vec<_> = places.iter().enumerate().collect();
        let found: Vec<_> = indexed.par_iter().map(|&pair| check(pair)).collect();
        count.clear();
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

/// Returns a fault if this program has other rules or layouts than the report.
fn server_fault(report: &Report, plan: &SuitePlan) -> Option<String> {
    let (rules, layouts) = machine::rules(&plan.suite);
    let claim = &report.server;
    let is_same = (&rules, &layouts) == (&claim.rules, &claim.layouts);
    (!is_same)
        .then(|| format!("server: expected the rules {rules:?} and layouts of this program, got {:?}", claim.rules))
}

/// Returns a fault if `blocks.csv` does not have the SHA-256 in the report.
fn csv_fault(report: &Report, csv: &str) -> Option<String> {
    let (expected, found) = (blocks_csv::sha256(csv), &report.records.blocks_csv);
    (expected != *found)
        .then(|| format!("all cells: records.blocks_csv: expected {expected}, the SHA-256 of blocks.csv, got {found}"))
}

/// Checks that this machine can start the agent, and that the agent's files here have the SHA-256 in the report.
fn check_agent(agent: &AgentClaim) -> Result<(), CliError> {
    if matches!(agent.kind, AgentKind::Remote | AgentKind::Callable) {
        return Err(CliError::Usage(format!(
            "--rerun: expected a bot or a command, which this machine can start, got {}={}",
            agent.name, agent.player
        )));
    }
    let runs = agent.runs.iter().filter_map(|run| Some((&run.name, run.sha256.as_ref()?)));
    for (name, expected) in agent.files.iter().chain(runs) {
        let found = machine::sha256_of(Path::new(name)).map_err(|error| {
            CliError::Failed(format!(
                "--rerun: cannot read {name}, a file of the agent: {error}; the agent is started in the current folder"
            ))
        })?;
        if found != *expected {
            return Err(CliError::Failed(format!(
                "--rerun: expected the file {name} of the agent with the SHA-256 {expected}, got one with {found}; the agent \
                 is started in the current folder"
            )));
        }
    }
    Ok(())
}

/// Plays `blocks` blocks of each run again with the agent, and compares the actions with the records.
fn play_again(
    plan: &SuitePlan,
    manifest: &Manifest,
    folder: &Folder,
    blocks: usize,
    seed: Seed,
    checked: &mut Checked,
) -> Result<(), CliError> {
    let places = drawn(plan, blocks, seed);
    let mut faults = Vec::new();
    let compare = |place: GamePlace, record: Option<&Record>| {
        let Some(record) = record else { return Ok(()) };
        let path = folder.0.join(place.record(&plan.suite));
        let before = read_record(&path).map_err(CliError::Failed)?;
        if timeless(&before) != timeless(record) {
            let entries = before.entries.iter().zip(&record.entries);
            let same = entries.take_while(|(one, other)| is_same(one, other)).count();
            faults.push(format!(
                "{}: expected the same actions from the agent, got others from entry {} on",
                place.name(&plan.suite, plan.runs),
                same + 1
            ));
        }
        Ok(())
    };
    let games = BenchmarkSchedule::new(plan, &manifest.agent, Box::new(compare), None, places.len() as u64, &places);
    games.play(&LocalVenue::without_store(FREE_PORT), None, cores())?;
    checked.played_again = places.len();
    checked.faults.append(&mut faults);
    Ok(())
}

/// Returns true if two entries are equal but for their times.
fn is_same(one: &ahu_host::Entry, other: &ahu_host::Entry) -> bool {
    use ahu_host::Entry::Action;
    match (one, other) {
        (Action { seat, id, by, .. }, Action { seat: other_seat, id: other_id, by: other_by, .. }) => {
            (seat, id, by) == (other_seat, other_id, other_by)
        }
        (one, other) => one == other,
    }
}

/// Draws blocks of each run at random, and returns their games.
fn drawn(plan: &SuitePlan, blocks: usize, seed: Seed) -> Vec<GamePlace> {
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

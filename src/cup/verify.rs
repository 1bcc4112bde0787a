//! `ahu cup verify`: checks a cup from its journal and its records alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_contest::cup::{
    Event, Journal, JournalError, Position, PublicSalts, RecordClaim, State, Verification, VerifyFault,
};
use ahu_core::parts::lines::counted;
use ahu_host::differs;
use ahu_host::record::parse_digest;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::{Value, json};

use super::{archive, ledgers, results_files};
use crate::terminal::progress::Count;
use crate::{CliError, Done, print_json};

/// The number of records that are checked at once.
const AT_ONCE: usize = 4_096;
/// The maximum number of letters of a line that a fault shows.
const SHOWN_LETTERS: usize = 120;
/// The number of faults that the text shows. The JSON has all of them.
const SHOWN: usize = 20;

/// Check a cup from its journal and its records
///
/// Checks that no line of the journal was changed, that each draw, each end of a stage, and each agent that advances
/// follows from the lines before, that each record has the digest of the journal and replays to its result, and, once the
/// cup has ended, that the salt has the hash that was published and leads to the seed of each game.
///
/// In the folder of an export, also checks that the results, the table, and the page follow from the journal.
///
/// Does not check what records cannot prove: see `ahu replay --help`. Anybody can write a whole journal of another cup:
/// compare the hash of the salt with the one that was published before the first game (--salt-hash).
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// The file of the cup, its folder, or the folder of an export
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// The folder `records` [default: the one beside the journal]
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// The hash of the salt that was published before the first game; another cup is not valid
    #[arg(long, value_name = "HEX", value_parser = hash)]
    salt_hash: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn hash(text: &str) -> Result<String, String> {
    parse_digest(text).map(|_| text.to_owned())
}

impl Verify {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = if self.path.is_dir() { self.path.clone() } else { self.path.with_extension("data") };
        let journal = folder.join("journal.jsonl");
        let (mut salts, mut release, start) = (PublicSalts::default(), String::new(), Position::default());
        let read = Journal::read_from(&journal, &start, |line| {
            salts.note(line);
            if let Event::Begin { release: own, .. } = &line.event {
                release.clone_from(own);
            }
            Ok(())
        });
        let link = match read {
            Ok(end) => end.link,
            Err(JournalError::Damaged(_, line, message)) => {
                let faults = vec![VerifyFault { line, message }];
                let mut found = Verification::with(PublicSalts::default());
                found.faults = faults;
                return self.report(out, &found, None, &CheckedFiles::default());
            }
            Err(error) => return Err(CliError::failed(error)),
        };
        let mut records = Records::new(self.records.clone().unwrap_or_else(|| folder.join("records")));
        if self.records.is_some() && !records.are_here {
            return Err(CliError::failed(format!(
                "expected a folder of records at {}, got none",
                records.folder.display()
            )));
        }
        let (mut found, mut rest, mut faults) = (Verification::with(salts), 0, Vec::new());
        let checked = Journal::read_from(&journal, &start, |line| {
            if rest > 0 || !found.check_line(line) {
                rest += 1;
            }
            // The claims of a long season would take more memory than its games.
            if found.claims.len() >= AT_ONCE
                && let Some(state) = &found.state
            {
                faults.extend(records.check(state, &std::mem::take(&mut found.claims)));
            }
            Ok(())
        });
        checked.map_err(CliError::failed)?;
        if let Some(state) = &found.state {
            if let Some(published) = self.salt_hash.as_ref().filter(|published| **published != state.salt_hash) {
                let message = format!("expected the published hash of the salt {published}, got {}", state.salt_hash);
                faults.push(VerifyFault { line: 1, message });
            }
            faults.extend(records.check(state, &found.claims));
            faults.extend(records.check_archives(state));
        }
        let mut found = found.finish(rest);
        found.faults.extend(faults);
        found.faults.sort_by_key(|fault| fault.line);
        let mut files = match &found.state {
            Some(state) if found.faults.is_empty() => check_files(&folder, state, &release)?,
            _ => CheckedFiles::default(),
        };
        files.lacks_records = !records.are_here && found.records > 0;
        self.report(out, &found, Some(&link), &files)
    }

    fn report(
        &self,
        out: &mut impl Write,
        found: &Verification,
        last_link: Option<&str>,
        files: &CheckedFiles,
    ) -> Done {
        match self.json {
            true => print_json("cup-verification", as_json(found, last_link, files), out)?,
            false => show(found, last_link, files, out)?,
        }
        out.flush()?;
        match found.faults.len() + files.faults.len() {
            0 => Ok(()),
            1 => Err(CliError::No("the cup is not valid: 1 fault".to_owned())),
            faults => Err(CliError::No(format!("the cup is not valid: {}", counted(faults, "fault")))),
        }
    }
}

/// The records of a cup: a file for each game, and for the days of a ladder archives.
struct Records {
    folder: PathBuf,
    /// False if there are none, as with the journal of a page.
    are_here: bool,
    /// The records of the days whose archives were read last, with their digests.
    days: BTreeMap<u64, HashMap<String, Vec<u8>>>,
    /// The digests of the archives that were read.
    digests: BTreeMap<u64, String>,
}

impl Records {
    fn new(folder: PathBuf) -> Self {
        Self { are_here: folder.is_dir(), folder, days: BTreeMap::new(), digests: BTreeMap::new() }
    }

    /// Checks the records of claims on all cores. Returns their faults.
    fn check(&mut self, state: &State, claims: &[RecordClaim]) -> Vec<VerifyFault> {
        if !self.are_here {
            return Vec::new();
        }
        let place = |claim: &RecordClaim| {
            let inside = claim.key.record_path(&state.cup.stages[claim.key.stage], claim.attempt);
            self.folder.join(inside.strip_prefix("records").unwrap_or(&inside))
        };
        let paths: Vec<_> = claims.iter().map(place).collect();
        let days: BTreeSet<_> = claims.iter().filter_map(|claim| claim.day).collect();
        self.days.retain(|day, _| days.contains(day));
        for day in days {
            self.read_archive(state, day);
        }
        let count = Count::up_to(claims.len());
        let check = |(claim, path): (&RecordClaim, &PathBuf)| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let archived = claim.day.and_then(|day| self.days.get(&day)?.get(name));
            let read = || fs::read(path).map_err(|error| format!("cannot read the record: {error}"));
            let checked = match archived {
                Some(bytes) => claim.check(bytes),
                None => read().and_then(|bytes| claim.check(&bytes)),
            };
            let fault = checked.err().map(|message| VerifyFault {
                line: claim.line,
                message: format!("game {}, {}: {message}", claim.name, path.display()),
            });
            count.add("records");
            fault
        };
        let faults = claims.par_iter().zip(&paths).filter_map(check).collect();
        count.clear();
        faults
    }

    /// Reads the archive of a day, if there is one, and notes its digest.
    fn read_archive(&mut self, state: &State, day: u64) {
        let path = archive::path(&self.folder.join(&state.cup.stages[0].name), day);
        if self.digests.contains_key(&day) && self.days.contains_key(&day) {
            return;
        }
        if let (Ok(records), Ok(digest)) = (archive::read(&path), archive::digest(&path)) {
            self.days.insert(day, records);
            self.digests.insert(day, digest);
        }
    }

    /// Compares the digests of all archives with the journal.
    fn check_archives(&mut self, state: &State) -> Vec<VerifyFault> {
        let archives = state.ladder().filter(|_| self.are_here).map_or(&[][..], |ladder| &ladder.archives);
        let check = |(day, expected): (u64, &String)| {
            let path = archive::path(&self.folder.join(&state.cup.stages[0].name), day);
            let found = self.digests.get(&day).cloned().map_or_else(|| archive::digest(&path), Ok);
            let found = found.map_err(|error| format!("cannot read the archive: {error}"));
            let fault = found.and_then(|found| differs("the digest of the archive", expected, &found)).err()?;
            Some(VerifyFault { line: 0, message: format!("day {day}, {}: {fault}", path.display()) })
        };
        (0..).zip(archives).filter_map(check).collect()
    }
}

/// The check of the files of an export beside the journal.
#[derive(Debug, Default)]
struct CheckedFiles {
    /// The names of the files that were compared.
    compared: Vec<String>,
    /// The names of the files that could not be compared, since another release wrote the cup.
    other_release: Vec<String>,
    /// The faults, each with the name of its file.
    faults: Vec<String>,
    /// True if the table has what language models tell.
    tells: bool,
    /// True without records, with which results are compared.
    lacks_records: bool,
}

/// Compares the files of an export with the files that follow from the journal. A folder that is no export has none of them.
fn check_files(folder: &Path, state: &State, release: &str) -> Result<CheckedFiles, CliError> {
    let mut checked = CheckedFiles::default();
    // `ahu cup run` writes none of these files.
    if !["results.csv", "results.json"].iter().any(|name| folder.join(name).exists()) {
        return Ok(checked);
    }
    let claims = ledgers::of_export(folder);
    checked.tells = !claims.is_empty();
    for (name, expected) in results_files::all(state, &claims)? {
        let path = folder.join(&name);
        if !path.exists() {
            continue;
        }
        let found = fs::read(&path).map_err(CliError::cannot("read", &path))?;
        match difference(&expected, &found) {
            None => checked.compared.push(name),
            // Texts and figures may differ between releases, results do not.
            Some(_) if release != env!("CARGO_PKG_VERSION") && !name.starts_with("results") => {
                checked.other_release.push(name);
            }
            Some(difference) => checked.faults.push(format!("{name}, {difference}")),
        }
    }
    Ok(checked)
}

/// Describes the first line in which a file differs from the expected one; None if it does not differ.
fn difference(expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    let [expected, found] = [expected, found].map(String::from_utf8_lossy);
    let lines = expected.lines().map(Some).chain([None]).zip(found.lines().map(Some).chain([None]));
    let (number, (expected, found)) = (1..).zip(lines).find(|(_, (expected, found))| expected != found)?;
    let shown = |line: Option<&str>| {
        let line = line.map(|line| line.chars().take(SHOWN_LETTERS).collect::<String>());
        line.map_or_else(|| "its end".to_owned(), |line| format!("{line:?}"))
    };
    Some(format!("line {number}: expected {}, got {}", shown(expected), shown(found)))
}

fn show(found: &Verification, last_link: Option<&str>, files: &CheckedFiles, out: &mut impl Write) -> Done {
    let Verification { state, lines, draws, closes, open_lots, open_draws, not_played, records, faults, .. } = found;
    writeln!(out, "lines {lines}, draws {draws}, ends of stages {closes}, records {records}, not played {not_played}")?;
    if let (Some(state), Some(link)) = (state, last_link) {
        writeln!(out, "hash of the salt: {}\nlast link: {link}", state.salt_hash)?;
    }
    let compared = if files.lacks_records { 0 } else { *records };
    if files.lacks_records {
        writeln!(out, "no records are here: the results of {} were not compared with them", counted(*records, "game"))?;
    }
    match found.has_salt() {
        true => writeln!(out, "the salt has its hash; the seeds of {compared} games were compared with it")?,
        false if let Some(ladder) = state.as_ref().and_then(State::ladder) => writeln!(
            out,
            "the salts of {} are public: the waves and seeds of these days were compared with them, and {} were not",
            counted(ladder.public_days() as usize, "day"),
            counted(*open_draws, "wave")
        )?,
        false if last_link.is_some() => {
            writeln!(out, "the cup has not ended: the salt is secret, and no seed can be checked")?;
            if *open_lots > 0 {
                writeln!(out, "{open_lots} lots between equals cannot be checked either")?;
            }
        }
        false => {}
    }
    for fault in faults.iter().take(SHOWN) {
        match fault.line {
            0 => writeln!(out, "{}", fault.message)?,
            line => writeln!(out, "line {line}: {}", fault.message)?,
        }
    }
    if faults.len() > SHOWN {
        writeln!(out, "{} more faults are in --json", faults.len() - SHOWN)?;
    }
    let annulled = state.as_ref().map_or(&[][..], |state| &state.annulled);
    for game in annulled {
        let name = state.as_ref().map_or_else(String::new, |state| game.key.name(&state.cup.stages[game.key.stage]));
        writeln!(out, "the organiser annulled game {name}: {}", game.reason)?;
    }
    if !files.compared.is_empty() {
        writeln!(out, "{} follow from the journal", files.compared.join(", "))?;
    }
    if files.tells {
        writeln!(out, "nothing proves what the table and the page tell of language models")?;
    }
    if !files.other_release.is_empty() {
        writeln!(out, "{} were not compared: another release wrote them", files.other_release.join(", "))?;
    }
    for fault in &files.faults {
        writeln!(out, "{fault}")?;
    }
    if faults.is_empty() && files.faults.is_empty() {
        writeln!(out, "valid")?;
    }
    Ok(())
}

fn as_json(found: &Verification, last_link: Option<&str>, files: &CheckedFiles) -> Value {
    let Verification { state, lines, draws, closes, open_lots, open_draws, not_played, records, faults, .. } = found;
    let fault = |fault: &VerifyFault| json!({ "line": fault.line, "message": fault.message });
    json!({
        "valid": faults.is_empty() && files.faults.is_empty(), "records_checked": !files.lacks_records,
        "lines": lines, "draws": draws, "closes": closes, "records": records, "open_draws": open_draws,
        "not_played": not_played, "seeds_checked": found.has_salt(), "open_lots": open_lots,
        "salt_hash": state.as_ref().map(|state| &state.salt_hash), "last_link": last_link,
        "annulled": state.as_ref().map_or(0, |state| state.annulled.len()),
        "faults": faults.iter().map(fault).collect::<Vec<_>>(),
        "files": { "compared": files.compared, "other_release": files.other_release, "faults": files.faults, "tells": files.tells },
    })
}

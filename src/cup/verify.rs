//! `ahu cup verify`: checks a cup from its journal and its records alone.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_contest::cup::{Event, Journal, JournalError, Line, RecordClaim, State, Verification, VerifyFault};
use ahu_core::parts::lines::counted;
use ahu_host::record::parse_digest;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::{Value, json};

use super::{ledgers, results_files};
use crate::terminal::progress::Count;
use crate::{CliError, Done, print_json};

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
        let (lines, link) = match Journal::read(&journal) {
            Ok(read) => read,
            Err(JournalError::Damaged(_, line, message)) => {
                let faults = vec![VerifyFault { line, message }];
                let found = Verification { faults, ..Verification::default() };
                return self.report(out, &found, None, &CheckedFiles::default());
            }
            Err(error) => return Err(CliError::failed(error)),
        };
        let mut found = Verification::of(&lines);
        if let Some(state) = &found.state {
            if let Some(published) = self.salt_hash.as_ref().filter(|published| **published != state.salt_hash) {
                let message = format!("expected the published hash of the salt {published}, got {}", state.salt_hash);
                found.faults.push(VerifyFault { line: 1, message });
            }
            let records = self.records.clone().unwrap_or_else(|| folder.join("records"));
            found.faults.extend(check_records(state, &found.claims, &records));
        }
        found.faults.sort_by_key(|fault| fault.line);
        let files = match &found.state {
            Some(state) if found.faults.is_empty() => check_files(&folder, state, released_by(&lines))?,
            _ => CheckedFiles::default(),
        };
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

/// Checks all records on all cores. Returns their faults.
fn check_records(state: &State, claims: &[RecordClaim], records: &std::path::Path) -> Vec<VerifyFault> {
    let count = Count::up_to(claims.len());
    let check = |claim: &RecordClaim| {
        let inside = claim.key.record_path(&state.cup.stages[claim.key.stage], claim.attempt);
        let path = records.join(inside.strip_prefix("records").unwrap_or(&inside));
        let read = fs::read(&path).map_err(|error| format!("cannot read the record: {error}"));
        let fault = read.and_then(|bytes| claim.check(&bytes)).err().map(|message| VerifyFault {
            line: claim.line,
            message: format!("game {}, {}: {message}", claim.name, path.display()),
        });
        count.add("records");
        fault
    };
    let faults = claims.par_iter().filter_map(check).collect();
    count.clear();
    faults
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
}

/// Returns the release that began the cup.
fn released_by(lines: &[Line]) -> &str {
    match lines.first().map(|line| &line.event) {
        Some(Event::Begin { release, .. }) => release,
        _ => "",
    }
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
    let Verification { state, lines, draws, closes, open_lots, not_played, claims, faults } = found;
    let records = claims.len();
    writeln!(out, "lines {lines}, draws {draws}, ends of stages {closes}, records {records}, not played {not_played}")?;
    if let (Some(state), Some(link)) = (state, last_link) {
        writeln!(out, "hash of the salt: {}\nlast link: {link}", state.salt_hash)?;
    }
    match found.has_salt() {
        true => writeln!(out, "the salt has its hash; the seeds of {records} games were compared with it")?,
        false if last_link.is_some() => {
            writeln!(out, "the cup has not ended: the salt is secret, and no seed can be checked")?;
            if *open_lots > 0 {
                writeln!(out, "{open_lots} lots between equals cannot be checked either")?;
            }
        }
        false => {}
    }
    for fault in faults.iter().take(SHOWN) {
        writeln!(out, "line {}: {}", fault.line, fault.message)?;
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
    let Verification { state, lines, draws, closes, open_lots, not_played, claims, faults } = found;
    let fault = |fault: &VerifyFault| json!({ "line": fault.line, "message": fault.message });
    json!({
        "valid": faults.is_empty() && files.faults.is_empty(),
        "lines": lines, "draws": draws, "closes": closes, "records": claims.len(),
        "not_played": not_played, "seeds_checked": found.has_salt(), "open_lots": open_lots,
        "salt_hash": state.as_ref().map(|state| &state.salt_hash), "last_link": last_link,
        "annulled": state.as_ref().map_or(0, |state| state.annulled.len()),
        "faults": faults.iter().map(fault).collect::<Vec<_>>(),
        "files": { "compared": files.compared, "other_release": files.other_release, "faults": files.faults, "tells": files.tells },
    })
}

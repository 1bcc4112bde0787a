//! `ahu tournament verify`: checks a cup from its journal and its records alone.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use ahu::cup::{Journal, JournalError, RecordClaim, State, Verification, VerifyFault};
use ahu_engine::host::record::parse_digest;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::{Value, json};

use super::folder::record_path;
use crate::cli::terminal::progress::Count;
use crate::cli::{CliError, Done};

/// The number of faults that the text shows. The JSON has all of them.
const SHOWN: usize = 20;

/// Check a cup from its journal and its records
///
/// Checks that no line of the journal was changed, that each draw, each end of a stage, and each agent that advances
/// follows from the lines before, that each record has the digest of the journal and replays to its result, and, once the
/// cup has ended, that the salt has the hash that was published and leads to the seed of each game.
///
/// Does not check what records cannot prove: see `ahu replay --help`. Anybody can write a whole journal of another cup:
/// compare the hash of the salt with the one that was published before the first game (--salt-hash).
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Verify {
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
                return self.report(out, &Verification { faults, ..Verification::default() }, None);
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
        self.report(out, &found, Some(&link))
    }

    fn report(&self, out: &mut impl Write, found: &Verification, last_link: Option<&str>) -> Done {
        match self.json {
            true => writeln!(out, "{:#}", as_json(found, last_link))?,
            false => show(found, last_link, out)?,
        }
        out.flush()?;
        match found.faults.len() {
            0 => Ok(()),
            1 => Err(CliError::Failed("the cup is not valid: 1 fault".to_owned())),
            faults => Err(CliError::Failed(format!("the cup is not valid: {faults} faults"))),
        }
    }
}

/// Checks all records on all cores. Returns their faults.
fn check_records(state: &State, claims: &[RecordClaim], records: &std::path::Path) -> Vec<VerifyFault> {
    let count = Count::up_to(claims.len());
    let check = |claim: &RecordClaim| {
        let inside = record_path(state, claim.key);
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

fn show(found: &Verification, last_link: Option<&str>, out: &mut impl Write) -> Done {
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
    if faults.is_empty() {
        writeln!(out, "valid")?;
    }
    Ok(())
}

fn as_json(found: &Verification, last_link: Option<&str>) -> Value {
    let Verification { state, lines, draws, closes, open_lots, not_played, claims, faults } = found;
    let fault = |fault: &VerifyFault| json!({ "line": fault.line, "message": fault.message });
    json!({
        "valid": faults.is_empty(),
        "lines": lines, "draws": draws, "closes": closes, "records": claims.len(),
        "not_played": not_played, "seeds_checked": found.has_salt(), "open_lots": open_lots,
        "salt_hash": state.as_ref().map(|state| &state.salt_hash), "last_link": last_link,
        "faults": faults.iter().map(fault).collect::<Vec<_>>(),
    })
}

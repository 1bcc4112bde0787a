//! `ahu tournament verify`: checks a cup from its journal and its records alone.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use ahu::cup::{Journal, JournalError, RecordClaim, State, Verification, VerifyFault};
use ahu_engine::host::record::parse_digest;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::json;

use super::folder::record_path;
use crate::cli::terminal::progress::Count;
use crate::cli::{CliError, Done};

/// The number of faults that the text shows. The JSON has all.
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
pub(super) struct Verify {
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
                return self
                    .report(out, &Checked { faults: vec![VerifyFault { line, message }], ..Checked::default() });
            }
            Err(error) => return Err(CliError::failed(error)),
        };
        let found = Verification::of(&lines);
        let mut checked = Checked {
            lines: found.lines,
            draws: found.draws,
            closes: found.closes,
            open_lots: found.open_lots,
            not_played: found.not_played,
            has_salt: found.has_salt(),
            salt_hash: found.state.as_ref().map(|state| state.salt_hash.clone()),
            last_link: Some(link),
            faults: found.faults,
            ..Checked::default()
        };
        if let (Some(published), Some(own)) = (&self.salt_hash, &checked.salt_hash)
            && published != own
        {
            let message = format!("expected the published hash of the salt {published}, got {own}");
            checked.faults.push(VerifyFault { line: 1, message });
        }
        if let Some(state) = &found.state {
            let records = self.records.clone().unwrap_or_else(|| folder.join("records"));
            checked.records = found.claims.len();
            checked.faults.extend(check_records(state, &found.claims, &records));
        }
        checked.faults.sort_by_key(|fault| fault.line);
        self.report(out, &checked)
    }

    fn report(&self, out: &mut impl Write, checked: &Checked) -> Done {
        match self.json {
            true => writeln!(out, "{:#}", checked.json())?,
            false => checked.show(out)?,
        }
        out.flush()?;
        match checked.faults.len() {
            0 => Ok(()),
            1 => Err(CliError::Failed("the cup is not valid: 1 fault".to_owned())),
            faults => Err(CliError::Failed(format!("the cup is not valid: {faults} faults"))),
        }
    }
}

/// Checks all records, on all cores.
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

/// The results of all checks.
#[derive(Default)]
struct Checked {
    lines: usize,
    draws: usize,
    closes: usize,
    open_lots: usize,
    records: usize,
    not_played: usize,
    has_salt: bool,
    salt_hash: Option<String>,
    last_link: Option<String>,
    faults: Vec<VerifyFault>,
}

impl Checked {
    fn show(&self, out: &mut impl Write) -> Done {
        let Self { lines, draws, closes, records, not_played, .. } = self;
        writeln!(
            out,
            "lines {lines}, draws {draws}, ends of stages {closes}, records {records}, not played {not_played}"
        )?;
        if let (Some(hash), Some(link)) = (&self.salt_hash, &self.last_link) {
            writeln!(out, "hash of the salt: {hash}\nlast link: {link}")?;
        }
        match self.has_salt {
            true => writeln!(out, "the salt has its hash; the seeds of {records} games were compared with it")?,
            false if self.last_link.is_some() => {
                writeln!(out, "the cup has not ended: the salt is secret, and no seed can be checked")?;
                if self.open_lots > 0 {
                    writeln!(out, "{} lots between equals cannot be checked either", self.open_lots)?;
                }
            }
            false => {}
        }
        for fault in self.faults.iter().take(SHOWN) {
            writeln!(out, "line {}: {}", fault.line, fault.message)?;
        }
        if self.faults.len() > SHOWN {
            writeln!(out, "{} more faults are in --json", self.faults.len() - SHOWN)?;
        }
        if self.faults.is_empty() {
            writeln!(out, "valid")?;
        }
        Ok(())
    }

    fn json(&self) -> serde_json::Value {
        let fault = |fault: &VerifyFault| json!({ "line": fault.line, "message": fault.message });
        json!({
            "valid": self.faults.is_empty(),
            "lines": self.lines, "draws": self.draws, "closes": self.closes, "records": self.records,
            "not_played": self.not_played, "seeds_checked": self.has_salt, "open_lots": self.open_lots,
            "salt_hash": self.salt_hash, "last_link": self.last_link,
            "faults": self.faults.iter().map(fault).collect::<Vec<_>>(),
        })
    }
}

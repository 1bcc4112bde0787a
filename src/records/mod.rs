//! `ahu records`: lists, exports, and verifies the records in data folders and files, on all cores.

mod filter;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ahu_core::parts::lines::counted;
use ahu_host::outcome::ending_fields;
use ahu_host::{RecordError, Transcript};
use ahu_service::Stderr;
use clap::Subcommand;
use rayon::prelude::*;
use serde_json::{Value, json};

use self::filter::Filter;
use crate::files::create_anew;
use crate::files::output::{Replacing, is_standard};
use crate::files::record_source::{Content, Found, Item, Readers, items};
use crate::output::match_outcome::as_json;
use crate::output::record_pages::plies_as_json;
use crate::terminal::progress::{Count, duration};
use crate::{CliError, Done, print_json, with_format};

/// The number of records in memory at once.
const BATCH: usize = 1024;
/// The least number of records that a thread reads in a row. It opens one connection to their store for them.
const CHUNK: usize = 32;
/// The number of faults that the text shows. The JSON has all of them.
const SHOWN: usize = 20;

commands! {
    /// List, export, or verify the records in data folders and files
    #[derive(Debug, Subcommand)]
    pub(super) enum Records {
        List(List),
        Export(Export),
        Verify(Verify),
    }
}

/// The arguments that select records.
#[derive(Debug, clap::Args)]
struct Selection {
    /// Data folders of `ahu serve --data`, also while a server runs; records; folders with records (*.txt, *.bin)
    ///
    /// A data folder has the records of all matches in it that have ended, unlisted ones too.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    filter: Filter,
}

/// List records, one per line: match or file, creation, game, plies, ending, players with their ranks
#[derive(Debug, clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    selection: Selection,
    /// Print a line of JSON for each record
    #[arg(long)]
    json: bool,
}

/// Write records as lines of JSON, each with its text
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    selection: Selection,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    #[command(flatten)]
    replacing: Replacing,
    /// Add the plies with their events, as `ahu replay --json` prints them
    #[arg(long)]
    plies: bool,
    /// Also write the record of each match in a data folder to a file in this folder, under the id of the match
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
}

/// Verify records as `ahu replay --verify` does
///
/// The record of a match in a data folder also has to be the one whose digest the server published. Exits with code 3 if a
/// record is not valid. Of a record under other rules, only the digest and the chain are verified, and the command exits with
/// code 1.
#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    #[command(flatten)]
    selection: Selection,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Sums over all records that were read.
#[derive(Debug, Default)]
struct Summary {
    /// The number of wanted records that could be read.
    records: usize,
    /// The number of records that the filters left out.
    left_out: usize,
    /// The number of matches without a record: those in progress, and those that ended before they began.
    without: usize,
    /// The faults of records: a record cannot be read, or `work` refused it. Each text begins with the place of the record.
    faults: Vec<String>,
    time: Duration,
}

impl Summary {
    /// Prints the summary to stderr, with the first faults. Returns an error if there are faults.
    fn tell(&self, done: &str) -> Result<(), String> {
        let Self { records, left_out, without, faults, time } = self;
        let mut lines: Vec<_> = faults.iter().take(SHOWN).cloned().collect();
        if faults.len() > SHOWN {
            lines.push(format!("and {} more", faults.len() - SHOWN));
        }
        let parts = [(*left_out, "left out"), (*without, "matches without a record"), (faults.len(), "faulty")];
        let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
        lines.push(format!("{records} records {done}{}; {}", parts.collect::<String>(), duration(*time)));
        Stderr::line(&lines.join("\n"));
        self.verdict()
    }

    fn verdict(&self) -> Result<(), String> {
        match self.faults.len() {
            0 => Ok(()),
            1 => Err("1 record is faulty".to_owned()),
            count => Err(format!("{count} records are faulty")),
        }
    }
}

impl Selection {
    /// Reads the records on all cores, and calls `work` with each wanted record. Calls `take` with the results, in the order of
    /// the records. An error of `work` is a fault of its record.
    fn read<T: Send>(
        &self,
        work: impl Fn(Found) -> Result<T, String> + Sync,
        mut take: impl FnMut(T) -> Done,
    ) -> Result<Summary, CliError> {
        let start = Instant::now();
        let (sources, all) = items(&self.paths)?;
        let count = Count::up_to(all.len());
        let read = |readers: &mut Readers<'_>, item: &Item| {
            let read = readers.read(item).and_then(|content| {
                content.try_map(|found| {
                    let place = found.place.clone();
                    let wanted = self.filter.wants(&found).then(|| work(found)).transpose();
                    wanted.map_err(|error| format!("{place}: {error}"))
                })
            });
            count.add("records");
            read
        };
        let mut summary = Summary::default();
        for batch in all.chunks(BATCH) {
            let outcomes = batch.par_iter().with_min_len(CHUNK).map_init(|| Readers::of(&sources), read);
            for read in outcomes.collect::<Vec<_>>() {
                match read {
                    Ok(Content::Record(value)) => {
                        summary.records += 1;
                        // Remove the progress, so that its line does not stand in the output.
                        count.clear();
                        take(value)?;
                    }
                    Ok(Content::LeftOut) => summary.left_out += 1,
                    Ok(Content::Without) => summary.without += 1,
                    Err(fault) => summary.faults.push(fault),
                }
            }
        }
        count.clear();
        summary.time = start.elapsed();
        Ok(summary)
    }
}

impl List {
    fn run(self, out: &mut impl Write) -> Done {
        let line = |found: Found| match self.json {
            true => Ok(facts(&found).to_string()),
            false => Ok(row(&found)),
        };
        let summary = self.selection.read(line, |line| Ok(writeln!(out, "{line}")?))?;
        out.flush()?;
        summary.tell("listed").map_err(CliError::Failed)
    }
}

impl Export {
    fn run(self, out: &mut impl Write) -> Done {
        if let Some(folder) = &self.files {
            fs::create_dir_all(folder).map_err(CliError::cannot("write", folder))?;
        }
        self.replacing.check(&self.out)?;
        let mut to: Box<dyn Write + '_> = match is_standard(&self.out) {
            true => Box::new(out),
            false => Box::new(BufWriter::new(File::create(&self.out).map_err(CliError::cannot("write", &self.out))?)),
        };
        let line = |found: Found| {
            let mut value = facts(&found);
            let text = found.record.to_text();
            if self.plies {
                let plies = found.record.clone().with_rules().and_then(|record| plies_as_json(&record));
                value["plies_told"] = plies.map_err(|error| error.to_string())?.into();
            }
            if let (Some(folder), Some(id)) = (&self.files, &found.match_id) {
                let path = folder.join(format!("{id}.txt"));
                self.replacing.check(&path).map_err(|error| error.to_string())?;
                let written = create_anew(&path, 0o666).and_then(|mut file| file.write_all(text.as_bytes()));
                written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            }
            value["record"] = text.into();
            Ok(value.to_string())
        };
        let summary = self.selection.read(line, |line| Ok(writeln!(to, "{line}")?))?;
        to.flush()?;
        summary.tell("exported").map_err(CliError::Failed)
    }
}

impl Verify {
    fn run(self, out: &mut impl Write) -> Done {
        // The transcript was read, so its digest and its chain are right.
        let check = |found: Found| match found.record.with_rules() {
            Err(RecordError::OtherRules { .. } | RecordError::UnknownGame(_)) => Ok(false),
            read => read.and_then(|record| ahu_host::verify(&record)).map(|()| true).map_err(|error| error.to_string()),
        };
        let mut unplayed = 0_usize;
        let count = |is_played: bool| {
            unplayed += usize::from(!is_played);
            Ok(())
        };
        let summary = self.selection.read(check, count)?;
        if self.json {
            let Summary { records, left_out, without, faults, time } = &summary;
            let value = json!({"valid": faults.is_empty() && unplayed == 0, "records": records, "other_rules": unplayed,
                "left_out": left_out, "without_record": without, "faults": faults, "seconds": time.as_secs_f64()});
            print_json("records-verification", value, out)?;
            summary.verdict().map_err(CliError::No)?;
        } else {
            summary.tell(if unplayed == 0 { "valid" } else { "without a fault" }).map_err(CliError::No)?;
        }
        // Whoever forges a record may name any rules.
        match unplayed {
            0 => Ok(()),
            _ => Err(CliError::failed(format_args!(
                "{} under rules that this release does not have: only digest and chain are right",
                counted(unplayed, "record")
            ))),
        }
    }
}

/// Returns a record without its entries as JSON.
fn facts(found: &Found) -> Value {
    let mut value = as_json(&found.record, None, None);
    value["place"] = found.place.as_str().into();
    value["match_id"] = found.match_id.as_deref().into();
    value["created"] = found.created_text().into();
    value["labels"] = json!(found.labels);
    with_format("record", value)
}

/// Returns the line of a record for `ahu records list`.
fn row(found: &Found) -> String {
    let Found { place, match_id, record, .. } = found;
    let (name, created) = (match_id.as_deref().unwrap_or(place), found.created_text());
    let (game, plies) = (&record.game, record.plies());
    let (ending, _) = ending_fields(record.ending.as_ref());
    format!("{name:<16}  {created:<20}  {game:<13} {plies:>5} {ending:<10} {}", players(record))
}

/// Lists the players of a record with their ranks, the winner first; without a result, by seat.
fn players(record: &Transcript) -> String {
    let names = record.seats.iter().zip(&record.players);
    let rank = |seat| record.result.as_ref().map(|result| result.ranks[seat]);
    let mut ranked: Vec<_> = names.map(|(seat, player)| (rank(seat), &player.name)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let texts = ranked.into_iter().map(|(rank, name)| match rank {
        Some(rank) => format!("{rank} {name}"),
        None => name.clone(),
    });
    texts.collect::<Vec<_>>().join(", ")
}

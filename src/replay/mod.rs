//! `ahu replay`: shows a record ply by ply, or verifies it.

mod pictures;
mod reader;

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use ahu_core::parts::lines::counted;
use ahu_core::{Viewer, hex};
use ahu_host::outcome::ending_text;
use ahu_host::record::{Record, parse_digest};
use ahu_host::{RecordError, TimeControl};
use serde_json::json;

use self::pictures::Pictures;
use crate::files::output::read;
use crate::output::match_outcome::{as_json, show_players, show_result};
use crate::output::record_pages::{Pages, ending_sentence};
use crate::terminal::paint::Painted;
use crate::terminal::{fitted, is_interactive};
use crate::{CliError, Done, print_json, with_format};

/// Show a record ply by ply, or verify it
#[derive(Debug, clap::Args)]
pub(super) struct Replay {
    /// The record, in text or binary format; `-` is stdin
    file: PathBuf,
    /// Verify the record instead of showing it
    ///
    /// Checks that each ply is legal, that each chance outcome follows from the seed, that each answer came within the
    /// limits of its clock, that strikes and forfeits follow from the terms of the match, and that the result is correct.
    ///
    /// Computes the choices of nets again whose files are given with `--net`.
    ///
    /// Does not check the names of players and that other bots took their actions, the layout hash, the measured times, that
    /// exits, absences, timeouts, and resignations took place, and the reason of a match without a result. Nor does it
    /// check that the digest is the one that the host of the match published, unless --digest is given: anybody can
    /// write a valid record of another match.
    #[arg(long)]
    verify: bool,
    /// The digest that was published for the match, 64 hexadecimal digits; another record is not valid
    #[arg(long, value_name = "HEX", requires = "verify", value_parser = parse_digest)]
    digest: Option<[u8; 32]>,
    /// Show the match as this seat saw it; `public` shows the public view
    ///
    /// By default, the command shows every entry of the record, hidden cards included, with its public events. After the
    /// end of the match, the tables then have the hands of all players.
    #[arg(long = "as", value_name = "SEAT")]
    viewer: Option<String>,
    /// Show the table before this ply, and then the ply
    #[arg(long, value_name = "PLY", conflicts_with_all = ["verify", "all", "json", "svg", "png", "gif"])]
    at: Option<u32>,
    /// Show all plies without pauses, even at a terminal, with the table at the beginning of each turn
    #[arg(long)]
    all: bool,
    /// Print a line of JSON for each ply, and then one about the match; with --verify, the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pictures: Pictures,
}

impl Replay {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let bytes = read(&self.file).map_err(CliError::Failed)?;
        let in_file = |error: &dyn fmt::Display| CliError::Failed(format!("{}: {error}", self.file.display()));
        if self.verify {
            let verdict = self.verdict(&bytes);
            if self.json {
                let value = match &verdict {
                    Ok(record) => {
                        let mut value = as_json(&record.into(), Some(&Pages::new(record, None).score_parts()), None);
                        value["valid"] = true.into();
                        value
                    }
                    Err(error) => json!({"valid": false, "error": error}),
                };
                print_json("record-verification", value, out)?;
            }
            let record = verdict.map_err(|error| CliError::No(format!("{}: {error}", self.file.display())))?;
            if !self.json {
                let (plies, fingerprint) = (counted(record.plies(), "ply"), record.fingerprint);
                writeln!(out, "{}: valid, {plies}, fingerprint {fingerprint}", self.file.display())?;
                writeln!(out, "{}; digest {}", ending_text(record.ending.as_ref()), hex(&record.digest()))?;
            }
            return Ok(());
        }
        let (record, fault) = match Record::read(&bytes) {
            Ok(record) => (record, None),
            Err(error @ RecordError::Cut) => (ahu_host::read_intact(&bytes).map_err(|_| in_file(&error))?, Some(error)),
            Err(error) => return Err(in_file(&error)),
        };
        let viewer = self.viewer.as_deref().map(|text| viewer(&record, text)).transpose()?;
        if let Some(ply) = self.at {
            show_ply(&record, viewer, ply, out)?;
        } else if self.pictures.are_asked() {
            self.pictures.write(&record, viewer.unwrap_or(Viewer::Public), out)?;
        } else if self.json {
            show_json(&record, viewer, out)?;
        } else {
            self.show(&record, viewer, fault.is_some(), out)?;
        }
        fault.map_or(Ok(()), |fault| Err(in_file(&fault)))
    }

    /// Returns the record if it is valid; otherwise the reason.
    fn verdict(&self, bytes: &[u8]) -> Result<Record, String> {
        let record = Record::read(bytes).map_err(|error| error.to_string())?;
        ahu_host::verify(&record).map_err(|error| error.to_string())?;
        ahu_host::verify_nets(&record)?;
        let same = self.digest.map_or(Ok(()), |published| ahu_host::verify_digest(&record, &published));
        same.map(|()| record).map_err(|error| error.to_string())
    }

    /// Shows a record as one viewer saw it; in full if `only` is None.
    fn show(&self, record: &Record, only: Option<Viewer>, is_cut: bool, out: &mut impl Write) -> Done {
        let out = &mut Painted::new(out, Some(record.setup.rules()));
        show_head(record, only, out)?;
        if is_cut {
            writeln!(out, "The record is incomplete. Intact: {}.", counted(record.plies(), "ply"))?;
        }
        let pages = Pages::new(record, only);
        let (all, fault) = pages.read();
        let is_asked = is_interactive() && !self.all;
        if is_asked {
            if !reader::leaf_through(&pages, &all, out)? {
                return Ok(());
            }
        } else {
            let mut is_first = true;
            for page in &all {
                reader::show(page, out)?;
                if page.begins_turn {
                    writeln!(out, "\n{}", pages.table(page.entries, is_first))?;
                    is_first = false;
                }
            }
        }
        if let Some(fault) = fault {
            return Err(CliError::failed(fault));
        }
        writeln!(out, "\n{}", pages.table(record.entries.len(), false))?;
        match &record.result {
            Some(result) => show_result(record, result, &pages.score_parts(), out),
            None => Ok(writeln!(out, "{}", ending_sentence(record))?),
        }
    }
}

/// Shows the table before a ply as one viewer saw it, and then what the viewer was told of the ply.
fn show_ply(record: &Record, only: Option<Viewer>, ply: u32, out: &mut impl Write) -> Done {
    let before = record.entries_before(ply).map_err(|error| CliError::Usage(format!("--at: {error}")))?;
    let out = &mut Painted::new(out, Some(record.setup.rules()));
    let pages = Pages::new(record, only);
    writeln!(out, "{}", pages.table(before, true))?;
    pages.read().0.iter().filter(|page| page.ply == ply).try_for_each(|page| reader::show(page, out))
}

/// Prints a line of JSON for each ply, and then a line about the match.
fn show_json(record: &Record, only: Option<Viewer>, out: &mut impl Write) -> Done {
    let pages = Pages::new(record, only);
    for value in pages.as_json().map_err(CliError::failed)? {
        writeln!(out, "{}", with_format("ply", value))?;
    }
    let value = as_json(&record.into(), Some(&pages.score_parts()), None);
    Ok(writeln!(out, "{}", with_format("match", value))?)
}

fn viewer(record: &Record, text: &str) -> Result<Viewer, CliError> {
    if text == "public" {
        return Ok(Viewer::Public);
    }
    let seats = record.setup.seats();
    let seat = text.parse().ok().and_then(|index| seats.get(index)).map(Viewer::Seat);
    seat.ok_or_else(|| {
        CliError::Usage(format!("expected --as to be public or a seat from 0 to {}, got \"{text}\"", seats.count() - 1))
    })
}

/// Prints the game and the players. For a viewer, the seed is left out here: it is shown with the result.
fn show_head(record: &Record, only: Option<Viewer>, out: &mut impl Write) -> Done {
    let seed = only.map_or_else(|| format!(", seed {}", record.seed), |_| String::new());
    let title = record.setup.rules().info().title;
    writeln!(out, "{}", fitted(&format!("{title}, {}{seed}", record.setup), 2))?;
    let players = record.players.iter().enumerate().map(|(seat, player)| {
        let control = record.terms.clocks.get(seat).filter(|control| **control != TimeControl::default());
        (player.name.as_str(), control)
    });
    show_players(players, out)
}

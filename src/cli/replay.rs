//! `ahu replay`: shows a record ply by ply, or verifies it.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use ahu::core::{Viewer, hex};
use ahu::host::record::notation::entry_text;
use ahu::host::record::{Record, parse_digest};
use ahu::host::{self, Entry, Step, TimeControl};
use serde_json::json;

use super::outcome::{as_json, ending_text, forfeit_text, show_result, stand_in, strike_text};
use super::play::is_interactive;
use super::time_control::text_of;
use super::{CliError, Done};

/// Show a record ply by ply, or verify it
#[derive(Debug, clap::Args)]
pub(super) struct Replay {
    /// The record, in text or binary format
    file: PathBuf,
    /// Verify the record instead of showing it
    ///
    /// Checks that each ply is legal, that each chance outcome follows from the seed, that each answer came within the
    /// limits of its clock, that strikes and forfeits follow from the terms of the match, and that the result is correct.
    ///
    /// Does not check the names of players and that bots took their actions, the layout hash, the measured times, that
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
    /// By default, the command shows every entry of the record, hidden cards included, with its public events.
    #[arg(long = "as", value_name = "SEAT")]
    viewer: Option<String>,
    /// Show all plies without pauses, even at a terminal
    #[arg(long)]
    all: bool,
    /// Print the result of --verify as JSON
    #[arg(long, requires = "verify")]
    json: bool,
}

impl Replay {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let bytes = fs::read(&self.file)
            .map_err(|error| CliError::Failed(format!("cannot read {}: {error}", self.file.display())))?;
        let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", self.file.display());
        if self.verify {
            let verdict = self.verdict(&bytes);
            if self.json {
                let value = match &verdict {
                    Ok(record) => {
                        let mut value = as_json(record, None);
                        value["valid"] = true.into();
                        value
                    }
                    Err(error) => json!({"valid": false, "error": error}),
                };
                writeln!(out, "{value:#}")?;
            }
            let record = verdict.map_err(|error| CliError::Failed(in_file(&error)))?;
            if !self.json {
                let (plies, fingerprint) = (record.plies(), record.fingerprint);
                writeln!(out, "{}: valid, {plies} plies, fingerprint {fingerprint}", self.file.display())?;
                if record.converted {
                    writeln!(
                        out,
                        "converted from format 1, which states no terms: forfeits are not checked against any"
                    )?;
                }
                writeln!(out, "{}; digest {}", ending_text(record.ending.as_ref()), hex(&record.digest()))?;
            }
            return Ok(());
        }
        let record = Record::read(&bytes).map_err(|error| CliError::Failed(in_file(&error)))?;
        let viewer = self.viewer.as_deref().map(|text| viewer(&record, text)).transpose()?;
        self.show(&record, viewer, out)
    }

    /// Returns the record if it is valid, and the reason if it is not.
    fn verdict(&self, bytes: &[u8]) -> Result<Record, String> {
        let record = Record::read(bytes).map_err(|error| error.to_string())?;
        host::verify(&record).map_err(|error| error.to_string())?;
        if let Some(published) = &self.digest {
            host::verify_digest(&record, published).map_err(|error| error.to_string())?;
        }
        Ok(record)
    }

    /// Shows a record as one viewer saw it, or in full.
    fn show(&self, record: &Record, only: Option<Viewer>, out: &mut impl Write) -> Done {
        show_head(record, only, out)?;
        let viewer = only.unwrap_or(Viewer::Public);
        let mut pauses = (is_interactive() && !self.all).then(|| io::stdin().lock().lines());
        if pauses.is_some() {
            writeln!(out, "Enter: next ply; t: table; a: all plies; q: quit")?;
        }
        let mut replay = host::Replay::new(record);
        while let Some(step) = replay.step() {
            let step = step.map_err(CliError::failed)?;
            let texts: Vec<String> = step.events.iter().filter_map(|event| event.event.text_for(viewer)).collect();
            let conduct = conduct_text(record, step.entry, only);
            match only {
                _ if conduct.is_some() => writeln!(out, "      {}", conduct.unwrap_or_default())?,
                // The end is told after the last table.
                None if matches!(step.entry, Entry::Cancelled(_) | Entry::Void(_)) => continue,
                None => show_entry(record, &step, &texts, out)?,
                // Do not pause after a ply of which the viewer was told nothing.
                Some(_) if texts.is_empty() => continue,
                Some(_) => show_texts(&step, &texts, out)?,
            }
            while let Some(lines) = &mut pauses {
                out.flush()?;
                match lines.next().transpose()?.as_deref().map(str::trim) {
                    None | Some("q") => return Ok(()),
                    Some("a") => pauses = None,
                    Some("t") => writeln!(out, "{}", replay.view(viewer).text())?,
                    Some(_) => break,
                }
            }
        }
        writeln!(out, "\n{}", replay.view(viewer).text())?;
        match &record.result {
            Some(result) => show_result(record, result, out),
            None => Ok(writeln!(out, "{}", sentence(&ending_text(record.ending.as_ref())))?),
        }
    }
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

/// Prints the game and the players. A viewer is shown the seed at the end, with the result.
fn show_head(record: &Record, only: Option<Viewer>, out: &mut impl Write) -> Done {
    write!(out, "{}, {}", record.setup.rules().info().title, record.setup)?;
    match only {
        None => writeln!(out, ", seed {}", record.seed)?,
        Some(_) => writeln!(out)?,
    }
    for (seat, player) in record.players.iter().enumerate() {
        let control = record.terms.clocks.get(seat).filter(|control| **control != TimeControl::default());
        let clock = control.map_or(String::new(), |control| format!(", time control {}", text_of(control)));
        writeln!(out, "  seat {seat}: {}{clock}", player.name)?;
    }
    Ok(())
}

/// Returns the sentence about a strike or a forfeit, as this viewer was told it; None for another entry. Only its own
/// player is told of a strike.
fn conduct_text(record: &Record, entry: &Entry, only: Option<Viewer>) -> Option<String> {
    match entry {
        Entry::Chance(_) | Entry::Action { .. } | Entry::Cancelled(_) | Entry::Void(_) => None,
        Entry::Strike { seat, .. } if only.is_some_and(|viewer| viewer != Viewer::Seat(*seat)) => None,
        Entry::Strike { seat, decision, cause, action } => {
            Some(strike_text(record.setup.rules(), *seat, *decision, *cause, *action))
        }
        Entry::Forfeit { seat, cause } => Some(forfeit_text(*seat, *cause, &stand_in(record))),
    }
}

/// Returns a clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// Prints an entry of the record with all its hidden facts, and the events of the viewer.
fn show_entry(record: &Record, step: &Step<'_>, texts: &[String], out: &mut impl Write) -> Done {
    writeln!(out, "{:>4}  {}", step.ply, entry_text(record.setup.rules(), step.entry))?;
    for text in texts {
        writeln!(out, "        {text}")?;
    }
    Ok(())
}

/// Prints the events that a viewer was told. The entry itself may name facts that the viewer cannot see.
fn show_texts(step: &Step<'_>, texts: &[String], out: &mut impl Write) -> Done {
    for text in texts {
        writeln!(out, "{:>4}  {text}", step.ply)?;
    }
    Ok(())
}

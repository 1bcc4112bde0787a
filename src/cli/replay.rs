//! `ahu replay`: shows a record ply by ply, or verifies it.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use ahu::core::Viewer;
use ahu::host::record::Record;
use ahu::host::record::notation::entry_text;
use ahu::host::{self, Step};
use serde_json::json;

use super::play::{is_interactive, show_result};
use super::{CliError, Done};

/// Show a record ply by ply, or verify it
#[derive(Debug, clap::Args)]
pub(super) struct Replay {
    /// The record, in text or binary format
    file: PathBuf,
    /// Verify the record instead of showing it
    ///
    /// Checks that each ply is legal, that each chance outcome follows from the seed, and that the result is correct.
    #[arg(long)]
    verify: bool,
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
            let verdict = Record::read(&bytes).and_then(|record| host::verify(&record).map(|()| record));
            if self.json {
                let value = match &verdict {
                    Ok(record) => json!({
                        "valid": true, "game": record.setup.rules().info().id, "plies": record.plies(),
                        "finished": record.result.is_some(), "fingerprint": record.fingerprint.to_string(),
                    }),
                    Err(error) => json!({"valid": false, "error": error.to_string()}),
                };
                writeln!(out, "{value:#}")?;
            }
            let record = verdict.map_err(|error| CliError::Failed(in_file(&error)))?;
            if !self.json {
                let (plies, fingerprint) = (record.plies(), record.fingerprint);
                writeln!(out, "{}: valid, {plies} plies, fingerprint {fingerprint}", self.file.display())?;
            }
            return Ok(());
        }
        let record = Record::read(&bytes).map_err(|error| CliError::Failed(in_file(&error)))?;
        let viewer = self.viewer.as_deref().map(|text| viewer(&record, text)).transpose()?;
        self.show(&record, viewer, out)
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
            match only {
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
            None => Ok(writeln!(out, "The match was not finished.")?),
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
    for (seat, name) in record.names.iter().enumerate() {
        writeln!(out, "  seat {seat}: {name}")?;
    }
    Ok(())
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

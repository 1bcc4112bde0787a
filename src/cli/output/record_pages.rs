//! A record ply by ply: the lines about each entry, and the table after it.

use ahu_engine::core::Viewer;
use ahu_engine::host::record::Record;
use ahu_engine::host::record::notation::entry_text;
use ahu_engine::host::{self, Entry, PlyEvent, Replay};
use serde_json::{Value, json};

use crate::cli::output::match_outcome::{ScoreParts, ending_text, forfeit_text, stand_in, strike_text};
use crate::cli::terminal::fitted;

/// The indent of a continued line, in characters.
const HANG: usize = 6;

/// The lines about one entry of a record.
pub(in crate::cli) struct Page {
    /// The ply of the entry; for a strike or a forfeit, the ply before it.
    pub(in crate::cli) ply: u32,
    /// The number of entries up to this one, itself included.
    pub(in crate::cli) entries: usize,
    pub(in crate::cli) lines: Vec<String>,
    /// True if a turn begins with the entry.
    pub(in crate::cli) begins_turn: bool,
}

/// A record as it is shown: in full, or as one viewer was told it.
pub(in crate::cli) struct Pages<'a> {
    record: &'a Record,
    /// None to show the record in full, with its public events below each entry.
    only: Option<Viewer>,
}

impl<'a> Pages<'a> {
    pub(in crate::cli) fn new(record: &'a Record, only: Option<Viewer>) -> Self {
        Self { record, only }
    }

    fn viewer(&self) -> Viewer {
        self.only.unwrap_or(Viewer::Public)
    }

    /// Returns a page for each entry that tells the viewer something. If an entry is impossible, returns the pages before it, and
    /// the error.
    pub(in crate::cli) fn read(&self) -> (Vec<Page>, Option<host::RecordError>) {
        let mut replay = Replay::new(self.record);
        let mut pages = Vec::new();
        let mut entries = 0;
        while let Some(step) = replay.step() {
            let step = match step {
                Ok(step) => step,
                Err(error) => return (pages, Some(error)),
            };
            entries += 1;
            let events = self.told(step.events);
            let lines = self.lines(step.ply, step.entry, &events);
            if !lines.is_empty() {
                let begins_turn = events.iter().any(|event| event.starts_with("---"));
                pages.push(Page { ply: step.ply, entries, lines, begins_turn });
            }
        }
        (pages, None)
    }

    fn told(&self, events: &[PlyEvent]) -> Vec<String> {
        events.iter().filter_map(|event| event.event.text_for(self.viewer())).collect()
    }

    fn lines(&self, ply: u32, entry: &Entry, events: &[String]) -> Vec<String> {
        if let Some(text) = self.conduct_text(entry) {
            return vec![format!("      {text}")];
        }
        match (self.only, entry) {
            // The ending is shown after the last table.
            (None, Entry::Cancelled(_) | Entry::Void(_)) => Vec::new(),
            // Show events only: the entry itself may name facts that the viewer cannot see.
            (Some(_), _) => events.iter().map(|text| format!("{ply:>4}  {text}")).collect(),
            (None, entry) => {
                let entry = format!("{ply:>4}  {}", entry_text(self.record.setup.rules(), entry));
                [entry].into_iter().chain(events.iter().map(|text| format!("        {text}"))).collect()
            }
        }
    }

    /// Returns the sentence about a strike or a forfeit; None for another entry. Of a strike, only its own player was told.
    fn conduct_text(&self, entry: &Entry) -> Option<String> {
        match entry {
            Entry::Chance(_) | Entry::Action { .. } | Entry::Cancelled(_) | Entry::Void(_) => None,
            Entry::Strike { seat, .. } if self.only.is_some_and(|viewer| viewer != Viewer::Seat(*seat)) => None,
            Entry::Strike { seat, decision, cause, action } => {
                Some(strike_text(self.record.setup.rules(), *seat, *decision, *cause, *action))
            }
            Entry::Forfeit { seat, cause } => Some(forfeit_text(*seat, *cause, &stand_in(self.record))),
        }
    }

    fn at(&self, entries: usize) -> Replay<'a> {
        let mut replay = Replay::new(self.record);
        (0..entries).take_while(|_| matches!(replay.step(), Some(Ok(_)))).for_each(drop);
        replay
    }

    /// Returns the table after this many entries, as the viewer saw it. In full, it is the public table, with the hands of all
    /// players if the match has ended. `with_legend` adds the explanation of its signs.
    pub(in crate::cli) fn table(&self, entries: usize, with_legend: bool) -> String {
        let replay = self.at(entries);
        let view = replay.referee().view(self.viewer());
        let table = if with_legend { view.text() } else { view.text().replacen(view.legend(), "", 1) };
        if self.only.is_some() || self.record.ending.is_none() {
            return table;
        }
        let hand =
            |seat| fitted(&format!("seat {seat} has {}\n", replay.referee().view(Viewer::Seat(seat)).holdings()), HANG);
        [table].into_iter().chain(self.record.setup.seats().iter().map(hand)).collect()
    }

    pub(in crate::cli) fn score_parts(&self) -> ScoreParts {
        self.at(self.record.entries.len()).referee().view(Viewer::Public).score_parts()
    }

    /// Returns a value for each entry that tells the viewer something.
    pub(in crate::cli) fn as_json(&self) -> Result<Vec<Value>, host::RecordError> {
        let mut replay = Replay::new(self.record);
        let mut values = Vec::new();
        while let Some(step) = replay.step() {
            let step = step?;
            let events = self.told(step.events);
            let mut value = json!({"ply": step.ply, "events": events});
            if let Some(text) = self.conduct_text(step.entry) {
                value["conduct"] = text.into();
            }
            if self.only.is_none() {
                value["entry"] = entry_text(self.record.setup.rules(), step.entry).into();
                if let Entry::Action { seat, id, .. } = step.entry {
                    value["seat"] = seat.index().into();
                    value["action_id"] = id.0.into();
                    value["action"] = self.record.setup.rules().action_text(*id).into();
                }
            } else if events.is_empty() && value.get("conduct").is_none() {
                continue;
            }
            value["scores"] = replay.referee().view(self.viewer()).scores().values().into();
            values.push(value);
        }
        Ok(values)
    }
}

/// Returns a value for each entry of a record, in full: hidden cards and the public events.
pub(in crate::cli) fn plies_as_json(record: &Record) -> Result<Vec<Value>, host::RecordError> {
    Pages::new(record, None).as_json()
}

pub(in crate::cli) fn ending_sentence(record: &Record) -> String {
    let clause = ending_text(record.ending.as_ref());
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

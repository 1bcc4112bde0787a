//! A record ply by ply: the lines about each entry, and the table after it.

use ahu_core::Viewer;
use ahu_host::outcome::{ending_text, forfeit_text, stand_in, strike_text};
use ahu_host::record::Record;
use ahu_host::record::notation::entry_text;
use ahu_host::{Entry, PlyEvent, Replay, ToldEvent};
use serde_json::{Value, json};

use crate::output::line::Line;
use crate::output::match_outcome::ScoreParts;
use crate::terminal::fitted;

/// The indent of a continued line, in characters.
const HANG: usize = 6;

/// The lines about one entry of a record.
pub(crate) struct Page {
    /// The ply of the entry; for a strike or a forfeit, the ply before it.
    pub(crate) ply: u32,
    /// The number of entries up to this one, itself included.
    pub(crate) entries: usize,
    pub(crate) lines: Vec<Line>,
    /// True if a turn begins with the entry.
    pub(crate) begins_turn: bool,
}

/// A record as it is shown: in full, or as one viewer was told it.
pub(crate) struct Pages<'a> {
    record: &'a Record,
    /// None to show the record in full, with its public events below each entry.
    only: Option<Viewer>,
}

impl<'a> Pages<'a> {
    pub(crate) fn new(record: &'a Record, only: Option<Viewer>) -> Self {
        Self { record, only }
    }

    fn viewer(&self) -> Viewer {
        self.only.unwrap_or(Viewer::Public)
    }

    /// Returns a page for each entry that tells the viewer something. If an entry is impossible, returns the pages before it, and
    /// the error.
    pub(crate) fn read(&self) -> (Vec<Page>, Option<ahu_host::RecordError>) {
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
                let begins_turn = events.iter().any(|event| event.begins_turn);
                pages.push(Page { ply: step.ply, entries, lines, begins_turn });
            }
        }
        (pages, None)
    }

    fn told(&self, events: &[PlyEvent]) -> Vec<ToldEvent> {
        events.iter().filter_map(|event| event.told_to(self.viewer())).collect()
    }

    fn lines(&self, ply: u32, entry: &Entry, events: &[ToldEvent]) -> Vec<Line> {
        if let Some(text) = self.conduct_text(entry) {
            return vec![Line::plain(format!("      {text}"))];
        }
        match (self.only, entry) {
            // The ending is shown after the last table.
            (None, Entry::Cancelled(_) | Entry::Void(_)) => Vec::new(),
            // Show events only: the entry itself may name facts that the viewer cannot see.
            (Some(_), _) => events.iter().map(|event| Line::of(&format!("{ply:>4}  "), event)).collect(),
            (None, entry) => {
                let entry = format!("{ply:>4}  {}", entry_text(self.record.setup.rules(), entry));
                [Line::plain(entry)].into_iter().chain(events.iter().map(|event| Line::of("        ", event))).collect()
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
    pub(crate) fn table(&self, entries: usize, with_legend: bool) -> String {
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

    pub(crate) fn score_parts(&self) -> ScoreParts {
        self.at(self.record.entries.len()).referee().view(Viewer::Public).score_parts()
    }

    /// Returns a value for each entry that tells the viewer something.
    pub(crate) fn as_json(&self) -> Result<Vec<Value>, ahu_host::RecordError> {
        let mut replay = Replay::new(self.record);
        let mut values = Vec::new();
        while let Some(step) = replay.step() {
            let step = step?;
            let events = self.told(step.events);
            let texts: Vec<_> = events.iter().map(|event| &event.text).collect();
            let mut value = json!({"ply": step.ply, "events": texts});
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
pub(crate) fn plies_as_json(record: &Record) -> Result<Vec<Value>, ahu_host::RecordError> {
    Pages::new(record, None).as_json()
}

pub(crate) fn ending_sentence(record: &Record) -> String {
    let clause = ending_text(record.ending.as_ref());
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

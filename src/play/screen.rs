//! The match at this terminal: shows events as they happen, and asks the people who share the terminal for decisions.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ahu_arena::programs::Programs;
use ahu_core::{Seat, Viewer};
use ahu_host::outcome::forfeit_text;
use ahu_host::{Entry, Referee, ToldEvent};
use ahu_service::LiveMatch;

use super::prompt::{Chain, Prompt, PromptOutcome, Turn, with_own_seat};
use crate::output::line::Line;
use crate::terminal::{bold, dim, fitted_clauses};
use crate::{CliError, Done};

/// The width of the number of a ply with its spaces, in characters.
const HANG: usize = 6;

/// The match as this terminal shows it.
pub(super) struct Screen {
    live: Arc<LiveMatch>,
    humans: Vec<Seat>,
    /// The viewer at the screen. With several people, None until the first of them has decided.
    looking: Option<Viewer>,
    /// The point up to which each viewer has been shown the match.
    cursors: HashMap<Viewer, ViewerCursor>,
    /// The decisions with a single legal action, which were made without a question.
    forced: HashSet<(Seat, u32)>,
    /// The number of plies with which the match began: what happened before `--continue` is not told.
    begun: usize,
    /// True if only the result is to be printed.
    quiet: bool,
    prompt: Option<Prompt>,
}

/// The point up to which a viewer has been shown a match: the numbers of entries, plies, and events, and of the viewer's
/// decisions.
struct ViewerCursor {
    entries: usize,
    ply: u32,
    events: usize,
    decisions: u32,
}

impl Screen {
    /// Creates the screen. `begun` is the number of plies with which the match began, and `record` the file of `--record`.
    pub(super) fn new(
        live: &Arc<LiveMatch>,
        humans: Vec<Seat>,
        begun: usize,
        quiet: bool,
        record: Option<&Path>,
    ) -> Self {
        let looking = match humans.as_slice() {
            [] => Some(Viewer::Public),
            &[seat] => Some(Viewer::Seat(seat)),
            [_, _, ..] => None,
        };
        let prompt = (!humans.is_empty()).then(|| Prompt::new(live, humans.len() > 1, record));
        let live = Arc::clone(live);
        Self { live, humans, looking, cursors: HashMap::new(), forced: HashSet::new(), begun, quiet, prompt }
    }

    /// Plays the match to its end: shows events, asks people, and waits for programs.
    pub(super) fn play(&mut self, programs: &mut Programs, patience: Duration, out: &mut dyn Write) -> Done {
        let mut changes = self.live.changes();
        loop {
            // Mark first, so that a change after this look ends the next wait.
            changes.mark_unchanged();
            let is_over = self.live.with_referee(Referee::is_over) == Some(true);
            self.tell(out)?;
            if is_over {
                return Ok(());
            }
            // `owes` is false for a person who has forfeited: the stand-in decides.
            let owes = |referee: &Referee| self.humans.iter().copied().find(|&seat| referee.owes(seat));
            match self.live.with_referee(owes).flatten() {
                Some(seat) => match self.decide(seat, programs, patience, out) {
                    // The person quit, or the input ended. A match that has ended meanwhile refuses to be cancelled.
                    Err(CliError::Failed(reason)) => drop(self.live.cancel(&reason)),
                    decided => decided?,
                },
                None => programs.wait(&mut changes, patience),
            }
        }
    }

    /// Asks a person for a chain of decisions, and sends the answers. With a clock, each decision is sent at once, since each has
    /// its own time.
    fn decide(&mut self, seat: Seat, programs: &mut Programs, patience: Duration, out: &mut dyn Write) -> Done {
        let begin = |referee: &Referee| Some((referee.draft(seat)?, referee.deadline(seat).is_some()));
        let Some((draft, has_clock)) = self.live.with_referee(begin).flatten() else { return Ok(()) };
        let first = draft.decision;
        let live = Arc::clone(&self.live);
        let mut is_open = || {
            programs.look(patience);
            live.with_referee(|referee| referee.owes(seat) && referee.decision(seat) == Some(first)) == Some(true)
        };
        let mut chain = Chain::new(draft);
        loop {
            let only = chain.only_action();
            if let Some(id) = only {
                let is_due = !chain.take(id, false) || has_clock;
                match (is_due, chain.has_choice()) {
                    (false, _) => continue,
                    (true, false) => return self.answer(&chain, out),
                    // Ask, since the person may want to take a choice back.
                    (true, true) => chain.hold_back(),
                }
            }
            let viewer = Some(Viewer::Seat(seat));
            if self.looking != viewer {
                if !self.turn(seat, &mut is_open, out).announce()? {
                    return Ok(());
                }
                self.looking = viewer;
                // Show the events since this person last looked.
                self.tell(out)?;
            }
            let id = match self.turn(seat, &mut is_open, out).ask(&chain)? {
                PromptOutcome::Action(id) => id,
                PromptOutcome::Undo => {
                    let undone = chain.undo().and_then(|id| live.rules().action_text(id));
                    writeln!(out, "taken back: {}", undone.unwrap_or_default())?;
                    continue;
                }
                PromptOutcome::Closed => return Ok(()),
            };
            if !chain.take(id, only.is_none()) || has_clock {
                return self.answer(&chain, out);
            }
        }
    }

    /// Sends the answers of a chain.
    fn answer(&mut self, chain: &Chain, out: &mut dyn Write) -> Done {
        let draft = &chain.draft;
        for (decision, (id, is_choice)) in (draft.decision..).zip(chain.steps()) {
            if !is_choice {
                self.forced.insert((draft.seat, decision));
            }
            // The actions are legal, so a refusal means that the decision is no longer open. The caller looks at the match again.
            if let Err(error) = self.live.step(draft.seat, decision, id.0.into()) {
                writeln!(out, "{}", error.message())?;
                break;
            }
        }
        Ok(())
    }

    fn turn<'a>(&'a mut self, seat: Seat, is_open: &'a mut dyn FnMut() -> bool, out: &'a mut dyn Write) -> Turn<'a> {
        Turn { prompt: self.prompt.as_mut().expect("there are people"), seat, is_open, out }
    }

    /// Shows the viewer at the screen the events and forfeits that it has not seen.
    fn tell(&mut self, out: &mut dyn Write) -> Done {
        let Some(viewer) = self.looking.filter(|_| !self.quiet) else { return Ok(()) };
        let (cursors, begun, forced) = (&mut self.cursors, self.begun, &self.forced);
        let news = |referee: &Referee| {
            let cursor = cursors.entry(viewer).or_insert_with(|| ViewerCursor::after(referee, viewer, begun));
            cursor.news(referee, viewer, forced)
        };
        for Line { text, is_heading } in self.live.with_referee(news).unwrap_or_default() {
            let line = fitted_clauses(&text, HANG);
            let (number, text) = line.split_at_checked(HANG).unwrap_or(("", &line));
            match is_heading {
                true => writeln!(out, "{}", bold(&line))?,
                false => writeln!(out, "{}{text}", dim(number))?,
            }
        }
        Ok(out.flush()?)
    }
}

impl ViewerCursor {
    /// Returns the point after the first `begun` entries, which are all plies.
    fn after(referee: &Referee, viewer: Viewer, begun: usize) -> Self {
        let ply = begun as u32;
        let of_viewer = |entry: &&Entry| matches!(entry, Entry::Action { seat, .. } if viewer == Viewer::Seat(*seat));
        Self {
            entries: begun,
            ply,
            events: referee.events().iter().take_while(|event| event.ply <= ply).count(),
            decisions: referee.entries()[..begun].iter().filter(of_viewer).count() as u32,
        }
    }

    /// Returns lines for the events and forfeits after this point, and moves behind them.
    fn news(&mut self, referee: &Referee, viewer: Viewer, forced: &HashSet<(Seat, u32)>) -> Vec<Line> {
        let to_viewer = |text: String| match viewer {
            Viewer::Seat(seat) => with_own_seat(&text, seat),
            Viewer::Public => text,
        };
        let mut lines = Vec::new();
        for entry in &referee.entries()[self.entries..] {
            self.entries += 1;
            self.ply += u32::from(entry.is_ply());
            match entry {
                Entry::Forfeit { seat, cause } => {
                    let text = to_viewer(forfeit_text(*seat, *cause, &referee.stand_in().name()));
                    lines.push(Line::plain(format!("      {text}")));
                }
                Entry::Action { seat, id, .. } if viewer == Viewer::Seat(*seat) => {
                    self.decisions += 1;
                    if forced.contains(&(*seat, self.decisions)) {
                        let text = referee.setup().rules().action_text(*id).unwrap_or_default();
                        lines.push(Line::plain(format!("{:>4}  your only legal action: {text}", self.ply)));
                    }
                }
                _ => {}
            }
            while let Some(event) = referee.events().get(self.events).filter(|event| event.ply <= self.ply) {
                self.events += 1;
                let told = event.told_to(viewer).map(|told| ToldEvent { text: to_viewer(told.text), ..told });
                lines.extend(told.map(|told| Line::of(&format!("{:>4}  ", self.ply), &told)));
            }
        }
        lines
    }
}

//! A person who plays at the terminal.

mod answer;
mod chain;
mod help;
mod words;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ahu::core::{ActionId, Seat, SeatSet, Viewer};
use ahu::host::search::Cores;
use ahu::host::{AnyView, Draft, Referee};
use ahu::service::LiveMatch;

use self::answer::Answer;
pub(super) use self::chain::Chain;
pub(super) use self::words::as_you;
use super::console::Console;
use super::record_file::write_record;
use super::terminal::{Styles, fitted, width};
use super::{CliError, Done, analyse, markdown};

/// The search that gives hints: it takes less than a second.
const HINT: &str = "search:400";
/// The interval of the checks whether the decision is still open.
const LOOK: Duration = Duration::from_millis(50);
/// The width of a list where there is no terminal.
const LIST_WIDTH: usize = 80;
/// The indent of a line that continues another.
const HANG: usize = 6;

/// The prompt at which people decide.
pub(super) struct Prompt {
    live: Arc<LiveMatch>,
    console: Console,
    styles: Styles,
    /// The file of the record, for `save`.
    file: PathBuf,
    /// True if several people share the terminal.
    is_shared: bool,
    /// The seats that have been shown the whole table.
    shown: SeatSet,
}

/// The outcome of a question.
pub(super) enum Asked {
    /// A legal action.
    Action(ActionId),
    /// The last choice is taken back.
    Undo,
    /// The decision is no longer open, or the person has resigned.
    Closed,
}

impl Prompt {
    pub(super) fn new(live: &Arc<LiveMatch>, is_shared: bool, file: Option<&Path>) -> Self {
        let default = || PathBuf::from(format!("ahu-{}.txt", live.rules().info().id));
        Self {
            live: Arc::clone(live),
            console: Console::start(),
            styles: Styles::of_stdout(),
            file: file.map_or_else(default, Path::to_path_buf),
            is_shared,
            shown: SeatSet::EMPTY,
        }
    }

    /// Waits until the person of `seat` is at the screen, before it shows anything that only this seat may see. Returns
    /// false if the decision is no longer open.
    pub(super) fn announce(
        &mut self,
        seat: Seat,
        is_open: &mut dyn FnMut() -> bool,
        out: &mut impl Write,
    ) -> Result<bool, CliError> {
        writeln!(out)?;
        let pause = format!("--- seat {seat} plays next; press Enter when nobody else is looking ---");
        let pressed = self.line(&pause, Vec::new(), is_open, out)?.is_some();
        writeln!(out)?;
        Ok(pressed)
    }

    /// Asks the person for the next decision of a chain that has several legal actions. An error has the reason why the
    /// match is cancelled.
    pub(super) fn ask(
        &mut self,
        chain: &Chain,
        is_open: &mut dyn FnMut() -> bool,
        out: &mut impl Write,
    ) -> Result<Asked, CliError> {
        let (draft, seat) = (&chain.draft, chain.draft.seat());
        let (view, rules) = (draft.view(), self.live.rules());
        let text = |id| (id, rules.action_text(id).expect("legal actions have texts"));
        let legal: Vec<(ActionId, String)> = draft.legal_actions().iter().map(text).collect();
        self.show_position(seat, &*view, out)?;
        if !draft.actions().is_empty() {
            let taken = draft.actions().iter().map(|&id| text(id).1).collect::<Vec<_>>().join(", ");
            let undo = if chain.has_choice() { " (\"undo\" takes the last one back)" } else { "" };
            write!(out, "{}", fitted(&format!("so far: {taken}{undo}\n"), HANG))?;
        }
        show_list(&legal, out)?;
        let who = if self.is_shared { format!("seat {seat}, your action") } else { "your action".to_owned() };
        let prompt = format!("{who} (? for help): ");
        loop {
            let words = legal.iter().map(|(_, text)| text.clone()).collect();
            let Some(typed) = self.line(&prompt, words, is_open, out)? else {
                writeln!(out, "the decision is no longer open")?;
                return Ok(Asked::Closed);
            };
            match answer::read(rules, &typed, &legal, &view.holdings()) {
                Err(reason) => writeln!(out, "{}", fitted(&reason, 2))?,
                Ok(Answer::Nothing) => {}
                Ok(Answer::Action(id)) => return Ok(Asked::Action(id)),
                Ok(Answer::Undo) if !chain.has_choice() => {
                    let reason =
                        "nothing can be taken back: you have chosen nothing since others were told of your last action";
                    writeln!(out, "{}", fitted(reason, 2))?;
                }
                Ok(Answer::Undo) => return Ok(Asked::Undo),
                Ok(Answer::Help(None)) => {
                    let example = legal.last().map_or("", |(_, text)| text);
                    writeln!(out, "\n{}", help::page(&help::help(example, legal.len())))?;
                }
                Ok(Answer::Help(Some(word))) => show_found(help::explain(rules, &word), &word, out)?,
                Ok(Answer::Rules(topic)) => {
                    show_found(help::rules(rules, topic.as_deref()), topic.as_deref().unwrap_or_default(), out)?;
                }
                Ok(Answer::Table) => self.show_table(seat, &*view, out)?,
                Ok(Answer::List) => show_list(&legal, out)?,
                Ok(Answer::Hint) => self.hint(draft, out)?,
                Ok(Answer::Log(count)) => self.show_log(seat, count, out)?,
                Ok(Answer::Save(file)) => self.save(&file.unwrap_or_else(|| self.file.clone()), out)?,
                Ok(Answer::Resign) => {
                    // A refusal means that the decision is no longer open.
                    if let Err(error) = self.live.resign(seat) {
                        writeln!(out, "{}", error.message())?;
                    }
                    return Ok(Asked::Closed);
                }
                Ok(Answer::Quit) => return Err(CliError::Failed(format!("seat {seat} quit"))),
            }
        }
    }

    /// Returns a typed line; None if the decision is no longer open.
    fn line(
        &mut self,
        prompt: &str,
        words: Vec<String>,
        is_open: &mut dyn FnMut() -> bool,
        out: &mut impl Write,
    ) -> Result<Option<String>, CliError> {
        self.console.ask(prompt, words, out)?;
        loop {
            match self.console.answer(LOOK)? {
                Some(line) => return Ok(Some(line)),
                None if is_open() => {}
                None => {
                    writeln!(out)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Shows the whole table to a seat that has not seen it, and to others where they stand.
    fn show_position(&mut self, seat: Seat, view: &dyn AnyView, out: &mut impl Write) -> Done {
        if !self.shown.contains(seat) {
            self.shown = self.shown.with(seat);
            self.show_table(seat, view, out)?;
            let note = "(This is the whole table. From now on you see a short status; \"table\" shows the table again, \
                        and \"rules\" the rules.)";
            return Ok(writeln!(out, "{}", fitted(note, 1))?);
        }
        let points = view.scores().iter().map(|(seat, points)| format!("seat {seat} has {points}")).collect::<Vec<_>>();
        writeln!(out, "\n{}", self.styles.bold(&fitted(&as_you(&view.headline(), seat), HANG)))?;
        writeln!(out, "{}", fitted(&as_you(&format!("points so far: {}", points.join(", ")), seat), HANG))?;
        Ok(writeln!(out, "{}", fitted(&format!("you have {}", view.holdings()), HANG))?)
    }

    fn show_table(&self, seat: Seat, view: &dyn AnyView, out: &mut impl Write) -> Done {
        let text = view.text();
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        Ok(write!(out, "\n{}\n{rest}", self.styles.bold(&as_you(head, seat)))?)
    }

    /// Prints the last events that the seat was told, this many.
    fn show_log(&self, seat: Seat, count: usize, out: &mut impl Write) -> Done {
        let viewer = Viewer::Seat(seat);
        let events = |referee: &Referee| {
            let before = referee.event_count(viewer).saturating_sub(count);
            let events = referee.events_after(viewer, before, count);
            let line = |event: &ahu::host::PlyEvent| {
                let text = event.event.text_for(viewer).unwrap_or_default();
                format!("{:>4}  {}", event.ply, as_you(&text, seat))
            };
            events.into_iter().map(|(_, event)| line(event)).collect::<Vec<_>>()
        };
        for line in self.live.with_referee(events).unwrap_or_default() {
            writeln!(out, "{}", fitted(&line, HANG))?;
        }
        Ok(())
    }

    /// Writes the record so far. A failure is told, and the match goes on.
    fn save(&self, file: &Path, out: &mut impl Write) -> Done {
        let Some(record) = self.live.with_referee(Referee::record) else { return Ok(()) };
        let told = match write_record(file, &record) {
            Ok(()) => format!("Wrote the record so far to {}; it has all hidden cards.", file.display()),
            Err(CliError::Failed(reason)) => reason,
            Err(error) => return Err(error),
        };
        Ok(writeln!(out, "{}", fitted(&told, 2))?)
    }

    /// Prints the analysis of the next decision by a search, from what the seat knows.
    fn hint(&self, draft: &Draft, out: &mut impl Write) -> Done {
        let rules = self.live.rules();
        let bot = rules.bot(HINT).expect("every game has a search");
        let analysis = self.live.with_referee(|referee: &Referee| {
            Some((referee.setup().seats().count(), referee.analysis_of_draft(bot, draft)?))
        });
        match analysis.flatten() {
            Some((seats, analyse)) => analyse::show(rules, seats, &analyse(Cores::All), out),
            None => Ok(writeln!(out, "the decision is no longer open")?),
        }
    }
}

/// Prints what was found about a word.
fn show_found(found: Option<String>, word: &str, out: &mut impl Write) -> Done {
    match found {
        Some(text) => writeln!(out, "\n{}", markdown::fitted(&text))?,
        None => writeln!(
            out,
            "{}",
            fitted(
                &format!("nothing is known of \"{word}\"; \"rules\" shows all rules, and \"?\" names their topics"),
                2
            )
        )?,
    }
    Ok(())
}

/// Prints the legal actions with their numbers, in columns.
fn show_list(legal: &[(ActionId, String)], out: &mut impl Write) -> Done {
    let count = legal.len().to_string().len() + 1;
    let entry_width = legal.iter().map(|(_, text)| text.len()).max().unwrap_or(0) + count + 3;
    let columns = (width().unwrap_or(LIST_WIDTH) / entry_width).max(1);
    writeln!(out)?;
    for (row, entries) in legal.chunks(columns).enumerate() {
        let entry = |(n, (_, text)): (usize, &(ActionId, String))| {
            let number = format!("#{}", row * columns + n + 1);
            format!("{:<entry_width$}", format!("{number:>count$} {text}"))
        };
        let line: Vec<String> = entries.iter().enumerate().map(entry).collect();
        writeln!(out, "{}", line.concat().trim_end())?;
    }
    Ok(())
}

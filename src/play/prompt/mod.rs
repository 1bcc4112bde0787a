//! The prompt at which people at the terminal decide.

mod decision_chain;
mod help;
mod hint;
mod typed_line;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ahu_core::{ActionId, Seat, SeatSet, Viewer};
use ahu_host::{AnyView, Cores, Draft, Referee};
use ahu_service::LiveMatch;

pub(super) use self::decision_chain::Chain;
use self::typed_line::{Decision, TypedLine};
use crate::files::record_file::write_record;
use crate::terminal::console::Console;
use crate::terminal::{bold, fitted, fitted_clauses, height, is_interactive, markdown, pager, width};
use crate::{CliError, Done};

/// The search behind `hint`, which takes less than a second.
const HINT: &str = "search:400";
/// The length of a list from which on each kind of action begins a line.
const LONG: usize = 12;
/// The width of a list without a terminal, in characters.
const LIST_WIDTH: usize = 80;
/// The indent of a continued line, in characters.
const HANG: usize = 6;
/// The number of lines below a table: a note, the question, and some actions.
const QUESTION: usize = 8;

pub(super) struct Prompt {
    live: Arc<LiveMatch>,
    console: Console,
    /// The file of `--record`, to which `save` writes by default.
    record: Option<PathBuf>,
    /// The files that `save` may replace without asking: `record`, and those that it has written itself.
    own_files: Vec<PathBuf>,
    /// True if several people share the terminal.
    is_shared: bool,
    /// The seats whose players have seen the whole table.
    shown: SeatSet,
}

/// One person at the prompt, until it has decided.
pub(super) struct Turn<'a> {
    pub(super) prompt: &'a mut Prompt,
    pub(super) seat: Seat,
    /// Returns true while the decision is open.
    pub(super) is_open: &'a mut dyn FnMut() -> bool,
    pub(super) out: &'a mut dyn Write,
}

/// The answer of a person to the prompt.
pub(super) enum PromptOutcome {
    /// A legal action.
    Action(ActionId),
    /// The person takes the last choice back.
    Undo,
    /// The decision is no longer open, or the person has resigned.
    Closed,
}

impl Prompt {
    pub(super) fn new(live: &Arc<LiveMatch>, is_shared: bool, record: Option<&Path>) -> Self {
        Self {
            live: Arc::clone(live),
            console: Console::start(),
            record: record.map(Path::to_path_buf),
            own_files: record.map(Path::to_path_buf).into_iter().collect(),
            is_shared,
            shown: SeatSet::EMPTY,
        }
    }
}

impl Turn<'_> {
    /// Waits until the person says that nobody else is looking. Returns false if the decision is no longer open.
    pub(super) fn announce(&mut self) -> Result<bool, CliError> {
        writeln!(self.out)?;
        let pause = format!("--- seat {} plays next; press Enter when nobody else is looking ---", self.seat);
        let pressed = self.line(&pause, Vec::new())?.is_some();
        writeln!(self.out)?;
        Ok(pressed)
    }

    /// Asks the person for the next decision of a chain. It may have a single legal action, if that action ends the chain. An
    /// error has the reason why the match is cancelled.
    pub(super) fn ask(&mut self, chain: &Chain) -> Result<PromptOutcome, CliError> {
        let (draft, seat) = (&chain.draft, chain.draft.seat);
        let (view, rules) = (draft.view(), self.prompt.live.rules());
        let text = |id| (id, rules.action_text(id).expect("legal actions have texts"));
        let legal: Vec<(ActionId, String)> = draft.legal_actions().iter().map(text).collect();
        self.show_position(&*view)?;
        let question = view.question();
        if !question.is_empty() {
            self.say(&question)?;
        }
        if !draft.actions().is_empty() {
            let taken =
                chain.steps().map(|(id, is_choice)| text(id).1 + if is_choice { "" } else { " (the only one)" });
            let taken = taken.collect::<Vec<_>>().join(", ");
            let undo = if chain.has_choice() { " (\"undo\" takes the last one back)" } else { "" };
            writeln!(self.out, "{}", fitted(&format!("so far: {taken}{undo}"), HANG))?;
        }
        show_list(&legal, self.out)?;
        let only = chain.only_action();
        let who = if self.prompt.is_shared { format!("seat {seat}, your action") } else { "your action".to_owned() };
        let enter = if only.is_some() { ", Enter: #1" } else { "" };
        let prompt = format!("{who} (? for help{enter}): ");
        let (holdings, legend) = (view.holdings(), view.legend());
        let decision = Decision { rules, legal: &legal, holdings: &holdings, question: &question };
        let texts = legal.iter().map(|(_, text)| text.clone());
        let words: Vec<_> = texts.chain(typed_line::command_words().map(str::to_owned)).collect();
        loop {
            let Some(typed) = self.line(&prompt, words.clone())? else {
                self.say("the decision is no longer open")?;
                return Ok(PromptOutcome::Closed);
            };
            let answer = match decision.read(&typed) {
                Ok(answer) => answer,
                Err(reason) => {
                    self.say(&reason)?;
                    continue;
                }
            };
            match answer {
                TypedLine::Nothing => {
                    if let Some(id) = only {
                        return Ok(PromptOutcome::Action(id));
                    }
                }
                TypedLine::Action(id) => return Ok(PromptOutcome::Action(id)),
                TypedLine::Undo if chain.has_choice() => return Ok(PromptOutcome::Undo),
                TypedLine::Undo => self.say(
                    "nothing can be taken back: you have chosen nothing since others were told of your last action",
                )?,
                TypedLine::Help(None) => {
                    let example = legal.last().map_or("", |(_, text)| text);
                    writeln!(self.out, "\n{}", help::help(example, legal.len()))?;
                }
                TypedLine::Help(Some(word)) => self.show_found(help::explain(rules, &word), &word)?,
                TypedLine::Rules(topic) => {
                    let found = help::rules(rules, topic.as_deref());
                    self.show_found(found, topic.as_deref().unwrap_or_default())?;
                }
                TypedLine::Table => self.show_table(&*view, false)?,
                TypedLine::Legend if legend.is_empty() => self.say("the table has no signs to explain")?,
                TypedLine::Legend => writeln!(self.out, "\n{}", legend.trim_end())?,
                TypedLine::List => show_list(&legal, self.out)?,
                TypedLine::Hint => self.hint(draft)?,
                TypedLine::Log(count) => self.show_log(count)?,
                TypedLine::Save { file, replaces } => self.save(file, replaces)?,
                TypedLine::Resign => {
                    if self.confirms("forfeit the seat? A bot plays on.")? {
                        // The match refuses if the decision is no longer open.
                        if let Err(error) = self.prompt.live.resign(seat) {
                            writeln!(self.out, "{}", error.message())?;
                        }
                        return Ok(PromptOutcome::Closed);
                    }
                }
                TypedLine::Quit => {
                    let record = match &self.prompt.record {
                        Some(file) => format!("Its record goes to {}.", file.display()),
                        None => "\"save\" keeps its record.".to_owned(),
                    };
                    if self.confirms(&format!("cancel the match? {record}"))? {
                        return Err(CliError::Failed(format!("seat {seat} quit")));
                    }
                }
            }
        }
    }

    fn say(&mut self, text: &str) -> Done {
        Ok(writeln!(self.out, "{}", fitted(text, 2))?)
    }

    /// Asks the person to confirm. Without a terminal, returns true: a script means what it says.
    fn confirms(&mut self, question: &str) -> Result<bool, CliError> {
        if !is_interactive() {
            return Ok(true);
        }
        let wrapped = fitted(&format!("{question} (y/n) "), 2);
        // The prompt of the line editor must be one line, since the editor redraws it.
        let (above, prompt) = wrapped.rsplit_once('\n').unwrap_or(("", &wrapped));
        if !above.is_empty() {
            writeln!(self.out, "{above}")?;
        }
        let answer = self.line(prompt, Vec::new())?;
        Ok(answer.is_some_and(|answer| ["y", "yes"].contains(&answer.to_lowercase().as_str())))
    }

    /// Returns a typed line; None if the decision is no longer open.
    fn line(&mut self, prompt: &str, words: Vec<String>) -> Result<Option<String>, CliError> {
        self.prompt.console.line(prompt, words, self.is_open, self.out)
    }

    /// Shows the whole table to a player who has not seen it, and a short status to others.
    fn show_position(&mut self, view: &dyn AnyView) -> Done {
        let (seat, shown) = (self.seat, self.prompt.shown);
        if !shown.contains(seat) {
            self.prompt.shown = shown.with(seat);
            self.show_table(view, shown.is_empty())?;
            let note = "(From now on you see a short status; \"table\", \"legend\", and \"rules\" show more.)";
            return Ok(writeln!(self.out, "{}", fitted(note, 1))?);
        }
        let points = view.scores().iter().map(|(seat, points)| format!("seat {seat} has {points}")).collect::<Vec<_>>();
        writeln!(self.out, "\n{}", bold(&fitted(&with_own_seat(&view.headline(), seat), HANG)))?;
        let without = view.uncounted().map_or_else(String::new, |parts| format!(" without {parts}"));
        let points = format!("points so far{without}: {}", points.join(", "));
        writeln!(self.out, "{}", fitted(&with_own_seat(&points, seat), HANG))?;
        Ok(writeln!(self.out, "{}", fitted(&format!("you have {}", view.holdings()), HANG))?)
    }

    /// Shows the whole table, page by page if it is longer than the screen. `with_legend` adds the explanation of its signs.
    fn show_table(&mut self, view: &dyn AnyView, with_legend: bool) -> Done {
        let (text, legend) = (view.text(), view.legend());
        let lines = |text: &str| text.lines().count();
        // Leave room for the question.
        let is_long = height().is_some_and(|height| is_interactive() && lines(&text) + QUESTION > height);
        let hides_legend = (!with_legend || is_long) && !legend.is_empty();
        let text = if hides_legend { text.replacen(legend, "", 1) } else { text };
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let note = if hides_legend { "(\"legend\" explains the signs.)\n" } else { "" };
        let text = format!("\n{}\n{rest}{note}", bold(&fitted(&with_own_seat(head, self.seat), HANG)));
        let Self { prompt: Prompt { console, .. }, is_open, out, .. } = self;
        pager::page_by_page(&text, &mut |prompt, out| console.line(prompt, Vec::new(), is_open, out), *out)
    }

    /// Shows the text about a word; if there is none, says so.
    fn show_found(&mut self, found: Option<String>, word: &str) -> Done {
        let Some(text) = found else {
            return self.say(&format!(
                "nothing is known of \"{word}\"; \"rules\" shows all rules, and \"?\" names their topics"
            ));
        };
        let text = format!("\n{}\n", markdown::fitted(&text));
        let Self { prompt: Prompt { console, .. }, is_open, out, .. } = self;
        pager::show(&text, &mut |prompt, out| console.line(prompt, Vec::new(), is_open, out), *out)
    }

    /// Prints the last `count` events that the seat was told.
    fn show_log(&mut self, count: usize) -> Done {
        let (seat, viewer) = (self.seat, Viewer::Seat(self.seat));
        let events = |referee: &Referee| {
            let before = referee.event_count(viewer).saturating_sub(count);
            let told = referee.events_after(viewer, before, count).into_iter().map(|(_, event)| {
                let text = event.event.text_for(viewer).unwrap_or_default();
                format!("{:>4}  {}", event.ply, with_own_seat(&text, seat))
            });
            told.collect::<Vec<_>>()
        };
        for line in self.prompt.live.with_referee(events).unwrap_or_default() {
            writeln!(self.out, "{}", fitted_clauses(&line, HANG))?;
        }
        Ok(())
    }

    /// Writes the record so far. If that fails, says why; the match goes on. A file that `save` has not written is replaced only
    /// with `replaces`.
    fn save(&mut self, file: Option<PathBuf>, replaces: bool) -> Done {
        let Prompt { live, record, own_files, .. } = &mut *self.prompt;
        let default = || PathBuf::from(format!("ahu-{}.txt", live.rules().info().id));
        let file = file.or_else(|| record.clone()).unwrap_or_else(default);
        if file.exists() && !replaces && !own_files.contains(&file) {
            return self.say(&format!("{0} is there already; \"save! {0}\" replaces it", file.display()));
        }
        let Some(record) = live.with_referee(Referee::record) else { return Ok(()) };
        let told = match write_record(&file, &record) {
            Ok(()) => format!("Wrote the record so far to {}; it has all hidden cards.", file.display()),
            Err(CliError::Failed(reason)) => return self.say(&reason),
            Err(error) => return Err(error),
        };
        own_files.push(file);
        self.say(&told)
    }

    /// Prints what a search thinks of the next decision. It knows what the seat knows.
    fn hint(&mut self, draft: &Draft) -> Done {
        let rules = self.prompt.live.rules();
        let Ok(bot) = rules.bot(HINT) else { return self.say("this game has no search, which would advise you") };
        let analysis = self.prompt.live.with_referee(|referee: &Referee| referee.analysis_of_draft(bot, draft));
        match analysis.flatten() {
            Some(analyse) => self.say(&hint::sentences(rules, &analyse(Cores::CallersPool))),
            None => self.say("the decision is no longer open"),
        }
    }
}

/// Prints the legal actions with their numbers, in columns. In a long list, each kind of action begins a line.
fn show_list(legal: &[(ActionId, String)], out: &mut dyn Write) -> Done {
    let count = legal.len().to_string().len() + 1;
    let entry_width = legal.iter().map(|(_, text)| text.len()).max().unwrap_or(0) + count + 3;
    let columns = (width().unwrap_or(LIST_WIDTH) / entry_width).max(1);
    let is_long = legal.len() > LONG;
    let numbered: Vec<(usize, &str)> = (1..).zip(legal.iter().map(|(_, text)| text.as_str())).collect();
    writeln!(out)?;
    for entries in numbered.chunk_by(|(_, one), (_, other)| !is_long || kind(one) == kind(other)) {
        for row in entries.chunks(columns) {
            let entry = |(number, text): &(usize, &str)| {
                let number = format!("#{number}");
                format!("{:<entry_width$}", format!("{number:>count$} {text}"))
            };
            writeln!(out, "{}", row.iter().map(entry).collect::<String>().trim_end())?;
        }
    }
    Ok(())
}

/// Returns the words of an action that name its kind: the first two, or the first if there are only two.
fn kind(text: &str) -> &str {
    let mut spaces = text.match_indices(' ').map(|(at, _)| at);
    match (spaces.next(), spaces.next()) {
        (_, Some(at)) | (Some(at), None) => &text[..at],
        (None, _) => text,
    }
}

/// Marks the seat of the reader in a text of the game: "seat 1 (you) draws 2 cards".
pub(crate) fn with_own_seat(text: &str, seat: Seat) -> String {
    let name = format!("seat {seat}");
    let (mut told, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(&name) {
        let is_other = after.starts_with(|next: char| next.is_ascii_digit() || next == '\'');
        told += &[before, &name, if is_other { "" } else { " (you)" }].concat();
        rest = after;
    }
    told + rest
}

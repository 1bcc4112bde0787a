//! The terminal: its width, its colours, and its settings.

pub(super) mod console;
pub(super) mod markdown;
pub(super) mod pager;
pub(super) mod progress;

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use ahu_engine::host::visible::shown;
use ahu_engine::parts::lines::wrapped;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use rustix::termios::{self, OptionalActions, Termios};

/// The widths between which text is wrapped, in characters: narrower text is hard to read, and so is wider text.
const NARROWEST: usize = 40;
const WIDEST: usize = 100;

/// The settings of the terminal at the start.
static SETTINGS: OnceLock<Termios> = OnceLock::new();

/// Returns true if stdin and stdout are both terminals.
pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Returns the width at which text on stdout is wrapped; None if stdout is no terminal.
pub(super) fn width() -> Option<usize> {
    width_of(&io::stdout())
}

fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    stream.is_terminal().then(|| columns(stream).clamp(NARROWEST, WIDEST))
}

/// Returns the number of columns of the terminal behind a stream; 80 if it does not tell.
pub(super) fn columns(stream: &impl AsFd) -> usize {
    let columns = termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    columns.filter(|&columns| columns > 0).unwrap_or(80)
}

/// Returns the number of lines of the terminal on stdout; None if stdout is no terminal, or does not tell it.
pub(super) fn height() -> Option<usize> {
    let stdout = io::stdout();
    let rows = termios::tcgetwinsize(&stdout).ok().map(|size| usize::from(size.ws_row));
    rows.filter(|&rows| rows > 1 && stdout.is_terminal())
}

/// Keeps the settings of the terminal for [`restore`].
pub(super) fn keep_settings() {
    if let Ok(settings) = termios::tcgetattr(io::stdin()) {
        SETTINGS.get_or_init(|| settings);
    }
}

/// Gives the terminal the settings that it had at the start: line editing changes them.
pub(super) fn restore() {
    if let Some(settings) = SETTINGS.get() {
        // An error means that the terminal is gone.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, settings);
    }
}

/// Returns true if a stream can show colours, and `NO_COLOR` does not forbid them.
pub(super) fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Returns the text in bold, as a headline, if stdout shows styles.
pub(super) fn bold(text: &str) -> String {
    styled(Style::new().bold(), text)
}

/// Returns the text dimmed, as a number or a mark beside the words, if stdout shows styles.
pub(super) fn dim(text: &str) -> String {
    styled(Style::new().dimmed(), text)
}

fn styled(style: Style, text: &str) -> String {
    if has_colours(&io::stdout()) { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Returns text for stdout: at a terminal, its long lines are broken at words, and continued after `hang` spaces.
pub(super) fn fitted(text: &str, hang: usize) -> String {
    width().map_or_else(|| text.to_owned(), |width| wrapped(text, width, hang))
}

/// Returns an error message for stderr, as [`fitted`] does it for stdout.
pub(super) fn fitted_error(text: &str) -> String {
    // An error may quote what a server, a program, or a file says.
    let text = text.split('\n').map(shown).collect::<Vec<_>>().join("\n");
    width_of(&io::stderr()).map_or_else(|| text.clone(), |width| wrapped(&text, width, 2))
}

/// Returns a sentence of clauses for stdout: at a terminal, one of more than two lines has a line for each clause.
pub(super) fn fitted_clauses(text: &str, hang: usize) -> String {
    let is_long = width().is_some_and(|width| text.chars().count() > 2 * width);
    if !is_long {
        return fitted(text, hang);
    }
    let lines = text.replace("; ", &format!(";\n{}", " ".repeat(hang)));
    fitted(&lines, hang + 2)
}

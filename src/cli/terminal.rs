//! The terminal: its width, its colours, and its settings.

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
    let columns = termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    let columns = columns.filter(|&columns| columns > 0).unwrap_or(80);
    stream.is_terminal().then_some(columns.clamp(NARROWEST, WIDEST))
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

/// The styles of text on stdout: none in a pipe, with `NO_COLOR`, or on a terminal without them.
#[derive(Clone, Copy)]
pub(super) struct Styles {
    are_on: bool,
}

impl Styles {
    /// Returns the styles that stdout can show.
    pub(super) fn of_stdout() -> Self {
        Self { are_on: has_colours(&io::stdout()) }
    }

    /// Returns the text in bold: a headline.
    pub(super) fn bold(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// Returns the text dimmed: a number or a mark beside the words.
    pub(super) fn dim(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    fn styled(self, style: Style, text: &str) -> String {
        match self.are_on {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }
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
    width().map_or_else(|| text.to_owned(), |width| by_clauses(text, width, hang))
}

fn by_clauses(text: &str, width: usize, hang: usize) -> String {
    if text.chars().count() <= 2 * width {
        return wrapped(text, width, hang);
    }
    let indent = " ".repeat(hang);
    let mut clauses = text.split("; ").enumerate().map(|(n, clause)| match n {
        0 => wrapped(clause, width, hang + 2),
        _ => wrapped(&format!("{indent}{clause}"), width, hang + 2),
    });
    let first = clauses.next().unwrap_or_default();
    clauses.fold(first, |text, clause| text + ";\n" + &clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_has_a_line_for_each_clause() {
        assert_eq!(by_clauses("  7  one; two", 10, 5), "  7  one;\n     two");
        assert_eq!(
            by_clauses("  7  one; two; three four five", 14, 5),
            "  7  one;\n     two;\n     three\n       four\n       five"
        );
    }
}

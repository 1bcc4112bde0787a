//! The terminal: its size, colours, and settings. The files here read lines, colour words, show long texts, Markdown, and
//! progress, and keep the control characters of others from it.

pub(super) mod console;
pub(super) mod markdown;
pub(super) mod pager;
pub(super) mod paint;
pub(super) mod progress;
pub(super) mod visible;

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use ahu_arena::programs::Output;
use ahu_core::parts::lines::wrapped;
use ahu_host::visible_text::shown;
use ahu_service::Stderr;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use rustix::termios::{self, OptionalActions, Termios};

/// The limits of the width to which text is wrapped, in characters. Narrower and wider text is hard to read.
const NARROWEST: usize = 40;
const WIDEST: usize = 100;

/// The settings of the terminal before line editing changed them.
static SETTINGS: OnceLock<Termios> = OnceLock::new();

pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Returns the output at this terminal for the program of a seat, whose lines begin with the seat.
pub(super) fn output_of_seat(seat: u32) -> Output {
    Output::watched(format!("[seat {seat}] "), Stderr)
}

/// Returns the width to which text on stdout is wrapped; None if stdout is no terminal.
pub(super) fn width() -> Option<usize> {
    width_of(&io::stdout())
}

fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    stream.is_terminal().then(|| columns(stream).clamp(NARROWEST, WIDEST))
}

/// Returns the number of columns of the terminal behind a stream; 80 if the terminal does not say.
pub(super) fn columns(stream: &impl AsFd) -> usize {
    let columns = termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    columns.filter(|&columns| columns > 0).unwrap_or(80)
}

/// Returns the number of lines of the terminal on stdout; None if stdout is no terminal, or the terminal does not say.
pub(super) fn height() -> Option<usize> {
    let stdout = io::stdout();
    let rows = termios::tcgetwinsize(&stdout).ok().map(|size| usize::from(size.ws_row));
    rows.filter(|&rows| rows > 1 && stdout.is_terminal())
}

/// Remembers the settings of the terminal for [`restore`].
pub(super) fn keep_settings() {
    if let Ok(settings) = termios::tcgetattr(io::stdin()) {
        SETTINGS.get_or_init(|| settings);
    }
}

/// Restores the settings of the terminal, which line editing changes.
pub(super) fn restore() {
    if let Some(settings) = SETTINGS.get() {
        // An error means that the terminal is gone.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, settings);
    }
}

/// Sets whether streams show colours, for the whole program.
pub(super) fn use_colours(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::AlwaysAnsi,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// Returns true if a stream can show colours and `NO_COLOR` does not forbid them, or if `--color` says so.
pub(super) fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Makes a text bold, for a headline, if stdout shows styles.
pub(super) fn bold(text: &str) -> String {
    styled(Style::new().bold(), text)
}

/// Dims a text, such as the number beside a line, if stdout shows styles.
pub(super) fn dim(text: &str) -> String {
    styled(Style::new().dimmed(), text)
}

fn styled(style: Style, text: &str) -> String {
    if has_colours(&io::stdout()) { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Wraps a text for stdout. At a terminal, long lines are broken at words, and continue after `hang` spaces.
pub(super) fn fitted(text: &str, hang: usize) -> String {
    width().map_or_else(|| text.to_owned(), |width| wrapped(text, width, hang))
}

/// Wraps an error message for stderr, and shows control characters in it as escapes.
pub(super) fn fitted_error(text: &str) -> String {
    // The message may quote a server, a program, or a file.
    let text = text.split('\n').map(shown).collect::<Vec<_>>().join("\n");
    width_of(&io::stderr()).map_or_else(|| text.clone(), |width| wrapped(&text, width, 2))
}

/// Wraps a sentence as [`fitted`] does. At a terminal, if it needs more than two lines, each clause begins a line.
pub(super) fn fitted_clauses(text: &str, hang: usize) -> String {
    let is_long = width().is_some_and(|width| text.chars().count() > 2 * width);
    if !is_long {
        return fitted(text, hang);
    }
    let lines = text.replace("; ", &format!(";\n{}", " ".repeat(hang)));
    fitted(&lines, hang + 2)
}

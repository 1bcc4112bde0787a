//! Texts that are longer than the screen.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::terminal::console::Console;
use crate::terminal::visible::Visible;
use crate::terminal::{height, is_interactive};
use crate::{CliError, Done};

/// The prompt below each page but the last.
const MORE: &str = "-- Enter: more, q: enough -- ";

/// A function that prints a prompt and reads a line; None if no line will come.
pub(crate) type More<'a> = dyn FnMut(&str, &mut dyn Write) -> Result<Option<String>, CliError> + 'a;

/// Shows a long text in the program that `PAGER` names, or else page by page. Without a terminal, prints it whole.
pub(crate) fn show(text: &str, more: &mut More<'_>, out: &mut dyn Write) -> Done {
    let is_long = height().is_some_and(|height| text.lines().count() >= height);
    if is_long && is_interactive() && in_pager(text, out)? {
        return Ok(());
    }
    page_by_page(text, more, out)
}

/// Shows a text as [`show`] does, with a console of its own: for a command that asks for nothing else.
pub(crate) fn show_alone(text: &str, out: &mut dyn Write) -> Done {
    let mut console = None;
    show(text, &mut |prompt, out| console.get_or_insert_with(Console::start).line_or_end(prompt, out), out)
}

/// Shows a text page by page. Without a terminal, prints it whole.
pub(crate) fn page_by_page(text: &str, more: &mut More<'_>, out: &mut dyn Write) -> Done {
    let lines: Vec<&str> = text.lines().collect();
    let page = height().filter(|_| is_interactive()).map_or(usize::MAX, |height| height.saturating_sub(1).max(1));
    for (n, page) in lines.chunks(page).enumerate() {
        if n > 0 && more(MORE, out)?.is_none_or(|typed| ["q", "Q", "quit"].contains(&&*typed)) {
            break;
        }
        page.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

/// Shows a text in the program that `PAGER` names. Returns false if there is no such variable, or the program does not start.
fn in_pager(text: &str, out: &mut dyn Write) -> Result<bool, CliError> {
    let Some(program) = env::var("PAGER").ok().filter(|program| !program.trim().is_empty()) else { return Ok(false) };
    out.flush()?;
    let Ok(mut child) = Command::new("sh").args(["-c", &program]).stdin(Stdio::piped()).spawn() else {
        return Ok(false);
    };
    if let Some(input) = child.stdin.take() {
        // The person may leave the pager before it has read everything.
        let _ = Visible(input).write_all(text.as_bytes());
    }
    // The shell exits with 127 if it does not find the program.
    Ok(child.wait()?.code() != Some(127))
}

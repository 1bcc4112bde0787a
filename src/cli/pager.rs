//! Text that is longer than the screen, at a terminal.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

use super::console::Console;
use super::terminal::{height, is_interactive};
use super::{CliError, Done};

/// The question below each page but the last.
const MORE: &str = "-- Enter: more, q: enough -- ";

/// Shows a text by the program that `PAGER` names, or else page by page. Without a terminal the text is whole.
pub(super) fn show(text: &str, more: &mut More<'_>, out: &mut impl Write) -> Done {
    let is_long = height().is_some_and(|height| text.lines().count() >= height);
    if is_long && is_interactive() && in_pager(text, out)? {
        return Ok(());
    }
    page_by_page(text, more, out)
}

/// The reading of a line after a prompt; None if there is none.
pub(super) type More<'a> = dyn FnMut(&str, &mut dyn Write) -> Result<Option<String>, CliError> + 'a;

/// Shows a text page by page. Without a terminal the text is whole.
pub(super) fn page_by_page(text: &str, more: &mut More<'_>, out: &mut impl Write) -> Done {
    let lines: Vec<&str> = text.lines().collect();
    let page = height().filter(|_| is_interactive()).map_or(usize::MAX, |height| height.saturating_sub(1).max(1));
    let mut pages = lines.chunks(page.min(lines.len().max(1))).peekable();
    while let Some(page) = pages.next() {
        page.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        if pages.peek().is_none() {
            break;
        }
        match more(MORE, out)?.as_deref() {
            None | Some("q" | "Q" | "quit") => break,
            Some(_) => {}
        }
    }
    Ok(())
}

/// Shows a text by the program that `PAGER` names. Returns false if it names none, or one that does not start.
fn in_pager(text: &str, out: &mut impl Write) -> Result<bool, CliError> {
    let Ok(program) = env::var("PAGER") else { return Ok(false) };
    if program.trim().is_empty() {
        return Ok(false);
    }
    out.flush()?;
    let Ok(mut child) = Command::new("sh").args(["-c", &program]).stdin(Stdio::piped()).spawn() else {
        return Ok(false);
    };
    if let Some(mut input) = child.stdin.take() {
        // The person may end the pager before it has read everything.
        let _ = input.write_all(text.as_bytes());
    }
    // The shell exits with 127 for a program that is not there.
    Ok(child.wait()?.code() != Some(127))
}

/// Shows a text as [`show`] does, for a command that asks for nothing else.
pub(super) fn show_alone(text: &str, out: &mut impl Write) -> Done {
    let mut console: Option<Console> = None;
    let mut more = |prompt: &str, mut out: &mut dyn Write| {
        let console = console.get_or_insert_with(Console::start);
        console.ask(prompt, Vec::new(), &mut out)?;
        console.wait()
    };
    show(text, &mut more, out)
}

//! The prompt at which a person leafs through a record.

use std::io::Write;

use crate::output::record_pages::{Page, Pages};
use crate::terminal::console::Console;
use crate::terminal::{bold, fitted_clauses};
use crate::{CliError, Done};

/// The indent of a continued line, in characters.
const HANG: usize = 10;

const HELP: &str = "  Enter        the next ply
  b, back      the ply before
  n, next      the beginning of the next turn
  42           ply 42; 0 is the beginning
  /TEXT        the next ply with this text; / alone searches again
  t, table     the table
  a, all       all further plies
  q, quit      the end";

pub(super) fn show(page: &Page, out: &mut dyn Write) -> Done {
    for line in &page.lines {
        let text = fitted_clauses(&line.text, HANG);
        writeln!(out, "{}", if line.is_heading { bold(&text) } else { text })?;
    }
    Ok(())
}

/// Shows the pages that a person asks for. Returns true if the person read to the end, and false if the person quit.
pub(super) fn leaf_through(pages: &Pages<'_>, all: &[Page], out: &mut dyn Write) -> Result<bool, CliError> {
    let mut console = Console::start();
    let mut searched = String::new();
    // The index of the page that Enter shows.
    let mut next = 0_usize;
    let plies = all.last().map_or(0, |page| page.ply);
    loop {
        let ply = next.checked_sub(1).map_or(0, |page| all[page].ply);
        let prompt = format!("ply {ply} of {plies}, Enter: next ply (? for help): ");
        let Some(typed) = console.line_or_end(&prompt, out)? else { return Ok(false) };
        let command = typed.to_lowercase();
        let found = match command.as_str() {
            "" if next == all.len() => return Ok(true),
            "" => Ok(next),
            "b" | "back" => next.checked_sub(2).ok_or_else(|| "this is the first ply".to_owned()),
            "n" | "next" => position(all, next, |page| page.begins_turn)
                .ok_or_else(|| "no further turn begins; \"a\" shows the rest".to_owned()),
            "t" | "table" => {
                let entries = next.checked_sub(1).map_or(0, |last| all[last].entries);
                Err(format!("\n{}", pages.table(entries, true)))
            }
            "a" | "all" => {
                all[next..].iter().try_for_each(|page| show(page, out))?;
                return Ok(true);
            }
            "q" | "quit" | "exit" => return Ok(false),
            "?" | "h" | "help" => Err(HELP.to_owned()),
            other => match (other.strip_prefix('/').map(str::trim), other.parse()) {
                (Some(text), _) => {
                    searched = if text.is_empty() { searched } else { text.to_owned() };
                    search(all, next, &searched)
                }
                (None, Ok(0)) => {
                    next = 0;
                    Err("this is the beginning; Enter shows the first ply".to_owned())
                }
                (None, Ok(ply)) => position(all, 0, |page| page.ply >= ply)
                    .ok_or_else(|| format!("expected a ply up to {plies}, got {ply}")),
                (None, Err(_)) => Err(format!("expected one of these commands, got \"{typed}\"\n{HELP}")),
            },
        };
        match found {
            Ok(page) => {
                show(&all[page], out)?;
                next = page + 1;
                if next == all.len() {
                    writeln!(out, "this was the last ply; Enter shows the end")?;
                }
            }
            Err(told) => writeln!(out, "{told}")?,
        }
    }
}

fn position(all: &[Page], from: usize, is: impl Fn(&Page) -> bool) -> Option<usize> {
    all.iter().skip(from).position(is).map(|page| from + page)
}

/// Returns the first page from `from` on with this text, which is in lower case; after the last page, searches from the first.
fn search(all: &[Page], from: usize, text: &str) -> Result<usize, String> {
    let has_text = |page: &Page| page.lines.iter().any(|line| line.text.to_lowercase().contains(text));
    match position(all, from, has_text).or_else(|| position(all, 0, has_text)) {
        _ if text.is_empty() => Err("expected a text after the /, such as /moai".to_owned()),
        Some(page) => Ok(page),
        None => Err(format!("no ply has the text \"{text}\"")),
    }
}

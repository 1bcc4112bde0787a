//! A person who leafs through a record.

use std::io::Write;

use super::command::{Command, HELP};
use super::pages::{Page, Pages};
use crate::cli::console::Console;
use crate::cli::terminal::{Styles, fitted_clauses};
use crate::cli::{CliError, Done};

/// The indent of a line that continues another.
const HANG: usize = 10;

/// Prints a page.
pub(super) fn show(page: &Page, out: &mut impl Write) -> Done {
    let styles = Styles::of_stdout();
    for line in &page.lines {
        let line = fitted_clauses(line, HANG);
        match line.contains("  --- ") {
            true => writeln!(out, "{}", styles.bold(&line))?,
            false => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// Shows the pages as a person asks for them. Returns true after the last one, and false if the person quits before.
pub(super) fn leaf_through(pages: &Pages<'_>, all: &[Page], out: &mut impl Write) -> Result<bool, CliError> {
    let mut console = Console::start();
    let mut searched = None;
    // The number of pages that have been shown.
    let mut next = 0_usize;
    let plies = all.last().map_or(0, |page| page.ply);
    loop {
        let ply = next.checked_sub(1).map_or(0, |page| all[page].ply);
        let prompt = format!("ply {ply} of {plies}, Enter: next ply (? for help): ");
        console.ask(&prompt, Vec::new(), out)?;
        let Some(typed) = console.wait()? else { return Ok(false) };
        let found = match Command::read(&typed) {
            Err(reason) => {
                writeln!(out, "{}", reason.trim_end())?;
                continue;
            }
            Ok(Command::NextPly) if next == all.len() => return Ok(true),
            Ok(Command::NextPly) => Ok(next),
            Ok(Command::Back) => next.checked_sub(2).ok_or_else(|| "this is the first ply".to_owned()),
            Ok(Command::NextTurn) => position(all, next, |page| page.begins_turn)
                .ok_or_else(|| "no further turn begins; \"a\" shows the rest".to_owned()),
            Ok(Command::Go(0)) => {
                next = 0;
                writeln!(out, "this is the beginning; Enter shows the first ply")?;
                continue;
            }
            Ok(Command::Go(ply)) => position(all, 0, |page| page.ply >= ply)
                .ok_or_else(|| format!("expected a ply up to {plies}, got {ply}")),
            Ok(Command::Search(text)) => {
                searched = text.or(searched);
                search(all, next, searched.as_deref())
            }
            Ok(Command::Table) => {
                let entries = next.checked_sub(1).and_then(|last| all.get(last)).map_or(0, |page| page.entries);
                writeln!(out, "\n{}", pages.table(entries, true))?;
                continue;
            }
            Ok(Command::All) => {
                all[next..].iter().try_for_each(|page| show(page, out))?;
                return Ok(true);
            }
            Ok(Command::Quit) => return Ok(false),
            Ok(Command::Help) => {
                write!(out, "{HELP}")?;
                continue;
            }
        };
        match found {
            Ok(page) => {
                show(&all[page], out)?;
                next = page + 1;
                if next == all.len() {
                    writeln!(out, "this was the last ply; Enter shows the end")?;
                }
            }
            Err(reason) => writeln!(out, "{reason}")?,
        }
    }
}

/// Returns the first page from `from` on with a property.
fn position(all: &[Page], from: usize, is: impl Fn(&Page) -> bool) -> Option<usize> {
    all.iter().skip(from).position(is).map(|page| from + page)
}

/// Returns the first page from `from` on with this text in lower case, or else from the beginning.
fn search(all: &[Page], from: usize, text: Option<&str>) -> Result<usize, String> {
    let text = text.ok_or_else(|| "expected a text after the /, such as /moai".to_owned())?;
    let has_text = |page: &Page| page.lines.iter().any(|line| line.to_lowercase().contains(text));
    position(all, from, has_text)
        .or_else(|| position(all, 0, has_text))
        .ok_or_else(|| format!("no ply has the text \"{text}\""))
}

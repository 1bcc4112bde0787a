//! A person at the terminal.

use std::io::{self, BufRead, Write};

use ahu::core::{ActionId, ActionSet, ParseError, Seat, Viewer};
use ahu::host::Referee;
use ahu::service::Hosted;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{CliError, Done};

const COMMANDS: &str = "
  ?, help    this help
  table      show the table again
  list       show again what you may do
  hint       what the bot greedy would do
  quit       leave; the match is broken off
";

/// Lets the person of `seat` take the place before the screen, before anything of theirs is shown.
pub(super) fn hand_over(seat: Seat, out: &mut impl Write) -> Done {
    write!(out, "\n--- seat {seat} is to play; press Enter when nobody else looks ---")?;
    read_line(&mut io::stdin().lock(), out)?;
    writeln!(out)?;
    Ok(())
}

/// Asks for the decision that `seat` owes, until there is one that can be carried out or the seat
/// owes it no more.
pub(super) fn decide(hosted: &Hosted, seat: Seat, out: &mut impl Write) -> Done {
    let input = &mut io::stdin().lock();
    let ask = |referee: &Referee| (referee.decision(seat), referee.legal_actions(seat), table(referee, seat));
    let Some((Some(decision), legal, table)) = hosted.with_referee(ask) else { return Ok(()) };
    let texts = texts(hosted, &legal);
    writeln!(out, "\n{table}")?;
    show_list(&texts, out)?;
    loop {
        write!(out, "seat {seat}, what do you do? (? for help) ")?;
        let line = read_line(input, out)?;
        match line.as_str() {
            "" => {}
            "?" | "help" => show_help(&texts, out)?,
            "table" => writeln!(out, "\n{table}")?,
            "list" => show_list(&texts, out)?,
            "hint" => writeln!(out, "greedy would: {}", hint(hosted, seat))?,
            "quit" => return Err(CliError::Failed("the match was broken off".to_owned())),
            line => match read_action(hosted, line, &texts) {
                Err(reason) => writeln!(out, "{reason}")?,
                Ok(id) => {
                    // The action is legal: if it is refused, the match has gone on without this
                    // decision, and whoever called has to look again.
                    if let Err(fault) = hosted.step(seat, decision, id.0.into()) {
                        writeln!(out, "{}", fault.message())?;
                    }
                    return Ok(());
                }
            },
        }
    }
}

/// The next line, without the spaces around it.
fn read_line(input: &mut impl BufRead, out: &mut impl Write) -> Result<String, CliError> {
    out.flush()?;
    let mut line = Vec::new();
    match input.read_until(b'\n', &mut line) {
        Ok(0) => Err(CliError::Failed("the input has ended, so the match was broken off".to_owned())),
        Ok(_) => Ok(String::from_utf8_lossy(&line).trim().to_owned()),
        Err(error) => Err(CliError::Failed(format!("cannot read the input, so the match was broken off: {error}"))),
    }
}

fn table(referee: &Referee, seat: Seat) -> String {
    referee.view(Viewer::Seat(seat)).text()
}

fn texts(hosted: &Hosted, legal: &ActionSet) -> Vec<(ActionId, String)> {
    let text = |id| (id, hosted.rules().action_text(id).expect("legal actions have texts"));
    legal.iter().map(text).collect()
}

fn show_help(texts: &[(ActionId, String)], out: &mut impl Write) -> Done {
    let (number, (_, last)) = (texts.len(), texts.last().expect("a seat that is asked has a legal action"));
    writeln!(out, "\n  Type an action as it is written in the list, such as: {last}")?;
    writeln!(out, "  or its number in the list, such as: {number}\n{COMMANDS}")?;
    Ok(())
}

/// The legal actions with their numbers, in columns.
fn show_list(texts: &[(ActionId, String)], out: &mut impl Write) -> Done {
    let width = texts.iter().map(|(_, text)| text.len()).max().unwrap_or(0) + 6;
    let columns = (100 / width).max(1);
    for (n, (_, text)) in texts.iter().enumerate() {
        let ends_line = (n + 1) % columns == 0 || n + 1 == texts.len();
        let entry = format!("{:>3} {text}", n + 1);
        match ends_line {
            true => writeln!(out, "{entry}")?,
            false => write!(out, "{entry:<width$}")?,
        }
    }
    Ok(())
}

/// A number in the list, or an action in words. What is not in the list is refused here, where it
/// costs nothing: to the referee it might be a strike, and a slip of the fingers is none.
fn read_action(hosted: &Hosted, line: &str, texts: &[(ActionId, String)]) -> Result<ActionId, String> {
    if let Ok(number) = line.parse::<usize>() {
        let listed = number.checked_sub(1).and_then(|n| texts.get(n));
        return listed.map(|(id, _)| *id).ok_or_else(|| format!("the list has the numbers 1 to {}", texts.len()));
    }
    let id = hosted.rules().parse_action(line).map_err(|error| point_out(line, &error))?;
    match texts.iter().any(|(legal, _)| *legal == id) {
        true => Ok(id),
        false => Err("you may not do that now; type list to see what you may".to_owned()),
    }
}

/// The line again, a mark below the character where the fault is, and what it is.
fn point_out(line: &str, error: &ParseError) -> String {
    let before = line.get(..error.at).unwrap_or(line).chars().count();
    format!("  {line}\n  {}^\n{}", " ".repeat(before), error.message)
}

fn hint(hosted: &Hosted, seat: Seat) -> String {
    let rules = hosted.rules();
    let ask = |referee: &Referee| {
        let bot = rules.bot("greedy").ok()?;
        // A bot can be asked only where there is something to decide.
        referee.decision(seat)?;
        rules.action_text(referee.ask(bot, seat, &mut ChaCha8Rng::seed_from_u64(0)))
    };
    hosted.with_referee(ask).flatten().unwrap_or_else(|| "nothing".to_owned())
}

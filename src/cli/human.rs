//! A person who plays at the terminal.

use std::io::{self, BufRead, Write};

use ahu::core::{ActionId, ActionSet, ParseError, Seat, Viewer};
use ahu::host::Referee;
use ahu::host::search::Cores;
use ahu::service::LiveMatch;

use super::{CliError, Done, analyse};

/// The search that gives hints: it takes less than a second.
const HINT: &str = "search:400";

const COMMANDS: &str = "
  ?, help    show this help
  table      show the table again
  list       show the legal actions again
  hint       show the figures of a search for the legal actions
  resign     forfeit the seat; a bot plays on
  quit       cancel the match
";

/// Waits until the person of `seat` is at the screen, before it shows anything that only this seat may see.
pub(super) fn announce(seat: Seat, out: &mut impl Write) -> Done {
    write!(out, "\n--- seat {seat} plays next; press Enter when nobody else is looking ---")?;
    read_line(&mut io::stdin().lock(), out)?;
    writeln!(out)?;
    Ok(())
}

/// Asks the person of `seat` for its decision, until an action is taken or the decision is no longer open. An error has
/// the reason why the match is cancelled.
pub(super) fn decide(live: &LiveMatch, seat: Seat, out: &mut impl Write) -> Done {
    let input = &mut io::stdin().lock();
    let asked = |referee: &Referee| (referee.decision(seat), referee.legal_actions(seat), table(referee, seat));
    let Some((Some(decision), legal, table)) = live.with_referee(asked) else { return Ok(()) };
    let texts = texts(live, &legal);
    writeln!(out, "\n{table}")?;
    show_list(&texts, out)?;
    loop {
        write!(out, "seat {seat}, your action (? for help): ")?;
        let typed = read_line(input, out)?;
        match typed.as_str() {
            "" => {}
            "?" | "help" => show_help(&texts, out)?,
            "table" => writeln!(out, "\n{table}")?,
            "list" => show_list(&texts, out)?,
            "hint" => hint(live, seat, out)?,
            "resign" => {
                // A refusal means that the decision is no longer open.
                if let Err(error) = live.resign(seat) {
                    writeln!(out, "{}", error.message())?;
                }
                return Ok(());
            }
            "quit" => return Err(CliError::Failed(format!("seat {seat} quit"))),
            typed => match read_action(live, typed, &texts) {
                Err(reason) => writeln!(out, "{reason}")?,
                Ok(id) => {
                    // The action is legal. If the referee refuses it, the decision is no longer open, and the
                    // caller has to read the state of the match again.
                    if let Err(error) = live.step(seat, decision, id.0.into()) {
                        writeln!(out, "{}", error.message())?;
                    }
                    return Ok(());
                }
            },
        }
    }
}

/// Returns the next line of the input, without leading and trailing spaces.
fn read_line(input: &mut impl BufRead, out: &mut impl Write) -> Result<String, CliError> {
    out.flush()?;
    let mut line = Vec::new();
    match input.read_until(b'\n', &mut line) {
        Ok(0) => Err(CliError::Failed("stdin was closed".to_owned())),
        Ok(_) => Ok(String::from_utf8_lossy(&line).trim().to_owned()),
        Err(error) => Err(CliError::Failed(format!("stdin cannot be read ({})", error.kind()))),
    }
}

fn table(referee: &Referee, seat: Seat) -> String {
    referee.view(Viewer::Seat(seat)).text()
}

fn texts(live: &LiveMatch, legal: &ActionSet) -> Vec<(ActionId, String)> {
    let text = |id| (id, live.rules().action_text(id).expect("legal actions have texts"));
    legal.iter().map(text).collect()
}

fn show_help(texts: &[(ActionId, String)], out: &mut impl Write) -> Done {
    let (number, (_, last)) = (texts.len(), texts.last().expect("a seat that is asked has a legal action"));
    writeln!(out, "\n  Type an action from the list, such as: {last}")?;
    writeln!(out, "  or its number, such as: {number}\n{COMMANDS}")?;
    Ok(())
}

/// Prints the legal actions with their numbers, in columns.
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

/// Reads an action of the list, by its number or its text. Other actions are refused here, and not by the referee:
/// a typing error must not count as a strike.
fn read_action(live: &LiveMatch, typed: &str, texts: &[(ActionId, String)]) -> Result<ActionId, String> {
    if let Ok(number) = typed.parse::<usize>() {
        let listed = number.checked_sub(1).and_then(|n| texts.get(n));
        return listed
            .map(|(id, _)| *id)
            .ok_or_else(|| format!("expected a number from 1 to {}, got {number}", texts.len()));
    }
    let id = live.rules().parse_action(typed).map_err(|error| point_out(typed, &error))?;
    match texts.iter().any(|(legal, _)| *legal == id) {
        true => Ok(id),
        false => Err("this action is not legal now; type \"list\" for the legal actions".to_owned()),
    }
}

/// Formats the line again, with a mark below the position of the fault, and the error message.
fn point_out(line: &str, error: &ParseError) -> String {
    let before = line.get(..error.at).unwrap_or(line).chars().count();
    format!("  {line}\n  {}^\n{}", " ".repeat(before), error.message)
}

/// Prints the analysis of the decision by a search, from what the seat knows.
fn hint(live: &LiveMatch, seat: Seat, out: &mut impl Write) -> Done {
    let rules = live.rules();
    let bot = rules.bot(HINT).expect("every game has a search");
    let analysis =
        live.with_referee(|referee: &Referee| Some((referee.setup().seats().count(), referee.analysis_of(bot, seat)?)));
    match analysis.flatten() {
        Some((seats, analyse)) => analyse::show(rules, seats, &analyse(Cores::All), out),
        None => Ok(writeln!(out, "the decision is no longer open")?),
    }
}

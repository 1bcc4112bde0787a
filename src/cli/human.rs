//! A person at the terminal.

use std::io::{self, BufRead, Write};

use ahu::core::{ActionId, ActionSet, Seat, Viewer};
use ahu::host::Referee;
use ahu::service::Hosted;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{CliError, Done};

/// The people at this terminal.
pub(super) struct Human {
    /// How many share it.
    count: usize,
    /// Who was asked last.
    last: Option<Seat>,
}

const HELP: &str = "
  Type an action as it is written in the list, such as: meld F7
  or its number in the list, such as: 3

  ?, help    this help
  table      show the table again
  list       show again what you may do
  hint       what the bot greedy would do
  quit       leave; the match is broken off
";

impl Human {
    pub(super) fn new(count: usize) -> Self {
        Self { count, last: None }
    }

    /// Asks for the decision that `seat` owes, until there is one that can be carried out.
    pub(super) fn decide(&mut self, hosted: &Hosted, seat: Seat, out: &mut impl Write) -> Done {
        let input = &mut io::stdin().lock();
        if self.count > 1 && self.last != Some(seat) {
            write!(out, "\n--- seat {seat} is to play; press Enter when nobody else looks ---")?;
            read_line(input, out)?;
        }
        self.last = Some(seat);
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
                "?" | "help" => writeln!(out, "{HELP}")?,
                "table" => writeln!(out, "\n{table}")?,
                "list" => show_list(&texts, out)?,
                "hint" => writeln!(out, "greedy would: {}", hint(hosted, seat))?,
                "quit" => return Err(CliError::Failed("the match was broken off".to_owned())),
                line => match read_action(hosted, line, &texts) {
                    Err(reason) => writeln!(out, "{reason}")?,
                    Ok(id) => match hosted.step(seat, decision, id) {
                        Ok(_) => return Ok(()),
                        Err(_) => writeln!(out, "you may not do that now; type list to see what you may")?,
                    },
                },
            }
        }
    }
}

/// The next line, without the spaces around it.
fn read_line(input: &mut impl BufRead, out: &mut impl Write) -> Result<String, CliError> {
    out.flush()?;
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) => Err(CliError::Failed("the input has ended, so the match was broken off".to_owned())),
        Ok(_) => Ok(line.trim().to_owned()),
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

/// A number in the list, or an action in words.
fn read_action(hosted: &Hosted, line: &str, texts: &[(ActionId, String)]) -> Result<ActionId, String> {
    if let Ok(number) = line.parse::<usize>() {
        let listed = number.checked_sub(1).and_then(|n| texts.get(n));
        return listed.map(|(id, _)| *id).ok_or_else(|| format!("the list has the numbers 1 to {}", texts.len()));
    }
    hosted.rules().parse_action(line).map_err(|error| format!("{}^\n{}", " ".repeat(error.at), error.message))
}

fn hint(hosted: &Hosted, seat: Seat) -> String {
    let rules = hosted.rules();
    let ask = |referee: &Referee| {
        let bot = rules.bot("greedy").ok()?;
        rules.action_text(referee.ask(bot, seat, &mut ChaCha8Rng::seed_from_u64(0)))
    };
    hosted.with_referee(ask).flatten().unwrap_or_else(|| "nothing".to_owned())
}

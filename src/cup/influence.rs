//! `ahu cup influence`: what each agent gained beside another.

use std::io::Write;

use ahu_contest::blocks::MIN_BLOCKS;
use ahu_contest::cup::{GameReport, Report, State};
use ahu_contest::ratings::Beside;
use serde_json::{Value, json};

use super::CupArguments;
use super::wording::{aligned, percent};
use crate::{Done, print_json};

/// The explanation of the numbers.
const CAVEAT: &str = "A gain does not say why: the errors of a weak agent lift whoever is next to it in strength, and a style may suit \
                      another. Of these intervals 1 in 20 misses the truth by chance. No number here shows that anybody helped another.";

/// Print what each agent gained beside each other, at tables of three seats or more
///
/// A gain is the share of pairs that the agent won with the other at the table, less the share that the ratings expect, with an
/// interval of 95 %.
#[derive(Debug, clap::Args)]
pub(crate) struct Influence {
    #[command(flatten)]
    cup: CupArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Influence {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let state = self.cup.read()?.state()?;
        let report = Report::of(&state);
        match self.json {
            true => print_json("cup-influence", json(&state, &report), out)?,
            false => show(&state, &report, out)?,
        }
        Ok(())
    }
}

/// Returns the gains of a game, of both agents of a pair one after the other, by the places of their ratings.
fn in_order(game: &GameReport, mut pairs: Vec<Beside>) -> Vec<Beside> {
    let place = |agent: usize| game.order.iter().position(|&other| other == agent);
    pairs.sort_by_key(|pair| {
        let places = [place(pair.agent), place(pair.other)];
        (places.iter().min().copied(), places.iter().max().copied(), places[0])
    });
    pairs
}

/// Formats a difference of shares in percentage points.
fn points(difference: f64) -> String {
    format!("{:+.1}", 100.0 * difference)
}

fn show(state: &State, report: &Report, out: &mut impl Write) -> Done {
    if state.cup.stages.iter().all(|stage| stage.seats < 3) {
        writeln!(out, "every table has two seats: nobody there can help a third")?;
        return Ok(());
    }
    for game in &report.games {
        let influence = game.influence();
        if influence.pairs.is_empty() && influence.unmeasured == 0 {
            continue;
        }
        writeln!(out, "{}: shares of pairs with another at the table, and what the ratings expect", game.rated.game)?;
        let name = |agent: usize| state.name(game.rated.agents[agent]).to_owned();
        let row = |Beside { agent, other, share, expected, gained }: Beside| {
            vec![
                name(agent),
                format!("beside {}", name(other)),
                gained.samples.to_string(),
                percent(share),
                percent(expected),
                points(gained.mean),
                format!("[{}, {}]", points(gained.low), points(gained.high)),
            ]
        };
        let head = ["agent", "", "blocks", "won", "expected", "gained", ""].map(str::to_owned);
        let rows: Vec<_> =
            [Vec::from(head)].into_iter().chain(in_order(game, influence.pairs).into_iter().map(row)).collect();
        if rows.len() > 1 {
            write!(out, "{}", aligned(&rows))?;
        }
        if influence.unmeasured > 0 {
            writeln!(
                out,
                "  without a number: {} (a gain needs {MIN_BLOCKS} blocks with the other and {MIN_BLOCKS} without)",
                influence.unmeasured
            )?;
        }
    }
    writeln!(out, "{CAVEAT}")?;
    Ok(())
}

fn json(state: &State, report: &Report) -> Value {
    let games = report.games.iter().map(|game| {
        let name = |agent: usize| state.name(game.rated.agents[agent]);
        let influence = game.influence();
        let pair = |Beside { agent, other, share, expected, gained }: Beside| {
            json!({
                "agent": name(agent), "beside": name(other), "blocks": gained.samples, "share": share, "expected": expected,
                "gained": gained.mean, "low": gained.low, "high": gained.high,
            })
        };
        let pairs: Vec<_> = in_order(game, influence.pairs).into_iter().map(pair).collect();
        json!({ "game": game.rated.game, "unmeasured": influence.unmeasured, "pairs": pairs })
    });
    json!({ "games": games.collect::<Vec<_>>() })
}

//! The figures of a search as a table and as JSON.

use std::cmp::Reverse;
use std::io::Write;

use ahu_core::{ActionId, Seats};
use ahu_host::AnyRules;
use ahu_host::search::{ActionAnalysis, Analysis};
use serde_json::{Value, json};

use crate::Done;
use crate::terminal::fitted;

/// The sentence below the table that explains its columns.
const LEGEND: &str = "visits: games that were played to the end after the action; mean: the lead over the best other \
                      seat, from 0 to 1, where 0.5 is no lead; +-s.e.: its standard error; points: the mean at the end; \
                      ranks: how many of the games ended on each place, from the first on; >: the choice";
/// The number of actions that the table lists.
const ROWS: usize = 12;

/// Prints the actions that the search tried most with their figures, and then its choice.
pub(crate) fn show(rules: &dyn AnyRules, seats: usize, analysis: &Analysis, out: &mut dyn Write) -> Done {
    let text = |id: ActionId| rules.action_text(id).expect("legal actions have texts");
    let mut actions: Vec<&ActionAnalysis> = analysis.actions.iter().collect();
    // The choice comes first, whatever its figures: another action may have as many visits or a better mean.
    let order = |action: &ActionAnalysis| (action.id != analysis.choice, Reverse(action.visits));
    actions.sort_by(|a, b| order(a).cmp(&order(b)).then(b.mean.total_cmp(&a.mean)).then(a.id.cmp(&b.id)));
    let hidden = actions.len().saturating_sub(ROWS);
    actions.truncate(ROWS);
    let width = actions.iter().map(|action| text(action.id).len()).max().unwrap_or(0).max(6);
    writeln!(out, "  {:<width$}  visits   mean  +-s.e.  points  ranks, from the first", "action")?;
    for action in actions {
        let ranks: Vec<String> = action.ranks[..seats].iter().map(u32::to_string).collect();
        let row = format!(
            "{} {:<width$}  {:>6}  {:>5.3}  {:>6.3}  {:>6.1}  {}",
            if action.id == analysis.choice { '>' } else { ' ' },
            text(action.id),
            action.visits,
            action.mean,
            action.standard_error,
            action.score,
            ranks.join(" ")
        );
        writeln!(out, "{}", fitted(&row, 6))?;
    }
    if hidden > 0 {
        writeln!(out, "  and {hidden} more")?;
    }
    let (choice, policy) = (text(analysis.choice), text(analysis.policy));
    let reason = if choice == policy { " too, since no other is clearly better" } else { "" };
    let playouts = analysis.playouts;
    let text = format!("{playouts} playouts; search chooses: {choice}; without playouts: {policy}{reason}");
    writeln!(out, "{}", fitted(&text, 2))?;
    writeln!(out, "{}", fitted(LEGEND, 2))?;
    Ok(())
}

/// Returns the figures of a search as JSON.
pub(crate) fn analysis_json(rules: &dyn AnyRules, seats: Seats, analysis: &Analysis) -> Value {
    let text = |id: ActionId| rules.action_text(id);
    let actions = analysis.actions.iter().map(|action| {
        json!({
            "action": text(action.id), "id": action.id.0, "visits": action.visits, "mean": action.mean,
            "standard_error": action.standard_error, "score": action.score, "ranks": action.ranks[..seats.count()],
        })
    });
    json!({
        "playouts": analysis.playouts, "choice": text(analysis.choice), "policy": text(analysis.policy),
        "actions": actions.collect::<Value>(),
    })
}

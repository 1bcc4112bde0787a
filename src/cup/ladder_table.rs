//! The table of a ladder as text and as CSV.

use std::io::Write;

use ahu_contest::cup::{Ladder, LadderRow, LadderTable, State};
use ahu_contest::ratings::SeasonRatings;
use serde_json::{Value, json};

use super::wording::aligned;
use crate::{Done, time_of_day};

/// Returns the table of a ladder, with ratings from all its games; empty for a cup without a ladder.
pub(super) fn of(state: &State) -> LadderTable {
    let Some(ladder) = state.ladder() else { return LadderTable::default() };
    let ratings = ladder.fit(state, ladder.games.len(), &SeasonRatings::default());
    LadderTable::of(state, ratings)
}

/// Prints the table.
pub(super) fn show(state: &State, out: &mut impl Write) -> Done {
    let Some(ladder) = state.ladder() else { return Ok(()) };
    let (found, info) = (of(state), &state.cup.stages[0]);
    writeln!(out, "\nladder {}: {}, {} seats, {} games", info.name, info.game, info.seats, ladder.games.len())?;
    let head = ["", "agent", "rating", "", "ranks", "games", "last played", ""].map(str::to_owned);
    let rows = found.rows.iter().filter(|row| row.is_shown).map(|row| Vec::from(cells(state, ladder, row)));
    write!(out, "{}", aligned(&[Vec::from(head)].into_iter().chain(rows).collect::<Vec<_>>()))?;
    for (seat, (elo, margin)) in found.ratings.seats.iter().enumerate() {
        writeln!(out, "  seat {seat}: {elo:+.0} Elo points ± {margin:.0}")?;
    }
    Ok(())
}

/// Returns the cells of an entrant in the table.
pub(super) fn cells(state: &State, ladder: &Ladder, row: &LadderRow) -> [String; 8] {
    let own = &ladder.agents[row.agent];
    let (rating, margin, ranks) = match &row.rating {
        Some(rating) => {
            let (first, last) = rating.ranks.clone().into_inner();
            let ranks = row.place.map_or_else(String::new, |_| format!("{first} to {last}"));
            (format!("{:+.0}", rating.elo), format!("± {:.0}", rating.margin), ranks)
        }
        None => Default::default(),
    };
    let status = state.agents[row.agent].status.reason().unwrap_or_default();
    let note = if row.place.is_none() && status.is_empty() { "new" } else { status };
    [
        row.place.map_or_else(|| "-".to_owned(), |place| place.to_string()),
        state.name(row.agent).to_owned(),
        rating,
        margin,
        ranks,
        own.games.to_string(),
        own.last_played.map_or_else(String::new, |at| time_of_day(at / 1000)),
        note.to_owned(),
    ]
}

/// Returns the first agents by the last entry of ratings, as text.
pub(super) fn brief(state: &State, ladder: &Ladder, count: usize) -> String {
    let mut shown = ladder.shown(state);
    shown.sort_by_key(|&agent| -ladder.agents[agent].rating);
    let row = |&agent: &usize| {
        let own = &ladder.agents[agent];
        vec![state.name(agent).to_owned(), format!("{:+}", own.rating), format!("{} games", own.games)]
    };
    aligned(&shown.iter().take(count).map(row).collect::<Vec<_>>())
}

/// The columns of the table as CSV.
pub(super) const COLUMNS: &str = "place,agent,owner,status,rating,margin,best_rank,worst_rank,games,wins,forfeits";

/// Returns the rows of the table as CSV.
pub(super) fn rows(state: &State) -> Vec<Value> {
    let table = of(state).json(state);
    let rows = table["rows"].as_array().cloned().unwrap_or_default();
    let with_ranks = |mut row: Value| {
        let (best, worst) = (row["ranks"][0].clone(), row["ranks"][1].clone());
        row["best_rank"] = best;
        row["worst_rank"] = json!(worst);
        row
    };
    rows.into_iter().map(with_ranks).collect()
}

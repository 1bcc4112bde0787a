//! The words of results: cells and sentences that the table, the page, and `influence` share.

use std::fmt::Write as _;

use ahu_contest::cup::{Endings, GameReport, Standing, State, Status, Tiebreak};
use ahu_contest::ratings::{Intransitive, Rating};
use ahu_contest::statistics::Estimate;

/// Describes how games ended, as a clause.
pub(super) fn endings_text(endings: &Endings) -> String {
    let Endings { games, with_forfeit, not_played, forfeits: _ } = endings;
    format!(
        "{games} games have ended: {with_forfeit} with a forfeit, {not_played} not played, since at most one agent was left"
    )
}

/// Formats a share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats the interval of a share, in percent.
pub(super) fn share_interval(share: &Estimate) -> String {
    format!("[{:.1}, {:.1}]", 100.0 * share.low, 100.0 * share.high)
}

/// Formats the interval of a rating. An end that no result bounds is "?".
pub(super) fn interval(elo: Estimate) -> String {
    let end = |value: f64| if value.is_finite() { format!("{value:+.0}") } else { "?".to_owned() };
    format!("[{}, {}]", end(elo.low), end(elo.high))
}

/// Formats the ranks that an agent may have.
pub(super) fn ranks(rating: &Rating) -> String {
    let (first, last) = rating.ranks.clone().into_inner();
    if first == last { format!("rank {first}") } else { format!("rank {first} to {last}") }
}

/// Describes two agents whose results against each other do not fit their ratings.
pub(super) fn cycle(state: &State, game: &GameReport, found: &Intransitive) -> String {
    let [agent, other] = [found.agent, found.other].map(|agent| state.name(game.rated.agents[agent]));
    let [share, expected] = [found.share, found.expected].map(percent);
    format!("cycle: {agent} won {share} of its pairs against {other}; the ratings let expect {expected}")
}

/// The heads of the columns of standings.
pub(super) const HEAD: [&str; 8] = ["", "agent", "games", "pairs", "margin", "wins", "forfeits", ""];

/// Returns the cells of a row of standings.
pub(super) fn cells(state: &State, number: usize, row: &Standing) -> [String; 8] {
    let place = row.shown_place().map_or_else(|| "-".to_owned(), |place| place.to_string());
    let mut notes = Vec::new();
    match &state.agents[row.agent].status {
        Status::In if state.is_on_probation(row.agent) && !state.has_ended() => notes.push("on probation".to_owned()),
        Status::In => {}
        Status::Resting(reason) => notes.push(format!("rests: {reason}")),
        Status::Withdrawn(None) => notes.push("withdrawn".to_owned()),
        Status::Withdrawn(Some(reason)) => notes.push(format!("withdrawn: {reason}")),
        Status::Disqualified(reason) => notes.push(format!("disqualified: {reason}")),
    }
    if state.stages[number].advance.as_ref().is_some_and(|advance| advance.contains(&row.agent)) {
        let by_lot = state.stages[number].by_lot.contains(&row.agent);
        notes.push(if by_lot { "advances by lot" } else { "advances" }.to_owned());
    }
    notes.extend(row.decided_by.map(|rule| format!("by {}", rule_name(rule))));
    [
        place,
        state.name(row.agent).to_owned(),
        format!("{}", row.games),
        if row.pairs == 0 { "-".to_owned() } else { percent(row.share()) },
        if row.margin_games == 0 { "-".to_owned() } else { format!("{:+.2}", row.mean_margin()) },
        format!("{:.1}", row.wins),
        format!("{}", row.forfeits),
        notes.join(", "),
    ]
}

/// Names a tie-break, to follow "by".
pub(super) const fn rule_name(rule: Tiebreak) -> &'static str {
    match rule {
        Tiebreak::HeadToHead => "head to head",
        Tiebreak::Margin => "margin",
        Tiebreak::ExtraBlocks => "extra blocks",
    }
}

/// Aligns rows in columns, with text to the left and numbers to the right. The first row has the heads.
pub(super) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let is_number = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit() || "+-".contains(letter));
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            let to_the_right = rows.iter().skip(1).any(|row| is_number(&row[column])) && column != 1;
            let width = widths[column];
            let _ = if to_the_right { write!(line, " {cell:>width$} ") } else { write!(line, " {cell:<width$} ") };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

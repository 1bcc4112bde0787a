//! The table of a ladder, and the figures of one of its agents, as objects for pages and files.

use serde_json::{Value, json};

use super::{Contestant, Ladder, PlayedBefore, RANKED};
use crate::cup::entrant::{Player, Status};
use crate::cup::state::State;
use crate::ratings::{SeasonRating, SeasonRatings};

/// The deviation of an agent's last 100 games from its rating from which it is marked.
const MARKED: f64 = 3.0;

/// The table of a ladder: places by rating, the first place first, then agents without a place.
#[derive(Clone, Debug, Default)]
pub struct LadderTable {
    /// A row for each entrant.
    pub rows: Vec<LadderRow>,
    /// The ratings behind it.
    pub ratings: SeasonRatings,
}

/// An entrant in the table of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// The number of the agent.
    pub agent: usize,
    /// The place; equal ratings share the better one. None for an agent that is not shown, is new, or is an anchor.
    pub place: Option<usize>,
    /// True for the newest entrant of its account that has not left; the table shows no other one.
    pub is_shown: bool,
    /// The rating; None without games.
    pub rating: Option<SeasonRating>,
}

impl LadderTable {
    /// Returns the table of a ladder with these ratings; empty for a cup without a ladder.
    pub fn of(state: &State, ratings: SeasonRatings) -> Self {
        let Some(ladder) = state.ladder() else { return Self::default() };
        let shown = ladder.shown(state);
        let row = |agent: usize| LadderRow {
            agent,
            place: None,
            is_shown: shown.binary_search(&agent).is_ok(),
            rating: ratings.agents.get(agent).cloned().flatten(),
        };
        let mut rows: Vec<_> = (0..ladder.agents.len()).map(row).collect();
        // An agent that has just played its last game without a place gets one with the next fit.
        let has_place = |rating: &SeasonRating| rating.is_ranked;
        let is_ranked = |row: &LadderRow| row.is_shown && row.rating.as_ref().is_some_and(has_place);
        let elo = |row: &LadderRow| row.rating.as_ref().map_or(f64::NEG_INFINITY, |rating| rating.elo);
        rows.sort_by(|one, other| {
            let kind = |row: &LadderRow| (!is_ranked(row), !row.is_shown);
            kind(one).cmp(&kind(other)).then(elo(other).total_cmp(&elo(one))).then(one.agent.cmp(&other.agent))
        });
        let mut last = (1, f64::INFINITY);
        for (place, row) in rows.iter_mut().enumerate().filter(|(_, row)| is_ranked(row)) {
            if elo(row) < last.1 {
                last = (place + 1, elo(row));
            }
            row.place = Some(last.0);
        }
        Self { rows, ratings }
    }

    /// Returns the table as an object: the rules in short, the effects of the seats in Elo points with half the width of their
    /// intervals, and a row for each entrant.
    pub fn json(&self, state: &State) -> Value {
        let Some(ladder) = state.ladder() else { return Value::Null };
        let seats =
            self.ratings.seats.iter().map(|&(elo, margin)| json!({ "elo": rounded(elo), "margin": rounded(margin) }));
        json!({
            "games": ladder.games.len(), "in_progress": ladder.open.len(), "until": state.cup.stages[0].ladder.until,
            "ranked_from": RANKED, "day": ladder.day(state.now), "public_days": ladder.public_days(),
            "seats": seats.collect::<Vec<_>>(),
            "rows": self.rows.iter().map(|row| row.json(state, ladder)).collect::<Vec<_>>(),
        })
    }

    /// Returns the figures of one agent as an object; None if the ladder has no such agent.
    pub fn agent_json(&self, state: &State, agent: usize) -> Option<Value> {
        let ladder = state.ladder()?;
        let row = self.rows.iter().find(|row| row.agent == agent)?;
        let own: &Contestant = &ladder.agents[agent];
        let against = own.against.iter().map(|(&other, &[pairs, half_pairs])| {
            json!({ "agent": state.name(other), "pairs": pairs, "share": share(pairs, half_pairs) })
        });
        let seats =
            own.by_seat.iter().map(|&[pairs, half_pairs]| json!({ "pairs": pairs, "share": share(pairs, half_pairs) }));
        let day = |&(day, rating): &(u64, i32)| json!({ "day": ladder.begun + day * super::DAY, "rating": rating });
        let mut object = row.json(state, ladder);
        object["against"] = against.collect();
        object["by_seat"] = seats.collect();
        object["history"] = own.history.iter().map(day).collect();
        object["endings"] = json!(own.forfeits);
        object["entrants"] = ladder.accounts[own.account].entrants.iter().map(|&other| state.name(other)).collect();
        object["last_games"] = own.recent.iter().map(|game| game.json(state)).collect();
        Some(object)
    }
}

impl LadderRow {
    fn json(&self, state: &State, ladder: &Ladder) -> Value {
        let (own, agent) = (&ladder.agents[self.agent], &state.agents[self.agent]);
        let is_bot = matches!(agent.entrant.player, Player::Bot { .. });
        let (status, reason) = match &agent.status {
            Status::In if is_bot => ("anchor", None),
            Status::In if self.is_shown && self.place.is_none() => ("new", None),
            Status::In => ("ranked", None),
            Status::Resting(reason) => ("resting", Some(reason)),
            Status::Withdrawn(reason) => ("left", reason.as_ref()),
            Status::Disqualified(reason) => ("excluded", Some(reason)),
        };
        let rating = self.rating.as_ref();
        let form = rating.and_then(|rating| rating.form);
        json!({
            "place": self.place, "agent": agent.entrant.name, "owner": agent.entrant.owner, "shown": self.is_shown,
            "status": status, "reason": reason, "rating": rating.map(|rating| rounded(rating.elo)),
            "margin": rating.map(|rating| rounded(rating.margin)),
            "ranks": rating.filter(|_| self.place.is_some()).map(|rating| [*rating.ranks.start(), *rating.ranks.end()]),
            "games": own.games, "playing": own.playing, "waiting": own.waiting.is_some(), "wins": rounded(own.wins),
            "forfeits": own.forfeits.values().sum::<u32>(), "last_played": own.last_played,
            "form": form.map(rounded), "marked": form.is_some_and(|form| form.abs() >= MARKED),
        })
    }
}

impl PlayedBefore {
    fn json(&self, state: &State) -> Value {
        let seat = |seat: usize| {
            json!({
                "agent": state.name(self.agents[seat]), "score": self.scores.get(seat), "rank": self.ranks[seat],
                "forfeit": Some(&self.forfeits[seat]).filter(|cause| !cause.is_empty()),
            })
        };
        json!({
            "game": self.game, "at": self.at, "match": self.match_id, "seats": (0..self.agents.len()).map(seat).collect::<Value>(),
        })
    }
}

/// Returns the share of pairs won; None without pairs.
fn share(pairs: u32, half_pairs: u32) -> Option<f64> {
    (pairs > 0).then(|| (5_000.0 * f64::from(half_pairs) / f64::from(pairs)).round() / 10_000.0)
}

/// Returns a figure with two decimals: a table of a thousand agents has no room for more.
fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

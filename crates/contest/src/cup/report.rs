//! The report of a cup: ratings, crosstable, seats, and endings, which the places do not show.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::game_result::Forfeit;
use super::rated_blocks::RatedBlocks;
use super::state::{State, TableState};
use crate::blocks::MIN_BLOCKS;
use crate::ratings::{Bootstrap, Crosstable, CrosstableCell, Influence, Intransitive, Ratings};
use crate::statistics::{Bounds, CONFIDENCE, Estimate, holm};

/// The report on all games that have ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// The results of agents against each other, one report for each game.
    pub games: Vec<GameReport>,
    /// The results of the seats, one report for each game and number of seats.
    pub seats: Vec<SeatReport>,
    /// The way in which the games ended.
    pub endings: Endings,
}

/// The results of agents against each other in one game, from whole blocks.
#[derive(Clone, Debug)]
pub struct GameReport {
    /// The agents and their blocks. The ratings and the crosstable number agents by their index here.
    pub rated: RatedBlocks,
    /// The ratings. A rating from fewer than [`MIN_BLOCKS`] blocks says nothing yet: see [`Self::is_rated`].
    pub ratings: Ratings,
    /// The agents by strength, the strongest first; equals in the order of their names.
    pub order: Vec<usize>,
    /// The results of each two agents.
    pub crosstable: Crosstable,
}

/// The shares of the seats in wins, from whole blocks.
#[derive(Clone, Debug)]
pub struct SeatReport {
    /// The id of the game.
    pub game: String,
    /// The share of each seat in wins: see [`GameResult::win_share`](super::GameResult::win_share).
    pub shares: Vec<Estimate>,
    /// The p-value for each seat that its share is fair, after Holm's correction for all seats; 1 with fewer than
    /// [`MIN_BLOCKS`] blocks.
    pub p_values: Vec<f64>,
}

/// The number of games by the way in which they ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endings {
    /// The number of games that have ended.
    pub games: u64,
    /// The number of ended games in which a seat forfeited.
    pub with_forfeit: u64,
    /// The number of ended games that were not played, because at most one agent was left.
    pub not_played: u64,
    /// The number of forfeits by agent and cause, for agents that forfeited.
    pub forfeits: BTreeMap<usize, BTreeMap<Forfeit, u64>>,
}

impl Report {
    /// Returns the report on the results so far.
    pub fn of(state: &State) -> Self {
        let games = RatedBlocks::of(state).into_iter().map(|rated| GameReport::of(state, rated)).collect();
        Self { games, seats: SeatReport::all(state), endings: Endings::of(state) }
    }
}

impl GameReport {
    fn of(state: &State, rated: RatedBlocks) -> Self {
        let ratings = Ratings::of(&rated.results, rated.anchor(state), Bootstrap::default());
        let crosstable = Crosstable::of(&rated.results, Bootstrap::default());
        let mut order: Vec<_> = (0..rated.agents.len()).collect();
        let name = |agent: usize| state.name(rated.agents[agent]);
        let strength = |agent: usize| ratings.agents[agent].strength.mean;
        order
            .sort_by(|&one, &other| strength(other).total_cmp(&strength(one)).then_with(|| name(one).cmp(name(other))));
        Self { rated, ratings, order, crosstable }
    }

    /// Returns true if an agent has played enough blocks for a rating. `agent` is its index in the ratings.
    pub fn is_rated(&self, agent: usize) -> bool {
        self.ratings.agents[agent].strength.samples as u64 >= MIN_BLOCKS
    }

    /// Returns the ratings as an object: the game, the anchor, and the agents by strength, each with `elo`, `low`, and `high` in
    /// Elo points above the anchor (an interval of 95 %), the ranks that it may have, and the number of its blocks.
    pub fn ratings_json(&self, state: &State) -> Value {
        let name = |agent: usize| state.name(self.rated.agents[agent]);
        let finite = |value: f64| value.is_finite().then_some(value);
        let agents = self.order.iter().map(|&agent| {
            let (rating, is_rated) = (&self.ratings.agents[agent], self.is_rated(agent));
            let elo = rating.elo();
            json!({
                "agent": name(agent),
                "elo": is_rated.then_some(elo.mean),
                "low": finite(elo.low).filter(|_| is_rated),
                "high": finite(elo.high).filter(|_| is_rated),
                "ranks": is_rated.then(|| [*rating.ranks.start(), *rating.ranks.end()]),
                "blocks": elo.samples,
            })
        });
        json!({ "game": self.rated.game, "anchor": name(self.ratings.anchor), "agents": agents.collect::<Vec<_>>() })
    }

    /// Returns the crosstable as an object: the game, the agents by strength, a row of cells for each, and the cycles. A cell has
    /// the share of pairs that the agent of the row won against that of the column; it is null if they never met.
    pub fn crosstable_json(&self, state: &State) -> Value {
        let name = |agent: usize| state.name(self.rated.agents[agent]);
        let cell = |cell: &CrosstableCell| {
            let CrosstableCell { share, p_value } = cell;
            json!({
                "share": share.mean, "low": share.low, "high": share.high, "blocks": share.samples, "p_value": p_value,
                "differs": cell.differs(),
            })
        };
        let row = |&agent: &usize| {
            let cells = self.order.iter().map(|&other| self.crosstable.cells[agent][other].as_ref().map(cell));
            cells.collect::<Vec<_>>()
        };
        let cycle = |found: &Intransitive| {
            json!({
                "agent": name(found.agent), "other": name(found.other), "share": found.share, "expected": found.expected,
                "p_value": found.p_value,
            })
        };
        json!({
            "game": self.rated.game,
            "agents": self.order.iter().map(|&agent| name(agent)).collect::<Vec<_>>(),
            "rows": self.order.iter().map(row).collect::<Vec<_>>(),
            "cycles": self.crosstable.intransitive.iter().map(cycle).collect::<Vec<_>>(),
        })
    }

    /// Returns what agents gained beside others, from the blocks at tables of three or more agents.
    pub fn influence(&self) -> Influence {
        Influence::of(&self.rated.results)
    }
}

impl SeatReport {
    fn all(state: &State) -> Vec<Self> {
        let mut tables: BTreeMap<(&str, usize), Vec<&TableState>> = BTreeMap::new();
        for (stage, info) in state.stages.iter().zip(&state.cup.stages) {
            let played = |table: &&TableState| table.results.iter().flatten().all(|result| !result.has_left());
            let whole = stage.tables.iter().filter(|table| table.is_whole()).filter(played);
            tables.entry((&info.game, info.seats)).or_default().extend(whole);
        }
        tables.retain(|_, tables| !tables.is_empty());
        tables.into_iter().map(|((game, seats), tables)| Self::of(game, seats, &tables)).collect()
    }

    fn of(game: &str, seats: usize, tables: &[&TableState]) -> Self {
        let share = |table: &TableState, seat: usize| {
            let shares: Vec<_> = table.results.iter().flatten().map(|result| result.win_share(seat)).collect();
            shares.iter().sum::<f64>() / shares.len() as f64
        };
        let samples = |seat: usize| tables.iter().map(|table| share(table, seat)).collect::<Vec<_>>();
        let samples: Vec<_> = (0..seats).map(samples).collect();
        let p_value = |samples: &Vec<f64>| match tables.len() as u64 >= MIN_BLOCKS {
            true => Estimate::p_value(samples, Bounds::SHARE, 1.0 / seats as f64),
            false => 1.0,
        };
        Self {
            game: game.to_owned(),
            shares: samples.iter().map(|samples| Estimate::of_bounded(samples, Bounds::SHARE)).collect(),
            p_values: holm(&samples.iter().map(p_value).collect::<Vec<_>>()),
        }
    }

    /// Returns the share in wins of a seat without an advantage.
    pub fn fair(&self) -> f64 {
        1.0 / self.shares.len() as f64
    }

    /// Returns true if a seat wins significantly more or less often than the others. If no seat has an advantage, a report
    /// finds one in at most 5 % of all cups.
    pub fn differs(&self, seat: usize) -> bool {
        self.p_values[seat] < 1.0 - CONFIDENCE
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.shares.first().map_or(0, |share| share.samples)
    }
}

impl Endings {
    fn of(state: &State) -> Self {
        let mut endings = Self::default();
        for (_, result) in state.results() {
            endings.games += 1;
            endings.not_played += u64::from(result.match_id.is_none());
            endings.with_forfeit += u64::from(result.forfeits.iter().any(Option::is_some));
            for (name, forfeit) in result.agents.iter().zip(&result.forfeits) {
                if let (Ok(agent), Some(forfeit)) = (state.number(name), forfeit) {
                    *endings.forfeits.entry(agent).or_default().entry(*forfeit).or_default() += 1;
                }
            }
        }
        endings
    }
}

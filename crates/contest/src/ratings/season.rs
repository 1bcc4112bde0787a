//! The ratings of a season: one fit over all games of a ladder, with an effect of each seat.

use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::rating::NORMAL;
use super::results::Pairs;
use super::strengths::{ELO, Fit, PRIOR_DEVIATION, Side, Source, Visit, expected};
use crate::statistics::{CONFIDENCE, holm, normal_two_sided, student};

/// The number of the last games of an agent that are compared with its rating.
const FORM: usize = 100;
/// The number of games below which the form of an agent says nothing.
const LEAST_FORM: usize = 30;

/// The ranked games of a season, in the order in which they ended. A game takes three bytes a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeasonGames {
    seats: usize,
    /// The agent of each seat, game after game.
    agents: Vec<u16>,
    /// The rank of each seat, game after game.
    ranks: Vec<u8>,
}

impl SeasonGames {
    /// Creates the games of tables with this number of seats.
    pub fn new(seats: usize) -> Self {
        Self { seats, agents: Vec::new(), ranks: Vec::new() }
    }

    /// Adds a game: the agents and the ranks by seat. A smaller rank is better, and equal ranks tie.
    ///
    /// # Panics
    /// If there is no agent or rank for a seat, or an agent from 65,536 on.
    pub fn push(&mut self, agents: &[usize], ranks: &[u8]) {
        assert!(agents.len() == self.seats && ranks.len() == self.seats, "expected {} seats", self.seats);
        self.agents.extend(agents.iter().map(|&agent| u16::try_from(agent).expect("an agent below 65,536")));
        self.ranks.extend(ranks);
    }

    /// Returns the number of games.
    pub fn len(&self) -> usize {
        self.agents.len() / self.seats.max(1)
    }

    /// Returns true without games.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Returns the first games.
    #[must_use]
    pub fn first(&self, games: usize) -> Self {
        let count = (games * self.seats).min(self.agents.len());
        Self { seats: self.seats, agents: self.agents[..count].to_vec(), ranks: self.ranks[..count].to_vec() }
    }

    /// Returns the agents and the ranks of each game, by seat.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u16], &[u8])> {
        self.agents.chunks(self.seats.max(1)).zip(self.ranks.chunks(self.seats.max(1)))
    }
}

/// The ratings after the games of a season.
#[derive(Clone, Debug, Default)]
pub struct SeasonRatings {
    /// The rating of each agent, by number; None for an agent without a game.
    pub agents: Vec<Option<SeasonRating>>,
    /// The effect of each seat on a rating in Elo points, above the mean of all seats, with the half width of its interval.
    pub seats: Vec<(f64, f64)>,
    /// The parameters of the fit, from which the next one starts.
    start: Vec<f64>,
}

/// The rating of an agent after the games of a season.
#[derive(Clone, Debug, PartialEq)]
pub struct SeasonRating {
    /// The rating in Elo points. The mean of all agents that are not fixed is 0.
    pub elo: f64,
    /// Half the width of the interval of 95 % for the difference to the mean, in Elo points.
    pub margin: f64,
    /// The ranks that the agent may have among the ranked agents.
    pub ranks: RangeInclusive<usize>,
    /// True if it is one of the ranked agents.
    pub is_ranked: bool,
    /// The deviation of its last 100 games from the rating, in standard deviations; None for few games.
    pub form: Option<f64>,
}

/// The parameters of a fit: a strength of each agent that is not fixed, then an effect of each seat.
struct Model<'a> {
    games: &'a SeasonGames,
    /// The parameter of each agent; None if its rating is fixed.
    parameters: Vec<Option<usize>>,
    /// The strength of each agent whose rating is fixed.
    fixed: Vec<f64>,
    variables: usize,
}

impl Model<'_> {
    /// Returns the side of a seat with its agent.
    fn side(&self, seat: usize, agent: u16) -> Side {
        let (agent, mut side) = (usize::from(agent), Side::from(self.variables + seat));
        match self.parameters[agent] {
            Some(parameter) => side.push(parameter),
            None => side.known = self.fixed[agent],
        }
        side
    }

    /// Compares the last games of each agent with its rating.
    fn form(&self, strengths: &DVector<f64>) -> Vec<Option<f64>> {
        let mut sums = vec![(0, 0.0, 0.0); self.parameters.len()];
        for (agents, ranks) in self.games.iter().rev() {
            for (seat, &agent) in agents.iter().enumerate() {
                if sums[usize::from(agent)].0 == FORM {
                    continue;
                }
                let (games, surplus, variance) = &mut sums[usize::from(agent)];
                *games += 1;
                // The pairs of a game are not independent: their sum has the variance of a rank among the seats.
                let (mut own, strength) = ((0.0, 0.0), |seat: usize| self.side(seat, agents[seat]).strength(strengths));
                for opposite in (0..agents.len()).filter(|&opposite| opposite != seat) {
                    let share = expected(strength(seat) - strength(opposite));
                    own = (own.0 + won(ranks, seat, opposite) - share, own.1 + share * (1.0 - share));
                }
                *surplus += own.0;
                *variance += own.1 * (agents.len() + 1) as f64 / 3.0;
            }
        }
        let form =
            |(games, surplus, variance): (usize, f64, f64)| (games >= LEAST_FORM).then(|| surplus / variance.sqrt());
        sums.into_iter().map(form).collect()
    }
}

impl Source for Model<'_> {
    fn parameters(&self) -> usize {
        self.variables + self.games.seats
    }

    fn visit(&self, visit: Visit<'_>) {
        let (mut sides, mut pairs) = (Vec::new(), Vec::new());
        for (agents, ranks) in self.games.iter() {
            sides.clear();
            sides.extend(agents.iter().enumerate().map(|(seat, &agent)| self.side(seat, agent)));
            pairs.clear();
            for one in 0..agents.len() {
                pairs.extend((0..one).map(|other| Pairs { one, other, played: 1.0, won: won(ranks, one, other) }));
            }
            visit(1.0, &sides, &pairs);
        }
    }
}

/// Returns the pairs that a seat won against another: 1, 1/2, or 0.
fn won(ranks: &[u8], seat: usize, opposite: usize) -> f64 {
    match ranks[seat].cmp(&ranks[opposite]) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

impl SeasonRatings {
    /// Fits the model of Bradley and Terry to the pairs of all games: see `strengths.rs`. `fixed` has the rating in Elo points of
    /// each agent whose rating does not change any more, and `is_ranked` the agents that take ranks. The fit starts from
    /// `before`, which changes nothing but its time.
    ///
    /// The interval is the wider of two. One has the variance of the "sandwich" by game, which holds whatever the pairs of a game
    /// have in common, and the quantile of Student's t for as many games: the variance comes from the games of the agent, and few
    /// say little about it (Pan and Wall, "Small-sample adjustments in using the sandwich variance estimator in generalized
    /// estimating equations", Statistics in Medicine 21, 2002). The other has the inverse information and the normal quantile,
    /// since the sandwich is too narrow while few games vary. Neither is wider than that of the prior. The ranges of ranks follow
    /// from the differences to each other agent, corrected by Holm's method for each agent.
    ///
    /// With 1,000 agents and a million games of four seats the fit takes some 60 MB beside the games.
    pub fn of(games: &SeasonGames, fixed: &[Option<f64>], is_ranked: &[bool], before: &Self) -> Self {
        let agents = fixed.len();
        let mut played = vec![0u32; agents];
        games.agents.iter().for_each(|&agent| played[usize::from(agent)] += 1);
        let free: Vec<_> = (0..agents).filter(|&agent| fixed[agent].is_none() && played[agent] > 0).collect();
        let mut parameters = vec![None; agents];
        free.iter().enumerate().for_each(|(parameter, &agent)| parameters[agent] = Some(parameter));
        let strength = |elo: &Option<f64>| elo.unwrap_or(0.0) / ELO;
        let model = Model { games, parameters, fixed: fixed.iter().map(strength).collect(), variables: free.len() };
        let earlier = |agent: usize| before.agents.get(agent).and_then(Option::as_ref).map_or(0.0, |old| old.elo / ELO);
        let seats = before.start.iter().copied().chain(std::iter::repeat(0.0)).take(games.seats);
        let start =
            DVector::from_iterator(free.len() + games.seats, free.iter().map(|&agent| earlier(agent)).chain(seats));
        let fit = Fit::from(&model, start);
        let covariances = [fit.covariance(&model), fit.inverse.clone()];
        let form = model.form(&fit.strengths);
        // `games` returns the number of games of a parameter, by its place in the range.
        let margins = |range: Range<usize>, games: &dyn Fn(usize) -> usize| -> Vec<f64> {
            let [sandwich, inverse] = covariances.each_ref().map(|covariance| against_mean(covariance, range.clone()));
            let margin = |(place, (sandwich, inverse)): (usize, (f64, f64))| {
                let of_games = student(games(place).max(2) as f64 - 1.0) * sandwich.sqrt();
                of_games.max(NORMAL * inverse.sqrt()).min(NORMAL * PRIOR_DEVIATION) * ELO
            };
            sandwich.into_iter().zip(inverse).enumerate().map(margin).collect()
        };
        let of_agents = margins(0..free.len(), &|place| played[free[place]] as usize);
        let ranks = ranks(&fit.strengths, &covariances, &free, is_ranked);
        let mut rated = vec![None; agents];
        for (place, &agent) in free.iter().enumerate() {
            let (elo, form) = (fit.strengths[place] * ELO, form[agent]);
            let (margin, ranks) = (of_agents[place], ranks[place].clone());
            let is_ranked = is_ranked.get(agent) == Some(&true);
            rated[agent] = Some(SeasonRating { elo, margin, ranks, is_ranked, form });
        }
        for agent in (0..agents).filter(|&agent| fixed[agent].is_some() && played[agent] > 0) {
            let (elo, margin) = (fixed[agent].unwrap_or_default(), 0.0);
            rated[agent] = Some(SeasonRating { elo, margin, ranks: 1..=agents, is_ranked: false, form: None });
        }
        let effects: Vec<_> = fit.strengths.iter().skip(free.len()).copied().collect();
        let of_seats = margins(free.len()..free.len() + games.seats, &|_| games.len());
        let seats = effects.iter().map(|effect| effect * ELO).zip(of_seats).collect();
        Self { agents: rated, seats, start: effects }
    }
}

/// Returns the variance of each of these parameters less the mean of all of them.
fn against_mean(covariance: &DMatrix<f64>, range: Range<usize>) -> Vec<f64> {
    let block = covariance.view((range.start, range.start), (range.len(), range.len()));
    let (rows, mean) = (block.row_mean(), block.mean());
    (0..range.len()).map(|place| block[(place, place)] - 2.0 * rows[place] + mean).collect()
}

/// Returns the range of ranks of each agent among the ranked ones.
fn ranks(
    strengths: &DVector<f64>,
    covariances: &[DMatrix<f64>; 2],
    agents: &[usize],
    is_ranked: &[bool],
) -> Vec<RangeInclusive<usize>> {
    let ranked: Vec<_> = (0..agents.len()).filter(|&place| is_ranked.get(agents[place]) == Some(&true)).collect();
    let variance = |covariance: &DMatrix<f64>, one: usize, other: usize| {
        covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)]
    };
    let of = |place: usize| {
        let others: Vec<_> = ranked.iter().copied().filter(|&other| other != place).collect();
        let t = |&other: &usize| {
            let [sandwich, inverse] = covariances.each_ref().map(|covariance| variance(covariance, place, other));
            (strengths[place] - strengths[other]) / sandwich.max(inverse).sqrt()
        };
        let t: Vec<_> = others.iter().map(t).collect();
        let p_values = holm(&t.iter().map(|&t| normal_two_sided(t)).collect::<Vec<_>>());
        let differs =
            |sign: f64| t.iter().zip(&p_values).filter(|&(&t, &p)| sign * t > 0.0 && p < 1.0 - CONFIDENCE).count();
        1 + differs(-1.0)..=(others.len() + 1 - differs(1.0)).max(1)
    };
    (0..agents.len()).map(of).collect()
}

//! Strengths: the fit of the model of Bradley and Terry.

use nalgebra::{DMatrix, DVector};

use super::results::{BlockPairs, Pairs, Results};

/// The Elo points of one unit of strength: 400 / ln 10. A difference of 400 points means ten wins for each loss.
pub const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The standard deviation of the prior of a strength: 3 units, or 521 Elo points.
///
/// The prior is normal around 0 and the same for all agents. It holds the rating of an agent that won everything, and
/// those of groups that never met, where the likelihood alone has no maximum. It is weak: it weighs as much as 0.44
/// pairs between equals (the information of a pair is 1/4 at most, that of the prior 1/9), so that 100 pairs of an agent
/// move it by less than a hundredth.
pub const PRIOR_DEVIATION: f64 = 3.0;

/// The information of the prior about one strength.
const PRIOR: f64 = 1.0 / (PRIOR_DEVIATION * PRIOR_DEVIATION);

/// The greatest number of Newton's steps. Five are common.
const MAX_STEPS: usize = 100;

/// The step at which a fit has converged, in units of strength: the error after it is about its square.
const CONVERGED: f64 = 1e-6;

/// The step above which a step is halved until it leads upwards: shorter steps of Newton's always do.
const LONG_STEP: f64 = 0.5;

/// A side of pairs. Its strength is the sum of its parameters, which no other side of a block has, and of a part that is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    /// The parameters; those from `count` on are none.
    parameters: [usize; 2],
    count: usize,
    pub(super) known: f64,
}

impl Side {
    /// Adds a parameter.
    pub(super) fn push(&mut self, parameter: usize) {
        self.parameters[self.count] = parameter;
        self.count += 1;
    }

    fn parameters(&self) -> &[usize] {
        &self.parameters[..self.count]
    }

    /// Returns the strength with these parameters.
    pub(super) fn strength(&self, values: &DVector<f64>) -> f64 {
        self.parameters().iter().fold(self.known, |sum, &parameter| sum + values[parameter])
    }
}

impl From<usize> for Side {
    fn from(parameter: usize) -> Self {
        Self { parameters: [parameter, 0], count: 1, known: 0.0 }
    }
}

/// A function that gets the number of times that a block counts, its sides, and its pairs, which name sides by their places.
pub(super) type Visit<'a> = &'a mut dyn FnMut(f64, &[Side], &[Pairs]);

/// Results as pairs, by blocks.
pub(super) trait Source {
    /// The number of parameters.
    fn parameters(&self) -> usize;

    /// Calls `visit` with each block.
    fn visit(&self, visit: Visit<'_>);
}

/// The blocks of a cup, each with the number of times that it counts.
pub(super) struct Counted<'a>(pub(super) &'a Results, pub(super) &'a [f64]);

impl Source for Counted<'_> {
    fn parameters(&self) -> usize {
        self.0.agents()
    }

    fn visit(&self, visit: Visit<'_>) {
        let (mut sides, mut pairs) = (Vec::new(), Vec::new());
        for (block, &count) in self.0.iter().zip(self.1).filter(|&(_, &count)| count > 0.0) {
            let place = |agent: usize| block.agents.binary_search(&agent).expect("it is at the table");
            sides.clear();
            sides.extend(block.agents.iter().copied().map(Side::from));
            pairs.clear();
            pairs.extend(block.pairs.iter().map(|pairs| Pairs {
                one: place(pairs.one),
                other: place(pairs.other),
                ..*pairs
            }));
            visit(count, &sides, &pairs);
        }
    }
}

/// The pairs of each two agents over many blocks, as one block.
struct Totals {
    sides: Vec<Side>,
    pairs: Vec<Pairs>,
}

impl Totals {
    /// Adds up blocks that count several times.
    fn of<'a>(agents: usize, blocks: impl Iterator<Item = (&'a BlockPairs, f64)>) -> Self {
        let mut sums = vec![(0.0, 0.0); agents * agents];
        for (block, count) in blocks {
            for pairs in &block.pairs {
                let sum = &mut sums[pairs.one * agents + pairs.other];
                *sum = (sum.0 + count * pairs.played, sum.1 + count * pairs.won);
            }
        }
        let met = sums.into_iter().enumerate().filter(|(_, (played, _))| *played > 0.0);
        let pairs = met.map(|(index, (played, won))| Pairs { one: index / agents, other: index % agents, played, won });
        Self { sides: (0..agents).map(Side::from).collect(), pairs: pairs.collect() }
    }
}

impl Source for Totals {
    fn parameters(&self) -> usize {
        self.sides.len()
    }

    fn visit(&self, visit: Visit<'_>) {
        visit(1.0, &self.sides, &self.pairs);
    }
}

/// The derivatives of a block by the strengths of its sides.
#[derive(Default)]
struct Derivatives {
    strengths: Vec<f64>,
    /// The pairs that each side won beyond the number that the strengths predict.
    surplus: Vec<f64>,
    /// The information about each two sides, row by row.
    information: Vec<f64>,
}

impl Derivatives {
    /// Computes the derivatives of a block.
    fn compute(&mut self, sides: &[Side], pairs: &[Pairs], values: &DVector<f64>) {
        let count = sides.len();
        self.strengths.clear();
        self.strengths.extend(sides.iter().map(|side| side.strength(values)));
        for (sums, length) in [(&mut self.surplus, count), (&mut self.information, count * count)] {
            sums.clear();
            sums.resize(length, 0.0);
        }
        for &Pairs { one, other, played, won } in pairs {
            let share = expected(self.strengths[one] - self.strengths[other]);
            let (surplus, weight) = (won - played * share, played * share * (1.0 - share));
            self.surplus[one] += surplus;
            self.surplus[other] -= surplus;
            self.information[one * count + one] += weight;
            self.information[other * count + other] += weight;
            self.information[one.max(other) * count + one.min(other)] -= weight;
        }
    }
}

/// Adds a value for each two sides of a block to each two of their parameters, in the lower triangle of a symmetric matrix.
/// `value` gets the places of two sides, the later one first.
fn add(matrix: &mut DMatrix<f64>, sides: &[Side], value: impl Fn(usize, usize) -> f64) {
    for (place, side) in sides.iter().enumerate() {
        for (other_place, other) in sides[..=place].iter().enumerate() {
            let value = value(place, other_place);
            for (index, &one) in side.parameters().iter().enumerate() {
                // Two parameters of a side meet once.
                let others = if place == other_place { &side.parameters()[..=index] } else { other.parameters() };
                for &other in others {
                    matrix[(one.max(other), one.min(other))] += value;
                }
            }
        }
    }
}

/// Returns the logarithm of the posterior of these parameters, but for a constant.
fn log_posterior(source: &impl Source, values: &DVector<f64>) -> f64 {
    let log_share = |difference: f64| -(-difference).exp().ln_1p();
    let mut sum = -PRIOR / 2.0 * values.norm_squared();
    source.visit(&mut |count, sides, pairs| {
        for &Pairs { one, other, played, won } in pairs {
            let difference = sides[one].strength(values) - sides[other].strength(values);
            // The logarithm of the share of the other side is less by the difference.
            sum += count * (played * log_share(difference) - (played - won) * difference);
        }
    });
    sum
}

/// The strengths of agents that are most likely after the results (maximum a posteriori), and the inverse of the
/// information about them.
///
/// The model: the first agent wins a pair with the probability 1 / (1 + exp(s2 - s1)); a tie is half a win for each.
/// If whole rankings follow the model of Plackett and Luce, pairs of seats follow this one with the same strengths. The
/// pairs of a game are not independent, so that only the estimate uses the likelihood: its spread comes from blocks.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) strengths: DVector<f64>,
    /// The inverse of the information of results and prior.
    pub(super) inverse: DMatrix<f64>,
}

/// Returns the probability that the stronger by `difference` wins.
pub(super) fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

impl Fit {
    /// Fits all blocks of a cup.
    pub(super) fn of(results: &Results) -> Self {
        let totals = Totals::of(results.agents(), results.iter().map(|block| (block, 1.0)));
        Self::from(&totals, DVector::zeros(results.agents()))
    }

    /// Fits blocks that count several times. The fit starts from the fit of all blocks.
    pub(super) fn of_replicate(&self, results: &Results, counts: &[f64]) -> Self {
        let blocks = results.iter().zip(counts.iter().copied()).filter(|&(_, count)| count > 0.0);
        Self::from(&Totals::of(results.agents(), blocks), self.strengths.clone())
    }

    /// Finds the maximum with Newton's method from these values on. The logarithm of the posterior is strictly concave, because
    /// the prior is.
    pub(super) fn from(source: &impl Source, mut values: DVector<f64>) -> Self {
        let parameters = source.parameters();
        let (mut steps, mut block) = (0, Derivatives::default());
        loop {
            let mut gradient = &values * -PRIOR;
            let mut information = DMatrix::from_diagonal_element(parameters, parameters, PRIOR);
            source.visit(&mut |count, sides, pairs| {
                block.compute(sides, pairs, &values);
                for (side, surplus) in sides.iter().zip(&block.surplus) {
                    side.parameters().iter().for_each(|&parameter| gradient[parameter] += count * surplus);
                }
                // Cholesky reads the lower triangle.
                add(&mut information, sides, |one, other| count * block.information[one * sides.len() + other]);
            });
            let decomposed = information.cholesky().expect("the prior makes the information positive");
            let mut step = decomposed.solve(&gradient);
            let length = step.amax();
            if length > LONG_STEP {
                let before = log_posterior(source, &values);
                while log_posterior(source, &(&values + &step)) < before {
                    step /= 2.0;
                }
            }
            values += step;
            steps += 1;
            if length < CONVERGED || steps == MAX_STEPS {
                return Self { strengths: values, inverse: decomposed.inverse() };
            }
        }
    }

    /// Returns the covariance of the strengths: the "sandwich" of the inverse information around the covariance of
    /// the blocks' gradients, which holds whatever the games of a block have in common (Liang and Zeger, "Longitudinal
    /// data analysis using generalized linear models", Biometrika 73, 1986).
    ///
    /// The prior has a part in the middle: the information that pairs at the maximum have if nothing but the prior holds
    /// it. Without it the variance would be almost 0 for an agent that won everything, since all its blocks are equal.
    pub(super) fn covariance(&self, source: &impl Source) -> DMatrix<f64> {
        let mut middle = DMatrix::from_diagonal(&self.strengths.map(|strength| PRIOR * (1.0 + strength.abs())));
        let mut block = Derivatives::default();
        source.visit(&mut |count, sides, pairs| {
            block.compute(sides, pairs, &self.strengths);
            add(&mut middle, sides, |one, other| count * block.surplus[one] * block.surplus[other]);
        });
        middle.fill_upper_triangle_with_lower_triangle();
        &self.inverse * middle * &self.inverse
    }

    /// Returns the pairs that each agent at the table of a block won beyond the number that the strengths predict.
    pub(super) fn gradient(&self, block: &BlockPairs) -> Vec<f64> {
        let mut gradient = vec![0.0; block.agents.len()];
        let place = |agent| block.agents.iter().position(|&other| other == agent).expect("it is at the table");
        for &Pairs { one, other, played, won } in &block.pairs {
            let surplus = won - played * expected(self.strengths[one] - self.strengths[other]);
            gradient[place(one)] += surplus;
            gradient[place(other)] -= surplus;
        }
        gradient
    }
}

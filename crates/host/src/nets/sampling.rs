//! Draws of actions by temperature.
//!
//! The probabilities are functions of exact scores, computed with additions, multiplications, and divisions of doubles
//! alone, which every platform rounds alike. So a rollout is the same everywhere.

use ahu_core::{ActionId, ActionSet};
use rand::Rng;

use super::forward::{Net, NetRoom, real};

/// The temperature of a policy: the divisor of scores. 0 takes the best action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature(f64);

impl Temperature {
    /// Creates a temperature from 0 to 1,000; None for another number.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1000.0).contains(&value).then_some(Self(value))
    }
}

/// An action that was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The action.
    pub id: ActionId,
    /// The natural logarithm of its probability.
    pub log_probability: f32,
}

impl Net {
    /// Draws an action by the softmax of its score divided by the temperature. `weights` is memory that may be used again.
    ///
    /// # Panics
    /// If no action is legal.
    pub(crate) fn draw(
        &self,
        legal: &ActionSet,
        Temperature(temperature): Temperature,
        room: &NetRoom,
        weights: &mut Vec<(ActionId, f64)>,
        rng: &mut impl Rng,
    ) -> Draw {
        if temperature == 0.0 || legal.len() == 1 {
            return Draw { id: self.best(legal, room), log_probability: 0.0 };
        }
        weights.clear();
        weights.extend(legal.iter().map(|id| (id, real(self.score(id, room)) / temperature)));
        let highest = weights.iter().map(|&(_, score)| score).fold(f64::MIN, f64::max);
        let mut total = 0.0;
        for (_, score) in weights.iter_mut() {
            *score = exp(*score - highest);
            total += *score;
        }
        // A number from 0 to below the total, of 53 random bits.
        let mut left = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        let is_chosen = |&&(_, weight): &&(ActionId, f64)| {
            left -= weight;
            left < 0.0
        };
        // Rounding may leave a rest behind the last action that can be drawn.
        let last = || weights.iter().rev().find(|&&(_, weight)| weight > 0.0);
        let &(id, weight) = weights.iter().find(is_chosen).or_else(last).expect("the best action has the weight 1");
        Draw { id, log_probability: ln(weight / total) as f32 }
    }
}

/// Returns e to the power of `x`, which is not above 0; 0 below -60.
fn exp(x: f64) -> f64 {
    if x < -60.0 {
        return 0.0;
    }
    // Below 2^-6 the series of eight terms is exact to 2^-68.
    let (mut power, mut term, part) = (1.0, 1.0, x / 4096.0);
    for n in 1..8 {
        term *= part / f64::from(n);
        power += term;
    }
    (0..12).fold(power, |power, _| power * power)
}

/// Returns the natural logarithm of `x`, which is a probability above 0.
fn ln(x: f64) -> f64 {
    // x = m · 2^-halvings with m from 0.75 to 1.5.
    let (mut mantissa, mut halvings) = (x, 0);
    while mantissa < 0.75 {
        mantissa *= 2.0;
        halvings += 1;
    }
    // ln m = 2 (t + t^3 / 3 + t^5 / 5 + …) with t at most 1/5.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut sum, mut power) = (0.0, t);
    for n in 0..12 {
        sum += power / f64::from(2 * n + 1);
        power *= t * t;
    }
    2.0 * sum - f64::from(halvings) * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_logarithms_agree_with_those_of_the_platform() {
        for n in 0..6000 {
            let x = -f64::from(n) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-11, "exp {x}");
            let p = x.exp().max(1e-26);
            assert!((ln(p) - p.ln()).abs() < 1e-12 * (1.0 - p.ln()), "ln {p}");
        }
        assert_eq!((exp(0.0), exp(-61.0), ln(1.0)), (1.0, 0.0, 0.0));
    }
}

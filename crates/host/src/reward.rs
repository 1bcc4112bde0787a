//! Reward rules: the value of a finished game to each seat, as one number.
//!
//! Rewards come at the end, except with `margin_gain`, which pays the change of a seat's margin as its own view shows it. So
//! a reward tells nothing that the observation does not. Sums are kept as whole numbers, so that they have no error. The
//! final steps of a batch have the last observation, return, and rank of every external seat in all autoreset modes: a
//! trainer of several seats needs them wherever it learns.

use ahu_core::named;
use ahu_core::{BySeat, Seat};

named! {
    /// A rule that turns scores and ranks into returns.
    #[derive(Default)]
    pub enum RewardRule("reward rule") {
        /// By rank: +1 for the first place, -1 for the last, evenly spaced between. Tied seats share the mean of their
        /// places. Zero-sum. This is the default.
        #[default]
        Rank = "rank",
        /// The points above the mean of the other seats' points. Zero-sum.
        Margin = "margin",
        /// The points, unchanged.
        Points = "points",
        /// The return of `Margin`, paid as the game goes on: with each decision of a seat, the change of its margin since
        /// its last one, as its shown view counts it; with the end, the remainder. Environments alone pay rewards before
        /// the end.
        MarginGain = "margin_gain",
    }
}

impl RewardRule {
    /// Returns a description of the rule for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Rank => {
                "+1 for the first place, -1 for the last, evenly spaced between; ties share the mean; zero-sum"
            }
            Self::Margin => "points above the mean of the others' points; zero-sum",
            Self::Points => "points, unchanged",
            Self::MarginGain => {
                "the change of the own margin since the own last decision, as the seat is shown it, and the remainder \
                 with the end; sums to `margin`"
            }
        }
    }

    /// Returns the change of the margin of `seat` by these scores since the last call for it, which `paid` holds as a
    /// whole number: the margin times the number of the other seats, 0 at first. So the changes of a game sum to its
    /// margin without an error that grows; each alone is rounded once.
    pub(super) fn gain(scores: &BySeat<i32>, seat: Seat, paid: &mut BySeat<i32>) -> f32 {
        let others = scores.seats().count() - 1;
        let now = margin(scores, seat);
        let gain = now - std::mem::replace(&mut paid[seat], now);
        if others == 0 { 0.0 } else { gain as f32 / others as f32 }
    }

    /// Returns the sum of the changes for `seat` so far.
    pub(super) fn paid(seat: Seat, paid: &BySeat<i32>) -> f32 {
        let others = paid.seats().count() - 1;
        if others == 0 { 0.0 } else { paid[seat] as f32 / others as f32 }
    }

    /// Returns the return of each seat.
    ///
    /// With n seats, a seat alone on place p gets (n + 1 - 2p) / (n - 1). If k seats share place p, they take up the
    /// places p to p + k - 1, and each gets the mean (n + 2 - 2p - k) / (n - 1).
    pub fn returns(self, scores: &BySeat<i32>, ranks: &BySeat<u8>) -> BySeat<f32> {
        let seats = scores.seats();
        let count = seats.count() as f32;
        BySeat::from_fn(seats, |seat| match self {
            Self::Points => scores[seat] as f32,
            _ if count < 2.0 => 0.0,
            Self::Margin | Self::MarginGain => margin(scores, seat) as f32 / (count - 1.0),
            Self::Rank => {
                let shared = ranks.iter().filter(|&(_, rank)| rank == ranks[seat]).count() as f32;
                (count + 2.0 - 2.0 * f32::from(ranks[seat]) - shared) / (count - 1.0)
            }
        })
    }
}

/// Returns the margin of `seat` times the number of the other seats, which is a whole number.
fn margin(scores: &BySeat<i32>, seat: Seat) -> i32 {
    scores[seat] * scores.seats().count() as i32 - scores.values().iter().sum::<i32>()
}

#[cfg(test)]
mod tests {
    use ahu_core::{Seats, ranks_by};

    use super::*;

    fn returns(rule: RewardRule, points: &[i32]) -> Vec<f32> {
        let seats = Seats::new(points.len()).expect("a table");
        let scores = BySeat::from_fn(seats, |seat| points[seat.index()]);
        rule.returns(&scores, &ranks_by(&scores)).values().to_vec()
    }

    #[test]
    fn rank_runs_from_plus_one_to_minus_one() {
        assert_eq!(returns(RewardRule::Rank, &[5, 9]), [-1.0, 1.0]);
        assert_eq!(returns(RewardRule::Rank, &[5, 9, 7]), [-1.0, 1.0, 0.0]);
        assert_eq!(returns(RewardRule::Rank, &[4, 3, 2, 1, 0]), [1.0, 0.5, 0.0, -0.5, -1.0]);
    }

    #[test]
    fn who_ties_shares_the_mean_of_the_places() {
        assert_eq!(returns(RewardRule::Rank, &[7, 7]), [0.0, 0.0]);
        assert_eq!(returns(RewardRule::Rank, &[9, 9, 1]), [0.5, 0.5, -1.0]);
        assert_eq!(returns(RewardRule::Rank, &[9, 1, 1]), [1.0, -0.5, -0.5]);
    }

    #[test]
    fn rank_and_margin_are_zero_sum_at_every_seat_count() {
        for points in [&[3, 8][..], &[3, 8, 8], &[0, 0, 5, 9], &[1, 1, 1, 7, 2], &[6, 6, 2, 2, 9, 9]] {
            for rule in [RewardRule::Rank, RewardRule::Margin] {
                let sum: f32 = returns(rule, points).iter().sum();
                assert!(sum.abs() < 1e-5, "{rule} of {points:?} sums to {sum}");
            }
        }
    }

    #[test]
    fn gains_sum_to_the_margin_at_every_seat_count() {
        for points in [&[3, 8][..], &[3, 8, 8], &[0, 0, 5, 9], &[1, 1, 1, 7, 2], &[6, 6, 2, 2, 9, 10]] {
            let seats = Seats::new(points.len()).expect("a table");
            let mut paid = BySeat::new(seats, 0);
            let mut sums = BySeat::new(seats, 0.0);
            // The scores on the way may be anything: each seat is paid by the scores that it is shown.
            for turn in 0..20 {
                let shown = BySeat::from_fn(seats, |seat| ((turn * 7 + seat.index() * 5) % 11) as i32);
                let seat = seats.iter().nth(turn % points.len()).expect("a seat");
                sums[seat] += RewardRule::gain(&shown, seat, &mut paid);
            }
            let scores = BySeat::from_fn(seats, |seat| points[seat.index()]);
            for seat in seats.iter() {
                sums[seat] += RewardRule::gain(&scores, seat, &mut paid);
            }
            let margins = returns(RewardRule::Margin, points);
            for (sum, margin) in sums.values().iter().zip(&margins) {
                assert!((sum - margin).abs() < 1e-5, "{sum} is not {margin}");
            }
            assert_eq!(returns(RewardRule::MarginGain, points), margins);
        }
    }

    #[test]
    fn margin_is_above_the_mean_of_the_others_and_points_are_raw() {
        assert_eq!(returns(RewardRule::Margin, &[10, 4, 6]), [5.0, -4.0, -1.0]);
        assert_eq!(returns(RewardRule::Points, &[10, 4, 6]), [10.0, 4.0, 6.0]);
    }
}

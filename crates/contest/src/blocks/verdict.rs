//! The verdict of a comparison, in sentences.

use super::table::Table;
use crate::statistics::{self, Estimate, Sprt};

/// The number of blocks below which no verdict is given: the intervals are not calibrated for fewer.
pub const MIN_BLOCKS: u64 = 10;

/// The comparison of two players by the share of pairs that the first won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairVerdict {
    /// There are fewer than [`MIN_BLOCKS`].
    TooFewBlocks,
    /// The interval lies above a half: the first player is better.
    Better,
    /// The interval lies below a half: the second player is better.
    Worse,
    /// The interval holds a half.
    NotShown,
}

impl Table {
    /// Compares a player with another; None for a player and itself. Each of several comparisons errs in 5 % of all
    /// cases by itself.
    pub fn compare(&self, player: usize, other: usize) -> Option<PairVerdict> {
        let share = self.pairs[player][other]?;
        Some(match share {
            _ if self.blocks < MIN_BLOCKS => PairVerdict::TooFewBlocks,
            Estimate { low, .. } if low > 0.5 => PairVerdict::Better,
            Estimate { high, .. } if high < 0.5 => PairVerdict::Worse,
            _ => PairVerdict::NotShown,
        })
    }

    /// Returns the verdict as sentences: first the verdict of the test, if there was one, then a sentence for each pair of
    /// players.
    ///
    /// # Panics
    /// If there are fewer names than players.
    pub fn verdict(&self, names: &[&str]) -> Vec<String> {
        let players = self.players.len();
        assert!(names.len() >= players, "expected {players} names, got {}", names.len());
        let test = self.sprt.iter().map(|sprt| of_test(sprt, names));
        let pairs = (0..players).flat_map(|player| (player + 1..players).map(move |other| (player, other)));
        test.chain(pairs.filter_map(|(player, other)| self.of_pair(player, other, names))).collect()
    }

    fn of_pair(&self, player: usize, other: usize, names: &[&str]) -> Option<String> {
        let (one, two) = (names[player], names[other]);
        let wins = |first: &str, second: &str, share: Estimate| {
            let [mean, low, high] = [share.mean, share.low, share.high].map(|share| 100.0 * share);
            let biased = match self.sprt.as_ref().and_then(Sprt::verdict) {
                Some(_) => ", biased by the stop of the test",
                None => "",
            };
            format!(
                "{first} wins {mean:.1} % of its pairs with {second} (95 % interval {low:.1} to {high:.1} %{biased})"
            )
        };
        let share = |player: usize, other: usize| self.pairs[player][other];
        Some(match self.compare(player, other)? {
            PairVerdict::TooFewBlocks => {
                format!("No verdict on {one} and {two}: expected at least {MIN_BLOCKS} blocks, got {}.", self.blocks)
            }
            PairVerdict::Better => format!("{one} is better than {two}: {}.", wins(one, two, share(player, other)?)),
            PairVerdict::Worse => format!("{two} is better than {one}: {}.", wins(two, one, share(other, player)?)),
            PairVerdict::NotShown => {
                format!("No difference between {one} and {two} is shown: {}.", wins(one, two, share(player, other)?))
            }
        })
    }
}

fn of_test(sprt: &Sprt, names: &[&str]) -> String {
    let (mu0, mu1) = sprt.hypotheses().differences();
    let [share0, share1] = [mu0, mu1].map(|mu| 100.0 * (0.5 + mu));
    let (name, blocks, ratio) = (names[0], sprt.blocks(), sprt.ratio());
    match sprt.verdict() {
        Some(statistics::Verdict::H1) => format!(
            "The test accepts H1 after {blocks} blocks (LLR {ratio:.2}): {name} wins {share1:.1} % of its pairs or more, \
             rather than {share0:.1} %."
        ),
        Some(statistics::Verdict::H0) => format!(
            "The test accepts H0 after {blocks} blocks (LLR {ratio:.2}): {name} wins {share0:.1} % of its pairs or fewer, \
             rather than {share1:.1} %."
        ),
        Some(statistics::Verdict::Inconclusive) => {
            format!("The test is inconclusive after the maximum of {blocks} blocks (LLR {ratio:.2}).")
        }
        None => format!("The test has not ended after {blocks} blocks (LLR {ratio:.2})."),
    }
}

//! Lists of everything that a draw can yield, with probabilities.

/// The most outcomes of a chance event that are listed.
pub const MOST: usize = 4096;

/// Returns each sequence of `count` kinds that are drawn one after the other from a pile, which has this number of pieces of each
/// kind, with its probability; None if there are more than [`MOST`].
pub fn sequences(pile: &[u8], count: usize) -> Option<Vec<(Vec<usize>, f64)>> {
    let mut drawn = vec![(Vec::new(), 1.0)];
    for _ in 0..count {
        let mut longer = Vec::new();
        for (sequence, probability) in &drawn {
            let left = |kind: usize| f64::from(pile[kind]) - sequence.iter().filter(|&&one| one == kind).count() as f64;
            let total: f64 = (0..pile.len()).map(left).sum();
            for kind in (0..pile.len()).filter(|&kind| left(kind) > 0.0) {
                longer.push(([sequence.as_slice(), &[kind]].concat(), probability * left(kind) / total));
            }
            if longer.len() > MOST {
                return None;
            }
        }
        drawn = longer;
    }
    Some(drawn)
}

/// Returns each set of `count` of `n` things, as rising indices; None if there are more than [`MOST`].
pub fn subsets(n: usize, count: usize) -> Option<Vec<Vec<usize>>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..count {
        let mut larger = Vec::new();
        for set in &sets {
            let next = set.last().map_or(0, |last| last + 1);
            larger.extend((next..n).map(|index| [set.as_slice(), &[index]].concat()));
            if larger.len() > MOST {
                return None;
            }
        }
        sets = larger;
    }
    Some(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_as_likely_as_its_draws() {
        let drawn = sequences(&[2, 0, 1], 2).expect("there are few");
        let expected = [(vec![0, 0], 1.0 / 3.0), (vec![0, 2], 1.0 / 3.0), (vec![2, 0], 1.0 / 3.0)];
        assert_eq!(drawn.len(), expected.len());
        for ((sequence, probability), (own, likely)) in drawn.iter().zip(&expected) {
            assert_eq!(sequence, own);
            assert!((probability - likely).abs() < 1e-12);
        }
        assert_eq!(sequences(&[9; 9], 5), None);
        assert_eq!(sequences(&[1; 4], 4).map(|orders| orders.len()), Some(24));
    }

    #[test]
    fn a_subset_has_each_thing_once() {
        assert_eq!(subsets(3, 2), Some(vec![vec![0, 1], vec![0, 2], vec![1, 2]]));
        assert_eq!(subsets(2, 0), Some(vec![vec![]]));
        assert_eq!(subsets(120, 2), None);
    }
}

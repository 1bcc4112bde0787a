//! Actions: one decision of one seat, its stable id, and sets of ids.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::core::ParseError;

/// The most action ids that a game may have.
pub const ACTIONS_MAX: usize = 1024;

const WORDS: usize = ACTIONS_MAX / 64;

/// The number of an action: the same in every position, with every option, at every seat count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u16);

impl ActionId {
    /// Its number, for arrays.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One decision of one seat.
///
/// `Display` and `FromStr` are the game's action grammar, and each reads what the other writes. An
/// opponent in an action is the k-th seat to the left (`raid +2`), so that an action means the same
/// to whoever takes it.
pub trait Action:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = ParseError> + Send + Sync + 'static
{
    /// How many actions there are: ids run from 0 to `COUNT` - 1, at most [`ACTIONS_MAX`].
    const COUNT: usize;
    /// What the ids stand for, in runs from 0 to `COUNT` - 1 that leave none out.
    const GROUPS: &'static [ActionGroup];

    /// Its id.
    fn id(self) -> ActionId;

    /// The action of this id, if there is one.
    fn from_id(id: ActionId) -> Option<Self>;
}

/// A run of action ids that are spelled alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionGroup {
    /// How its actions are written: words as they stand, `<>` around what varies.
    pub pattern: &'static str,
    /// How many ids it has.
    pub count: usize,
    /// What its actions do, and how its ids run.
    pub meaning: &'static str,
}

/// A set of actions by id, such as the legal ones: a bit an id. List, mask, legality and n-th
/// choice are views of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ActionSet {
    words: [u64; WORDS],
    /// How many ids the game has; the words behind them stay zero.
    ids: usize,
}

impl ActionSet {
    /// The empty set over the ids of `A`.
    pub const fn of<A: Action>() -> Self {
        const { assert!(A::COUNT <= ACTIONS_MAX, "a game has at most 1,024 action ids") };
        Self::with_ids(A::COUNT)
    }

    /// The empty set over the ids 0 to `count` - 1.
    ///
    /// # Panics
    /// Where `count` is above [`ACTIONS_MAX`].
    pub const fn with_ids(count: usize) -> Self {
        assert!(count <= ACTIONS_MAX, "a game has at most 1,024 action ids");
        Self { words: [0; WORDS], ids: count }
    }

    /// Takes everything out.
    #[inline]
    pub fn clear(&mut self) {
        self.words = [0; WORDS];
    }

    /// Puts an action in.
    #[inline]
    pub fn insert<A: Action>(&mut self, action: A) {
        let id = action.id().index();
        debug_assert!(id < self.ids, "id {id} of {}", self.ids);
        self.words[id / 64] |= 1 << (id % 64);
    }

    /// Puts in, for every bit `i` that is set in `bits`, the action of id `first` + `i`.
    #[inline]
    pub fn insert_bits(&mut self, first: ActionId, bits: u64) {
        debug_assert!(first.index() + 64 - (bits.leading_zeros() as usize) <= self.ids, "{first} and {bits:b}");
        let (word, shift) = (first.index() / 64, first.index() % 64);
        self.words[word] |= bits << shift;
        if shift != 0 && bits >> (64 - shift) != 0 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
    }

    /// Whether this id is in it. An id that no action has is not.
    #[inline]
    pub fn contains(&self, id: ActionId) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// How many actions are in it.
    #[inline]
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// The action in place `n`, in rising id, counted from 0.
    #[inline]
    pub fn nth(&self, mut n: usize) -> Option<ActionId> {
        for (place, &word) in self.words().iter().enumerate() {
            let count = word.count_ones() as usize;
            if n < count {
                let mut rest = word;
                for _ in 0..n {
                    rest &= rest - 1;
                }
                return Some(ActionId((place * 64) as u16 + rest.trailing_zeros() as u16));
            }
            n -= count;
        }
        None
    }

    /// The ids in it, rising.
    pub fn iter(&self) -> impl Iterator<Item = ActionId> {
        self.words().iter().enumerate().flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as u16)?;
                rest &= rest - 1;
                Some(ActionId((place * 64) as u16 + bit))
            })
        })
    }

    /// The actions in it, in rising id.
    pub fn actions<A: Action>(&self) -> impl Iterator<Item = A> {
        self.iter().filter_map(A::from_id)
    }

    /// The mask: bit `i` of word `w` tells of id 64·w + i. As many words as the ids need.
    pub fn words(&self) -> &[u64] {
        &self.words[..self.ids.div_ceil(64)]
    }

    /// The ids as runs of neighbours: `0-3,9,12-15`. For messages.
    pub fn ranges(&self) -> String {
        let mut ranges: Vec<(ActionId, ActionId)> = Vec::new();
        for id in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if last.0 + 1 == id.0 => *last = id,
                _ => ranges.push((id, id)),
            }
        }
        let range = |(first, last): (ActionId, ActionId)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        ranges.into_iter().map(range).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Debug for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|id| id.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_mask_count_and_nth_tell_the_same_set() {
        let mut set = ActionSet::with_ids(183);
        set.insert_bits(ActionId(60), 0b1001_0001);
        set.insert_bits(ActionId(120), 0b11 | (1 << 62));

        let ids: Vec<u16> = set.iter().map(|id| id.0).collect();
        assert_eq!(ids, [60, 64, 67, 120, 121, 182]);
        assert_eq!(set.len(), 6);
        assert_eq!(set.words().len(), 3);
        for (n, &id) in ids.iter().enumerate() {
            assert_eq!(set.nth(n), Some(ActionId(id)));
            assert!(set.contains(ActionId(id)));
        }
        assert_eq!(set.nth(6), None);
        assert!(!set.contains(ActionId(61)) && !set.contains(ActionId(u16::MAX)));
        assert_eq!(set.ranges(), "60,64,67,120-121,182");
    }
}

//! Actions: one decision of one seat, its stable id, and sets of ids.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::parts::lines::ranges;
use crate::{ArgumentSpec, ParseError};

/// The largest number of action ids that a game may have.
pub const MAX_ACTIONS: usize = 1024;

const WORDS: usize = MAX_ACTIONS / 64;

/// The number of an action: the same in every position, with every option, at every seat count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u16);

impl ActionId {
    /// Returns the id as an array index.
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
/// `Display` and `FromStr` are the game's action grammar, and each reads what the other writes. An action names an
/// opponent as the k-th seat to the left (`raid +2`), so that it means the same at every seat.
pub trait Action:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = ParseError> + Send + Sync + 'static
{
    /// The number of actions. Ids run from 0 to `COUNT` - 1, and `COUNT` is at most [`MAX_ACTIONS`].
    const COUNT: usize;
    /// The groups of the ids: runs that cover 0 to `COUNT` - 1 without a gap.
    const GROUPS: &'static [ActionGroup];

    /// Returns the id of the action.
    fn id(self) -> ActionId;

    /// Returns the action with this id; None if there is none.
    fn from_id(id: ActionId) -> Option<Self>;
}

/// A run of action ids with the same text pattern.
#[derive(Clone, Copy, Debug)]
pub struct ActionGroup {
    /// The text pattern of the actions: words as they are, `<>` around the parts that vary.
    pub pattern: &'static str,
    /// The number of ids in the group.
    pub count: usize,
    /// The effect of the actions, and the order of their ids.
    pub meaning: &'static str,
    /// The action as a sentence for the person who may take it, with `<>` as in the pattern; empty if the pattern is one.
    pub says: &'static str,
    /// The arguments, in the order of the ids: the last one runs fastest.
    pub arguments: &'static [ArgumentSpec],
}

/// A set of actions by id, such as the legal ones, with one bit for each id. List, mask, legality, and n-th choice
/// are views of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ActionSet {
    words: [u64; WORDS],
    /// The number of ids of the game; the words beyond them stay zero.
    ids: usize,
}

impl ActionSet {
    /// Creates the empty set over the ids of `A`.
    pub const fn of<A: Action>() -> Self {
        const { assert!(A::COUNT <= MAX_ACTIONS, "a game has at most 1,024 action ids") };
        Self::with_ids(A::COUNT)
    }

    /// Creates the empty set over the ids 0 to `count` - 1.
    ///
    /// # Panics
    /// If `count` is above [`MAX_ACTIONS`].
    pub const fn with_ids(count: usize) -> Self {
        assert!(count <= MAX_ACTIONS, "a game has at most 1,024 action ids");
        Self { words: [0; WORDS], ids: count }
    }

    /// Removes every action.
    #[inline]
    pub fn clear(&mut self) {
        self.words = [0; WORDS];
    }

    /// Adds an action.
    #[inline]
    pub fn insert<A: Action>(&mut self, action: A) {
        let id = action.id().index();
        debug_assert!(id < self.ids, "id {id} of {}", self.ids);
        self.words[id / 64] |= 1 << (id % 64);
    }

    /// Adds the action with id `first` + `i` for every bit `i` that is set in `bits`.
    #[inline]
    pub fn insert_bits(&mut self, first: ActionId, bits: u64) {
        debug_assert!(first.index() + 64 - (bits.leading_zeros() as usize) <= self.ids, "{first} and {bits:b}");
        let (word, shift) = (first.index() / 64, first.index() % 64);
        self.words[word] |= bits << shift;
        if shift != 0 && bits >> (64 - shift) != 0 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
    }

    /// Returns true if the set contains `id`. It never contains an id that no action has.
    #[inline]
    pub fn contains(&self, id: ActionId) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Returns the number of actions in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if the set contains no action.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// Returns the action at place `n`, counted from 0 in rising order of ids.
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

    /// Returns the ids in the set, in rising order.
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

    /// Returns the actions in the set, in rising order of ids.
    pub fn actions<A: Action>(&self) -> impl Iterator<Item = A> {
        self.iter().filter_map(A::from_id)
    }

    /// Returns the mask: bit `i` of word `w` stands for id 64·w + i. The mask has as many words as the ids need.
    pub fn words(&self) -> &[u64] {
        &self.words[..self.ids.div_ceil(64)]
    }

    /// Returns the ids as runs of consecutive numbers, for messages: `0-3,9,12-15`.
    pub fn ranges(&self) -> String {
        ranges(self.iter().map(|id| id.0.into()), ",")
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

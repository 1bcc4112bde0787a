//! Rows: what the environments of a batch wait for, as bytes, block by block, in the form in which they travel.
//!
//! All numbers are little-endian. Whoever steps owns the rows, and may keep or hand on any block; the next batch makes
//! them as long as they have to be.

use super::desk::Desk;
use crate::core::{Action, ActionSet, BySeat, Game, Seat, Seats, View};

/// How many bytes a row has in each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSize {
    /// The bits of an observation: whole words of 64.
    pub bits: usize,
    /// The numbers of an observation: two bytes each.
    pub numbers: usize,
    /// What may be done: a bit an action, whole words of 64.
    pub mask: usize,
    /// What the step brought, a float of four bytes a seat.
    pub rewards: usize,
}

impl RowSize {
    /// That of games of `G` with so many seats.
    pub fn of<G: Game>(seats: Seats) -> Self {
        Self {
            bits: G::View::BITS.div_ceil(64) * 8,
            numbers: G::View::NUMBERS * 2,
            mask: G::Action::COUNT.div_ceil(64) * 8,
            rewards: seats.count() * 4,
        }
    }

    /// In all blocks, the number of the environment and its seat and end among them.
    pub fn total(self) -> usize {
        4 + 1 + self.bits + self.numbers + self.mask + self.rewards + 1
    }

    /// What an end row takes: an environment, a seat, an observation, a return, a rank.
    pub fn end(self) -> usize {
        4 + 1 + self.bits + self.numbers + 4 + 1
    }
}

/// The rows of a batch: one an environment, in the order of the environments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The number of the environment: four bytes a row.
    pub environments: Vec<u8>,
    /// The seat that owes the decision; where the row shows an end, the first that the caller played. One byte a row.
    pub seats: Vec<u8>,
    /// That seat's observation, bits.
    pub bits: Vec<u8>,
    /// That seat's observation, numbers.
    pub numbers: Vec<u8>,
    /// What that seat may do; nothing where the row shows an end.
    pub masks: Vec<u8>,
    /// What the step brought each seat, from seat 0 on: zero, but where an episode ended.
    pub rewards: Vec<u8>,
    /// 1 where the step ended an episode, else 0. One byte a row.
    pub ended: Vec<u8>,
}

impl Rows {
    /// Room for `count` rows. What stands there means nothing yet.
    pub(super) fn resize(&mut self, size: RowSize, count: usize) {
        self.environments.resize(4 * count, 0);
        self.seats.resize(count, 0);
        self.bits.resize(size.bits * count, 0);
        self.numbers.resize(size.numbers * count, 0);
        self.masks.resize(size.mask * count, 0);
        self.rewards.resize(size.rewards * count, 0);
        self.ended.resize(count, 0);
    }

    pub(super) fn as_mut(&mut self, size: RowSize) -> RowsMut<'_> {
        RowsMut {
            size,
            environments: &mut self.environments,
            seats: &mut self.seats,
            bits: &mut self.bits,
            numbers: &mut self.numbers,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            ended: &mut self.ended,
        }
    }
}

/// Rows to be written, or one.
#[derive(Debug)]
pub(super) struct RowsMut<'a> {
    size: RowSize,
    environments: &'a mut [u8],
    seats: &'a mut [u8],
    bits: &'a mut [u8],
    numbers: &'a mut [u8],
    masks: &'a mut [u8],
    rewards: &'a mut [u8],
    ended: &'a mut [u8],
}

impl RowsMut<'_> {
    /// The first `count` rows, and the others.
    #[inline]
    pub(super) fn split_at(self, count: usize) -> (Self, Self) {
        let size = self.size;
        let (environments, other_environments) = self.environments.split_at_mut(4 * count);
        let (seats, other_seats) = self.seats.split_at_mut(count);
        let (bits, other_bits) = self.bits.split_at_mut(size.bits * count);
        let (numbers, other_numbers) = self.numbers.split_at_mut(size.numbers * count);
        let (masks, other_masks) = self.masks.split_at_mut(size.mask * count);
        let (rewards, other_rewards) = self.rewards.split_at_mut(size.rewards * count);
        let (ended, other_ended) = self.ended.split_at_mut(count);
        let others = Self {
            size,
            environments: other_environments,
            seats: other_seats,
            bits: other_bits,
            numbers: other_numbers,
            masks: other_masks,
            rewards: other_rewards,
            ended: other_ended,
        };
        (Self { size, environments, seats, bits, numbers, masks, rewards, ended }, others)
    }

    /// Row by row.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let (row, others) = rest.take().filter(|rest| !rest.seats.is_empty())?.split_at(1);
            rest = Some(others);
            Some(row)
        })
    }

    /// Writes one row: its environment and what the step brought.
    #[inline]
    pub(super) fn report(&mut self, environment: u32, ended: Option<&BySeat<f32>>) {
        self.environments.copy_from_slice(&environment.to_le_bytes());
        self.ended[0] = ended.is_some().into();
        match ended {
            None => self.rewards.fill(0),
            Some(returns) => write(self.rewards, returns.values(), f32::to_le_bytes),
        }
    }

    /// Writes the rest of one row: what `seat` knows and may do.
    #[inline]
    pub(super) fn show<G: Game>(&mut self, game: &G, seat: Seat, legal: &ActionSet, desk: &mut Desk<'_>) {
        self.seats[0] = seat.index() as u8;
        let (words, values) = desk.room.look(game, seat);
        write(self.bits, words, u64::to_le_bytes);
        write(self.numbers, values, i16::to_le_bytes);
        write(self.masks, legal.words(), u64::to_le_bytes);
    }
}

/// Writes values as bytes.
#[inline]
fn write<T: Copy, const SIZE: usize>(bytes: &mut [u8], values: &[T], to_bytes: impl Fn(T) -> [u8; SIZE]) {
    for (place, &value) in bytes.chunks_exact_mut(SIZE).zip(values) {
        place.copy_from_slice(&to_bytes(value));
    }
}

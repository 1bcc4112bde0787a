//! Rows: the observations and legal actions of a batch as bytes, block by block, in their wire format.
//!
//! All numbers are little-endian. The caller owns the rows and may keep or send any block; the next batch sets the
//! length of each block again.

use super::scratch::Scratch;
use crate::core::{Action, ActionSet, BySeat, Game, Seat, Seats, View};

/// The number of bytes of a row in each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSize {
    /// The bits of an observation: whole words of 64.
    pub bits: usize,
    /// The numbers of an observation: two bytes each.
    pub numbers: usize,
    /// The legal actions: one bit for each action, whole words of 64.
    pub mask: usize,
    /// The rewards of the step: a float of four bytes for each seat.
    pub rewards: usize,
}

impl RowSize {
    /// Returns the size for games of `G` with this number of seats.
    pub fn of<G: Game>(seats: Seats) -> Self {
        Self {
            bits: G::View::BITS.div_ceil(64) * 8,
            numbers: G::View::NUMBERS * 2,
            mask: G::Action::COUNT.div_ceil(64) * 8,
            rewards: seats.count() * 4,
        }
    }

    /// Returns the bytes in all blocks, including the number of the environment, the seat, and the end.
    pub fn total(self) -> usize {
        4 + 1 + self.bits + self.numbers + self.mask + self.rewards + 1
    }

    /// Returns the bytes of a row of final steps: environment, seat, observation, return, rank.
    pub fn end(self) -> usize {
        4 + 1 + self.bits + self.numbers + 4 + 1
    }
}

/// The rows of a batch: one for each environment, in the order of the environments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The numbers of the environments: four bytes a row.
    pub env_ids: Vec<u8>,
    /// The seats that have to decide; if a row shows an end, the first external seat. One byte a row.
    pub seats: Vec<u8>,
    /// The bits of that seat's observation.
    pub bits: Vec<u8>,
    /// The numbers of that seat's observation.
    pub numbers: Vec<u8>,
    /// The legal actions of that seat; none if the row shows an end.
    pub masks: Vec<u8>,
    /// The rewards of the step for each seat, from seat 0 on: zero, unless an episode ended.
    pub rewards: Vec<u8>,
    /// 1 if the step ended an episode, else 0. One byte a row.
    pub ended: Vec<u8>,
}

impl Rows {
    /// Makes room for `count` rows. Their content has no meaning yet.
    pub(super) fn resize(&mut self, size: RowSize, count: usize) {
        self.env_ids.resize(4 * count, 0);
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
            env_ids: &mut self.env_ids,
            seats: &mut self.seats,
            bits: &mut self.bits,
            numbers: &mut self.numbers,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            ended: &mut self.ended,
        }
    }
}

/// One or more rows to be written.
#[derive(Debug)]
pub(super) struct RowsMut<'a> {
    size: RowSize,
    env_ids: &'a mut [u8],
    seats: &'a mut [u8],
    bits: &'a mut [u8],
    numbers: &'a mut [u8],
    masks: &'a mut [u8],
    rewards: &'a mut [u8],
    ended: &'a mut [u8],
}

impl RowsMut<'_> {
    /// Divides the rows into the first `count` and the others.
    #[inline]
    pub(super) fn split_at(self, count: usize) -> (Self, Self) {
        let size = self.size;
        let (env_ids, other_env_ids) = self.env_ids.split_at_mut(4 * count);
        let (seats, other_seats) = self.seats.split_at_mut(count);
        let (bits, other_bits) = self.bits.split_at_mut(size.bits * count);
        let (numbers, other_numbers) = self.numbers.split_at_mut(size.numbers * count);
        let (masks, other_masks) = self.masks.split_at_mut(size.mask * count);
        let (rewards, other_rewards) = self.rewards.split_at_mut(size.rewards * count);
        let (ended, other_ended) = self.ended.split_at_mut(count);
        let others = Self {
            size,
            env_ids: other_env_ids,
            seats: other_seats,
            bits: other_bits,
            numbers: other_numbers,
            masks: other_masks,
            rewards: other_rewards,
            ended: other_ended,
        };
        (Self { size, env_ids, seats, bits, numbers, masks, rewards, ended }, others)
    }

    /// Returns the rows one by one.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let (row, others) = rest.take().filter(|rest| !rest.seats.is_empty())?.split_at(1);
            rest = Some(others);
            Some(row)
        })
    }

    /// Writes the first part of one row: the number of the environment, the rewards, and the end.
    #[inline]
    pub(super) fn report(&mut self, environment: u32, ended: Option<&BySeat<f32>>) {
        self.env_ids.copy_from_slice(&environment.to_le_bytes());
        self.ended[0] = ended.is_some().into();
        match ended {
            None => self.rewards.fill(0),
            Some(returns) => write(self.rewards, returns.values(), f32::to_le_bytes),
        }
    }

    /// Writes the rest of one row: the seat, its observation, and its legal actions.
    #[inline]
    pub(super) fn show<G: Game>(&mut self, game: &G, seat: Seat, legal: &ActionSet, scratch: &mut Scratch<'_>) {
        self.seats[0] = seat.index() as u8;
        let (words, values) = scratch.room.look(game, seat);
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

//! Rows: the observations and legal actions of a batch as bytes, column by column, in their wire format.
//!
//! All numbers are little-endian. The caller owns the memory: [`Rows`] has a vector for each column, which may be kept or
//! sent; a caller with memory of its own has the columns in one block, in the order of [`Column`], without gaps.

use std::ops::Index;

use ahu_core::{Action, ActionSet, BlockBytes, BySeat, Encode, Game, Seat, Seats, Tensor};

use super::environment::Environment;
use crate::{Cores, Position};

/// A column of a batch. Columns of larger values come first: if a block of columns is aligned, the values of every
/// column are aligned too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The bits of the seat's observation: whole words of 64.
    Bits,
    /// The legal actions of the seat: one bit for each action, whole words of 64. None if the row shows an end.
    Masks,
    /// The number of the environment: four bytes a row.
    EnvIds,
    /// The rewards of the step: a float of four bytes for each seat, from seat 0 on. Zero unless an episode ended, or
    /// the rule pays rewards on the way.
    Rewards,
    /// The numbers of the seat's observation: two bytes each.
    Numbers,
    /// The seat that has to decide; if the row shows an end, the first external seat. One byte a row.
    Seats,
    /// The number of the player who has that seat. One byte a row.
    Players,
    /// 1 if the step ended an episode, else 0. One byte a row.
    Ended,
}

/// The number of columns.
pub const COLUMNS: usize = Column::Ended as usize + 1;

/// The number of bytes of a row in each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSize([usize; COLUMNS]);

impl RowSize {
    /// Returns the size for games of `G` with this number of seats.
    pub fn of<G: Game>(seats: Seats) -> Self {
        let (bits, numbers) = (G::View::BITS.div_ceil(64) * 8, G::View::NUMBERS * 2);
        Self([bits, G::Action::COUNT.div_ceil(64) * 8, 4, seats.count() * 4, numbers, 1, 1, 1])
    }

    /// Returns the size with the rewards of this number of seats.
    #[must_use]
    pub fn with_seats(mut self, seats: usize) -> Self {
        self.0[Column::Rewards as usize] = 4 * seats;
        self
    }

    /// Returns the bytes in all columns.
    pub fn total(self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the bytes of a row of final steps: environment, seat, player, observation, return, rank.
    pub fn end(self) -> usize {
        4 + 1 + 1 + self[Column::Bits] + self[Column::Numbers] + 4 + 1
    }
}

impl Index<Column> for RowSize {
    type Output = usize;

    fn index(&self, column: Column) -> &usize {
        &self.0[column as usize]
    }
}

/// The rows of a batch: one for each environment, in the order of the environments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The columns, in the order of [`Column`].
    pub columns: [Vec<u8>; COLUMNS],
}

impl Rows {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self[Column::Seats].len()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for `count` rows. Their content has no meaning yet, except that no reward is paid.
    fn fit(&mut self, size: RowSize, count: usize) -> RowsMut<'_> {
        for (column, width) in self.columns.iter_mut().zip(size.0) {
            column.resize(width * count, 0);
        }
        RowsMut::new(size, self.columns.each_mut().map(Vec::as_mut_slice))
    }
}

impl Index<Column> for Rows {
    type Output = Vec<u8>;

    fn index(&self, column: Column) -> &Vec<u8> {
        &self.columns[column as usize]
    }
}

/// The memory for the rows of a batch. A refused batch does not change it.
#[derive(Debug)]
pub enum RowMemory<'a> {
    /// Vectors, which get the length that the rows need.
    Columns(&'a mut Rows),
    /// A block of exactly the rows: the columns in the order of [`Column`], without gaps.
    Block(&'a mut [u8]),
}

impl<'a> RowMemory<'a> {
    /// Returns `count` rows in this memory. Their content has no meaning yet, except that no reward is paid.
    pub(super) fn make(self, size: RowSize, count: usize) -> RowsMut<'a> {
        match self {
            Self::Columns(rows) => rows.fit(size, count),
            Self::Block(block) => RowsMut::of_block(size, count, block),
        }
    }
}

/// Rows to be written.
#[derive(Debug)]
pub(super) struct RowsMut<'a> {
    size: RowSize,
    columns: [&'a mut [u8]; COLUMNS],
}

impl<'a> RowsMut<'a> {
    /// Few rows pay rewards: these are zero from the beginning.
    fn new(size: RowSize, columns: [&'a mut [u8]; COLUMNS]) -> Self {
        columns[Column::Rewards as usize].fill(0);
        Self { size, columns }
    }

    fn of_block(size: RowSize, count: usize, block: &'a mut [u8]) -> Self {
        assert_eq!(block.len(), size.total() * count, "expected a block of {count} rows");
        let mut rest = block;
        let columns = size.0.map(|width| {
            let (column, others) = std::mem::take(&mut rest).split_at_mut(width * count);
            rest = others;
            column
        });
        Self::new(size, columns)
    }

    /// Divides the rows into the first `count` and the others.
    pub(super) fn split_at(self, count: usize) -> (Self, Self) {
        let size = self.size;
        let mut others: [&mut [u8]; COLUMNS] = Default::default();
        let mut places = size.0.into_iter().zip(&mut others);
        let columns = self.columns.map(|column| {
            let (width, other) = places.next().expect("each column has its width");
            let (front, back) = column.split_at_mut(width * count);
            *other = back;
            front
        });
        (Self { size, columns }, Self { size, columns: others })
    }

    /// Returns row `n`.
    #[inline]
    pub(super) fn row(&mut self, n: usize) -> RowMut<'_, 'a> {
        RowMut { rows: self, n }
    }
}

/// One row to be written.
#[derive(Debug)]
pub struct RowMut<'r, 'a> {
    rows: &'r mut RowsMut<'a>,
    n: usize,
}

impl RowMut<'_, '_> {
    #[inline]
    fn column(&mut self, column: Column) -> &mut [u8] {
        let width = self.rows.size[column];
        &mut self.rows.columns[column as usize][self.n * width..][..width]
    }

    /// Returns the bits and the numbers of the observation.
    #[inline]
    pub(super) fn observation(&mut self) -> [&mut [u8]; 2] {
        let (size, n) = (self.rows.size, self.n);
        let [bits, _, _, _, numbers, ..] = &mut self.rows.columns;
        [(bits, Column::Bits), (numbers, Column::Numbers)]
            .map(|(column, kind)| &mut column[n * size[kind]..][..size[kind]])
    }

    /// Writes the reward of one seat.
    #[inline]
    pub(super) fn pay(&mut self, seat: Seat, reward: f32) {
        self.column(Column::Rewards)[4 * seat.index()..][..4].copy_from_slice(&reward.to_le_bytes());
    }

    /// Writes the first part of the row: the number of the environment, whether the episode ended, and the rewards, if there are
    /// some.
    #[inline]
    pub(super) fn report(&mut self, environment: u32, has_ended: bool, rewards: Option<&BySeat<f32>>) {
        self.column(Column::EnvIds).copy_from_slice(&environment.to_le_bytes());
        self.column(Column::Ended)[0] = has_ended.into();
        if let Some(rewards) = rewards {
            write(self.column(Column::Rewards), rewards.values(), f32::to_le_bytes);
        }
    }

    /// Writes the rest of the row: the seat, its player, its observation, and its legal actions.
    pub(super) fn show<G: Game>(&mut self, environment: &Environment<G>, shown: &G::View) {
        let Environment { seat, players, legal, .. } = environment;
        self.show_to(*seat, players[*seat], shown, legal);
    }

    /// Does what `show` does, as a part of the caller: up to a twentieth less time for a step, for some kilobytes of code.
    #[inline]
    pub(super) fn show_inline<G: Game>(&mut self, environment: &Environment<G>, shown: &G::View) {
        let Environment { seat, players, legal, .. } = environment;
        self.write(*seat, players[*seat], shown, legal);
    }

    /// Writes the rest of the row of this seat, which this player has.
    #[inline(never)]
    pub(crate) fn show_to<V: Encode>(&mut self, seat: Seat, player: u8, shown: &V, legal: &ActionSet) {
        self.write(seat, player, shown, legal);
    }

    #[inline]
    fn write<V: Encode>(&mut self, seat: Seat, player: u8, shown: &V, legal: &ActionSet) {
        self.column(Column::Seats)[0] = seat.index() as u8;
        self.column(Column::Players)[0] = player;
        let [bits, numbers] = self.observation();
        Tensor::fill(BlockBytes(bits), BlockBytes(numbers), shown);
        write(self.column(Column::Masks), legal.words(), u64::to_le_bytes);
    }
}

/// Writes a row of each position, as this seat is shown it, into a block of rows of this size. Nobody else has the seats, and
/// no rewards are paid.
///
/// # Panics
/// If the block has another size, or a position another game than the size.
pub fn write_positions(positions: &[(&Position, Seat)], size: RowSize, block: &mut [u8], cores: &Cores) {
    let mut rest = RowsMut::of_block(size, positions.len(), block);
    let count = positions.len().div_ceil(cores.count()).max(1);
    let mut parts = Vec::new();
    for (number, part) in positions.chunks(count).enumerate() {
        let (rows, others) = rest.split_at(part.len());
        parts.push((number * count, part, rows));
        rest = others;
    }
    cores.map(parts, |(first, part, mut rows)| {
        for (n, &(position, seat)) in part.iter().enumerate() {
            let mut row = rows.row(n);
            row.report((first + n) as u32, position.is_over(), None);
            position.game().write_row(seat, row);
        }
    });
}

/// Writes values as bytes.
#[inline]
fn write<T: Copy, const SIZE: usize>(bytes: &mut [u8], values: &[T], to_bytes: impl Fn(T) -> [u8; SIZE]) {
    for (place, &value) in bytes.chunks_exact_mut(SIZE).zip(values) {
        place.copy_from_slice(&to_bytes(value));
    }
}

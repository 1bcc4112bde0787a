//! Rows: the observations and legal actions of a batch as bytes, column by column, in their wire format.
//!
//! All numbers are little-endian. The caller owns the rows and may keep or send any column; the next batch sets the
//! length of each column again.

use std::ops::Index;

use super::scratch::Scratch;
use crate::core::{Action, ActionSet, BySeat, Game, Seat, Seats, View};

/// A column of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The number of the environment: four bytes a row.
    EnvIds,
    /// The seat that has to decide; if the row shows an end, the first external seat. One byte a row.
    Seats,
    /// The bits of that seat's observation: whole words of 64.
    Bits,
    /// The numbers of that seat's observation: two bytes each.
    Numbers,
    /// The legal actions of that seat: one bit for each action, whole words of 64. None if the row shows an end.
    Masks,
    /// The rewards of the step: a float of four bytes for each seat, from seat 0 on; zero, unless an episode ended.
    Rewards,
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
        Self([4, 1, bits, numbers, G::Action::COUNT.div_ceil(64) * 8, seats.count() * 4, 1])
    }

    /// Returns the bytes in all columns.
    pub fn total(self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the bytes of a row of final steps: environment, seat, observation, return, rank.
    pub fn end(self) -> usize {
        4 + 1 + self[Column::Bits] + self[Column::Numbers] + 4 + 1
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

    /// Makes room for `count` rows. Their content has no meaning yet.
    pub(super) fn resize(&mut self, size: RowSize, count: usize) {
        for (column, width) in self.columns.iter_mut().zip(size.0) {
            column.resize(width * count, 0);
        }
    }

    pub(super) fn as_mut(&mut self, size: RowSize) -> RowsMut<'_> {
        RowsMut { size, columns: self.columns.each_mut().map(Vec::as_mut_slice) }
    }
}

impl Index<Column> for Rows {
    type Output = Vec<u8>;

    fn index(&self, column: Column) -> &Vec<u8> {
        &self.columns[column as usize]
    }
}

/// Rows to be written.
#[derive(Debug)]
pub(super) struct RowsMut<'a> {
    size: RowSize,
    columns: [&'a mut [u8]; COLUMNS],
}

impl<'a> RowsMut<'a> {
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
pub(super) struct RowMut<'r, 'a> {
    rows: &'r mut RowsMut<'a>,
    n: usize,
}

impl RowMut<'_, '_> {
    #[inline]
    fn column(&mut self, column: Column) -> &mut [u8] {
        let width = self.rows.size[column];
        &mut self.rows.columns[column as usize][self.n * width..][..width]
    }

    /// Writes the first part of the row: the number of the environment, the rewards, and the end.
    #[inline]
    pub(super) fn report(&mut self, environment: u32, ended: Option<&BySeat<f32>>) {
        self.column(Column::EnvIds).copy_from_slice(&environment.to_le_bytes());
        self.column(Column::Ended)[0] = ended.is_some().into();
        match ended {
            None => self.column(Column::Rewards).fill(0),
            Some(returns) => write(self.column(Column::Rewards), returns.values(), f32::to_le_bytes),
        }
    }

    /// Writes the rest of the row: the seat, its observation, and its legal actions.
    #[inline]
    pub(super) fn show<G: Game>(&mut self, game: &G, seat: Seat, legal: &ActionSet, scratch: &mut Scratch<'_>) {
        self.column(Column::Seats)[0] = seat.index() as u8;
        let (words, values) = scratch.room.look(game, seat);
        write(self.column(Column::Bits), words, u64::to_le_bytes);
        write(self.column(Column::Numbers), values, i16::to_le_bytes);
        write(self.column(Column::Masks), legal.words(), u64::to_le_bytes);
    }
}

/// Writes values as bytes.
#[inline]
fn write<T: Copy, const SIZE: usize>(bytes: &mut [u8], values: &[T], to_bytes: impl Fn(T) -> [u8; SIZE]) {
    for (place, &value) in bytes.chunks_exact_mut(SIZE).zip(values) {
        place.copy_from_slice(&to_bytes(value));
    }
}

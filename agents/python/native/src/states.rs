//! Lists of States: their observations as the rows of a batch, and the children of one.
//!
//! The calls here hold the interpreter's lock, so that no State changes while it is read, and none is copied. Work of many
//! States is divided among threads of this call, which need no lock.

use std::mem;
use std::num::NonZero;
use std::thread;

use ahu_core::Seat;
use ahu_host::api::ApiError;
use ahu_host::{Column, Position, RowPlaces, RowSize};
use ahu_messages::v1::ErrorReason;
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::refusal::raised;
use crate::state::State;

/// The number of States from which several threads pay: one starts in the time of some fifty observations.
const SHARED_FROM: usize = 512;

/// Writes the rows of States into a block of columns, as environments do: see `ahu.observe`. Each row shows the seat of
/// `seats`; without them, the first seat that has to decide, or seat 0 if nobody has to.
#[pyfunction]
pub(crate) fn observe(
    py: Python<'_>,
    states: Vec<PyRef<'_, State>>,
    seats: Option<PyReadonlyArray1<'_, i64>>,
    mut block: PyReadwriteArray1<'_, u8>,
    threads: Option<usize>,
) -> PyResult<()> {
    let Some(first) = states.first() else { return Err(PyValueError::new_err("expected 1 State or more, got 0")) };
    let rules = first.position.setup().rules();
    let shown = match &seats {
        None => None,
        Some(seats) if seats.len()? == states.len() => Some(seats.as_slice()?),
        Some(seats) => {
            let message = format!("expected a seat for each of {} States, got {}", states.len(), seats.len()?);
            return Err(PyValueError::new_err(message));
        }
    };
    let mut views = Vec::with_capacity(states.len());
    for (n, state) in states.iter().enumerate() {
        let other = state.position.setup().rules().info().id;
        if other != rules.info().id {
            let message = format!("expected States of {}, as the first is, got one of {other}", rules.info().id);
            return Err(PyValueError::new_err(message));
        }
        let seat = match shown {
            Some(shown) => seat_of(py, &state.position, n, shown[n])?,
            None => state.position.game().turn().to_act().first().unwrap_or_default(),
        };
        views.push((&state.position, seat));
    }
    let most = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    if most == 0 {
        return Err(PyValueError::new_err("expected 1 thread or more, got 0"));
    }
    let most_seats = *rules.seats().end();
    let rows = Rows::of_block(first.position.setup().row_size(), most_seats, views.len(), block.as_slice_mut()?)?;
    let shares = if views.len() < SHARED_FROM { 1 } else { most };
    write_shared(rows, &views, shares);
    Ok(())
}

fn seat_of(py: Python<'_>, position: &Position, n: usize, seat: i64) -> PyResult<Seat> {
    let seats = position.setup().seats();
    usize::try_from(seat).ok().and_then(|seat| seats.get(seat)).ok_or_else(|| {
        let message = format!("State {n}: expected a seat from 0 to {}, got {seat}", seats.count() - 1);
        let error = ApiError::new(ErrorReason::UnknownSeat, message);
        raised(py, &error.with("seat", seat).with("seat_count", seats.count()))
    })
}

/// Writes the rows on this number of threads, of which the caller's is one.
fn write_shared(mut rows: Rows<'_>, mut views: &[(&Position, Seat)], shares: usize) {
    thread::scope(|scope| {
        for left in (2..=shares).rev() {
            let (of_thread, others) = views.split_at(views.len() / left);
            let (part, rest) = rows.split_at(of_thread.len());
            (rows, views) = (rest, others);
            scope.spawn(move || part.write(of_thread));
        }
        rows.write(views);
    });
}

/// The number of columns that are written here.
const COLUMNS: usize = 6;

/// The columns of rows that depend on States, in the order of a batch.
struct Rows<'a> {
    /// The bits, masks, numbers, seats, players, and ends.
    columns: [&'a mut [u8]; COLUMNS],
    widths: [usize; COLUMNS],
}

impl<'a> Rows<'a> {
    /// Takes a block of columns for `count` rows. Writes the number of each row, and no rewards.
    fn of_block(size: RowSize, most_seats: usize, count: usize, block: &'a mut [u8]) -> PyResult<Self> {
        let widths = [
            size[Column::Bits],
            size[Column::Masks],
            size[Column::EnvIds],
            // The reward of a seat is a float.
            4 * most_seats,
            size[Column::Numbers],
            size[Column::Seats],
            size[Column::Players],
            size[Column::Ended],
        ];
        let expected = count * widths.iter().sum::<usize>();
        if block.len() != expected {
            let message = format!("expected a block of {expected} bytes, got {}", block.len());
            return Err(PyValueError::new_err(message));
        }
        let mut rest = block;
        let [bits, masks, env_ids, rewards, numbers, seats, players, ended] = widths.map(|width| {
            let (column, others) = mem::take(&mut rest).split_at_mut(width * count);
            rest = others;
            column
        });
        rewards.fill(0);
        for (place, n) in env_ids.as_chunks_mut().0.iter_mut().zip(0u32..) {
            *place = n.to_le_bytes();
        }
        let [bit_width, mask_width, _, _, number_width, ..] = widths;
        let widths = [bit_width, mask_width, number_width, 1, 1, 1];
        Ok(Self { columns: [bits, masks, numbers, seats, players, ended], widths })
    }

    /// Divides the rows into the first `count` and the others.
    fn split_at(self, count: usize) -> (Self, Self) {
        let widths = self.widths;
        let mut others: [&'a mut [u8]; COLUMNS] = Default::default();
        let mut places = widths.into_iter().zip(&mut others);
        let columns = self.columns.map(|column| {
            let (width, other) = places.next().expect("each column has its width");
            let (front, back) = column.split_at_mut(width * count);
            *other = back;
            front
        });
        (Self { columns, widths }, Self { columns: others, widths })
    }

    /// Writes a row for each view.
    fn write(self, views: &[(&Position, Seat)]) {
        let [bits, masks, numbers, seats, players, ended] = self.columns;
        let [bit_width, mask_width, number_width, ..] = self.widths;
        for (n, &(position, seat)) in views.iter().enumerate() {
            let game = position.game();
            game.write_row(
                seat,
                RowPlaces {
                    bits: &mut bits[n * bit_width..][..bit_width],
                    numbers: &mut numbers[n * number_width..][..number_width],
                    mask: &mut masks[n * mask_width..][..mask_width],
                },
            );
            seats[n] = seat.index() as u8;
            players[n] = seats[n];
            ended[n] = u8::from(position.is_over());
        }
    }
}

/// Returns the ids of the legal actions of a seat, by default of the first that has to decide, and the State after each: see
/// `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (state, seat = None))]
pub(crate) fn children<'py>(
    py: Python<'py>,
    state: PyRef<'py, State>,
    seat: Option<i64>,
) -> PyResult<(Vec<u16>, Bound<'py, PyList>)> {
    let Some(seat) = state.deciding(py, seat)? else { return Ok((Vec::new(), PyList::empty(py))) };
    let (mut ids, states, mut failed) = (Vec::new(), PyList::empty(py), Ok(()));
    state.position.children(seat, |id, position| {
        ids.push(id.0);
        if failed.is_ok() {
            failed = Bound::new(py, state.with(position)).and_then(|child| states.append(child));
        }
    });
    failed.map(|()| (ids, states))
}

//! Lists of States: their observations as the rows of a batch, and the children of one.
//!
//! The calls here hold the interpreter's lock, so that no State changes while it is read, and none is copied. Work of many
//! States is divided among threads of this call, which need no lock.

use ahu_core::Seat;
use ahu_host::api::ApiError;
use ahu_host::{Position, write_positions};
use ahu_messages::v1::ErrorReason;
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::cores::SharedCores;
use crate::environments::wrong_block;
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
    let cores = SharedCores::new(threads)?.cores(views.len() >= SHARED_FROM)?;
    let size = first.position.setup().row_size().with_seats(*rules.seats().end());
    let (expected, block) = (size.total() * views.len(), block.as_slice_mut()?);
    if block.len() != expected {
        return Err(wrong_block(expected, block.len()));
    }
    write_positions(&views, size, block, &cores);
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

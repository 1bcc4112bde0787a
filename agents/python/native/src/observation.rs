//! The view of one viewer of a State in every form, and the events of its plies.

use std::sync::Arc;

use ahu_core::{ActionSet, Seat, SeatSet, Seats, Viewer};
use ahu_host::api::ApiError;
use ahu_host::{Any, AnyEvent, AnyRules, AnyView, Position};
use numpy::PyArray1;
use prost::Message as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::refusal::raised;

/// The sizes of an observation, and the number by which each of its numbers is divided to lie in [-1, 1].
pub(crate) struct Shape {
    bits: usize,
    scales: Vec<f32>,
    actions: usize,
}

impl Shape {
    pub(crate) fn of(rules: &dyn AnyRules) -> Self {
        let (bits, numbers) = rules.observation_size();
        let mut scales = vec![1.0; numbers];
        for (offset, field) in &rules.layout().numbers {
            let scale = f32::from(field.min).abs().max(f32::from(field.max).abs()).max(1.0);
            let size: usize = field.shape.iter().product();
            scales[*offset..][..size].fill(scale);
        }
        Self { bits, scales, actions: rules.action_count() }
    }
}

/// The view of one viewer: see `_native.pyi`.
#[pyclass(frozen, module = "ahu")]
pub(crate) struct StateObservation {
    view: Box<dyn AnyView>,
    legal: ActionSet,
    shape: Arc<Shape>,
}

impl StateObservation {
    /// Returns what `viewer` is shown of a position.
    pub(crate) fn new(position: &Position, viewer: Viewer, shape: Arc<Shape>) -> Self {
        // The seat of the public view has no decision of its own.
        let legal = match viewer {
            Viewer::Seat(seat) => position.game().legal_actions(seat),
            Viewer::Public => ActionSet::with_ids(shape.actions),
        };
        Self { view: position.game().view(viewer), legal, shape }
    }

    fn blocks(&self) -> (Vec<u64>, Vec<i16>) {
        let (mut bits, mut numbers) = (vec![0; self.shape.bits.div_ceil(64)], vec![0; self.shape.scales.len()]);
        self.view.write(&mut bits, &mut numbers);
        (bits, numbers)
    }
}

/// Returns the first `count` bits of words.
fn spread<T: From<u8>>(words: &[u64], count: usize) -> impl Iterator<Item = T> {
    (0..count).map(|bit| T::from((words[bit / 64] >> (bit % 64) & 1) as u8))
}

#[pymethods]
impl StateObservation {
    /// The bits, 0 or 1: `uint8 [bit_count]`. `ahu.VectorEnv.layout` has the fields.
    #[getter]
    fn bits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_iter(py, spread::<u8>(&self.blocks().0, self.shape.bits))
    }

    /// The numbers: `int16 [number_count]`.
    #[getter]
    fn numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i16>> {
        PyArray1::from_vec(py, self.blocks().1)
    }

    /// Both as the format "flat" has them: `float32 [bit_count + number_count]` in [-1, 1].
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let (bits, numbers) = self.blocks();
        let scaled = numbers.iter().zip(&self.shape.scales).map(|(&number, scale)| f32::from(number) / scale);
        PyArray1::from_vec(py, spread(&bits, self.shape.bits).chain(scaled).collect())
    }

    /// True for each legal action of the seat: `bool [action_count]`; all False for the public.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let allowed = spread::<u8>(self.legal.words(), self.shape.actions).map(|bit| bit == 1);
        PyArray1::from_vec(py, allowed.collect())
    }

    /// The ids of the legal actions of the seat, rising; none for the public.
    #[getter]
    fn legal_ids(&self) -> Vec<u16> {
        self.legal.iter().map(|id| id.0).collect()
    }

    /// The table as text for people.
    #[getter]
    fn text(&self) -> String {
        self.view.text()
    }

    /// The table as text for language models.
    #[getter]
    fn compact(&self) -> String {
        self.view.compact()
    }

    /// The typed message of the game, such as an `ahu.rappanui.v1.rappanui_pb2.Observation`.
    #[getter]
    fn typed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        typed(py, &self.view.message())
    }

    fn __repr__(&self) -> String {
        let (bits, numbers, legal) = (self.shape.bits, self.shape.scales.len(), self.legal.len());
        format!("StateObservation(bits={bits}, numbers={numbers}, legal={legal})")
    }
}

/// An event of a ply. Each viewer is told its own part: see `_native.pyi`.
#[pyclass(frozen, module = "ahu")]
pub(crate) struct StateEvent {
    event: Box<dyn AnyEvent>,
    seats: Seats,
    actors: SeatSet,
}

impl StateEvent {
    pub(crate) fn new(event: Box<dyn AnyEvent>, seats: Seats, actors: SeatSet) -> Self {
        Self { event, seats, actors }
    }

    fn viewer(&self, py: Python<'_>, seat: Option<u32>) -> PyResult<Viewer> {
        let Some(number) = seat else { return Ok(Viewer::Public) };
        let found = self.seats.get(number as usize);
        found.map(Viewer::Seat).ok_or_else(|| raised(py, &ApiError::unknown_seat(seat, self.seats.count())))
    }
}

#[pymethods]
impl StateEvent {
    /// The seats whose decisions led to the event, rising.
    #[getter]
    fn actor_seats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.actors.iter().map(Seat::index).collect::<Vec<_>>())
    }

    /// Returns the sentence that a seat is told, or the public for None; None if it is told nothing.
    #[pyo3(signature = (seat = None))]
    fn text(&self, py: Python<'_>, seat: Option<u32>) -> PyResult<Option<String>> {
        Ok(self.event.text_for(self.viewer(py, seat)?))
    }

    /// Returns the typed message that a seat is told, or the public for None; None if it is told nothing.
    #[pyo3(signature = (seat = None))]
    fn typed<'py>(&self, py: Python<'py>, seat: Option<u32>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.event.message_for(self.viewer(py, seat)?).map(|message| typed(py, &message)).transpose()
    }

    fn __repr__(&self) -> String {
        let text = self.event.text_for(Viewer::Public);
        format!("StateEvent({:?})", text.as_deref().unwrap_or("not told to the public"))
    }
}

/// Returns the module of the package that makes messages and actions of their bytes.
pub(crate) fn helpers(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("ahu._state")
}

fn typed<'py>(py: Python<'py>, message: &Any) -> PyResult<Bound<'py, PyAny>> {
    helpers(py)?.getattr("message_of")?.call1((PyBytes::new(py, &message.encode_to_vec()),))
}

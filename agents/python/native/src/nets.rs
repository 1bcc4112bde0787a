//! Nets: the reader of their files, their choices, and rollouts by them.

use std::sync::Arc;

use ahu_core::{ActionId, ActionSet};
use ahu_host::api::convert;
use ahu_host::nets::{self, NetHead, NetRoom, Temperature};
use ahu_host::{BotName, RolloutMemory, RolloutPlan, RowMemory};
use ahu_messages::v1::run_response::Batch;
use numpy::{
    IntoPyArray as _, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1,
    PyUntypedArrayMethods as _,
};
use prost::Message as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::environments::Environments;
use crate::refusal::refused;

/// The score of every action, int64 [n, actions], and the values, float32 [n].
type Scores<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<f32>>);

/// A net from its file: see `_native.pyi`.
#[pyclass(frozen, module = "ahu.training")]
pub(crate) struct Net {
    net: Arc<nets::Net>,
}

#[pymethods]
impl Net {
    #[new]
    fn new(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let net = py.detach(|| nets::Net::read(data)).map_err(PyValueError::new_err)?;
        Ok(Self { net: Arc::new(net) })
    }

    #[getter]
    fn name(&self) -> String {
        self.net.name()
    }

    #[getter]
    fn game(&self) -> &'static str {
        self.net.head.rules.info().id
    }

    #[getter]
    fn layout_hash<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.net.head.layout)
    }

    #[getter]
    fn provenance(&self) -> &str {
        &self.net.head.provenance
    }

    #[getter]
    fn adviser(&self) -> Option<String> {
        self.net.head.adviser.map(BotName::name)
    }

    #[getter]
    fn inputs(&self) -> usize {
        self.net.head.inputs
    }

    #[getter]
    fn hidden(&self) -> Vec<usize> {
        self.net.head.hidden.clone()
    }

    #[getter]
    fn has_value(&self) -> bool {
        self.net.has_value()
    }

    fn __repr__(&self) -> String {
        let NetHead { inputs, hidden, .. } = &self.net.head;
        format!("Net({:?}, {:?}, inputs={inputs}, hidden={hidden:?})", self.net.name(), self.game())
    }

    /// Returns the score of every action, in units of 2^-32, and the values.
    #[pyo3(signature = (bits, numbers, advice=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        bits: PyReadonlyArray2<'py, u8>,
        numbers: PyReadonlyArray2<'py, i16>,
        advice: Option<PyReadonlyArray1<'py, i64>>,
    ) -> PyResult<Scores<'py>> {
        let (count, actions) = (bits.shape()[0], self.net.head.rules.action_count());
        let (mut scores, mut values) = (Vec::with_capacity(count * actions), Vec::with_capacity(count));
        self.each(&bits, &numbers, advice.as_ref(), |_, room| {
            scores.extend((0..actions).map(|id| self.net.score(ActionId(id as u16), room)));
            values.push(self.net.value(room));
        })?;
        let scores = numpy::ndarray::Array2::from_shape_vec((count, actions), scores).expect("a score for each action");
        Ok((scores.into_pyarray(py), PyArray1::from_vec(py, values)))
    }

    /// Returns the best legal action of each row.
    #[pyo3(signature = (bits, numbers, masks, advice=None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        bits: PyReadonlyArray2<'py, u8>,
        numbers: PyReadonlyArray2<'py, i16>,
        masks: PyReadonlyArray2<'py, u8>,
        advice: Option<PyReadonlyArray1<'py, i64>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let actions = self.net.head.rules.action_count();
        let width = actions.div_ceil(64) * 8;
        if masks.shape() != [bits.shape()[0], width] {
            let message = format!("expected masks of shape ({}, {width}), got {:?}", bits.shape()[0], masks.shape());
            return Err(PyValueError::new_err(message));
        }
        let masks = masks.as_slice()?;
        let mut chosen = Vec::with_capacity(bits.shape()[0]);
        self.each(&bits, &numbers, advice.as_ref(), |row, room| {
            let mut legal = ActionSet::with_ids(actions);
            for (word, &bytes) in masks[row * width..][..width].as_chunks::<8>().0.iter().enumerate() {
                legal.insert_bits(ActionId(64 * word as u16), u64::from_le_bytes(bytes));
            }
            chosen.push(if legal.is_empty() { 0 } else { i64::from(self.net.best(&legal, room).0) });
        })?;
        Ok(PyArray1::from_vec(py, chosen))
    }
}

impl Net {
    /// Evaluates each row, and gives its number and its evaluation to `take`.
    fn each(
        &self,
        bits: &PyReadonlyArray2<'_, u8>,
        numbers: &PyReadonlyArray2<'_, i16>,
        advice: Option<&PyReadonlyArray1<'_, i64>>,
        mut take: impl FnMut(usize, &NetRoom),
    ) -> PyResult<()> {
        let (bit_count, number_count) = self.net.head.rules.observation_size();
        let width = bit_count.div_ceil(64) * 8;
        let count = bits.shape()[0];
        if bits.shape() != [count, width] || numbers.shape() != [count, number_count] {
            return Err(PyValueError::new_err(format!(
                "expected packed bits of shape (n, {width}) and numbers of shape (n, {number_count}), got {:?} and {:?}",
                bits.shape(),
                numbers.shape()
            )));
        }
        let advice = self.advice(advice, count)?;
        let (bits, numbers) = (bits.as_slice()?, numbers.as_slice()?);
        let (mut room, mut words) = (NetRoom::default(), Vec::new());
        for row in 0..count {
            words.clear();
            let own = bits[row * width..][..width].as_chunks::<8>().0;
            words.extend(own.iter().map(|&bytes| u64::from_le_bytes(bytes)));
            let advice = advice.as_ref().map(|advice| advice[row]);
            self.net.see_observation(&words, &numbers[row * number_count..][..number_count], advice, &mut room);
            take(row, &room);
        }
        Ok(())
    }

    /// Returns the choices of the adviser, an action for each row; None if the net has no adviser.
    fn advice(&self, given: Option<&PyReadonlyArray1<'_, i64>>, count: usize) -> PyResult<Option<Vec<ActionId>>> {
        let Some(adviser) = self.net.head.adviser else {
            let message = "expected no advice: this net has no adviser";
            return if given.is_none() { Ok(None) } else { Err(PyValueError::new_err(message)) };
        };
        let actions = self.net.head.rules.action_count();
        let action = |&id: &i64| u16::try_from(id).ok().map(ActionId).filter(|id| id.index() < actions);
        let given = given.map(|ids| ids.as_slice()).transpose()?.filter(|ids| ids.len() == count);
        let ids: Option<Vec<ActionId>> = given.and_then(|ids| ids.iter().map(action).collect());
        let message = || format!("expected the choices of {adviser} as advice, {count} ids of actions below {actions}");
        ids.map(Some).ok_or_else(|| PyValueError::new_err(message()))
    }
}

/// Loads a net for the life of the process, and returns its name as a bot: see `_native.pyi`.
#[pyfunction]
pub(crate) fn load_net(py: Python<'_>, data: &[u8]) -> PyResult<String> {
    let net = py.detach(|| nets::load(data, None)).map_err(PyValueError::new_err)?;
    Ok(net.name())
}

/// Plays a rollout, and writes its rows: see `_native.pyi`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a rollout has these columns")]
pub(crate) fn roll_out<'py>(
    py: Python<'py>,
    environments: &Environments,
    net: &Net,
    steps: usize,
    temperature: f64,
    mut rows: PyReadwriteArray1<'_, u8>,
    mut actions: PyReadwriteArray1<'_, i64>,
    mut log_probabilities: PyReadwriteArray1<'_, f32>,
    mut values: PyReadwriteArray1<'_, f32>,
    mut starts: PyReadwriteArray1<'_, u8>,
    mut advice: PyReadwriteArray1<'_, i64>,
    mut last: PyReadwriteArray1<'_, u8>,
    mut last_values: PyReadwriteArray1<'_, f32>,
) -> PyResult<(u64, Bound<'py, PyBytes>)> {
    let Some(temperature) = Temperature::new(temperature) else {
        return Err(PyValueError::new_err(format!("expected a temperature from 0 to 1000, got {temperature}")));
    };
    let game = environments.engine().setup.rules().info().id;
    if net.game() != game {
        return Err(PyValueError::new_err(format!("expected a net for {game}, got one for {}", net.game())));
    }
    let memory = RolloutMemory {
        rows: RowMemory::Block(rows.as_slice_mut()?),
        actions: actions.as_slice_mut()?,
        log_probabilities: log_probabilities.as_slice_mut()?,
        values: values.as_slice_mut()?,
        starts: starts.as_slice_mut()?,
        advice: advice.as_slice_mut()?,
        last: RowMemory::Block(last.as_slice_mut()?),
        last_values: last_values.as_slice_mut()?,
    };
    let cores = environments.cores.cores(true)?;
    let plan = RolloutPlan { net: &net.net, steps, temperature, cores: &cores };
    let played = py.detach(|| environments.engine().roll_out(plan, memory));
    let (nanoseconds, episodes) = played.map_err(|error| refused(&error))?;
    let episodes = Batch { episodes: episodes.iter().map(convert::episode).collect(), ..Batch::default() };
    Ok((nanoseconds, PyBytes::new(py, &episodes.encode_to_vec())))
}

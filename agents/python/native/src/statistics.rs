//! Statistics of evaluations, as the host computes them.

use ahu_engine::host::statistics::{Bounds, Estimate};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Returns the mean of shares between 0 and 1, one of each block, float64 [n], and its 95 % interval: mean, low, high.
#[pyfunction]
pub(crate) fn share_of(shares: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, f64, f64)> {
    let Estimate { mean, low, high, .. } = Estimate::of_bounded(shares.as_slice()?, Bounds::SHARE);
    Ok((mean, low, high))
}

/// Returns the mean of values without bounds, one of each block, float64 [n], and its 95 % interval: mean, low, high.
#[pyfunction]
pub(crate) fn mean_of(values: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, f64, f64)> {
    let Estimate { mean, low, high, .. } = Estimate::of(values.as_slice()?);
    Ok((mean, low, high))
}

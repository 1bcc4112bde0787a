//! Seeds as arguments.

use ahu_core::Seed;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A seed as an argument, with the error of `ahu._seeds`.
pub(crate) struct SeedArgument(pub(crate) Seed);

impl<'py> FromPyObject<'_, 'py> for SeedArgument {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        argument.extract::<u64>().map(|seed| Self(Seed(seed))).map_err(|error| {
            match error.is_instance_of::<PyOverflowError>(argument.py()) {
                true => PyValueError::new_err(format!("expected a seed from 0 to 2**64 - 1, got {}", *argument)),
                false => error,
            }
        })
    }
}

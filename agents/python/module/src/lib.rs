//! The module `ahu._native` of the package `ahu`. A crate with other games has a module of its own: see `examples/games/python`.

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ahu_native::fill(module)
}

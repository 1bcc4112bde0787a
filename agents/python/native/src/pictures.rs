//! Pictures in pixels.

use ahu_engine::raster::Raster;
use numpy::ndarray::Array3;
use numpy::{IntoPyArray as _, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Draws an SVG with this width in pixels, 100 to 1,600. Returns an array of the shape (height, width, 3) with red, green, and
/// blue of each pixel, uint8. Raises a `ValueError` for another width, and for a text that is no SVG.
#[pyfunction]
pub(crate) fn pixels<'py>(py: Python<'py>, svg: &str, width: u32) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let picture = py.detach(|| Raster::of(svg, width)).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (width, height) = picture.size();
    let pixels = Array3::from_shape_vec((height as usize, width as usize, 3), picture.rgb());
    Ok(pixels.expect("three bytes for each pixel").into_pyarray(py))
}

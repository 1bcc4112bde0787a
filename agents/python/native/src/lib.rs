//! The content of the module `ahu._native`: environments and single games in the process of the caller, and work on rows of bits.
//!
//! `environments.rs` has the environments; `worker.rs` the thread that steps them while the trainer works, and `cores.rs`
//! the cores that a batch may take. `legal_actions.rs` has the legal actions of environments wherever these run, and
//! `rows.rs` the observations and masks of a batch as arrays. `recording.rs` makes and reads records of games. `state.rs`
//! has one game in Python's hands, `observation.rs` its views, `states.rs` lists of States, and `rollout.rs` the work on many
//! copies. `nets.rs` has nets. `refusal.rs` has the errors, and `seed.rs` seeds as arguments. This file has the functions
//! without a state: pictures, and clocks as texts. Arrays belong to Python: a call writes into them and keeps none.
//!
//! **Python trains in its own process**, since a round trip to a server costs a single environment some 500 us a step, and a
//! vector environment the threads and copies of gRPC. So this module holds the vector environments of the service, and reads the
//! same requests. It writes rows into one block of memory that Python owns, column after column, with the GIL released. `send`
//! hands a step to a thread that has rows of its own, and `recv` copies them into the block. So no array changes behind the
//! trainer's back, and our code needs no `unsafe`.

#![expect(clippy::needless_pass_by_value, reason = "the arguments of a function for Python are values")]

mod cores;
mod engine;
mod environments;
mod legal_actions;
mod nets;
mod observation;
mod recording;
mod refusal;
mod rollout;
mod rows;
mod seed;
mod state;
mod states;
mod worker;

use std::num::NonZeroU32;

use ahu_host::raster::Raster;
use ahu_host::{AnyRules, GAMES, TimeControl};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray as _, PyArray3};
use pyo3::exceptions::{PyImportError, PyValueError};
use pyo3::prelude::*;

/// Makes a module of another crate the extension module of the package `ahu`, with the games of that crate beside ours. Its
/// program imports it before `ahu`.
///
/// # Errors
/// A `ValueError` if the games cannot be registered, and an `ImportError` if `ahu` was imported first.
pub fn install(module: &Bound<'_, PyModule>, games: &[&'static dyn AnyRules]) -> PyResult<()> {
    const NAME: &str = "ahu._native";
    let modules = module.py().import("sys")?.getattr("modules")?;
    if modules.contains(NAME)? {
        return Err(PyImportError::new_err(format!("expected the import of {} before that of ahu", module.name()?)));
    }
    GAMES.register(games).map_err(|error| PyValueError::new_err(error.to_string()))?;
    fill(module)?;
    modules.set_item(NAME, module)
}

/// Fills a module with the classes and functions of `ahu._native`.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<cores::Cores>()?;
    module.add_class::<environments::Environments>()?;
    module.add_class::<legal_actions::LegalActions>()?;
    module.add_class::<nets::Net>()?;
    module.add_class::<observation::StateEvent>()?;
    module.add_class::<observation::StateObservation>()?;
    module.add_class::<rollout::ActionAnalysis>()?;
    module.add_class::<rollout::Analysis>()?;
    module.add_class::<state::State>()?;
    module.add_class::<worker::Pending>()?;
    module.add("Refused", module.py().get_type::<refusal::Refused>())?;
    let functions = [
        wrap_pyfunction!(environments::catalog_game, module),
        wrap_pyfunction!(environments::catalog_games, module),
        wrap_pyfunction!(environments::parse_action, module),
        wrap_pyfunction!(environments::read_batch, module),
        wrap_pyfunction!(nets::load_net, module),
        wrap_pyfunction!(nets::roll_out, module),
        wrap_pyfunction!(pixels, module),
        wrap_pyfunction!(recording::finish_record, module),
        wrap_pyfunction!(recording::read_decisions, module),
        wrap_pyfunction!(recording::read_header, module),
        wrap_pyfunction!(recording::verify_record, module),
        wrap_pyfunction!(rollout::analyse, module),
        wrap_pyfunction!(rollout::returns_of, module),
        wrap_pyfunction!(rollout::rollout, module),
        wrap_pyfunction!(rows::flatten, module),
        wrap_pyfunction!(rows::nth, module),
        wrap_pyfunction!(rows::unheld, module),
        wrap_pyfunction!(rows::unpack, module),
        wrap_pyfunction!(state::new_state, module),
        wrap_pyfunction!(state::restore_state, module),
        wrap_pyfunction!(states::children, module),
        wrap_pyfunction!(states::observe, module),
        wrap_pyfunction!(time_control, module),
    ];
    functions.into_iter().try_for_each(|function| module.add_function(function?))
}

/// Parses a time control. Returns its startup, limit, bank, increment, and lag in milliseconds; None for no limit or no bank.
/// Raises a `ValueError` for another text.
#[pyfunction]
fn time_control(text: &str) -> PyResult<[Option<u32>; 5]> {
    let TimeControl { startup, limit, bank, increment, lag } = text.parse().map_err(PyValueError::new_err::<String>)?;
    Ok([Some(startup), limit.map(NonZeroU32::get), bank.map(NonZeroU32::get), Some(increment), Some(lag)])
}

/// Draws an SVG with this width in pixels, 100 to 1,600. Returns an array of the shape (height, width, 3) with red, green, and
/// blue of each pixel, uint8. Raises a `ValueError` for another width, and for a text that is no SVG.
#[pyfunction]
fn pixels<'py>(py: Python<'py>, svg: &str, width: u32) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let picture = py.detach(|| Raster::of(svg, width)).map_err(PyValueError::new_err)?;
    let (width, height) = picture.size();
    let pixels = Array3::from_shape_vec((height as usize, width as usize, 3), picture.rgb());
    Ok(pixels.expect("three bytes for each pixel").into_pyarray(py))
}

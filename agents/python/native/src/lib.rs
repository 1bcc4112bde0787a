//! The module `ahu._native`: environments and single games in the process of the caller, and work on rows of bits.
//!
//! `environments.rs` has the environments; `worker.rs` the thread that steps them while the trainer works, and `cores.rs`
//! the cores that a batch may take. `legal_actions.rs` has the legal actions of environments wherever these run, and
//! `rows.rs` the observations and masks of a batch as arrays. `recording.rs` makes and reads records of games. `pictures.rs` draws
//! pictures in pixels. `state.rs` has one game in Python's hands, `observation.rs` the views of it, and `rollout.rs` the work
//! on many copies. `refusal.rs` has the errors. Arrays belong to Python: a call writes into them and keeps none.

#![expect(clippy::needless_pass_by_value, reason = "the arguments of a function for Python are values")]

mod cores;
mod engine;
mod environments;
mod legal_actions;
mod observation;
mod pictures;
mod recording;
mod refusal;
mod rollout;
mod rows;
mod state;
mod statistics;
mod worker;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::cores::Cores;
    #[pymodule_export]
    use super::environments::{Environments, catalog_game};
    #[pymodule_export]
    use super::legal_actions::LegalActions;
    #[pymodule_export]
    use super::observation::{StateEvent, StateObservation};
    #[pymodule_export]
    use super::pictures::pixels;
    #[pymodule_export]
    use super::recording::{finish_record, read_decisions};
    #[pymodule_export]
    use super::refusal::Refused;
    #[pymodule_export]
    use super::rollout::{ActionAnalysis, Analysis, analyse, rollout};
    #[pymodule_export]
    use super::rows::{flatten, nth, unpack};
    #[pymodule_export]
    use super::state::{State, new_state, restore_state};
    #[pymodule_export]
    use super::statistics::{mean_of, share_of};
}

//! Ahu: a referee for board and card games of Easter Island, played by programs.
//!
//! The crate is named after the stone platforms on which the moai stand. The games and their referee are in the crate
//! `ahu_engine`, which has no network. This crate adds these layers:
//!
//! * [`cup`]: the files, journals, and standings of tournaments.
//! * [`suite`]: the files, reports, and checks of benchmarks.
//! * [`proto`]: the messages and services of the API.
//! * [`service`]: the server, which puts matches on the network.
//! * `mcp`: the tools of the server for language models (the feature `mcp`).
//!
//! The program `ahu` is built on all of them.

pub mod cup;
#[cfg(any(test, fuzzing))]
#[path = "../fuzz/targets/mod.rs"]
pub mod fuzzing;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod page;
pub mod proto;
pub mod service;
pub mod suite;

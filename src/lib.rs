//! Ahu: a referee for board and card games of Easter Island, played by programs.
//!
//! The crate has its name from the stone platforms on which the moai stand. The games and their referee are the crate
//! `ahu_engine`, without a network. The layers above it, each of which uses only those below it:
//!
//! * [`cup`]: tournaments: their files, journals, and standings.
//! * [`suite`]: benchmarks: suites, reports, and their checks.
//! * [`proto`]: the messages and services of the API.
//! * [`service`]: the network.
//!
//! The program `ahu` is built on all of them.

pub mod cup;
pub mod page;
pub mod proto;
pub mod service;
pub mod suite;

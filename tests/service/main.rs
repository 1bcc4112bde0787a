//! The service as a client sees it: one server a test, on a port of the system's choosing.

mod actions;
mod agents;
mod api_page;
mod catalog;
mod discovery;
mod environments;
mod errors;
mod expiry;
mod formats;
mod idempotency;
mod joining;
mod journal;
mod leaks;
mod listing;
mod matches;
mod protos;
mod records;
mod scripted;
mod server;
mod sockets;
mod store;
mod strikes;
mod transport;

//! The service as a client sees it: one server for each test, on a free port.

mod actions;
mod agents;
mod api_page;
mod bots;
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
mod with_store;

//! The service as a client sees it: one server a test, on a port of the system's choosing.

mod agents;
mod catalog;
mod faults;
mod matches;
mod protos;
mod server;

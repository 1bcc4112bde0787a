//! Connections: listening on addresses, calls to a server elsewhere, and relays between the two.

pub(super) mod listener;
pub(super) mod metrics_address;
pub(super) mod relay;
pub(super) mod server_calls;

//! Admission: what decides whether a connection or a call gets in, when its turn comes, and what it costs.

mod calls;
mod connections;
mod costs;
mod frames;
mod limiter;
mod proxies;

pub(super) use self::calls::{Calls, serve as serve_call};
pub(super) use self::connections::{Accepted, Connection};
pub(super) use self::limiter::{Caller, Lease, Limiter, Principal, playouts, reserve};
pub use self::proxies::TrustedProxies;

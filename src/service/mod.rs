//! The service: it puts matches, environments, and a cup on the network, over gRPC and HTTP. It knows games only through the
//! host.
//!
//! * `server.rs` is the server and the loop that serves it on a listener, and `certificate.rs` its certificate for TLS. `limits/`
//!   has every limit with its reason.
//! * `accounts/` has the accounts and their keys, `admin.rs` the commands of the operator to a running server, and `audit.rs` the
//!   log of who did what.
//! * `admission/` decides whether a connection or a call gets in, when its turn comes, and what it costs.
//! * `matches/` hosts matches: its handlers answer the calls, `live_match/` is one match, `journal/` writes the store.
//! * `catalog.rs`, `environments.rs`, and `tournament/` are the handlers of the other services; `web/` is the page, with the tools
//!   for language models beside it.
//! * `store/` keeps matches on disk, and has the work of `ahu data`; `metrics/` counts for the operator.
//! * `refusals.rs` has the errors that only a server has, and `status.rs` turns errors into gRPC statuses.
//!
//! **Every request may be sent twice.** An agent that loses an answer sends its request again and gets the same answer.
//! `Step` names the decision that it answers: the server keeps a refused answer to an open decision in memory, and repeats the
//! error, even if the seat has forfeited or the match has ended since. `CreateMatch` and `JoinMatch` carry a `request_id`: the
//! server keeps the result as long as the match, with the hash of the id and of the content, and refuses an id that comes with
//! other content. The server stores no tokens. A token is a hash over the key of the server, the match, the seat, and the
//! request, so the same request gets the same token, and a host that continues a stored match finds the tokens of its players.
//!
//! **A fault of rules or bots stays where it is.** A panic in a match voids the match. Locks are taken even if a holder has
//! panicked, because holders leave the locked value whole. A panic in an environment ends its vector environment, whose other
//! environments are half stepped; the error names the game, the seed, and the ply.

pub mod accounts;
mod admin;
pub(crate) mod admission;
mod audit;
mod background;
mod catalog;
mod certificate;
mod environments;
mod lifecycle;
pub mod limits;
mod matches;
mod metrics;
mod refusals;
mod reservation;
mod secrets;
mod server;
mod status;
pub mod store;
mod tournament;
mod web;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use admin::{ADMIN_SOCKET, AdminError, execute_in, serve_admin};
pub use admission::{TrustedProxies, scope_table};
pub use audit::{AUDIT, Audit, AuditLine};
pub use certificate::{Certificate, CertificateError};
pub use environments::Environments;
pub use limits::{Limits, Rate, Rates, Share, Shares};
pub use matches::{
    AssignedSeat, Clock, DebugCommand, LiveMatch, MatchConfig, Matches, PracticeOffer, Recovered, RecoveryError,
    SeatQueue, SupervisorConfig, Workers,
};
pub use metrics::serve_metrics;
pub use reservation::Reservation;
pub use secrets::{agent_key_hash, new_agent_key};
pub use server::{Listener, Server, run};
pub use status::DOMAIN;
pub use web::Page;

/// An error that ends the service.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The primitives that threads share. The test `interleavings` compiles the small types that use them with the primitives of
/// shuttle instead.
mod sync {
    pub(crate) use std::sync::*;
    pub(crate) use std::thread;
}

/// Locks a value, even after a holder has panicked. Holders leave the value whole, so a panic elsewhere is no reason to stop.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

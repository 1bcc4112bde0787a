//! The service: it puts matches, environments, and cups on the network, over gRPC and HTTP.
//!
//! * `server.rs` is the server and the loop that serves it on a listener. `limits/` has every limit with its reason.
//! * `handlers/` answers the calls of gRPC, a file for each service; [`proto`] has the messages and services.
//! * `matches/` hosts matches: `live_match/` is one match, `journal/` writes the store.
//! * `admission/` decides whether a connection or a call gets in, when its turn comes, and what it costs; in `connections/`,
//!   accepting, TLS, silence, and pacing.
//! * `accounts/` has the accounts and their keys, `admin.rs` the commands of the operator to a running server, and `audit.rs` the
//!   log of who did what.
//! * `cups/` shows cups, and hosts those of organisers elsewhere.
//! * `web/` is the page, with the tools for language models (`mcp/`) beside it.
//! * `store/` keeps matches on disk, and has the work of `ahu data`; `metrics/` counts for the operator.
//! * `compressed.rs` is gzip for browsers: what many of them get is compressed once.
//! * `stderr.rs` writes logs, and never blocks or fails.
//! * `refusals.rs` has the errors that only a server has, and `status.rs` turns errors into gRPC statuses.
//!
//! **It must not know** games, other than through the host, nor who plays: it starts no program and reads no argument.
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

/// Implements Debug for types whose content is secret or large: they show their names alone.
macro_rules! opaque {
    ($type:ident) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    };
}

pub mod accounts;
mod admin;
pub(crate) mod admission;
mod audit;
mod background;
mod compressed;
mod cups;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod handlers;
mod lifecycle;
pub mod limits;
mod matches;
#[cfg(feature = "mcp")]
pub mod mcp;
mod metrics;
mod organiser;
pub mod proto;
mod refusals;
mod reservation;
mod secrets;
mod server;
mod socket_path;
mod status;
mod stderr;
pub mod store;
mod web;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use admin::{ADMIN_SOCKET, AdminError, execute_in, serve_admin};
pub use admission::{Certificate, Listener, TrustedProxies, authority_filter, scope_table};
pub use audit::{AUDIT, Audit, AuditLine, audit_lines};
pub use background::{FITS, lower_priority};
pub use handlers::Environments;
pub use limits::{Limits, Rate, Rates, Share, Shares};
pub use matches::{
    AssignedSeat, Clock, DebugCommand, LiveMatch, MatchConfig, Matches, PracticeOffer, Recovered, RecoveryError,
    SeatQueue, SupervisorConfig, Workers,
};
pub use metrics::serve_metrics;
pub use organiser::{CupId, Organiser, OwnedCup};
pub use reservation::Reservation;
pub use secrets::{agent_key_hash, entrant_hash, new_agent_key};
pub use server::{Server, run};
pub use socket_path::at_short_path;
pub use status::DOMAIN;
pub use stderr::Stderr;
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

//! Admission: whether a connection or a call gets in, when its turn comes, and what it costs.
//!
//! # Each address has a share
//!
//! One limiter counts for principals: the account behind the key of a call, or else its address, or the seat whose token a call
//! brings. So many keys of one account and many addresses have one share. Connections and frames count for the address, since
//! they come before any key. A share is a count of what a principal has now, not a
//! rate. The value that holds a part of a share also gives it back, so nothing can be counted twice or for ever.
//!
//! The matches of this process and of an organiser with a key count for nobody. Matches that are read back from the store do
//! not count either, because the store does not keep their creators. Loopback addresses and Unix sockets have higher shares,
//! since one user's cup or trainer has hundreds of clients; but a share of everything would let one program on the machine lock
//! out the world. Search bots have a share of playouts, because they take whole cores. A trusted proxy names the caller by the
//! last address that the proxy did not write itself, in the one header that the proxy writes. Callers whose address cannot be
//! read have one remote share together: never a share of this machine, and never that of an address of the client's choice.
//!
//! `connections/` accepts connections, and closes those of clients that are silent.
//!
//! # A call that comes too early waits
//!
//! Shares do not bound how fast an address takes processor time; a rate does. To refuse a call would cost about as much as to
//! answer it, and an honest client with a burst would have to send the call again. A call that waits costs a timer, holds its
//! share, and so slows its client. A call that its client gave up while it waited costs nothing, so a flood does not delay
//! others at its address after the flood has ended. Frames have a rate too (`connections/frames.rs`). The limiter keeps a
//! principal without connections until its rates have worked off what it began, so a new connection does not begin anew. The
//! messages to watchers have one rate, which principals share evenly (`limiter/turns.rs`).
//!
//! # A large call costs more, and waits for its own room
//!
//! A rate that counts calls alone would let a client take a core with large ones, so calls have costs (`costs.rs`): a table by
//! path, measured once, and the bytes of the answer, which are most of the work of large calls. Times that the server measures
//! would charge a client for the noise of others. Bytes under way are a share for which a call waits, in order, before its
//! answer is made. The bytes of an answer give the share back when HTTP/2 drops them, since only HTTP/2 knows when they are
//! sent. A call that waits for a match or a decision holds no room meanwhile. Large answers are made by background threads with
//! a lower priority; the layer of `calls.rs` moves a call there by its path, so no handler knows of it.

mod calls;
mod connections;
mod costs;
mod credentials;
mod deadline;
mod limiter;
mod proxies;
mod scopes;

pub(super) use self::calls::{Arrived, serve as serve_call};
#[cfg(any(test, fuzzing))]
pub use self::connections::connection_bytes;
pub use self::connections::{Certificate, Listener, authority_filter};
pub(super) use self::connections::{Gate, admitted, secured};
pub(super) use self::costs::MCP;
pub(super) use self::credentials::KEY;
pub(super) use self::deadline::WithDeadlines;
#[cfg(feature = "mcp")]
pub(super) use self::limiter::Payment;
pub(super) use self::limiter::{Lease, Ledger, Limiter, Principal, playouts, reserve};
pub use self::proxies::TrustedProxies;
#[cfg(any(test, fuzzing))]
pub use self::proxies::fuzzing as forwarded_header;
#[cfg(feature = "mcp")]
pub(super) use self::proxies::origin;
pub use self::scopes::scope_table;

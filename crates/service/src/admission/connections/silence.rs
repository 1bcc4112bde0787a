//! Silence: the calls and answers of a connection, and the reasons to close it.

use std::sync::{Arc, Mutex};

use ahu_core::named;
use tokio::time::Instant;

use crate::admission::limiter::Ledger;
use crate::lock;

/// The part of a connection that its calls know.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionInfo {
    /// The ledger of the address of the client.
    pub(crate) ledger: Ledger,
    /// True if the client is a trusted proxy, which forwards the calls of others.
    pub(crate) is_proxy: bool,
    /// The reason to refuse all calls of the connection; None to admit them.
    pub(crate) refusal: Option<Refusal>,
    pub(super) activity: Arc<Mutex<Activity>>,
}

/// The reason to refuse all calls of a connection, which is served for a moment so that its calls learn the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The connection is beyond the share of its address.
    Excess,
    /// The connection is plain text, and the port is for TLS.
    Plain,
}

/// The calls of a connection, and its answers under way.
#[derive(Debug)]
pub(super) struct Activity {
    /// True once a call has begun.
    pub(super) has_called: bool,
    pub(super) in_progress: usize,
    /// The end of the last call; the start of the connection before the first call.
    pub(super) last_end: Instant,
    /// The number of answers that the client has not taken in.
    pub(super) unread: usize,
    /// The time at which the client last took in a part of an answer, or at which the first unread answer was ready; None
    /// without unread answers.
    pub(super) unread_since: Option<Instant>,
}

/// An answer that its client has not taken in. The drop of this value means that it has.
#[derive(Debug)]
pub(crate) struct UnreadAnswer(Arc<Mutex<Activity>>);

/// A call in progress on a connection. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct CallOnConnection(Arc<Mutex<Activity>>);

impl ConnectionInfo {
    pub(crate) fn begin_call(&self) -> CallOnConnection {
        let mut activity = lock(&self.activity);
        activity.has_called = true;
        activity.in_progress += 1;
        CallOnConnection(Arc::clone(&self.activity))
    }

    /// Begins to send an answer.
    pub(crate) fn begin_answer(&self) -> UnreadAnswer {
        let mut activity = lock(&self.activity);
        activity.unread += 1;
        activity.unread_since.get_or_insert_with(Instant::now);
        UnreadAnswer(Arc::clone(&self.activity))
    }
}

impl UnreadAnswer {
    /// Notes that the client has taken in a part of the answer.
    pub(crate) fn note_progress(&self) {
        lock(&self.0).unread_since = Some(Instant::now());
    }
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        let mut activity = lock(&self.0);
        activity.unread -= 1;
        activity.unread_since = (activity.unread > 0).then(Instant::now);
    }
}

impl Drop for CallOnConnection {
    fn drop(&mut self) {
        let mut activity = lock(&self.0);
        activity.last_end = Instant::now();
        activity.in_progress -= 1;
    }
}

named! {
    /// The reason to close a connection, with its name in metrics and logs.
    pub(super) enum Closing("reason") {
        /// The client has not begun HTTP in time.
        Handshake = "handshake",
        /// The client sends nothing, not even answers to pings.
        Silent = "silent",
        /// The client makes no call.
        Idle = "idle",
        /// The client takes in none of its answers.
        Unread = "unread",
        /// All calls of the connection are refused.
        Excess = "excess",
        /// The client and the server did not agree on TLS.
        Tls = "tls",
    }
}

//! The payment for a call by its principal, as an extension of the request.

use std::sync::{Arc, Mutex};

use tonic::Extensions;

use super::ledger::{Ledger, Room};
use crate::limits::ANSWER_ROOM;
use crate::lock;

/// The principal that pays for a call, and the room of the call. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Payment {
    ledger: Ledger,
    /// The units that the principal may take in a second.
    rate: u32,
    room: Arc<Mutex<Room>>,
}

impl Payment {
    /// Creates the payment of a call that has no room yet.
    pub(crate) fn new(ledger: Ledger, rate: u32) -> Self {
        Self { ledger, rate, room: Arc::default() }
    }

    /// Waits for the turn of a call with a cost of these units. Tells `delayed` if it has to wait.
    pub(crate) async fn turn(&self, units: u32, delayed: impl FnOnce()) {
        self.ledger.turn(units, self.rate, delayed).await;
    }

    /// Waits for room for this number of bytes, after it gives back the present room of the call.
    pub(crate) async fn reserve(&self, bytes: usize) {
        drop(std::mem::take(&mut *lock(&self.room)));
        let room = self.ledger.room(bytes).await;
        *lock(&self.room) = room;
    }

    /// Waits for room for this number of bytes, unless the call has room or needs none.
    pub(crate) async fn ensure(&self, bytes: usize) {
        if bytes > 0 && lock(&self.room).0.is_none() {
            self.reserve(bytes).await;
        }
    }

    /// Gives back all but the room for this number of bytes.
    pub(crate) fn fit(&self, bytes: usize) {
        lock(&self.room).fit(&self.ledger, bytes);
    }

    /// Charges these units for the answer, and returns the room of the call, fitted to this number of bytes.
    pub(crate) fn settle(&self, units: u32, bytes: usize) -> Room {
        self.ledger.charge(units, self.rate);
        let mut room = std::mem::take(&mut *lock(&self.room));
        room.fit(&self.ledger, bytes);
        room
    }
}

/// Waits for room for a large answer to a request with these extensions. A handler calls it just before it makes its answer,
/// after any other wait, since a call that waits must hold no room. A request within the process pays nothing.
pub(crate) async fn reserve(extensions: &Extensions) {
    if let Some(payment) = extensions.get::<Payment>() {
        payment.reserve(ANSWER_ROOM).await;
    }
}

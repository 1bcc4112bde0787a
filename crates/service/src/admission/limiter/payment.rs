//! The payment for a call by its principal, and the caller of a request. Both are extensions of the request.

use std::sync::{Arc, Mutex};

use ahu_host::BotName;
use ahu_host::api::ApiError;
use tonic::Extensions;

use super::ledger::{Lease, Ledger, Room, playouts};
use crate::limits::{ANSWER_ROOM, Rate, Share};
use crate::lock;
use crate::proto::v1;

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

/// The caller of a request: the ledger of its address. A request within the process has no ledger, and nothing is counted for
/// it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller(pub(crate) Option<Ledger>);

impl Caller {
    /// Returns the caller of a request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Takes amounts of the caller's shares: see [`Ledger::lease`].
    pub(crate) fn lease(&self, amounts: &[(Share, u64)]) -> Result<Lease, ApiError> {
        self.0.as_ref().map_or_else(|| Ok(Lease::default()), |ledger| ledger.lease(amounts))
    }

    /// Takes the shares of one match with these bots, by seat: None for an agent, for whom the `stand_in` may play.
    pub(crate) fn lease_match(&self, bots: &[Option<BotName>], stand_in: BotName) -> Result<Lease, ApiError> {
        let is_alone = bots.iter().all(Option::is_some).into();
        let playouts = bots.iter().map(|bot| playouts(bot.unwrap_or(stand_in))).max().unwrap_or(0);
        self.lease(&[(Share::Matches, 1), (Share::BotMatches, is_alone), (Share::Playouts, playouts)])
    }

    /// Returns the rates of the caller; None if nothing is counted for it.
    pub(crate) fn rates(&self) -> Option<v1::Rates> {
        let rates = self.0.as_ref()?.rates();
        Some(v1::Rates { calls: rates[Rate::Calls], connections: rates[Rate::Connections] })
    }

    /// Returns the shares of the caller; None if nothing is counted for it.
    pub(crate) fn shares(&self) -> Option<v1::Shares> {
        let shares = self.0.as_ref()?.shares();
        Some(v1::Shares {
            connections: shares[Share::Connections],
            calls: shares[Share::Calls],
            matches: shares[Share::Matches],
            bot_matches: shares[Share::BotMatches],
            playouts: shares[Share::Playouts],
            environments: shares[Share::Environments],
            environment_streams: shares[Share::EnvironmentStreams],
            unopened_streams: shares[Share::UnopenedStreams],
            watchers: shares[Share::Watchers],
            bytes: shares[Share::Bytes],
        })
    }
}

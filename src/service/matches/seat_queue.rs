//! The seats that one agent plays one after the other. An agent with a key asks for the next one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::Matches;
use super::live::LiveMatch;
use super::progress::TokenHash;
use crate::core::{Seat, hex};
use crate::proto::v1;
use crate::service::limits::MAX_WAIT;
use crate::service::random::random_bytes;

/// A seat that an agent has to play.
#[derive(Clone, Debug)]
pub struct AssignedSeat {
    /// The match.
    pub live: Arc<LiveMatch>,
    /// The seat, which the agent has joined.
    pub seat: Seat,
    /// The token of the seat.
    pub token: String,
    /// The seed of the agent's own random choices in this match, if the host gives one.
    pub agent_seed: Option<u64>,
}

/// The seats of an agent, and the key with which it asks for them. The key is valid until the queue is dropped.
#[derive(Debug)]
pub struct SeatQueue {
    key: String,
    seats: Arc<Seats>,
    all: SeatQueues,
}

/// The queues of a server, by the hash of their key. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct SeatQueues(Arc<Mutex<HashMap<TokenHash, Arc<Seats>>>>);

/// The seats of one queue.
#[derive(Debug, Default)]
pub(super) struct Seats {
    state: Mutex<State>,
    /// Announces a new seat and the close.
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<AssignedSeat>,
    has_asked: bool,
    is_closed: bool,
}

impl Matches {
    /// Creates an empty queue with a new key.
    pub fn new_seat_queue(&self) -> SeatQueue {
        let key = hex(&random_bytes::<32>());
        let seats = Arc::<Seats>::default();
        let all = self.seat_queues.clone();
        lock(&all.0).insert(TokenHash::of(&key), Arc::clone(&seats));
        SeatQueue { key, seats, all }
    }
}

impl SeatQueue {
    /// Returns the key, which the agent has to keep from others.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Adds a seat.
    pub fn add(&self, seat: AssignedSeat) {
        lock(&self.seats.state).waiting.push_back(seat);
        self.seats.changes.send_replace(());
    }

    /// Tells the agent that no more seats come.
    pub fn close(&self) {
        lock(&self.seats.state).is_closed = true;
        self.seats.changes.send_replace(());
    }

    /// Returns true if the agent has ever asked for a seat: it can play many matches.
    pub fn has_asked(&self) -> bool {
        lock(&self.seats.state).has_asked
    }
}

impl Drop for SeatQueue {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&TokenHash::of(&self.key));
    }
}

impl SeatQueues {
    /// Returns the seats of the agent with this key.
    pub(super) fn find(&self, key: TokenHash) -> Option<Arc<Seats>> {
        lock(&self.0).get(&key).cloned()
    }
}

impl Seats {
    /// Waits until there is a seat to play, at most this time, and returns it.
    pub(super) async fn next(&self, wait: Duration) -> v1::AwaitSeatResponse {
        lock(&self.state).has_asked = true;
        let mut changes = self.changes.subscribe();
        let ready = changes.wait_for(|()| {
            let mut state = lock(&self.state);
            state.drop_played();
            state.is_closed || !state.waiting.is_empty()
        });
        // If the time passes, the answer has no seat.
        let _ = tokio::time::timeout(wait.min(MAX_WAIT), ready).await;
        let mut state = lock(&self.state);
        state.drop_played();
        let assigned = state.waiting.front().map(|AssignedSeat { live, seat, token, agent_seed }| v1::AssignedSeat {
            match_id: live.id.to_string(),
            seat: Some(seat.index() as u32),
            seat_token: token.clone(),
            agent_seed: *agent_seed,
        });
        v1::AwaitSeatResponse { closed: state.is_closed && assigned.is_none(), assigned }
    }
}

impl State {
    /// Drops the first seats for which there is nothing more to play.
    fn drop_played(&mut self) {
        while self.waiting.front().is_some_and(AssignedSeat::is_played) {
            self.waiting.pop_front();
        }
    }
}

impl AssignedSeat {
    /// Returns true if the match has ended, or the seat has forfeited.
    fn is_played(&self) -> bool {
        self.live.has_ended() || self.live.with_referee(|referee| referee.forfeits()[self.seat].is_some()) == Some(true)
    }
}

/// Locks a value that every holder leaves whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

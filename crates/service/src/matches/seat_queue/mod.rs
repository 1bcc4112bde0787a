//! Seat queues: the seats that one agent plays one after the other. An agent asks for the next seat with its key (`AwaitSeat`).
//!
//! `AwaitSeat` returns the first seat of the queue that is not played. So the call may be sent again, and an agent that begins
//! anew goes on with its match. A program shows that it can play many matches by asking; no flag says so. It is a call of
//! `MatchService`, because it hands out seats as `JoinMatch` does.
//!
//! A queue lives as long as the host that filled it. A host that keeps the hash of the key makes the queue again, so a key can
//! outlive the process. A lost key is replaced by another one while the queue lives. Two processes with one key get the same
//! seats: the server cannot tell the second process from a first that began anew, and each decision takes one answer.
//!
//! A practice match is named by an id that the agent chooses, so an agent that lost the answer asks for the same match. The
//! practice withholds some answers after the step is carried out. Only a step that is sent again shows that an agent survives a
//! lost connection; a relay like the one in `ahu check-agent` cannot stand in front of remote agents.

mod practice;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_core::{Seat, hex};
use ahu_host::MatchTime;
use ahu_host::api::ApiError;
use tokio::sync::watch;

use self::practice::Practice;
pub use self::practice::PracticeOffer;
use super::live_match::{Presence, PresentCall};
use super::{Clock, LiveMatch, Matches};
use crate::limits::MAX_WAIT;
use crate::proto::v1;
use crate::secrets::{TokenHash, agent_key_hash, new_agent_key};
use crate::{lock, refusals};

/// The seats of one agent, who asks for them with a key. The key is valid until the queue is dropped.
///
/// All processes that have the key get the same seats. If two processes ask at the same time, both play the seat, and each
/// decision takes the first answer.
#[derive(Debug)]
pub struct SeatQueue {
    key: Mutex<TokenHash>,
    seats: Arc<Seats>,
    all: SeatQueues,
}

/// The queues of a server. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeatQueues {
    by_key: Arc<Mutex<HashMap<TokenHash, Arc<Seats>>>>,
    /// The number of calls that have begun or ended, which wakes the host.
    calls: watch::Sender<u64>,
    /// True if agents have no queues yet because their organiser has not called since the start of the server.
    pub(crate) await_organiser: Arc<AtomicBool>,
}

/// The seats of one queue.
#[derive(Debug)]
pub(crate) struct Seats {
    state: Mutex<State>,
    /// Announces a new seat and the close.
    changes: watch::Sender<()>,
    /// The contact of the agent with the server.
    presence: Arc<Presence>,
    clock: Clock,
    /// The counter of calls of all queues.
    calls: watch::Sender<u64>,
    practice: Mutex<Practice>,
}

#[derive(Debug, Default)]
struct State {
    /// The seats that are not played, the first one first.
    waiting: VecDeque<AssignedSeat>,
    is_closed: bool,
    /// The number of times that the key was renewed.
    renewals: u64,
}

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

impl AssignedSeat {
    /// Returns the message for the agent.
    pub(crate) fn message(&self) -> v1::AssignedSeat {
        let Self { live, seat, token, agent_seed } = self;
        v1::AssignedSeat {
            match_id: live.id.to_string(),
            seat: Some(seat.index() as u32),
            seat_token: token.clone(),
            agent_seed: *agent_seed,
        }
    }

    /// Returns true if the match has ended, or the seat has forfeited.
    pub(crate) fn is_played(&self) -> bool {
        self.live.has_ended() || self.live.with_referee(|referee| referee.forfeits()[self.seat].is_some()) == Some(true)
    }
}

impl Matches {
    /// Creates an empty queue with a new key, and returns both.
    pub fn new_seat_queue(&self) -> (SeatQueue, String) {
        let key = new_agent_key();
        (self.seat_queue_with_key(agent_key_hash(&key)), key)
    }

    /// Creates an empty queue for the agent whose key has this hash: see [`agent_key_hash`].
    ///
    /// # Panics
    /// If another queue has the same key.
    pub fn seat_queue_with_key(&self, hash: [u8; 32]) -> SeatQueue {
        let (key, all) = (TokenHash(hash), self.seat_queues.clone());
        let seats = Arc::new(Seats {
            state: Mutex::default(),
            changes: watch::Sender::default(),
            presence: Arc::default(),
            clock: self.context.clock.clone(),
            calls: all.calls.clone(),
            practice: Mutex::default(),
        });
        let before = lock(&all.by_key).insert(key, Arc::clone(&seats));
        assert!(before.is_none(), "expected one queue for each key, got a second one for {}", hex(&hash));
        SeatQueue { key: Mutex::new(key), seats, all }
    }

    /// Returns a receiver of the number of times that an agent with a key began or ended a call for a seat.
    pub fn seat_queue_calls(&self) -> watch::Receiver<u64> {
        self.seat_queues.calls.subscribe()
    }
}

impl SeatQueue {
    /// Adds a seat, unless the queue has it.
    pub fn add(&self, seat: AssignedSeat) {
        lock(&self.seats.state).add(seat);
        self.seats.changes.send_replace(());
    }

    /// Offers the agent practice matches like this one; None ends the offer.
    pub fn offer_practice(&self, offer: Option<PracticeOffer>) {
        lock(&self.seats.practice).offer = offer;
    }

    /// Tells the agent that no more seats come.
    pub fn close(&self) {
        self.set_closed(true);
    }

    /// Tells the agent that no more seats come; with false, that more may come.
    pub fn set_closed(&self, is_closed: bool) {
        lock(&self.seats.state).is_closed = is_closed;
        self.seats.changes.send_replace(());
    }

    /// Gives the agent another key, whose hash this is. The queue keeps its seats. Calls with the old key are refused, also those
    /// that wait for a seat. Returns false, and changes nothing, if another queue has this key.
    pub fn renew_key(&self, hash: [u8; 32]) -> bool {
        let (mut key, mut by_key) = (lock(&self.key), lock(&self.all.by_key));
        if key.0 == hash {
            return true;
        }
        if by_key.contains_key(&TokenHash(hash)) {
            return false;
        }
        by_key.remove(&*key);
        *key = TokenHash(hash);
        by_key.insert(*key, Arc::clone(&self.seats));
        lock(&self.seats.state).renewals += 1;
        self.seats.changes.send_replace(());
        true
    }

    /// Returns true if the agent has ever asked for a seat. Then it can play many matches.
    pub fn has_asked(&self) -> bool {
        self.seats.presence.has_called()
    }

    /// Returns true if a call of the agent waits for a seat now.
    pub fn is_waiting(&self) -> bool {
        self.seats.presence.is_calling()
    }

    /// Returns the time of the server at which the agent last asked or waited for a seat; None if it never asked.
    pub fn last_asked(&self) -> Option<MatchTime> {
        self.has_asked().then(|| match self.is_waiting() {
            true => self.seats.clock.now(),
            false => self.seats.presence.left(),
        })
    }
}

impl Drop for SeatQueue {
    fn drop(&mut self) {
        lock(&self.all.by_key).remove(&*lock(&self.key));
    }
}

impl SeatQueues {
    /// Returns the seats of the agent with this key, and the number of renewals of the key so far.
    pub(crate) fn find(&self, key: TokenHash) -> Result<(Arc<Seats>, u64), ApiError> {
        let by_key = lock(&self.by_key);
        let found = by_key.get(&key).map(|seats| (Arc::clone(seats), lock(&seats.state).renewals));
        found.ok_or_else(|| match self.await_organiser.load(Ordering::SeqCst) {
            true => refusals::organiser_awaited(),
            false => refusals::AGENT.wrong(),
        })
    }

    /// Returns true if an agent has this key.
    pub(super) fn knows(&self, key: TokenHash) -> bool {
        lock(&self.by_key).contains_key(&key)
    }
}

impl Seats {
    /// Waits at most this time for a seat in a match that the agent is not `playing` already, and returns the seat. Refuses the
    /// call if the key was renewed after this number of renewals.
    pub(crate) async fn next(
        &self,
        renewals: u64,
        wait: Duration,
        playing: &[String],
    ) -> Result<v1::AwaitSeatResponse, ApiError> {
        let _call = self.enter();
        let mut changes = self.changes.subscribe();
        let ready = changes.wait_for(|()| {
            let mut state = lock(&self.state);
            state.drop_played();
            state.is_closed || state.renewals != renewals || state.first_but(playing).is_some()
        });
        // If the time passes, the answer has no seat.
        let _ = tokio::time::timeout(wait.min(MAX_WAIT), ready).await;
        let mut state = lock(&self.state);
        if state.renewals != renewals {
            return Err(refusals::AGENT.wrong());
        }
        state.drop_played();
        let assigned = state.first_but(playing).map(AssignedSeat::message);
        Ok(v1::AwaitSeatResponse { closed: state.is_closed && assigned.is_none(), assigned, practice_report: None })
    }

    /// Returns true if the agent has a seat in this match that is not played.
    pub(crate) fn plays(&self, match_id: &str) -> bool {
        lock(&self.state).waiting.iter().any(|seat| *seat.live.id == *match_id)
    }

    /// Returns the seat of a practice match, or its report. The call is no contact for the host, which waits for agents that
    /// want to play.
    pub(crate) fn practice(&self, matches: &Matches, id: &str) -> Result<v1::AwaitSeatResponse, ApiError> {
        lock(&self.practice).ask(matches, id)
    }

    /// Begins a call of the agent, which ends when the returned value is dropped.
    fn enter(&self) -> SeatCall<'_> {
        let present = self.presence.enter(&self.clock);
        self.calls.send_modify(|count| *count += 1);
        SeatCall { present: Some(present), calls: &self.calls }
    }
}

/// A call in progress of an agent that asks for a seat.
struct SeatCall<'a> {
    /// None once the call has ended.
    present: Option<PresentCall>,
    calls: &'a watch::Sender<u64>,
}

impl Drop for SeatCall<'_> {
    fn drop(&mut self) {
        self.present = None;
        self.calls.send_modify(|count| *count += 1);
    }
}

impl State {
    /// Drops the seats that are played to their end.
    fn drop_played(&mut self) {
        self.waiting.retain(|seat| !seat.is_played());
    }

    /// Adds a seat, unless it is there.
    fn add(&mut self, seat: AssignedSeat) {
        if !self.waiting.iter().any(|other| other.live.id == seat.live.id && other.seat == seat.seat) {
            self.waiting.push_back(seat);
        }
    }

    /// Returns the first seat in a match outside of this list.
    fn first_but(&self, matches: &[String]) -> Option<&AssignedSeat> {
        self.waiting.iter().find(|seat| matches.iter().all(|id| *id != *seat.live.id))
    }
}

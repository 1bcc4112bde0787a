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

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_core::Seat;
use ahu_host::MatchTime;
use ahu_host::api::ApiError;
use tokio::sync::watch;

use self::practice::Practice;
pub use self::practice::PracticeOffer;
use super::live_match::{Presence, PresentCall};
use super::{Clock, LiveMatch, Matches};
use crate::accounts::{AccountId, Client};
use crate::limits::{MAX_WAIT, ORGANISER_GRACE};
use crate::proto::{cup, v1};
use crate::secrets::{Digest, TokenHash, agent_key_hash, new_agent_key};
use crate::{lock, refusals};

/// The seats that one host has for an agent, who asks for them with a key. The key is valid until its last queue is dropped: an
/// agent of several cups has a queue of each, and gets the seats of all.
///
/// All processes that have the key get the same seats. If two processes ask at the same time, both play the seat, and each
/// decision takes the first answer.
#[derive(Debug)]
pub struct SeatQueue {
    /// The number of the queue.
    id: u64,
    /// The key, and the seats of its agent.
    agent: Mutex<(TokenHash, Arc<Seats>)>,
    all: SeatQueues,
}

/// The queues of a server. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeatQueues {
    by_key: Arc<Mutex<HashMap<TokenHash, Arc<Seats>>>>,
    /// The number of queues so far.
    opened: Arc<AtomicU64>,
    /// The number of calls that have begun or ended, which wakes the host.
    calls: watch::Sender<u64>,
    /// The time until which agents without a queue wait for their organiser, in milliseconds of the server: for ever until an
    /// organiser has called since the start.
    awaited_until: Arc<AtomicU64>,
    /// The agents that accounts have entered into ladders, by account, the one that was noted last at the end.
    entrants: Arc<Mutex<HashMap<AccountId, Vec<Entrant>>>>,
}

/// An agent that an account has entered into a ladder.
#[derive(Clone, Debug)]
struct Entrant {
    /// The name with the version.
    name: String,
    /// The hash of its queue.
    hash: TokenHash,
}

/// The seats of one agent, of all its queues.
#[derive(Debug)]
pub(crate) struct Seats {
    state: Mutex<State>,
    /// Announces a new seat and the end of seats.
    changes: watch::Sender<()>,
    /// The contact of the agent with the server.
    presence: Arc<Presence>,
    clock: Clock,
    /// The counter of calls of all queues.
    calls: watch::Sender<u64>,
    practice: Mutex<Practice>,
    /// The last arrival of the agent in the journal of a ladder.
    arrival: Mutex<Option<v1::Arrival>>,
}

#[derive(Debug, Default)]
struct State {
    /// The seats that are not played, each with the number of its queue, the first one first.
    waiting: VecDeque<(u64, AssignedSeat)>,
    /// The queues, by their numbers, each with the reason why it brings no more seats.
    queues: BTreeMap<u64, Option<v1::Dismissal>>,
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
    pub fn seat_queue_with_key(&self, hash: [u8; 32]) -> SeatQueue {
        let (key, all) = (TokenHash(hash), self.seat_queues.clone());
        let id = all.opened.fetch_add(1, Ordering::Relaxed);
        let seats = all.attach(key, &self.context.clock, id, None);
        SeatQueue { id, agent: Mutex::new((key, seats)), all }
    }

    /// Returns a receiver of the number of times that an agent with a key began or ended a call for a seat.
    pub fn seat_queue_calls(&self) -> watch::Receiver<u64> {
        self.seat_queues.calls.subscribe()
    }
}

impl SeatQueue {
    fn presence(&self) -> Arc<Presence> {
        Arc::clone(&lock(&self.agent).1.presence)
    }

    /// Adds a seat, unless the queue has it.
    pub fn add(&self, seat: AssignedSeat) {
        let agent = lock(&self.agent);
        lock(&agent.1.state).add(self.id, seat);
        agent.1.changes.send_replace(());
    }

    /// Offers the agent practice matches like this one; None ends the offer.
    pub fn offer_practice(&self, offer: Option<PracticeOffer>) {
        lock(&lock(&self.agent).1.practice).set_offer(self.id, offer);
    }

    /// Tells the agent that no more seats come, since all games have been played.
    pub fn close(&self) {
        let message = "all games have been played".to_owned();
        self.dismiss(Some(v1::Dismissal { reason: v1::DismissalReason::Ended.into(), message }));
    }

    /// Tells the agent why no more seats come; with None, that more may come. An agent with other queues hears it once all of
    /// them bring no more seats.
    pub fn dismiss(&self, dismissal: Option<v1::Dismissal>) {
        let agent = lock(&self.agent);
        lock(&agent.1.state).queues.insert(self.id, dismissal);
        agent.1.changes.send_replace(());
    }

    /// Notes the line of a journal with the arrival of the agent, which its next answers have.
    pub fn note_arrival(&self, arrival: v1::Arrival) {
        *lock(&lock(&self.agent).1.arrival) = Some(arrival);
    }

    /// Returns the hash of the agent's key.
    pub fn key_hash(&self) -> [u8; 32] {
        lock(&self.agent).0.0
    }

    /// Gives the agent another key, whose hash this is. The queue keeps its seats. Calls with the old key are refused, also those
    /// that wait for a seat, unless it has other queues.
    pub fn renew_key(&self, hash: [u8; 32]) {
        let mut agent = lock(&self.agent);
        if agent.0.0 == hash {
            return;
        }
        let (dismissal, waiting, offer) = self.all.detach(agent.0, self.id);
        let key = TokenHash(hash);
        *agent = (key, self.all.attach(key, &agent.1.clock, self.id, dismissal));
        let seats = &agent.1;
        for seat in waiting {
            lock(&seats.state).add(self.id, seat);
        }
        lock(&seats.practice).set_offer(self.id, offer);
        seats.changes.send_replace(());
    }

    /// Returns true if the agent has ever asked for a seat. Then it can play many matches.
    pub fn has_asked(&self) -> bool {
        self.presence().has_called()
    }

    /// Returns true if a call of the agent waits for a seat now.
    pub fn is_waiting(&self) -> bool {
        self.presence().is_calling()
    }

    /// Returns the time of the server at which the agent last asked or waited for a seat; None if it never asked.
    pub fn last_asked(&self) -> Option<MatchTime> {
        let seats = Arc::clone(&lock(&self.agent).1);
        let presence = &seats.presence;
        presence.has_called().then(|| if presence.is_calling() { seats.clock.now() } else { presence.left() })
    }
}

impl Drop for SeatQueue {
    fn drop(&mut self) {
        self.all.detach(TokenHash(self.key_hash()), self.id);
    }
}

impl SeatQueues {
    /// Puts a queue before the agent with this key, and returns the seats of the agent.
    fn attach(&self, key: TokenHash, clock: &Clock, id: u64, dismissal: Option<v1::Dismissal>) -> Arc<Seats> {
        let new = || {
            Arc::new(Seats {
                state: Mutex::default(),
                changes: watch::Sender::default(),
                presence: Arc::default(),
                clock: clock.clone(),
                calls: self.calls.clone(),
                practice: Mutex::default(),
                arrival: Mutex::default(),
            })
        };
        let mut by_key = lock(&self.by_key);
        let seats = by_key.entry(key).or_insert_with(new);
        lock(&seats.state).queues.insert(id, dismissal);
        Arc::clone(seats)
    }

    /// Takes a queue from the agent with this key. The key of an agent without queues is not valid. Returns what the queue had.
    fn detach(&self, key: TokenHash, id: u64) -> (Option<v1::Dismissal>, Vec<AssignedSeat>, Option<PracticeOffer>) {
        let mut by_key = lock(&self.by_key);
        let Some(seats) = by_key.get(&key).map(Arc::clone) else { return Default::default() };
        let mut state = lock(&seats.state);
        let dismissal = state.queues.remove(&id).flatten();
        let (own, others) = state.waiting.drain(..).partition::<VecDeque<_>, _>(|(queue, _)| *queue == id);
        state.waiting = others;
        if state.queues.is_empty() {
            by_key.remove(&key);
        }
        drop((state, by_key));
        seats.changes.send_replace(());
        let offer = lock(&seats.practice).set_offer(id, None);
        (dismissal, own.into_iter().map(|(_, seat)| seat).collect(), offer)
    }

    /// Returns the seats of the agent with this key.
    pub(crate) fn find(&self, key: TokenHash, now: MatchTime) -> Result<Arc<Seats>, ApiError> {
        lock(&self.by_key).get(&key).cloned().ok_or_else(|| match self.awaits_organiser(now) {
            true => refusals::organiser_awaited(),
            false => refusals::AGENT.wrong(),
        })
    }

    /// Notes an agent that an account has entered, so that the keys of the account open its queue.
    pub(crate) fn note_entrant(&self, account: AccountId, name: String, hash: Digest) {
        let mut entrants = lock(&self.entrants);
        let own = entrants.entry(account).or_default();
        // An agent that two ladders have under one name has one queue for both.
        if !own.iter().any(|other| other.name == name) {
            own.push(Entrant { name, hash: TokenHash(hash) });
        }
        drop(entrants);
        self.wake_host();
    }

    /// Wakes whoever waits for calls of agents.
    pub(crate) fn wake_host(&self) {
        self.calls.send_modify(|count| *count += 1);
    }

    /// Returns the seats of an account's agent, after a wait until its ladder has a queue for it. The name may lack
    /// its version, and then means the newest one; an empty name means the agent that was entered last.
    pub(crate) async fn of_account(
        &self,
        account: AccountId,
        agent: &str,
        wait: Duration,
    ) -> Result<Arc<Seats>, ApiError> {
        let version = |name: &str| name.split_once('@').and_then(|(_, version)| version.parse::<u64>().ok());
        let is_it = |entrant: &&Entrant| {
            let stem = entrant.name.split_once('@').map_or(&*entrant.name, |(stem, _)| stem);
            agent.is_empty() || entrant.name == agent || stem == agent
        };
        let find = || {
            let entrants = lock(&self.entrants);
            let own = entrants.get(&account)?.iter().enumerate().filter(|(_, entrant)| is_it(entrant));
            let newest = own
                .max_by_key(|(place, entrant)| (if agent.is_empty() { None } else { version(&entrant.name) }, *place));
            lock(&self.by_key).get(&newest?.1.hash).cloned()
        };
        let mut calls = self.calls.subscribe();
        let ready = calls.wait_for(|_| find().is_some());
        let _ = tokio::time::timeout(wait.min(MAX_WAIT), ready).await;
        find().ok_or_else(|| {
            let found = if agent.is_empty() { "none".to_owned() } else { format!("{agent:?}") };
            let expected = "expected an agent that the account has entered into a ladder that runs (`ahu cup enter`)";
            ApiError::bad_field("agent", format!("{expected}, got {found}"))
        })
    }

    /// Lets agents without a queue wait until an organiser has called.
    pub(crate) fn await_organiser(&self) {
        self.awaited_until.store(u64::MAX, Ordering::SeqCst);
    }

    /// Returns true if agents without a queue still wait for their organiser.
    pub(crate) fn awaits_organiser(&self, now: MatchTime) -> bool {
        self.awaited_until.load(Ordering::SeqCst) > now.0
    }

    /// Notes that an organiser has called. It may name further agents in a moment, and so may the others after a restart. Later,
    /// agents without a queue are refused.
    pub(crate) fn note_organiser(&self, now: MatchTime) {
        let until = now.0 + ORGANISER_GRACE.as_millis() as u64;
        // Only the first call counts.
        let _ = self.awaited_until.compare_exchange(u64::MAX, until, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Returns true if an agent has this key.
    pub(super) fn knows(&self, key: TokenHash) -> bool {
        lock(&self.by_key).contains_key(&key)
    }
}

impl Seats {
    /// Waits at most this time for a seat that the agent is not `playing` already, and returns the seat. Refuses the call once
    /// the key of the agent has no queue.
    pub(crate) async fn next(&self, wait: Duration, playing: &[v1::SeatId]) -> Result<v1::AwaitSeatResponse, ApiError> {
        let _call = self.enter();
        let mut changes = self.changes.subscribe();
        let ready = changes.wait_for(|()| {
            let mut state = lock(&self.state);
            state.drop_played();
            state.dismissal().is_some() || state.queues.is_empty() || state.first_but(playing).is_some()
        });
        // If the time passes, the answer has no seat.
        let _ = tokio::time::timeout(wait.min(MAX_WAIT), ready).await;
        let mut state = lock(&self.state);
        if state.queues.is_empty() {
            return Err(refusals::AGENT.wrong());
        }
        state.drop_played();
        let assigned = state.first_but(playing).map(AssignedSeat::message);
        let dismissal = state.dismissal().filter(|_| assigned.is_none()).cloned();
        Ok(v1::AwaitSeatResponse { assigned, dismissal, arrival: lock(&self.arrival).clone() })
    }

    /// Returns true if the agent has a seat in this match that is not played.
    pub(crate) fn plays(&self, match_id: &str) -> bool {
        lock(&self.state).waiting.iter().any(|(_, seat)| *seat.live.id == *match_id)
    }

    /// Returns the seat of a practice match, or its report. The call is no contact for the host, which waits for agents that
    /// want to play.
    pub(crate) fn practise(
        &self,
        matches: &Matches,
        client: &Client,
        id: &str,
    ) -> Result<cup::PractiseResponse, ApiError> {
        lock(&self.practice).ask(matches, client, id)
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
        self.waiting.retain(|(_, seat)| !seat.is_played());
    }

    /// Adds a seat of a queue, unless it is there.
    fn add(&mut self, queue: u64, seat: AssignedSeat) {
        if !self.waiting.iter().any(|(_, other)| other.live.id == seat.live.id && other.seat == seat.seat) {
            self.waiting.push_back((queue, seat));
        }
    }

    /// Returns the first seat outside of this list.
    fn first_but(&self, playing: &[v1::SeatId]) -> Option<&AssignedSeat> {
        let is_played = |seat: &AssignedSeat, id: &v1::SeatId| {
            id.match_id == *seat.live.id && id.seat == Some(seat.seat.index() as u32)
        };
        let mut seats = self.waiting.iter().map(|(_, seat)| seat);
        seats.find(|seat| !playing.iter().any(|id| is_played(seat, id)))
    }

    /// Returns the reason of the newest queue once no queue brings more seats.
    fn dismissal(&self) -> Option<&v1::Dismissal> {
        let all = self.queues.values().all(Option::is_some);
        self.queues.values().next_back().filter(|_| all)?.as_ref()
    }
}

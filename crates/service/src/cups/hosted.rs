//! A cup of an organiser elsewhere: the queues of its agents, its matches, and the copy of its journal.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_contest::cup::JournalCopy;
use ahu_core::Seat;
use ahu_host::api::ApiError;
use ahu_host::{Cause, MatchTime};

use super::CupReader;
use crate::accounts::Client;
use crate::limits::{MAX_JOURNAL, MAX_QUEUES, MAX_WAIT};
use crate::matches::{AssignedSeat, LiveMatch, MatchConfig, Matches, PracticeOffer, SeatQueue};
use crate::organiser::OwnedCup;
use crate::proto::{cup, v1};
use crate::reservation::{Joiner, Reservation};
use crate::secrets::random_bytes;
use crate::store::Request;
use crate::{lock, refusals};

/// A cup of an organiser elsewhere.
#[derive(Debug)]
pub(crate) struct HostedCup {
    pub(super) owned: OwnedCup,
    matches: Matches,
    /// The queues, by the hashes of the agents' keys; None until the organiser opens them.
    queues: Mutex<Option<BTreeMap<[u8; 32], SeatQueue>>>,
    /// The copy of the journal; None until the first call that appends to it.
    journal: Mutex<Option<JournalCopy>>,
    path: PathBuf,
    pub(super) reader: Arc<CupReader>,
}

/// An agent that asks for seats with a key.
pub(crate) struct QueuedAgent {
    pub(crate) key_hash: [u8; 32],
    /// The key that it had before.
    pub(crate) replaces: Option<[u8; 32]>,
    pub(crate) practice: Option<PracticeOffer>,
    pub(crate) dismissal: Option<v1::Dismissal>,
}

/// The player of a seat.
pub(crate) struct SeatedPlayer {
    pub(crate) seat: Option<u32>,
    pub(crate) name: String,
    /// The hash of the key of an agent with a queue; None for a program of the organiser.
    pub(crate) key_hash: Option<[u8; 32]>,
    pub(crate) agent_seed: Option<u64>,
}

impl HostedCup {
    pub(super) fn new(matches: Matches, owned: OwnedCup, path: PathBuf) -> Self {
        let reader = Arc::new(CupReader::new(owned.cup, &path));
        Self { owned, matches, queues: Mutex::default(), journal: Mutex::default(), path, reader }
    }

    /// Opens queues for these agents, or changes those that they have.
    pub(crate) fn open_queues(&self, agents: Vec<QueuedAgent>) -> Result<(), ApiError> {
        let mut queues = lock(&self.queues);
        let open = queues.get_or_insert_default();
        let is_new = |agent: &&QueuedAgent| {
            !open.contains_key(&agent.key_hash) && agent.replaces.is_none_or(|old| !open.contains_key(&old))
        };
        let all = open.len() + agents.iter().filter(is_new).count();
        if all > MAX_QUEUES {
            let message = format!("expected queues for at most {MAX_QUEUES} agents, got {all}");
            return Err(ApiError::bad_field("agents", message));
        }
        for QueuedAgent { key_hash, replaces, practice, dismissal } in agents {
            if !open.contains_key(&key_hash)
                && let Some(queue) = replaces.and_then(|old| open.remove(&old))
            {
                queue.renew_key(key_hash);
                open.insert(key_hash, queue);
            }
            let queue = open.entry(key_hash).or_insert_with(|| self.matches.seat_queue_with_key(key_hash));
            queue.offer_practice(practice);
            queue.dismiss(dismissal);
        }
        self.matches.seat_queues.note_organiser();
        Ok(())
    }

    /// Returns the agents, after a wait for a change since this number of calls.
    pub(crate) async fn await_agents(
        &self,
        after: Option<u64>,
        wait: Duration,
    ) -> Result<cup::AwaitAgentsResponse, ApiError> {
        self.presence()?;
        let mut calls = self.matches.seat_queue_calls();
        let next = calls.wait_for(|&calls| after != Some(calls));
        let waiting = async {
            // After the wait, the answer may have no news.
            let _ = tokio::time::timeout(wait.min(MAX_WAIT), next).await;
            Ok(())
        };
        self.matches.wait(waiting).await?;
        let changes = *calls.borrow();
        Ok(cup::AwaitAgentsResponse { changes, agents: self.presence()? })
    }

    fn presence(&self) -> Result<Vec<cup::AgentPresence>, ApiError> {
        let now = self.matches.now();
        let idle = |asked: MatchTime| Duration::from_millis(now.0.saturating_sub(asked.0)).try_into().ok();
        let presence = |(hash, queue): (&[u8; 32], &SeatQueue)| cup::AgentPresence {
            key_hash: hash.to_vec().into(),
            waiting: queue.is_waiting(),
            idle: queue.last_asked().and_then(idle),
        };
        let queues = lock(&self.queues);
        Ok(queues.as_ref().ok_or_else(refusals::no_queue)?.iter().map(presence).collect())
    }

    /// Hosts a match of the cup. Its open seats are reserved for the players whom [`Self::seat`] names.
    pub(crate) async fn host(&self, config: MatchConfig, request: Request) -> Result<v1::Match, ApiError> {
        let arrived = self.matches.now();
        let live = if let Some(known) = self.matches.known(Some(request)).await? {
            self.own(known)?
        } else {
            let reserved = |bot: &Option<_>| bot.is_none().then(|| Reservation::Code(random_bytes()));
            let reservations = config.bots.iter().map(reserved).collect();
            let config = MatchConfig { reservations, cup: Some(self.owned), ..config };
            // The operator has admitted the organiser, so its matches count for no address.
            self.matches.host_by(config, Some(request), &Client::default())?
        };
        live.answer(arrived, |state| Ok(state.description())).await
    }

    /// Returns a match of the cup.
    async fn find(&self, match_id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        self.own(self.matches.find(match_id).await?)
    }

    /// Refuses a match that is not of this cup.
    fn own(&self, live: Arc<LiveMatch>) -> Result<Arc<LiveMatch>, ApiError> {
        match live.facts.head.cup == Some(self.owned) {
            true => Ok(live),
            false => Err(refusals::unknown_match(&live.id, self.matches.has_store())),
        }
    }

    /// Takes the seats of these players, and puts those of agents into their queues. Returns the seats.
    pub(crate) async fn seat(
        &self,
        match_id: &str,
        players: Vec<SeatedPlayer>,
    ) -> Result<Vec<v1::AssignedSeat>, ApiError> {
        let live = self.find(match_id).await?;
        // All players are checked before the first one takes its seat.
        let seats = players.iter().map(|player| live.seat(player.seat)).collect::<Result<Vec<Seat>, _>>()?;
        {
            let queues = lock(&self.queues);
            let has_queue = |hash| queues.as_ref().is_some_and(|queues| queues.contains_key(hash));
            if !players.iter().filter_map(|player| player.key_hash.as_ref()).all(has_queue) {
                return Err(refusals::no_queue());
            }
        }
        let mut seated = Vec::new();
        for (seat, player) in seats.into_iter().zip(players) {
            let joiner = Joiner { name: &player.name, code: live.invitation(seat), request: None, player: None };
            let join = || live.join_by(player.seat, &joiner).map(|(_, token)| token);
            let token = live.token_of(seat).map_or_else(join, Ok)?;
            let assigned = AssignedSeat { live: Arc::clone(&live), seat, token, agent_seed: player.agent_seed };
            seated.push(assigned.message());
            if let (Some(hash), Some(queues)) = (player.key_hash, &*lock(&self.queues))
                && let Some(queue) = queues.get(&hash)
            {
                queue.add(assigned);
            }
        }
        live.answer(self.matches.now(), |_| Ok(())).await?;
        Ok(seated)
    }

    /// Notes that the program of a seat has exited.
    pub(crate) async fn report_exit(&self, match_id: &str, seat: Option<u32>) -> Result<(), ApiError> {
        let live = self.find(match_id).await?;
        live.fault(live.seat(seat)?, Cause::Exited);
        live.answer(self.matches.now(), |_| Ok(())).await
    }

    /// Makes the seed and the record of a sealed match public.
    pub(crate) async fn unseal(&self, match_id: &str) -> Result<(), ApiError> {
        self.find(match_id).await.map(|live| live.unseal())
    }

    /// Appends a part to the copy of the journal. Blocks the thread. Returns the length of the copy in bytes.
    pub(crate) fn append(&self, offset: u64, part: &[u8]) -> Result<u64, ApiError> {
        if offset.saturating_add(part.len() as u64) > MAX_JOURNAL {
            return Err(refusals::journal_too_long(MAX_JOURNAL));
        }
        let mut journal = lock(&self.journal);
        let appended = match &mut *journal {
            Some(copy) => copy.append(offset, part),
            none => JournalCopy::open(&self.path).and_then(|copy| none.insert(copy).append(offset, part)),
        };
        appended.map_err(|error| {
            tracing::error!(%error, cup = %self.owned.cup, "the copy of a journal cannot be written");
            refusals::failed()
        })
    }
}

//! A cup of an organiser elsewhere: the queues of its agents, its matches, and the copy of its journal.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_contest::cup::JournalCopy;
use ahu_host::api::ApiError;
use ahu_host::record::{check_name, check_new_name, parse_digest};
use ahu_host::{Cause, MatchTime, check_reason};

use super::calls::{AccountCall, Asked, Calls};
use super::{CupReader, Recent};
use crate::accounts::{Account, AccountId, Client};
use crate::limits::{MAX_QUEUES, MAX_WAIT};
use crate::matches::{AssignedSeat, LiveMatch, MatchConfig, Matches, PracticeOffer, SeatQueue};
use crate::organiser::{Organiser, OwnedCup};
use crate::proto::{cup, v1};
use crate::reservation::{Joiner, Reservation};
use crate::secrets::{entrant_hash, random_bytes};
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
    /// The calls of accounts; None until the first.
    calls: Mutex<Option<Calls>>,
    path: PathBuf,
    pub(crate) reader: Arc<CupReader>,
}

/// An agent that gets a queue.
pub(crate) struct Queued {
    hash: [u8; 32],
    /// The hash of its key before.
    old: Option<[u8; 32]>,
    practice: Option<PracticeOffer>,
    dismissal: Option<v1::Dismissal>,
    /// The account that has entered it, and its name.
    entrant: Option<(AccountId, String)>,
}

/// Reads the hash of a key in this field; None for an empty one.
fn key_hash(field: &'static str, bytes: &[u8]) -> Result<Option<[u8; 32]>, ApiError> {
    let hash = Some(bytes).filter(|bytes| !bytes.is_empty()).map(<[u8; 32]>::try_from).transpose();
    hash.map_err(|_| ApiError::bad_field(field, format!("expected a hash of 32 bytes, got {} bytes", bytes.len())))
}

impl HostedCup {
    pub(super) fn new(matches: Matches, owned: OwnedCup, path: PathBuf, recent: Recent) -> Self {
        let reader = Arc::new(CupReader::new(owned.cup, &path, recent));
        Self {
            owned,
            matches,
            queues: Mutex::default(),
            journal: Mutex::default(),
            calls: Mutex::default(),
            path,
            reader,
        }
    }

    /// Reads an agent that asks for seats, with its practice match.
    pub(crate) fn queued(agent: cup::QueuedAgent, practice: Option<MatchConfig>) -> Result<Queued, ApiError> {
        let cup::QueuedAgent { key_hash: hash, name, dismissal, replaces, account_id, .. } = agent;
        check_new_name(&name).map_err(refusals::bad_name)?;
        let refused = |message| ApiError::bad_field("agents", message);
        if let Some(dismissal) = &dismissal {
            check_reason(&dismissal.message).map_err(refused)?;
        }
        let hash =
            key_hash("agents", &hash)?.ok_or_else(|| refused("expected a hash of 32 bytes, got none".to_owned()))?;
        let fits = |of: &MatchConfig| {
            of.bots.iter().any(Option::is_none) && of.reservations.is_empty() && of.labels.is_empty()
        };
        if !practice.as_ref().is_none_or(fits) {
            let expected = "expected a practice match with a seat without a bot, and without reservations and labels";
            return Err(refused(expected.to_owned()));
        }
        let entrant = Some(account_id).filter(|id| !id.is_empty()).map(|id| {
            let account = AccountId::read(&id).filter(|_| hash == entrant_hash(&id, &name));
            let expected = || refused("expected the id of an account and the hash of its agent".to_owned());
            account.map(|account| (account, name.clone())).ok_or_else(expected)
        });
        let (entrant, old) = (entrant.transpose()?, key_hash("agents", &replaces)?);
        Ok(Queued { hash, old, practice: practice.map(|config| PracticeOffer { config, name }), dismissal, entrant })
    }

    /// Checks the number of agents of a cup.
    pub(crate) fn check_queues(agents: usize) -> Result<(), ApiError> {
        let message = || format!("expected queues for at most {MAX_QUEUES} agents, got {agents}");
        (agents <= MAX_QUEUES).then_some(()).ok_or_else(|| ApiError::bad_field("agents", message()))
    }

    /// Opens queues for these agents, or changes those that they have.
    pub(crate) fn open_queues(&self, agents: Vec<Queued>) -> Result<(), ApiError> {
        for (account, name) in agents.iter().filter_map(|agent| agent.entrant.as_ref()) {
            // Otherwise an organiser could give seats to the agents of anybody.
            if !self.with_calls(|calls| Ok(calls.has_entered(*account, name)))? {
                let message = format!("expected an agent that the account has entered into this cup, got {name:?}");
                return Err(ApiError::bad_field("agents", message));
            }
        }
        let mut queues = lock(&self.queues);
        let known = |hash: &_| queues.as_ref().is_some_and(|open| open.contains_key(hash));
        let is_new = |Queued { hash, old, .. }: &&Queued| !known(hash) && !old.is_some_and(|old| known(&old));
        Self::check_queues(queues.as_ref().map_or(0, BTreeMap::len) + agents.iter().filter(is_new).count())?;
        let open = queues.get_or_insert_default();
        for Queued { hash, old, practice, dismissal, entrant } in agents {
            if !open.contains_key(&hash)
                && let Some(queue) = old.and_then(|old| open.remove(&old))
            {
                queue.renew_key(hash);
                open.insert(hash, queue);
            }
            let queue = open.entry(hash).or_insert_with(|| self.matches.seat_queue_with_key(hash));
            queue.offer_practice(practice);
            queue.dismiss(dismissal);
            if let Some((account, name)) = entrant {
                self.matches.seat_queues.note_entrant(account, name, hash);
            }
        }
        self.matches.seat_queues.note_organiser(self.matches.now());
        Ok(())
    }

    /// Returns the agents, after a wait for a change since this number of calls.
    pub(crate) async fn await_agents(
        &self,
        (after, after_call): (Option<u64>, u64),
        wait: Duration,
    ) -> Result<cup::AwaitAgentsResponse, ApiError> {
        self.presence()?;
        let new_calls =
            || self.with_calls(|calls| Ok(calls.after(after_call).map(AccountCall::message).collect::<Vec<_>>()));
        let wait = if new_calls()?.is_empty() { wait } else { Duration::ZERO };
        let mut calls = self.matches.seat_queue_calls();
        let next = calls.wait_for(|&calls| after != Some(calls));
        let waiting = async {
            // After the wait, the answer may have no news.
            let _ = tokio::time::timeout(wait.min(MAX_WAIT), next).await;
            Ok(())
        };
        self.matches.wait(waiting).await?;
        let changes = *calls.borrow();
        Ok(cup::AwaitAgentsResponse { changes, agents: self.presence()?, calls: new_calls()? })
    }

    /// Tells agents the line of their arrival.
    pub(crate) fn note_arrivals(&self, asked: cup::NoteArrivalsRequest) -> Result<(), ApiError> {
        let cup::NoteArrivalsRequest { cup_id, key_hashes, line, link } = asked;
        parse_digest(&link).map_err(|error| ApiError::bad_field("link", error))?;
        let queues = lock(&self.queues);
        for hash in &key_hashes {
            let hash = key_hash("key_hashes", hash)?;
            if let Some(queue) = hash.and_then(|hash| queues.as_ref()?.get(&hash)) {
                queue.note_arrival(v1::Arrival { cup_id: cup_id.clone(), line, link: link.clone() });
            }
        }
        Ok(())
    }

    /// Keeps a call of an account for the run of the cup, and returns its number. Blocks the thread.
    pub(crate) fn call(&self, account: &Account, asked: Asked) -> Result<u64, ApiError> {
        let number = self.with_calls(|calls| calls.add(account, asked))?;
        self.matches.seat_queues.wake_host();
        Ok(number)
    }

    fn with_calls<T>(&self, work: impl FnOnce(&mut Calls) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let mut calls = lock(&self.calls);
        let open = match &mut *calls {
            Some(calls) => Ok(calls),
            none => Calls::open(&self.path.with_extension("calls")).map(|calls| none.insert(calls)),
        };
        work(open.map_err(|error| {
            tracing::error!(%error, cup = %self.owned.cup, "the calls for a ladder cannot be read");
            refusals::failed()
        })?)
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
    pub(crate) async fn host(
        &self,
        config: MatchConfig,
        request: Request,
        client: &Client,
    ) -> Result<v1::Match, ApiError> {
        let arrived = self.matches.now();
        let live = if let Some(known) = self.matches.known(Some(request)).await? {
            self.own(known)?
        } else {
            let reserved = |bot: &Option<_>| bot.is_none().then(|| Reservation::Code(random_bytes()));
            let reservations = config.bots.iter().map(reserved).collect();
            let config = MatchConfig { reservations, cup: Some(self.owned), ..config };
            // The operator has named its own organiser, whose matches count for nobody.
            let nobody = Client::default();
            let client = if self.owned.organiser == Organiser::OfOperator { &nobody } else { client };
            let _turn = self.matches.making_turn.lock().await;
            self.matches.host_by(config, Some(request), client)?
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
        players: Vec<cup::SeatPlayer>,
    ) -> Result<Vec<v1::AssignedSeat>, ApiError> {
        let live = self.find(match_id).await?;
        let read = |player: cup::SeatPlayer| {
            check_name(&player.name).map_err(refusals::bad_name)?;
            let hash = key_hash("players", &player.key_hash)?;
            let queues = lock(&self.queues);
            match hash.is_none_or(|hash| queues.as_ref().is_some_and(|queues| queues.contains_key(&hash))) {
                true => Ok((live.seat(player.seat)?, hash, player)),
                false => Err(refusals::no_queue()),
            }
        };
        // All players are read before the first one takes its seat.
        let players = players.into_iter().map(read).collect::<Result<Vec<_>, ApiError>>()?;
        let mut seated = Vec::new();
        for (seat, hash, player) in players {
            let joiner = Joiner { name: &player.name, code: live.invitation(seat), request: None, player: None };
            let join = || live.join_by(player.seat, &joiner).map(|(_, token)| token);
            let token = live.token_of(seat).map_or_else(join, Ok)?;
            let assigned = AssignedSeat { live: Arc::clone(&live), seat, token, agent_seed: player.agent_seed };
            seated.push(assigned.message());
            let queues = lock(&self.queues);
            if let Some(queue) = hash.and_then(|hash| queues.as_ref()?.get(&hash)) {
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
        let live = self.find(match_id).await?;
        live.unseal();
        live.answer(self.matches.now(), |_| Ok(())).await
    }

    /// Appends a part to the copy of the journal. Blocks the thread. Returns the length of the copy in bytes.
    pub(crate) fn append(&self, offset: u64, part: &[u8]) -> Result<u64, ApiError> {
        self.with_copy(|copy| copy.append(offset, part))
    }

    /// Makes the file of the journal, by which the server knows after a restart whose cup it is. Blocks the thread.
    pub(super) fn claim(&self) -> Result<(), ApiError> {
        self.with_copy(|_| Ok(()))
    }

    fn with_copy<T>(&self, work: impl FnOnce(&mut JournalCopy) -> io::Result<T>) -> Result<T, ApiError> {
        let mut journal = lock(&self.journal);
        let copy = match &mut *journal {
            Some(copy) => Ok(copy),
            none => JournalCopy::open(&self.path).map(|copy| none.insert(copy)),
        };
        copy.and_then(work).map_err(|error| {
            tracing::error!(%error, cup = %self.owned.cup, "the copy of a journal cannot be written");
            refusals::failed()
        })
    }
}

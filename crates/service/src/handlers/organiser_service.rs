//! The handlers of `OrganiserService`: a program elsewhere schedules matches, and brings agents to their seats.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_contest::cup::JournalCopy;
use ahu_core::hex;
use ahu_host::api::ApiError;
use ahu_host::record::{check_name, check_new_name, parse_digest};
use ahu_host::{Cause, MatchTime};
use tonic::Request;

use super::{request_fields, shown};
use crate::accounts::{Client, Scope};
use crate::audit::{ANONYMOUS, ORGANISER};
use crate::limits::{MAX_QUEUES, MAX_WAIT};
use crate::matches::{AssignedSeat, MatchConfig, Matches, PracticeOffer, SeatQueue};
use crate::proto::cup::{self, organiser_service_server::OrganiserService};
use crate::proto::v1;
use crate::secrets::TokenHash;
use crate::status::{self, Answer};
use crate::{lock, refusals};

/// The organiser that a server admits, if it admits one, with the queues of its agents. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Organiser {
    /// The matches, which know the key of the organiser.
    matches: Matches,
    /// The queues, by the hashes of the agents' keys.
    queues: Arc<Mutex<BTreeMap<[u8; 32], SeatQueue>>>,
    /// The copy of the journal of its cup; None until the first call that appends to it.
    journal: Arc<Mutex<Option<JournalCopy>>>,
    /// The path of that copy.
    journal_path: PathBuf,
}

impl Organiser {
    /// Creates the organiser of a server that admits none.
    pub(crate) fn none(matches: Matches) -> Self {
        Self { matches, queues: Arc::default(), journal: Arc::default(), journal_path: PathBuf::new() }
    }

    /// Creates the organiser whose key has this hash. Its cup's journal is copied to this path.
    pub(crate) fn new(matches: Matches, key: [u8; 32], journal: &Path) -> Self {
        matches.seat_queues.await_organiser.store(true, Ordering::SeqCst);
        // A server admits one organiser.
        let _ = matches.organiser.set(TokenHash(key));
        Self { journal_path: journal.to_owned(), ..Self::none(matches) }
    }

    /// Appends a part to the copy of the journal. Blocks the thread. Returns the length of the copy in bytes.
    fn append(&self, asked: &cup::AppendJournalRequest) -> Result<u64, ApiError> {
        let cup::AppendJournalRequest { salt_hash, offset, part } = asked;
        key_hash("salt_hash", salt_hash)?;
        let mut journal = lock(&self.journal);
        let failed = |error: io::Error| {
            tracing::error!(%error, "the copy of the journal of the organiser's cup cannot be written");
            refusals::failed()
        };
        let copy = match &mut *journal {
            Some(copy) => copy,
            none => none.insert(JournalCopy::open(&self.journal_path).map_err(failed)?),
        };
        copy.append(salt_hash, *offset, part).map_err(failed)
    }

    /// Admits accounts with keys for organisers. The journal of their cup is copied to this path. If `awaits` is true,
    /// agents wait for an organiser after the start of the server.
    pub(crate) fn with_accounts(self, journal: &Path, awaits: bool) -> Self {
        if awaits {
            self.matches.seat_queues.await_organiser.store(true, Ordering::SeqCst);
        }
        Self { journal_path: journal.to_owned(), ..self }
    }

    /// Returns the content of a call with the key of the organiser, or with the key of an account that organises. Refuses any
    /// other call.
    fn admitted<T>(&self, asked: Request<T>) -> Result<T, ApiError> {
        if Client::of(asked.extensions()).has(Scope::Organise) {
            return Ok(asked.into_inner());
        }
        let key = refusals::ORGANISER.brought(asked.metadata())?;
        match *self.matches.organiser.get().ok_or_else(refusals::no_organiser)? == key {
            true => Ok(asked.into_inner()),
            false => Err(refusals::ORGANISER.wrong()),
        }
    }

    /// Does the work of a call that changes something, and notes it in the audit.
    async fn noted<T>(
        &self,
        (client, what, target): (Client, &'static str, String),
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Answer<T> {
        let done = work.await;
        let nameless = if done.is_ok() { ORGANISER } else { ANONYMOUS };
        self.matches.audit().note_call(nameless, &client, what, &shown(&target), &done);
        status::answer(async { done }).await
    }

    /// Returns the content of a call that changes something, as [`Self::admitted`] does. Refuses it while the server shuts
    /// down.
    fn admitted_to_change<T>(&self, asked: Request<T>) -> Result<T, ApiError> {
        let asked = self.admitted(asked)?;
        self.matches.refuse_if_closing().map(|()| asked)
    }

    fn presence(&self) -> Vec<cup::AgentPresence> {
        let now = self.matches.now();
        let idle = |asked: MatchTime| Duration::from_millis(now.0.saturating_sub(asked.0)).try_into().ok();
        let presence = |(hash, queue): (&[u8; 32], &SeatQueue)| cup::AgentPresence {
            key_hash: hex(hash),
            waiting: queue.is_waiting(),
            idle: queue.last_asked().and_then(idle),
        };
        lock(&self.queues).iter().map(presence).collect()
    }

    fn practice_offer(&self, name: &str, practice: v1::CreateMatchRequest) -> Result<PracticeOffer, ApiError> {
        let config = request_fields::config(practice, None, self.matches.limits())?;
        if config.bots.iter().all(Option::is_some) {
            return Err(ApiError::bad_field("agents", "expected a practice match with a seat without a bot"));
        }
        Ok(PracticeOffer { config, name: name.to_owned() })
    }
}

/// Reads the hash of a key in this field.
fn key_hash(field: &'static str, text: &str) -> Result<[u8; 32], ApiError> {
    parse_digest(text).map_err(|message| ApiError::bad_field(field, message))
}

#[tonic::async_trait]
impl OrganiserService for Organiser {
    async fn open_queues(&self, asked: Request<cup::OpenQueuesRequest>) -> Answer<cup::OpenQueuesResponse> {
        let call = (Client::of(asked.extensions()), "OpenQueues", String::new());
        self.noted(call, async {
            let asked = self.admitted(asked)?;
            let mut agents = Vec::new();
            // All agents are read before the first queue is opened.
            for cup::QueuedAgent { key_hash: hash, name, practice, closed, replaces } in asked.agents {
                check_new_name(&name).map_err(refusals::bad_name)?;
                let offer = practice.map(|practice| self.practice_offer(&name, practice)).transpose()?;
                let replaced = Some(replaces).filter(|old| !old.is_empty());
                let replaced = replaced.map(|old| key_hash("agents", &old)).transpose()?;
                agents.push((key_hash("agents", &hash)?, replaced, offer, closed));
            }
            let mut queues = lock(&self.queues);
            let is_new = |(hash, replaced, ..): &&(_, Option<_>, _, _)| {
                !queues.contains_key(hash) && replaced.is_none_or(|old| !queues.contains_key(&old))
            };
            let all = queues.len() + agents.iter().filter(is_new).count();
            if all > MAX_QUEUES {
                let message = format!("expected queues for at most {MAX_QUEUES} agents, got {all}");
                return Err(ApiError::bad_field("agents", message));
            }
            self.matches.seat_queues.await_organiser.store(false, Ordering::SeqCst);
            for (hash, replaced, offer, closed) in agents {
                if !queues.contains_key(&hash)
                    && let Some(queue) = replaced.and_then(|old| queues.remove(&old))
                {
                    // No queue has the key: the organiser alone makes queues with given keys.
                    queue.renew_key(hash);
                    queues.insert(hash, queue);
                }
                let queue = queues.entry(hash).or_insert_with(|| self.matches.seat_queue_with_key(hash));
                queue.offer_practice(offer);
                queue.set_closed(closed);
            }
            Ok(cup::OpenQueuesResponse {})
        })
        .await
    }

    async fn await_agents(&self, asked: Request<cup::AwaitAgentsRequest>) -> Answer<cup::AwaitAgentsResponse> {
        status::answer(async {
            let cup::AwaitAgentsRequest { wait, after } = self.admitted(asked)?;
            if self.matches.seat_queues.await_organiser.load(Ordering::SeqCst) {
                return Err(refusals::no_queue());
            }
            let mut calls = self.matches.seat_queue_calls();
            let next = calls.wait_for(|&calls| after != Some(calls));
            let waiting = async {
                // After the wait, the answer may have no news.
                let _ = tokio::time::timeout(request_fields::duration(wait).min(MAX_WAIT), next).await;
                Ok(())
            };
            self.matches.wait(waiting).await?;
            let changes = *calls.borrow();
            Ok(cup::AwaitAgentsResponse { changes, agents: self.presence() })
        })
        .await
    }

    async fn host_match(&self, asked: Request<cup::HostMatchRequest>) -> Answer<cup::HostMatchResponse> {
        let call = (Client::of(asked.extensions()), "HostMatch", String::new());
        self.noted(call, async {
            let asked = self.admitted_to_change(asked)?;
            let arrived = self.matches.now();
            let created = asked.r#match.clone().unwrap_or_default();
            let request = request_fields::request("HostMatch", &created.request_id, &asked, &Client::default())?;
            if request.is_none() {
                return Err(ApiError::bad_field("match.request_id", "expected an id, got none"));
            }
            let live = if let Some(known) = self.matches.known(request).await? {
                known
            } else {
                let config = request_fields::config(created, None, self.matches.limits())?;
                // The operator has admitted the organiser, so its matches count for no address.
                let (is_pinned, is_sealed, game) = (asked.pinned, asked.sealed, asked.game);
                let config = MatchConfig { is_pinned, is_sealed, game, ..config };
                self.matches.host_by(config, request, &Client::default())?
            };
            let description = live.answer(arrived, |state| Ok(state.description())).await?;
            Ok(cup::HostMatchResponse { r#match: Some(description) })
        })
        .await
    }

    async fn seat_players(&self, asked: Request<cup::SeatPlayersRequest>) -> Answer<cup::SeatPlayersResponse> {
        let call = (Client::of(asked.extensions()), "SeatPlayers", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let cup::SeatPlayersRequest { match_id, players } = self.admitted_to_change(asked)?;
            let live = self.matches.find(&match_id).await?;
            let read = |player: cup::SeatPlayer| {
                let hash = Some(player.key_hash.as_str()).filter(|hash| !hash.is_empty());
                let hash = hash.map(|hash| key_hash("players", hash)).transpose()?;
                check_name(&player.name).map_err(refusals::bad_name)?;
                match hash.is_none_or(|hash| lock(&self.queues).contains_key(&hash)) {
                    true => Ok((live.seat(player.seat)?, hash, player)),
                    false => Err(refusals::no_queue()),
                }
            };
            // All players are read before the first one takes its seat.
            let players = players.into_iter().map(read).collect::<Result<Vec<_>, ApiError>>()?;
            let mut seat_tokens = Vec::new();
            for (seat, hash, player) in players {
                let token = match live.token_of(seat) {
                    Some(token) => token,
                    None => live.join(player.seat, &player.name)?.1,
                };
                // A queue is never lost.
                if let Some(hash) = hash
                    && let Some(queue) = lock(&self.queues).get(&hash)
                {
                    let (live, token) = (Arc::clone(&live), token.clone());
                    queue.add(AssignedSeat { live, seat, token, agent_seed: player.agent_seed });
                }
                seat_tokens.push(token);
            }
            live.answer(self.matches.now(), |_| Ok(())).await?;
            Ok(cup::SeatPlayersResponse { seat_tokens })
        })
        .await
    }

    async fn report_exit(&self, asked: Request<cup::ReportExitRequest>) -> Answer<cup::ReportExitResponse> {
        let call = (Client::of(asked.extensions()), "ReportExit", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let cup::ReportExitRequest { match_id, seat } = self.admitted_to_change(asked)?;
            let live = self.matches.find(&match_id).await?;
            let seat = live.seat(seat)?;
            live.fault(seat, Cause::Exited);
            live.answer(self.matches.now(), |_| Ok(())).await?;
            Ok(cup::ReportExitResponse {})
        })
        .await
    }

    async fn unseal_match(&self, asked: Request<cup::UnsealMatchRequest>) -> Answer<cup::UnsealMatchResponse> {
        let call = (Client::of(asked.extensions()), "UnsealMatch", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let cup::UnsealMatchRequest { match_id } = self.admitted(asked)?;
            self.matches.find(&match_id).await?.unseal();
            Ok(cup::UnsealMatchResponse {})
        })
        .await
    }

    async fn append_journal(&self, asked: Request<cup::AppendJournalRequest>) -> Answer<cup::AppendJournalResponse> {
        let call = (Client::of(asked.extensions()), "AppendJournal", asked.get_ref().salt_hash.clone());
        self.noted(call, async {
            let (asked, organiser) = (self.admitted_to_change(asked)?, self.clone());
            let appended = tokio::task::spawn_blocking(move || organiser.append(&asked)).await;
            let length = appended.map_err(|_| refusals::failed())??;
            Ok(cup::AppendJournalResponse { length })
        })
        .await
    }
}

//! The handlers of `OrganiserService`: a program elsewhere schedules matches, and brings agents to their seats.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{AssignedSeat, MatchConfig, Matches, PracticeOffer, SeatQueue, requests};
use crate::proto::v1::{self, ErrorReason, organiser_service_server::OrganiserService};
use crate::service::error;
use crate::service::limits::{MAX_QUEUES, MAX_WAIT};
use crate::service::payer::reserve;
use crate::service::peers::Caller;
use ahu_engine::core::hex;
use ahu_engine::host::api::ApiError;
use ahu_engine::host::record::{check_name, check_new_name, parse_digest};
use ahu_engine::host::{Cause, MatchTime};

/// The organiser that a server admits, with the queues of its agents.
#[derive(Debug)]
pub(super) struct Organiser {
    key: [u8; 32],
    /// The queues, by the hashes of the agents' keys. None until the organiser has opened some.
    queues: Mutex<Option<Queues>>,
}

type Queues = BTreeMap<[u8; 32], SeatQueue>;

impl Organiser {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self { key, queues: Mutex::default() }
    }

    /// Returns true if agents cannot have queues yet, since the organiser has not called after the start of the server.
    pub(super) fn is_awaited(&self) -> bool {
        self.lock().is_none()
    }

    /// Each change is one step, so a panic elsewhere leaves it whole.
    fn lock(&self) -> MutexGuard<'_, Option<Queues>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if an agent has a queue.
    fn has(&self, hash: &[u8; 32]) -> bool {
        self.lock().as_ref().is_some_and(|queues| queues.contains_key(hash))
    }

    /// Adds a seat to the queue of an agent, which never loses it.
    fn add(&self, hash: &[u8; 32], seat: AssignedSeat) {
        if let Some(queue) = self.lock().as_ref().and_then(|queues| queues.get(hash)) {
            queue.add(seat);
        }
    }

    /// Returns the contact with all agents.
    fn presence(&self, now: MatchTime) -> Vec<v1::AgentPresence> {
        let idle = |asked: MatchTime| Duration::from_millis(now.0.saturating_sub(asked.0)).try_into().ok();
        let presence = |(hash, queue): (&[u8; 32], &SeatQueue)| v1::AgentPresence {
            key_hash: hex(hash),
            waiting: queue.is_waiting(),
            idle: queue.last_asked().and_then(idle),
        };
        self.lock().iter().flatten().map(presence).collect()
    }
}

impl Matches {
    /// Returns the organiser, if the call has its key.
    fn organiser(&self, metadata: &MetadataMap) -> Result<&Organiser, ApiError> {
        let key = requests::token(metadata).ok_or_else(error::no_organiser_key)?;
        let organiser = self.organiser.get().ok_or_else(error::no_organiser)?;
        if key.0 == organiser.key { Ok(organiser) } else { Err(error::wrong_organiser_key()) }
    }

    /// Returns the practice match that an organiser offers.
    fn practice_offer(&self, name: &str, practice: v1::CreateMatchRequest) -> Result<PracticeOffer, ApiError> {
        let config = requests::config(practice, None, self.limits())?;
        if config.bots.iter().all(Option::is_some) {
            return Err(ApiError::bad_field("agents", "expected a practice match with a seat without a bot"));
        }
        Ok(PracticeOffer { config, name: name.to_owned() })
    }
}

/// Returns the hash of a key that a field names.
fn key_hash(field: &'static str, text: &str) -> Result<[u8; 32], ApiError> {
    parse_digest(text).map_err(|message| ApiError::bad_field(field, message))
}

#[tonic::async_trait]
impl OrganiserService for Matches {
    async fn open_queues(
        &self,
        asked: Request<v1::OpenQueuesRequest>,
    ) -> Result<Response<v1::OpenQueuesResponse>, Status> {
        error::answer(async {
            let (metadata, _, asked) = asked.into_parts();
            let organiser = self.organiser(&metadata)?;
            let mut agents = Vec::new();
            // All agents are read before the first queue is opened.
            for v1::QueuedAgent { key_hash: hash, name, practice, closed } in asked.agents {
                check_new_name(&name).map_err(error::bad_name)?;
                let offer = practice.map(|practice| self.practice_offer(&name, practice)).transpose()?;
                agents.push((key_hash("agents", &hash)?, offer, closed));
            }
            let mut queues = organiser.lock();
            let known = |hash| queues.as_ref().is_some_and(|queues| queues.contains_key(hash));
            let all =
                agents.iter().filter(|(hash, ..)| !known(hash)).count() + queues.as_ref().map_or(0, BTreeMap::len);
            if all > MAX_QUEUES {
                let message = format!("expected queues for at most {MAX_QUEUES} agents, got {all}");
                return Err(ApiError::bad_field("agents", message));
            }
            let queues = queues.get_or_insert_default();
            for (hash, offer, closed) in agents {
                let queue = queues.entry(hash).or_insert_with(|| self.seat_queue_with_key(hash));
                queue.offer_practice(offer);
                queue.set_closed(closed);
            }
            Ok(Response::new(v1::OpenQueuesResponse {}))
        })
        .await
    }

    async fn await_agents(
        &self,
        asked: Request<v1::AwaitAgentsRequest>,
    ) -> Result<Response<v1::AwaitAgentsResponse>, Status> {
        error::answer(async {
            let (metadata, _, v1::AwaitAgentsRequest { wait, after }) = asked.into_parts();
            let organiser = self.organiser(&metadata)?;
            if organiser.is_awaited() {
                return Err(error::no_queue());
            }
            let mut calls = self.seat_queue_calls();
            let next = calls.wait_for(|&calls| after != Some(calls));
            let waiting = async {
                // If the time passes, the answer is the same as before.
                let _ = tokio::time::timeout(requests::duration(wait).min(MAX_WAIT), next).await;
                Ok(())
            };
            self.wait(waiting).await?;
            let changes = *calls.borrow();
            Ok(Response::new(v1::AwaitAgentsResponse { changes, agents: organiser.presence(self.now()) }))
        })
        .await
    }

    async fn host_match(
        &self,
        asked: Request<v1::HostMatchRequest>,
    ) -> Result<Response<v1::HostMatchResponse>, Status> {
        error::answer(async {
            let (metadata, _, asked) = asked.into_parts();
            self.organiser(&metadata)?;
            self.refuse_if_closing()?;
            let arrived = self.now();
            let created = asked.r#match.clone().unwrap_or_default();
            let request = requests::request("HostMatch", &created.request_id, &asked)?;
            if request.is_none() {
                return Err(ApiError::bad_field("match.request_id", "expected an id, got none"));
            }
            let live = if let Some(known) = self.known(request).await? {
                known
            } else {
                let config = requests::config(created, None, self.limits())?;
                // The operator has admitted the organiser, so its matches count for no address.
                let (is_pinned, is_sealed, game) = (asked.pinned, asked.sealed, asked.game);
                self.host_by(MatchConfig { is_pinned, is_sealed, game, ..config }, request, &Caller::default())?
            };
            let description = live.answer(arrived, |progress| Ok(live.description(progress))).await?;
            Ok(Response::new(v1::HostMatchResponse { r#match: Some(description) }))
        })
        .await
    }

    async fn seat_players(
        &self,
        asked: Request<v1::SeatPlayersRequest>,
    ) -> Result<Response<v1::SeatPlayersResponse>, Status> {
        error::answer(async {
            let (metadata, _, v1::SeatPlayersRequest { match_id, players }) = asked.into_parts();
            let organiser = self.organiser(&metadata)?;
            self.refuse_if_closing()?;
            let live = self.find(&match_id).await?;
            let read = |player: v1::SeatPlayer| {
                let hash = Some(player.key_hash.as_str()).filter(|hash| !hash.is_empty());
                let hash = hash.map(|hash| key_hash("players", hash)).transpose()?;
                check_name(&player.name).map_err(error::bad_name)?;
                match hash.is_none_or(|hash| organiser.has(&hash)) {
                    true => Ok((live.seat(player.seat)?, hash, player)),
                    false => Err(error::no_queue()),
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
                if let Some(hash) = hash {
                    let (live, token) = (Arc::clone(&live), token.clone());
                    organiser.add(&hash, AssignedSeat { live, seat, token, agent_seed: player.agent_seed });
                }
                seat_tokens.push(token);
            }
            live.answer(self.now(), |_| Ok(())).await?;
            Ok(Response::new(v1::SeatPlayersResponse { seat_tokens }))
        })
        .await
    }

    async fn await_record(
        &self,
        asked: Request<v1::AwaitRecordRequest>,
    ) -> Result<Response<v1::AwaitRecordResponse>, Status> {
        error::answer(async {
            let (metadata, extensions, v1::AwaitRecordRequest { match_id, wait }) = asked.into_parts();
            self.organiser(&metadata)?;
            let live = self.find(&match_id).await?;
            self.wait(live.wait_for_end(requests::duration(wait))).await?;
            reserve(&extensions).await;
            // Nobody is told of an end that the store has not kept.
            let ended = live.answer(self.now(), |progress| Ok(progress.ending().is_some())).await?;
            let record = live.with_referee(|referee| referee.record().to_bytes()).filter(|_| ended);
            Ok(Response::new(v1::AwaitRecordResponse { ended, record: record.unwrap_or_default().into() }))
        })
        .await
    }

    async fn report_exit(
        &self,
        asked: Request<v1::ReportExitRequest>,
    ) -> Result<Response<v1::ReportExitResponse>, Status> {
        error::answer(async {
            let (metadata, _, v1::ReportExitRequest { match_id, seat }) = asked.into_parts();
            self.organiser(&metadata)?;
            self.refuse_if_closing()?;
            let live = self.find(&match_id).await?;
            let seat = live.seat(seat)?;
            live.fault(seat, Cause::Exited);
            live.answer(self.now(), |_| Ok(())).await?;
            Ok(Response::new(v1::ReportExitResponse {}))
        })
        .await
    }

    async fn cancel_hosted_match(
        &self,
        asked: Request<v1::CancelHostedMatchRequest>,
    ) -> Result<Response<v1::CancelHostedMatchResponse>, Status> {
        error::answer(async {
            let (metadata, _, v1::CancelHostedMatchRequest { match_id, reason }) = asked.into_parts();
            self.organiser(&metadata)?;
            self.refuse_if_closing()?;
            let live = self.find(&match_id).await?;
            match live.cancel(&reason) {
                Err(error) if error.reason() != ErrorReason::MatchEnded => return Err(error),
                Ok(()) | Err(_) => {}
            }
            live.answer(self.now(), |_| Ok(())).await?;
            Ok(Response::new(v1::CancelHostedMatchResponse {}))
        })
        .await
    }

    async fn unseal_match(
        &self,
        asked: Request<v1::UnsealMatchRequest>,
    ) -> Result<Response<v1::UnsealMatchResponse>, Status> {
        error::answer(async {
            let (metadata, _, v1::UnsealMatchRequest { match_id }) = asked.into_parts();
            self.organiser(&metadata)?;
            self.find(&match_id).await?.unseal();
            Ok(Response::new(v1::UnsealMatchResponse {}))
        })
        .await
    }
}

//! The handlers of `OrganiserService`: a program elsewhere schedules matches, and brings agents to their seats. Each call reaches
//! one cup of its organiser, and nothing else.

use std::sync::Arc;

use ahu_host::api::ApiError;
use ahu_host::check_reason;
use ahu_host::record::{check_name, check_new_name};
use tonic::Request;

use super::{Handled, request_fields, shown};
use crate::accounts::{Client, Scope};
use crate::audit::{ANONYMOUS, ORGANISER};
use crate::cups::{Cups, HostedCup, QueuedAgent, SeatedPlayer};
use crate::matches::{MatchConfig, PracticeOffer};
use crate::organiser::Organiser;
use crate::proto::cup::{self, organiser_service_server::OrganiserService};
use crate::proto::v1;
use crate::refusals;
use crate::status::{self, Answer};

/// A request about a cup.
trait OfCup {
    /// True if the call makes a cup that the server does not have.
    const MAKES: bool = false;
    /// True if the call changes matches or the journal, so that it is refused while the server shuts down.
    const CHANGES: bool = true;

    fn cup_id(&self) -> &str;
}

macro_rules! of_cup {
    ($($request:ident $({ $($constant:ident = $value:literal),+ })?;)+) => {$(
        impl OfCup for cup::$request {
            $($(const $constant: bool = $value;)+)?

            fn cup_id(&self) -> &str {
                &self.cup_id
            }
        }
    )+};
}

of_cup! {
    OpenQueuesRequest { MAKES = true, CHANGES = false };
    AwaitAgentsRequest { CHANGES = false };
    HostMatchRequest;
    SeatPlayersRequest;
    ReportExitRequest;
    UnsealMatchRequest { CHANGES = false };
    AppendJournalRequest { MAKES = true };
}

impl Cups {
    /// Returns the organiser who makes a call: an account that organises, or the one who has the operator's key.
    pub(super) fn caller<T>(&self, asked: &Request<T>) -> Handled<Organiser> {
        let client = Client::of(asked.extensions());
        if let Some(identity) = client.identity().filter(|_| client.has(Scope::Organise)) {
            return Ok(Organiser::Account(identity.account.id));
        }
        let key = refusals::ORGANISER.brought(asked.metadata())?;
        if !self.matches().has_organiser() {
            return Err(refusals::no_organiser());
        }
        match self.matches().knows_organiser(key) {
            true => Ok(Organiser::OfOperator),
            false => Err(refusals::ORGANISER.wrong()),
        }
    }

    /// Returns the cup of a call, which belongs to the caller, and the request.
    fn own<T: OfCup>(&self, asked: Request<T>) -> Handled<(Arc<HostedCup>, T)> {
        let organiser = self.caller(&asked)?;
        let asked = asked.into_inner();
        if T::CHANGES {
            self.matches().refuse_if_closing()?;
        }
        Ok((self.hosted(organiser, asked.cup_id(), T::MAKES)?, asked))
    }

    /// Does the work of a call that changes something, and notes it in the audit.
    async fn noted<T>(
        &self,
        (client, what, target): (Client, &'static str, String),
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Answer<T> {
        let done = work.await;
        let nameless = if done.is_ok() { ORGANISER } else { ANONYMOUS };
        self.matches().audit().note_call(nameless, &client, what, &shown(&target), &done);
        status::answer(async { done }).await
    }

    fn queued(&self, agent: cup::QueuedAgent) -> Handled<QueuedAgent> {
        let cup::QueuedAgent { key_hash: hash, name, practice, dismissal, replaces } = agent;
        check_new_name(&name).map_err(refusals::bad_name)?;
        if let Some(dismissal) = &dismissal {
            check_reason(&dismissal.message).map_err(|message| ApiError::bad_field("agents", message))?;
        }
        let offer = |practice: v1::MatchSpec| {
            let config = request_fields::config(practice, None, self.matches().limits())?;
            if config.bots.iter().all(Option::is_some) {
                return Err(ApiError::bad_field("agents", "expected a practice match with a seat without a bot"));
            }
            Ok(PracticeOffer { config, name })
        };
        Ok(QueuedAgent {
            key_hash: key_hash("agents", &hash)?,
            replaces: Some(replaces).filter(|old| !old.is_empty()).map(|old| key_hash("agents", &old)).transpose()?,
            practice: practice.map(offer).transpose()?,
            dismissal,
        })
    }
}

/// Reads the hash of a key in this field.
fn key_hash(field: &'static str, bytes: &[u8]) -> Handled<[u8; 32]> {
    let wrong = |_| ApiError::bad_field(field, format!("expected a hash of 32 bytes, got {} bytes", bytes.len()));
    bytes.try_into().map_err(wrong)
}

#[tonic::async_trait]
impl OrganiserService for Cups {
    async fn open_queues(&self, asked: Request<cup::OpenQueuesRequest>) -> Answer<cup::OpenQueuesResponse> {
        let call = (Client::of(asked.extensions()), "OpenQueues", asked.get_ref().cup_id.clone());
        self.noted(call, async {
            // All agents are read before the cup is made, or a queue is opened.
            let organiser = self.caller(&asked)?;
            let cup::OpenQueuesRequest { cup_id, agents } = asked.into_inner();
            let agents = agents.into_iter().map(|agent| self.queued(agent)).collect::<Handled<_>>()?;
            self.hosted(organiser, &cup_id, true)?.open_queues(agents)?;
            Ok(cup::OpenQueuesResponse {})
        })
        .await
    }

    async fn await_agents(&self, asked: Request<cup::AwaitAgentsRequest>) -> Answer<cup::AwaitAgentsResponse> {
        status::answer(async {
            let (cup, cup::AwaitAgentsRequest { wait, after, .. }) = self.own(asked)?;
            cup.await_agents(after, request_fields::duration(wait)).await
        })
        .await
    }

    async fn host_match(&self, asked: Request<cup::HostMatchRequest>) -> Answer<cup::HostMatchResponse> {
        let call = (Client::of(asked.extensions()), "HostMatch", asked.get_ref().cup_id.clone());
        self.noted(call, async {
            let (cup, asked) = self.own(asked)?;
            let request = request_fields::request("HostMatch", &asked.request_id, &asked, &Client::default())?;
            let request = request.ok_or_else(|| ApiError::bad_field("request_id", "expected an id, got none"))?;
            let cup::HostMatchRequest { spec, pinned, sealed, repetition, .. } = asked;
            let spec = request_fields::spec(spec)?;
            let config = request_fields::config(spec, None, self.matches().limits())?;
            if !config.reservations.is_empty() {
                return Err(ApiError::bad_field("reservations", "expected none: SeatPlayers takes all seats"));
            }
            let config = MatchConfig { is_pinned: pinned, is_sealed: sealed, game: repetition, ..config };
            Ok(cup::HostMatchResponse { r#match: Some(cup.host(config, request).await?) })
        })
        .await
    }

    async fn seat_players(&self, asked: Request<cup::SeatPlayersRequest>) -> Answer<cup::SeatPlayersResponse> {
        let call = (Client::of(asked.extensions()), "SeatPlayers", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let (cup, cup::SeatPlayersRequest { match_id, players, .. }) = self.own(asked)?;
            let read = |cup::SeatPlayer { seat, name, key_hash: hash, agent_seed }| {
                check_name(&name).map_err(refusals::bad_name)?;
                let hash = Some(hash).filter(|hash| !hash.is_empty());
                let key_hash = hash.map(|hash| key_hash("players", &hash)).transpose()?;
                Ok(SeatedPlayer { seat, name, key_hash, agent_seed })
            };
            let players = players.into_iter().map(read).collect::<Handled<_>>()?;
            Ok(cup::SeatPlayersResponse { seats: cup.seat(&match_id, players).await? })
        })
        .await
    }

    async fn report_exit(&self, asked: Request<cup::ReportExitRequest>) -> Answer<cup::ReportExitResponse> {
        let call = (Client::of(asked.extensions()), "ReportExit", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let (cup, cup::ReportExitRequest { match_id, seat, .. }) = self.own(asked)?;
            cup.report_exit(&match_id, seat).await.map(|()| cup::ReportExitResponse {})
        })
        .await
    }

    async fn unseal_match(&self, asked: Request<cup::UnsealMatchRequest>) -> Answer<cup::UnsealMatchResponse> {
        let call = (Client::of(asked.extensions()), "UnsealMatch", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let (cup, cup::UnsealMatchRequest { match_id, .. }) = self.own(asked)?;
            cup.unseal(&match_id).await.map(|()| cup::UnsealMatchResponse {})
        })
        .await
    }

    async fn append_journal(&self, asked: Request<cup::AppendJournalRequest>) -> Answer<cup::AppendJournalResponse> {
        let call = (Client::of(asked.extensions()), "AppendJournal", asked.get_ref().cup_id.clone());
        self.noted(call, async {
            let (cup, cup::AppendJournalRequest { offset, part, .. }) = self.own(asked)?;
            let appended = tokio::task::spawn_blocking(move || cup.append(offset, &part)).await;
            Ok(cup::AppendJournalResponse { length: appended.map_err(|_| refusals::failed())?? })
        })
        .await
    }
}

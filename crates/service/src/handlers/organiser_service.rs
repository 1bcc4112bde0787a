//! The handlers of `OrganiserService`: a program elsewhere schedules matches, and brings agents to their seats. Each call reaches
//! one cup of its organiser, and nothing else.

use std::sync::Arc;

use ahu_host::api::ApiError;
use tonic::Request;

use super::{Handled, request_fields, shown};
use crate::accounts::{Client, Scope};
use crate::audit::{ANONYMOUS, ORGANISER};
use crate::cups::{Cups, HostedCup};
use crate::limits::MAX_JOURNAL;
use crate::matches::MatchConfig;
use crate::organiser::Organiser;
use crate::proto::cup::{self, organiser_service_server::OrganiserService};
use crate::refusals;
use crate::status::{self, Answer};

impl Cups {
    /// Returns the organiser who makes a call: an account that organises, or the one who has the operator's key.
    pub(super) fn caller<T>(&self, asked: &Request<T>) -> Handled<Organiser> {
        let client = Client::of(asked.extensions());
        if let Some(identity) = client.identity().filter(|_| client.has(Scope::Organise)) {
            return Ok(Organiser::Account(identity.account.id));
        }
        let key = refusals::ORGANISER.brought(asked.metadata())?;
        if !self.matches().has_organiser() && self.matches().accounts().is_none() {
            return Err(refusals::no_organiser());
        }
        match self.matches().knows_organiser(key) {
            true => Ok(Organiser::OfOperator),
            false => Err(refusals::ORGANISER.wrong()),
        }
    }

    /// Returns the cup of a call, which belongs to the caller, and the request. `id` reads the id of the cup.
    fn own<T>(&self, asked: Request<T>, id: fn(&T) -> &str) -> Handled<(Arc<HostedCup>, T)> {
        let organiser = self.caller(&asked)?;
        let asked = asked.into_inner();
        Ok((self.hosted(organiser, id(&asked), false)?, asked))
    }

    /// Returns the cup of a call, as [`Self::own`] does. Refuses the call while the server shuts down.
    fn own_to_change<T>(&self, asked: Request<T>, id: fn(&T) -> &str) -> Handled<(Arc<HostedCup>, T)> {
        self.matches().refuse_if_closing()?;
        self.own(asked, id)
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
}

#[tonic::async_trait]
impl OrganiserService for Cups {
    async fn open_queues(&self, asked: Request<cup::OpenQueuesRequest>) -> Answer<cup::OpenQueuesResponse> {
        let call = (Client::of(asked.extensions()), "OpenQueues", asked.get_ref().cup_id.clone());
        self.noted(call, async {
            let organiser = self.caller(&asked)?;
            let cup::OpenQueuesRequest { cup_id, agents } = asked.into_inner();
            let with_practice = |mut agent: cup::QueuedAgent| {
                let practice = agent.practice.take();
                let read = |spec| request_fields::config(spec, None, self.matches().limits());
                HostedCup::queued(agent, practice.map(read).transpose()?)
            };
            // All agents are read before the cup is made.
            HostedCup::check_queues(agents.len())?;
            let agents = agents.into_iter().map(with_practice).collect::<Handled<Vec<_>>>()?;
            self.hosted(organiser, &cup_id, true)?.open_queues(agents)?;
            Ok(cup::OpenQueuesResponse {})
        })
        .await
    }

    async fn await_agents(&self, asked: Request<cup::AwaitAgentsRequest>) -> Answer<cup::AwaitAgentsResponse> {
        status::answer(async {
            let (cup, cup::AwaitAgentsRequest { wait, after, after_call, .. }) =
                self.own(asked, |asked| &asked.cup_id)?;
            cup.await_agents((after, after_call), request_fields::duration(wait)).await
        })
        .await
    }

    async fn note_arrivals(&self, asked: Request<cup::NoteArrivalsRequest>) -> Answer<cup::NoteArrivalsResponse> {
        status::answer(async {
            let (cup, asked) = self.own(asked, |asked| &asked.cup_id)?;
            cup.note_arrivals(asked)?;
            Ok(cup::NoteArrivalsResponse {})
        })
        .await
    }

    async fn host_match(&self, asked: Request<cup::HostMatchRequest>) -> Answer<cup::HostMatchResponse> {
        let client = Client::of(asked.extensions());
        let call = (client.clone(), "HostMatch", asked.get_ref().cup_id.clone());
        self.noted(call, async {
            let (cup, asked) = self.own_to_change(asked, |asked| &asked.cup_id)?;
            let request = request_fields::request("HostMatch", &asked.request_id, &asked, &Client::default())?;
            let request = request.ok_or_else(|| ApiError::bad_field("request_id", "expected an id, got none"))?;
            let cup::HostMatchRequest { spec, pinned, sealed, repetition, .. } = asked;
            let spec = request_fields::spec(spec)?;
            let config = request_fields::config(spec, None, self.matches().limits())?;
            if !config.reservations.is_empty() {
                return Err(ApiError::bad_field("reservations", "expected none: SeatPlayers takes all seats"));
            }
            let config = MatchConfig { is_pinned: pinned, is_sealed: sealed, game: repetition, ..config };
            Ok(cup::HostMatchResponse { r#match: Some(cup.host(config, request, &client).await?) })
        })
        .await
    }

    async fn seat_players(&self, asked: Request<cup::SeatPlayersRequest>) -> Answer<cup::SeatPlayersResponse> {
        let call = (Client::of(asked.extensions()), "SeatPlayers", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let (cup, cup::SeatPlayersRequest { match_id, players, .. }) =
                self.own_to_change(asked, |asked| &asked.cup_id)?;
            Ok(cup::SeatPlayersResponse { seats: cup.seat(&match_id, players).await? })
        })
        .await
    }

    async fn report_exit(&self, asked: Request<cup::ReportExitRequest>) -> Answer<cup::ReportExitResponse> {
        let call = (Client::of(asked.extensions()), "ReportExit", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let (cup, cup::ReportExitRequest { match_id, seat, .. }) =
                self.own_to_change(asked, |asked| &asked.cup_id)?;
            cup.report_exit(&match_id, seat).await.map(|()| cup::ReportExitResponse {})
        })
        .await
    }

    async fn unseal_match(&self, asked: Request<cup::UnsealMatchRequest>) -> Answer<cup::UnsealMatchResponse> {
        let call = (Client::of(asked.extensions()), "UnsealMatch", asked.get_ref().match_id.clone());
        self.noted(call, async {
            let (cup, cup::UnsealMatchRequest { match_id, .. }) = self.own(asked, |asked| &asked.cup_id)?;
            cup.unseal(&match_id).await.map(|()| cup::UnsealMatchResponse {})
        })
        .await
    }

    async fn append_journal(&self, asked: Request<cup::AppendJournalRequest>) -> Answer<cup::AppendJournalResponse> {
        let call = (Client::of(asked.extensions()), "AppendJournal", asked.get_ref().cup_id.clone());
        self.noted(call, async {
            self.matches().refuse_if_closing()?;
            let organiser = self.caller(&asked)?;
            let cup::AppendJournalRequest { cup_id, offset, part } = asked.into_inner();
            if offset.saturating_add(part.len() as u64) > MAX_JOURNAL {
                return Err(refusals::journal_too_long(MAX_JOURNAL));
            }
            let cup = self.hosted(organiser, &cup_id, true)?;
            let appended = tokio::task::spawn_blocking(move || cup.append(offset, &part)).await;
            Ok(cup::AppendJournalResponse { length: appended.map_err(|_| refusals::failed())?? })
        })
        .await
    }
}

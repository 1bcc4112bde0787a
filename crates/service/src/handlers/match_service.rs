//! The handlers of `MatchService`.

use std::pin::Pin;

use ahu_core::{ActionId, Viewer};
use ahu_host::Scene;
use ahu_host::api::{ApiError, convert};
use futures_util::TryStreamExt as _;
use prost::Message as _;
use tokio_stream::Stream;
use tonic::{Request, Status};

use super::request_fields::{agent_key, answer, config, duration, filter, invitation, request, spec};
use super::{Handled, Head, Paging, shown};
use crate::accounts::{AccountId, Client, Identity};
use crate::admission::{Arrived, reserve};
use crate::audit::ANONYMOUS;
use crate::limits::{DEFAULT_HEARTBEAT, HEARTBEAT, MAX_PLAYING, Share};
use crate::matches::live_match::{Answer, LiveState, player_name};
use crate::matches::watching::{Form, Viewpoint};
use crate::matches::{AssignedSeat, Matches};
use crate::proto::v1::{self, match_service_server::MatchService};
use crate::reservation::Joiner;
use crate::secrets::TokenHash;
use crate::store::Query;
use crate::{refusals, status};

/// The reason of a cancelled match whose creator gives none.
const CANCELLED_BY_CREATOR: &str = "cancelled by its creator";

/// The messages of one watcher.
type WatchStream = Pin<Box<dyn Stream<Item = Result<v1::WatchMatchResponse, Status>> + Send>>;

/// Implements `MatchService`: each method answers as the function of [`Matches`] with its name.
macro_rules! match_service {
    ($($method:ident($request:ident) -> $response:ty;)+) => {
        #[tonic::async_trait]
        impl MatchService for Matches {
            type WatchMatchStream = WatchStream;

            $(async fn $method(&self, asked: Request<v1::$request>) -> status::Answer<$response> {
                status::answer(Self::$method(self, asked)).await
            })+
        }
    };
}

match_service! {
    create_match(CreateMatchRequest) -> v1::CreateMatchResponse;
    join_match(JoinMatchRequest) -> v1::JoinMatchResponse;
    await_seat(AwaitSeatRequest) -> v1::AwaitSeatResponse;
    get_match(GetMatchRequest) -> v1::GetMatchResponse;
    list_matches(ListMatchesRequest) -> v1::ListMatchesResponse;
    observe(ObserveRequest) -> v1::ObserveResponse;
    watch_match(WatchMatchRequest) -> WatchStream;
    parse_action(ParseActionRequest) -> v1::ParseActionResponse;
    step(StepRequest) -> v1::StepResponse;
    resign_seat(ResignSeatRequest) -> v1::ResignSeatResponse;
    cancel_match(CancelMatchRequest) -> v1::CancelMatchResponse;
    get_record(GetRecordRequest) -> v1::GetRecordResponse;
}

impl Matches {
    /// Creates a match for a client.
    async fn create_by(
        &self,
        asked: Request<v1::CreateMatchRequest>,
        client: &Client,
    ) -> Handled<v1::CreateMatchResponse> {
        self.refuse_if_closing()?;
        let arrived = self.now();
        let asked = asked.into_inner();
        let request = request("CreateMatch", &asked.request_id, &asked, client)?;
        let live = if let Some(known) = self.known(request).await? {
            known
        } else {
            let config = config(spec(asked.spec)?, self.idle(), self.limits())?;
            let _turn = self.making_turn.lock().await;
            self.host_by(config, request, client)?
        };
        let description = live.answer(arrived, |state| Ok(state.description())).await?;
        Ok(v1::CreateMatchResponse { r#match: Some(description), owner_token: live.owner_token() })
    }

    /// Cancels a match for its creator or an organiser.
    async fn cancel_by(&self, asked: Request<v1::CancelMatchRequest>) -> Handled<v1::CancelMatchResponse> {
        self.refuse_if_closing()?;
        let arrived = self.now();
        let (head, v1::CancelMatchRequest { match_id, reason }) = Head::of(asked);
        let live = self.find(&match_id).await?;
        if !self.organises(&live, &head)
            && refusals::OWNER.brought(&head.metadata)? != TokenHash::of(&live.owner_token())
        {
            return Err(refusals::OWNER.wrong());
        }
        let reason = if reason.is_empty() { CANCELLED_BY_CREATOR } else { &reason };
        let description = live.answer(arrived, |state| {
            state.cancel(reason)?;
            Ok(state.description())
        });
        Ok(v1::CancelMatchResponse { r#match: Some(description.await?) })
    }

    async fn create_match(&self, asked: Request<v1::CreateMatchRequest>) -> Handled<v1::CreateMatchResponse> {
        let client = Client::of(asked.extensions());
        let created = self.create_by(asked, &client).await;
        let id = created.as_ref().ok().and_then(|created| created.r#match.as_ref()).map(|created| &*created.match_id);
        self.audit().note_call(ANONYMOUS, &client, "CreateMatch", id.unwrap_or_default(), &created);
        created
    }

    async fn join_match(&self, asked: Request<v1::JoinMatchRequest>) -> Handled<v1::JoinMatchResponse> {
        self.refuse_if_closing()?;
        let arrived = self.now();
        let (_, extensions, asked) = asked.into_parts();
        let client = &Client::of(&extensions);
        let request = request("JoinMatch", &asked.request_id, &asked, client)?;
        let v1::JoinMatchRequest { target, seat, name, invitation_code, .. } = asked;
        let code = invitation(&invitation_code)?;
        let player = client.identity().map(Identity::player);
        let joiner = |name| Joiner { name, code, request, player };
        let (live, seat, token) = match target {
            Some(v1::join_match_request::Target::MatchId(id)) => {
                self.known(request).await?;
                let name = client.player_name(player_name(&name)?)?;
                self.join(self.find(&id).await?, seat, &joiner(name))?
            }
            Some(v1::join_match_request::Target::Any(any)) => {
                let filter = filter(&any, seat)?;
                if code.is_some() {
                    let message = "expected no invitation code with `any`: a code belongs to a match";
                    return Err(ApiError::bad_field("invitation_code", message));
                }
                self.known(request).await?;
                let name = client.player_name(player_name(&name)?)?;
                let _turn = self.making_turn.lock().await;
                self.join_any(&filter, &joiner(name), client)?
            }
            None => return Err(ApiError::bad_field("target", "expected `match_id` or `any`, got neither")),
        };
        let description = live.answer(arrived, |state| Ok(state.description())).await?;
        let assigned = AssignedSeat { live, seat, token, agent_seed: None }.message();
        Ok(v1::JoinMatchResponse { assigned: Some(assigned), r#match: Some(description) })
    }

    async fn await_seat(&self, asked: Request<v1::AwaitSeatRequest>) -> Handled<v1::AwaitSeatResponse> {
        let (metadata, extensions, v1::AwaitSeatRequest { wait, playing, agent }) = asked.into_parts();
        let key = agent_key(&metadata)?;
        if playing.len() > MAX_PLAYING {
            let message = format!("expected at most {MAX_PLAYING} seats, got {}", playing.len());
            return Err(ApiError::bad_field("playing", message));
        }
        if playing.iter().any(|id| id.seat.is_none()) {
            return Err(ApiError::bad_field("playing", "expected a seat in each id, got an id without one"));
        }
        let seats = self.seats_of(key, &Client::of(&extensions), &agent, duration(wait)).await?;
        self.wait(seats.next(duration(wait), &playing)).await
    }

    async fn get_match(&self, asked: Request<v1::GetMatchRequest>) -> Handled<v1::GetMatchResponse> {
        let (head, v1::GetMatchRequest { match_id, wait }) = Head::of(asked);
        let live = self.find(&match_id).await?;
        self.check_reader(&live, &head)?;
        self.wait(live.wait_for_end(duration(wait))).await?;
        let description = live.answer(self.now(), |state| Ok(state.description())).await?;
        Ok(v1::GetMatchResponse { r#match: Some(description) })
    }

    async fn list_matches(&self, asked: Request<v1::ListMatchesRequest>) -> Handled<v1::ListMatchesResponse> {
        let asked = asked.into_inner();
        let filter = v1::ListMatchesRequest { page_size: 0, page_token: String::new(), ..asked.clone() };
        let v1::ListMatchesRequest { game, state, page_size, page_token, labels, player_id } = asked;
        let paging = Paging::read(page_size, &page_token, &filter.encode_to_vec())?;
        let state: v1::MatchState = ApiError::read_value("state", state)?;
        let states = match state {
            v1::MatchState::Unspecified => Vec::new(),
            state => vec![state],
        };
        let labels = labels.into_iter().map(|(key, value)| (key, Some(value))).collect();
        let game = Some(game).filter(|game| !game.is_empty());
        let player = Some(&*player_id).filter(|id| !id.is_empty()).map(|id| {
            AccountId::read(id).ok_or_else(|| ApiError::bad_field("player_id", "expected the id of an account"))
        });
        let query = Query { game, states, labels, player: player.transpose()?, ..Query::default() };
        let (matches, next_page_token) = self.list(query, paging).await?;
        Ok(v1::ListMatchesResponse { matches, next_page_token })
    }

    async fn observe(&self, asked: Request<v1::ObserveRequest>) -> Handled<v1::ObserveResponse> {
        let (head, asked) = Head::of(asked);
        let (live, viewer, _call) = self.viewer_call(&asked.match_id, (asked.seat, asked.public_view), &head).await?;
        let (formats, after) = (asked.formats.unwrap_or_default(), asked.events_after);
        let wait = duration(asked.wait);
        match viewer {
            Viewer::Seat(seat) => self.wait(live.wait_for_decision(seat, wait)).await?,
            Viewer::Public => self.wait(live.wait_for_event(viewer, after, wait)).await?,
        }
        reserve(&head.extensions).await;
        let answer = |state: &mut LiveState| {
            let view = if asked.svg { state.for_viewer(viewer).view() } else { None };
            Ok((state.observation(viewer, &formats, after)?, view))
        };
        let (observation, view) = live.answer(self.now(), answer).await?;
        let svg = match view {
            Some(view) => self
                .background
                .work(async move { view.svg(None, Scene::default()) })
                .await
                .ok_or_else(refusals::failed)?,
            None => String::new(),
        };
        Ok(v1::ObserveResponse { observation: Some(observation), svg })
    }

    async fn parse_action(&self, asked: Request<v1::ParseActionRequest>) -> Handled<v1::ParseActionResponse> {
        let (head, asked) = Head::of(asked);
        let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &head).await?;
        let rules = live.rules();
        let input = answer(asked.action, rules, seat, live.seats());
        let response = live.answer_seat((seat, token), self.now(), |state| {
            let input = match input? {
                Answer::Id(id) => id,
                Answer::Unreadable { error, .. } => return Err(error),
            };
            let id = ActionId(u16::try_from(input).unwrap_or(u16::MAX));
            let action = convert::action(rules, id, seat, live.seats(), true);
            let action = action.ok_or_else(|| ApiError::no_such_action(input, rules.action_count()))?;
            let owing = state.referee().filter(|referee| referee.owes(seat));
            let legal = owing.is_some_and(|referee| referee.legal_actions(seat).contains(id));
            Ok(v1::ParseActionResponse { action: Some(action), legal })
        });
        response.await
    }

    async fn step(&self, asked: Request<v1::StepRequest>) -> Handled<v1::StepResponse> {
        self.refuse_if_closing()?;
        let arrived = Arrived::of(asked.extensions(), self.now());
        let (head, asked) = Head::of(asked);
        let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &head).await?;
        let wait = duration(asked.wait);
        if wait.is_zero() {
            reserve(&head.extensions).await;
        }
        let answer = answer(asked.action, live.rules(), seat, live.seats());
        let (formats, after, viewer) = (asked.formats.unwrap_or_default(), asked.events_after, Viewer::Seat(seat));
        let response = live.answer_seat((seat, token), arrived, |state| {
            state.supervised((seat, asked.decision_id), answer?, |state, answer| {
                // A step with wrong formats is refused before it is carried out.
                state.for_viewer(viewer).check_formats(&formats, after)?;
                let outcome = state.step_with(seat, asked.decision_id, answer, asked.comment)?;
                let observation = wait.is_zero().then(|| state.observation(viewer, &formats, after)).transpose()?;
                Ok(v1::StepResponse {
                    decision_id: outcome.decision,
                    action_id: Some(outcome.id.0.into()),
                    replayed: outcome.replayed,
                    observation,
                })
            })
        });
        let mut response = response.await?;
        if response.observation.is_none() {
            let _call = live.enter(seat, token)?;
            self.wait(live.wait_for_decision(seat, wait)).await?;
            reserve(&head.extensions).await;
            let observation = live.answer(self.now(), |state| state.observation(viewer, &formats, after)).await?;
            response.observation = Some(observation);
        }
        Ok(response)
    }

    async fn resign_seat(&self, asked: Request<v1::ResignSeatRequest>) -> Handled<v1::ResignSeatResponse> {
        self.refuse_if_closing()?;
        let arrived = Arrived::of(asked.extensions(), self.now());
        let (head, asked) = Head::of(asked);
        let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &head).await?;
        let description = live.answer_seat((seat, token), arrived, |state| {
            state.resign(seat)?;
            Ok(state.description())
        });
        Ok(v1::ResignSeatResponse { r#match: Some(description.await?) })
    }

    async fn cancel_match(&self, asked: Request<v1::CancelMatchRequest>) -> Handled<v1::CancelMatchResponse> {
        let client = Client::of(asked.extensions());
        let match_id = asked.get_ref().match_id.clone();
        let cancelled = self.cancel_by(asked).await;
        self.audit().note_call(ANONYMOUS, &client, "CancelMatch", &shown(&match_id), &cancelled);
        cancelled
    }

    async fn get_record(&self, asked: Request<v1::GetRecordRequest>) -> Handled<v1::GetRecordResponse> {
        let (head, v1::GetRecordRequest { match_id, format }) = Head::of(asked);
        let format: v1::RecordFormat = ApiError::read_value("format", format)?;
        let live = self.find(&match_id).await?;
        if !self.organises(&live, &head) {
            live.refuse_if_sealed()?;
        }
        live.answer(self.now(), |state| state.record(format)).await
    }

    /// Begins the stream of a call of `WatchMatch`.
    async fn watch_match(&self, asked: Request<v1::WatchMatchRequest>) -> Handled<WatchStream> {
        self.refuse_if_closing()?;
        let (head, asked) = Head::of(asked);
        let share = head.client.lease(&[(Share::Watchers, 1)])?;
        let mut formats = asked.formats.unwrap_or_default();
        let (live, viewer, presence) =
            self.viewer_call(&asked.match_id, (asked.seat, asked.public_view), &head).await?;
        if asked.all_seats {
            live.refuse_if_sealed()?;
            if !live.has_ended() {
                return Err(refusals::not_ended(&live.id));
            }
        }
        ApiError::check_expected(live.rules(), formats.rules_version, &formats.layout_hash)?;
        // Watchers who expect the same or nothing share their messages.
        (formats.rules_version, formats.layout_hash) = Default::default();
        let form = Form { formats, boards: None };
        let view = Viewpoint { viewer, all_seats: asked.all_seats, form };
        let heartbeat = match asked.heartbeat {
            None => DEFAULT_HEARTBEAT,
            asked => duration(asked).clamp(*HEARTBEAT.start(), *HEARTBEAT.end()),
        };
        let messages = self.messages(live, view, asked.events_after, heartbeat, (share, presence)).await?;
        Ok(Box::pin(messages.map_ok(|message| message.response).map_err(status::of)))
    }
}

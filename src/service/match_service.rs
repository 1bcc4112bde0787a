//! The handlers of `MatchService`: each field of a request checked, each answer held back until what it
//! rests on is kept.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use sha2::{Digest as _, Sha256};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::convert;
use super::error::ApiError;
use super::limits::{MAX_PAGE, PAGE_DEFAULT, REQUEST_ID};
use super::live_match::{LiveMatch, MatchConfig};
use super::matches::{self, MatchFilter, Matches};
use crate::core::{ActionId, Seat, Seed, Viewer};
use crate::host::{Conduct, Referee, event_log, find};
use crate::proto::v1::{self, match_service_server::MatchService, parse_action_request, step_request};

impl Matches {
    fn refuse_if_closing(&self) -> Result<(), ApiError> {
        if *self.closing().borrow() { Err(ApiError::closing()) } else { Ok(()) }
    }

    /// The match and the seat that a call is about, if it has the seat's token.
    fn seat(
        &self,
        match_id: &str,
        seat: Option<u32>,
        metadata: &MetadataMap,
    ) -> Result<(Arc<LiveMatch>, Seat), ApiError> {
        let live = self.find(match_id)?;
        let seat = live.seat(seat)?;
        live.authorize(seat, token(metadata))?;
        Ok((live, seat))
    }
}

/// The token that a call carries.
fn token(metadata: &MetadataMap) -> Option<&str> {
    let value = metadata.get("authorization")?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// What a request id and the content that comes with it are known by; nothing, where there is no id.
fn request(method: &str, id: &str, content: &impl Message) -> Result<Option<matches::Request>, ApiError> {
    if id.is_empty() {
        return Ok(None);
    }
    if !REQUEST_ID.contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        let (least, most) = (REQUEST_ID.start(), REQUEST_ID.end());
        let message = format!("a request_id has {least} to {most} printable ASCII characters, such as a random UUID");
        return Err(ApiError::bad_field("request_id", message));
    }
    let hash = |content: &[u8]| Sha256::new().chain_update(method).chain_update([0]).chain_update(content).finalize();
    Ok(Some(matches::Request { id: hash(id.as_bytes()).into(), content: hash(&content.encode_to_vec()).into() }))
}

/// What a request for a match asks for, every field checked.
fn config(request: v1::CreateMatchRequest) -> Result<MatchConfig, ApiError> {
    let rules = find(&request.game)?;
    let given: Vec<_> = request.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let setup = rules.configure(request.seat_count as usize, &given)?;
    let mut bots = vec![None; setup.seats.count()];
    for v1::BotSeat { seat, bot } in request.bots {
        let place = seat.and_then(|seat| bots.get_mut(seat as usize));
        let place = place.ok_or_else(|| ApiError::unknown_seat(seat, setup.seats.count()))?;
        let name = rules.bot(&bot).map_err(|error| ApiError::unknown_bot(&error, &bot))?;
        if place.replace((bot, name)).is_some() {
            return Err(ApiError::bad_field("bots", "two bots are to take one seat"));
        }
    }
    let strikes = request.strikes.map(|strikes| match u8::try_from(strikes).ok().and_then(NonZeroU8::new) {
        Some(strikes) => Ok(strikes),
        None => {
            Err(ApiError::bad_field("strikes", format!("a seat forfeits with 1 to 255 illegal actions, not {strikes}")))
        }
    });
    Ok(MatchConfig {
        rules,
        setup,
        bots,
        seed: request.seed.map(Seed),
        conduct: Conduct { strikes: strikes.transpose()? },
    })
}

/// The match that a request would join, every field checked.
fn filter(any: &v1::AnyMatch, seat: Option<u32>) -> Result<MatchFilter, ApiError> {
    let options: Vec<_> = any.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    MatchFilter::new(find(&any.game)?, any.seat_count.map(|count| count as usize), &options, seat)
}

/// How long a request asks to wait; a negative time is none.
fn wait(wait: Option<prost_types::Duration>) -> Duration {
    wait.and_then(|wait| Duration::try_from(wait).ok()).unwrap_or_default()
}

/// An action in any of its forms, which two requests have.
enum ActionInput {
    Id(u32),
    Text(String),
    Typed(prost_types::Any),
}

impl From<step_request::Action> for ActionInput {
    fn from(action: step_request::Action) -> Self {
        match action {
            step_request::Action::ActionId(id) => Self::Id(id),
            step_request::Action::Text(text) => Self::Text(text),
            step_request::Action::Typed(message) => Self::Typed(message),
        }
    }
}

impl From<parse_action_request::Action> for ActionInput {
    fn from(action: parse_action_request::Action) -> Self {
        match action {
            parse_action_request::Action::ActionId(id) => Self::Id(id),
            parse_action_request::Action::Text(text) => Self::Text(text),
            parse_action_request::Action::Typed(message) => Self::Typed(message),
        }
    }
}

impl ActionInput {
    /// The action that is meant. An id need not be one of the game's.
    fn read(input: Option<impl Into<Self>>, live: &LiveMatch, seat: Seat) -> Result<u32, ApiError> {
        let input =
            input.ok_or_else(|| ApiError::bad_field("action", "which action? Say it by id, as text, or typed"))?;
        match input.into() {
            Self::Id(id) => Ok(id),
            Self::Text(text) => {
                Ok(live.rules().parse_action(&text).map_err(|error| ApiError::bad_text(&error))?.0.into())
            }
            Self::Typed(message) => {
                let read = live.rules().read_action(&message, seat, live.setup.seats);
                Ok(read.map_err(ApiError::bad_message)?.0.into())
            }
        }
    }
}

#[tonic::async_trait]
impl MatchService for Matches {
    async fn create_match(
        &self,
        asked: Request<v1::CreateMatchRequest>,
    ) -> Result<Response<v1::CreateMatchResponse>, Status> {
        self.refuse_if_closing()?;
        let asked = asked.into_inner();
        let request = request("CreateMatch", &asked.request_id, &asked)?;
        let live = match self.known(request)? {
            Some(known) => known,
            None => self.host_by(config(asked)?, request)?,
        };
        let (description, entries) = live.describe();
        live.kept(entries).await?;
        Ok(Response::new(v1::CreateMatchResponse { r#match: Some(description) }))
    }

    async fn join_match(
        &self,
        asked: Request<v1::JoinMatchRequest>,
    ) -> Result<Response<v1::JoinMatchResponse>, Status> {
        self.refuse_if_closing()?;
        let asked = asked.into_inner();
        let request = request("JoinMatch", &asked.request_id, &asked)?;
        let v1::JoinMatchRequest { target, seat, name, .. } = asked;
        let (live, seat, seat_token) = match target {
            Some(v1::join_match_request::Target::MatchId(id)) => self.join(&id, seat, &name, request)?,
            Some(v1::join_match_request::Target::Any(any)) => self.join_any(&filter(&any, seat)?, &name, request)?,
            None => return Err(ApiError::bad_field("target", "which match? Name one, or say what any is to be").into()),
        };
        let (description, entries) = live.describe();
        live.kept(entries).await?;
        Ok(Response::new(v1::JoinMatchResponse {
            seat: Some(seat.index() as u32),
            seat_token,
            r#match: Some(description),
        }))
    }

    async fn get_match(&self, asked: Request<v1::GetMatchRequest>) -> Result<Response<v1::GetMatchResponse>, Status> {
        let live = self.find(&asked.into_inner().match_id)?;
        let (description, entries) = live.describe();
        live.kept(entries).await?;
        Ok(Response::new(v1::GetMatchResponse { r#match: Some(description) }))
    }

    async fn list_matches(
        &self,
        asked: Request<v1::ListMatchesRequest>,
    ) -> Result<Response<v1::ListMatchesResponse>, Status> {
        let v1::ListMatchesRequest { game, state, page_size, page_token } = asked.into_inner();
        if !game.is_empty() {
            find(&game).map_err(ApiError::from)?;
        }
        let state = v1::MatchState::try_from(state)
            .map_err(|_| ApiError::bad_field("state", format!("{state} is no state of a match")))?;
        let size = match page_size as usize {
            0 => PAGE_DEFAULT,
            size if size <= MAX_PAGE => size,
            size => {
                return Err(ApiError::bad_field(
                    "page_size",
                    format!("a page has at most {MAX_PAGE} matches, not {size}"),
                )
                .into());
            }
        };
        let first = match page_token.as_str() {
            "" => 0,
            token => token
                .parse()
                .map_err(|_| ApiError::bad_field("page_token", "a page token is the next_page_token of an answer"))?,
        };
        let is_wanted = |live: &Arc<LiveMatch>| {
            (game.is_empty() || live.rules().info().id == game)
                && (state == v1::MatchState::Unspecified || live.state() == state)
        };
        let mut matches = Vec::new();
        let mut next_page_token = String::new();
        for live in self.from(first).into_iter().filter(is_wanted) {
            if matches.len() == size {
                next_page_token = live.number.to_string();
                break;
            }
            let (description, entries) = live.describe();
            // One whose log has failed stands still; the others are listed all the same.
            if live.kept(entries).await.is_ok() {
                matches.push(description);
            }
        }
        Ok(Response::new(v1::ListMatchesResponse { matches, next_page_token }))
    }

    async fn observe(&self, asked: Request<v1::ObserveRequest>) -> Result<Response<v1::ObserveResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let mut closing = self.closing();
        tokio::select! {
            // What there is to see is shown, also while the server closes.
            biased;
            waited = live.wait(seat, wait(asked.wait)) => waited?,
            _ = closing.wait_for(|&closing| closing) => return Err(ApiError::closing().into()),
        }
        let (observation, entries) = live.observe(seat, asked.formats.unwrap_or_default());
        live.kept(entries).await?;
        Ok(Response::new(v1::ObserveResponse { observation: Some(observation?) }))
    }

    async fn list_legal_actions(
        &self,
        asked: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let (response, entries) = live.look(|progress| {
            let owed =
                progress.referee().and_then(|referee| Some((referee.decision(seat)?, referee.legal_actions(seat))));
            owed.map(|(decision_id, legal)| v1::ListLegalActionsResponse {
                decision_id: Some(decision_id),
                actions: live.actions(&legal, seat, asked.typed),
            })
        });
        live.kept(entries).await?;
        Ok(Response::new(response.unwrap_or_default()))
    }

    async fn parse_action(
        &self,
        asked: Request<v1::ParseActionRequest>,
    ) -> Result<Response<v1::ParseActionResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let input = ActionInput::read(asked.action, &live, seat)?;
        let id = ActionId(u16::try_from(input).unwrap_or(u16::MAX));
        let action = convert::action(live.rules(), id, seat, live.setup.seats, true);
        let action = action.ok_or_else(|| ApiError::no_such_action(input, live.rules().action_count()))?;
        let is_legal = |referee: &Referee| referee.legal_actions(seat).contains(id);
        let (legal, entries) = live.look(|progress| progress.referee().is_some_and(is_legal));
        live.kept(entries).await?;
        Ok(Response::new(v1::ParseActionResponse { action: Some(action), legal }))
    }

    async fn step(&self, asked: Request<v1::StepRequest>) -> Result<Response<v1::StepResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let input = ActionInput::read(asked.action, &live, seat)?;
        let formats = asked.formats.unwrap_or_default();
        let (checked, entries) = live.check(seat, formats);
        if let Err(error) = checked {
            live.kept(entries).await?;
            return Err(error.into());
        }
        let stepped = live.step(seat, asked.decision_id, input);
        let (observation, entries) = live.observe(seat, formats);
        live.kept(entries).await?;
        let outcome = stepped?;
        Ok(Response::new(v1::StepResponse {
            decision_id: outcome.decision,
            action_id: Some(outcome.id.0.into()),
            replayed: outcome.replayed,
            observation: Some(observation?),
        }))
    }

    async fn get_record(
        &self,
        asked: Request<v1::GetRecordRequest>,
    ) -> Result<Response<v1::GetRecordResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let live = self.find(&asked.match_id)?;
        let format = v1::RecordFormat::try_from(asked.format)
            .map_err(|_| ApiError::bad_field("format", "the formats of a record are TEXT and BINARY"))?;
        let viewer = match asked.seat.map(|seat| live.seat(Some(seat))).transpose()? {
            Some(seat) => {
                live.authorize(seat, token(&metadata))?;
                Viewer::Seat(seat)
            }
            None => Viewer::Public,
        };
        let (record, entries) = live.look(|progress| {
            let referee = progress.referee().ok_or_else(|| ApiError::not_started(&live.id))?;
            let complete = referee.result().is_some();
            let record = match (complete, format) {
                (true, v1::RecordFormat::Unspecified | v1::RecordFormat::Text) => referee.record().to_text().into(),
                (true, v1::RecordFormat::Binary) => referee.record().to_bytes().into(),
                (false, v1::RecordFormat::Unspecified | v1::RecordFormat::Text) => event_log(referee, viewer).into(),
                (false, v1::RecordFormat::Binary) => return Err(ApiError::not_finished()),
            };
            Ok(v1::GetRecordResponse { record, complete })
        });
        live.kept(entries).await?;
        Ok(Response::new(record?))
    }
}

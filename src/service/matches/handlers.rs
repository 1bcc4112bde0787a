//! The handlers of `MatchService`: each checks the fields of its request, and does its work in one transaction of the
//! match.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use sha2::{Digest as _, Sha256};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::live::{LiveMatch, MatchConfig};
use super::progress::TokenHash;
use super::registry::{self, MatchFilter};
use super::{Matches, present};
use crate::core::{ActionId, Seat, Seats, Seed, Viewer};
use crate::host::api::{ApiError, convert};
use crate::host::{AnyRules, Conduct, find};
use crate::proto::v1::{self, match_service_server::MatchService, parse_action_request, step_request};
use crate::service::error;
use crate::service::limits::{DEFAULT_PAGE, MAX_PAGE, REQUEST_ID};

impl Matches {
    fn refuse_if_closing(&self) -> Result<(), ApiError> {
        if *self.closing().borrow() { Err(error::closing()) } else { Ok(()) }
    }

    /// Returns the match and the seat of a call.
    fn seat(&self, match_id: &str, seat: Option<u32>) -> Result<(Arc<LiveMatch>, Seat), ApiError> {
        let live = self.find(match_id)?;
        let seat = live.seat(seat)?;
        Ok((live, seat))
    }

    /// Waits for a part of a match. The call ends with an error if the server shuts down.
    async fn wait(&self, waiting: impl Future<Output = Result<(), ApiError>>) -> Result<(), ApiError> {
        let mut closing = self.closing();
        tokio::select! {
            // A match that is ready is shown even while the server shuts down.
            biased;
            waited = waiting => waited,
            _ = closing.wait_for(|&closing| closing) => Err(error::closing()),
        }
    }
}

/// Returns the time that a call may wait. A negative time is no time.
fn duration(wait: Option<prost_types::Duration>) -> Duration {
    wait.and_then(|wait| Duration::try_from(wait).ok()).unwrap_or_default()
}

/// Returns the digest of the token in the metadata of a call.
fn token(metadata: &MetadataMap) -> Result<TokenHash, ApiError> {
    let value = metadata.get("authorization").and_then(|value| value.to_str().ok());
    let token =
        value.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token.map(|(_, token)| TokenHash::of(token)).ok_or_else(error::no_token)
}

/// Returns the hashes of a request id and of the request's content; None without an id.
fn request(method: &str, id: &str, content: &impl Message) -> Result<Option<registry::Request>, ApiError> {
    if id.is_empty() {
        return Ok(None);
    }
    if !REQUEST_ID.contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        let (min, max) = (REQUEST_ID.start(), REQUEST_ID.end());
        let message =
            format!("expected {min} to {max} printable ASCII characters without spaces, such as a random UUID");
        return Err(ApiError::bad_field("request_id", message));
    }
    let hash = |content: &[u8]| Sha256::new().chain_update(method).chain_update([0]).chain_update(content).finalize();
    Ok(Some(registry::Request { id: hash(id.as_bytes()).into(), content: hash(&content.encode_to_vec()).into() }))
}

/// Returns the terms of a new match, with every field checked.
fn config(request: v1::CreateMatchRequest) -> Result<MatchConfig, ApiError> {
    let rules = find(&request.game)?;
    let given: Vec<_> = request.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let setup = rules.configure(request.seat_count as usize, &given)?;
    let seats = setup.seats().count();
    let mut bots = vec![None; seats];
    for v1::BotSeat { seat, bot } in request.bots {
        let place = seat.and_then(|seat| bots.get_mut(seat as usize));
        let place = place.ok_or_else(|| ApiError::unknown_seat(seat, seats))?;
        let name = rules.bot(&bot).map_err(|error| ApiError::unknown_bot(&error, &bot))?;
        if place.replace(name).is_some() {
            return Err(ApiError::bad_field("bots", "expected at most one bot for each seat, got two for one seat"));
        }
    }
    let strikes = request.strikes.map(|asked| {
        let strikes = u8::try_from(asked).ok().and_then(NonZeroU8::new);
        strikes.ok_or_else(|| ApiError::bad_field("strikes", format!("expected 1 to 255 strikes, got {asked}")))
    });
    let conduct = Conduct { strikes: strikes.transpose()? };
    Ok(MatchConfig { setup, bots, seed: request.seed.map(Seed), conduct })
}

/// Returns the matches that a request would join, with every field checked.
fn filter(any: &v1::AnyMatch, seat: Option<u32>) -> Result<MatchFilter, ApiError> {
    let options: Vec<_> = any.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    MatchFilter::new(find(&any.game)?, any.seat_count.map(|count| count as usize), &options, seat)
}

/// An action in one of its forms.
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
    /// Returns the id of the action. The game need not have an action with an id that was sent as a number.
    fn read(input: Option<impl Into<Self>>, rules: &dyn AnyRules, seat: Seat, seats: Seats) -> Result<u32, ApiError> {
        let no_action =
            || ApiError::bad_field("action", "expected an action as `action_id`, `text`, or `typed`, got none");
        match input.ok_or_else(no_action)?.into() {
            Self::Id(id) => Ok(id),
            Self::Text(text) => Ok(rules.parse_action(&text).map_err(|error| ApiError::bad_text(&error))?.0.into()),
            Self::Typed(message) => {
                Ok(rules.read_action(&message, seat, seats).map_err(ApiError::bad_message)?.0.into())
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
        let description = live.answer(|progress| Ok(present::description(&live, progress))).await?;
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
            None => return Err(ApiError::bad_field("target", "expected `match_id` or `any`, got neither").into()),
        };
        let description = live.answer(|progress| Ok(present::description(&live, progress))).await?;
        Ok(Response::new(v1::JoinMatchResponse {
            seat: Some(seat.index() as u32),
            seat_token,
            r#match: Some(description),
        }))
    }

    async fn get_match(&self, asked: Request<v1::GetMatchRequest>) -> Result<Response<v1::GetMatchResponse>, Status> {
        let v1::GetMatchRequest { match_id, wait } = asked.into_inner();
        let live = self.find(&match_id)?;
        self.wait(live.wait_for_end(duration(wait))).await?;
        let description = live.answer(|progress| Ok(present::description(&live, progress))).await?;
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
        let state = v1::MatchState::try_from(state).map_err(|_| ApiError::unknown_value("state", state))?;
        let size = match page_size as usize {
            0 => DEFAULT_PAGE,
            size if size <= MAX_PAGE => size,
            size => {
                let message = format!("expected at most {MAX_PAGE} matches on a page, got {size}");
                return Err(ApiError::bad_field("page_size", message).into());
            }
        };
        let first = match page_token.as_str() {
            "" => 0,
            token => {
                let message = || format!("expected the next_page_token of an earlier page, got \"{token}\"");
                token.parse().map_err(|_| ApiError::bad_field("page_token", message()))?
            }
        };
        let mut matches = Vec::new();
        let mut next_page_token = String::new();
        let of_game = |live: &Arc<LiveMatch>| game.is_empty() || live.rules().info().id == game;
        for live in self.from(first).into_iter().filter(of_game) {
            let is_wanted = |found| state == v1::MatchState::Unspecified || state == found;
            if !live.transact(|progress| Ok(present::state(progress))).0.is_ok_and(is_wanted) {
                continue;
            }
            if matches.len() == size {
                next_page_token = live.number.to_string();
                break;
            }
            // A match whose log has failed is left out, and so is one that was dropped in the meantime.
            if let Ok(description) = live.answer(|progress| Ok(present::description(&live, progress))).await {
                matches.push(description);
            }
        }
        Ok(Response::new(v1::ListMatchesResponse { matches, next_page_token }))
    }

    async fn observe(&self, asked: Request<v1::ObserveRequest>) -> Result<Response<v1::ObserveResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat)?;
        let token = token(&metadata)?;
        live.transact(|progress| progress.authorize(seat, token)).0?;
        self.wait(live.wait_for_decision(seat, duration(asked.wait))).await?;
        let formats = asked.formats.unwrap_or_default();
        let observation = live.answer(|progress| present::observation(&live, progress, seat, formats)).await?;
        Ok(Response::new(v1::ObserveResponse { observation: Some(observation) }))
    }

    async fn list_legal_actions(
        &self,
        asked: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat)?;
        let token = token(&metadata)?;
        let response = live.answer(|progress| {
            progress.authorize(seat, token)?;
            Ok(present::legal_actions(&live, progress, seat, asked.typed))
        });
        Ok(Response::new(response.await?))
    }

    async fn parse_action(
        &self,
        asked: Request<v1::ParseActionRequest>,
    ) -> Result<Response<v1::ParseActionResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat)?;
        let (token, rules) = (token(&metadata)?, live.rules());
        let input = ActionInput::read(asked.action, rules, seat, live.seats());
        let response = live.answer(|progress| {
            progress.authorize(seat, token)?;
            let input = input?;
            let id = ActionId(u16::try_from(input).unwrap_or(u16::MAX));
            let action = convert::action(rules, id, seat, live.seats(), true);
            let action = action.ok_or_else(|| ApiError::no_such_action(input, rules.action_count()))?;
            let legal = progress.referee().is_some_and(|referee| referee.legal_actions(seat).contains(id));
            Ok(v1::ParseActionResponse { action: Some(action), legal })
        });
        Ok(Response::new(response.await?))
    }

    async fn step(&self, asked: Request<v1::StepRequest>) -> Result<Response<v1::StepResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (live, seat) = self.seat(&asked.match_id, asked.seat)?;
        let token = token(&metadata)?;
        let input = ActionInput::read(asked.action, live.rules(), seat, live.seats());
        let formats = asked.formats.unwrap_or_default();
        let response = live.answer(|progress| {
            progress.authorize(seat, token)?;
            let input = input?;
            // A step with wrong formats is refused before it is carried out.
            present::check_formats(progress, seat, formats)?;
            let outcome = progress.step(&live.id, seat, asked.decision_id, input)?;
            Ok(v1::StepResponse {
                decision_id: outcome.decision,
                action_id: Some(outcome.id.0.into()),
                replayed: outcome.replayed,
                observation: Some(present::observation(&live, progress, seat, formats)?),
            })
        });
        Ok(Response::new(response.await?))
    }

    async fn get_record(
        &self,
        asked: Request<v1::GetRecordRequest>,
    ) -> Result<Response<v1::GetRecordResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let live = self.find(&asked.match_id)?;
        let format =
            v1::RecordFormat::try_from(asked.format).map_err(|_| ApiError::unknown_value("format", asked.format))?;
        let seat = asked.seat.map(|seat| live.seat(Some(seat))).transpose()?;
        let seat = seat.map(|seat| Ok::<_, ApiError>((seat, token(&metadata)?))).transpose()?;
        let response = live.answer(|progress| {
            if let Some((seat, token)) = seat {
                progress.authorize(seat, token)?;
            }
            let viewer = seat.map_or(Viewer::Public, |(seat, _)| Viewer::Seat(seat));
            present::record(&live, progress, viewer, format)
        });
        Ok(Response::new(response.await?))
    }
}

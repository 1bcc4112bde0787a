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
use super::fault::Fault;
use super::hosted::{Hosted, Spec};
use super::limits::{PAGE_DEFAULT, PAGE_MAX, REQUEST_ID};
use super::register::{self, Matches, Wanted};
use crate::core::{ActionId, Seat, Seed, Viewer};
use crate::host::{Referee, Terms, find, told};
use crate::proto::v1::{self, match_service_server::MatchService, parse_action_request, step_request};

impl Matches {
    fn refuse_if_closing(&self) -> Result<(), Fault> {
        if *self.closing().borrow() { Err(Fault::closing()) } else { Ok(()) }
    }

    /// The match and the seat that a call is about, if it has the seat's token.
    fn seat(&self, match_id: &str, seat: Option<u32>, metadata: &MetadataMap) -> Result<(Arc<Hosted>, Seat), Fault> {
        let hosted = self.find(match_id)?;
        let seat = hosted.seat(seat)?;
        hosted.authorize(seat, token(metadata))?;
        Ok((hosted, seat))
    }
}

/// The token that a call carries.
fn token(metadata: &MetadataMap) -> Option<&str> {
    let value = metadata.get("authorization")?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// What a request id and the content that comes with it are known by; nothing, where there is no id.
fn request(method: &str, id: &str, content: &impl Message) -> Result<Option<register::Request>, Fault> {
    if id.is_empty() {
        return Ok(None);
    }
    if !REQUEST_ID.contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        let (least, most) = (REQUEST_ID.start(), REQUEST_ID.end());
        let message = format!("a request_id has {least} to {most} printable ASCII characters, such as a random UUID");
        return Err(Fault::bad_field("request_id", message));
    }
    let hash = |content: &[u8]| Sha256::new().chain_update(method).chain_update([0]).chain_update(content).finalize();
    Ok(Some(register::Request { id: hash(id.as_bytes()).into(), content: hash(&content.encode_to_vec()).into() }))
}

/// What a request for a match asks for, every field checked.
fn spec(request: v1::CreateMatchRequest) -> Result<Spec, Fault> {
    let rules = find(&request.game)?;
    let given: Vec<_> = request.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let agreed = rules.agree(request.seat_count as usize, &given)?;
    let mut bots = vec![None; agreed.seats.count()];
    for v1::BotSeat { seat, bot } in request.bots {
        let place = seat.and_then(|seat| bots.get_mut(seat as usize));
        let place = place.ok_or_else(|| Fault::unknown_seat(seat, agreed.seats.count()))?;
        let name = rules.bot(&bot).map_err(|error| Fault::unknown_bot(&error, &bot))?;
        if place.replace((bot, name)).is_some() {
            return Err(Fault::bad_field("bots", "two bots are to take one seat"));
        }
    }
    let strikes = request.strikes.map(|strikes| match u8::try_from(strikes).ok().and_then(NonZeroU8::new) {
        Some(strikes) => Ok(strikes),
        None => {
            Err(Fault::bad_field("strikes", format!("a seat forfeits with 1 to 255 illegal actions, not {strikes}")))
        }
    });
    Ok(Spec { rules, agreed, bots, seed: request.seed.map(Seed), terms: Terms { strikes: strikes.transpose()? } })
}

/// The match that a request would join, every field checked.
fn wanted(any: &v1::AnyMatch, seat: Option<u32>) -> Result<Wanted, Fault> {
    let options: Vec<_> = any.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    Wanted::new(find(&any.game)?, any.seat_count.map(|count| count as usize), &options, seat)
}

/// How long a request asks to wait; a negative time is none.
fn wait(wait: Option<prost_types::Duration>) -> Duration {
    wait.and_then(|wait| Duration::try_from(wait).ok()).unwrap_or_default()
}

/// An action in any of its forms, which two requests have.
enum Said {
    Id(u32),
    Text(String),
    Typed(prost_types::Any),
}

impl From<step_request::Action> for Said {
    fn from(action: step_request::Action) -> Self {
        match action {
            step_request::Action::ActionId(id) => Self::Id(id),
            step_request::Action::Text(text) => Self::Text(text),
            step_request::Action::Typed(message) => Self::Typed(message),
        }
    }
}

impl From<parse_action_request::Action> for Said {
    fn from(action: parse_action_request::Action) -> Self {
        match action {
            parse_action_request::Action::ActionId(id) => Self::Id(id),
            parse_action_request::Action::Text(text) => Self::Text(text),
            parse_action_request::Action::Typed(message) => Self::Typed(message),
        }
    }
}

impl Said {
    /// The action that is meant. An id need not be one of the game's.
    fn read(said: Option<impl Into<Self>>, hosted: &Hosted, seat: Seat) -> Result<u32, Fault> {
        let said = said.ok_or_else(|| Fault::bad_field("action", "which action? Say it by id, as text, or typed"))?;
        match said.into() {
            Self::Id(id) => Ok(id),
            Self::Text(text) => {
                Ok(hosted.rules().parse_action(&text).map_err(|error| Fault::bad_text(&error))?.0.into())
            }
            Self::Typed(message) => {
                let read = hosted.rules().read_action(&message, seat, hosted.agreed.seats);
                Ok(read.map_err(Fault::bad_message)?.0.into())
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
        let hosted = match self.known(request)? {
            Some(known) => known,
            None => self.host_by(spec(asked)?, request)?,
        };
        let (description, entries) = hosted.describe();
        hosted.kept(entries).await?;
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
        let (hosted, seat, seat_token) = match target {
            Some(v1::join_match_request::Target::MatchId(id)) => self.join(&id, seat, &name, request)?,
            Some(v1::join_match_request::Target::Any(any)) => self.join_any(&wanted(&any, seat)?, &name, request)?,
            None => return Err(Fault::bad_field("target", "which match? Name one, or say what any is to be").into()),
        };
        let (description, entries) = hosted.describe();
        hosted.kept(entries).await?;
        Ok(Response::new(v1::JoinMatchResponse {
            seat: Some(seat.index() as u32),
            seat_token,
            r#match: Some(description),
        }))
    }

    async fn get_match(&self, asked: Request<v1::GetMatchRequest>) -> Result<Response<v1::GetMatchResponse>, Status> {
        let hosted = self.find(&asked.into_inner().match_id)?;
        let (description, entries) = hosted.describe();
        hosted.kept(entries).await?;
        Ok(Response::new(v1::GetMatchResponse { r#match: Some(description) }))
    }

    async fn list_matches(
        &self,
        asked: Request<v1::ListMatchesRequest>,
    ) -> Result<Response<v1::ListMatchesResponse>, Status> {
        let v1::ListMatchesRequest { game, state, page_size, page_token } = asked.into_inner();
        if !game.is_empty() {
            find(&game).map_err(Fault::from)?;
        }
        let state = v1::MatchState::try_from(state)
            .map_err(|_| Fault::bad_field("state", format!("{state} is no state of a match")))?;
        let size = match page_size as usize {
            0 => PAGE_DEFAULT,
            size if size <= PAGE_MAX => size,
            size => {
                return Err(Fault::bad_field(
                    "page_size",
                    format!("a page has at most {PAGE_MAX} matches, not {size}"),
                )
                .into());
            }
        };
        let first = match page_token.as_str() {
            "" => 0,
            token => token
                .parse()
                .map_err(|_| Fault::bad_field("page_token", "a page token is the next_page_token of an answer"))?,
        };
        let is_wanted = |hosted: &Arc<Hosted>| {
            (game.is_empty() || hosted.rules().info().id == game)
                && (state == v1::MatchState::Unspecified || hosted.state() == state)
        };
        let mut matches = Vec::new();
        let mut next_page_token = String::new();
        for hosted in self.from(first).into_iter().filter(is_wanted) {
            if matches.len() == size {
                next_page_token = hosted.number.to_string();
                break;
            }
            let (description, entries) = hosted.describe();
            // One whose log has failed stands still; the others are listed all the same.
            if hosted.kept(entries).await.is_ok() {
                matches.push(description);
            }
        }
        Ok(Response::new(v1::ListMatchesResponse { matches, next_page_token }))
    }

    async fn observe(&self, asked: Request<v1::ObserveRequest>) -> Result<Response<v1::ObserveResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (hosted, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let mut closing = self.closing();
        tokio::select! {
            // What there is to see is shown, also while the server closes.
            biased;
            waited = hosted.wait(seat, wait(asked.wait)) => waited?,
            _ = closing.wait_for(|&closing| closing) => return Err(Fault::closing().into()),
        }
        let (observation, entries) = hosted.observe(seat, asked.forms.unwrap_or_default());
        hosted.kept(entries).await?;
        Ok(Response::new(v1::ObserveResponse { observation: Some(observation?) }))
    }

    async fn list_legal_actions(
        &self,
        asked: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (hosted, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let (response, entries) = hosted.look(|progress| {
            let owed =
                progress.referee().and_then(|referee| Some((referee.decision(seat)?, referee.legal_actions(seat))));
            owed.map(|(decision_id, legal)| v1::ListLegalActionsResponse {
                decision_id: Some(decision_id),
                actions: hosted.actions(&legal, seat, asked.typed),
            })
        });
        hosted.kept(entries).await?;
        Ok(Response::new(response.unwrap_or_default()))
    }

    async fn parse_action(
        &self,
        asked: Request<v1::ParseActionRequest>,
    ) -> Result<Response<v1::ParseActionResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (hosted, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let said = Said::read(asked.action, &hosted, seat)?;
        let id = ActionId(u16::try_from(said).unwrap_or(u16::MAX));
        let action = convert::action(hosted.rules(), id, seat, hosted.agreed.seats, true);
        let action = action.ok_or_else(|| Fault::no_such_action(said, hosted.rules().action_count()))?;
        let is_legal = |referee: &Referee| referee.legal_actions(seat).contains(id);
        let (legal, entries) = hosted.look(|progress| progress.referee().is_some_and(is_legal));
        hosted.kept(entries).await?;
        Ok(Response::new(v1::ParseActionResponse { action: Some(action), legal }))
    }

    async fn step(&self, asked: Request<v1::StepRequest>) -> Result<Response<v1::StepResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let (hosted, seat) = self.seat(&asked.match_id, asked.seat, &metadata)?;
        let said = Said::read(asked.action, &hosted, seat)?;
        let forms = asked.forms.unwrap_or_default();
        let (checked, entries) = hosted.check(seat, forms);
        if let Err(fault) = checked {
            hosted.kept(entries).await?;
            return Err(fault.into());
        }
        let stepped = hosted.step(seat, asked.decision_id, said);
        let (observation, entries) = hosted.observe(seat, forms);
        hosted.kept(entries).await?;
        let receipt = stepped?;
        Ok(Response::new(v1::StepResponse {
            decision_id: receipt.decision,
            action_id: Some(receipt.id.0.into()),
            replayed: receipt.replayed,
            observation: Some(observation?),
        }))
    }

    async fn get_record(
        &self,
        asked: Request<v1::GetRecordRequest>,
    ) -> Result<Response<v1::GetRecordResponse>, Status> {
        let (metadata, _, asked) = asked.into_parts();
        let hosted = self.find(&asked.match_id)?;
        let format = v1::RecordFormat::try_from(asked.format)
            .map_err(|_| Fault::bad_field("format", "the forms of a record are TEXT and BINARY"))?;
        let viewer = match asked.seat.map(|seat| hosted.seat(Some(seat))).transpose()? {
            Some(seat) => {
                hosted.authorize(seat, token(&metadata))?;
                Viewer::Seat(seat)
            }
            None => Viewer::Public,
        };
        let (record, entries) = hosted.look(|progress| {
            let referee = progress.referee().ok_or_else(|| Fault::not_started(&hosted.id))?;
            let complete = referee.result().is_some();
            let record = match (complete, format) {
                (true, v1::RecordFormat::Unspecified | v1::RecordFormat::Text) => referee.record().to_text().into(),
                (true, v1::RecordFormat::Binary) => referee.record().to_bytes().into(),
                (false, v1::RecordFormat::Unspecified | v1::RecordFormat::Text) => told(referee, viewer).into(),
                (false, v1::RecordFormat::Binary) => return Err(Fault::not_finished()),
            };
            Ok(v1::GetRecordResponse { record, complete })
        });
        hosted.kept(entries).await?;
        Ok(Response::new(record?))
    }
}

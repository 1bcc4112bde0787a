//! The matches that are hosted, and the handlers of `MatchService`.

use std::collections::HashMap;
use std::num::NonZeroU8;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::fault::Fault;
use super::hosted::{Hosted, Spec};
use super::limits::MATCHES_MAX;
use crate::core::{ActionId, Seed};
use crate::host::{Referee, Terms, find};
use crate::proto::v1::{self, match_service_server::MatchService};

/// The matches that are hosted. Clones share them.
#[derive(Clone, Debug)]
pub struct Matches {
    /// By name, and in the order in which they were created.
    hosted: Arc<Mutex<Register>>,
    closing: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Register {
    by_id: HashMap<String, Arc<Hosted>>,
    in_order: Vec<String>,
}

impl Default for Matches {
    fn default() -> Self {
        Self { hosted: Arc::default(), closing: watch::Sender::new(false) }
    }
}

impl Matches {
    /// Hosts a new match.
    pub fn host(&self, spec: Spec) -> Result<Arc<Hosted>, Fault> {
        let hosted = Arc::new(Hosted::new(spec));
        let mut register = self.hosted.lock().expect("no holder of the lock panics");
        let Register { by_id, in_order } = &mut *register;
        if by_id.len() >= MATCHES_MAX {
            let finished = in_order.iter().position(|id| by_id.get(id).is_some_and(|hosted| hosted.is_finished()));
            let dropped = in_order.remove(finished.ok_or_else(|| Fault::too_many_matches(MATCHES_MAX))?);
            by_id.remove(&dropped);
        }
        by_id.insert(hosted.id.clone(), Arc::clone(&hosted));
        in_order.push(hosted.id.clone());
        Ok(hosted)
    }

    /// Sends everybody home who waits.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    fn find(&self, match_id: &str) -> Result<Arc<Hosted>, Fault> {
        let register = self.hosted.lock().expect("no holder of the lock panics");
        register.by_id.get(match_id).cloned().ok_or_else(|| Fault::unknown_match(match_id))
    }

    fn refuse_if_closing(&self) -> Result<(), Fault> {
        if *self.closing.borrow() { Err(Fault::closing()) } else { Ok(()) }
    }
}

/// The token that a call carries.
fn token(metadata: &MetadataMap) -> Option<&str> {
    let value = metadata.get("authorization")?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
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
    let strikes = request.strikes.map(|strikes| match strikes {
        1..=255 => Ok(NonZeroU8::new(strikes as u8)),
        _ => Err(Fault::bad_field("strikes", format!("a seat forfeits with 1 to 255 illegal actions, not {strikes}"))),
    });
    Ok(Spec {
        rules,
        agreed,
        bots,
        seed: request.seed.map(Seed),
        terms: Terms { strikes: strikes.transpose()?.flatten() },
    })
}

/// How long a request asks to wait; a negative time is none.
fn wait(wait: Option<prost_types::Duration>) -> Duration {
    wait.and_then(|wait| Duration::try_from(wait).ok()).unwrap_or_default()
}

#[tonic::async_trait]
impl MatchService for Matches {
    async fn create_match(
        &self,
        request: Request<v1::CreateMatchRequest>,
    ) -> Result<Response<v1::CreateMatchResponse>, Status> {
        self.refuse_if_closing()?;
        let hosted = self.host(spec(request.into_inner())?)?;
        tracing::debug!(match_id = hosted.id, "match created");
        Ok(Response::new(v1::CreateMatchResponse { r#match: Some(hosted.describe()) }))
    }

    async fn join_match(
        &self,
        request: Request<v1::JoinMatchRequest>,
    ) -> Result<Response<v1::JoinMatchResponse>, Status> {
        self.refuse_if_closing()?;
        let v1::JoinMatchRequest { target, seat, name } = request.into_inner();
        let Some(v1::join_match_request::Target::MatchId(match_id)) = target else {
            return Err(Fault::bad_field("match_id", "which match? Name the one to join").into());
        };
        let hosted = self.find(&match_id)?;
        let (seat, seat_token) = hosted.join(seat, &name)?;
        tracing::debug!(match_id, seat = seat.index(), "seat joined");
        Ok(Response::new(v1::JoinMatchResponse {
            seat: Some(seat.index() as u32),
            seat_token,
            r#match: Some(hosted.describe()),
        }))
    }

    async fn observe(&self, request: Request<v1::ObserveRequest>) -> Result<Response<v1::ObserveResponse>, Status> {
        let (metadata, _, request) = request.into_parts();
        let hosted = self.find(&request.match_id)?;
        let seat = hosted.seat(request.seat)?;
        hosted.authorize(seat, token(&metadata))?;
        let mut closing = self.closing.subscribe();
        tokio::select! {
            () = hosted.wait(seat, wait(request.wait)) => {}
            _ = closing.wait_for(|&closing| closing) => return Err(Fault::closing().into()),
        }
        let observation = hosted.observe(seat, request.forms.unwrap_or_default());
        Ok(Response::new(v1::ObserveResponse { observation: Some(observation) }))
    }

    async fn step(&self, request: Request<v1::StepRequest>) -> Result<Response<v1::StepResponse>, Status> {
        let (metadata, _, request) = request.into_parts();
        let hosted = self.find(&request.match_id)?;
        let seat = hosted.seat(request.seat)?;
        hosted.authorize(seat, token(&metadata))?;
        let Some(v1::step_request::Action::ActionId(id)) = request.action else {
            return Err(Fault::bad_field("action", "which action? Name its id").into());
        };
        // An id beyond 16 bits is one that no action has; so is the largest of them.
        let id = ActionId(u16::try_from(id).unwrap_or(u16::MAX));
        let receipt = hosted.step(seat, request.decision_id, id)?;
        Ok(Response::new(v1::StepResponse {
            decision_id: receipt.decision,
            action_id: Some(receipt.id.0.into()),
            replayed: receipt.replayed,
            observation: Some(hosted.observe(seat, request.forms.unwrap_or_default())),
        }))
    }

    async fn get_record(
        &self,
        request: Request<v1::GetRecordRequest>,
    ) -> Result<Response<v1::GetRecordResponse>, Status> {
        let request = request.into_inner();
        let hosted = self.find(&request.match_id)?;
        if !hosted.is_finished() {
            return Err(Fault::running(&request.match_id).into());
        }
        let record = hosted.with_referee(Referee::record).ok_or_else(|| Fault::running(&request.match_id))?;
        let record = match v1::RecordFormat::try_from(request.format) {
            Ok(v1::RecordFormat::Unspecified | v1::RecordFormat::Text) => record.to_text().into(),
            Ok(v1::RecordFormat::Binary) => record.to_bytes().into(),
            Err(_) => return Err(Fault::bad_field("format", "the forms of a record are TEXT and BINARY").into()),
        };
        Ok(Response::new(v1::GetRecordResponse { record }))
    }
}

//! The handlers of `MatchService`: each checks the fields of its request, and does its work in one transaction of the
//! match.

use std::sync::Arc;

use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::Matches;
use super::joiner::Joiner;
use super::live::{LiveMatch, player_name};
use super::presence::PresentCall;
use super::progress::{Answer, TokenHash};
use super::requests::{
    Arrived, answer, as_step, check_code, config, duration, filter, invitation, page, request, token,
};
use super::watching::WatchStream;
use crate::proto::v1::{self, match_service_server::MatchService};
use crate::service::error;
use crate::service::limiter::{Caller, reserve};
use crate::service::limits::{MAX_LOOKED_AT, MAX_PLAYING, PAGE_BYTES};
use crate::service::store::{Listed, Query};
use ahu_engine::core::{ActionId, Seat, Viewer};
use ahu_engine::host::api::{ApiError, convert};
use ahu_engine::host::find;

/// The reason of a cancelled match whose creator gives none.
const CANCELLED_BY_CREATOR: &str = "cancelled by its creator";

impl Matches {
    pub(super) fn refuse_if_closing(&self) -> Result<(), ApiError> {
        if *self.closing().borrow() { Err(error::closing()) } else { Ok(()) }
    }

    /// Returns the match, the seat, and the token of a call for a seat. Without a seat in the request, it is that of the
    /// token.
    async fn seat_call(
        &self,
        match_id: &str,
        seat: Option<u32>,
        metadata: &MetadataMap,
    ) -> Result<(Arc<LiveMatch>, Seat, TokenHash), ApiError> {
        let live = self.find(match_id).await?;
        let named = seat.map(|seat| live.seat(Some(seat))).transpose()?;
        let token = token(metadata).ok_or_else(|| error::SEAT.missing())?;
        let seat = named.map_or_else(|| live.seat_of(token), Ok)?;
        Ok((live, seat, token))
    }

    /// Begins a call of a viewer: its seat is present until the returned value is dropped. A call with neither a seat nor a
    /// token comes from the public, which a sealed match refuses.
    pub(super) async fn viewer_call(
        &self,
        match_id: &str,
        seat: Option<u32>,
        metadata: &MetadataMap,
    ) -> Result<(Arc<LiveMatch>, Viewer, Option<PresentCall>), ApiError> {
        if seat.is_some() || metadata.contains_key("authorization") {
            let (live, seat, token) = self.seat_call(match_id, seat, metadata).await?;
            let call = live.enter(seat, token)?;
            return Ok((live, Viewer::Seat(seat), Some(call)));
        }
        let live = self.find(match_id).await?;
        live.refuse_if_sealed()?;
        Ok((live, Viewer::Public, None))
    }

    /// Waits for a part of a match. The call ends with an error if the server shuts down.
    pub(super) async fn wait(&self, waiting: impl Future<Output = Result<(), ApiError>>) -> Result<(), ApiError> {
        let mut closing = self.closing();
        tokio::select! {
            // A match that is ready is shown even while the server shuts down.
            biased;
            waited = waiting => waited,
            _ = closing.wait_for(|&closing| closing) => Err(error::closing()),
        }
    }
}

/// A page of `ListMatches`.
struct Page {
    matches: Vec<v1::Match>,
    /// The maximum number of matches.
    size: usize,
    bytes: usize,
    /// The number of matches that may still be looked at.
    left: usize,
    /// The number of the match at which the next page begins, once this one is full.
    next: Option<u64>,
}

impl Page {
    /// Returns true if the page may look at the match with this number, and has room for it; else notes that the next page begins
    /// with it.
    fn takes(&mut self, number: u64) -> bool {
        if self.matches.len() == self.size || self.bytes >= PAGE_BYTES || self.left == 0 {
            self.next = Some(number);
        }
        self.left = self.left.saturating_sub(1);
        self.next.is_none()
    }

    fn add(&mut self, description: v1::Match) {
        self.bytes += description.encoded_len();
        self.matches.push(description);
    }
}

impl Matches {
    /// Returns at most `size` public matches of a game in these states from the number `first` on, and the number of the next
    /// page. An empty filter fits every match.
    pub(in crate::service) async fn list(
        &self,
        game: &str,
        states: &[v1::MatchState],
        (size, first): (usize, u64),
    ) -> Result<(Vec<v1::Match>, Option<u64>), ApiError> {
        if !game.is_empty() {
            find(game).map_err(ApiError::from)?;
        }
        let mut page = Page { matches: Vec::new(), size, bytes: 0, left: MAX_LOOKED_AT, next: None };
        match self.has_store() {
            true => self.fill_from_store(&mut page, first, game, states).await?,
            false => self.fill_from_memory(&mut page, first, game, states).await,
        }
        Ok((page.matches, page.next))
    }

    /// Fills a page with the matches in memory from the number `first` on.
    async fn fill_from_memory(&self, page: &mut Page, first: u64, game: &str, states: &[v1::MatchState]) {
        for live in self.from(first, page.left + 1) {
            if !page.takes(live.facts.head.number) {
                return;
            }
            let is_listed = !live.facts.head.is_private && (game.is_empty() || live.rules().info().id == game);
            if is_listed && self.is_in(&live, states) {
                self.add(page, &live).await;
            }
        }
    }

    /// Fills a page with the matches of the store from the number `first` on. The store describes those that have left
    /// memory.
    async fn fill_from_store(
        &self,
        page: &mut Page,
        mut first: u64,
        game: &str,
        states: &[v1::MatchState],
    ) -> Result<(), ApiError> {
        let game = Some(game.to_owned()).filter(|game| !game.is_empty());
        let query = Query { game, states: states.to_vec(), with_private: false };
        loop {
            let listed = self.listed(first, query.clone()).await?;
            let Some(last) = listed.last() else { return Ok(()) };
            first = last.number + 1;
            for Listed { number, id, description, .. } in listed {
                if !page.takes(number) {
                    return Ok(());
                }
                let in_memory = self.find_in_memory(&id);
                if in_memory.as_ref().is_some_and(|live| !self.is_in(live, states)) {
                    continue;
                }
                let description = description.and_then(|bytes| v1::Match::decode(&*bytes).ok());
                match (in_memory, description) {
                    (None, Some(description)) => page.add(description),
                    (Some(live), _) => self.add(page, &live).await,
                    // A damaged match does not hide the others.
                    (None, None) => {
                        if let Ok(live) = self.find(&id).await {
                            self.add(page, &live).await;
                        }
                    }
                }
            }
        }
    }

    /// Returns true if a match is in one of these states. None means that any state will do.
    fn is_in(&self, live: &LiveMatch, states: &[v1::MatchState]) -> bool {
        let is_wanted = |found| states.is_empty() || states.contains(&found);
        live.transact(self.now(), |progress| Ok(progress.course.state())).at_once().is_ok_and(is_wanted)
    }

    /// Adds a match to a page, unless it was dropped in the meantime or cannot go on.
    async fn add(&self, page: &mut Page, live: &LiveMatch) {
        if let Ok(description) = live.answer(self.now(), |progress| Ok(progress.description())).await {
            page.add(description);
        }
    }
}

#[tonic::async_trait]
impl MatchService for Matches {
    async fn create_match(&self, asked: Request<v1::CreateMatchRequest>) -> error::Answer<v1::CreateMatchResponse> {
        error::answer(async {
            self.refuse_if_closing()?;
            let arrived = self.now();
            let (_, extensions, asked) = asked.into_parts();
            let request = request("CreateMatch", &asked.request_id, &asked)?;
            let live = match self.known(request).await? {
                Some(known) => known,
                None => self.host_by(config(asked, self.idle(), self.limits())?, request, &Caller::of(&extensions))?,
            };
            let description = live.answer(arrived, |progress| Ok(progress.description())).await?;
            Ok(Response::new(v1::CreateMatchResponse { r#match: Some(description), owner_token: live.owner_token() }))
        })
        .await
    }

    async fn join_match(&self, asked: Request<v1::JoinMatchRequest>) -> error::Answer<v1::JoinMatchResponse> {
        error::answer(async {
            self.refuse_if_closing()?;
            let arrived = self.now();
            let (_, extensions, asked) = asked.into_parts();
            let request = request("JoinMatch", &asked.request_id, &asked)?;
            let v1::JoinMatchRequest { target, seat, name, invitation_code, .. } = asked;
            let code = invitation(&invitation_code)?;
            let joiner = |name| Joiner { name, code, request };
            let (live, seat, seat_token) = match target {
                Some(v1::join_match_request::Target::MatchId(id)) => {
                    self.known(request).await?;
                    let name = player_name(&name)?;
                    self.join(self.find(&id).await?, seat, &joiner(name))?
                }
                Some(v1::join_match_request::Target::Any(any)) => {
                    let filter = filter(&any, seat)?;
                    if code.is_some() {
                        let message = "expected no invitation code with `any`: a code belongs to a match";
                        return Err(ApiError::bad_field("invitation_code", message));
                    }
                    self.known(request).await?;
                    self.join_any(&filter, &joiner(player_name(&name)?), &Caller::of(&extensions))?
                }
                None => return Err(ApiError::bad_field("target", "expected `match_id` or `any`, got neither")),
            };
            let description = live.answer(arrived, |progress| Ok(progress.description())).await?;
            Ok(Response::new(v1::JoinMatchResponse {
                seat: Some(seat.index() as u32),
                seat_token,
                r#match: Some(description),
            }))
        })
        .await
    }

    async fn await_seat(&self, asked: Request<v1::AwaitSeatRequest>) -> error::Answer<v1::AwaitSeatResponse> {
        error::answer(async {
            let (metadata, _, v1::AwaitSeatRequest { wait, playing, practice_id }) = asked.into_parts();
            let key = token(&metadata).ok_or_else(|| error::AGENT.missing())?;
            if playing.len() > MAX_PLAYING {
                let message = format!("expected at most {MAX_PLAYING} matches, got {}", playing.len());
                return Err(ApiError::bad_field("playing", message));
            }
            let seats = self.seat_queues.find(key)?;
            if !practice_id.is_empty() {
                self.refuse_if_closing()?;
                check_code("practice_id", &practice_id)?;
                return Ok(Response::new(seats.practice(self, &practice_id)?));
            }
            let mut response = v1::AwaitSeatResponse::default();
            let waiting = async {
                response = seats.next(duration(wait), &playing).await;
                Ok(())
            };
            self.wait(waiting).await?;
            Ok(Response::new(response))
        })
        .await
    }

    async fn get_match(&self, asked: Request<v1::GetMatchRequest>) -> error::Answer<v1::GetMatchResponse> {
        error::answer(async {
            let v1::GetMatchRequest { match_id, wait } = asked.into_inner();
            let live = self.find(&match_id).await?;
            self.wait(live.wait_for_end(duration(wait))).await?;
            let description = live.answer(self.now(), |progress| Ok(progress.description())).await?;
            Ok(Response::new(v1::GetMatchResponse { r#match: Some(description) }))
        })
        .await
    }

    async fn list_matches(&self, asked: Request<v1::ListMatchesRequest>) -> error::Answer<v1::ListMatchesResponse> {
        error::answer(async {
            let v1::ListMatchesRequest { game, state, page_size, page_token } = asked.into_inner();
            let state: v1::MatchState = ApiError::read_value("state", state)?;
            let states = match state {
                v1::MatchState::Unspecified => Vec::new(),
                state => vec![state],
            };
            let (matches, next) = self.list(&game, &states, page(page_size, &page_token)?).await?;
            let next_page_token = next.map_or_else(String::new, |next| next.to_string());
            Ok(Response::new(v1::ListMatchesResponse { matches, next_page_token }))
        })
        .await
    }

    async fn observe(&self, asked: Request<v1::ObserveRequest>) -> error::Answer<v1::ObserveResponse> {
        error::answer(async {
            let (metadata, extensions, asked) = asked.into_parts();
            let (live, viewer, _call) = self.viewer_call(&asked.match_id, asked.seat, &metadata).await?;
            let (formats, wait) = (asked.formats.unwrap_or_default(), duration(asked.wait));
            match viewer {
                Viewer::Seat(seat) => self.wait(live.wait_for_decision(seat, wait)).await?,
                Viewer::Public => self.wait(live.wait_for_event(viewer, formats.events_after, wait)).await?,
            }
            reserve(&extensions).await;
            let observation = live.answer(self.now(), |progress| progress.observation(viewer, formats)).await?;
            Ok(Response::new(v1::ObserveResponse { observation: Some(observation) }))
        })
        .await
    }

    type WatchMatchStream = WatchStream;

    async fn watch_match(&self, asked: Request<v1::WatchMatchRequest>) -> error::Answer<Self::WatchMatchStream> {
        error::answer(async { Ok(Response::new(self.watch(asked).await?)) }).await
    }

    async fn list_legal_actions(
        &self,
        asked: Request<v1::ListLegalActionsRequest>,
    ) -> error::Answer<v1::ListLegalActionsResponse> {
        error::answer(async {
            let (metadata, extensions, asked) = asked.into_parts();
            let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &metadata).await?;
            reserve(&extensions).await;
            let response =
                live.answer_seat((seat, token), self.now(), |progress| Ok(progress.legal_actions(seat, asked.typed)));
            Ok(Response::new(response.await?))
        })
        .await
    }

    async fn parse_action(&self, asked: Request<v1::ParseActionRequest>) -> error::Answer<v1::ParseActionResponse> {
        error::answer(async {
            let (metadata, _, asked) = asked.into_parts();
            let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &metadata).await?;
            let rules = live.rules();
            let input = answer(asked.action.map(as_step), rules, seat, live.seats());
            let response = live.answer_seat((seat, token), self.now(), |progress| {
                let input = match input? {
                    Answer::Id(id) => id,
                    Answer::Unreadable { error, .. } => return Err(error),
                };
                let id = ActionId(u16::try_from(input).unwrap_or(u16::MAX));
                let action = convert::action(rules, id, seat, live.seats(), true);
                let action = action.ok_or_else(|| ApiError::no_such_action(input, rules.action_count()))?;
                let owing = progress.referee().filter(|referee| referee.owes(seat));
                let legal = owing.is_some_and(|referee| referee.legal_actions(seat).contains(id));
                Ok(v1::ParseActionResponse { action: Some(action), legal })
            });
            Ok(Response::new(response.await?))
        })
        .await
    }

    async fn step(&self, asked: Request<v1::StepRequest>) -> error::Answer<v1::StepResponse> {
        error::answer(async {
            self.refuse_if_closing()?;
            let arrived = Arrived::of(asked.extensions(), self.now());
            let (metadata, extensions, asked) = asked.into_parts();
            let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &metadata).await?;
            reserve(&extensions).await;
            let answer = answer(asked.action, live.rules(), seat, live.seats());
            let (formats, viewer) = (asked.formats.unwrap_or_default(), Viewer::Seat(seat));
            let response = live.answer_seat((seat, token), arrived, |progress| {
                progress.observed((seat, asked.decision_id), answer?, |progress, answer| {
                    // A step with wrong formats is refused before it is carried out.
                    progress.shown(viewer).check_formats(formats)?;
                    let outcome = progress.step(seat, asked.decision_id, answer)?;
                    Ok(v1::StepResponse {
                        decision_id: outcome.decision,
                        action_id: Some(outcome.id.0.into()),
                        replayed: outcome.replayed,
                        observation: Some(progress.observation(viewer, formats)?),
                    })
                })
            });
            Ok(Response::new(response.await?))
        })
        .await
    }

    async fn resign_seat(&self, asked: Request<v1::ResignSeatRequest>) -> error::Answer<v1::ResignSeatResponse> {
        error::answer(async {
            self.refuse_if_closing()?;
            let arrived = Arrived::of(asked.extensions(), self.now());
            let (metadata, _, asked) = asked.into_parts();
            let (live, seat, token) = self.seat_call(&asked.match_id, asked.seat, &metadata).await?;
            let description = live.answer_seat((seat, token), arrived, |progress| {
                progress.resign(seat)?;
                Ok(progress.description())
            });
            Ok(Response::new(v1::ResignSeatResponse { r#match: Some(description.await?) }))
        })
        .await
    }

    async fn cancel_match(&self, asked: Request<v1::CancelMatchRequest>) -> error::Answer<v1::CancelMatchResponse> {
        error::answer(async {
            self.refuse_if_closing()?;
            let arrived = self.now();
            let (metadata, _, v1::CancelMatchRequest { match_id, reason }) = asked.into_parts();
            let live = self.find(&match_id).await?;
            if token(&metadata).ok_or_else(|| error::OWNER.missing())? != TokenHash::of(&live.owner_token()) {
                return Err(error::OWNER.wrong());
            }
            let reason = if reason.is_empty() { CANCELLED_BY_CREATOR } else { &reason };
            let description = live.answer(arrived, |progress| {
                progress.cancel(reason)?;
                Ok(progress.description())
            });
            Ok(Response::new(v1::CancelMatchResponse { r#match: Some(description.await?) }))
        })
        .await
    }

    async fn get_record(&self, asked: Request<v1::GetRecordRequest>) -> error::Answer<v1::GetRecordResponse> {
        error::answer(async {
            let (metadata, extensions, asked) = asked.into_parts();
            let (live, viewer, _call) = self.viewer_call(&asked.match_id, asked.seat, &metadata).await?;
            let v1::GetRecordRequest { format, after, .. } = asked;
            let format: v1::RecordFormat = ApiError::read_value("format", format)?;
            let wait = duration(asked.wait);
            match after {
                Some(_) => self.wait(live.wait_for_event(viewer, after, wait)).await?,
                None => self.wait(live.wait_for_end(wait)).await?,
            }
            reserve(&extensions).await;
            let record = live.answer(self.now(), |progress| progress.shown(viewer).record(format, after));
            Ok(Response::new(record.await?))
        })
        .await
    }
}

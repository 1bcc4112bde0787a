//! The caller of a tool, and the seat or the public for which it calls.

use std::time::Duration;

use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Status};
use tonic_types::StatusExt as _;

use super::server_link::ServerLink;
use crate::proto::v1::catalog_service_client::CatalogServiceClient;
use crate::proto::v1::match_service_client::MatchServiceClient;
use crate::proto::v1::{
    CancelMatchRequest, GetGameRequest, GetMatchRequest, ListGamesRequest, Observation, ObservationFormats,
    ObserveRequest, StepRequest, StepResponse,
};
use crate::proto::v1::{Game, GameSummary, Match};

/// Returns the formats of a player that decides: the legal actions alone.
pub(super) fn decision() -> ObservationFormats {
    ObservationFormats { legal_actions: true, ..ObservationFormats::default() }
}

/// An error of a tool, as the model reads it.
#[derive(Debug)]
pub(super) struct Fault(pub(super) String);

impl From<Status> for Fault {
    fn from(status: Status) -> Self {
        let reason = status.get_details_error_info().map_or_else(|| "UNAVAILABLE".to_owned(), |info| info.reason);
        Self(format!("{reason}: {}", status.message()))
    }
}

/// The caller of a tool: the link to the services, and the credentials of its calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// the link to the services.
    pub link: ServerLink,
    /// The key of an account; None without one.
    pub key: Option<String>,
    /// The token of the seat for matches whose handle has none; None without one.
    pub token: Option<String>,
}

impl Caller {
    pub(super) fn matches(&self) -> MatchServiceClient<ServerLink> {
        MatchServiceClient::new(self.link.clone())
    }

    fn catalog(&self) -> CatalogServiceClient<ServerLink> {
        CatalogServiceClient::new(self.link.clone())
    }

    /// Returns a request with the key of the caller and the token of a seat. The error is a text for people.
    pub fn request<T>(&self, message: T, token: &str) -> Result<Request<T>, String> {
        self.with_token(message, Some(token)).map_err(|Fault(message)| message)
    }

    /// Returns a request with the key.
    pub(super) fn keyed<T>(&self, message: T) -> Result<Request<T>, Fault> {
        self.with_token(message, None)
    }

    /// Returns a request with the key, and with the token of a seat or of an owner if there is one.
    fn with_token<T>(&self, message: T, token: Option<&str>) -> Result<Request<T>, Fault> {
        let mut request = Request::new(message);
        if let Some(key) = &self.key {
            request.metadata_mut().insert("ahu-key", header(key)?);
        }
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", header(&format!("Bearer {token}"))?);
        }
        Ok(request)
    }

    pub(super) async fn games(&self) -> Result<Vec<GameSummary>, Fault> {
        let request = self.keyed(ListGamesRequest {})?;
        Ok(self.catalog().list_games(request).await?.into_inner().games)
    }

    pub(super) async fn game(&self, game: &str) -> Result<Game, Fault> {
        let request = self.keyed(GetGameRequest { game: game.to_owned() })?;
        Ok(self.catalog().get_game(request).await?.into_inner().game.unwrap_or_default())
    }
}

/// Returns the value of a header with a key or a token.
fn header(text: &str) -> Result<MetadataValue<Ascii>, Fault> {
    text.parse().map_err(|_| Fault("expected a key or a token of visible ASCII characters".to_owned()))
}

/// A match as a caller sees it: from a seat, or as the public.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) caller: Caller,
    pub(super) match_id: String,
    /// The token of the seat; None for the public.
    pub(super) token: Option<String>,
}

impl Place {
    fn request<T>(&self, message: T) -> Result<Request<T>, Fault> {
        self.caller.with_token(message, self.token.as_deref())
    }

    /// Returns the observation with the events after this number, after a wait for the next decision until this time. None: no
    /// events, and no wait.
    pub(super) async fn observed(
        &self,
        formats: ObservationFormats,
        events_after: Option<u32>,
        until: Option<Instant>,
    ) -> Result<Observation, Fault> {
        let asked = ObserveRequest {
            match_id: self.match_id.clone(),
            public_view: self.token.is_none(),
            formats: Some(formats),
            events_after,
            wait: until.map(wait_until),
            ..Default::default()
        };
        let answer = self.caller.matches().observe(self.request(asked)?).await?;
        Ok(answer.into_inner().observation.unwrap_or_default())
    }

    /// Returns the description of the match.
    pub(super) async fn described(&self) -> Result<Match, Fault> {
        let request = self.request(GetMatchRequest { match_id: self.match_id.clone(), wait: None })?;
        Ok(self.caller.matches().get_match(request).await?.into_inner().r#match.unwrap_or_default())
    }

    /// Returns the picture of the table; empty before the match begins.
    pub(super) async fn picture(&self) -> Result<String, Fault> {
        let (match_id, public_view) = (self.match_id.clone(), self.token.is_none());
        let asked = ObserveRequest { match_id, public_view, svg: true, ..Default::default() };
        Ok(self.caller.matches().observe(self.request(asked)?).await?.into_inner().svg)
    }

    /// Returns the observation without its parts: the state, the number of the decision, and that of the events.
    pub(super) async fn glance(&self) -> Result<Observation, Fault> {
        self.observed(ObservationFormats::default(), None, None).await
    }

    /// Cancels the match, with the token of its owner in place of a seat's.
    pub(super) async fn cancel(&self, reason: &str) -> Result<(), Fault> {
        let asked = CancelMatchRequest { match_id: self.match_id.clone(), reason: reason.to_owned() };
        Ok(self.caller.matches().cancel_match(self.request(asked)?).await.map(drop)?)
    }

    /// Takes an action, and waits for the next decision until this time.
    pub(super) async fn stepped(
        &self,
        decision_id: u32,
        action: &str,
        comment: &str,
        until: Instant,
    ) -> Result<StepResponse, Status> {
        let asked = StepRequest {
            match_id: self.match_id.clone(),
            seat: None,
            decision_id,
            formats: Some(decision()),
            wait: Some(wait_until(until)),
            comment: comment.to_owned(),
            action: Some(action.to_owned().into()),
            events_after: None,
        };
        let request = self.request(asked).map_err(|Fault(message)| Status::unauthenticated(message))?;
        Ok(self.caller.matches().step(request).await?.into_inner())
    }
}

/// Returns the time from now on until `until`, as a request has it.
fn wait_until(until: Instant) -> prost_types::Duration {
    let left = until.saturating_duration_since(Instant::now());
    left.max(Duration::from_millis(1)).try_into().expect("a wait is short")
}

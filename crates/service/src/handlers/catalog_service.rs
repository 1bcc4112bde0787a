//! The handlers of `CatalogService`.

use std::time::Duration;

use ahu_host::api::{MAX_BATCH_BYTES, MAX_STREAM_ENVIRONMENTS, convert};
use ahu_host::{GAMES, find};
use tonic::{Request, Response};

use crate::accounts::Client;
use crate::limits::{self, Limits};
use crate::matches::Matches;
use crate::proto::v1::{self, catalog_service_server::CatalogService};
use crate::status::{self, Answer};

/// The catalog of games, and what a server tells of itself.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) matches: Matches,
    pub(crate) requires_key: bool,
    /// The abilities that not every server has.
    pub(crate) features: Vec<String>,
}

#[tonic::async_trait]
impl CatalogService for Catalog {
    async fn list_games(&self, _: Request<v1::ListGamesRequest>) -> Answer<v1::ListGamesResponse> {
        let games = GAMES.iter().map(|rules| convert::summary(*rules)).collect();
        Ok(Response::new(v1::ListGamesResponse { games }))
    }

    async fn get_game(&self, request: Request<v1::GetGameRequest>) -> Answer<v1::GetGameResponse> {
        let rules = find(&request.into_inner().game).map_err(|error| status::of(error.into()))?;
        Ok(Response::new(v1::GetGameResponse { game: Some(convert::game(rules)) }))
    }

    async fn get_server_info(&self, asked: Request<v1::GetServerInfoRequest>) -> Answer<v1::GetServerInfoResponse> {
        let client = Client::of(asked.extensions());
        let of_client =
            v1::Limits { shares: client.shares(), rates: client.rates(), ..limits_message(self.matches.limits()) };
        Ok(Response::new(v1::GetServerInfoResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            limits: Some(of_client),
            durable: self.matches.has_store(),
            key_required: self.requires_key,
            features: self.features.clone(),
        }))
    }
}

/// Returns the limits of a server, set and fixed, without the shares and rates of the client.
fn limits_message(set: &Limits) -> v1::Limits {
    let duration = |time: Duration| time.try_into().ok();
    v1::Limits {
        matches: set.matches as u32,
        match_memory_bytes: set.ended_bytes as u64,
        match_idle: duration(set.match_idle),
        decision_idle: duration(set.decision_idle),
        wait: duration(limits::MAX_WAIT),
        request_bytes: limits::MAX_REQUEST_BYTES as u32,
        run_request_bytes: limits::MAX_RUN_REQUEST_BYTES as u32,
        environment_streams: set.environment_streams as u32,
        answer_events: limits::MAX_ANSWER_EVENTS as u32,
        environments: set.environments as u32,
        stream_environments: MAX_STREAM_ENVIRONMENTS,
        batch_bytes: MAX_BATCH_BYTES as u32,
        bot_playouts: set.bot_playouts,
        bot_time: duration(limits::MAX_BOT_TIME),
        connections: set.connections as u32,
        stream_open: duration(set.stream_open),
        watchers: set.watchers as u32,
        match_watchers: set.match_watchers as u32,
        spectator_delay: limits::MAX_SPECTATOR_DELAY,
        shares: None,
        rates: None,
    }
}

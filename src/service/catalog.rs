//! The handlers of `CatalogService`.

use tonic::{Request, Response, Status};

use super::convert;
use super::error::ApiError;
use super::limits::Limits;
use crate::host::{GAMES, find};
use crate::proto::v1::{self, catalog_service_server::CatalogService};

/// Tells what can be played, and by which limits.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) limits: Limits,
}

#[tonic::async_trait]
impl CatalogService for Catalog {
    async fn list_games(&self, _: Request<v1::ListGamesRequest>) -> Result<Response<v1::ListGamesResponse>, Status> {
        let games = GAMES.iter().map(|rules| convert::summary(*rules)).collect();
        Ok(Response::new(v1::ListGamesResponse { games }))
    }

    async fn get_game(&self, request: Request<v1::GetGameRequest>) -> Result<Response<v1::GetGameResponse>, Status> {
        let rules = find(&request.into_inner().game).map_err(ApiError::from)?;
        Ok(Response::new(v1::GetGameResponse { game: Some(convert::game(rules)) }))
    }

    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Response::new(v1::GetServerInfoResponse { version, limits: Some(convert::limits(&self.limits)) }))
    }
}

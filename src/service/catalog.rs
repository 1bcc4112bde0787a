//! The handlers of `CatalogService`.

use tonic::{Request, Response, Status};

use super::convert;
use super::fault::Fault;
use crate::host::{GAMES, find};
use crate::proto::v1::{self, catalog_service_server::CatalogService};

/// Tells what can be played.
#[derive(Debug)]
pub(super) struct Catalog;

#[tonic::async_trait]
impl CatalogService for Catalog {
    async fn list_games(&self, _: Request<v1::ListGamesRequest>) -> Result<Response<v1::ListGamesResponse>, Status> {
        let games = GAMES.iter().map(|rules| convert::summary(*rules)).collect();
        Ok(Response::new(v1::ListGamesResponse { games }))
    }

    async fn get_game(&self, request: Request<v1::GetGameRequest>) -> Result<Response<v1::GetGameResponse>, Status> {
        let rules = find(&request.into_inner().game).map_err(Fault::from)?;
        Ok(Response::new(v1::GetGameResponse { game: Some(convert::game(rules)) }))
    }
}

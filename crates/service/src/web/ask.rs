//! The request of a browser for the view of a match, or of a record that the browser brings.

use ahu_core::Seat;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde::Deserialize;

use super::Web;
use super::answer::Failure;
use super::seat::token_in;
use crate::accounts::Client;
use crate::admission::Caller;
use crate::web::page_match::{PageMatch, PageViewer};

/// A request of a browser. Its point is a ply in a replay, or else the number of an event.
pub(super) struct Ask<const IN_REPLAY: bool> {
    pub(super) web: Web,
    /// The id of the match; empty for the request of a record.
    pub(super) id: String,
    pub(super) viewer: PageViewer,
    pub(super) point: Option<u32>,
    pub(super) headers: HeaderMap,
    pub(super) caller: Caller,
    client: Client,
}

/// The fields of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Fields {
    /// `public`, the number of a seat, or `all`; empty for the public.
    #[serde(rename = "as")]
    viewer: String,
    after: Option<u32>,
    ply: Option<u32>,
}

impl<const IN_REPLAY: bool> FromRequestParts<Web> for Ask<IN_REPLAY> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Failure> {
        let id = Option::<Path<String>>::from_request_parts(parts, web).await;
        let id = id.map_err(|rejection| Failure::bad(rejection.body_text()))?;
        let asked = Query::from_request_parts(parts, web).await;
        let Query(Fields { viewer, after, ply }) = asked.map_err(|rejection| Failure::bad(rejection.body_text()))?;
        let (point, other) = if IN_REPLAY { (ply, after) } else { (after, ply) };
        if other.is_some() {
            return Err(Failure::bad(
                "expected the number of an event as `after`, or that of a ply in a replay as `ply`",
            ));
        }
        Ok(Self {
            web: web.clone(),
            id: id.map_or_else(String::new, |Path(id)| id),
            viewer: viewer_of(&viewer)?,
            point,
            headers: parts.headers.clone(),
            caller: parts.extensions.get().cloned().unwrap_or_default(),
            client: Client::of(&parts.extensions),
        })
    }
}

impl<const IN_REPLAY: bool> Ask<IN_REPLAY> {
    /// Returns the match for the viewer.
    pub(super) async fn found(&self) -> Result<PageMatch, Failure> {
        let token = |seat| token_in(&self.headers, seat);
        Ok(self.web.matches.page_match(&self.id, self.viewer, token, &self.client).await?)
    }

    /// Returns the point, which the request must have.
    pub(super) fn needed_point(&self) -> Result<u32, Failure> {
        let expected = match IN_REPLAY {
            true => "ply: expected the number of a ply, got none",
            false => "after: expected the number of an event, got none",
        };
        self.point.ok_or_else(|| Failure::bad(expected))
    }
}

fn viewer_of(name: &str) -> Result<PageViewer, Failure> {
    match name {
        "" | "public" => Ok(PageViewer::Public),
        "all" => Ok(PageViewer::All),
        number => {
            let seat = number.parse().ok().and_then(Seat::new);
            let message = || format!("as: expected public, all, or the number of a seat, got {number:?}");
            Ok(PageViewer::Seat(seat.ok_or_else(|| Failure::bad(message()))?))
        }
    }
}

//! The request of a browser for the view of a match, or of a record that the browser brings.

use std::sync::Arc;

use ahu_core::{Seat, Viewer};
use ahu_host::PictureLayout;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde::Deserialize;

use super::SharedServer;
use super::answer::Failure;
use super::seat::token_in;
use crate::accounts::Client;
use crate::matches::LiveMatch;
use crate::matches::watching::{Form, Viewpoint};
use crate::proto::v1;
use crate::refusals;
use crate::secrets::TokenHash;

/// The viewer for whom a browser asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageViewer {
    Public,
    Seat(Seat),
    /// The public and all seats, after the end.
    All,
}

/// A match as one viewer in a browser sees it.
pub(super) struct PageMatch {
    pub(super) live: Arc<LiveMatch>,
    pub(super) view: Viewpoint,
}

/// A request of a browser. Its point is a ply in a replay, or else the number of an event.
pub(super) struct Ask<const IN_REPLAY: bool> {
    pub(super) server: SharedServer,
    /// The id of the match; empty for the request of a record.
    pub(super) id: String,
    pub(super) viewer: PageViewer,
    pub(super) point: Option<u32>,
    pub(super) layout: PictureLayout,
    pub(super) headers: HeaderMap,
    pub(super) client: Client,
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
    /// `wide` or `phone`; empty for wide pictures.
    layout: String,
}

impl<const IN_REPLAY: bool> FromRequestParts<SharedServer> for Ask<IN_REPLAY> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, server: &SharedServer) -> Result<Self, Failure> {
        let id = Option::<Path<String>>::from_request_parts(parts, server).await;
        let id = id.map_err(|rejection| Failure::bad(rejection.body_text()))?;
        let asked = Query::from_request_parts(parts, server).await;
        let Query(Fields { viewer, after, ply, layout }) =
            asked.map_err(|rejection| Failure::bad(rejection.body_text()))?;
        let (point, other) = if IN_REPLAY { (ply, after) } else { (after, ply) };
        if other.is_some() {
            return Err(Failure::bad(
                "expected the number of an event as `after`, or that of a ply in a replay as `ply`",
            ));
        }
        Ok(Self {
            server: Arc::clone(server),
            id: id.map_or_else(String::new, |Path(id)| id),
            viewer: viewer_of(&viewer)?,
            point,
            layout: layout_of(&layout)?,
            headers: parts.headers.clone(),
            client: Client::of(&parts.extensions),
        })
    }
}

impl<const IN_REPLAY: bool> Ask<IN_REPLAY> {
    /// Returns the match for the viewer. After the end everybody may ask for every seat.
    pub(super) async fn found(&self) -> Result<PageMatch, Failure> {
        let live = self.server.matches.find(&self.id).await?;
        let viewer = match self.viewer {
            PageViewer::Public | PageViewer::All => {
                live.refuse_if_sealed()?;
                if self.viewer == PageViewer::All && !live.has_ended() {
                    return Err(refusals::not_ended(&live.id).into());
                }
                Viewer::Public
            }
            PageViewer::Seat(seat) => {
                live.seat(Some(seat.index() as u32))?;
                match token_in(&self.headers, seat) {
                    Some(token) if live.seat_of(TokenHash::of(&token))? == seat => {
                        live.note_player(seat, TokenHash::of(&token), &self.client)?;
                    }
                    Some(_) => return Err(refusals::SEAT.wrong().into()),
                    None if live.has_ended() => live.refuse_if_sealed()?,
                    None => return Err(refusals::SEAT.missing().into()),
                }
                Viewer::Seat(seat)
            }
        };
        let formats = v1::ObservationFormats { text: true, legal_actions: true, ..Default::default() };
        let form = Form { formats, boards: Some(self.layout) };
        Ok(PageMatch { live, view: Viewpoint { viewer, all_seats: self.viewer == PageViewer::All, form } })
    }

    /// Returns the ply, which the request must have.
    pub(super) fn needed_ply(&self) -> Result<u32, Failure> {
        self.point.ok_or_else(|| Failure::bad("ply: expected the number of a ply, got none"))
    }
}

fn layout_of(name: &str) -> Result<PictureLayout, Failure> {
    match name {
        "" => Ok(PictureLayout::default()),
        name => name.parse().map_err(|error| Failure::bad(format!("layout: {error}"))),
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

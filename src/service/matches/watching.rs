//! Watching: the streams of `WatchMatch`.
//!
//! A watcher is shown the match by a [`Follower`], which goes through the log entry by entry. So the messages are a function
//! of the log and the viewer: an entry of which the viewer is told nothing sends none, and their number and order tell
//! nothing of it. Watchers of the present share a follower for each viewer and format (`feed.rs`), which one task moves
//! forward; a watcher that begins in the past has its own until it arrives at the present (`watcher.rs`).

mod feed;
mod follower;
mod pace;
mod place;
mod watcher;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use tokio_stream::Stream;
use tonic::{Request, Status};

use self::place::Place;
pub(super) use self::place::Watchers;
use self::watcher::{Viewpoint, Watcher};
use super::Matches;
use super::live::LiveMatch;
use super::presence::PresentCall;
use super::requests::duration;
use crate::core::Viewer;
use crate::host::api::ApiError;
use crate::proto::v1;
use crate::service::error;
use crate::service::limits::{DEFAULT_HEARTBEAT, HEARTBEAT, Share};
use crate::service::peers::{Caller, Lease};

/// The messages of one watcher.
pub(super) type WatchStream = Pin<Box<dyn Stream<Item = Result<v1::WatchMatchResponse, Status>> + Send>>;

impl Matches {
    /// Begins the stream of a call of `WatchMatch`.
    pub(super) async fn watch(&self, asked: Request<v1::WatchMatchRequest>) -> Result<WatchStream, ApiError> {
        self.refuse_if_closing()?;
        let (metadata, extensions, asked) = asked.into_parts();
        let share = Caller::of(&extensions).lease(&[(Share::Watchers, 1)])?;
        let formats = asked.formats.unwrap_or_default();
        if formats.events_after.is_some() {
            let message = "expected no number, since a stream always has events; `after` says where it begins";
            return Err(ApiError::bad_field("formats.events_after", message));
        }
        let (live, caller) = self.viewer_call(&asked.match_id, asked.seat, &metadata).await?;
        let presence = caller.map(|(seat, token)| live.enter(seat, token)).transpose()?;
        if caller.is_none() || asked.all_seats {
            live.refuse_if_sealed()?;
        }
        if asked.all_seats && !live.has_ended() {
            return Err(error::not_ended(&live.id));
        }
        let viewer = caller.map_or(Viewer::Public, |(seat, _)| Viewer::Seat(seat));
        let view = Viewpoint { viewer, all_seats: asked.all_seats, formats };
        let heartbeat = match asked.heartbeat {
            None => DEFAULT_HEARTBEAT,
            asked => duration(asked).clamp(*HEARTBEAT.start(), *HEARTBEAT.end()),
        };
        self.stream(live, view, asked.after, heartbeat, (share, presence)).await
    }

    async fn stream(
        &self,
        live: Arc<LiveMatch>,
        view: Viewpoint,
        after: Option<u32>,
        heartbeat: Duration,
        kept: (Lease, Option<PresentCall>),
    ) -> Result<WatchStream, ApiError> {
        let place = self.watchers.enter(&live.id)?;
        let watcher = Watcher::begin(live, view, after, &place).await?;
        let reader = Reader { watcher, heartbeat, closing: self.closing(), _kept: (place, kept) };
        Ok(Box::pin(stream::unfold(Some(reader), async |reader| {
            let mut reader = reader?;
            match reader.next().await {
                Ok(Some(message)) => Some((Ok(message), Some(reader))),
                Ok(None) => None,
                Err(error) => Some((Err(error.into()), None)),
            }
        })))
    }
}

/// The stream of one watcher.
struct Reader {
    watcher: Watcher,
    heartbeat: Duration,
    closing: tokio::sync::watch::Receiver<bool>,
    /// The place among the watchers of the server, the share of the address, and the call with the token of a seat. They end
    /// with the stream.
    _kept: (Place, (Lease, Option<PresentCall>)),
}

impl Reader {
    /// Returns the next message; None after the end of the match.
    async fn next(&mut self) -> Result<Option<v1::WatchMatchResponse>, ApiError> {
        tokio::select! {
            biased;
            _ = self.closing.wait_for(|&closing| closing) => Err(error::closing()),
            message = self.watcher.next() => message,
            () = tokio::time::sleep(self.heartbeat) => Ok(Some(v1::WatchMatchResponse::default())),
        }
    }
}

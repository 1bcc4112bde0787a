//! Watching: the streams of `WatchMatch`.
//!
//! A watcher goes through the log of the match. A [`Follower`] is a second referee, which applies the entries one by one. After
//! each entry it compares the facts that `Observe` tells the viewer beside the table: events, the decision of the viewer, the
//! seats to act, forfeits, clocks, and the state. A difference is a message; an entry without a difference sends nothing. So
//! the messages are a function of the log and the viewer. If they were read from the match when a watcher wakes, their
//! boundaries would tell how many hidden decisions of bots one call had. The same follower resumes after any event, stays
//! behind by a delay, and shows the past of a match that has ended.
//!
//! Watchers never slow a match. Nobody waits for them, and they have no queues. One task for each watched match looks at the
//! match, moves a follower for each viewer and format forward, and keeps its newest messages for all who share it (`feed.rs`).
//! A watcher takes the next message when its connection asks for one (`watcher.rs`). A watcher that is too far behind gets the
//! present and all events in between; a watcher that begins in the past has a follower of its own until it arrives at the
//! present. All watchers of a server get a limited number of messages a second when matches change fast, and changes that come
//! meanwhile are merged.

mod feed;
mod follower;
mod message;
mod watcher;
mod watcher_limit;

use std::sync::Arc;
use std::time::Duration;

use ahu_host::api::ApiError;
use futures_util::stream;
use tokio_stream::Stream;

use self::follower::Follower;
pub(crate) use self::message::{Board, Form, Message};
pub(crate) use self::watcher::Viewpoint;
use self::watcher::Watcher;
pub(super) use self::watcher_limit::Watchers;
use super::live_match::PresentCall;
use super::{LiveMatch, Matches};
use crate::admission::Lease;
use crate::refusals;

impl Matches {
    /// Begins a stream of messages after the event with the number `after`, or now, until the end of the match. A message without
    /// an observation is a heartbeat. What is `kept` ends with the stream: the share of the address, and the call with the token
    /// of a seat.
    pub(crate) async fn messages(
        &self,
        live: Arc<LiveMatch>,
        view: Viewpoint,
        after: Option<u32>,
        heartbeat: Duration,
        kept: (Lease, Option<PresentCall>),
    ) -> Result<impl Stream<Item = Result<Message, ApiError>> + Send + use<>, ApiError> {
        let place = self.watchers.enter(&live.id)?;
        let watcher = Watcher::begin(live, view, after, &place).await?;
        let parts = (watcher, self.closing(), (place, kept));
        Ok(stream::try_unfold(parts, move |(mut watcher, mut closing, kept)| async move {
            let message = tokio::select! {
                biased;
                _ = closing.wait_for(|&closing| closing) => Err(refusals::closing()),
                message = watcher.next() => message,
                () = tokio::time::sleep(heartbeat) => Ok(Some(Message::default())),
            };
            Ok(message?.map(|message| (message, (watcher, closing, kept))))
        }))
    }
}

/// Returns the message about the match after the entry that told the event with the number `after`, with this event as the
/// last one. Blocks the thread while the match is folded.
pub(crate) fn message_at(live: &LiveMatch, view: &Viewpoint, after: u32) -> Result<Message, ApiError> {
    let telling = live.entries_of_event(view.viewer, after)?;
    let mut follower = Follower::new(live.rewound(), view.form.clone(), &view.viewers(live));
    // An entry may tell several events. The earlier events of this entry count as told.
    let had = after.saturating_sub(1) as usize;
    follower.skip(&live.entries(0, telling.start), had);
    for entry in live.entries(telling.start, telling.end) {
        follower.lifecycle.follow(&entry);
    }
    let mut message = follower.message_after(live, had.min(follower.event_count()), false);
    if let Some(observation) = &mut message.response.observation {
        observation.events.retain(|event| event.number <= after);
    }
    Ok(message)
}

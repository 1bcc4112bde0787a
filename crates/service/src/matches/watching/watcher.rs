//! A watcher: the messages of one stream, in order. A watcher has no queue: it looks for the next message when the connection
//! asks for one.

use std::sync::Arc;
use std::vec;

use ahu_core::{Seat, Viewer};
use ahu_host::Entry;
use ahu_host::api::ApiError;
use prost::Message as _;
use tokio::sync::watch;

use super::feed::{Feed, Next};
use super::follower::{Follower, last_event};
use super::message::{Form, Message};
use super::watcher_limit::WatcherPermit;
use crate::admission::Limiter;
use crate::matches::LiveMatch;

/// The number of entries that a watcher of the past takes from the match at once.
const ENTRIES_AT_ONCE: usize = 64;

/// The viewer of a stream, and the content of its messages.
#[derive(Clone, Debug)]
pub(crate) struct Viewpoint {
    pub(crate) viewer: Viewer,
    pub(crate) all_seats: bool,
    pub(crate) form: Form,
}

impl Viewpoint {
    pub(super) fn viewers(&self, live: &LiveMatch) -> Vec<Viewer> {
        let seats = self.all_seats.then(|| live.seats().iter().map(Viewer::Seat));
        [self.viewer].into_iter().chain(seats.into_iter().flatten()).collect()
    }
}

/// The messages of one stream.
pub(super) struct Watcher {
    live: Arc<LiveMatch>,
    /// The viewer's seat; None for the public.
    seat: Option<Seat>,
    limiter: Limiter,
    /// True if the rate of watchers has given the next message its turn.
    has_turn: bool,
    /// The first message, until it is sent.
    first: Option<Message>,
    /// The past that the watcher has not been told yet; None once it follows the present.
    past: Option<Past>,
    /// The present; None for a match that has ended.
    present: Option<Present>,
}

/// The past of a match up to the present.
struct Past {
    follower: Follower,
    /// The next entries.
    entries: vec::IntoIter<Entry>,
    /// The number of entries of a match that has ended.
    end: usize,
}

/// The position of a watcher in the feed of the present.
struct Present {
    feed: Arc<Feed>,
    news: watch::Receiver<()>,
    /// The number of the next message.
    next: u64,
    /// The number of the last event that the watcher was told.
    told: usize,
}

impl Watcher {
    /// Begins after the event with the number `after`, or now.
    pub(super) async fn begin(
        live: Arc<LiveMatch>,
        view: Viewpoint,
        after: Option<u32>,
        place: &WatcherPermit,
    ) -> Result<Self, ApiError> {
        let horizon = live.horizon().kept().await?;
        let Viewpoint { viewer, form, .. } = &view;
        let viewer = *viewer;
        let from = after.map(|after| live.entries_through_event(viewer, after)).transpose()?;
        let now = horizon.entries(viewer);
        let follower = |to: usize, had: u32| {
            let mut follower = Follower::new(live.rewound(), form.clone(), &view.viewers(&live));
            follower.skip(&live.entries(0, to), had as usize);
            follower
        };
        let key = (viewer, form.formats.encode_to_vec(), form.is_drawn);
        let feed = if horizon.has_ended {
            None
        } else {
            // A new feed may take milliseconds, and the other watchers need not wait for it.
            let new = place.feeds.find(&key).is_none().then(|| Feed::new(viewer, follower(now, 0)));
            let new = || new.unwrap_or_else(|| Feed::new(viewer, follower(now, 0)));
            place.feeds.join(key, new, &live, &place.watchers.limiter)
        };
        let mut watcher = Self {
            seat: match viewer {
                Viewer::Seat(seat) => Some(seat),
                Viewer::Public => None,
            },
            limiter: place.watchers.limiter.clone(),
            has_turn: false,
            first: None,
            past: None,
            present: feed.map(|feed| Present { news: feed.news.subscribe(), feed, next: 0, told: 0 }),
            live: Arc::clone(&live),
        };
        // A match that has not begun has no past.
        let from = from.filter(|_| horizon.has_begun);
        if let (None, Some(present)) = (from, &mut watcher.present) {
            let (message, next) = present.feed.beginning(&live);
            let told = message.response.observation.as_ref().map_or(0, |seen| seen.event_count as usize);
            // The match may have begun since the look, and the feed may have told its first events.
            if after.is_none_or(|after| told <= after as usize) {
                (present.next, present.told) = (next, told);
                watcher.first = Some(message);
                return Ok(watcher);
            }
        }
        // The match may have ended since the first look.
        let end = live.horizon().kept().await?.entries(viewer);
        let from = from.unwrap_or(if after.is_some() && !horizon.has_begun { 0 } else { end });
        let follower = follower(from, after.unwrap_or(0));
        watcher.first = Some(follower.message_after(&live, follower.told_events(), false));
        watcher.past = Some(Past { follower, entries: Vec::new().into_iter(), end });
        Ok(watcher)
    }

    /// Returns the next message; None after the end of the match. A call that is cancelled loses nothing.
    pub(super) async fn next(&mut self) -> Result<Option<Message>, ApiError> {
        let mut message = match self.first.take() {
            Some(first) => Some(first),
            None => self.later().await?,
        };
        self.has_turn = false;
        if let (Some(seat), Some(message)) = (self.seat, &mut message)
            && let Some(decision) = message.response.observation.as_mut().and_then(|seen| seen.decision.as_mut())
        {
            decision.time_left = self.live.time_left(seat, decision.decision_id);
        }
        Ok(message)
    }

    /// Returns a later message than the first one.
    async fn later(&mut self) -> Result<Option<Message>, ApiError> {
        loop {
            // Mark first, so that a message that comes during this look ends the wait.
            if let Some(present) = &mut self.present {
                present.news.mark_unchanged();
            }
            if let Some(past) = &mut self.past {
                let end = self.present.as_ref().map_or(past.end, |present| present.feed.entries());
                if !self.has_turn && past.follower.entries() < end {
                    self.limiter.watch_turn().await;
                    self.has_turn = true;
                }
                if let Some(message) = past.next(&self.live, end) {
                    return Ok(Some(message));
                }
                let Some(present) = &mut self.present else { return Ok(None) };
                match present.feed.joined_by(past.follower.entries(), past.follower.told()) {
                    Some(next) => {
                        (present.next, present.told) = (next, past.follower.told_events());
                        self.past = None;
                    }
                    // The feed does not know yet that the match has begun.
                    None if present.feed.entries() == past.follower.entries() => {
                        present.wait().await;
                    }
                    None => {}
                }
                continue;
            }
            let Some(present) = &mut self.present else { return Ok(None) };
            if !self.has_turn && present.feed.has_message(present.next) {
                self.limiter.watch_turn().await;
                self.has_turn = true;
            }
            match present.feed.next(&self.live, present.next, present.told)? {
                Next::Message(message, next) => {
                    present.next = next;
                    present.note(&message);
                    return Ok(Some(Arc::unwrap_or_clone(message)));
                }
                Next::Over => return Ok(None),
                Next::None => present.wait().await,
            }
        }
    }
}

impl Past {
    /// Returns the message after the next entry that tells something; None if there is no such entry before the entry `end`.
    fn next(&mut self, live: &LiveMatch, end: usize) -> Option<Message> {
        while !self.follower.has_news() {
            if self.entries.len() == 0 {
                let first = self.follower.entries();
                self.entries = live.entries(first, end.min(first + ENTRIES_AT_ONCE)).into_iter();
            }
            self.follower.lifecycle.follow(&self.entries.next()?);
        }
        Some(self.follower.message(live, false))
    }
}

impl Present {
    fn note(&mut self, message: &Message) {
        self.told = message.response.observation.as_ref().and_then(last_event).unwrap_or(self.told);
    }

    /// Waits for the next message.
    async fn wait(&mut self) {
        // The watcher has the feed, so its sender is there.
        let _ = self.news.changed().await;
    }
}

//! A watcher: the messages of one stream, in order. A watcher has no queue: it looks for the next message when the connection
//! asks for one.

use std::sync::Arc;
use std::vec;

use ahu_core::{Seat, Viewer};
use ahu_host::Entry;
use ahu_host::api::ApiError;
use prost::Message as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::feed::{Feed, Key, Next};
use super::follower::{Follower, last_event};
use super::message::{Form, Message};
use super::watcher_limit::WatcherPermit;
use crate::admission::{Limiter, Principal};
use crate::limits::{PICTURE_UNITS, UNIT_ENTRIES};
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
    /// Returns the key of the feed that has the messages.
    pub(super) fn key(&self) -> Key {
        (self.viewer, self.all_seats, self.form.formats.encode_to_vec(), self.form.boards)
    }

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
    is_drawn: bool,
    turns: WatcherTurns,
    /// The first message, until it is sent.
    first: Option<Message>,
    /// The past that the watcher has not been told yet; None once it follows the present.
    past: Option<Past>,
    present: Present,
}

/// The turns of a watcher among the watchers of the server.
struct WatcherTurns {
    limiter: Limiter,
    /// The principal whose watcher it is; None within the process.
    principal: Option<Principal>,
    /// True for the stream of a seat of a match that goes on.
    is_player: bool,
    /// The time of the next turn, once the watcher waits for it.
    next: Option<Instant>,
}

impl WatcherTurns {
    /// Waits for the turn of the next message. A call that is cancelled keeps the turn.
    async fn take(&mut self, units: u32) {
        let Self { limiter, principal, is_player, next } = self;
        let time = *next.get_or_insert_with(|| limiter.watch_turn(*principal, *is_player, units));
        // The shortest sleep takes a millisecond.
        if time > Instant::now() {
            sleep_until(time).await;
        }
    }

    /// Notes that the message was sent. Its pictures delay later messages if they are still to be drawn.
    fn end(&mut self, message: &Message) {
        let pictures = message.undrawn() as u32;
        if pictures > 0 {
            self.limiter.watch_turn(self.principal, self.is_player, pictures * PICTURE_UNITS);
        }
        self.next = None;
    }

    /// Returns the number of principals whose watchers wait.
    fn among(&self) -> usize {
        self.limiter.watching_principals(self.is_player)
    }
}

/// The past of a match up to the present.
struct Past {
    follower: Follower,
    /// The next entries.
    entries: vec::IntoIter<Entry>,
}

/// The position of a watcher in the feed of the present.
struct Present {
    feed: Arc<Feed>,
    news: watch::Receiver<()>,
    /// The number of the next message; None for a message with all that came since.
    next: Option<u64>,
    /// The number of the last event that the watcher was told.
    told: usize,
}

impl Watcher {
    /// Begins after the event with the number `after`, or now. The principal pays for the stream.
    pub(super) async fn begin(
        live: Arc<LiveMatch>,
        view: Viewpoint,
        after: Option<u32>,
        place: &WatcherPermit,
        principal: Option<Principal>,
    ) -> Result<Self, ApiError> {
        let Viewpoint { viewer, form, .. } = &view;
        let viewer = *viewer;
        let had_begun = live.horizon().kept().await?.has_begun;
        let from = after.map(|after| live.entries_through_event(viewer, after)).transpose()?;
        // The match may have gone on to this event since the first look.
        let horizon = live.horizon().kept().await?;
        let now = horizon.entries(viewer);
        let key = view.key();
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Public => None,
        };
        let is_player = seat.is_some() && !horizon.has_ended;
        let mut turns = WatcherTurns { limiter: place.watchers.limiter.clone(), principal, is_player, next: None };
        // A page catches up with one picture.
        let past = from.filter(|_| had_begun && form.boards.is_none());
        let folded = past.unwrap_or(0) + place.feeds.find(&key).map_or(now, |_| 0);
        turns.take(1 + (folded / UNIT_ENTRIES) as u32).await;
        let follower = |to: usize, had: u32| {
            let mut follower = Follower::new(live.rewound(), form.clone(), &view.viewers(&live));
            follower.skip(&live.entries(0, to), had as usize);
            follower
        };
        let new = || Feed::new(viewer, follower(now, 0), horizon);
        // A new feed may take milliseconds, and the other watchers need not wait for it.
        let made = place.feeds.find(&key).is_none().then(new);
        let feed = place.feeds.join(key, || made.unwrap_or_else(new), &live);
        feed.note(horizon);
        let told = after.unwrap_or(0) as usize;
        let present = Present { news: feed.news.subscribe(), feed, next: None, told };
        let is_drawn = form.boards.is_some();
        let mut watcher = Self { seat, is_drawn, turns, first: None, past: None, present, live: Arc::clone(&live) };
        if past.is_none() {
            let (message, next) = watcher.present.feed.beginning(&live, watcher.turns.among());
            let told = message.response.observation.as_ref().map_or(0, |seen| seen.event_count as usize);
            // The match may have begun since the look, and the feed may have told its first events.
            if after.is_none_or(|after| told <= after as usize) {
                (watcher.present.next, watcher.present.told) = (Some(next), told);
                watcher.first = Some(message);
                return Ok(watcher);
            }
        }
        if form.boards.is_some() {
            return Ok(watcher);
        }
        let follower = follower(past.unwrap_or(0), after.unwrap_or(0));
        watcher.first = Some(follower.message_after(&live, follower.told_events(), false));
        watcher.past = Some(Past { follower, entries: Vec::new().into_iter() });
        Ok(watcher)
    }

    /// Returns the next message; None after the end of the match. A call that is cancelled loses nothing.
    pub(super) async fn next(&mut self) -> Result<Option<Message>, ApiError> {
        let mut message = match self.first.take() {
            Some(first) => Some(first),
            None => self.later().await?,
        };
        if let Some(message) = &message {
            self.turns.end(message);
        }
        if let (Some(seat), Some(message)) = (self.seat, &mut message)
            && let Some(decision) = message.response.observation.as_mut().and_then(|seen| seen.decision.as_mut())
        {
            decision.time_left = self.live.time_left(seat, decision.decision_id);
        }
        if let Some(message) = message.as_mut().filter(|_| self.is_drawn) {
            let told = message.response.observation.as_ref().map_or(&[][..], |seen| &seen.seats_to_act);
            message.times_left = self.live.times_left(self.seat.map_or(Viewer::Public, Viewer::Seat));
            message.times_left.retain(|(seat, _)| told.contains(seat));
        }
        Ok(message)
    }

    /// Returns a later message than the first one.
    async fn later(&mut self) -> Result<Option<Message>, ApiError> {
        let Self { live, turns, past: of_past, present, .. } = self;
        loop {
            // Mark first, so that a change during this look ends the wait.
            present.news.mark_unchanged();
            if let Some(past) = of_past {
                let end = present.feed.entries();
                if past.follower.entries() < end {
                    turns.take(1).await;
                }
                if let Some(message) = past.next(live, end) {
                    return Ok(Some(message));
                }
                let (entries, told) = (past.follower.entries(), past.follower.told());
                match present.feed.joined_by(live, entries, told, turns.among())? {
                    Some(next) => {
                        (present.next, present.told) = (Some(next), past.follower.told_events());
                        *of_past = None;
                    }
                    // The feed does not know yet that the match has begun or has gone on.
                    None if present.feed.entries() <= entries => present.wait().await,
                    None => {}
                }
                continue;
            }
            if present.feed.has_message(present.next) {
                turns.take(1).await;
            }
            match present.feed.next(live, present.next, present.told, turns.among())? {
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

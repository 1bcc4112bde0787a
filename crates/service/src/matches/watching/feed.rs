//! Feeds: the messages about the present, shared by all watchers who are the same viewer and ask for the same formats.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use ahu_core::Viewer;
use ahu_host::api::ApiError;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

use super::follower::{Follower, Told, last_event};
use super::message::Message;
use crate::admission::Limiter;
use crate::limits::{MAX_WATCH_MESSAGES, MAX_WATCH_UPDATES, PAGE_BACKLOG, WATCH_BACKLOG};
use crate::lock;
use crate::matches::LiveMatch;
use crate::matches::live_match::Horizon;
use crate::proto::v1;

/// The messages about the present for one viewer in some formats.
pub(super) struct Feed {
    viewer: Viewer,
    state: Mutex<FeedState>,
    /// Wakes the watchers when there is a message, or when no more messages come.
    pub(super) news: watch::Sender<()>,
}

struct FeedState {
    follower: Follower,
    /// The newest messages, with their sizes in bytes.
    messages: VecDeque<(Arc<Message>, usize)>,
    /// The number of the first message.
    first: u64,
    /// The first message for watchers that begin now. A newer message replaces it.
    beginning: Option<Message>,
    /// The end of the match, or the reason why no message comes any more.
    end: Option<Result<(), ApiError>>,
}

/// The next message of a feed for one watcher.
pub(super) enum Next {
    /// The message, and the number of the message after it. A watcher that missed messages gets one with all of their content.
    Message(Arc<Message>, u64),
    /// The match has not changed.
    None,
    /// The match has ended, and the watcher has all messages.
    Over,
}

impl Feed {
    pub(super) fn new(viewer: Viewer, follower: Follower) -> Self {
        let state = FeedState { follower, messages: VecDeque::new(), first: 0, beginning: None, end: None };
        Self { viewer, state: Mutex::new(state), news: watch::Sender::new(()) }
    }

    /// Returns the first message of a watcher that begins now, and the number of the message after it.
    pub(super) fn beginning(&self, live: &LiveMatch) -> (Message, u64) {
        let mut state = lock(&self.state);
        let FeedState { follower, beginning, .. } = &mut *state;
        let message = beginning.get_or_insert_with(|| follower.message_after(live, follower.told_events(), false));
        (message.clone(), state.end_of_messages())
    }

    /// Returns the number of the next message for a watcher with its own follower, if the watcher has arrived at the present.
    pub(super) fn joined_by(&self, entries: usize, told: &Told) -> Option<u64> {
        let state = lock(&self.state);
        let has_arrived = state.follower.entries() == entries && state.follower.told() == told;
        has_arrived.then(|| state.end_of_messages())
    }

    /// Returns the number of entries of which the feed has told.
    pub(super) fn entries(&self) -> usize {
        lock(&self.state).follower.entries()
    }

    /// Returns true if the message with the number `next` is there.
    pub(super) fn has_message(&self, next: u64) -> bool {
        next < lock(&self.state).end_of_messages()
    }

    /// Returns the message with the number `next`, for a watcher that was told the events up to the number `told`.
    pub(super) fn next(&self, live: &LiveMatch, next: u64, told: usize) -> Result<Next, ApiError> {
        let state = lock(&self.state);
        let Some(place) = next.checked_sub(state.first) else {
            let message = Arc::new(state.follower.message_after(live, told, true));
            let lacks_events = message.response.observation.as_ref().is_some_and(|seen| lacks_events(seen, told));
            // A snapshot without room for all events is followed by another one.
            return Ok(Next::Message(message, if lacks_events { next } else { state.end_of_messages() }));
        };
        match (state.messages.get(place as usize), &state.end) {
            (Some((message, _)), _) => Ok(Next::Message(Arc::clone(message), next + 1)),
            (None, Some(end)) => end.clone().map(|()| Next::Over),
            (None, None) => Ok(Next::None),
        }
    }

    /// Moves forward to the horizon. Makes at most `most` messages, and a last message with the rest. Returns the number of
    /// messages.
    fn advance(&self, live: &LiveMatch, horizon: &Horizon, most: usize) -> usize {
        let mut state = lock(&self.state);
        let before = state.end_of_messages();
        state.forget_old();
        if state.follower.lifecycle.referee().is_none() && (horizon.has_begun || horizon.has_ended) {
            state.follower.lifecycle = live.rewound();
            state.beginning = None;
            state.tell(live, false);
        }
        let mut merged = 0;
        for entry in live.entries(state.follower.entries(), horizon.entries(self.viewer)) {
            state.follower.lifecycle.follow(&entry);
            if state.follower.has_news() {
                merged += 1;
                let has_room = state.end_of_messages() - before < most as u64;
                if has_room || state.follower.is_full() {
                    state.tell(live, merged > 1);
                    merged = 0;
                }
            }
        }
        state.tell(live, merged > 1);
        let count = state.end_of_messages() - before;
        drop(state);
        if count > 0 {
            self.news.send_replace(());
        }
        count as usize
    }

    fn end(&self, end: Result<(), ApiError>) {
        lock(&self.state).end.get_or_insert(end);
        self.news.send_replace(());
    }
}

impl FeedState {
    fn end_of_messages(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    /// Adds messages until everything is told.
    fn tell(&mut self, live: &LiveMatch, skipped: bool) {
        while self.follower.has_news() {
            let message = self.follower.message(live, skipped);
            self.beginning = None;
            let size = message.size();
            self.messages.push_back((Arc::new(message), size));
        }
    }

    /// Forgets old messages. Watchers that are a little behind find theirs among the remaining ones.
    fn forget_old(&mut self) {
        let mut size: usize = self.messages.iter().map(|(_, size)| size).sum();
        let most = if self.follower.form.is_drawn { PAGE_BACKLOG } else { WATCH_BACKLOG };
        while size > most
            && let Some((_, first)) = self.messages.pop_front()
        {
            size -= first;
            self.first += 1;
        }
    }
}

/// Returns true if an observation lacks some of the events after the number `told`.
fn lacks_events(observation: &v1::Observation, told: usize) -> bool {
    last_event(observation).unwrap_or(told) < observation.event_count as usize
}

/// The key of a feed: the viewer, the formats, and true if messages have boards.
pub(super) type Key = (Viewer, Vec<u8>, bool);

/// The feeds of one match.
#[derive(Default)]
pub(super) struct Feeds {
    state: Mutex<FeedsState>,
    /// Wakes the task that moves the feeds forward.
    joined: Notify,
}

#[derive(Default)]
struct FeedsState {
    feeds: HashMap<Key, Weak<Feed>>,
    /// The task that moves the feeds forward.
    task: Option<AbortHandle>,
    has_ended: bool,
}

impl FeedsState {
    fn watched(&mut self) -> Vec<Arc<Feed>> {
        self.feeds.retain(|_, feed| feed.strong_count() > 0);
        self.feeds.values().filter_map(Weak::upgrade).collect()
    }
}

impl Feeds {
    /// Returns the feed with this key, if somebody watches it.
    pub(super) fn find(&self, key: &Key) -> Option<Arc<Feed>> {
        lock(&self.state).feeds.get(key).and_then(Weak::upgrade)
    }

    /// Returns the feed with this key, which is `new` unless somebody watches such a feed already. Returns None if the match
    /// has ended, so that no feed goes on.
    pub(super) fn join(
        self: &Arc<Self>,
        key: Key,
        new: impl FnOnce() -> Feed,
        live: &Arc<LiveMatch>,
        limiter: &Limiter,
    ) -> Option<Arc<Feed>> {
        let mut state = lock(&self.state);
        if state.has_ended {
            return None;
        }
        let feed = state.feeds.get(&key).and_then(Weak::upgrade).unwrap_or_else(|| Arc::new(new()));
        state.feeds.insert(key, Arc::downgrade(&feed));
        state.task.get_or_insert_with(|| {
            let task = Arc::clone(self).go_on(Arc::clone(live), limiter.clone());
            tokio::spawn(task).abort_handle()
        });
        drop(state);
        self.joined.notify_one();
        Some(feed)
    }

    /// Moves the feeds forward until the match has ended. All watchers together get a limited number of messages a second, so
    /// that they never slow the match; changes that come meanwhile are merged.
    async fn go_on(self: Arc<Self>, live: Arc<LiveMatch>, limiter: Limiter) {
        let mut changes = live.changes();
        loop {
            // Mark first, so that a change during this look ends the next wait.
            changes.mark_unchanged();
            let horizon = match live.horizon().kept().await {
                Ok(horizon) => horizon,
                Err(error) => return self.fail(&error),
            };
            let watched = lock(&self.state).watched();
            let watchers: usize = watched.iter().map(|feed| feed.news.receiver_count()).sum();
            let most = (MAX_WATCH_MESSAGES / watchers.max(1)).clamp(1, MAX_WATCH_UPDATES);
            let mut sent = 0;
            for feed in watched {
                sent += feed.advance(&live, &horizon, most) * feed.news.receiver_count();
                tokio::task::yield_now().await;
            }
            if horizon.has_ended {
                return self.finish(&live, &horizon);
            }
            limiter.settle_watchers(sent).await;
            tokio::select! {
                biased;
                // The match is there, so its sender is too.
                _ = changes.changed() => {}
                () = self.joined.notified() => {}
            }
        }
    }

    /// Ends all feeds of a match that has ended, and the feeds that were added during the last look.
    fn finish(&self, live: &LiveMatch, horizon: &Horizon) {
        let mut state = lock(&self.state);
        state.has_ended = true;
        for feed in state.watched() {
            feed.advance(live, horizon, MAX_WATCH_UPDATES);
            feed.end(Ok(()));
        }
    }

    /// Ends all feeds with an error. Later watchers begin anew.
    fn fail(&self, error: &ApiError) {
        let mut state = lock(&self.state);
        for feed in state.watched() {
            feed.end(Err(error.clone()));
        }
        state.feeds.clear();
        state.task = None;
    }

    /// Ends the task when nobody watches any more.
    pub(super) fn close(&self) {
        if let Some(task) = lock(&self.state).task.take() {
            task.abort();
        }
    }
}

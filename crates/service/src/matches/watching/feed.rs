//! Feeds: the messages about the present, shared by all watchers who are the same viewer and ask for the same formats.
//!
//! The task of a match tells its feeds how far their viewers may be shown the match. The watcher that has the first turn makes
//! the messages about it, so a feed makes none that nobody takes, and changes that come before a turn are merged.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use ahu_core::Viewer;
use ahu_host::PictureLayout;
use ahu_host::api::ApiError;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

use super::follower::{Follower, Told, last_event};
use super::message::Message;
use crate::limits::{MAX_WATCH_MESSAGES, MAX_WATCH_UPDATES, PAGE_BACKLOG, WATCH_BACKLOG};
use crate::lock;
use crate::matches::LiveMatch;
use crate::matches::live_match::Horizon;
use crate::proto::v1;

/// The messages about the present for one viewer in some formats.
pub(super) struct Feed {
    viewer: Viewer,
    state: Mutex<FeedState>,
    /// Wakes the watchers when the match has changed, or when no more messages come.
    pub(super) news: watch::Sender<()>,
}

struct FeedState {
    follower: Follower,
    /// The part of the match that the viewer may be shown.
    horizon: Horizon,
    /// The newest messages, with their sizes in bytes.
    messages: VecDeque<(Arc<Message>, usize)>,
    /// The number of the first message.
    first: u64,
    /// The first message for watchers that begin now. A newer message replaces it.
    beginning: Option<Message>,
    /// The reason why no message comes any more.
    failure: Option<ApiError>,
}

/// The next message of a feed for one watcher.
pub(super) enum Next {
    /// The message, and the number of the message after it. A watcher that missed messages gets one with all of their content.
    Message(Arc<Message>, Option<u64>),
    /// The match has not changed.
    None,
    /// The match has ended, and the watcher has all messages.
    Over,
}

impl Feed {
    /// Creates a feed whose follower has arrived at this horizon.
    pub(super) fn new(viewer: Viewer, follower: Follower, horizon: Horizon) -> Self {
        let messages = VecDeque::new();
        let state = FeedState { follower, horizon, messages, first: 0, beginning: None, failure: None };
        Self { viewer, state: Mutex::new(state), news: watch::Sender::new(()) }
    }

    /// Returns the first message of a watcher that begins now, and the number of the message after it.
    pub(super) fn beginning(&self, live: &LiveMatch, among: usize) -> (Message, u64) {
        let mut state = lock(&self.state);
        self.advance(&mut state, live, among);
        (state.present(live).clone(), state.end_of_messages())
    }

    /// Returns the number of the next message for a watcher with its own follower, if the watcher has arrived at the present.
    pub(super) fn joined_by(
        &self,
        live: &LiveMatch,
        entries: usize,
        told: &Told,
        among: usize,
    ) -> Result<Option<u64>, ApiError> {
        let mut state = lock(&self.state);
        self.advance(&mut state, live, among);
        let has_arrived = state.follower.entries() == entries && state.follower.told() == told;
        match &state.failure {
            Some(error) if !has_arrived => Err(error.clone()),
            _ => Ok(has_arrived.then(|| state.end_of_messages())),
        }
    }

    /// Returns the number of entries that the viewer may be shown.
    pub(super) fn entries(&self) -> usize {
        lock(&self.state).horizon.entries(self.viewer)
    }

    /// Returns true if the message with the number `next` is there, or if the match has changed since the last message.
    pub(super) fn has_message(&self, next: Option<u64>) -> bool {
        let state = lock(&self.state);
        next.is_none_or(|next| next < state.end_of_messages()) || state.has_changed(self.viewer)
    }

    /// Returns the message with the number `next`, for a watcher that was told the events up to the number `told`. None is the
    /// number of a message with all that came since. `among` principals have watchers that wait for their turns.
    pub(super) fn next(
        &self,
        live: &LiveMatch,
        next: Option<u64>,
        told: usize,
        among: usize,
    ) -> Result<Next, ApiError> {
        let mut state = lock(&self.state);
        if next.is_none_or(|next| next >= state.end_of_messages()) {
            self.advance(&mut state, live, among);
        }
        let Some((next, place)) = next.and_then(|next| Some((next, next.checked_sub(state.first)?))) else {
            let count = state.follower.told_events();
            let skipped = next.is_some() || told < count;
            // All watchers that are behind share the pictures of the present.
            let tables = state.present(live).tables.clone();
            let mut message = state.follower.message_after(live, told.min(count), skipped);
            message.tables = tables;
            let lacks_events = message.response.observation.as_ref().is_some_and(|seen| lacks_events(seen, told));
            // A snapshot without room for all events is followed by another one.
            let next = (!lacks_events).then(|| state.end_of_messages());
            return Ok(Next::Message(Arc::new(message), next));
        };
        match (state.messages.get(place as usize), &state.failure) {
            (Some((message, _)), _) => Ok(Next::Message(Arc::clone(message), Some(next + 1))),
            (None, Some(error)) => Err(error.clone()),
            (None, None) if state.horizon.has_ended => Ok(Next::Over),
            (None, None) => Ok(Next::None),
        }
    }

    /// Moves forward to the horizon. Makes a message for each change, unless the watchers may get too few of them in a quarter
    /// of a second: then the last message has the rest.
    fn advance(&self, state: &mut FeedState, live: &LiveMatch, among: usize) {
        if !state.has_changed(self.viewer) {
            return;
        }
        state.forget_old();
        if state.follower.lifecycle.referee().is_none() {
            state.follower.lifecycle = live.rewound();
            state.beginning = None;
            state.tell(live, false);
        }
        let watchers = self.news.receiver_count() * among;
        let most = (MAX_WATCH_MESSAGES / watchers.max(1)).clamp(1, MAX_WATCH_UPDATES);
        let (before, mut merged) = (state.end_of_messages(), 0);
        for entry in live.entries(state.follower.entries(), state.horizon.entries(self.viewer)) {
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
    }

    /// Notes how far the viewer may be shown the match, unless the feed knows more.
    pub(super) fn note(&self, horizon: Horizon) {
        let mut state = lock(&self.state);
        let age = |of: &Horizon| (of.has_ended, of.has_begun, of.entries(self.viewer));
        if age(&horizon) > age(&state.horizon) {
            state.horizon = horizon;
            drop(state);
            self.news.send_replace(());
        }
    }

    fn fail(&self, error: &ApiError) {
        lock(&self.state).failure.get_or_insert_with(|| error.clone());
        self.news.send_replace(());
    }
}

impl FeedState {
    fn end_of_messages(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    /// Returns true if the viewer may be shown more than the follower has seen.
    fn has_changed(&self, viewer: Viewer) -> bool {
        let begins = self.follower.lifecycle.referee().is_none() && (self.horizon.has_begun || self.horizon.has_ended);
        begins || self.follower.entries() < self.horizon.entries(viewer)
    }

    /// Returns the message about the present, without events.
    fn present(&mut self, live: &LiveMatch) -> &Message {
        let Self { follower, beginning, .. } = self;
        beginning.get_or_insert_with(|| follower.message_after(live, follower.told_events(), false))
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
        let most = if self.follower.form.boards.is_some() { PAGE_BACKLOG } else { WATCH_BACKLOG };
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

/// The key of a feed: the viewer, true if all seats are shown too, the formats, and the layout of boards.
pub(super) type Key = (Viewer, bool, Vec<u8>, Option<PictureLayout>);

/// The feeds of one match.
#[derive(Default)]
pub(super) struct Feeds {
    state: Mutex<FeedsState>,
    /// Wakes the task that looks at the match.
    joined: Notify,
}

#[derive(Default)]
struct FeedsState {
    feeds: HashMap<Key, Weak<Feed>>,
    /// The task that looks at the match.
    task: Option<AbortHandle>,
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

    /// Returns the feed with this key, which is `new` unless somebody watches such a feed already.
    pub(super) fn join(self: &Arc<Self>, key: Key, new: impl FnOnce() -> Feed, live: &Arc<LiveMatch>) -> Arc<Feed> {
        let mut state = lock(&self.state);
        let feed = state.feeds.get(&key).and_then(Weak::upgrade).unwrap_or_else(|| Arc::new(new()));
        state.feeds.insert(key, Arc::downgrade(&feed));
        if !lock(&feed.state).horizon.has_ended {
            let task = || tokio::spawn(Arc::clone(self).go_on(Arc::clone(live))).abort_handle();
            state.task.get_or_insert_with(task);
        }
        drop(state);
        self.joined.notify_one();
        feed
    }

    /// Tells the feeds how far their viewers may be shown the match, until it has ended. Later watchers look anew.
    async fn go_on(self: Arc<Self>, live: Arc<LiveMatch>) {
        let mut changes = live.changes();
        loop {
            // Mark first, so that a change during this look ends the next wait.
            changes.mark_unchanged();
            if self.note(live.horizon().kept().await) {
                return;
            }
            tokio::select! {
                biased;
                // The match is there, so its sender is too.
                _ = changes.changed() => {}
                () = self.joined.notified() => {}
            }
        }
    }

    /// Tells the feeds of a look at the match. Returns true if it was the last look; later watchers look anew.
    fn note(&self, horizon: Result<Horizon, ApiError>) -> bool {
        let mut state = lock(&self.state);
        for feed in state.watched() {
            match &horizon {
                Ok(horizon) => feed.note(*horizon),
                Err(error) => feed.fail(error),
            }
        }
        if horizon.is_err() {
            state.feeds.clear();
        }
        let is_last = horizon.map_or(true, |horizon| horizon.has_ended);
        if is_last {
            state.task = None;
        }
        is_last
    }

    /// Ends the task when nobody watches any more.
    pub(super) fn close(&self) {
        if let Some(task) = lock(&self.state).task.take() {
            task.abort();
        }
    }
}

//! The list of matches, page by page, from memory or from the store.

use ahu_host::api::ApiError;
use ahu_host::find;
use prost::Message as _;

use super::Paging;
use crate::limits::{MAX_LOOKED_AT, PAGE_BYTES};
use crate::matches::{LiveMatch, Matches};
use crate::proto::v1;
use crate::store::{Listed, Query};

/// A page of `ListMatches`.
struct Page {
    matches: Vec<v1::Match>,
    /// The maximum number of matches.
    size: usize,
    bytes: usize,
    /// The number of matches that may still be looked at.
    left: usize,
    /// The number of the match at which the next page begins, once this one is full.
    next: Option<u64>,
}

impl Page {
    /// Returns true if the page may look at the match with this number and has room for it. Otherwise notes that the next
    /// page begins with this match.
    fn takes(&mut self, number: u64) -> bool {
        if self.matches.len() == self.size || self.bytes >= PAGE_BYTES || self.left == 0 {
            self.next = Some(number);
        }
        self.left = self.left.saturating_sub(1);
        self.next.is_none()
    }

    /// Adds a match, if the player of the query has a seat in it.
    fn add(&mut self, description: v1::Match, query: &Query) {
        if !query.has_player(&description) {
            return;
        }
        self.bytes += description.encoded_len();
        self.matches.push(description);
    }
}

impl Matches {
    /// Returns a page of the public matches that fit, the newest first, and the token of the next page; an empty token on the
    /// last page.
    pub(crate) async fn list(&self, query: Query, paging: Paging) -> Result<(Vec<v1::Match>, String), ApiError> {
        if let Some(game) = &query.game {
            find(game).map_err(ApiError::from)?;
        }
        let query = Query { newest_first: true, ..query };
        let mut page = Page { matches: Vec::new(), size: paging.size, bytes: 0, left: MAX_LOOKED_AT, next: None };
        let first = paging.first.unwrap_or(u64::MAX);
        match self.has_store() {
            true => self.fill_from_store(&mut page, first, query).await?,
            false => self.fill_from_memory(&mut page, first, query).await,
        }
        Ok((page.matches, page.next.map_or_else(String::new, |next| paging.token(next))))
    }

    /// Fills a page with the matches in memory from the number `first` down.
    async fn fill_from_memory(&self, page: &mut Page, first: u64, query: Query) {
        for live in self.down_from(first, page.left + 1) {
            if !page.takes(live.facts.head.number) {
                return;
            }
            let head = &live.facts.head;
            let is_game = query.game.as_ref().is_none_or(|game| live.rules().info().id == game);
            if is_game && !head.is_unlisted && query.has_labels(&head.labels) && self.is_in(&live, &query.states) {
                self.add(page, &live, &query).await;
            }
        }
    }

    /// Fills a page with the matches of the store from the number `first` down. For a match that has left memory, the store has
    /// a description.
    async fn fill_from_store(&self, page: &mut Page, mut first: u64, query: Query) -> Result<(), ApiError> {
        loop {
            let listed = self.listed(first, query.clone()).await?;
            let Some((last, _)) = listed.last() else { return Ok(()) };
            first = last.saturating_sub(1);
            for (number, fitting) in listed {
                if !page.takes(number) {
                    return Ok(());
                }
                let Some(Listed { id, description, .. }) = fitting else { continue };
                let in_memory = self.find_in_memory(&id);
                if in_memory.as_ref().is_some_and(|live| !self.is_in(live, &query.states)) {
                    continue;
                }
                let description = description.and_then(|bytes| v1::Match::decode(&*bytes).ok());
                match (in_memory, description) {
                    (None, Some(described)) if query.has_labels(&described.labels) => page.add(described, &query),
                    (None, Some(_)) => {}
                    (Some(live), _) => self.add(page, &live, &query).await,
                    // A damaged match does not hide the others.
                    (None, None) => {
                        if let Ok(live) = self.find(&id).await {
                            self.add(page, &live, &query).await;
                        }
                    }
                }
            }
        }
    }

    /// Returns true if a match is in one of these states. An empty list means any state.
    fn is_in(&self, live: &LiveMatch, states: &[v1::MatchState]) -> bool {
        let is_wanted = |found| states.is_empty() || states.contains(&found);
        live.transact(self.now(), |state| Ok(state.lifecycle.state())).at_once().is_ok_and(is_wanted)
    }

    /// Adds a match to a page if it has the labels of the query, unless it was dropped in the meantime or cannot go on.
    async fn add(&self, page: &mut Page, live: &LiveMatch, query: &Query) {
        if query.has_labels(&live.facts.head.labels)
            && let Ok(description) = live.answer(self.now(), |state| Ok(state.description())).await
        {
            page.add(description, query);
        }
    }
}

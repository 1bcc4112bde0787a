//! The list of matches, page by page, from memory or from the store.

use prost::Message as _;

use crate::proto::v1;
use crate::service::limits::{MAX_LOOKED_AT, PAGE_BYTES};
use crate::service::matches::{LiveMatch, Matches};
use crate::service::store::{Listed, Query};
use ahu_engine::host::api::ApiError;
use ahu_engine::host::find;

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

    fn add(&mut self, description: v1::Match) {
        self.bytes += description.encoded_len();
        self.matches.push(description);
    }
}

impl Matches {
    /// Returns at most `size` public matches that fit from the number `first` on, in the order of the query, and the number at
    /// which the next page begins.
    pub(crate) async fn list(
        &self,
        query: Query,
        (size, first): (usize, u64),
    ) -> Result<(Vec<v1::Match>, Option<u64>), ApiError> {
        if let Some(game) = &query.game {
            find(game).map_err(ApiError::from)?;
        }
        let mut page = Page { matches: Vec::new(), size, bytes: 0, left: MAX_LOOKED_AT, next: None };
        match self.has_store() {
            true => self.fill_from_store(&mut page, first, query).await?,
            false => self.fill_from_memory(&mut page, first, query).await,
        }
        Ok((page.matches, page.next))
    }

    /// Fills a page with the matches in memory from the number `first` on.
    async fn fill_from_memory(&self, page: &mut Page, first: u64, query: Query) {
        for live in self.from(first, page.left + 1, query.newest_first) {
            if !page.takes(live.facts.head.number) {
                return;
            }
            let is_listed =
                !live.facts.head.is_private && query.game.as_ref().is_none_or(|game| live.rules().info().id == game);
            if is_listed && self.is_in(&live, &query.states) {
                self.add(page, &live).await;
            }
        }
    }

    /// Fills a page with the matches of the store from the number `first` on. For a match that has left memory, the store has
    /// a description.
    async fn fill_from_store(&self, page: &mut Page, mut first: u64, query: Query) -> Result<(), ApiError> {
        loop {
            let listed = self.listed(first, query.clone()).await?;
            let Some(last) = listed.last() else { return Ok(()) };
            first = if query.newest_first { last.number.saturating_sub(1) } else { last.number + 1 };
            for Listed { number, id, description, .. } in listed {
                if !page.takes(number) {
                    return Ok(());
                }
                let in_memory = self.find_in_memory(&id);
                if in_memory.as_ref().is_some_and(|live| !self.is_in(live, &query.states)) {
                    continue;
                }
                let description = description.and_then(|bytes| v1::Match::decode(&*bytes).ok());
                match (in_memory, description) {
                    (None, Some(description)) => page.add(description),
                    (Some(live), _) => self.add(page, &live).await,
                    // A damaged match does not hide the others.
                    (None, None) => {
                        if let Ok(live) = self.find(&id).await {
                            self.add(page, &live).await;
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

    /// Adds a match to a page, unless it was dropped in the meantime or cannot go on.
    async fn add(&self, page: &mut Page, live: &LiveMatch) {
        if let Ok(description) = live.answer(self.now(), |state| Ok(state.description())).await {
            page.add(description);
        }
    }
}

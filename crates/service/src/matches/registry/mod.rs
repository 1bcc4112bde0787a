//! The register of the matches in memory: by id, in the order of creation, and by the requests that led to them.
//!
//! Matches that have ended leave memory an hour after their end, or first beyond 128 MiB of them (`--match-memory`); a bound
//! in bytes holds for small and large games alike. With a store they are read back when somebody asks, and folded; lists read
//! the description that the end left in the store. `--keep` bounds the store, and never removes a pinned match; only a host in
//! the process or an organiser can pin a match. Without a store, matches that have ended are dropped. Matches that have not
//! ended are bounded in number, and no match in progress is ever dropped. A refused call keeps no match in memory.

mod archive;
mod ended;

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use ahu_host::api::ApiError;
use ahu_host::{AnyRules, Setup, Terms};

pub(super) use self::archive::Archive;
pub use self::archive::{Recovered, RecoveryError};
pub(super) use self::ended::Ended;
use super::{LiveMatch, MatchConfig};
use crate::limits::Limits;
use crate::refusals;
use crate::reservation::Joiner;
use crate::secrets::Digest;
use crate::store::Request;

/// The reason of a cancelled match that nobody joined.
const NOT_JOINED: &str = "the seats were not taken in time";

/// All matches in memory.
#[derive(Default)]
pub(super) struct Registry {
    pub(super) by_id: HashMap<Arc<str>, Arc<LiveMatch>>,
    /// All matches by number, which is the order of creation.
    pub(super) in_order: BTreeMap<u64, Hosted>,
    /// The matches with an open seat, and some matches that have been filled since.
    seating: BTreeMap<u64, Arc<LiveMatch>>,
    /// The requests with an id, by the hash of the id.
    requests: HashMap<Digest, Known>,
    /// The matches that have ended.
    pub(super) ended: Arc<Ended>,
    /// The largest number of a match.
    last_number: u64,
    /// The number of matches that are made now.
    made: usize,
}

/// A match in memory.
pub(super) struct Hosted {
    live: Arc<LiveMatch>,
    /// The ids of the requests that led to it.
    requests: Vec<Digest>,
}

/// A request that led to a match.
struct Known {
    content: Digest,
    live: Arc<LiveMatch>,
}

/// A description of the matches that a request would join.
#[derive(Debug)]
pub(crate) struct MatchFilter {
    /// The setup for each seat count that fits, the fewest seats first.
    setups: Vec<Setup>,
    /// The seat that must be open; None for any.
    pub(super) seat: Option<u32>,
}

impl Registry {
    /// Returns an empty register whose matches get the numbers after this one. `ended` learns of their ends.
    pub(super) fn after(last_number: u64, ended: Arc<Ended>) -> Self {
        Self { ended, last_number, ..Self::default() }
    }

    /// Begins to host a new match, and returns its number. [`Self::add`] follows.
    pub(super) fn begin(&mut self, limits: &Limits) -> Result<u64, ApiError> {
        // A match may be counted as ended just before it is inserted here.
        if (self.in_order.len() + self.made).saturating_sub(self.ended.count()) >= limits.matches {
            return Err(refusals::too_many_matches(limits.matches));
        }
        self.made += 1;
        self.last_number += 1;
        Ok(self.last_number)
    }

    /// Adds a new match, and remembers the request that led to it.
    pub(super) fn add(&mut self, live: &Arc<LiveMatch>, request: Option<Request>) {
        self.made -= 1;
        self.insert(live, request);
    }

    /// Inserts a match, with the requests that led to it.
    pub(super) fn insert(&mut self, live: &Arc<LiveMatch>, requests: impl IntoIterator<Item = Request>) {
        let number = live.facts.head.number;
        self.by_id.insert(Arc::clone(&live.id), Arc::clone(live));
        self.in_order.insert(number, Hosted { live: Arc::clone(live), requests: Vec::new() });
        // Nobody joins bots that play alone, and their threads may hold the match for long.
        if live.facts.head.bots.iter().any(Option::is_none) {
            self.seating.insert(number, Arc::clone(live));
        }
        for request in requests {
            self.remember(Some(request), live);
        }
    }

    /// Returns the matches down from this number, the newest first.
    pub(super) fn down_from(&self, number: u64) -> impl Iterator<Item = &Arc<LiveMatch>> {
        self.in_order.range(..=number).rev().map(|(_, hosted)| &hosted.live)
    }

    /// Returns the oldest match that fits and has a seat for this player.
    pub(super) fn fitting(&mut self, filter: &MatchFilter, joiner: &Joiner<'_>) -> Option<Arc<LiveMatch>> {
        self.seating.retain(|_, live| live.look(|state| state.is_open()));
        self.seating.values().find(|live| filter.fits(live, joiner)).cloned()
    }

    /// Returns the match that an earlier request with this id led to.
    pub(super) fn known(&self, request: Option<Request>) -> Result<Option<Arc<LiveMatch>>, ApiError> {
        let Some(request) = request else { return Ok(None) };
        match self.requests.get(&request.id) {
            Some(known) if known.content != request.content => Err(refusals::request_id_reused()),
            known => Ok(known.map(|known| Arc::clone(&known.live))),
        }
    }

    /// Remembers a request unless it is known. Returns true if it was not known.
    pub(super) fn reserve(&mut self, request: Option<Request>, live: &Arc<LiveMatch>) -> Result<bool, ApiError> {
        let is_new = self.known(request)?.is_none();
        if is_new {
            self.remember(request, live);
        }
        Ok(is_new)
    }

    /// Remembers a request, unless its match has left memory in the meantime.
    pub(super) fn remember(&mut self, request: Option<Request>, live: &Arc<LiveMatch>) {
        let hosted = self.in_order.get_mut(&live.facts.head.number);
        if let (Some(Request { id, content }), Some(hosted)) = (request, hosted) {
            hosted.requests.push(id);
            self.requests.insert(id, Known { content, live: Arc::clone(live) });
        }
    }

    /// Forgets a request that was refused.
    pub(super) fn forget(&mut self, request: Request) {
        let Some(known) = self.requests.remove(&request.id) else { return };
        if let Some(hosted) = self.in_order.get_mut(&known.live.facts.head.number) {
            hosted.requests.retain(|id| *id != request.id);
        }
    }

    /// Drops the matches of these that have ended, or whose changes the store has refused. Cancels those that have not begun.
    /// Returns the number of dropped matches. The clocks end a match in progress.
    pub(super) fn drop_idle(&mut self, idle: Vec<Arc<LiveMatch>>) -> usize {
        let is_over = |live: &Arc<LiveMatch>| live.is_kept().is_none_or(|is_kept| is_kept && live.has_ended());
        let (over, going): (Vec<_>, Vec<_>) = idle.into_iter().partition(is_over);
        for live in going.iter().filter(|live| !live.has_ended()) {
            live.change(|state| {
                if state.referee().is_none() {
                    drop(state.cancel(NOT_JOINED));
                }
            });
        }
        for live in &over {
            self.leave(live.facts.head.number);
        }
        over.len()
    }

    /// Drops the matches that ended first from memory until the others have room. The caller drops the returned ones once it
    /// has left the lock of the register.
    #[must_use]
    pub(super) fn make_room(&mut self, limits: &Limits) -> Vec<Arc<LiveMatch>> {
        let mut left = Vec::new();
        while let Some(first) = self.ended.first_beyond(limits.ended_bytes) {
            // A match that is not written yet stays.
            if self.in_order.get(&first).is_some_and(|hosted| hosted.live.is_kept() != Some(true)) {
                break;
            }
            left.extend(self.leave(first));
        }
        left
    }

    /// Drops a match from memory, and returns it. Without a store it is gone.
    fn leave(&mut self, number: u64) -> Option<Arc<LiveMatch>> {
        let live = self.remove(number)?;
        if live.release().is_none() {
            tracing::info!(match_id = &*live.id, ended = live.has_ended(), "match dropped");
            live.close();
        }
        Some(live)
    }

    /// Drops a match that was deleted from the store.
    pub(super) fn drop_deleted(&mut self, match_id: &str) {
        let number = self.by_id.get(match_id).map(|live| live.facts.head.number);
        if let Some(live) = number.and_then(|number| self.remove(number)) {
            live.close();
        }
    }

    fn remove(&mut self, number: u64) -> Option<Arc<LiveMatch>> {
        self.ended.remove(number);
        let Hosted { live, requests } = self.in_order.remove(&number)?;
        self.by_id.remove(&live.id);
        self.seating.remove(&number);
        for request in requests {
            self.requests.remove(&request);
        }
        Some(live)
    }
}

impl MatchFilter {
    /// Checks a description. Refuses a description that no match could fit.
    pub(crate) fn new(
        rules: &'static dyn AnyRules,
        seat_count: Option<usize>,
        options: &[(&str, &str)],
        seat: Option<u32>,
    ) -> Result<Self, ApiError> {
        let counts = seat_count.map_or(rules.seats(), |count| count..=count);
        let most = *counts.end();
        let setups = counts.map(|count| rules.configure(count, options)).collect::<Result<Vec<_>, _>>()?;
        let has_seat = |setup: &Setup| seat.is_none_or(|seat| setup.seats().get(seat as usize).is_some());
        let setups: Vec<_> = setups.into_iter().filter(has_seat).collect();
        match setups.is_empty() {
            true => Err(ApiError::unknown_seat(seat, most)),
            false => Ok(Self { setups, seat }),
        }
    }

    /// Returns true if a match fits and has an open seat for this player. Some matches never fit: an unlisted match; a match
    /// whose seed a client has chosen, since that client can predict its chance; and a match with terms of its own, which the
    /// player has not seen.
    fn fits(&self, live: &LiveMatch, joiner: &Joiner<'_>) -> bool {
        let head = &live.facts.head;
        let is_fair = !head.is_unlisted && !head.seed_given && head.terms.are_default(head.setup.rules());
        is_fair && self.setups.contains(&head.setup) && live.is_open_to(self.seat, joiner)
    }

    /// Returns the agreement about a new match with the fewest seats that fit, and with this idle limit in milliseconds.
    pub(super) fn config(&self, idle: Option<NonZeroU32>) -> MatchConfig {
        let terms = Terms { idle, ..Terms::default() };
        MatchConfig { terms, ..MatchConfig::new(Arc::clone(&self.setups[0])) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::Client;
    use crate::lock;
    use crate::matches::Matches;
    use crate::proto::v1::ErrorReason;

    #[test]
    fn a_refused_request_leaves_nothing_behind() {
        let (matches, _workers) = Matches::stepped(Limits::default(), None);
        let rules = ahu_host::find("rappanui").expect("we have it");
        let setup = rules.configure(2, &[]).expect("the defaults are valid");
        let live = matches.host(MatchConfig::new(setup)).expect("there is room");
        let joiner = |number: u8| {
            let request = Request { id: [number; 32], content: [0; 32] };
            Joiner { name: "agent", code: None, request: Some(request), player: None }
        };
        let remembered = || {
            let registry = lock(&matches.registry);
            let hosted = registry.in_order.values().map(|hosted| hosted.requests.len()).sum::<usize>();
            (registry.requests.len(), hosted)
        };
        for number in 1..=2 {
            matches.join(Arc::clone(&live), None, &joiner(number)).expect("a seat is open");
        }
        for number in 3..100 {
            matches.join(Arc::clone(&live), None, &joiner(number)).expect_err("all seats are taken");
        }
        assert_eq!(remembered(), (2, 2), "two requests have seats");
        matches.join(Arc::clone(&live), None, &joiner(1)).expect("the same request has the same seat");

        // A match that leaves memory takes its requests along, and no others.
        let filter = MatchFilter::new(rules, Some(2), &[], Some(0)).expect("it has the seat");
        let (other, ..) = matches.join_any(&filter, &joiner(100), &Client::default()).expect("there is room");
        assert_eq!(remembered(), (3, 3));
        lock(&matches.registry).drop_deleted(&live.id);
        assert_eq!(remembered(), (1, 1));
        let (again, ..) = matches.join_any(&filter, &joiner(100), &Client::default()).expect("it has its seat");
        assert!(Arc::ptr_eq(&again, &other));
    }

    #[test]
    fn nobody_looks_for_a_seat_among_bots_that_play_alone() {
        let (matches, _workers) = Matches::stepped(Limits { matches: 2, ..Limits::default() }, None);
        let rules = ahu_host::find("rappanui").expect("we have it");
        let setup = rules.configure(2, &[]).expect("the defaults are valid");
        let bots = vec![Some(rules.bot("random").expect("we have it")); 2];
        let open = matches.host(MatchConfig::new(Arc::clone(&setup))).expect("there is room");
        matches.host(MatchConfig { bots, ..MatchConfig::new(Arc::clone(&setup)) }).expect("there is room");
        let seating: Vec<_> = lock(&matches.registry).seating.values().cloned().collect();
        assert!(seating.len() == 1 && Arc::ptr_eq(&seating[0], &open));
        let refused = matches.host(MatchConfig::new(setup)).map(drop).expect_err("the server is full");
        assert_eq!((refused.reason, lock(&matches.registry).made), (ErrorReason::TooManyMatches, 0));
    }
}

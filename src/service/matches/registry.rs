//! The register of hosted matches: by id, in the order of creation, and by the requests that led to them.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use super::config::MatchConfig;
use super::live::{LiveMatch, ServerContext};
use super::reservation::Joiner;
use crate::host::api::ApiError;
use crate::host::{AnyRules, MatchTime, Setup, Terms};
use crate::service::digest::Digest;
use crate::service::error;
use crate::service::limits::Limits;

/// All hosted matches.
#[derive(Default)]
pub(super) struct Registry {
    by_id: HashMap<Arc<str>, Arc<LiveMatch>>,
    /// All matches by their numbers, which are in the order of creation.
    in_order: BTreeMap<u64, Arc<LiveMatch>>,
    /// The matches with an open seat, and some that have been filled since.
    seating: BTreeMap<u64, Arc<LiveMatch>>,
    /// The requests with an id, by the hash of the id.
    requests: HashMap<Digest, Known>,
    created: u64,
}

/// A request that led to a match.
struct Known {
    content: Digest,
    live: Arc<LiveMatch>,
}

/// A request that may be sent again: the hashes of its id and of its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) id: Digest,
    pub(super) content: Digest,
}

/// A description of the matches that a request would join.
#[derive(Debug)]
pub(super) struct MatchFilter {
    /// The setup for each seat count that fits, the fewest seats first.
    setups: Vec<Setup>,
    /// The seat that must be open; None for any.
    pub(super) seat: Option<u32>,
}

impl Registry {
    /// Hosts a new match and remembers the request that led to it.
    pub(super) fn create(
        &mut self,
        config: MatchConfig,
        request: Option<Request>,
        limits: &Limits,
        context: &ServerContext,
    ) -> Result<Arc<LiveMatch>, ApiError> {
        self.make_room(limits)?;
        self.created += 1;
        let live = LiveMatch::new(config, self.created, context.clone());
        self.by_id.insert(Arc::clone(&live.id), Arc::clone(&live));
        self.in_order.insert(live.number, Arc::clone(&live));
        self.seating.insert(live.number, Arc::clone(&live));
        self.remember(request, &live);
        Ok(live)
    }

    /// Returns the match with this id.
    pub(super) fn find(&self, match_id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        self.by_id.get(match_id).cloned().ok_or_else(|| error::unknown_match(match_id))
    }

    /// Returns the matches from this number on, the oldest first.
    pub(super) fn from(&self, number: u64) -> impl Iterator<Item = &Arc<LiveMatch>> {
        self.in_order.range(number..).map(|(_, live)| live)
    }

    /// Returns the oldest match that fits and has a seat for this player.
    pub(super) fn fitting(&mut self, filter: &MatchFilter, joiner: &Joiner<'_>) -> Option<Arc<LiveMatch>> {
        self.seating.retain(|_, live| live.is_open());
        self.seating.values().find(|live| filter.fits(live, joiner)).cloned()
    }

    /// Returns the match that an earlier request with this id led to.
    pub(super) fn known(&self, request: Option<Request>) -> Result<Option<Arc<LiveMatch>>, ApiError> {
        let Some(request) = request else { return Ok(None) };
        match self.requests.get(&request.id) {
            Some(known) if known.content != request.content => Err(error::request_id_reused()),
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

    /// Remembers a request. A match that has been dropped in the meantime is not kept for it.
    pub(super) fn remember(&mut self, request: Option<Request>, live: &Arc<LiveMatch>) {
        let request = request.filter(|_| self.in_order.contains_key(&live.number));
        if let Some(Request { id, content }) = request {
            self.requests.insert(id, Known { content, live: Arc::clone(live) });
        }
    }

    /// Forgets a request that was refused.
    pub(super) fn forget(&mut self, request: Request) {
        self.requests.remove(&request.id);
    }

    /// Drops the matches that ended, or whose log failed, and that last changed before this time; cancels those that have
    /// not begun since. Returns the number of dropped matches. The clocks end a match in progress.
    pub(super) fn drop_idle(&mut self, oldest: MatchTime) -> usize {
        let idle: Vec<_> = self.in_order.values().filter(|live| live.changed_at() < oldest).cloned().collect();
        let (over, going): (Vec<_>, Vec<_>) =
            idle.into_iter().partition(|live| live.has_ended() || live.is_suspended());
        for live in going {
            live.cancel_unless_begun();
        }
        for live in &over {
            self.drop_match(live.number);
        }
        over.len()
    }

    /// At the limit, drops the match that ended first.
    fn make_room(&mut self, limits: &Limits) -> Result<(), ApiError> {
        if self.in_order.len() >= limits.matches {
            let ended = self.in_order.values().filter(|live| live.has_ended());
            let first = ended.min_by_key(|live| live.changed_at()).map(|live| live.number);
            self.drop_match(first.ok_or_else(|| error::too_many_matches(limits.matches))?);
        }
        Ok(())
    }

    fn drop_match(&mut self, number: u64) {
        if let Some(live) = self.in_order.remove(&number) {
            self.by_id.remove(&live.id);
            self.seating.remove(&number);
            self.requests.retain(|_, known| known.live.number != number);
            tracing::info!(match_id = &*live.id, ended = live.has_ended(), "match dropped");
            live.close();
        }
    }
}

impl MatchFilter {
    /// Checks a description, and refuses one that no match could fit.
    pub(super) fn new(
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

    /// Returns true if a match fits and has an open seat for this player. A private match does not fit, and neither does
    /// one whose seed a client has chosen, since that client can predict its chance.
    fn fits(&self, live: &LiveMatch, joiner: &Joiner<'_>) -> bool {
        !live.is_private && !live.seed_given && self.setups.contains(&live.setup) && live.is_open_to(self.seat, joiner)
    }

    /// Returns a new match, with the fewest seats that fit, and with this idle limit in milliseconds.
    pub(super) fn config(&self, idle: Option<NonZeroU32>) -> MatchConfig {
        let terms = Terms { idle, ..Terms::default() };
        MatchConfig { terms, ..MatchConfig::new(Arc::clone(&self.setups[0])) }
    }
}

//! The matches that are hosted: created and found, listed in order, dropped when nobody needs them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use super::fault::Fault;
use super::hosted::{Digest, Hosted, House, Spec, player_name, random_bytes};
use super::journal::Journal;
use super::limits::Limits;
use crate::core::Seat;
use crate::host::{Agreed, AnyRules, MatchLog, MemoryLog, Terms};

/// The matches that are hosted. Clones share them.
#[derive(Clone)]
pub struct Matches {
    register: Arc<Mutex<Register>>,
    limits: Limits,
    house: House,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Register {
    by_id: HashMap<Arc<str>, Arc<Hosted>>,
    /// By the order of creation.
    in_order: BTreeMap<u64, Arc<Hosted>>,
    /// Those with an open seat, and some that have been filled since.
    seating: BTreeMap<u64, Arc<Hosted>>,
    /// What was asked for with a request id, by the hash of the id.
    requests: HashMap<Digest, Known>,
    created: u64,
}

/// A request that was carried out.
struct Known {
    content: Digest,
    hosted: Arc<Hosted>,
}

/// A request that may be sent again: the hash of its id, and that of its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) id: Digest,
    pub(super) content: Digest,
}

/// A match that somebody would join.
#[derive(Debug)]
pub(super) struct Wanted {
    rules: &'static dyn AnyRules,
    /// What may be agreed in it: for each seat count that would do, the fewest first.
    agreed: Vec<Agreed>,
    seat: Option<u32>,
}

impl fmt::Debug for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matches").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Default for Matches {
    /// With the usual limits, and logs in memory.
    fn default() -> Self {
        Self::new(Limits::default(), Box::<MemoryLog>::default())
    }
}

impl Matches {
    /// No matches yet. Their logs are kept in `log`.
    pub fn new(limits: Limits, log: Box<dyn MatchLog>) -> Self {
        let house = House { journal: Journal::start(log), token_key: random_bytes(), opened: Instant::now() };
        Self { register: Arc::default(), limits, house, closing: watch::Sender::new(false) }
    }

    /// What they put up with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Hosts a new match.
    pub fn host(&self, spec: Spec) -> Result<Arc<Hosted>, Fault> {
        self.host_by(spec, None)
    }

    /// [`Self::host`], by a request that may be sent again.
    pub(super) fn host_by(&self, spec: Spec, request: Option<Request>) -> Result<Arc<Hosted>, Fault> {
        // A match of bots is played to its end as it is created: not under the lock, and not in vain.
        let number = self.lock().number(&self.limits)?;
        let hosted = Arc::new(Hosted::new(spec, number, self.house.clone()));
        let mut register = self.lock();
        let known = register.known(request);
        if !matches!(known, Ok(None)) {
            // It was created in vain, and may have a log already.
            hosted.drop_out();
        }
        if let Some(known) = known? {
            return Ok(known);
        }
        register.add(&hosted);
        register.remember(request, &hosted);
        Ok(hosted)
    }

    /// The match that a request with this id has led to.
    pub(super) fn known(&self, request: Option<Request>) -> Result<Option<Arc<Hosted>>, Fault> {
        self.lock().known(request)
    }

    /// Takes a seat in this match.
    pub(super) fn join(
        &self,
        match_id: &str,
        seat: Option<u32>,
        name: &str,
        request: Option<Request>,
    ) -> Result<(Arc<Hosted>, Seat, String), Fault> {
        let hosted = self.find(match_id)?;
        // Remembered before anybody joins, so that no other request of this id comes between.
        let is_new = self.lock().reserve(request, &hosted)?;
        let joined = hosted.join_by(seat, name, request.map(|request| request.id));
        if let (Err(_), true, Some(request)) = (&joined, is_new, request) {
            self.lock().requests.remove(&request.id);
        }
        joined.map(|(seat, token)| (hosted, seat, token))
    }

    /// Takes a seat in the oldest match that fits, or in a new one.
    pub(super) fn join_any(
        &self,
        wanted: &Wanted,
        name: &str,
        request: Option<Request>,
    ) -> Result<(Arc<Hosted>, Seat, String), Fault> {
        let name = player_name(name)?;
        let mut full = None;
        loop {
            let hosted = self.seat_for(wanted, request, full)?;
            match hosted.join_by(wanted.seat, name, request.map(|request| request.id)) {
                // Somebody else was quicker.
                Err(fault) if fault.is_seat_taken() => full = Some(hosted.number),
                joined => return joined.map(|(seat, token)| (hosted, seat, token)),
            }
        }
    }

    /// The oldest match that fits, or a new one. It is remembered before anybody joins, so that the same
    /// request at the same time comes to the same match; unless that is the one that turned out `full`.
    fn seat_for(&self, wanted: &Wanted, request: Option<Request>, full: Option<u64>) -> Result<Arc<Hosted>, Fault> {
        let mut register = self.lock();
        if let Some(known) = register.known(request)?.filter(|known| Some(known.number) != full) {
            return Ok(known);
        }
        register.seating.retain(|_, hosted| hosted.is_open(None));
        let fitting = register.seating.values().find(|hosted| wanted.fits(hosted)).cloned();
        let hosted = if let Some(hosted) = fitting {
            hosted
        } else {
            let number = register.number(&self.limits)?;
            let hosted = Arc::new(Hosted::new(wanted.spec(), number, self.house.clone()));
            register.add(&hosted);
            hosted
        };
        register.remember(request, &hosted);
        Ok(hosted)
    }

    pub(super) fn find(&self, match_id: &str) -> Result<Arc<Hosted>, Fault> {
        self.lock().by_id.get(match_id).cloned().ok_or_else(|| Fault::unknown_match(match_id))
    }

    /// The matches from the one of this number on, the oldest first.
    pub(super) fn from(&self, number: u64) -> Vec<Arc<Hosted>> {
        self.lock().in_order.range(number..).map(|(_, hosted)| Arc::clone(hosted)).collect()
    }

    /// Drops the matches in which nothing has happened for too long, as of `now`; says how many.
    pub fn expire(&self, now: Instant) -> usize {
        let age = now.saturating_duration_since(self.house.opened).saturating_sub(self.limits.match_idle);
        let oldest = age.as_millis() as u64;
        let mut register = self.lock();
        let idle = register.in_order.values().filter(|hosted| hosted.changed_at() < oldest);
        let idle: Vec<_> = idle.map(|hosted| hosted.number).collect();
        for &number in &idle {
            register.drop_match(number);
        }
        idle.len()
    }

    /// Sends everybody home who waits.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Is true from when the server closes.
    pub(super) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// A panic elsewhere leaves the register whole, for each change of it is one step.
    fn lock(&self) -> MutexGuard<'_, Register> {
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Register {
    /// The number of the next match, if there is room for one; the match that was finished first makes it.
    fn number(&mut self, limits: &Limits) -> Result<u64, Fault> {
        if self.in_order.len() >= limits.matches {
            let finished = self.in_order.values().filter(|hosted| hosted.is_finished());
            let first = finished.min_by_key(|hosted| hosted.changed_at()).map(|hosted| hosted.number);
            self.drop_match(first.ok_or_else(|| Fault::too_many_matches(limits.matches))?);
        }
        self.created += 1;
        Ok(self.created)
    }

    fn add(&mut self, hosted: &Arc<Hosted>) {
        self.by_id.insert(Arc::clone(&hosted.id), Arc::clone(hosted));
        self.in_order.insert(hosted.number, Arc::clone(hosted));
        self.seating.insert(hosted.number, Arc::clone(hosted));
    }

    fn known(&self, request: Option<Request>) -> Result<Option<Arc<Hosted>>, Fault> {
        let Some(request) = request else { return Ok(None) };
        match self.requests.get(&request.id) {
            Some(known) if known.content != request.content => Err(Fault::request_id_reused()),
            known => Ok(known.map(|known| Arc::clone(&known.hosted))),
        }
    }

    /// Remembers a request, if it is not known; says whether it was not.
    fn reserve(&mut self, request: Option<Request>, hosted: &Arc<Hosted>) -> Result<bool, Fault> {
        let is_new = self.known(request)?.is_none();
        if is_new {
            self.remember(request, hosted);
        }
        Ok(is_new)
    }

    fn remember(&mut self, request: Option<Request>, hosted: &Arc<Hosted>) {
        // One that was dropped in the meantime is not kept by what led to it.
        let request = request.filter(|_| self.in_order.contains_key(&hosted.number));
        if let Some(Request { id, content }) = request {
            self.requests.insert(id, Known { content, hosted: Arc::clone(hosted) });
        }
    }

    fn drop_match(&mut self, number: u64) {
        if let Some(hosted) = self.in_order.remove(&number) {
            self.by_id.remove(&hosted.id);
            self.seating.remove(&number);
            self.requests.retain(|_, known| known.hosted.number != number);
            hosted.drop_out();
            tracing::info!(match_id = &*hosted.id, finished = hosted.is_finished(), "match dropped");
        }
    }
}

impl Wanted {
    /// What is wanted, checked: refuses what no match could be.
    pub(super) fn new(
        rules: &'static dyn AnyRules,
        seat_count: Option<usize>,
        options: &[(&str, &str)],
        seat: Option<u32>,
    ) -> Result<Self, Fault> {
        let counts = seat_count.map_or(rules.seats(), |count| count..=count);
        let most = *counts.end();
        let agreed = counts.map(|count| rules.agree(count, options)).collect::<Result<Vec<_>, _>>()?;
        let agreed: Vec<_> = agreed
            .into_iter()
            .filter(|agreed| seat.is_none_or(|seat| agreed.seats.get(seat as usize).is_some()))
            .collect();
        match agreed.is_empty() {
            true => Err(Fault::unknown_seat(seat, most)),
            false => Ok(Self { rules, agreed, seat }),
        }
    }

    /// Whether a match is as it is wanted, with a seat open. One whose seed a client has chosen is not:
    /// that client could foresee its luck.
    fn fits(&self, hosted: &Hosted) -> bool {
        hosted.rules().info().id == self.rules.info().id
            && !hosted.seed_given
            && self.agreed.contains(&hosted.agreed)
            && hosted.is_open(self.seat)
    }

    /// A new match, with the fewest seats that would do.
    fn spec(&self) -> Spec {
        let agreed = self.agreed[0].clone();
        Spec { rules: self.rules, bots: vec![None; agreed.seats.count()], agreed, seed: None, terms: Terms::default() }
    }
}

//! One transaction of a match: a function of the match, the call, and the time, which returns an answer and effects.
//!
//! A call is one transaction. Authorization, checks, the action, quick bots, and the presentation of the answer happen under
//! one lock of the match. So an answer never shows a later move of another seat by accident, and a refusal changes nothing.
//! Tokens are hashed and actions are parsed before the lock is taken. The effects are the change for the journal, a job for the
//! bot pool, the entry in the timer, the end, and the news for calls that wait. One function carries them out, in a fixed
//! order. So a test, or a simulated server, needs no thread to see what a call does.
//!
//! Nobody gets the answer before the effects are carried out, and no answer leaves the server before the changes behind it are
//! stored. [`Transacted`] gives a [`Held`] answer in exchange for its effects, and [`Held`] gives the answer once the store has
//! the changes.
//!
//! A panic of rules or a bot stays in its match: the transaction catches it, and the match is void.

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, MutexGuard, Weak};
use std::time::SystemTime;

use ahu_host::api::ApiError;
use ahu_host::{Cause, Ending, MatchTime, Referee};

use super::{LiveMatch, LiveState, Stage};
use crate::admission::{Lease, Principal};
use crate::matches::Clock;
use crate::matches::bot_pool::Urgency;
use crate::matches::journal::{Kept, LogWriter, Write};
use crate::refusals;
use crate::store::whole_ms;

/// The reason of a void match whose rules have failed.
const BROKEN_RULES: &str = "the rules failed on the server";

/// A transaction whose effects are not carried out.
#[must_use]
pub(super) struct Transacted<T> {
    answer: Result<T, ApiError>,
    effects: Effects,
}

/// The effects of a transaction, in the order in which they are carried out.
#[derive(Debug, Default)]
struct Effects {
    /// The change for the journal.
    write: Option<Box<Write>>,
    /// The causes of new forfeits, to be counted.
    forfeits: Vec<Cause>,
    /// The urgency of a decision for the bot pool, and the principal that owns it.
    bot_job: Option<(Urgency, Option<Principal>)>,
    /// The old and the new time of the entry in the timer.
    timer: Option<(Option<MatchTime>, MatchTime)>,
    /// The end of the match, and the share of its creator, which is given back.
    end: Option<(Ending, Lease)>,
    /// True if calls that wait for a change have to look again.
    wakes: bool,
}

impl LiveState {
    /// Does the work of one call: `act` authorizes, checks, acts, and presents. `arrived` is the time at which the call
    /// arrived, and `kept` is the committed part of the match; None without a store. A panic voids the match.
    pub(super) fn transact<T>(
        &mut self,
        clock: &Clock,
        arrived: MatchTime,
        kept: Option<Kept>,
        act: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Transacted<T> {
        self.now = clock.now();
        self.start_clocks(kept, self.now);
        if let Some(referee) = self.lifecycle.referee_mut() {
            referee.set_time(arrived);
        }
        let (before, was_over) = (self.extent(), self.ending().is_some());
        let forfeits_before = self.referee().map(Referee::forfeits);
        let done = panic::catch_unwind(AssertUnwindSafe(|| act(self)));
        let answer = done.unwrap_or_else(|_| {
            let match_id = Arc::clone(&self.facts.head.id);
            tracing::error!(%match_id, "the rules of a match panicked, so the match is void");
            self.void(before.0, BROKEN_RULES);
            Err(self.ending().map_or_else(|| refusals::broken(&match_id), |ending| ApiError::ended(&ending, &match_id)))
        });
        let now = clock.now();
        let has_changed = self.extent() != before;
        let mut effects = Effects { wakes: mem::take(&mut self.has_news) || has_changed, ..Effects::default() };
        let ending = self.ending().filter(|_| !was_over);
        self.ended = self.ended.or_else(|| ending.as_ref().map(|_| whole_ms(SystemTime::now())));
        if has_changed || self.changes == 0 {
            (self.changes, self.changed_at) = (self.changes + 1, now);
            effects.write = kept.map(|_| Box::new(self.write(before, ending.is_some())));
            if let Some(referee) = self.referee() {
                let (forfeits, seats) = (referee.forfeits(), self.facts.head.setup.seats());
                let is_new = |&seat: &_| forfeits_before.is_none_or(|before| before[seat].is_none());
                effects.forfeits = seats.iter().filter(is_new).filter_map(|seat| forfeits[seat]).collect();
            }
        }
        effects.bot_job = self.bot_job(kept);
        self.start_clocks(kept, now);
        effects.timer = self.move_timer(now);
        effects.end = ending.map(|ending| (ending, mem::take(&mut self.share)));
        Transacted { answer, effects }
    }

    /// Returns the urgency and the owner of a new job for the bot pool. Returns None if no bot has to decide, or if the pool
    /// has a job of this match.
    fn bot_job(&mut self, kept: Option<Kept>) -> Option<(Urgency, Option<Principal>)> {
        if self.has_bot_job || self.bot_to_act().is_none() {
            return None;
        }
        let urgency = if self.has_agents() { Urgency::Agents } else { Urgency::BotsAlone };
        // Bots that play alone do not run ahead of the store: the journal wakes their match.
        let is_kept = kept.is_none_or(|kept| kept.at(self.changes).is_some());
        self.has_bot_job = is_kept || urgency == Urgency::Agents;
        self.has_bot_job.then(|| (urgency, self.share.principal()))
    }
}

impl<T> Transacted<T> {
    /// Carries out the effects on the match whose lock is `state`, in a fixed order. The journal gets the change under the
    /// lock, so that changes come in order. The end is known before any waiting call is woken, and the lock is free by then.
    pub(super) fn carry_out<'a>(self, live: &'a LiveMatch, mut state: MutexGuard<'_, LiveState>) -> Held<'a, T> {
        let Self { answer, effects: Effects { write, forfeits, bot_job, timer, end, wakes } } = self;
        let (context, head, changes) = (&live.context, &live.facts.head, state.changes);
        if let (Some(log), Some(write)) = (&live.log, write) {
            log.write(write);
        }
        for cause in forfeits {
            context.metrics.forfeited(cause);
        }
        if let Some((urgency, owner)) = bot_job {
            let me = Weak::clone(&live.me);
            let job = move || {
                if let Some(live) = me.upgrade() {
                    live.do_bot_job();
                }
            };
            context.bots.submit(urgency, owner, Box::new(job));
        }
        if let Some((from, to)) = timer {
            context.timer.schedule(head.number, from, Some(to), || Weak::<LiveMatch>::clone(&live.me));
        }
        if let Some((ending, share)) = end {
            live.stage.send_replace(Stage::Ended);
            crate::lock(&live.payers).clear();
            #[cfg(feature = "mcp")]
            crate::lock(&live.attached).clear();
            state.shrink();
            context.ended.add(head.number, state.size());
            drop(share);
            context.metrics.match_ended(head.setup.rules().info().id, &ending);
            let entries = state.entries().len();
            tracing::info!(match_id = &*live.id, entries, ?ending, "match ended");
        }
        drop(state);
        if wakes {
            live.announce();
        }
        Held::new(live, answer, changes)
    }
}

/// The answer of a transaction. It is held until the changes behind it are stored.
#[must_use]
pub(crate) struct Held<'a, T> {
    answer: Result<T, ApiError>,
    /// The number of changes behind it.
    changes: u64,
    log: Option<&'a LogWriter>,
}

impl<'a, T> Held<'a, T> {
    /// Returns an answer that depends on this number of changes.
    pub(super) fn new(live: &'a LiveMatch, answer: Result<T, ApiError>, changes: u64) -> Self {
        Self { answer, changes, log: live.log.as_ref() }
    }

    /// Waits until the changes behind the answer are stored, and returns it.
    pub(crate) async fn kept(self) -> Result<T, ApiError> {
        if let Some(log) = self.log {
            log.kept(self.changes).await?;
        }
        self.answer
    }

    /// Returns the answer without a wait: for a caller within this process, or for a call that waits for a later answer of
    /// the same match.
    pub(crate) fn at_once(self) -> Result<T, ApiError> {
        self.answer
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroU32;

    use ahu_core::{Seat, Seed};
    use ahu_host::{Terms, TimeControl, find};

    use super::*;
    use crate::limits::TIMER_SLACK;
    use crate::matches::live_match::facts::MatchFacts;
    use crate::matches::live_match::state::Answer;
    use crate::reservation::Joiner;
    use crate::secrets::TokenHash;
    use crate::store::MatchHead;

    /// The limit of a decision, in milliseconds.
    const LIMIT: u32 = 1_000;

    /// Returns a match that waits for two agents.
    fn seating() -> LiveState {
        let setup = find("rappanui").expect("we have it").configure(2, &[]).expect("the defaults are valid");
        let clock = TimeControl { limit: NonZeroU32::new(LIMIT), ..TimeControl::default() };
        let head = MatchHead {
            number: 1,
            id: "match".into(),
            created: SystemTime::UNIX_EPOCH,
            setup,
            terms: Terms { clocks: vec![clock; 2], ..Terms::default() },
            bots: vec![None; 2],
            reservations: Vec::new(),
            is_unlisted: false,
            is_pinned: false,
            cup: None,
            is_sealed: false,
            spectator_delay: 0,
            has_distinct_owners: false,
            labels: BTreeMap::new(),
            seed: Seed(1),
            seed_given: true,
            salt: [0; 32],
            specification: String::new(),
        };
        LiveState::new(MatchFacts::new(head, 0, Vec::new()), Lease::default(), None)
    }

    /// Seats both agents in one transaction.
    fn join(state: &mut LiveState) -> Result<(), ApiError> {
        for _ in 0..2 {
            let joiner = Joiner { name: "agent", code: None, request: None, player: None };
            let seat = state.seat_for(None, &joiner)?;
            state.seat_agent(seat, &joiner, TokenHash::of("token"));
        }
        state.start_if_full();
        Ok(())
    }

    fn kept(changes: u64, at: u64) -> Kept {
        Kept { changes, at: MatchTime(at) }
    }

    /// Returns the seat that has to act, and its lowest legal action.
    fn lowest(state: &LiveState) -> (Seat, u32) {
        let referee = state.referee().expect("the match has begun");
        let seat = referee.to_act().iter().next().expect("a seat has to act");
        (seat, referee.legal_actions(seat).iter().next().expect("an action is legal").0.into())
    }

    #[test]
    fn a_clock_starts_once_the_changes_before_its_decision_are_kept() {
        let (mut state, clock) = (seating(), Clock::manual());
        clock.set(MatchTime(10));
        let joined = state.transact(&clock, MatchTime(10), Some(kept(0, 0)), join);
        joined.answer.expect("both seats are open");
        let write = joined.effects.write.expect("there is a store");
        assert_eq!((write.number, write.head.is_some(), write.change.seats.len(), write.wakes), (1, true, 2, false));
        assert!(joined.effects.wakes && joined.effects.end.is_none());
        // No deadline passes before this time.
        let look = MatchTime(10 + u64::from(LIMIT) + TIMER_SLACK.as_millis() as u64);
        assert_eq!(joined.effects.timer, Some((None, look)));
        let deadline = |state: &LiveState| {
            let referee = state.referee().expect("the match has begun");
            referee.deadline(lowest(state).0)
        };
        assert_eq!(deadline(&state), None, "nobody can have seen the decision");

        // The same call changes nothing once the journal has the change; the decision is available since then.
        clock.set(MatchTime(50));
        let looked = state.transact(&clock, MatchTime(50), Some(kept(1, 30)), |_| Ok(()));
        assert_eq!(deadline(&state), Some(MatchTime(30 + u64::from(LIMIT))));
        assert_eq!(looked.effects.timer, None, "the earlier entry looks again");
        assert!(looked.effects.write.is_none() && !looked.effects.wakes);
    }

    #[test]
    fn an_answer_that_arrived_in_time_is_in_time_however_late_its_turn_comes() {
        for (arrived, is_in_time) in [(u64::from(LIMIT), true), (u64::from(LIMIT) + 1, false)] {
            let (mut state, clock) = (seating(), Clock::manual());
            join(&mut state).expect("both seats are open");
            state.start_clocks(None, MatchTime(0));
            let (seat, id) = lowest(&state);
            clock.set(MatchTime(60_000));
            let stepped = state.transact(&clock, MatchTime(arrived), None, |state| state.step(seat, 1, Answer::Id(id)));
            assert_eq!(stepped.answer.is_ok(), is_in_time);
            assert_eq!(stepped.effects.forfeits, if is_in_time { vec![] } else { vec![Cause::Timeout] });
            assert!(stepped.effects.write.is_none() && stepped.effects.wakes);
        }
    }

    #[test]
    fn a_panic_ends_the_match_without_what_the_call_did() {
        let (mut state, clock) = (seating(), Clock::manual());
        join(&mut state).expect("both seats are open");
        let before = state.entries().len();
        let (seat, id) = lowest(&state);
        let failed: Transacted<()> = state.transact(&clock, MatchTime(0), Some(kept(0, 0)), |state| {
            state.step(seat, 1, Answer::Id(id))?;
            panic!("the rules fail");
        });
        assert!(failed.answer.is_err());
        assert_eq!(failed.effects.end.expect("the match is void").0, Ending::Void(BROKEN_RULES.to_owned()));
        let change = failed.effects.write.expect("there is a store").change;
        assert_eq!((change.expected, change.entries.len(), change.end.is_some()), (before, 1, true));
        assert!(failed.effects.timer.is_none());
    }
}

//! Turns: a rate that principals share evenly. Each has its part, however much the others ask for.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::principal::Principal;
use super::throttle::{Throttle, time_of};
use crate::limits::{MAX_PAUSE, WATCH_BURST, WATCH_RATE};

/// The messages to the watchers of each principal that are not worked off yet. None is the principal within the process.
#[derive(Debug, Default)]
pub(super) struct Turns(HashMap<Option<Principal>, Throttle>);

impl Turns {
    /// Notes messages of these units to a watcher of a principal, and returns the time that they have to wait for earlier
    /// messages to its watchers. Nothing waits longer than [`MAX_PAUSE`], as the principals may be fewer by then.
    pub(super) fn take(&mut self, principal: Option<Principal>, units: u32, now: Instant) -> Duration {
        self.0.retain(|_, throttle| !throttle.is_idle(now));
        self.0.entry(principal).or_default();
        let part = (WATCH_RATE / self.0.len() as u32).max(1);
        let throttle = self.0.get_mut(&principal).expect("it was inserted");
        let wait = throttle.add(now, units, part, MAX_PAUSE);
        if wait > time_of(WATCH_BURST, WATCH_RATE) { wait } else { Duration::ZERO }
    }

    /// Returns the number of principals with messages that are not worked off yet.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> Principal {
        Principal::at(Some(std::net::IpAddr::V4(number.into())))
    }

    #[test]
    fn a_principal_waits_for_its_own_messages_alone() {
        let (mut turns, now) = (Turns::default(), Instant::now());
        let waits: Vec<_> = (0..400).map(|_| turns.take(Some(address(1)), 1, now)).collect();
        assert!(waits.is_sorted() && waits[399] > time_of(300, WATCH_RATE), "{waits:?}");
        assert_eq!(turns.take(Some(address(2)), 1, now), Duration::ZERO, "another address waits for nobody");
        assert_eq!(turns.take(None, 1, now), Duration::ZERO);
        assert_eq!(turns.count(), 3);
    }

    #[test]
    fn principals_share_the_rate_evenly_and_one_alone_has_all_of_it() {
        let (mut turns, now) = (Turns::default(), Instant::now());
        turns.take(Some(address(1)), 1_000, now);
        assert_eq!(turns.take(Some(address(1)), 0, now), time_of(1_000, WATCH_RATE));
        turns.take(Some(address(2)), 1_000, now);
        assert_eq!(turns.take(Some(address(2)), 0, now), time_of(2_000, WATCH_RATE), "each has a half");
        let later = now + MAX_PAUSE;
        turns.take(Some(address(3)), 1_000, later);
        assert_eq!((turns.count(), turns.take(Some(address(3)), 0, later)), (1, time_of(1_000, WATCH_RATE)));
    }

    #[test]
    fn no_message_waits_for_ever() {
        let (mut turns, now) = (Turns::default(), Instant::now());
        turns.take(Some(address(1)), u32::MAX, now);
        assert_eq!(turns.take(Some(address(1)), 1, now), MAX_PAUSE);
        assert_eq!(turns.take(Some(address(1)), 1, now), MAX_PAUSE);
    }
}

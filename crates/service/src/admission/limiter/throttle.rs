//! Throttles: each bounds how many uses of one kind may begin in a second. A use that comes too early waits.

use std::time::{Duration, Instant};

/// The burst: a principal may begin at once as much as its rate permits in this time, so a client that begins with many calls
/// does not wait.
const BURST: Duration = Duration::from_millis(250);

/// The uses of one kind that are not worked off yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Throttle {
    /// The time at which all uses so far are worked off at the rate.
    next: Option<Instant>,
}

impl Throttle {
    /// Notes uses, and returns the time that the last of them has to wait. The rate is in uses a second.
    ///
    /// No use waits longer than the time `longest`. Without this bound, a client could delay its later uses for as long as it
    /// liked, and also the uses of other clients at its address.
    pub(super) fn take(&mut self, now: Instant, uses: u32, rate: u32, longest: Duration) -> Duration {
        let all = self.add(now, uses, rate, BURST + longest) + time_of(uses, rate);
        let all = all.min(BURST + longest);
        self.next = Some(now + all);
        all.saturating_sub(BURST)
    }

    /// Notes uses, and returns the time until the earlier uses are worked off, which counts as at most the time `longest`.
    pub(super) fn add(&mut self, now: Instant, uses: u32, rate: u32, longest: Duration) -> Duration {
        let begin = self.next.map_or(now, |next| next.clamp(now, now + longest));
        self.next = Some(begin + time_of(uses, rate));
        begin - now
    }

    /// Returns true if nothing is left to work off. Then the throttle is equal to a new one.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        self.next.is_none_or(|next| next <= now)
    }
}

/// Returns the time in which a rate has room for these uses.
pub(super) fn time_of(uses: u32, rate: u32) -> Duration {
    Duration::from_secs(1) * uses / rate.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time longer than the wait of any use in these tests.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_principal_within_its_rate_never_waits() {
        let (mut throttle, start) = (Throttle::default(), Instant::now());
        for n in 0..1_000 {
            assert_eq!(throttle.take(start + Duration::from_millis(10) * n, 1, 100, LONG), Duration::ZERO);
        }
    }

    #[test]
    fn uses_beyond_a_rate_wait_for_their_turns() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        let waits: Vec<_> = (0..100).map(|_| throttle.take(now, 1, 100, LONG)).collect();
        // A quarter of a second's uses at once, and then one each 10 ms.
        assert!(waits[..25].iter().all(Duration::is_zero));
        assert_eq!(waits[25], Duration::from_millis(10));
        assert_eq!(waits[99], Duration::from_millis(750));
        assert!(!throttle.is_idle(now + Duration::from_millis(999)) && throttle.is_idle(now + Duration::from_secs(1)));
        let later = now + Duration::from_secs(20);
        let waits: Vec<_> = (0..26).map(|_| throttle.take(later, 1, 100, LONG)).collect();
        assert!(waits[..25].iter().all(Duration::is_zero), "the past is forgotten");
        assert_eq!(waits[25], Duration::from_millis(10), "nobody saves up uses");
    }

    #[test]
    fn many_uses_at_once_wait_as_long_as_one_after_the_other() {
        let (mut one, mut many, now) = (Throttle::default(), Throttle::default(), Instant::now());
        let last = (0..1_000).map(|_| one.take(now, 1, 500, LONG)).last();
        assert_eq!(last, Some(many.take(now, 1_000, 500, LONG)));
        assert_eq!(last, Some(Duration::from_millis(1_750)));
    }

    #[test]
    fn uses_that_were_given_up_delay_later_ones_by_a_bounded_time() {
        let (mut throttle, now, longest) = (Throttle::default(), Instant::now(), Duration::from_secs(5));
        let waits: Vec<_> = (0..1_000).map(|_| throttle.take(now, 1, 100, longest)).collect();
        assert!(waits.is_sorted() && waits.last() == Some(&longest));
        assert_eq!(throttle.take(now, u32::MAX, 1, longest), longest);
        // The flood ends. After the longest time and a burst, nothing is left of it.
        let later = now + longest + BURST;
        assert!(throttle.is_idle(later) && !throttle.is_idle(now + longest));
        assert_eq!(throttle.take(later, 1, 100, longest), Duration::ZERO);
    }
}

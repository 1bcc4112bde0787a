//! The limiter: the parts of the server that each principal uses now, and the work that it may begin in a second.

mod ledger;
mod payment;
mod principal;
mod throttle;
mod turns;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) use self::ledger::{Lease, Ledger, Room, playouts};
pub(crate) use self::payment::{Payment, reserve};
pub(crate) use self::principal::Principal;
pub(crate) use self::throttle::Throttle;
use self::turns::Turns;
use crate::accounts::{Account, Player};
use crate::limits::{Limits, MAX_EXCESS_CONNECTIONS, MAX_IDLE_PRINCIPALS, SEAT_BYTES, Share};
use crate::lock;
use crate::secrets::Digest;

/// The limiter of a server. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Limiter(Arc<LimiterState>);

#[derive(Debug)]
struct LimiterState {
    limits: Limits,
    known: Mutex<Known>,
    /// A permit for each connection that can still be opened.
    places: Arc<Semaphore>,
    /// A permit for each connection beyond a share that is still served.
    excess: Arc<Semaphore>,
    /// The turns of the messages to spectators, and of the messages to players.
    watching: [Mutex<Turns>; 2],
}

/// The principals that use the server, or have used it lately.
#[derive(Debug, Default)]
struct Known {
    ledgers: HashMap<Principal, Ledger>,
    /// The number of principals beyond which idle ones are forgotten.
    next_sweep: usize,
}

/// The permit of one open connection. A drop gives it back.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    /// The permit among the connections beyond a share; None for a connection within the share of its principal.
    pub(crate) excess: Option<OwnedSemaphorePermit>,
    _share: Lease,
    _permit: OwnedSemaphorePermit,
}

impl Limiter {
    /// Creates the limiter of a server that nobody uses.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(Arc::new(LimiterState {
            limits: *limits,
            known: Mutex::default(),
            places: Arc::new(Semaphore::new(limits.connections)),
            excess: Arc::new(Semaphore::new(MAX_EXCESS_CONNECTIONS)),
            watching: Default::default(),
        }))
    }

    /// Returns the limits of the server.
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn ledger(&self, principal: Principal) -> Ledger {
        self.ledger_of(principal, None)
    }

    /// Returns the ledger of a principal. A seat belongs to the player that took it, if that has an account.
    fn ledger_of(&self, principal: Principal, owner: Option<Player>) -> Ledger {
        let mut known = lock(&self.0.known);
        if let Some(ledger) = known.ledgers.get(&principal) {
            return ledger.clone();
        }
        known.forget_idle();
        let Limits { mut shares, mut rates, local_shares, local_rates, .. } = self.0.limits;
        match principal {
            Principal::Address(_) | Principal::Unread => {}
            Principal::Loopback | Principal::Socket => (shares, rates) = (local_shares, local_rates),
            Principal::Seat(_) => shares[Share::Bytes] = SEAT_BYTES,
            Principal::Account(_) => (shares, rates) = (self.0.limits.account_shares, self.0.limits.account_rates),
        }
        let ledger = Ledger::of_seat(principal, shares, rates, owner);
        known.ledgers.insert(principal, ledger.clone());
        ledger
    }

    /// Returns the ledger of an account, with its own shares as they are now.
    pub(crate) fn ledger_of_account(&self, account: &Account) -> Ledger {
        let ledger = self.ledger(Principal::Account(account.id));
        let mut shares = self.0.limits.account_shares;
        for share in Share::of_accounts() {
            if let Some(count) = account.shares.get(share.name()) {
                shares[share] = *count;
            }
        }
        ledger.set_shares(shares);
        ledger
    }

    /// Remembers the token of a seat after a match has checked it, with the player that took the seat if it has an account. From
    /// now on the seat pays for its calls, for as long as the match keeps the ledger.
    pub(crate) fn admit_seat(&self, token: Digest, owner: Option<Player>) -> Ledger {
        self.ledger_of(Principal::Seat(token), owner)
    }

    /// Returns the ledger of a principal that is known; None for any other.
    pub(crate) fn find(&self, principal: Principal) -> Option<Ledger> {
        lock(&self.0.known).ledgers.get(&principal).cloned()
    }

    /// Gives a permit to a new connection of a principal. None is a trusted proxy, whose connections count for nobody. A
    /// connection beyond the share of the principal gets a permit in excess, as long as there are few of them. The error is
    /// the reason to close the connection.
    pub(crate) fn connect(&self, ledger: Option<&Ledger>) -> Result<ConnectionPermit, String> {
        let share = ledger.map_or_else(|| Ok(Lease::default()), |ledger| ledger.lease(&[(Share::Connections, 1)]));
        let permit = Arc::clone(&self.0.places).try_acquire_owned();
        let full = |_| format!("the server has {} open connections, its limit", self.0.limits.connections);
        let permit = permit.map_err(full)?;
        let (share, excess) = match share {
            Ok(share) => (share, None),
            Err(error) => {
                let excess = Arc::clone(&self.0.excess).try_acquire_owned().map_err(|_| error.message())?;
                (Lease::default(), Some(excess))
            }
        };
        Ok(ConnectionPermit { excess, _share: share, _permit: permit })
    }

    /// Returns the number of principals that use a part of the server now.
    pub(crate) fn count(&self) -> usize {
        lock(&self.0.known).ledgers.values().filter(|ledger| ledger.is_used()).count()
    }

    /// Returns the number of open connections.
    pub(crate) fn connections(&self) -> usize {
        self.0.limits.connections - self.0.places.available_permits()
    }

    /// Returns the amount of this part that all addresses use.
    pub(crate) fn used(&self, share: Share) -> u64 {
        let known = lock(&self.0.known);
        let addresses = known.ledgers.iter().filter(|(principal, _)| !matches!(principal, Principal::Seat(_)));
        addresses.map(|(_, ledger)| ledger.used(share)).sum()
    }

    /// Notes messages of these units to a watcher of a principal, and returns the time of their turn.
    pub(crate) fn watch_turn(&self, principal: Option<Principal>, is_player: bool, units: u32) -> tokio::time::Instant {
        // The clock that also ends the waits.
        let now = tokio::time::Instant::now();
        now + lock(&self.0.watching[usize::from(is_player)]).take(principal, units, now.into_std())
    }

    /// Returns the number of principals whose watchers wait, or have just had their turns.
    pub(crate) fn watching_principals(&self, is_player: bool) -> usize {
        lock(&self.0.watching[usize::from(is_player)]).count()
    }
}

impl Known {
    /// Forgets the principals that use nothing and have nothing to work off, once there are many.
    fn forget_idle(&mut self) {
        if self.ledgers.len() > self.next_sweep.max(MAX_IDLE_PRINCIPALS) {
            let now = Instant::now();
            self.ledgers.retain(|_, ledger| !ledger.is_idle(now));
            // Twice as many as are left, so that a sweep costs each new principal a constant time.
            self.next_sweep = 2 * self.ledgers.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use super::*;
    use crate::limits::{MAX_PAUSE, Rate};

    fn limiter() -> Limiter {
        let mut limits = Limits::default();
        limits.shares[Share::Matches] = 2;
        limits.shares[Share::Playouts] = 100;
        limits.shares[Share::Connections] = 1;
        limits.connections = MAX_EXCESS_CONNECTIONS + 2;
        Limiter::new(&limits)
    }

    fn address(text: &str) -> Principal {
        Principal::at(Some(text.parse().expect("an address")))
    }

    #[test]
    fn a_lease_takes_all_or_nothing_and_gives_it_back() {
        let limiter = limiter();
        let (one, other) = (limiter.ledger(address("203.0.113.1")), limiter.ledger(address("203.0.113.2")));
        let first = one.lease(&[(Share::Matches, 1), (Share::Playouts, 90)]).expect("it is free");
        let error = one.lease(&[(Share::Matches, 1), (Share::Playouts, 20)]).expect_err("it is too much");
        assert_eq!(error.metadata["limit_name"], "playouts");
        assert_eq!((error.metadata["limit"].as_str(), error.metadata["used"].as_str()), ("100", "90"));
        assert_eq!(limiter.used(Share::Matches), 1, "nothing is half taken");
        let _others = other.lease(&[(Share::Playouts, 100)]).expect("each address has a share of its own");
        drop(first);
        assert_eq!((limiter.used(Share::Playouts), limiter.count()), (100, 1));
    }

    #[test]
    fn each_address_has_rates_of_its_own_and_keeps_them_without_connections() {
        let mut limits = Limits::default();
        limits.rates[Rate::Connections] = 4;
        let limiter = Limiter::new(&limits);
        let (one, other) = (limiter.ledger(address("203.0.113.1")), limiter.ledger(address("203.0.113.2")));
        let waits: Vec<_> = (0..3).map(|_| one.pace(Rate::Connections, 1)).collect();
        assert!(waits[0].is_zero() && waits[1] > Duration::ZERO && waits[2] > waits[1], "{waits:?}");
        assert!(other.pace(Rate::Connections, 1).is_zero() && one.charge(1, 1_000).is_zero());
        drop(limiter.connect(Some(&one)).expect("a place"));
        assert!(one.pace(Rate::Connections, 1) > waits[2], "a connection that ended is not forgotten");
    }

    #[test]
    fn connections_that_were_given_up_delay_later_ones_by_a_bounded_time() {
        let peer = Limiter::new(&Limits::default()).ledger(address("203.0.113.1"));
        let longest = (0..10_000).map(|_| peer.pace(Rate::Connections, 1)).max();
        assert_eq!(longest, Some(MAX_PAUSE));
    }

    #[test]
    fn principals_that_use_nothing_are_forgotten() {
        let limiter = Limiter::new(&Limits::default());
        let _used = limiter.ledger(Principal::Loopback).lease(&[(Share::Matches, 1)]).expect("it is free");
        for n in 0..3 * MAX_IDLE_PRINCIPALS as u32 {
            // Each begins so little that it is worked off at once.
            limiter.ledger(Principal::at(Some(IpAddr::V4(n.into())))).pace(Rate::Frames, 1);
            std::thread::sleep(Duration::from_micros(1));
        }
        assert!(
            lock(&limiter.0.known).ledgers.len() <= 2 * MAX_IDLE_PRINCIPALS,
            "{}",
            lock(&limiter.0.known).ledgers.len()
        );
        assert_eq!((limiter.count(), limiter.used(Share::Matches)), (1, 1));
    }

    #[test]
    fn a_few_connections_beyond_a_share_learn_why_and_the_others_are_closed() {
        let limiter = limiter();
        let one = limiter.ledger(address("203.0.113.1"));
        let one = Some(&one);
        let own = limiter.connect(one).expect("a place");
        let excess: Vec<_> = (0..MAX_EXCESS_CONNECTIONS).map(|_| limiter.connect(one).expect("a place")).collect();
        assert!(own.excess.is_none() && excess.iter().all(|place| place.excess.is_some()));
        let reason = limiter.connect(one).expect_err("there are enough");
        assert!(reason.contains("share of 1 open connections"), "{reason}");

        let _other =
            limiter.connect(Some(&limiter.ledger(address("203.0.113.2")))).expect("others have shares of their own");
        let reason = limiter.connect(None).expect_err("the server is full");
        assert!(reason.contains("34 open connections, its limit"), "{reason}");
        drop((own, excess));
        assert_eq!(limiter.connections(), 1);
        assert!(limiter.connect(one).expect("a place").excess.is_none());
    }
}

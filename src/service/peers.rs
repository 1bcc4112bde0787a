//! Peers: the addresses from which calls come, and their shares of the server.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tonic::Extensions;
use tonic::codegen::http::HeaderMap;

use super::error;
use super::limits::{
    Limits, MAX_EXCESS_CONNECTIONS, MAX_IDLE_PEERS, MAX_PAUSE, PLAYOUTS_PER_MILLISECOND, Rate, Rates, Share, Shares,
};
use super::payer::Payer;
use super::proxies::TrustedProxies;
use super::rates::Pace;
use crate::proto::v1;
use ahu_engine::host::BotName;
use ahu_engine::host::api::ApiError;
use ahu_engine::host::search::Budget;

/// The origin of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Peer {
    /// A program on another machine: its IPv4 address, or the first address of its IPv6 network of 64 bits.
    Address(IpAddr),
    /// A program on this machine, through a loopback address.
    Loopback,
    /// A program on this machine, through a Unix socket.
    Socket,
}

impl Peer {
    /// Returns the peer that has this address.
    pub(super) fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() => Self::Loopback,
            IpAddr::V4(address) => Self::Address(address.into()),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self::Address(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into())
            }
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address @ IpAddr::V4(_)) => write!(f, "the address {address}"),
            Self::Address(address @ IpAddr::V6(_)) => write!(f, "the network {address}/64"),
            Self::Loopback => f.write_str("the loopback address"),
            Self::Socket => f.write_str("the Unix socket"),
        }
    }
}

/// The peers of a server, with the parts of it that they use now. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Peers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    proxies: OnceLock<TrustedProxies>,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    by_peer: HashMap<Peer, PeerUse>,
    /// All open connections, also those that no share counts.
    connections: usize,
    /// The connections beyond a share.
    excess: usize,
    /// The number of peers beyond which idle ones are forgotten.
    next_sweep: usize,
}

/// The uses of one peer.
#[derive(Debug, Default)]
struct PeerUse {
    amounts: [u64; Share::ALL.len()],
    /// The paces of connections and frames; the payer has the pace of calls.
    paces: [Pace; Rate::ALL.len()],
    payer: Option<Payer>,
}

impl PeerUse {
    /// Returns true if the peer uses nothing, and has nothing to work off.
    fn is_idle(&self, now: Instant) -> bool {
        self.amounts.iter().all(|&amount| amount == 0)
            && self.paces.iter().all(|pace| pace.is_idle(now))
            && self.payer.as_ref().is_none_or(|payer| payer.is_idle(now))
    }
}

/// A part of the server that a peer uses until this value is dropped. The default is nothing.
#[derive(Debug, Default)]
pub(super) struct Lease(Option<Leased>);

#[derive(Debug)]
struct Leased {
    shared: Arc<Shared>,
    peer: Peer,
    amounts: Vec<(Share, u64)>,
}

/// The place of one connection among all, until this value is dropped.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<Shared>,
    is_excess: bool,
    _share: Lease,
}

impl Peers {
    /// Creates the peers of a server to which nobody is connected.
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Shared { limits: *limits, proxies: OnceLock::new(), used: Mutex::default() }))
    }

    /// Takes the addresses of calls from the headers of these proxies. Later calls have no effect.
    pub(super) fn trust(&self, proxies: TrustedProxies) {
        self.0.proxies.get_or_init(|| proxies);
    }

    /// Returns the limits of the server.
    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Returns the shares of a peer.
    pub(super) fn shares(&self, peer: Peer) -> &Shares {
        match peer {
            Peer::Address(_) => &self.0.limits.shares,
            Peer::Loopback | Peer::Socket => &self.0.limits.local_shares,
        }
    }

    /// Returns the rates of a peer.
    pub(super) fn rates(&self, peer: Peer) -> &Rates {
        match peer {
            Peer::Address(_) => &self.0.limits.rates,
            Peer::Loopback | Peer::Socket => &self.0.limits.local_rates,
        }
    }

    /// Returns true if a connection from this address is that of a trusted proxy. None is the address of a Unix socket.
    pub(super) fn is_proxy(&self, address: Option<IpAddr>) -> bool {
        self.0.proxies.get().is_some_and(|proxies| proxies.has(address))
    }

    /// Returns the peer from which a call comes, over a connection from this address. None is the address of a Unix socket.
    pub(super) fn caller(&self, address: Option<IpAddr>, headers: &HeaderMap) -> Peer {
        let connected = address.map_or(Peer::Socket, Peer::of);
        let proxies = self.0.proxies.get().filter(|proxies| proxies.has(address));
        proxies.and_then(|proxies| proxies.forwarded(headers)).map_or(connected, Peer::of)
    }

    /// Takes amounts of the shares of a peer: all of them, or none and the error that names the first share that is
    /// exceeded.
    pub(super) fn lease(&self, peer: Peer, amounts: &[(Share, u64)]) -> Result<Lease, ApiError> {
        let amounts: Vec<_> = amounts.iter().copied().filter(|(_, amount)| *amount > 0).collect();
        if amounts.is_empty() {
            return Ok(Lease::default());
        }
        let shares = self.shares(peer);
        let mut all = self.0.lock();
        let used = &mut all.by_peer.entry(peer).or_default().amounts;
        for &(share, amount) in &amounts {
            let sum = used[share as usize].saturating_add(amount);
            let limit = u64::from(shares[share]);
            if sum > limit {
                let error = error::over_share(peer, share, limit, used[share as usize], amount);
                all.forget_idle();
                return Err(error);
            }
        }
        for &(share, amount) in &amounts {
            used[share as usize] += amount;
        }
        drop(all);
        Ok(Lease(Some(Leased { shared: Arc::clone(&self.0), peer, amounts })))
    }

    /// Notes that a peer opens a connection or sends frames, and returns the time that it has to wait.
    pub(super) fn pace(&self, peer: Peer, rate: Rate, uses: u32) -> Duration {
        let count = self.rates(peer)[rate];
        let mut all = self.0.lock();
        let pace = &mut all.by_peer.entry(peer).or_default().paces[rate as usize];
        let wait = pace.take(Instant::now(), uses, count, MAX_PAUSE);
        all.forget_idle();
        wait
    }

    /// Notes that a peer sends frames over one of its connections, and returns the time that the connection has to wait. It never
    /// waits as long as it keeps to its part of the rate, whatever the other connections of the peer send.
    pub(super) fn pace_frames(&self, peer: Peer, own: &mut Pace, uses: u32) -> Duration {
        let of_peer = self.pace(peer, Rate::Frames, uses);
        if of_peer.is_zero() {
            return of_peer;
        }
        let connections = self.0.lock().by_peer.get(&peer).map_or(1, |used| used.amounts[Share::Connections as usize]);
        let part = self.rates(peer)[Rate::Frames] / u32::try_from(connections).unwrap_or(u32::MAX).max(1);
        of_peer.min(own.take(Instant::now(), uses, part, MAX_PAUSE))
    }

    /// Returns the payer for the calls of a peer.
    pub(super) fn payer(&self, peer: Peer) -> Payer {
        let bytes = self.shares(peer)[Share::Bytes] as usize;
        self.0.lock().by_peer.entry(peer).or_default().payer.get_or_insert_with(|| Payer::new(bytes)).clone()
    }

    /// Takes the shares of one match with these bots, by seat: None for an agent, for whom the `stand_in` may play.
    pub(super) fn lease_match(
        &self,
        peer: Peer,
        bots: &[Option<BotName>],
        stand_in: BotName,
    ) -> Result<Lease, ApiError> {
        let bots_alone = bots.iter().all(Option::is_some);
        let playouts = bots.iter().map(|bot| playouts(bot.unwrap_or(stand_in))).max().unwrap_or(0);
        let is_alone = u64::from(bots_alone);
        self.lease(peer, &[(Share::Matches, 1), (Share::BotMatches, is_alone), (Share::Playouts, playouts)])
    }

    /// Gives a place to a new connection from this address. None is the address of a Unix socket. A connection beyond the
    /// share of its peer gets one that is in excess, as long as there are few. The error is the reason to close it.
    pub(super) fn connect(&self, address: Option<IpAddr>) -> Result<Place, String> {
        let peer = address.map_or(Peer::Socket, Peer::of);
        // The calls over a proxy are those of others, and so is their number of connections.
        let share = match self.is_proxy(address) {
            true => Ok(Lease::default()),
            false => self.lease(peer, &[(Share::Connections, 1)]),
        };
        let mut used = self.0.lock();
        if used.connections >= self.0.limits.connections {
            let limit = self.0.limits.connections;
            drop(used);
            return Err(format!("the server has {limit} open connections, its limit"));
        }
        let is_excess = share.is_err();
        if is_excess {
            if used.excess >= MAX_EXCESS_CONNECTIONS {
                return Err(share.err().map_or_else(String::new, |error| error.message()));
            }
            used.excess += 1;
        }
        used.connections += 1;
        drop(used);
        Ok(Place { shared: Arc::clone(&self.0), is_excess, _share: share.unwrap_or_default() })
    }

    /// Returns the error of the calls over a connection beyond the share of its peer.
    pub(super) fn over_connections(&self, peer: Peer) -> ApiError {
        let limit = self.shares(peer)[Share::Connections].into();
        error::over_share(peer, Share::Connections, limit, limit, 1)
    }

    /// Returns the number of peers that use the server now.
    pub(super) fn count(&self) -> usize {
        self.0.lock().by_peer.values().filter(|used| used.amounts.iter().any(|&amount| amount > 0)).count()
    }

    /// Returns the number of open connections.
    pub(super) fn connections(&self) -> usize {
        self.0.lock().connections
    }

    /// Returns the amount of this part that all peers use.
    pub(super) fn used(&self, share: Share) -> u64 {
        let all = self.0.lock();
        let bytes = |used: &PeerUse| used.payer.as_ref().map_or(0, Payer::used_bytes);
        match share {
            Share::Bytes => all.by_peer.values().map(bytes).sum(),
            share => all.by_peer.values().map(|used| used.amounts[share as usize]).sum(),
        }
    }
}

impl Shared {
    /// No code panics while it holds this lock.
    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Used {
    /// Forgets the peers that use nothing and have nothing to work off, once there are many peers.
    fn forget_idle(&mut self) {
        if self.by_peer.len() > self.next_sweep.max(MAX_IDLE_PEERS) {
            let now = Instant::now();
            self.by_peer.retain(|_, used| !used.is_idle(now));
            // Twice as many as are left, so that a sweep costs each new peer a constant time.
            self.next_sweep = 2 * self.by_peer.len();
        }
    }
}

impl Lease {
    /// Returns the peer that uses this part; None for nothing.
    pub(super) fn peer(&self) -> Option<Peer> {
        self.0.as_ref().map(|leased| leased.peer)
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        let mut all = self.shared.lock();
        if let Some(used) = all.by_peer.get_mut(&self.peer) {
            for &(share, amount) in &self.amounts {
                used.amounts[share as usize] -= amount;
            }
        }
    }
}

impl Place {
    /// Returns true if the connection is beyond the share of its peer.
    pub(super) fn is_excess(&self) -> bool {
        self.is_excess
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut used = self.shared.lock();
        used.connections -= 1;
        used.excess -= usize::from(self.is_excess);
    }
}

/// Returns the playouts of a bot for a decision; 0 for a bot that does not search.
pub(super) fn playouts(bot: BotName) -> u64 {
    match bot.budget() {
        Some(Budget::Playouts(playouts)) => playouts.get().into(),
        Some(Budget::Time(time)) => PLAYOUTS_PER_MILLISECOND * u64::from(time.get()),
        None => 0,
    }
}

/// The caller of a request: its peer, with the shares that it may take. A request within the process has none, and nothing
/// is counted for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller(Option<(Peers, Peer)>);

impl Caller {
    /// Returns the caller who has this address.
    pub(super) fn new(peers: Peers, peer: Peer) -> Self {
        Self(Some((peers, peer)))
    }

    /// Returns the caller of a request with these extensions.
    pub(super) fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Takes amounts of the caller's shares: see [`Peers::lease`].
    pub(super) fn lease(&self, amounts: &[(Share, u64)]) -> Result<Lease, ApiError> {
        self.0.as_ref().map_or_else(|| Ok(Lease::default()), |(peers, peer)| peers.lease(*peer, amounts))
    }

    /// Takes the shares of one match: see [`Peers::lease_match`].
    pub(super) fn lease_match(&self, bots: &[Option<BotName>], stand_in: BotName) -> Result<Lease, ApiError> {
        let lease = |(peers, peer): &(Peers, Peer)| peers.lease_match(*peer, bots, stand_in);
        self.0.as_ref().map_or_else(|| Ok(Lease::default()), lease)
    }

    /// Returns the rates of the caller; None if nothing is counted for it.
    pub(super) fn rates(&self) -> Option<v1::Rates> {
        let (peers, peer) = self.0.as_ref()?;
        let rates = peers.rates(*peer);
        Some(v1::Rates {
            calls: rates[Rate::Calls],
            connections: rates[Rate::Connections],
            frames: rates[Rate::Frames],
        })
    }

    /// Returns the shares of the caller; None if nothing is counted for it.
    pub(super) fn shares(&self) -> Option<v1::Shares> {
        let (peers, peer) = self.0.as_ref()?;
        let shares = peers.shares(*peer);
        Some(v1::Shares {
            connections: shares[Share::Connections],
            calls: shares[Share::Calls],
            matches: shares[Share::Matches],
            bot_matches: shares[Share::BotMatches],
            playouts: shares[Share::Playouts],
            environments: shares[Share::Environments],
            environment_streams: shares[Share::EnvironmentStreams],
            unopened_streams: shares[Share::UnopenedStreams],
            watchers: shares[Share::Watchers],
            bytes: shares[Share::Bytes],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers() -> Peers {
        let mut limits = Limits::default();
        limits.shares[Share::Matches] = 2;
        limits.shares[Share::Playouts] = 100;
        limits.shares[Share::Connections] = 1;
        limits.connections = MAX_EXCESS_CONNECTIONS + 2;
        Peers::new(&limits)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_lease_takes_all_or_nothing_and_gives_it_back() {
        let peers = peers();
        let (one, other) = (Peer::of(address("203.0.113.1")), Peer::of(address("203.0.113.2")));
        let first = peers.lease(one, &[(Share::Matches, 1), (Share::Playouts, 90)]).expect("it is free");
        let error = peers.lease(one, &[(Share::Matches, 1), (Share::Playouts, 20)]).expect_err("it is too much");
        assert_eq!(error.metadata()["share"], "playouts");
        assert_eq!((error.metadata()["limit"].as_str(), error.metadata()["used"].as_str()), ("100", "90"));
        assert_eq!(peers.used(Share::Matches), 1, "nothing is half taken");
        let _others = peers.lease(other, &[(Share::Playouts, 100)]).expect("each address has a share of its own");
        drop(first);
        assert_eq!((peers.used(Share::Playouts), peers.count()), (100, 1));
    }

    #[test]
    fn each_peer_has_rates_of_its_own_and_keeps_them_without_connections() {
        let mut limits = Limits::default();
        limits.rates[Rate::Connections] = 4;
        let peers = Peers::new(&limits);
        let (one, other) = (Peer::of(address("203.0.113.1")), Peer::of(address("203.0.113.2")));
        let waits: Vec<_> = (0..3).map(|_| peers.pace(one, Rate::Connections, 1)).collect();
        assert!(waits[0].is_zero() && waits[1] > Duration::ZERO && waits[2] > waits[1], "{waits:?}");
        assert!(peers.pace(other, Rate::Connections, 1).is_zero() && peers.payer(one).charge(1, 1_000).is_zero());
        drop(peers.connect(Some(address("203.0.113.1"))).expect("a place"));
        assert!(peers.pace(one, Rate::Connections, 1) > waits[2], "a connection that ended is not forgotten");
    }

    #[test]
    fn connections_that_were_given_up_delay_later_ones_by_a_bounded_time() {
        let (peers, peer) = (Peers::new(&Limits::default()), Peer::of(address("203.0.113.1")));
        let longest = (0..10_000).map(|_| peers.pace(peer, Rate::Connections, 1)).max();
        assert_eq!(longest, Some(MAX_PAUSE));
    }

    #[test]
    fn peers_that_use_nothing_are_forgotten() {
        let peers = Peers::new(&Limits::default());
        let _used = peers.lease(Peer::Loopback, &[(Share::Matches, 1)]).expect("it is free");
        for n in 0..3 * MAX_IDLE_PEERS as u32 {
            // Each begins so little that it is worked off at once.
            peers.pace(Peer::of(IpAddr::V4(n.into())), Rate::Frames, 1);
            std::thread::sleep(Duration::from_micros(1));
        }
        assert!(peers.0.lock().by_peer.len() <= 2 * MAX_IDLE_PEERS, "{}", peers.0.lock().by_peer.len());
        assert_eq!((peers.count(), peers.used(Share::Matches)), (1, 1));
    }

    #[test]
    fn an_ipv6_network_is_one_peer_and_a_mapped_address_is_that_of_ipv4() {
        assert_eq!(Peer::of(address("2001:db8::1")), Peer::of(address("2001:db8::ffff:2")));
        assert_ne!(Peer::of(address("2001:db8::1")), Peer::of(address("2001:db8:0:1::1")));
        assert_eq!(Peer::of(address("::ffff:203.0.113.1")), Peer::of(address("203.0.113.1")));
        for loopback in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(Peer::of(address(loopback)), Peer::Loopback);
        }
    }

    #[test]
    fn a_few_connections_beyond_a_share_learn_why_and_the_others_are_closed() {
        let peers = peers();
        let one = Some(address("203.0.113.1"));
        let own = peers.connect(one).expect("a place");
        let excess: Vec<_> = (0..MAX_EXCESS_CONNECTIONS).map(|_| peers.connect(one).expect("a place")).collect();
        assert!(!own.is_excess() && excess.iter().all(Place::is_excess));
        let reason = peers.connect(one).expect_err("there are enough");
        assert!(reason.contains("share of 1 open connections"), "{reason}");

        let _other = peers.connect(Some(address("203.0.113.2"))).expect("others have shares of their own");
        let reason = peers.connect(None).expect_err("the server is full");
        assert!(reason.contains("34 open connections, its limit"), "{reason}");
        drop((own, excess));
        assert_eq!(peers.connections(), 1);
        assert!(!peers.connect(one).expect("a place").is_excess());
    }
}

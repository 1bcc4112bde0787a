//! Starts of servers: each start has a row with a random id. At most one is live, and it alone writes.
//!
//! A live start writes a beat every second, a number that rises. Who wants its place watches the number; if it stands still for a
//! whole lease of the watcher's own clock, the watcher marks the start dead. No clock is compared with another's. The server
//! itself answers only while its last confirmed beat was sent less than half a lease ago ([`Lease::is_held`]), by a clock that
//! goes on while the machine sleeps; so it is silent before another one can work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ahu_core::hex;
use tokio::sync::watch;
use tokio_postgres::error::SqlState;

use super::connection::{Connection, Database, Fault, StartId};
use crate::limits::{BEAT, LEASE, LEASE_LOOK};
use crate::lock;
use crate::secrets::random_bytes;
use crate::store::StoreError;
use crate::store::folder::OpenError;

/// A start of this server, which is live until it is dropped, or until another start has taken its place.
#[derive(Debug)]
pub(super) struct Start {
    id: StartId,
    lease: Lease,
}

/// The right of a start to answer. Clones share it. The default is that of a spare: it is never held.
#[derive(Clone, Debug, Default)]
pub struct Lease(Arc<Beats>);

#[derive(Debug, Default)]
struct Beats {
    /// The time at which the last confirmed beat was sent, in milliseconds since the machine began; 0 before the first.
    sent: AtomicU64,
    is_dead: AtomicBool,
    /// The number of changes of accounts that the last beat saw.
    accounts: AtomicU64,
    /// The replicas for which commits wait, and the timeline of the database, as the last beat saw them.
    seen: Mutex<(String, String)>,
    /// True while the lease is held, as of the last look.
    held: watch::Sender<bool>,
    /// Ends the thread of the beats when it is dropped.
    thread: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Lease {
    /// Returns true if the server may answer: no other start can have taken its place.
    pub fn is_held(&self) -> bool {
        let sent = self.0.sent.load(Ordering::SeqCst);
        sent > 0 && !self.is_dead() && Duration::from_millis(since_boot().saturating_sub(sent)) < LEASE / 2
    }

    /// Returns true if another start has taken the place of this one, for good.
    pub fn is_dead(&self) -> bool {
        self.0.is_dead.load(Ordering::SeqCst)
    }

    /// Looks several times a second whether the lease is held, as long as it is polled, and calls `changed` when that changes.
    pub(crate) async fn follow<T>(&self, changed: impl Fn(bool)) -> T {
        let mut was_held = true;
        loop {
            let is_held = self.is_held();
            self.0.held.send_replace(is_held);
            if was_held != is_held {
                changed(is_held);
            }
            was_held = is_held;
            tokio::time::sleep(LEASE_LOOK).await;
        }
    }

    /// Waits until the lease is not held, if somebody follows it.
    pub(crate) async fn lost(&self) {
        // The lease has the sender.
        let _ = self.0.held.subscribe().wait_for(|is_held| !is_held).await;
    }

    /// Waits until another start has taken the place of this one.
    pub async fn died(&self) {
        while !self.is_dead() {
            tokio::time::sleep(LEASE_LOOK).await;
        }
    }

    /// Gives the lease back, so that another start can begin at once: nothing is written from now on. Blocks the thread.
    pub fn end(&self) {
        if let Some((end, beats)) = lock(&self.0.thread).take() {
            drop(end);
            // A panic of the thread was reported.
            let _ = beats.join();
        }
    }

    /// Returns the replicas for which commits wait, as the setting `synchronous_standby_names` has them; empty if they wait for
    /// none.
    pub fn replicas(&self) -> String {
        lock(&self.0.seen).0.clone()
    }

    /// Returns the timeline of the database, which rises with each failover, as a confirmed beat saw it; empty before the first.
    pub(crate) fn timeline(&self) -> String {
        lock(&self.0.seen).1.clone()
    }

    /// Waits until a beat is confirmed that was sent after now.
    pub(crate) async fn beats_again(&self) {
        let now = since_boot();
        while self.0.sent.load(Ordering::SeqCst) <= now {
            tokio::time::sleep(LEASE_LOOK).await;
        }
    }

    /// Returns the number of changes of accounts, as a confirmed beat saw it.
    pub(crate) fn account_changes(&self) -> u64 {
        self.0.accounts.load(Ordering::SeqCst)
    }

    fn note(&self, sent: u64) {
        self.0.sent.fetch_max(sent, Ordering::SeqCst);
        self.0.held.send_replace(self.is_held());
    }

    fn die(&self) {
        self.0.is_dead.store(true, Ordering::SeqCst);
    }
}

/// Returns the time since the machine began, in milliseconds, with the time that it slept.
fn since_boot() -> u64 {
    #[cfg(target_os = "linux")]
    let clock = rustix::time::ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = rustix::time::ClockId::Monotonic;
    let time = rustix::time::clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or_default() * 1000 + u64::try_from(time.tv_nsec).unwrap_or_default() / 1_000_000
}

/// Returns the id of a new start: no sequence, since one can repeat after a failover of the database.
pub(super) fn new_id() -> StartId {
    random_bytes()
}

/// The live start that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Other {
    id: Vec<u8>,
    words: String,
    number: i64,
}

impl Start {
    /// Makes this start the live one, as soon as the one before has ended or has not beaten for a lease. A spare waits for that
    /// as long as it takes. Returns the connection too, which a spare may have made anew.
    pub(super) fn begin(
        database: &Database,
        mut connection: Connection,
        id: StartId,
        is_spare: bool,
    ) -> Result<(Self, Connection), OpenError> {
        let unusable = |fault: Fault| OpenError::Failed(format!("the database {database} cannot be used: {fault}"));
        let mut watched: Option<(Other, Instant)> = None;
        let mut has_told = false;
        let sent = loop {
            let step = step(&connection, &id, &mut watched);
            match step {
                Ok(Step::Begun(sent)) => break sent,
                Ok(Step::InUse(other)) if !is_spare => {
                    return Err(OpenError::Failed(format!(
                        "the database {database} is in use by another process ({}); `--spare` waits for its end",
                        other.words
                    )));
                }
                Ok(Step::Died) => {
                    return Err(OpenError::Failed(
                        "another server has taken the place of this one at its start".to_owned(),
                    ));
                }
                Ok(Step::Waits | Step::InUse(_)) => has_told = false,
                Err(fault) if !is_spare => return Err(unusable(fault)),
                Err(fault) => {
                    if !has_told {
                        tracing::warn!(error = %fault, "the spare cannot look at the database, and tries again");
                    }
                    has_told = true;
                    // Only reads that succeed count.
                    watched = None;
                    // A spare outlives its connection.
                    if let Ok(next) = Connection::open(database, Some(&id)) {
                        connection = next;
                    }
                }
            }
            thread::sleep(LEASE_LOOK);
        };
        let lease = Lease::default();
        lease.note(sent);
        let (end, is_ended) = mpsc::channel();
        let (database, of_thread) = (database.clone(), lease.clone());
        let work = move || beat(&database, &id, &of_thread, |time| is_ended.recv_timeout(time));
        let beats = thread::Builder::new().name("beats".to_owned()).spawn(work);
        let beats = beats.map_err(|error| OpenError::Failed(format!("cannot start a thread: {error}")))?;
        *lock(&lease.0.thread) = Some((end, beats));
        Ok((Self { id, lease }, connection))
    }

    pub(super) const fn id(&self) -> &StartId {
        &self.id
    }

    pub(super) fn lease(&self) -> Lease {
        self.lease.clone()
    }

    /// Notes that another start has taken the place of this one.
    pub(super) fn die(&self) {
        self.lease.die();
    }

    /// Waits until no commit of this start is under way, and until one that is made now is confirmed.
    pub(super) fn settle(&self, connection: &Connection) -> Result<(), StoreError> {
        match connection.call("SELECT ahu.settle_1($1)", &[&&self.id[..]]) {
            Ok(row) if row.get(0) => Ok(()),
            Ok(_) => {
                self.die();
                Err(StoreError::Failed("this start of the server is dead: another one has taken over".to_owned()))
            }
            Err(Fault::Refused { code, .. }) if code == SqlState::LOCK_NOT_AVAILABLE => {
                // An old connection whose end the database has not seen.
                connection.one("SELECT ahu.cut_1($1)", &[&&self.id[..]])?;
                Err(StoreError::Failed("a commit is still under way in the database".to_owned()))
            }
            Err(fault) => Err(fault.into()),
        }
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        self.lease.end();
    }
}

/// The result of a step towards the place of the live start.
enum Step {
    /// This start is the live one; the time at which it asked.
    Begun(u64),
    /// The live start has not beaten since it was looked at first.
    Waits,
    /// This start was the live one, and another one has declared it dead: its answer came too late.
    Died,
    /// The live start beats.
    InUse(Other),
}

/// Takes a step: begins, or looks at the live start, or takes its place.
fn step(connection: &Connection, id: &StartId, watched: &mut Option<(Other, Instant)>) -> Result<Step, Fault> {
    let sent = since_boot();
    let (host, process) =
        (rustix::system::uname().nodename().to_string_lossy().into_owned(), std::process::id() as i32);
    if connection.call("SELECT ahu.begin_1($1, $2, $3)", &[&&id[..], &host, &process])?.get(0) {
        return Ok(Step::Begun(sent));
    }
    let select = "SELECT s.id, format('process %s on %s', s.process, s.host), b.number FROM ahu.start AS s JOIN ahu.beat AS b \
                  ON b.start = s.id WHERE s.live";
    let dead = "SELECT EXISTS (SELECT FROM ahu.start WHERE id = $1 AND NOT live)";
    if connection.one(dead, &[&&id[..]])?.get(0) {
        return Ok(Step::Died);
    }
    let Some(row) = connection.row(select, &[])? else { return Ok(Step::Waits) };
    let other = Other { id: row.get(0), words: row.get(1), number: row.get(2) };
    match watched {
        Some((seen, since)) if *seen == other => {
            if since.elapsed() < LEASE {
                return Ok(Step::Waits);
            }
            take(connection, &other)?;
            *watched = None;
            Ok(Step::Waits)
        }
        Some((seen, _)) if seen.id == other.id => {
            *watched = Some((other.clone(), Instant::now()));
            Ok(Step::InUse(other))
        }
        _ => {
            *watched = Some((other, Instant::now()));
            Ok(Step::Waits)
        }
    }
}

/// Marks a start dead whose number has not risen. If its row stays locked, ends its connections, and leaves the rest to the next
/// try.
fn take(connection: &Connection, other: &Other) -> Result<(), Fault> {
    match connection.call("SELECT ahu.take_1($1, $2)", &[&other.id, &other.number]) {
        Ok(row) => {
            if row.get(0) {
                tracing::warn!(
                    of = other.words,
                    "the server before has not beaten for a lease: this one takes its place"
                );
            }
            Ok(())
        }
        Err(Fault::Refused { code, .. }) if code == SqlState::LOCK_NOT_AVAILABLE => {
            connection.one("SELECT ahu.cut_1($1)", &[&other.id]).map(drop)
        }
        Err(fault) => Err(fault),
    }
}

/// Writes beats until the store is dropped, and then ends the start.
fn beat(
    database: &Database,
    id: &StartId,
    lease: &Lease,
    mut pause: impl FnMut(Duration) -> Result<(), RecvTimeoutError>,
) {
    let (mut connection, mut time) = (None, BEAT);
    loop {
        let is_ended = !matches!(pause(time), Err(RecvTimeoutError::Timeout));
        // After a fault, the next beat comes soon.
        time = LEASE_LOOK;
        let open = connection.take().map_or_else(|| Connection::open(database, Some(id)), Ok);
        let Ok(open) = open else {
            if is_ended {
                return;
            }
            continue;
        };
        if is_ended {
            // Without this, the next start waits for a lease.
            let _ = open.call("SELECT ahu.end_1($1)", &[&&id[..]]);
            return;
        }
        let sent = since_boot();
        match open.call("SELECT beats, accounts, replicas, timeline FROM ahu.beat_1($1)", &[&&id[..]]) {
            // After a failover, the database before may answer still. Its timeline is a number of eight digits.
            Ok(row) if row.get::<_, &str>(3) < &*lease.timeline() => {
                tracing::warn!("a database answers that is not the primary any more");
            }
            Ok(row) if row.get(0) => {
                lease.0.accounts.store(row.get::<_, i64>(1).cast_unsigned(), Ordering::SeqCst);
                *lock(&lease.0.seen) = (row.get(2), row.get(3));
                lease.note(sent);
                connection = Some(open);
                time = BEAT;
            }
            Ok(_) => {
                tracing::error!(start = hex(id), "another server has taken the place of this one");
                lease.die();
                return;
            }
            Err(fault) => tracing::warn!(error = %fault, "the beat of the server is not confirmed"),
        }
    }
}

//! A proxy that breaks connections: it drops them, delays their bytes, and leaves them half-open.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

/// The maximum number of bytes that a connection carries before its next fault. A call of an agent has some hundred.
const BYTES: usize = 8_000;

/// The maximum time of a delay.
const DELAY: Duration = Duration::from_millis(50);

/// The maximum time for which a half-open connection takes bytes before it is closed. Some are silent for longer than
/// the deadline of an agent.
const SILENCE: Duration = Duration::from_secs(4);

/// The number of faults of each kind.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) dropped: AtomicUsize,
    pub(crate) delayed: AtomicUsize,
    pub(crate) half_open: AtomicUsize,
}

/// A running proxy, which ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    /// The address of the server, which changes with a restart.
    pub(crate) server: watch::Sender<SocketAddr>,
    pub(crate) faults: Arc<Faults>,
    _tasks: JoinSet<()>,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Both sides are closed, and bytes under way are lost.
    Drop,
    /// The bytes wait.
    Delay(Duration),
    /// Bytes are accepted and go nowhere; then both sides are closed.
    HalfOpen(Duration),
}

impl Proxy {
    /// Starts a proxy before the server at this address.
    pub(crate) async fn start(server: SocketAddr, mut rng: ChaCha8Rng) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("the listener is bound");
        let (server, to) = watch::channel(server);
        let faults = Arc::<Faults>::default();
        let counted = Arc::clone(&faults);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.expect("there are file descriptors");
                let to = *to.borrow();
                connections.spawn(connection(client, to, ChaCha8Rng::from_rng(&mut rng), Arc::clone(&counted)));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, server, faults, _tasks: tasks }
    }
}

/// Carries the bytes of one connection until a fault or an end closes it.
async fn connection(client: TcpStream, to: SocketAddr, mut rng: ChaCha8Rng, faults: Arc<Faults>) {
    // An error closes the connection, as a fault would.
    let Ok(server) = TcpStream::connect(to).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (silent, is_silent) = watch::channel(None);
    let mut back = ChaCha8Rng::from_rng(&mut rng);
    tokio::select! {
        // Both sides are closed at the end of this function.
        _ = carry(&client, &server, &mut rng, &silent, is_silent.clone(), &faults) => {}
        _ = carry(&server, &client, &mut back, &silent, is_silent, &faults) => {}
    }
}

/// Carries bytes in one direction until the sender ends, or until a fault. With a time in `silent`, both directions
/// carry nothing more, and end then.
async fn carry(
    from: &TcpStream,
    to: &TcpStream,
    rng: &mut ChaCha8Rng,
    silent: &watch::Sender<Option<Instant>>,
    mut is_silent: watch::Receiver<Option<Instant>>,
    faults: &Faults,
) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut left = rng.random_range(1..BYTES);
    loop {
        let until = *is_silent.borrow_and_update();
        let length = tokio::select! {
            read = read(from, &mut buffer) => read?,
            () = end_of_silence(until) => return Ok(()),
            _ = is_silent.changed(), if until.is_none() => continue,
        };
        if length == 0 {
            return Ok(());
        }
        if until.is_some() {
            continue;
        }
        let (now, later) = buffer[..length].split_at(length.min(left));
        write(to, now).await?;
        left -= now.len();
        if left > 0 {
            continue;
        }
        left = rng.random_range(1..BYTES);
        match fault(rng) {
            Fault::Drop => {
                faults.dropped.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            Fault::Delay(delay) => {
                faults.delayed.fetch_add(1, Ordering::Relaxed);
                sleep(delay).await;
                write(to, later).await?;
            }
            Fault::HalfOpen(silence) => {
                faults.half_open.fetch_add(1, Ordering::Relaxed);
                silent.send_replace(Some(Instant::now() + silence));
            }
        }
    }
}

fn fault(rng: &mut ChaCha8Rng) -> Fault {
    let part = |rng: &mut ChaCha8Rng, of: Duration| of.mul_f64(rng.random_range(0.0..1.0));
    match rng.random_range(0..10) {
        0..3 => Fault::Drop,
        3..9 => Fault::Delay(part(rng, DELAY)),
        _ => Fault::HalfOpen(part(rng, SILENCE)),
    }
}

async fn end_of_silence(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

async fn read(from: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        from.readable().await?;
        match from.try_read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}

async fn write(to: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        to.writable().await?;
        match to.try_write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            written => bytes = &bytes[written?..],
        }
    }
    Ok(())
}

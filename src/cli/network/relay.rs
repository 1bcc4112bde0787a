//! Relays in front of a server. One cuts connections, as a bad network does; the other is a Unix socket for programs without a
//! network.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs, UnixListener};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::cli::CliError;

/// A relay that forwards bytes to and from a server, and cuts its connections on demand.
pub(in crate::cli) struct Relay {
    /// The address of the relay, on a free port of this machine.
    pub(in crate::cli) address: SocketAddr,
    /// Counts the calls of [`Self::cut`]. Each change cuts all open connections.
    orders: watch::Sender<u32>,
    cuts: Arc<AtomicU32>,
}

impl Relay {
    pub(in crate::cli) fn start(runtime: &Runtime, server: SocketAddr) -> Result<Self, CliError> {
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(CliError::failed)?;
        let address = listener.local_addr().map_err(CliError::failed)?;
        let orders = watch::Sender::new(0);
        let cuts = Arc::new(AtomicU32::new(0));
        runtime.spawn(accept(listener, server, orders.clone(), Arc::clone(&cuts)));
        Ok(Self { address, orders, cuts })
    }

    /// Cuts all open connections. New connections are still accepted.
    pub(in crate::cli) fn cut(&self) {
        self.orders.send_modify(|count| *count += 1);
    }

    pub(in crate::cli) fn cuts(&self) -> u32 {
        self.cuts.load(Ordering::Relaxed)
    }
}

/// Listens on a Unix socket at this path, and forwards its connections to `server`, for programs without a network.
pub(in crate::cli) fn forward_socket(runtime: &Runtime, path: &Path, server: &str) -> io::Result<()> {
    let listener = {
        let _entered = runtime.enter();
        UnixListener::bind(path)?
    };
    let server = server.to_owned();
    runtime.spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(forward(client, server.clone()));
        }
    });
    Ok(())
}

async fn accept(listener: TcpListener, server: SocketAddr, orders: watch::Sender<u32>, cuts: Arc<AtomicU32>) {
    while let Ok((client, _)) = listener.accept().await {
        let mut order = orders.subscribe();
        let cuts = Arc::clone(&cuts);
        tokio::spawn(async move {
            // A cut drops both sides of the connection.
            tokio::select! {
                () = forward(client, server) => {}
                _ = order.changed() => {
                    cuts.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
}

async fn forward(mut client: impl AsyncRead + AsyncWrite + Unpin, server: impl ToSocketAddrs) {
    let Ok(mut upstream) = TcpStream::connect(server).await else { return };
    // Either side may close at any time.
    let _ = copy_bidirectional(&mut client, &mut upstream).await;
}

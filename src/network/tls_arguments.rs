//! The arguments of a server for TLS.

use std::path::PathBuf;

use ahu_service::Certificate;

use crate::CliError;

/// The certificate of a server.
#[derive(Debug, clap::Args)]
pub(crate) struct TlsArguments {
    /// Serve TLS with the certificate in this file, in PEM, followed by the certificates of its authorities
    ///
    /// The files are read again when they change. The Unix socket of --uds stays plain.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl TlsArguments {
    /// Reads the certificate; None without one.
    pub(crate) fn certificate(&self) -> Result<Option<Certificate>, CliError> {
        let (Some(chain), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        Certificate::read(chain, key).map(Some).map_err(CliError::failed)
    }
}

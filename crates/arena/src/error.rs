//! The error of a run.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

/// An error that ends a run, or that keeps it from starting. Its text is for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller has asked for something that cannot be: an argument, a file, or an address is wrong.
    #[error("{0}")]
    Usage(String),
    /// The run itself has failed.
    #[error("{0}")]
    Failed(String),
    /// A server cannot listen.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// Returns a function that makes the error for a file or folder. `act` is a verb: "write" gives "cannot write PATH: …".
    pub(crate) fn cannot<E: fmt::Display>(act: &str, path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Failed(format!("cannot {act} {}: {error}", path.display()))
    }
}

//! `ahu serve`: the service, for agents in any language.

use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;

use ahu::service::{self, Matches};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use super::{CliError, Done};

/// Serve the games over gRPC
#[derive(Debug, clap::Args)]
pub(super) struct Serve {
    /// Where to listen; port 0 is one of the system's choosing
    #[arg(long, default_value = "127.0.0.1:50551", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
}

impl Serve {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let filter = EnvFilter::try_from_env("AHU_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
        let runtime = Runtime::new().map_err(CliError::failed)?;
        runtime.block_on(async {
            let listener = TcpListener::bind(self.listen)
                .await
                .map_err(|error| CliError::Failed(format!("cannot listen on {}: {error}", self.listen)))?;
            let address = listener.local_addr().map_err(CliError::failed)?;
            let asked_to_end = asked_to_end().map_err(CliError::failed)?;
            writeln!(out, "ahu listens on {address}")?;
            writeln!(out, "agents reach it there over gRPC; Ctrl-C ends it")?;
            out.flush()?;
            service::run(listener, Matches::default(), asked_to_end).await.map_err(CliError::failed)
        })
    }
}

/// Ctrl-C, or the signal by which init systems and containers end a program.
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

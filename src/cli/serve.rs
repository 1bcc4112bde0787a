//! `ahu serve`: the service, for agents in any language.

use std::io::Write;
use std::net::SocketAddr;

use ahu::service::{self, Matches};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
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
            writeln!(out, "ahu listens on {address}")?;
            writeln!(out, "agents reach it there over gRPC; Ctrl-C ends it")?;
            out.flush()?;
            let interrupted = async {
                // Where the signal cannot be caught, the process ends by it as usual.
                if tokio::signal::ctrl_c().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            service::run(listener, Matches::default(), interrupted).await.map_err(CliError::failed)
        })
    }
}

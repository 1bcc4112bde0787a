//! `ahu serve`: the service, for agents in any language.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use ahu::host::MemoryLog;
use ahu::service::{self, Environments, Limits, Listener, Matches};
use tokio::net::{TcpListener, UnixListener};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use super::{CliError, Done};

/// Serve the games over gRPC
///
/// What happens is told on standard error; `AHU_LOG` says how much, such as `AHU_LOG=debug`.
#[derive(Debug, clap::Args)]
pub(super) struct Serve {
    /// Where to listen; port 0 is one of the system's choosing [default: 127.0.0.1:50551, without --uds]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    listen: Option<SocketAddr>,
    /// Listen on a Unix socket at this path
    #[arg(long, value_name = "PATH")]
    uds: Option<PathBuf>,
    /// Once ready, write where it listens, a line each, into this file descriptor
    #[arg(long, value_name = "NUMBER")]
    ready_fd: Option<u32>,
    /// End when standard input ends, as it does when the program that started this one is gone
    #[arg(long)]
    exit_with_stdin: bool,
    /// How many matches to keep; at the limit, the one that was finished first makes room
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().matches as u32, value_parser = clap::value_parser!(u32).range(1..))]
    max_matches: u32,
    /// How long to keep a match in which nothing happens, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().match_idle.as_secs(), value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    match_idle: u64,
    /// How many environments of trainers may be open at a time
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().environments as u32, value_parser = clap::value_parser!(u32).range(1..))]
    max_environments: u32,
}

/// An address and a port; `localhost` is this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    numeric
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| "an address and a port belong here, such as 127.0.0.1:0".to_owned())
}

impl Serve {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let filter = EnvFilter::builder().with_default_directive(tracing::Level::INFO.into());
        let filter = filter.parse(std::env::var("AHU_LOG").unwrap_or_default());
        let filter = filter.map_err(|error| CliError::Usage(format!("AHU_LOG: {error}")))?;
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(io::stderr().is_terminal())
            .with_writer(io::stderr)
            .init();
        let runtime = Runtime::new().map_err(CliError::failed)?;
        let served = runtime.block_on(self.serve(out));
        // A read of standard input may be under way, and would hold up the end.
        runtime.shutdown_background();
        served
    }

    async fn serve(&self, out: &mut impl Write) -> Done {
        let (listeners, places) = self.listeners().await?;
        // They have been bound: the socket is ours to remove.
        let _socket = self.uds.as_deref().map(Socket);
        let limits = Limits {
            matches: self.max_matches as usize,
            match_idle: Duration::from_secs(self.match_idle),
            environments: self.max_environments as usize,
            ..Limits::default()
        };
        let environments = Environments::new(&limits);
        let matches = Matches::new(limits, Box::<MemoryLog>::default());
        let closing = self.closing().map_err(CliError::failed)?;
        for place in &places {
            writeln!(out, "ahu listens on {place}")?;
        }
        writeln!(
            out,
            "agents reach it there over gRPC (CreateMatch, JoinMatch, Observe, Step), trainers too (Run); Ctrl-C ends it"
        )?;
        out.flush()?;
        self.say_ready(&places)?;
        let mut serving = tokio::task::JoinSet::new();
        for listener in listeners {
            let mut closing = closing.clone();
            serving.spawn(service::run(listener, matches.clone(), environments.clone(), async move {
                // Whoever would send is gone only where the end has come anyway.
                let _ = closing.wait_for(|&closing| closing).await;
            }));
        }
        while let Some(served) = serving.join_next().await {
            served.map_err(CliError::failed)?.map_err(CliError::failed)?;
        }
        Ok(())
    }

    /// The listeners, and where they are reached.
    async fn listeners(&self) -> Result<(Vec<Listener>, Vec<String>), CliError> {
        let mut listeners = Vec::new();
        let mut places = Vec::new();
        let usual = self.uds.is_none().then(|| SocketAddr::from(([127, 0, 0, 1], 50551)));
        if let Some(address) = self.listen.or(usual) {
            let cannot = |error| CliError::Failed(format!("cannot listen on {address}: {error}"));
            let listener = TcpListener::bind(address).await.map_err(cannot)?;
            places.push(listener.local_addr().map_err(CliError::failed)?.to_string());
            listeners.push(listener.into());
        }
        if let Some(path) = &self.uds {
            let place = format!("unix:{}", path.display());
            let cannot = |error| CliError::Failed(format!("cannot listen on {place}: {error}"));
            listeners.push(bind(path).map_err(cannot)?.into());
            places.push(place);
        }
        Ok((listeners, places))
    }

    fn say_ready(&self, places: &[String]) -> Done {
        let Some(number) = self.ready_fd else { return Ok(()) };
        let path = format!("/dev/fd/{number}");
        let lines = places.join("\n") + "\n";
        let opened = OpenOptions::new().write(true).open(&path);
        let written = opened.and_then(|mut ready| ready.write_all(lines.as_bytes()));
        written.map_err(|error| CliError::Failed(format!("cannot write into file descriptor {number}: {error}")))
    }

    /// Becomes true with Ctrl-C, with the signal by which init systems and containers end a program, or
    /// when standard input ends, where that was asked for.
    fn closing(&self) -> io::Result<watch::Receiver<bool>> {
        let (closing, is_closing) = watch::channel(false);
        let by_signal = closing.clone();
        let signalled = asked_to_end()?;
        tokio::spawn(async move {
            signalled.await;
            by_signal.send_replace(true);
        });
        if self.exit_with_stdin {
            thread::spawn(move || {
                // What comes in means nothing, nor does the way in which it ends.
                let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
                closing.send_replace(true);
            });
        }
        Ok(is_closing)
    }
}

/// A Unix socket of ours, which goes when we go.
struct Socket<'a>(&'a Path);

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        // Where somebody has removed it, there is nothing to remove.
        let _ = fs::remove_file(self.0);
    }
}

/// Listens at a path. A socket that nobody listens at any more is in nobody's way; a file is.
fn bind(path: &Path) -> io::Result<UnixListener> {
    match UnixStream::connect(path) {
        Ok(_) => return Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens there")),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // A file that is no socket refuses connections too.
            if fs::symlink_metadata(path)?.file_type().is_socket() {
                fs::remove_file(path)?;
            }
        }
        Err(_) => {}
    }
    UnixListener::bind(path)
}

/// Ctrl-C, or the signal by which init systems and containers end a program.
pub(super) fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

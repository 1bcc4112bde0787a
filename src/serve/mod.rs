//! `ahu serve`: serves the games over gRPC, for agents in any language.

mod shares;
mod sockets;
mod store;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ahu_arena::programs::{EndSignals, temporary_folder};
use ahu_arena::{listener_at, raise_open_file_limit};
use ahu_service::accounts::Accounts;
use ahu_service::limits::RESERVED_DESCRIPTORS;
use ahu_service::store::{Keep, Place};
use ahu_service::{
    self, Audit, Certificate, Limits, Listener, Page, Rate, Server, Share, Stderr, TrustedProxies, agent_key_hash,
    new_agent_key,
};
use rustix::process::Signal;
use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use self::shares::{rate, share};
use self::sockets::{Socket, admin_listener, bind, metrics_listener};
use self::store::{Opened, died};
use crate::arguments::units::{keep, size, time};
use crate::files::key_file;
use crate::network::listener::{address, named, page_at};
use crate::network::metrics_address::{DEFAULT_METRICS, MetricsAddress, metrics_address};
use crate::network::tls_arguments::TlsArguments;
use crate::terminal::has_colours;
use crate::{CliError, Done};

/// Serve the games over gRPC
///
/// Logs go to stderr; set the level with `AHU_LOG`, such as `AHU_LOG=debug` or `AHU_LOG=warn,ahu=info`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Serve {
    /// The address to listen on; port 0 means a free port [default: 127.0.0.1:50551, unless --uds is given]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    listen: Option<SocketAddr>,
    /// Listen on this port of 127.0.0.1
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,
    /// Listen on a Unix socket at this path
    #[arg(long, value_name = "PATH")]
    uds: Option<PathBuf>,
    /// For programs that start the server: write the addresses to this file descriptor, one per line, once it is ready
    #[arg(long, value_name = "NUMBER")]
    ready_fd: Option<u32>,
    /// For programs that start the server: exit when stdin closes, such as when the parent process exits
    #[arg(long)]
    exit_with_stdin: bool,
    /// Keep matches in this folder, which is created if it is missing, or in a database, as `postgres://USER@HOST/DATABASE`, so
    /// that they outlive the server
    ///
    /// Without it, matches live in memory and end with the server. `ahu data` looks after the folder. A database is of
    /// PostgreSQL 15 or newer, and is empty at first; the variable `PGPASSWORD` has the password.
    #[arg(long, value_name = "PLACE", value_parser = Place::read)]
    data: Option<Place>,
    /// Wait for the end of the server that uses the database, and go on in its place
    ///
    /// Until then, this server answers every call with `UNAVAILABLE`, and health with `NOT_SERVING`.
    #[arg(long, requires = "data")]
    spare: bool,
    /// The bounds of the store: an age, a size, or both, such as `30d,10GB`; matches that ended first go first
    /// [default: keep everything]
    #[arg(long, value_name = "BOUNDS", value_parser = keep, requires = "data")]
    keep: Option<Keep>,
    /// The maximum memory of matches that have ended, such as `1GB`; beyond it, those that ended first leave memory, and
    /// are read back from `--data` when somebody asks
    #[arg(long, value_name = "SIZE", default_value = "128MiB", value_parser = size)]
    match_memory: u64,
    /// The maximum number of matches that have not ended; at the limit, the server refuses new ones
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().matches as u32, value_parser = clap::value_parser!(u32).range(1..))]
    max_matches: u32,
    /// The time after which a match that nobody joins is cancelled, and after which one that has ended leaves memory
    #[arg(long, value_name = "TIME", default_value_t = Limits::default().match_idle.as_secs(), value_parser = seconds("365d"))]
    match_idle: u64,
    /// The limit of one decision in matches without a clock; an agent that takes longer forfeits its seat
    #[arg(long, value_name = "TIME", default_value_t = Limits::default().decision_idle.as_secs(), value_parser = seconds("1d"))]
    decision_idle: u64,
    /// The maximum number of open environments, over all trainers
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().environments as u32, value_parser = clap::value_parser!(u32).range(1..))]
    max_environments: u32,
    /// The maximum number of playouts of a search bot for a decision
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().bot_playouts, value_parser = clap::value_parser!(u32).range(1..))]
    bot_playouts: u32,
    /// The maximum number of open connections; fewer if the system permits fewer file descriptors
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().connections as u32, value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// Set a share of each address elsewhere, such as `matches=100`; may be provided multiple times
    ///
    /// The names are connections, calls, matches, bot-matches, playouts, environments, environment-streams,
    /// unopened-streams, watchers, and bytes. `GetServerInfo` shows the shares of its caller.
    #[arg(long = "share", value_name = "NAME=COUNT", value_parser = share)]
    shares: Vec<(Share, u32)>,
    /// Set a share of this machine, that is, of its loopback addresses together and of its Unix sockets together
    #[arg(long = "local-share", value_name = "NAME=COUNT", value_parser = share)]
    local_shares: Vec<(Share, u32)>,
    /// Set what each address elsewhere may begin in a second, such as `calls=1000`; what comes too early waits; may be
    /// provided multiple times
    ///
    /// The names are calls, connections, and frames (of HTTP/2; a ping or a reset counts as four). `GetServerInfo` shows the
    /// rates of its caller.
    #[arg(long = "rate", value_name = "NAME=COUNT", value_parser = rate)]
    rates: Vec<(Rate, u32)>,
    /// Set a rate of this machine, counted as its shares are
    #[arg(long = "local-rate", value_name = "NAME=COUNT", value_parser = rate)]
    local_rates: Vec<(Rate, u32)>,
    #[command(flatten)]
    tls: TlsArguments,
    /// Take the addresses of callers from the headers of these proxies, such as `10.0.0.0/8`; `unix` is for those that use the
    /// Unix socket
    ///
    /// The caller is the last address in `--proxy-header` that is not that of a trusted proxy. Callers without a readable address
    /// have one share elsewhere together.
    #[arg(long, value_name = "CIDR", value_delimiter = ',')]
    trust_proxy: Vec<String>,
    /// The one header in which the trusted proxies write the address of a caller: a list of addresses, or `Forwarded`
    ///
    /// The server reads no other header: a client may have written it.
    #[arg(long, value_name = "NAME", default_value = "X-Forwarded-For", requires = "trust_proxy")]
    proxy_header: String,
    /// Serve metrics in the text format of Prometheus here, as `ADDRESS:PORT` or `unix:PATH` [default without a value:
    /// 127.0.0.1:50552]
    ///
    /// `ahu status` reads them. They tell more than players should know, such as the number of all calls.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = DEFAULT_METRICS, value_parser = metrics_address)]
    metrics: Option<MetricsAddress>,
    /// Serve no web page; the port is then for gRPC alone
    #[arg(long)]
    no_web: bool,
    /// A name by which browsers may reach this server, beside `localhost` and addresses; may be provided multiple times
    ///
    /// A browser that asks for another name is refused, so that a foreign site cannot give its own name to this server.
    #[arg(long = "host-name", value_name = "NAME", conflicts_with = "no_web", value_parser = host_name)]
    host_names: Vec<String>,
    /// The time for which the server goes on after a signal to end, such as `30s`, while it reports that it is not ready; a
    /// second signal ends it at once
    ///
    /// Load balancers then send new clients elsewhere before connections end. `ahu drain` reports the same without an end.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = time("0s", "1h"))]
    drain: Duration,
    /// Let the organiser who has the key in this file schedule cups here; the file is written if it is missing
    ///
    /// `ahu cup run --server HOST:PORT --organiser-key FILE` is the other side.
    #[arg(long, value_name = "FILE")]
    organiser_key: Option<PathBuf>,
    /// Answer only calls with the key of an account, or with the token of a seat that was taken with one
    ///
    /// `ahu accounts` and `ahu keys` make accounts and keys. Health, reflection, and the catalog of games stay open. Without this
    /// option a key is optional, and is checked if it is sent.
    #[arg(long, requires = "data")]
    require_key: bool,
    /// Set a share of each account, such as `matches=100`; `ahu accounts set` sets that of one account
    #[arg(long = "account-share", value_name = "NAME=COUNT", value_parser = share, requires = "data")]
    account_shares: Vec<(Share, u32)>,
    /// Set what each account may begin in a second, such as `calls=1000`
    #[arg(long = "account-rate", value_name = "NAME=COUNT", value_parser = rate, requires = "data")]
    account_rates: Vec<(Rate, u32)>,
    /// The format of the log: lines for people, or an object of JSON a line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

impl Serve {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        if self.spare && !matches!(self.data, Some(Place::Database(_))) {
            return Err(CliError::Usage("--spare: expected --data postgres://…, got a folder".to_owned()));
        }
        let filter = EnvFilter::builder().with_default_directive(tracing::Level::INFO.into());
        let filter = filter.parse(std::env::var("AHU_LOG").unwrap_or_default());
        let filter = filter.map_err(|error| CliError::Usage(format!("AHU_LOG: {error}")))?;
        // It logs the arguments of tools, which have the tokens of seats, and whatever a stranger sends in place of a tool.
        let filter = filter.add_directive("rmcp=off".parse().map_err(CliError::failed)?);
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Stderr);
        match self.log_format {
            LogFormat::Text => log.with_ansi(has_colours(&io::stderr())).init(),
            LogFormat::Json => log.json().flatten_event(true).init(),
        }
        let runtime = Runtime::new().map_err(CliError::failed)?;
        let served = runtime.block_on(self.serve(out));
        // Do not wait for background work: a pending read of stdin would delay the exit.
        runtime.shutdown_background();
        served
    }

    async fn serve(&self, out: &mut impl Write) -> Done {
        let (listeners, places) = self.listeners().await?;
        // This process has made the socket, so it removes it.
        let _socket = self.uds.as_deref().map(Socket);
        let limits = self.limits();
        let proxies = self.proxies()?;
        let (metrics, _metrics_socket) = match &self.metrics {
            Some(place @ MetricsAddress::Unix(path)) => (Some(metrics_listener(place).await?), Some(Socket(path))),
            Some(place) => (Some(metrics_listener(place).await?), None),
            None => (None, None),
        };
        outlive_file_limits().map_err(CliError::failed)?;
        let certificate = self.tls.certificate()?;
        let scheme = if certificate.is_some() { "https" } else { "http" };
        let place = metrics.as_ref().map(|(_, place)| &**place);
        if self.spare {
            self.say_ready(scheme, &places, place, out)?;
        }
        let key = self.organiser_key.as_deref().map(organiser).transpose()?;
        let mut signals = EndSignals::begin().map_err(CliError::failed)?;
        if self.exit_with_stdin {
            crate::end_with_stdin();
        }
        let of_metrics = metrics.as_ref().map(|(listener, _)| listener);
        self.warn_of_plain_text(certificate.is_some());
        let front = |server| self.with_front(server, &proxies, certificate.as_ref());
        let store = match self.store(&listeners, of_metrics, &limits, &front, &mut signals).await? {
            Opened::Ended => return Ok(()),
            Opened::Kept(store, lease) => Some((store, lease)),
            Opened::InMemory => None,
        };
        // A connection to a database must not wait on a thread that serves.
        let server = tokio::task::block_in_place(|| self.server(limits, store))?;
        let lease = server.lease();
        let mut server = front(server);
        // Without a data folder, the copy of the journal lives as long as the server.
        let mut temporary = None;
        if self.organiser_key.is_some() || self.data.is_some() {
            let folder = match &self.data {
                Some(Place::Folder(data)) => data,
                _ => temporary.insert(temporary_folder("ahu-").map_err(CliError::failed)?).path(),
            };
            server = server.with_organisers(key, &folder.join(CUPS)).map_err(CliError::failed)?;
        }
        let audit = self.data.as_ref().map_or_else(Audit::default, Audit::open);
        if let Some(data) = &self.data {
            let accounts =
                tokio::task::block_in_place(|| Accounts::of_server(data, lease.clone())).map_err(CliError::failed)?;
            if self.require_key && accounts.is_empty() {
                tracing::warn!("every call needs a key, and there is no account yet: see `ahu accounts add --help`");
            }
            server = server.with_accounts(accounts, audit.clone(), self.require_key);
        }
        let admin = match &self.data {
            Some(Place::Folder(data)) => admin_listener(data),
            _ => None,
        };
        let _admin_socket = admin.as_ref().map(|(_, path)| Socket(path));
        let closing = self.closing(server.clone(), signals);
        if !self.spare {
            self.say_ready(scheme, &places, place, out)?;
        }
        let closed = || {
            let mut closing = closing.clone();
            async move {
                // An error means that the sender is gone, which happens only while the server is closing.
                let _ = closing.wait_for(|&closing| closing).await;
            }
        };
        let mut serving = tokio::task::JoinSet::new();
        if let Some((listener, _)) = metrics {
            let metrics = ahu_service::serve_metrics(listener, server.clone(), closed());
            serving.spawn(async { Ok(metrics.await?) });
        }
        if let Some((listener, _)) = &admin {
            let listener = listener.try_clone().and_then(UnixListener::from_std).map_err(CliError::failed)?;
            let admin = ahu_service::serve_admin(listener, server.clone(), closed());
            serving.spawn(async {
                admin.await;
                Ok(())
            });
        }
        for listener in listeners {
            serving.spawn(ahu_service::run(listener, server.clone(), closed()));
        }
        loop {
            tokio::select! {
                ended = serving.join_next() => match ended {
                    Some(ended) => ended.map_err(CliError::failed)?.map_err(CliError::failed)?,
                    None => break,
                },
                () = died(lease.as_ref()) => return Err(CliError::failed("another server has taken the place of this one")),
            }
        }
        if !tokio::task::block_in_place(|| server.matches().flush()) {
            tracing::error!("the store has failed: it has all that was acknowledged, and no more");
        }
        audit.close();
        if let Some(lease) = lease {
            // A spare goes on at once.
            tokio::task::block_in_place(|| lease.end());
        }
        Ok(())
    }

    fn proxies(&self) -> Result<TrustedProxies, CliError> {
        let mut proxies = TrustedProxies::default();
        for proxy in &self.trust_proxy {
            proxies.add(proxy).map_err(|message| CliError::Usage(format!("--trust-proxy: {message}")))?;
        }
        let headed = proxies.set_header(&self.proxy_header);
        headed.map_err(|message| CliError::Usage(format!("--proxy-header: {message}")))?;
        Ok(proxies)
    }

    /// Returns the limits of the server, with the shares and rates of the arguments.
    fn limits(&self) -> Limits {
        let mut limits = Limits {
            matches: self.max_matches as usize,
            ended_bytes: usize::try_from(self.match_memory).unwrap_or(usize::MAX),
            match_idle: Duration::from_secs(self.match_idle),
            decision_idle: Duration::from_secs(self.decision_idle),
            environments: self.max_environments as usize,
            bot_playouts: self.bot_playouts,
            connections: connections_within(self.max_connections as usize, raise_open_file_limit()),
            ..Limits::default()
        };
        limits.bound_shares();
        self.shares.iter().for_each(|&(share, count)| limits.shares[share] = count);
        self.local_shares.iter().for_each(|&(share, count)| limits.local_shares[share] = count);
        self.account_shares.iter().for_each(|&(share, count)| limits.account_shares[share] = count);
        self.account_rates.iter().for_each(|&(rate, count)| limits.account_rates[rate] = count);
        self.rates.iter().for_each(|&(rate, count)| limits.rates[rate] = count);
        self.local_rates.iter().for_each(|&(rate, count)| limits.local_rates[rate] = count);
        limits
    }

    /// Returns a server, working or spare, with what its callers meet first: proxies, TLS, and the page.
    fn with_front(&self, server: Server, proxies: &TrustedProxies, certificate: Option<&Certificate>) -> Server {
        let server = server.with_proxies(proxies.clone());
        let server = match certificate {
            Some(certificate) => server.with_certificate(certificate.clone()),
            None => server,
        };
        if self.no_web { server } else { server.with_page(Page::new(self.host_names.clone())) }
    }

    fn warn_of_plain_text(&self, has_certificate: bool) {
        let is_public = self.listen.is_some_and(|address| !address.ip().is_loopback());
        if is_public && !has_certificate && self.trust_proxy.is_empty() {
            tracing::warn!(
                "plain text on a public address: anybody on the way can read tokens; use --tls-cert and --tls-key, or \
                 --trust-proxy for a proxy that speaks TLS"
            );
        }
    }

    /// Binds all listeners. Returns them with the texts of their addresses.
    async fn listeners(&self) -> Result<(Vec<Listener>, Vec<String>), CliError> {
        let mut listeners = Vec::new();
        let mut places = Vec::new();
        let port = self.port.or(self.uds.is_none().then_some(50551));
        let usual = port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        if let Some(address) = self.listen.or(usual) {
            let listener = listener_at(address).await?;
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

    /// Says where the server can be reached: at the terminal by its name, to the file descriptor of `--ready-fd` by its address.
    fn say_ready(&self, scheme: &str, places: &[String], metrics: Option<&str>, out: &mut impl Write) -> Done {
        let name = self.host_names.first();
        let page = places.iter().find_map(|place| place.parse().ok()).filter(|_| !self.no_web);
        let browsers = page.map_or(String::new(), |address| format!(", browsers {}", page_at(scheme, address, name)));
        let with_scheme = |place: String| match scheme == "https" && !place.starts_with("unix:") {
            true => format!("https://{place}"),
            false => place,
        };
        let by_name = |place: &String| named(scheme, place.parse().ok()?, name);
        let shown = places.iter().map(|place| with_scheme(by_name(place).unwrap_or_else(|| place.clone())));
        let mut lines: Vec<_> = shown.map(|place| format!("ahu listens on {place}")).collect();
        let places: Vec<_> = places.iter().cloned().map(with_scheme).collect();
        lines.push(format!(
            "agents use MatchService (CreateMatch, JoinMatch, Observe, Step), trainers EnvironmentService (Run){browsers}; stop \
             with Ctrl-C"
        ));
        lines.push(match &self.data {
            Some(data) if self.spare => format!("this is a spare: it waits for the end of the server that uses {data}"),
            Some(data) => format!("matches are kept in {data}"),
            None => "matches are kept in memory only; --data DIR keeps them on disk".to_owned(),
        });
        if let Some(path) = &self.organiser_key {
            lines.push(format!("the organiser's key is in {}", path.display()));
        }
        if let Some(place) = metrics {
            lines.push(format!("metrics are served on {place}"));
        }
        // A server goes on without a reader of these lines.
        let _ = out.write_all((lines.join("\n") + "\n").as_bytes()).and_then(|()| out.flush());
        let Some(number) = self.ready_fd else { return Ok(()) };
        let ready = OpenOptions::new().write(true).open(format!("/dev/fd/{number}"));
        let written = ready.and_then(|mut ready| ready.write_all((places.join("\n") + "\n").as_bytes()));
        written.map_err(|error| CliError::Failed(format!("cannot write to file descriptor {number}: {error}")))
    }

    /// Returns a value that becomes true after Ctrl-C or SIGTERM, and the time in which the server drains.
    fn closing(&self, server: Server, mut signals: EndSignals) -> watch::Receiver<bool> {
        let (closing, is_closing) = watch::channel(false);
        let drain = self.drain;
        tokio::spawn(async move {
            signals.next().await;
            server.set_draining(true);
            if !drain.is_zero() {
                tracing::info!(seconds = drain.as_secs(), "draining; a second signal ends the server at once");
                let _ = tokio::time::timeout(drain, signals.next()).await;
            }
            closing.send_replace(true);
        });
        is_closing
    }
}

/// Returns the hash of the organiser's key in this file, which is made if it is missing.
fn organiser(path: &Path) -> Result<[u8; 32], CliError> {
    Ok(agent_key_hash(&key_file::read_or_create(path, new_agent_key)?))
}

/// Returns a parser for times of at least a second, in whole seconds.
fn seconds(most: &'static str) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| time("1s", most)(text).map(|time| time.as_secs())
}

pub(super) fn host_name(text: &str) -> Result<String, String> {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|character| character.is_ascii_alphanumeric() || "-_".contains(character))
    };
    match text.split('.').all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("expected a name without a port, such as games.example.org".to_owned()),
    }
}

/// The folder with the copies of the journals of organisers' cups, in the data folder.
const CUPS: &str = "cups";

/// Returns the number of connections to permit if `descriptors` is the limit of open files. Other parts of the server need some
/// of them.
fn connections_within(asked: usize, descriptors: Option<u64>) -> usize {
    let left = descriptors.map_or(u64::MAX, |limit| limit.saturating_sub(RESERVED_DESCRIPTORS).max(limit / 2));
    asked.min(usize::try_from(left).unwrap_or(usize::MAX)).max(1)
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail like a write to a full disk. Without this handler, a signal
/// would end the process.
fn outlive_file_limits() -> io::Result<()> {
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

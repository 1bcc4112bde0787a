//! The server: its matches and environments, and what belongs to all of it, such as its limiter, its page, and its cups. [`run`]
//! serves it on a listener.

use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::middleware;
use futures_util::future::OptionFuture;
use tokio::sync::watch;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::codec::CompressionEncoding;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};

use super::accounts::{Accounts, Scope, Scopes};
use super::admission::{Certificate, Gate, Listener, TrustedProxies, WithDeadlines, admitted, secured, serve_call};
use super::audit::Audit;
use super::cups::Cups;
use super::handlers::{Catalog, Environments};
use super::matches::Matches;
use super::organiser::CupId;
use super::secrets::TokenHash;
use super::store::Lease;
use super::web::{Page, Sessions};
use super::{Error, limits, web};
use crate::proto::DESCRIPTORS;
use crate::proto::cup::cup_service_server::CupServiceServer;
use crate::proto::cup::organiser_service_server::OrganiserServiceServer;
use crate::proto::v1::catalog_service_server::CatalogServiceServer;
use crate::proto::v1::environment_service_server::EnvironmentServiceServer;
use crate::proto::v1::match_service_server::MatchServiceServer;

/// The name under which a server reports whether it is ready for new clients: false while it drains or ends, and while its store
/// fails. Each service reports the same. The empty name reports whether the server runs.
pub(super) const READY: &str = "ahu.ready";

/// The names of the services whose health a server reports.
const SERVICES: [&str; 6] = [
    READY,
    CatalogServiceServer::<Catalog>::NAME,
    MatchServiceServer::<Matches>::NAME,
    EnvironmentServiceServer::<Environments>::NAME,
    CupServiceServer::<Cups>::NAME,
    OrganiserServiceServer::<Cups>::NAME,
];

/// A server. Clones are the same server, and several listeners may serve it.
#[derive(Clone, Debug)]
pub struct Server {
    pub(super) matches: Matches,
    pub(super) environments: Environments,
    /// The proxies whose headers have the addresses of calls.
    pub(super) proxies: Arc<TrustedProxies>,
    pub(super) cups: Cups,
    /// The web page, if there is one.
    pub(super) page: Option<Page>,
    /// The sessions of the web page.
    pub(super) sessions: Sessions,
    /// True if every call needs a key.
    pub(super) requires_key: bool,
    /// The certificate for TLS on its ports; None for plain text.
    pub(super) certificate: Option<Certificate>,
    /// The right to answer, of a server on a database; None for one that always has it.
    pub(super) lease: Option<Lease>,
    /// True while the server reports that it is not ready for new clients.
    draining: watch::Sender<bool>,
}

impl Server {
    /// Creates a server with these matches and environments. It shows no cup and no page, and trusts no proxy and no
    /// organiser.
    pub fn new(matches: Matches, environments: Environments) -> Self {
        Self {
            cups: Cups::new(matches.clone()),
            matches,
            environments,
            proxies: Arc::default(),
            page: None,
            sessions: Sessions::default(),
            requires_key: false,
            certificate: None,
            lease: None,
            draining: watch::Sender::new(false),
        }
    }

    /// Serves TLS on all ports, in place of plain text. Unix sockets stay plain.
    #[must_use]
    pub fn with_certificate(self, certificate: Certificate) -> Self {
        Self { certificate: Some(certificate), ..self }
    }

    /// Admits the keys of these accounts, and writes the audit. Organisers among them host cups: see [`Self::with_organisers`].
    /// If `requires_key` is true, every call needs a key.
    #[must_use]
    pub fn with_accounts(self, accounts: Accounts, audit: Audit, requires_key: bool) -> Self {
        if accounts.has_valid_key_for(Scopes::of(&[Scope::Organise])) {
            self.matches.seat_queues.await_organiser();
        }
        self.matches.set_accounts(accounts, audit);
        Self { requires_key, ..self }
    }

    /// Answers only while this lease is held, and refuses all calls otherwise.
    #[must_use]
    pub fn with_lease(self, lease: Lease) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// Sets whether the server drains: it then reports that it is not ready, so that load balancers send it no new clients, and
    /// goes on serving.
    pub fn set_draining(&self, is_draining: bool) {
        self.draining.send_replace(is_draining);
    }

    /// Takes the addresses of calls from the headers of these proxies.
    #[must_use]
    pub fn with_proxies(self, proxies: TrustedProxies) -> Self {
        Self { proxies: Arc::new(proxies), ..self }
    }

    /// Shows the cup with this journal.
    #[must_use]
    pub fn with_cup(self, id: CupId, journal: &Path) -> Self {
        self.cups.show(id, journal);
        self
    }

    /// Permits organisers to host cups: accounts with the scope `organise`, and the one whose key has the hash `key`, if there is
    /// one: see [`agent_key_hash`](super::agent_key_hash). The journals of their cups are copied into this folder, and the server
    /// shows the cups that it has.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn with_organisers(self, key: Option<[u8; 32]>, folder: &Path) -> io::Result<Self> {
        if let Some(key) = key {
            self.matches.seat_queues.await_organiser();
            // A server has one such organiser.
            let _ = self.matches.organiser.set(TokenHash(key));
        }
        self.cups.admit_organisers(folder)?;
        Ok(self)
    }

    /// Serves the web page beside the API.
    #[must_use]
    pub fn with_page(self, page: Page) -> Self {
        Self { page: Some(page), ..self }
    }

    fn catalog(&self) -> Catalog {
        let (accounts, organise) = (self.matches.accounts(), Scopes::of(&[Scope::Organise]));
        let features = [
            ("page", self.page.is_some()),
            ("mcp", self.page.is_some() && cfg!(feature = "mcp")),
            ("organiser", self.matches.has_organiser() || accounts.is_some_and(|all| all.has_valid_key_for(organise))),
        ];
        let features = features.into_iter().filter(|(_, has)| *has).map(|(name, _)| name.to_owned()).collect();
        Catalog { matches: self.matches.clone(), requires_key: self.requires_key, features }
    }

    /// Returns the services that tools for language models call, without the layer of calls.
    #[cfg(feature = "mcp")]
    fn for_tools(&self) -> axum::Router {
        const MAX: usize = limits::MAX_REQUEST_BYTES;
        let matches = self.matches.clone();
        let catalog = CatalogServiceServer::new(self.catalog()).max_decoding_message_size(MAX);
        let matches = MatchServiceServer::new(matches).max_decoding_message_size(MAX);
        Routes::new(catalog).add_service(matches).into_axum_router()
    }

    /// Returns the link of tools in this process to this server. Nothing is counted for their calls.
    #[cfg(feature = "mcp")]
    pub fn link(&self) -> crate::mcp::ServerLink {
        crate::mcp::ServerLink::within(self.for_tools(), |_| ())
    }

    /// Returns true if the server takes new clients.
    fn is_ready(&self) -> bool {
        self.may_answer() && !*self.draining.borrow() && self.matches.store_failing().borrow().is_none()
    }

    /// Returns the right to answer, of a server on a database.
    pub fn lease(&self) -> Option<Lease> {
        self.lease.clone()
    }

    /// Returns true if no other server can have taken the place of this one.
    pub(super) fn may_answer(&self) -> bool {
        self.lease.as_ref().is_none_or(Lease::is_held)
    }

    /// Returns the matches.
    pub fn matches(&self) -> &Matches {
        &self.matches
    }
}

impl From<Matches> for Server {
    /// Creates a server for these matches, with the default limits of environments.
    fn from(matches: Matches) -> Self {
        Self::new(matches, Environments::default())
    }
}

/// Serves until `shutdown` is done. Then running calls may end, and waiting calls get an error.
///
/// Listener and shutdown come from outside, so that tests need no process and no fixed port. A caller that keeps a clone
/// of the matches or environments sees the same matches and environments.
pub async fn run(
    listener: impl Into<Listener>,
    server: impl Into<Server>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let server = &server.into();
    let (health, health_service) = tonic_health::server::health_reporter();
    let set_health = async |is_ready| {
        let status = if is_ready { ServingStatus::Serving } else { ServingStatus::NotServing };
        for service in SERVICES {
            health.set_service_status(service, status).await;
        }
    };
    set_health(server.is_ready()).await;
    let reporting = async {
        let (mut draining, mut failing) = (server.draining.subscribe(), server.matches.store_failing());
        loop {
            // A server keeps both senders.
            tokio::select! {
                _ = draining.changed() => {}
                _ = failing.changed() => {}
                () = tokio::time::sleep(limits::BEAT / 2), if server.lease.is_some() => {}
            }
            set_health(server.is_ready()).await;
        }
    };
    let ready = tonic::transport::Server::builder()
        .accept_http1(server.page.is_some())
        .max_concurrent_streams(limits::MAX_STREAMS)
        .initial_stream_window_size(limits::STREAM_WINDOW)
        .initial_connection_window_size(limits::CONNECTION_WINDOW)
        .http2_keepalive_interval(Some(limits::KEEPALIVE));
    let routes = WithDeadlines(routes(server, health_service)?);

    let (closed, mut is_closed) = watch::channel(false);
    let shutdown = async {
        shutdown.await;
        tracing::info!("closing");
        server.set_draining(true);
        set_health(false).await;
        health.set_service_status("", ServingStatus::NotServing).await;
        server.matches.close();
        server.environments.close();
        closed.send_replace(true);
    };
    let gate = Gate {
        limiter: server.matches.limiter().clone(),
        proxies: Arc::clone(&server.proxies),
        metrics: server.matches.metrics().clone(),
    };
    let serving = async {
        match listener.into() {
            Listener::Tcp(listener) => {
                let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
                let Some(certificate) = &server.certificate else {
                    return ready.serve_with_incoming_shutdown(routes, admitted(incoming, gate), shutdown).await;
                };
                let secured = secured(incoming, gate, certificate);
                tokio::select! {
                    ended = ready.serve_with_incoming_shutdown(routes, secured, shutdown) => ended,
                    never = certificate.follow() => match never {},
                }
            }
            Listener::Unix(listener) => {
                let incoming = UnixListenerStream::new(listener);
                ready.serve_with_incoming_shutdown(routes, admitted(incoming, gate), shutdown).await
            }
        }
    };
    // A server announces keys that expire.
    let accounts = OptionFuture::from(server.matches.accounts().map(Accounts::follow));
    let changed_accounts = OptionFuture::from(
        server.matches.accounts().zip(server.lease.as_ref()).map(|(accounts, lease)| accounts.follow_database(lease)),
    );
    let lease = OptionFuture::from(server.lease.as_ref().map(|lease| {
        // Nobody pays for the time in which the server answers nothing.
        lease.follow(|is_held| server.matches.stand_still(!is_held))
    }));
    tokio::select! {
        ended = serving => Ok(ended?),
        Some(never) = lease => never,
        never = expire(&server.matches) => never,
        never = reporting => never,
        Some(never) = accounts => never,
        Some(never) = changed_accounts => never,
        () = async {
            // `shutdown` above sends, and the sender is there until the end.
            let _ = is_closed.wait_for(|&closed| closed).await;
            tokio::time::sleep(limits::CLOSING_GRACE).await;
        } => Ok(()),
    }
}

/// Returns the routes of all services, and of the page.
fn routes(server: &Server, health: HealthServer<impl Health>) -> Result<axum::Router, Error> {
    const MAX: usize = limits::MAX_REQUEST_BYTES;
    /// A service whose requests may be compressed. tonic bounds what it unpacks, before it has room for it.
    macro_rules! packed {
        ($service:expr) => {
            $service
                .max_decoding_message_size(MAX)
                .accept_compressed(CompressionEncoding::Gzip)
                .accept_compressed(CompressionEncoding::Deflate)
        };
    }
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let server = Arc::new(server.clone());
    let catalog = server.catalog();
    let Server { matches, environments, cups, page, .. } = (*server).clone();
    let pages = page.as_ref().map(|_| {
        let router = web::routes(Arc::clone(&server));
        #[cfg(feature = "mcp")]
        let router = router.merge(web::mcp::route(
            server.for_tools().layer(middleware::from_fn_with_state(Arc::clone(&server), serve_call)),
            matches.clone(),
            Arc::clone(&server.proxies),
        ));
        router
    });
    let routes = pages
        .map_or_else(Routes::default, Into::into)
        .add_service(packed!(health))
        .add_service(reflection().build_v1()?.max_decoding_message_size(MAX))
        .add_service(reflection().build_v1alpha()?.max_decoding_message_size(MAX))
        .add_service(packed!(CatalogServiceServer::new(catalog)))
        .add_service(packed!(MatchServiceServer::new(matches)))
        .add_service(packed!(CupServiceServer::new(cups.clone())))
        .add_service(packed!(OrganiserServiceServer::new(cups)))
        .add_service(
            EnvironmentServiceServer::new(environments).max_decoding_message_size(limits::MAX_RUN_REQUEST_BYTES),
        );
    let unguarded = routes.into_axum_router();
    let guarded = match page {
        Some(page) => web::guarded(unguarded, page),
        None => unguarded,
    };
    Ok(guarded.layer(middleware::from_fn_with_state(server, serve_call)).with_state(()))
}

/// Drops idle matches, for as long as it is polled.
async fn expire(matches: &Matches) -> Result<(), Error> {
    let mut period = tokio::time::interval(limits::expiry_period(matches.limits().match_idle));
    loop {
        period.tick().await;
        matches.expire();
    }
}

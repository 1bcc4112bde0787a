//! A connection to PostgreSQL, used by one thread at a time.
//!
//! The client is asynchronous, on a runtime of the connection alone: so each call has a time limit, after which the socket is
//! closed. A proxy that lives, or a database that hangs, could hold a call for ever, and keepalives do not see it. A call blocks
//! its thread, which must not be one of the runtime that serves.

use std::fmt;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use ahu_core::hex;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, Error, NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

use crate::limits::{DATABASE_CALL, DATABASE_CONNECT};
use crate::store::{OpenError, StoreError};

/// The oldest version of PostgreSQL that is supported.
const OLDEST: i32 = 15;

/// The id of a start of a server: 128 random bits.
pub(super) type StartId = [u8; 16];

/// The address of a database, as `postgres://USER@HOST/DATABASE`.
#[derive(Clone)]
pub struct Database {
    config: Arc<Config>,
    tls: Option<MakeRustlsConnect>,
}

/// A connection, and the runtime on which it lives.
pub(super) struct Connection {
    /// None once it is dropped.
    runtime: Option<Runtime>,
    client: Client,
    /// True if the database has warned since the last look.
    has_warned: Arc<AtomicBool>,
}

/// The failure of a call.
#[derive(Debug)]
pub(super) enum Fault {
    /// The database has refused the call, and has done nothing of it.
    Refused {
        /// The code.
        code: SqlState,
        /// The words of the database.
        message: String,
    },
    /// There was no answer, or a warning beside it: whether the call was carried out, and is kept, is unknown.
    Unknown(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { code, message } => write!(f, "{message} ({})", code.code()),
            Self::Unknown(reason) => f.write_str(reason),
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        Self::Failed(format!("the database: {fault}"))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        // After a fatal error the connection is gone, and with it the answer to a commit.
        let refusal = error.as_db_error().filter(|error| error.parsed_severity() == Some(Severity::Error));
        match refusal {
            Some(refusal) => {
                let detail = refusal.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
                let message = format!("{}{detail}", refusal.message());
                Self::Refused { code: refusal.code().clone(), message }
            }
            None => Self::Unknown(in_words(&error)),
        }
    }
}

/// Returns an error with its causes.
fn in_words(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |words, cause| {
        let cause = cause.to_string();
        if words.contains(&cause) { words } else { format!("{words}: {cause}") }
    })
}

impl Database {
    /// Reads the URL of a database, as libpq writes it. `sslmode` may also be `verify-full`, which is what `require` means here,
    /// and is the default for other machines. `sslrootcert` names a file with the certificates to trust in place of those of the
    /// system. Without a password, the variable `PGPASSWORD` has it.
    ///
    /// # Errors
    /// If the text is no such URL, or the file of certificates cannot be read. The message does not have the password.
    pub fn read(url: &str) -> Result<Self, String> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        if query.contains('@') {
            return Err("expected %3F and %40 in place of ? and @ in a password".to_owned());
        }
        let mut roots = None;
        let mut kept = Vec::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("sslrootcert", path)) => roots = Some(path),
                Some(("sslmode", "verify-full")) => kept.push("sslmode=require"),
                Some(("sslmode", "verify-ca" | "allow")) => {
                    return Err(format!("expected sslmode disable, prefer, require, or verify-full, got {part}"));
                }
                _ => kept.push(part),
            }
        }
        let url = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
        let expected =
            |error: Error| format!("expected a URL such as postgres://ahu@db.example.org/ahu: {}", in_words(&error));
        let mut config: Config = url.parse().map_err(expected)?;
        if config.get_dbname().is_none() {
            return Err(
                "expected the name of a database in the URL, such as postgres://ahu@db.example.org/ahu".to_owned()
            );
        }
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        config.connect_timeout(DATABASE_CONNECT).tcp_user_timeout(DATABASE_CALL);
        let is_tcp = config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)));
        let is_own = |host: &Host| match host {
            Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback()),
            Host::Unix(_) => true,
        };
        // A man in the middle could say that the database offers no TLS.
        if !kept.iter().any(|part| part.starts_with("sslmode=")) && !config.get_hosts().iter().all(is_own) {
            config.ssl_mode(SslMode::Require);
        }
        let has_tls = is_tcp && config.get_ssl_mode() != SslMode::Disable;
        let tls = has_tls.then(|| tls(roots)).transpose()?;
        Ok(Self { config: Arc::new(config), tls })
    }
}

/// Writes the address without the password.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        for (n, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}")?,
                Host::Unix(path) => write!(f, "{comma}{}", path.display())?,
            }
            let port = self.config.get_ports().get(n).or(self.config.get_ports().first());
            port.filter(|port| **port != 5432).map_or(Ok(()), |port| write!(f, ":{port}"))?;
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the settings of TLS: certificates are always verified.
fn tls(roots: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let Some(path) = roots else {
        return MakeRustlsConnect::with_native_certs().map(|(tls, _)| tls).map_err(|errors| {
            let first = errors.first().map_or_else(|| "there are none".to_owned(), ToString::to_string);
            format!("the certificates of the system cannot be read: {first}; sslrootcert names others")
        });
    };
    let cannot = |error: &dyn fmt::Display| format!("sslrootcert: cannot read {path}: {error}");
    let mut store = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| cannot(&error))? {
        store.add(certificate.map_err(|error| cannot(&error))?).map_err(|error| cannot(&error))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| cannot(&error))?.with_root_certificates(store).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

impl Connection {
    /// Connects, and checks what a promise to keep commits needs of the database. The application name tells the start to which a
    /// connection belongs that writes, so that another start can end it.
    pub(super) fn open(database: &Database, start: Option<&StartId>) -> Result<Self, OpenError> {
        let unusable = |reason: String| OpenError::Failed(format!("the database {database} cannot be used: {reason}"));
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| unusable(error.to_string()))?;
        let has_warned = Arc::new(AtomicBool::new(false));
        let mut config = Config::clone(&database.config);
        config.application_name(start.map_or("ahu".to_owned(), |start| format!("ahu {}", hex(start))));
        let connecting = async {
            match &database.tls {
                Some(tls) => config.connect(tls.clone()).await.map(|(client, connection)| {
                    drive(connection, Arc::clone(&has_warned));
                    client
                }),
                None => config.connect(NoTls).await.map(|(client, connection)| {
                    drive(connection, Arc::clone(&has_warned));
                    client
                }),
            }
        };
        // Hosts are tried one after the other, and a name may have two addresses.
        let more = 2 * database.config.get_hosts().len().max(1) as u32 - 1;
        let time = DATABASE_CALL + DATABASE_CONNECT * more;
        let limited = runtime.block_on(async { tokio::time::timeout(time, connecting).await });
        let late = |_| unusable(format!("no answer within {} s", time.as_secs_f64()));
        let client = limited.map_err(late)?.map_err(|error| unusable(in_words(&error)))?;
        let connection = Self { runtime: Some(runtime), client, has_warned };
        connection
            .check()
            .map_err(|fault| unusable(fault.to_string()))?
            .map_or(Ok(connection), |reason| Err(unusable(reason)))
    }

    /// Checks the settings of the database. Returns what is wrong with them.
    fn check(&self) -> Result<Option<String>, Fault> {
        // Whatever the settings of the role are.
        self.batch(
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; \
             SET idle_in_transaction_session_timeout = '5s'",
        )?;
        // A pooler that gives each transaction another session answers with another process.
        let pids = [self.pid()?, self.pid()?];
        let row = self.one(
            "SELECT current_setting('server_version_num')::integer / 10000, pg_is_in_recovery(), current_setting('fsync'), \
             current_setting('full_page_writes'), current_setting('transaction_read_only')",
            &[],
        )?;
        let (version, is_replica): (i32, bool) = (row.get(0), row.get(1));
        let [fsync, pages, read_only] = [2, 3, 4].map(|column| row.get::<_, String>(column));
        Ok(match () {
            () if version < OLDEST => Some(format!("expected PostgreSQL {OLDEST} or newer, got version {version}")),
            () if is_replica => Some("expected a database that can be written, got a replica".to_owned()),
            () if read_only == "on" => {
                Some("expected a database that can be written, got one that is read only".to_owned())
            }
            () if fsync != "on" => Some("expected fsync = on, got off: a commit could be lost".to_owned()),
            () if pages != "on" => Some("expected full_page_writes = on, got off: a crash could damage it".to_owned()),
            () if pids[0] != pids[1] => Some(
                "expected a connection of its own, got a pooler in transaction mode; name the database itself"
                    .to_owned(),
            ),
            () => None,
        })
    }

    /// Returns the number of the process that serves this connection.
    fn pid(&self) -> Result<i32, Fault> {
        Ok(self.one("SELECT pg_backend_pid()", &[])?.get(0))
    }

    /// Waits for a call, for a bounded time. After a fault that is unknown, the connection is not to be used any more.
    pub(super) fn wait<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Fault> {
        self.wait_within(DATABASE_CALL, call)
    }

    /// Does the same for a call that may take this time.
    pub(super) fn wait_within<T>(
        &self,
        time: Duration,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Fault> {
        let runtime = self.runtime.as_ref().expect("it is there until the drop");
        let answer = runtime.block_on(async { tokio::time::timeout(time, call).await });
        let late = |_| Fault::Unknown(format!("no answer within {} s", time.as_secs_f64()));
        Ok(answer.map_err(late)??)
    }

    /// Calls a function of the database that commits.
    pub(super) fn call(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, Fault> {
        self.commit(self.client.query_one(sql, values))
    }

    /// Waits for a call that commits. A warning beside the answer may say that a synchronous replica does not have it.
    pub(super) fn commit<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Fault> {
        self.has_warned.store(false, Ordering::SeqCst);
        let answer = self.wait(call)?;
        match self.has_warned.swap(false, Ordering::SeqCst) {
            true => Err(Fault::Unknown("the wait for a synchronous replica was cancelled".to_owned())),
            false => Ok(answer),
        }
    }

    pub(super) fn prepare(&self, sql: &str, types: &[Type]) -> Result<Statement, Fault> {
        self.wait(self.client.prepare_typed(sql, types))
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns all rows of a query.
    pub(super) fn rows(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Fault> {
        self.wait(self.client.query(sql, values))
    }

    /// Returns the only row of a query; None without one.
    pub(super) fn row(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Option<Row>, Fault> {
        self.wait(self.client.query_opt(sql, values))
    }

    /// Returns the row of a query that always has one.
    pub(super) fn one(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, Fault> {
        self.wait(self.client.query_one(sql, values))
    }

    /// Executes statements without values.
    pub(super) fn batch(&self, sql: &str) -> Result<(), Fault> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Returns true if the connection is gone.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // A runtime that is dropped as it is would wait for its work, which a thread that serves calls must not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// Drives a connection on the present runtime, and notes its warnings.
fn drive<S, T>(mut connection: tokio_postgres::Connection<S, T>, has_warned: Arc<AtomicBool>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(poll_fn(move |context| {
        loop {
            match connection.poll_message(context) {
                Poll::Ready(Some(Ok(AsyncMessage::Notice(notice)))) => {
                    if notice.parsed_severity() == Some(Severity::Warning) {
                        tracing::warn!(warning = notice.message(), "the database warns");
                        has_warned.store(true, Ordering::SeqCst);
                    }
                }
                Poll::Ready(Some(Ok(_))) => {}
                // The caller gets the error with its answer.
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }));
}

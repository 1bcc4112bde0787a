//! A proxy before the socket of PostgreSQL: it holds the answers of the database, and cuts its connections.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The name of the socket in its folder, which clients of PostgreSQL know.
const SOCKET: &str = ".s.PGSQL.5432";

/// The behaviour of a proxy.
#[derive(Clone, Copy, Debug, Default)]
struct Mode {
    /// True while requests pass and answers wait.
    is_silent: bool,
    /// The number of times that all connections were cut.
    cuts: u64,
}

/// A running proxy, which ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Wire {
    folder: TempDir,
    mode: watch::Sender<Mode>,
    /// The socket of the database.
    to: watch::Sender<PathBuf>,
    /// The number of answers that were held.
    held: watch::Sender<u64>,
    _tasks: JoinSet<()>,
}

impl Wire {
    /// Starts a proxy before the socket in this folder.
    pub(crate) fn start(to: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("the folder is new");
        let (mode, held, to) =
            (watch::Sender::default(), watch::Sender::default(), watch::Sender::new(to.join(SOCKET)));
        let mut tasks = JoinSet::new();
        let (of_tasks, counted, leads) = (mode.clone(), held.clone(), to.subscribe());
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.expect("there are file descriptors");
                connections.spawn(connection(client, leads.borrow().clone(), of_tasks.subscribe(), counted.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { folder, mode, to, held, _tasks: tasks }
    }

    /// Returns the URL of a database behind the proxy.
    pub(crate) fn url(&self, database: &str) -> String {
        let host = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://ahu@{host}/{database}")
    }

    /// Leads new connections to the socket in this folder, and cuts the others.
    pub(crate) fn lead_to(&self, folder: &Path) {
        self.to.send_replace(folder.join(SOCKET));
        self.cut();
    }

    /// Lets requests pass and holds the answers, or lets both pass.
    pub(crate) fn set_silent(&self, is_silent: bool) {
        self.mode.send_modify(|mode| mode.is_silent = is_silent);
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        self.mode.send_modify(|mode| mode.cuts += 1);
    }

    /// Holds the answers until this number of them waits.
    pub(crate) async fn hold(&self, answers: u64) {
        let mut held = self.held.subscribe();
        let before = *held.borrow();
        self.set_silent(true);
        held.wait_for(|&now| now >= before + answers).await.expect("the proxy has the sender");
    }
}

async fn connection(client: UnixStream, to: PathBuf, mut mode: watch::Receiver<Mode>, held: watch::Sender<u64>) {
    let cuts = mode.borrow().cuts;
    // An error closes the connection, as a fault would.
    let Ok(server) = UnixStream::connect(to).await else { return };
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let requests = tokio::io::copy(&mut from_client, &mut to_server);
    let mut answering = mode.clone();
    let answers = async {
        let mut buffer = [0; 16 * 1024];
        loop {
            let length = from_server.read(&mut buffer).await?;
            if length == 0 {
                return Ok::<_, io::Error>(());
            }
            if answering.borrow_and_update().is_silent {
                held.send_modify(|held| *held += 1);
            }
            let opened = answering.wait_for(|mode| !mode.is_silent).await;
            opened.map(drop).map_err(io::Error::other)?;
            to_client.write_all(&buffer[..length]).await?;
        }
    };
    tokio::select! {
        // Both sides are closed at the end of this function.
        _ = requests => {}
        _ = answers => {}
        _ = mode.wait_for(|mode| mode.cuts > cuts) => {}
    }
}

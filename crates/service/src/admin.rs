//! The admin socket of a server: `DIR/admin.sock`, for the owner of the folder alone. A connection sends commands, one line of
//! JSON each, and gets an answer of one line for each.

use std::future::Future;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{self, UnixListener};
use tokio::task::JoinSet;

use super::accounts::{Accounts, Command, Reply, SentCommand};
use super::audit::Audit;
use super::limits::{ACCEPT_PAUSE, ADMIN_TIME, MAX_ADMIN_COMMAND};
use super::server::Server;
use super::socket_path::at_short_path;
use super::store::maintenance::{MaintenanceError, server_process};
use super::store::{OpenError, Place, SqliteOptions, SqliteStore};

/// The name of the socket in the folder of a server.
pub const ADMIN_SOCKET: &str = "admin.sock";

/// The number of times that a command asks again a server that has locked its folder and does not listen yet, and the pause
/// before each.
const ASK_TRIES: u32 = 50;
const ASK_PAUSE: Duration = Duration::from_millis(100);

/// Answers the commands of the operator until `shutdown` is done. The caller has made the socket readable for its owner alone.
pub async fn serve_admin(listener: UnixListener, server: Server, shutdown: impl Future<Output = ()>) {
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => return,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let server = server.clone();
                    connections.spawn(async move {
                        if let Err(error) = answer(stream, &server).await {
                            tracing::debug!(%error, "a connection of the admin socket has ended");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection of the admin socket cannot be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

/// Answers the commands of one connection.
async fn answer(stream: net::UnixStream, server: &Server) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read.take(MAX_ADMIN_COMMAND as u64));
    loop {
        let mut line = String::new();
        let got = tokio::time::timeout(ADMIN_TIME, read.read_line(&mut line)).await;
        if got.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?? == 0 {
            return Ok(());
        }
        let reply = match serde_json::from_str(&line) {
            Ok(command) => {
                let server = server.clone();
                // A change waits for the disk.
                tokio::task::spawn_blocking(move || server.execute(command)).await?
            }
            Err(error) => Reply::Refused { message: format!("expected a command, got another line: {error}") },
        };
        let mut text = serde_json::to_string(&reply)?;
        text.push('\n');
        write.write_all(text.as_bytes()).await?;
        read.get_mut().set_limit(MAX_ADMIN_COMMAND as u64);
    }
}

impl Server {
    /// Carries out a command of the operator. Blocks the thread while the store is written.
    pub fn execute(&self, command: SentCommand) -> Reply {
        self.matches.audit().noted(command, |command| match (command, self.matches.accounts()) {
            (SentCommand { command: Command::Drain { draining }, .. }, _) => {
                tracing::info!(is_draining = draining, "the server reports whether it is ready for new clients");
                self.set_draining(draining);
                Reply::Draining { draining }
            }
            (command, Some(accounts)) => accounts.execute(command),
            (_, None) => Reply::Refused { message: "expected a server with a data folder, got one without".to_owned() },
        })
    }
}

/// The reason why a command of the operator got no answer.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The folder cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The folder cannot be looked at.
    #[error(transparent)]
    Folder(#[from] MaintenanceError),
    /// A server uses the folder, and cannot be asked.
    #[error("the server that uses {} cannot be asked over {}: {error}", folder.display(), ADMIN_SOCKET)]
    Socket {
        /// The folder.
        folder: PathBuf,
        /// The error of the socket.
        error: io::Error,
    },
}

/// Carries out a command in the store of a server. In a folder, asks the server that uses it, or does the work here if no server
/// does; if `create` is true, a missing folder is created. A server on a database notices by itself that accounts have changed.
/// Blocks the thread.
///
/// An error means that nothing was changed. If a server may have carried out the command, the answer is [`Reply::Failed`].
pub fn execute_in(place: &Place, command: Command, create: bool) -> Result<Reply, AdminError> {
    let folder = match (place, &command) {
        (Place::Folder(folder), _) => folder,
        (Place::Database(database), Command::Drain { .. }) => {
            let message =
                format!("expected a folder, got the database {database}: end its server by SIGTERM to drain it");
            return Ok(Reply::Refused { message });
        }
        (Place::Database(_), _) => return Ok(execute_here(place, command.into())?),
    };
    let mut was_sent = false;
    match try_in(folder, &command.into(), create, &mut was_sent) {
        Err(error) if was_sent => Ok(Reply::Failed { message: error.to_string() }),
        done => done,
    }
}

/// Does the work of [`execute_in`], and tells whether a server may have got the command. A server may die between a change and
/// its answer, so the command is sent again, or done here, with the same id.
fn try_in(folder: &Path, command: &SentCommand, create: bool, was_sent: &mut bool) -> Result<Reply, AdminError> {
    let mut tries = ASK_TRIES;
    loop {
        let asked = at_short_path(&folder.join(ADMIN_SOCKET), |path| UnixStream::connect(path)).and_then(|stream| {
            *was_sent = true;
            ask(stream, command)
        });
        let error = match asked {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        if let Command::Drain { .. } = command.command
            && server_process(folder)?.is_none()
        {
            let message = format!("expected a server that uses {}, got none", folder.display());
            return Ok(Reply::Refused { message });
        }
        match SqliteStore::open(folder, &SqliteOptions { create, ..SqliteOptions::default() }) {
            Ok(store) => {
                // The folder stays locked until the command is done.
                let reply = execute_here(&folder.into(), command.clone());
                drop(store);
                return Ok(reply?);
            }
            // A server that begins has locked its folder before it listens.
            Err(OpenError::InUse { .. }) if tries > 0 => {
                tries -= 1;
                std::thread::sleep(ASK_PAUSE);
            }
            Err(OpenError::InUse { .. }) => return Err(AdminError::Socket { folder: folder.to_owned(), error }),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Carries out a command in a database, or in a folder that the caller has locked.
fn execute_here(place: &Place, command: SentCommand) -> Result<Reply, OpenError> {
    let accounts = match command.command.act() {
        Some(_) => Accounts::open_to_change(place)?,
        None => Accounts::open(place)?,
    };
    let audit = Audit::open(place);
    let reply = audit.noted(command, |command| accounts.execute(command));
    audit.close();
    Ok(reply)
}

/// Asks the server at the other end.
fn ask(mut stream: UnixStream, command: &SentCommand) -> io::Result<Reply> {
    stream.set_read_timeout(Some(ADMIN_TIME))?;
    stream.set_write_timeout(Some(ADMIN_TIME))?;
    let mut line = serde_json::to_string(command)?;
    line.push('\n');
    io::Write::write_all(&mut stream, line.as_bytes())?;
    let mut reply = String::new();
    io::BufRead::read_line(&mut io::BufReader::new(stream), &mut reply)?;
    Ok(serde_json::from_str(&reply)?)
}

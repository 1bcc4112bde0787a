//! Programs at the table: a server of our own for them, and their lives from start to end.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ahu::core::Seat;
use ahu::host::record::check_name;
use ahu::service::{self, Hosted, Matches};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::{CliError, Done};

/// How often it is looked whether a program still runs.
const LOOK: Duration = Duration::from_millis(50);
/// How long programs have to end by themselves when the match is over.
const GRACE: Duration = Duration::from_secs(5);

/// The programs of a match. Where there are none, there is no server either.
pub(super) struct Programs {
    matches: Matches,
    hosted: Arc<Hosted>,
    server: Option<Server>,
    running: Vec<(Seat, Child)>,
}

struct Server {
    runtime: Runtime,
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
}

impl Programs {
    pub(super) fn new(matches: Matches, hosted: Arc<Hosted>) -> Self {
        Self { matches, hosted, server: None, running: Vec::new() }
    }

    /// Starts the program `command` for a seat, and tells it where to play by its environment.
    pub(super) fn start(&mut self, seat: u32, command: &str) -> Done {
        if self.server.is_none() {
            self.server = Some(serve(self.matches.clone())?);
        }
        let server = self.server.as_ref().expect("it was started");
        let name = name_of(command);
        let (seat, token) = self.hosted.join(Some(seat), &name).map_err(|fault| CliError::failed(fault.message()))?;
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .env("AHU_ADDRESS", server.address.to_string())
            .env("AHU_MATCH", &self.hosted.id)
            .env("AHU_SEAT", seat.to_string())
            .env("AHU_TOKEN", token)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| CliError::Failed(format!("cannot start \"{command}\": {error}")))?;
        pass_on(seat, child.stdout.take());
        pass_on(seat, child.stderr.take());
        self.running.push((seat, child));
        Ok(())
    }

    /// Waits until something happens in the match. For a program that has ended a stand-in plays on.
    pub(super) fn wait(&mut self) -> Done {
        let Some(server) = &self.server else {
            return Err(CliError::Failed("nobody is left to play".to_owned()));
        };
        let mut changes = self.hosted.changes();
        let before = *changes.borrow_and_update();
        if self.hosted.is_finished() || before != *self.hosted.changes().borrow() {
            return Ok(());
        }
        server.runtime.block_on(async {
            // Whether there is a change or the time is up: both are looked into.
            let _ = tokio::time::timeout(LOOK, changes.changed()).await;
        });
        let mut ended = Vec::new();
        for (seat, child) in &mut self.running {
            if let Ok(Some(status)) = child.try_wait() {
                ended.push((*seat, status));
            }
        }
        for (seat, status) in ended {
            self.running.retain(|(other, _)| *other != seat);
            if !self.hosted.is_finished() {
                report(seat, &format!("the program has ended ({status}): a stand-in plays on"));
                self.hosted.forfeit(seat);
            }
        }
        Ok(())
    }

    /// Gives the programs time to end, then ends them, and the server.
    pub(super) fn end(&mut self) {
        let deadline = Instant::now() + if self.hosted.is_finished() { GRACE } else { Duration::ZERO };
        while !self.running.is_empty() && Instant::now() < deadline {
            self.running.retain_mut(|(_, child)| !matches!(child.try_wait(), Ok(Some(_))));
            thread::sleep(Duration::from_millis(5));
        }
        for (seat, mut child) in self.running.drain(..) {
            report(seat, "the program did not end by itself and is stopped");
            // It may have ended in this moment: then there is nothing to stop.
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(Server { runtime, shutdown, .. }) = self.server.take() {
            // The server may have ended by itself.
            let _ = shutdown.send(());
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        self.end();
    }
}

/// Serves `matches` on a port of the system's choosing.
fn serve(matches: Matches) -> Result<Server, CliError> {
    let runtime = Runtime::new().map_err(CliError::failed)?;
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(CliError::failed)?;
    let address = listener.local_addr().map_err(CliError::failed)?;
    let (shutdown, is_shut) = oneshot::channel();
    runtime.spawn(service::run(listener, matches, async {
        // The sender sends, or is gone: both mean the end.
        let _ = is_shut.await;
    }));
    Ok(Server { runtime, address, shutdown })
}

/// What a program is called: the last word of its command that is a file of its own, without the
/// folder. `python3 bots/careful.py --fast` is `careful.py`.
fn name_of(command: &str) -> String {
    let words = || command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let word = words().rfind(|word| !word.starts_with('-') && word.contains(['/', '.'])).or_else(|| words().next());
    let name: String = word.and_then(|word| word.rsplit('/').next()).unwrap_or("").chars().take(16).collect();
    if check_name(&name).is_ok() { name } else { "agent".to_owned() }
}

/// Prints what a program prints, line by line, with its seat.
fn pass_on(seat: Seat, source: Option<impl Read + Send + 'static>) {
    let Some(source) = source else { return };
    thread::spawn(move || {
        for line in BufReader::new(source).lines().map_while(Result::ok) {
            report(seat, &line);
        }
    });
}

fn report(seat: Seat, line: &str) {
    // Where nobody reads errors, there is nobody to tell.
    let _ = writeln!(io::stderr(), "[seat {seat}] {line}");
}

//! The programs that play seats of a local match: their server, their start, their output, and their end.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use ahu::core::{Seat, SeatSet};
use ahu::host::record::check_name;
use ahu::host::{Cause, Ending, Referee};
use ahu::service::{self, Environments, LiveMatch, Matches};
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::{oneshot, watch};

use super::relay::Relay;
use super::serve::asked_to_end;
use super::{CliError, Done};

/// The interval of the checks whether a program still runs.
const LOOK: Duration = Duration::from_millis(50);
/// The time that programs have to exit by themselves after the match.
const GRACE: Duration = Duration::from_secs(5);
/// The maximum wait for the last lines of a program that has exited: its child processes may still hold its output
/// open.
const LAST_LINES: Duration = Duration::from_secs(1);
/// The maximum length of a line of output, in bytes. Longer lines are printed in pieces.
const MAX_LINE: u64 = 64 * 1024;
/// The exit code after a signal: the same as that of a shell after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// The programs of a match, and their server. The server starts with the first program.
pub(super) struct Programs {
    matches: Matches,
    live: Arc<LiveMatch>,
    /// Runs the waits of this thread.
    waits: Runtime,
    server: Option<Server>,
    relay: Option<Relay>,
    running: Arc<Mutex<Vec<Program>>>,
}

struct Server {
    runtime: Runtime,
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
}

/// A program in a process group of its own, so that its child processes can be stopped with it.
struct Program {
    seat: Seat,
    child: Child,
    started: Instant,
    outputs: Vec<Receiver<Infallible>>,
}

impl Programs {
    pub(super) fn new(matches: Matches, live: Arc<LiveMatch>) -> Result<Self, CliError> {
        let waits = runtime::Builder::new_current_thread().enable_time().build().map_err(CliError::failed)?;
        Ok(Self { matches, live, waits, server: None, relay: None, running: Arc::default() })
    }

    /// Starts the program `command` for a seat. Environment variables tell the program where to play.
    pub(super) fn start(&mut self, seat: u32, command: &str) -> Result<Seat, CliError> {
        let address = self.server()?.address;
        self.start_at(address, seat, command)
    }

    /// Starts a program as [`Self::start`] does, behind a relay that can cut its connections.
    pub(super) fn start_behind_relay(&mut self, seat: u32, command: &str) -> Result<Seat, CliError> {
        let server = self.server()?;
        let relay = Relay::start(&server.runtime, server.address)?;
        let address = relay.address;
        self.relay = Some(relay);
        self.start_at(address, seat, command)
    }

    /// Cuts the connections of the program behind the relay, if there is one. The output says so, since the program may
    /// report the lost connection.
    pub(super) fn cut(&self, seat: Seat) {
        if let Some(relay) = &self.relay {
            report(seat, "(check-agent cuts the connection on purpose)");
            relay.cut();
        }
    }

    /// Returns the number of connections that were cut.
    pub(super) fn cuts(&self) -> u32 {
        self.relay.as_ref().map_or(0, Relay::cuts)
    }

    /// Returns the server. Starts it on the first call.
    fn server(&mut self) -> Result<&Server, CliError> {
        if self.server.is_none() {
            let server = serve(self.matches.clone())?;
            end_with_us(&server.runtime, Arc::clone(&self.running))?;
            self.server = Some(server);
        }
        Ok(self.server.as_ref().expect("it was started"))
    }

    fn start_at(&mut self, address: SocketAddr, seat: u32, command: &str) -> Result<Seat, CliError> {
        let name = name_of(command);
        let (seat, token) = self.live.join(Some(seat), &name).map_err(|error| CliError::failed(error.message()))?;
        // Hold the lock until the program is in the list, so that a signal stops this program too.
        let mut running = lock(&self.running);
        let child = Command::new("sh")
            .args(["-c", command])
            .env("AHU_ADDRESS", address.to_string())
            .env("AHU_MATCH", &*self.live.id)
            .env("AHU_SEAT", seat.to_string())
            .env("AHU_TOKEN", token)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| CliError::Failed(format!("cannot start \"{command}\": {error}")))?;
        running.push(Program::new(seat, child));
        Ok(seat)
    }

    /// Waits for a change, at most [`LOOK`]. Then declares the exit of programs, and the timeout of those that owe a
    /// decision and have not called the server within `patience`.
    pub(super) fn wait(&mut self, changes: &mut watch::Receiver<u64>, patience: Duration) {
        self.pause(changes);
        for (seat, status) in self.ended() {
            if !self.is_over() {
                report(seat, &format!("the program has ended ({status})"));
                self.live.fault(seat, Cause::Exited);
            }
        }
        for seat in self.silent(patience) {
            if self.live.with_referee(|referee| referee.owes(seat)) == Some(true) {
                report(seat, &format!("the program has not called the server for {} s", patience.as_secs_f64()));
                self.live.forfeit(seat, Cause::Timeout);
            }
        }
    }

    /// Returns the seats of the programs that run for longer than this and have not called the server.
    fn silent(&self, patience: Duration) -> Vec<Seat> {
        let running = lock(&self.running);
        let is_silent =
            |program: &&Program| program.started.elapsed() > patience && !self.live.has_called(program.seat);
        running.iter().filter(is_silent).map(|program| program.seat).collect()
    }

    fn is_over(&self) -> bool {
        self.live.with_referee(Referee::is_over) == Some(true)
    }

    /// Waits for a change, at most [`LOOK`].
    pub(super) fn pause(&self, changes: &mut watch::Receiver<u64>) {
        self.waits.block_on(async {
            // The caller looks at the match after a change and after a timeout alike.
            let _ = tokio::time::timeout(LOOK, changes.changed()).await;
        });
    }

    /// Returns the seats and the exit statuses of the programs that have exited since the last call. All their output
    /// is printed.
    pub(super) fn ended(&self) -> Vec<(Seat, ExitStatus)> {
        let mut running = lock(&self.running);
        let (mut ended, mut others) = (Vec::new(), Vec::new());
        for mut program in running.drain(..) {
            match program.ended() {
                Some(status) => ended.push((program, status)),
                None => others.push(program),
            }
        }
        *running = others;
        drop(running);
        let heard = ended.into_iter().map(|(program, status): (Program, _)| {
            program.hear_out();
            (program.seat, status)
        });
        heard.collect()
    }

    /// Waits for the programs to exit, stops those that do not, and shuts the server down. Returns the seats of the
    /// programs with their exit statuses; None for a program that had to be stopped. Does not wait for a program that
    /// was too slow or absent, nor if the match was not finished.
    pub(super) fn end(&mut self) -> Vec<(Seat, Option<ExitStatus>)> {
        let mut ends = Vec::new();
        let hung = self.live.with_referee(|referee| {
            let is_hung = |seat: &Seat| matches!(referee.forfeits()[*seat], Some(Cause::Timeout | Cause::Absent));
            (referee.ending() == Some(Ending::Finished))
                .then(|| referee.setup().seats().iter().filter(is_hung).collect())
        });
        if let Some(hung) = hung.flatten() {
            let deadline = Instant::now() + GRACE;
            while Instant::now() < deadline && self.any_runs_but(hung) {
                thread::sleep(Duration::from_millis(5));
            }
        }
        for mut program in lock(&self.running).drain(..) {
            let ended = program.ended();
            if ended.is_none() {
                report(program.seat, "the program did not exit by itself and is stopped");
                program.stop();
            }
            program.hear_out();
            ends.push((program.seat, ended));
        }
        if let Some(Server { runtime, shutdown, .. }) = self.server.take() {
            // An error means that the server has already ended.
            let _ = shutdown.send(());
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        ends
    }

    /// Returns true if the program of a seat other than these has not exited.
    fn any_runs_but(&self, seats: SeatSet) -> bool {
        lock(&self.running).iter_mut().any(|program| !seats.contains(program.seat) && program.ended().is_none())
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        self.end();
    }
}

impl Program {
    /// Wraps a process that was started, and prints its output.
    fn new(seat: Seat, mut child: Child) -> Self {
        let out = child.stdout.take().map(|source| pass_on(seat, source));
        let err = child.stderr.take().map(|source| pass_on(seat, source));
        Self { seat, child, started: Instant::now(), outputs: out.into_iter().chain(err).collect() }
    }

    /// Returns the exit status if the program has exited.
    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Stops the program and its child processes. The shell that runs it, or a wrapper script, would not forward a
    /// signal, so the signal goes to the process group. The id of the group is still valid, as the exit of the program
    /// has not been collected yet.
    fn stop(&mut self) {
        let group = format!("kill -s KILL -- -{}", self.child.id());
        // An error means that the program has just exited by itself.
        let _ = Command::new("sh").args(["-c", &group]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until all output of the program is printed, at most [`LAST_LINES`].
    fn hear_out(&self) {
        let deadline = Instant::now() + LAST_LINES;
        for output in &self.outputs {
            // No message is ever sent: the call returns when the sender is dropped at the end of the output.
            let _ = output.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

fn lock(running: &Mutex<Vec<Program>>) -> MutexGuard<'_, Vec<Program>> {
    running.lock().expect("no holder of the lock panics")
}

/// Stops the programs when a signal ends this process. Ctrl-C does not reach them, as they have process groups of
/// their own.
fn end_with_us(runtime: &Runtime, running: Arc<Mutex<Vec<Program>>>) -> Done {
    let _inside = runtime.enter();
    let asked_to_end = asked_to_end().map_err(CliError::failed)?;
    runtime.spawn(async move {
        asked_to_end.await;
        for program in lock(&running).iter_mut() {
            if program.ended().is_none() {
                program.stop();
            }
        }
        process::exit(INTERRUPTED);
    });
    Ok(())
}

/// Serves `matches` on a free port.
fn serve(matches: Matches) -> Result<Server, CliError> {
    let runtime = Runtime::new().map_err(CliError::failed)?;
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(CliError::failed)?;
    let address = listener.local_addr().map_err(CliError::failed)?;
    let (shutdown, is_shut) = oneshot::channel();
    runtime.spawn(service::run(listener, matches, Environments::default(), async {
        // The server ends when the sender sends or is dropped.
        let _ = is_shut.await;
    }));
    Ok(Server { runtime, address, shutdown })
}

/// The interpreters that [`name_of`] skips.
const INTERPRETERS: &[&str] =
    &["bash", "deno", "env", "java", "julia", "node", "perl", "php", "pypy", "python", "ruby", "sh"];

/// Returns the name of a program: the file name of the first word of its command (after the last `&&`) that looks
/// like a file and is not an option, assignment, number, or interpreter. A word with a `/` or a `.` looks like a file.
/// If there is none, the first word. For example, the name of `SEED=1 python3 bots/careful.py --rate 0.5` is
/// `careful.py`.
fn name_of(command: &str) -> String {
    let command = command.rsplit("&&").next().unwrap_or(command);
    let words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let mut words = words.filter(|word| !word.starts_with('-') && !word.contains('=')).peekable();
    let first = words.peek().copied();
    let word = words.find(|word| word.contains(['/', '.']) && word.parse::<f64>().is_err() && !is_interpreter(word));
    let name: String = word.or(first).map_or("", file_name).chars().take(16).collect();
    if check_name(&name).is_ok() { name } else { "agent".to_owned() }
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns true if the word names an interpreter, also with a version, such as `python3.12`.
fn is_interpreter(word: &str) -> bool {
    let name = file_name(word).trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&name)
}

/// Prints the output of a program, line by line, with its seat. The sender of the returned channel is dropped when all
/// output is printed.
fn pass_on(seat: Seat, source: impl Read + Send + 'static) -> Receiver<Infallible> {
    let (printing, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        // Read bytes, not text: an error for invalid UTF-8 would close the pipe of the program.
        while source.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            report(seat, String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
            line.clear();
        }
        drop(printing);
    });
    printed
}

fn report(seat: Seat, line: &str) {
    // An error of stderr cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "[seat {seat}] {line}");
}

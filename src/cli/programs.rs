//! Programs at the table: a server of our own for them, and their lives from start to end.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use ahu::core::Seat;
use ahu::host::record::check_name;
use ahu::service::{self, Environments, Hosted, Matches};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};

use super::relay::Relay;
use super::serve::asked_to_end;
use super::{CliError, Done};

/// How often it is looked whether a program still runs.
const LOOK: Duration = Duration::from_millis(50);
/// How long programs have to end by themselves when the match is over.
const GRACE: Duration = Duration::from_secs(5);
/// How long we wait for the last lines of a program that has ended: others may still hold its output.
const LAST_LINES: Duration = Duration::from_secs(1);
/// The longest line that a program may print, in bytes: a longer one is printed in pieces.
const LINE_MAX: u64 = 64 * 1024;
/// The exit status when a signal ends us, as that of a shell after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// The programs of a match. Where there are none, there is no server either.
pub(super) struct Programs {
    matches: Matches,
    hosted: Arc<Hosted>,
    server: Option<Server>,
    relay: Option<Relay>,
    running: Arc<Mutex<Vec<Program>>>,
}

struct Server {
    runtime: Runtime,
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
}

/// A program in a process group of its own, so that all that it starts can be ended with it.
struct Program {
    seat: Seat,
    child: Child,
    outputs: Vec<Receiver<Infallible>>,
}

impl Programs {
    pub(super) fn new(matches: Matches, hosted: Arc<Hosted>) -> Self {
        Self { matches, hosted, server: None, relay: None, running: Arc::default() }
    }

    /// Starts the program `command` for a seat, and tells it where to play by its environment.
    pub(super) fn start(&mut self, seat: u32, command: &str) -> Result<Seat, CliError> {
        let address = self.server()?.address;
        self.start_at(address, seat, command)
    }

    /// [`Self::start`], with a relay between the program and the server, which can be cut.
    pub(super) fn start_behind_relay(&mut self, seat: u32, command: &str) -> Result<Seat, CliError> {
        let server = self.server()?;
        let relay = Relay::start(&server.runtime, server.address)?;
        let address = relay.address;
        self.relay = Some(relay);
        self.start_at(address, seat, command)
    }

    /// Cuts the connections of programs behind the relay, if there is one.
    pub(super) fn cut(&self) {
        self.relay.iter().for_each(Relay::cut);
    }

    /// How often connections were cut.
    pub(super) fn cuts(&self) -> u32 {
        self.relay.as_ref().map_or(0, Relay::cuts)
    }

    /// The server, which is started for the first program.
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
        let (seat, token) = self.hosted.join(Some(seat), &name).map_err(|fault| CliError::failed(fault.message()))?;
        // Held until the program is among those that run, so that no signal ends us without it.
        let mut running = lock(&self.running);
        let child = Command::new("sh")
            .args(["-c", command])
            .env("AHU_ADDRESS", address.to_string())
            .env("AHU_MATCH", &*self.hosted.id)
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

    /// Waits for a change, but not for long. For a program that has ended a stand-in plays on.
    pub(super) fn wait(&mut self, changes: &mut watch::Receiver<u64>) -> Done {
        self.pause(changes)?;
        for (seat, status) in self.ended() {
            if !self.hosted.is_finished() {
                report(seat, &format!("the program has ended ({status}): a stand-in plays on"));
                self.hosted.forfeit(seat);
            }
        }
        Ok(())
    }

    /// Waits for a change, but not for long.
    pub(super) fn pause(&self, changes: &mut watch::Receiver<u64>) -> Done {
        let Some(server) = &self.server else {
            return Err(CliError::Failed("nobody is left to play".to_owned()));
        };
        server.runtime.block_on(async {
            // Whether there is a change or the time is up: both are looked into.
            let _ = tokio::time::timeout(LOOK, changes.changed()).await;
        });
        Ok(())
    }

    /// The seats of the programs that have ended since this was asked last, and how they ended. All that
    /// they have printed has been passed on.
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

    /// Gives the programs time to end, then ends them, and the server. Says how those ended that still ran;
    /// without a status, where it was we who ended them.
    pub(super) fn end(&mut self) -> Vec<(Seat, Option<ExitStatus>)> {
        let mut ends = Vec::new();
        let deadline = Instant::now() + if self.hosted.is_finished() { GRACE } else { Duration::ZERO };
        while Instant::now() < deadline && lock(&self.running).iter_mut().any(|program| program.ended().is_none()) {
            thread::sleep(Duration::from_millis(5));
        }
        for mut program in lock(&self.running).drain(..) {
            let ended = program.ended();
            if ended.is_none() {
                report(program.seat, "the program did not end by itself and is stopped");
                program.stop();
            }
            program.hear_out();
            ends.push((program.seat, ended));
        }
        if let Some(Server { runtime, shutdown, .. }) = self.server.take() {
            // The server may have ended by itself.
            let _ = shutdown.send(());
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        ends
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        self.end();
    }
}

impl Program {
    /// Takes up a program that was started, and passes on what it prints.
    fn new(seat: Seat, mut child: Child) -> Self {
        let out = child.stdout.take().map(|source| pass_on(seat, source));
        let err = child.stderr.take().map(|source| pass_on(seat, source));
        Self { seat, child, outputs: out.into_iter().chain(err).collect() }
    }

    /// How it ended, if it has.
    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Ends it, and all that it has started: the shell that it runs in, or a script around it, would
    /// not pass the end on. The number of its group is its own, as nobody has seen it end yet.
    fn stop(&mut self) {
        let group = format!("kill -s KILL -- -{}", self.child.id());
        // It may have ended in this moment: then there is nothing to stop.
        let _ = Command::new("sh").args(["-c", &group]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until all that it has printed is passed on.
    fn hear_out(&self) {
        let deadline = Instant::now() + LAST_LINES;
        for output in &self.outputs {
            // Nothing is ever sent: that the sender is gone says that the output has ended.
            let _ = output.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

fn lock(running: &Mutex<Vec<Program>>) -> MutexGuard<'_, Vec<Program>> {
    running.lock().expect("no holder of the lock panics")
}

/// Ends the programs when a signal ends us: in groups of their own, Ctrl-C does not reach them.
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

/// Serves `matches` on a port of the system's choosing.
fn serve(matches: Matches) -> Result<Server, CliError> {
    let runtime = Runtime::new().map_err(CliError::failed)?;
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(CliError::failed)?;
    let address = listener.local_addr().map_err(CliError::failed)?;
    let (shutdown, is_shut) = oneshot::channel();
    runtime.spawn(service::run(listener, matches, Environments::default(), async {
        // The sender sends, or is gone: both mean the end.
        let _ = is_shut.await;
    }));
    Ok(Server { runtime, address, shutdown })
}

/// Words before the one that tells what plays.
const INTERPRETERS: &[&str] =
    &["bash", "deno", "env", "java", "julia", "node", "perl", "php", "pypy", "python", "ruby", "sh"];

/// What a program is called: the first word of its command (behind the last `&&`) that looks like a
/// file, with a `/` or a `.` in it, and is no option, assignment, number or interpreter; else the
/// first word. Without the folder: `SEED=1 python3 bots/careful.py --rate 0.5` is `careful.py`.
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

/// Whether a word names an interpreter, also one of a certain version such as `python3.12`.
fn is_interpreter(word: &str) -> bool {
    let name = file_name(word).trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&name)
}

/// Prints what a program prints, line by line, with its seat. The sender of what is returned is gone
/// when all is printed.
fn pass_on(seat: Seat, source: impl Read + Send + 'static) -> Receiver<Infallible> {
    let (printing, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        // Bytes, since a program may print what is no text: it must not meet a closed pipe for that.
        while source.by_ref().take(LINE_MAX).read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            report(seat, String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
            line.clear();
        }
        drop(printing);
    });
    printed
}

fn report(seat: Seat, line: &str) {
    // Where nobody reads errors, there is nobody to tell.
    let _ = writeln!(io::stderr(), "[seat {seat}] {line}");
}

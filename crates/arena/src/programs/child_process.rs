//! The child processes of programs: how they start, and how they end with this process.

use std::convert::Infallible;
use std::env;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;
use tokio::runtime;

use super::GRACE;
use super::guard::Guard;
use super::orphans;
use super::program_output::Output;
use super::program_seat::{OWN_KEYS, ProgramSeat};
use super::program_spec::{ProgramSpec, Protocol};
use super::signals::{EndSignal, EndSignals};
use crate::lock;

/// The interval at which a wait checks whether programs have exited.
const LOOK: Duration = Duration::from_millis(5);
/// The length that the path of a folder may have in which temporary folders have sockets, in bytes: macOS allows 103 bytes for
/// all.
const MAX_SOCKET_PLACE: usize = 80;
/// The maximum wait for the last lines of a program that has exited. Its child processes may keep its output open for longer.
const LAST_LINES: Duration = Duration::from_secs(1);
/// The maximum length of a line of output, in bytes. A longer line is printed in pieces.
const MAX_LINE: u64 = 64 * 1024;

/// All processes that were started. A signal stops those that run, in whatever match they play.
static STARTED: Mutex<Started> = Mutex::new(Started { children: Vec::new(), guard: None, on_signal: None });

static SIGNAL: OnceLock<EndSignal> = OnceLock::new();

/// The last act before a signal ends this process.
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();

struct Started {
    children: Vec<Weak<Mutex<Child>>>,
    /// Stops the processes if this process is killed. It starts before the first of them.
    guard: Option<Guard>,
    /// The response to the first signal; None to end this process.
    on_signal: Option<Box<dyn FnOnce() + Send>>,
}

impl Started {
    /// Returns the guard, which the first call starts.
    fn guard(&mut self) -> io::Result<&mut Guard> {
        match &mut self.guard {
            Some(guard) => Ok(guard),
            none => Ok(none.insert(Guard::start()?)),
        }
    }

    /// Stops the orphans of programs, unless a program runs: the orphans may be its own processes.
    fn stop_orphans(&mut self) {
        let children = self.children.iter().filter_map(Weak::upgrade);
        // A child that is locked is being stopped or looked at. Count it as running.
        let runs = |child: Arc<Mutex<Child>>| {
            child.try_lock().map_or(true, |mut child| child.try_wait().is_ok_and(|status| status.is_none()))
        };
        if !children.into_iter().any(runs) {
            let guard = self.guard.as_ref().map(|guard| guard.process);
            orphans::stop(&guard.into_iter().collect::<Vec<_>>());
        }
    }
}

/// Sets the response to the first signal, which then does not end this process. The second signal ends this process and its
/// programs.
pub fn on_first_signal(respond: impl FnOnce() + Send + 'static) -> io::Result<()> {
    lock(&STARTED).on_signal = Some(Box::new(respond));
    end_with_us()
}

/// Sets the last act before a signal ends this process, such as to restore the settings of a terminal. The first call counts.
pub fn before_exit(act: fn()) {
    BEFORE_EXIT.get_or_init(|| act);
}

/// Returns the signal that has asked this process to end; None without one.
pub fn signalled() -> Option<EndSignal> {
    SIGNAL.get().copied()
}

/// Creates a folder for temporary files, whose name begins with `prefix`. It is removed when the value is dropped, and also if
/// this process is killed.
pub fn temporary_folder(prefix: &str) -> io::Result<TempDir> {
    temporary_folder_in(&env::temp_dir(), prefix)
}

/// Creates a temporary folder for a Unix socket, to which programs in any language connect by its path.
pub(crate) fn socket_folder() -> io::Result<TempDir> {
    temporary_folder_in(socket_place(&env::temp_dir()), "ahu-")
}

/// Returns the place of temporary folders for sockets: `/tmp` if the usual place has a long path.
fn socket_place(usual: &Path) -> &Path {
    match usual.as_os_str().len() <= MAX_SOCKET_PLACE {
        true => usual,
        false => Path::new("/tmp"),
    }
}

fn temporary_folder_in(place: &Path, prefix: &str) -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(place)?;
    lock(&STARTED).guard()?.remove_folder(folder.path())?;
    Ok(folder)
}

/// A program in its own process group, so that its child processes can be stopped with it.
pub(crate) struct Process {
    child: Arc<Mutex<Child>>,
    group: u32,
    /// True while the guard knows the process group.
    is_guarded: AtomicBool,
    pub(crate) output: Output,
    pub(super) sources: Vec<Receiver<Infallible>>,
}

/// The stdin and stdout of a program that speaks the line protocol.
pub(crate) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

impl Process {
    /// Starts a program for a seat, and passes its output on. A program that calls the server has an empty stdin. For a program
    /// that speaks the line protocol, returns the pipes to it.
    pub(crate) fn start(spec: &ProgramSpec, place: &ProgramSeat<'_>) -> io::Result<(Self, Option<Pipes>)> {
        let speaks_lines = spec.protocol == Protocol::Lines;
        let mut words = spec.wrapper_at(place.socket.as_deref()).chain(["sh", "-c", &spec.command].map(str::to_owned));
        let mut command = Command::new(words.next().expect("a shell"));
        command.args(words);
        for name in OWN_KEYS {
            command.env_remove(name);
        }
        for (name, value) in place.variables(spec) {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(ledger) = &spec.ledger {
            command.env("AHU_LEDGER", ledger);
        }
        command.stdin(if speaks_lines { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(folder) = &spec.folder {
            // Hide the user's home, so that the program keeps nothing there for another game.
            command.current_dir(folder).env("TMPDIR", folder).env("HOME", folder);
        }
        let (child, group) = spawn(&mut command)?;
        let output = spec.output();
        let mut started = lock(&child);
        let mut sources: Vec<_> =
            started.stderr.take().map(|source| pass_on(output.clone(), source)).into_iter().collect();
        if !speaks_lines {
            sources.extend(started.stdout.take().map(|source| pass_on(output.clone(), source)));
        }
        let pipes = started.stdin.take().zip(started.stdout.take()).map(|(stdin, stdout)| Pipes { stdin, stdout });
        drop(started);
        Ok((Self { child, group, is_guarded: AtomicBool::new(true), output, sources }, pipes))
    }

    /// Returns the exit status; None while the program runs.
    pub(crate) fn ended(&self) -> Option<ExitStatus> {
        let status = lock(&self.child).try_wait().ok().flatten();
        self.note(status)
    }

    /// Stops the program and its child processes. Returns its exit status.
    pub(super) fn stop(&self) -> Option<ExitStatus> {
        let status = stop(&mut lock(&self.child));
        self.note(status)
    }

    /// Cleans up after the exit, if there is a status: stops what is left of the process group, and takes it from the guard.
    fn note(&self, status: Option<ExitStatus>) -> Option<ExitStatus> {
        if status.is_some() && self.is_guarded.swap(false, Ordering::Relaxed) {
            // Child processes that are left must not see another game.
            stop_group(self.group);
            let mut started = lock(&STARTED);
            started.guard.iter_mut().for_each(|guard| guard.remove(self.group));
            started.stop_orphans();
        }
        status
    }

    /// Waits until all output of the program has been passed on, at most [`LAST_LINES`].
    pub(crate) fn hear_out(&self) {
        let deadline = Instant::now() + LAST_LINES;
        for source in &self.sources {
            // No message is ever sent. The call returns when the sender is dropped at the end of the output.
            let _ = source.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        }
    }

    /// Stops the program if it has not exited by itself, and says so in its output. Returns the exit status of a program that
    /// exited by itself.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        let ended = self.ended();
        if ended.is_none() {
            self.output.line("the program did not exit by itself and is stopped");
            self.stop();
        }
        self.hear_out();
        ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.stop();
        }
    }
}

/// Waits until all programs have exited by themselves, at most for `most`.
pub(super) fn wait_for(programs: &[&Process], most: Duration) {
    let deadline = Instant::now() + most;
    while Instant::now() < deadline && programs.iter().any(|program| program.ended().is_none()) {
        thread::sleep(LOOK);
    }
}

/// Gives programs [`GRACE`] to exit by themselves, and stops those that do not.
pub(crate) fn end_all<'a>(programs: impl Iterator<Item = &'a Process>) {
    let programs: Vec<_> = programs.collect();
    wait_for(&programs, GRACE);
    for program in programs {
        program.end();
    }
}

/// Starts a process that ends with this one. Returns it with the number of its process group.
fn spawn(command: &mut Command) -> io::Result<(Arc<Mutex<Child>>, u32)> {
    // Hold the lock until the process is in the list, so that a signal stops it too.
    let started = &mut *lock(&STARTED);
    end_with_us()?;
    // Start the guard first: without a guard, no program may start.
    started.guard()?;
    orphans::adopt()?;
    let child = command.spawn()?;
    let group = child.id();
    let child = Arc::new(Mutex::new(child));
    started.children.retain(|child| child.strong_count() > 0);
    started.children.push(Arc::downgrade(&child));
    if let Err(error) = started.guard()?.add(group) {
        stop(&mut lock(&child));
        return Err(error);
    }
    Ok((child, group))
}

/// Stops a process and its child processes. The signal goes to the process group, since a shell or a wrapper script would not
/// forward it.
fn stop(child: &mut Child) -> Option<ExitStatus> {
    let status = child.try_wait().ok().flatten();
    stop_group(child.id());
    status.or_else(|| child.wait().ok())
}

/// Stops the processes that are left in a group. The system gives its number to no other group before they have ended.
fn stop_group(group: u32) {
    if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // An error means that no process is left.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// Starts the thread that waits for signals, once. Ctrl-C reaches this process alone, since programs have their own process
/// groups.
fn end_with_us() -> io::Result<()> {
    static WAITS: OnceLock<()> = OnceLock::new();
    if WAITS.get().is_some() {
        return Ok(());
    }
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let inside = runtime.enter();
    let mut signals = EndSignals::begin()?;
    drop(inside);
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let signal = *SIGNAL.get_or_init(|| runtime.block_on(signals.next()));
        let respond = lock(&STARTED).on_signal.take();
        if let Some(respond) = respond {
            respond();
            // If no second signal comes, the process ends by itself.
            runtime.block_on(signals.next());
        }
        // Nobody can start another process while this holds the lock.
        let mut started = lock(&STARTED);
        for child in started.children.iter().filter_map(Weak::upgrade) {
            stop(&mut lock(&child));
        }
        started.stop_orphans();
        if let Some(act) = BEFORE_EXIT.get() {
            act();
        }
        process::exit(signal as i32);
    })?;
    WAITS.get_or_init(|| ());
    Ok(())
}

/// Passes the output of a program on, line by line. The sender of the returned channel is dropped after the last line.
fn pass_on(output: Output, source: impl Read + Send + 'static) -> Receiver<Infallible> {
    let (printing, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        // Read bytes: an error for invalid UTF-8 would close the pipe of the program.
        while source.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            output.line_of_program(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
            line.clear();
        }
        drop(printing);
    });
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_lie_in_a_folder_with_a_short_path() {
        let long = format!("/{}", "d".repeat(MAX_SOCKET_PLACE));
        assert_eq!(socket_place(Path::new(&long)), Path::new("/tmp"));
        assert_eq!(socket_place(Path::new(&long[1..])), Path::new(&long[1..]));
    }
}

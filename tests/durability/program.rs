//! `ahu serve` as a process of its own, which a test can kill.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Instant;

use tokio::sync::watch;
use tonic::transport::Endpoint;

/// A server that a test starts again and again, with the same arguments.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    arguments: Vec<String>,
    /// The largest size of a file that the server may write, in KiB; None: any size.
    file_limit: Option<u32>,
    /// The file that gets the logs of all runs.
    log: PathBuf,
}

/// A run of a server, which is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Run {
    child: Child,
    /// The time of the start.
    pub(crate) started: Instant,
    /// The output so far, line by line.
    printed: watch::Receiver<Printed>,
    log: PathBuf,
}

#[derive(Clone, Debug, Default)]
struct Printed {
    lines: Vec<String>,
    is_over: bool,
}

impl Server {
    /// Returns a server with these arguments; its log is a file in `folder`.
    pub(crate) fn new(folder: &Path, arguments: &[&str]) -> Self {
        let arguments = ["serve"].iter().chain(arguments).map(|&argument| argument.to_owned()).collect();
        Self { arguments, file_limit: None, log: folder.join("log.txt") }
    }

    /// Returns a server that listens on a socket in `folder` and keeps its matches in `folder/data`.
    pub(crate) fn with_data(folder: &Path, more: &[&str]) -> Self {
        let (socket, data) = (socket(folder), data(folder));
        let own = ["--uds", path(&socket), "--data", path(&data)];
        Self::new(folder, &[&own, more].concat())
    }

    /// Returns the same server with a limit of the size of its files, in KiB, which [`Run::lift_file_limit`] lifts.
    pub(crate) fn with_file_limit(self, file_limit: u32) -> Self {
        Self { file_limit: Some(file_limit), ..self }
    }

    /// Starts the server.
    pub(crate) fn start(&self) -> Run {
        let log = File::options().create(true).append(true).open(&self.log).expect("the folder can be written");
        let program = env!("CARGO_BIN_EXE_ahu");
        let mut command = match self.file_limit {
            None => Command::new(program),
            Some(limit) => {
                let mut shell = Command::new("bash");
                shell.args(["-c", &format!("ulimit -S -f {limit} && exec \"$0\" \"$@\""), program]);
                shell
            }
        };
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let started = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let (printing, printed) = watch::channel(Printed::default());
        thread::spawn(move || {
            // A killed program ends its output in the middle of a line.
            for line in output.lines().map_while(Result::ok) {
                printing.send_modify(|printed| printed.lines.push(line));
            }
            printing.send_modify(|printed| printed.is_over = true);
        });
        Run { child, started, printed, log: self.log.clone() }
    }

    /// Returns the log of all runs.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Run {
    /// Waits until the server listens, and returns its address. Returns its log if it ends before.
    pub(crate) async fn ready(&mut self) -> Result<String, String> {
        // This line comes after the addresses.
        let is_ready =
            |printed: &Printed| printed.is_over || printed.lines.iter().any(|line| line.starts_with("agents "));
        let printed = self.printed.wait_for(is_ready).await.expect("the thread tells of the end").clone();
        let mut addresses = printed.lines.iter().filter_map(|line| line.strip_prefix("ahu listens on "));
        match addresses.next() {
            Some(address) if !printed.is_over => Ok(address.to_owned()),
            _ => Err(format!("expected a server that listens, got its end; its log ends with\n{}", self.log_end())),
        }
    }

    /// Kills the server, without a chance to write anything, and waits for its end.
    pub(crate) fn kill(&mut self) -> Result<(), String> {
        use std::os::unix::process::ExitStatusExt as _;

        self.child.kill().expect("the program belongs to the test");
        let status = self.child.wait().expect("the program belongs to the test");
        match status.signal() {
            Some(9) => Ok(()),
            _ => Err(format!("expected a server that runs, got {status}; its log ends with\n{}", self.log_end())),
        }
    }

    /// Lifts the limit of the size of files.
    #[cfg(target_os = "linux")]
    pub(crate) fn lift_file_limit(&self) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};

        let lifted = Rlimit { current: None, maximum: None };
        prlimit(Some(Pid::from_child(&self.child)), Resource::Fsize, lifted).expect("the program belongs to the test");
    }

    /// Sends a signal, such as `-STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(kill.expect("there is the program kill").success(), "expected a server that runs");
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) async fn terminate(mut self) -> ExitStatus {
        self.signal("-TERM");
        tokio::task::spawn_blocking(move || self.child.wait()).await.expect("no panic").expect("the program is ours")
    }

    /// Waits for the end, which comes by itself.
    pub(crate) async fn ended(&mut self) {
        while self.child.try_wait().expect("the program is ours").is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    /// Returns the last lines of the log.
    pub(crate) fn log_end(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // An error means that the server has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the socket of a server in `folder`.
pub(crate) fn socket(folder: &Path) -> PathBuf {
    folder.join("ahu.sock")
}

/// Returns the folder with the store of a server in `folder`.
pub(crate) fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

/// Returns the endpoint of a server in `folder`.
pub(crate) fn endpoint(folder: &Path) -> Endpoint {
    Endpoint::from_shared(format!("unix:{}", path(&socket(folder)))).expect("an address")
}

/// Returns a path as text.
pub(crate) fn path(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

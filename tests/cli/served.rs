//! A server that tests start with `ahu serve`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::ahu;

/// A server that keeps its matches in a folder. It ends when this value is dropped.
pub(super) struct Served {
    process: Child,
    /// The arguments beside the address.
    arguments: Vec<String>,
    pub(super) address: String,
}

impl Served {
    /// Starts a server on a free port, with these additional arguments, and waits until it listens.
    pub(super) fn start(data: &Path, more: &[&str]) -> Self {
        let mut arguments = vec!["--data".to_owned(), data.display().to_string()];
        arguments.extend(more.iter().map(|&argument| argument.to_owned()));
        let (process, address) = spawn("127.0.0.1:0", &arguments);
        Self { process, arguments, address }
    }

    /// Kills the server.
    pub(super) fn kill(&mut self) {
        self.process.kill().expect("it is ours");
        self.process.wait().expect("it is ours");
    }

    /// Kills the server, and starts it again on its data at its address.
    pub(super) fn crash(&mut self) {
        self.kill();
        self.start_again();
    }

    /// Starts the server that was killed again on its data at its address.
    pub(super) fn start_again(&mut self) {
        (self.process, self.address) = spawn(&self.address, &self.arguments);
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server, and waits until it listens. Returns its process and its address.
fn spawn(listen: &str, arguments: &[String]) -> (Child, String) {
    let mut serve = ahu(&["serve", "--listen", listen]);
    let mut process = serve.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut line = String::new();
    let stdout = process.stdout.as_mut().expect("it is a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("it listens");
    (process, line.trim().strip_prefix("ahu listens on ").expect("an address").to_owned())
}

//! `ahu drain`: takes a running server out of service, and back.

use std::io::Write;
use std::path::PathBuf;

use ahu::service::store::maintenance;
use rustix::process::{Pid, Signal, kill_process};

use crate::cli::{CliError, Done};

/// Make a running server report that it is not ready for new clients
///
/// The server goes on serving. The health service `ahu.ready` is NOT_SERVING, so load balancers send new clients elsewhere, until
/// the server ends or `--undo` takes it back. `ahu serve --drain TIME` does the same for this time before it ends. A server
/// without a data folder drains at the signal USR1, and takes it back at USR2.
#[derive(Debug, clap::Args)]
pub(super) struct Drain {
    /// The data folder of the server
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Report that the server is ready again
    #[arg(long)]
    undo: bool,
}

impl Drain {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.folder.display();
        let process = maintenance::server_process(&self.folder).map_err(CliError::failed)?;
        let number = process.and_then(|number| i32::try_from(number).ok());
        let process = number.and_then(Pid::from_raw);
        let process =
            process.ok_or_else(|| CliError::Failed(format!("expected a server that uses {folder}, got none")))?;
        let (signal, says) = match self.undo {
            false => (Signal::USR1, "not ready: new clients should go elsewhere"),
            true => (Signal::USR2, "ready"),
        };
        kill_process(process, signal).map_err(CliError::failed)?;
        writeln!(out, "the server of {folder} (process {}) reports that it is {says}", process.as_raw_nonzero())?;
        Ok(())
    }
}

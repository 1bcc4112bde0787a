//! `ahu drain`: takes a running server out of service, and back.

use std::io::Write;

use ahu_service::accounts::{Command, Reply};
use ahu_service::store::Place;

use crate::files::key_file::NewKeyFiles;
use crate::network::execute;
use crate::{CliError, Done};

/// Make a running server report that it is not ready for new clients
///
/// The server goes on serving. The health service `ahu.ready` is `NOT_SERVING`, so load balancers send new clients
/// elsewhere, until the server ends or `--undo` takes it back. `ahu serve --drain TIME` does the same for this time before
/// it ends. The command asks the server over the socket `admin.sock` in its data folder.
#[derive(Debug, clap::Args)]
pub(super) struct Drain {
    /// The data folder of the server
    #[arg(long, value_name = "DIR", value_parser = Place::read)]
    data: Place,
    /// Report that the server is ready again
    #[arg(long)]
    undo: bool,
}

impl Drain {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = &self.data;
        let command = Command::Drain { draining: !self.undo };
        let Reply::Draining { draining } = execute(&self.data, command, false, NewKeyFiles::default())? else {
            return Err(CliError::Failed(format!("expected a server that uses {folder}, got another answer")));
        };
        let says = if draining { "not ready: new clients should go elsewhere" } else { "ready" };
        Ok(writeln!(out, "the server of {folder} reports that it is {says}")?)
    }
}

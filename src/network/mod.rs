//! The network: the address of a server elsewhere, and commands of the operator; in the files here, listening.

pub(super) mod listener;
pub(super) mod metrics_address;
pub(super) mod tls_arguments;

use std::path::{Path, PathBuf};

use ahu_arena::ServerAddress;
use ahu_service::accounts::{Command, Reply};
use ahu_service::execute_in;

use crate::CliError;

/// Parses the value of `--server`: the address of a server elsewhere, with `https://` before it for TLS.
pub(super) fn server_address(text: &str) -> Result<ServerAddress, CliError> {
    ServerAddress::read(text).map_err(|message| CliError::Usage(format!("--server: {message}")))
}

/// The arguments of the commands of an operator.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OperatorArguments {
    /// The data folder of the server
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl OperatorArguments {
    /// Carries out a command. If `create` is true, a missing folder is created.
    pub(super) fn execute(&self, command: Command, create: bool) -> Result<Reply, CliError> {
        execute(&self.data, command, create)
    }
}

/// Carries out a command of the operator in the folder of a server, in the server that uses it or here. If `create` is true, a
/// missing folder is created.
pub(super) fn execute(folder: &Path, command: Command, create: bool) -> Result<Reply, CliError> {
    match execute_in(folder, command, create).map_err(CliError::failed)? {
        Reply::Refused { message } => Err(CliError::Failed(message)),
        reply => Ok(reply),
    }
}

//! The network: the address of a server elsewhere, and commands of the operator; in the files here, listening.

pub(super) mod listener;
pub(super) mod metrics_address;
pub(super) mod tls_arguments;

use ahu_arena::ServerAddress;
use ahu_service::accounts::{Command, Reply};
use ahu_service::execute_in;
use ahu_service::store::Place;

use crate::CliError;
use crate::files::key_file::NewKeyFiles;

/// Parses the value of `--server`: the address of a server elsewhere, with `https://` before it for TLS.
pub(super) fn server_address(text: &str) -> Result<ServerAddress, CliError> {
    ServerAddress::read(text).map_err(|message| CliError::Usage(format!("--server: {message}")))
}

/// The arguments of the commands of an operator.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OperatorArguments {
    /// The data folder of the server, or its database, as `postgres://USER@HOST/DATABASE`
    #[arg(long, value_name = "PLACE", value_parser = Place::read)]
    pub(super) data: Place,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl OperatorArguments {
    /// Carries out a command. If `create` is true, a missing folder is created.
    pub(super) fn execute(&self, command: Command, create: bool) -> Result<Reply, CliError> {
        execute(&self.data, command, create, NewKeyFiles::default())
    }

    /// Carries out a command that makes the keys in these files.
    pub(super) fn make_keys(&self, command: Command, create: bool, files: NewKeyFiles) -> Result<Reply, CliError> {
        execute(&self.data, command, create, files)
    }
}

/// Carries out a command of the operator in the store of a server, in the server that uses it or here. If `create` is true, a
/// missing folder is created. The files of new keys stay unless it is certain that nothing holds their keys.
pub(super) fn execute(place: &Place, command: Command, create: bool, files: NewKeyFiles) -> Result<Reply, CliError> {
    match execute_in(place, command, create).map_err(CliError::failed)? {
        Reply::Refused { message } => Err(CliError::Failed(message)),
        Reply::Failed { message } => {
            files.keep();
            Err(CliError::Failed(format!(
                "{message}; the command may have been carried out: see `ahu accounts list` and `ahu keys list`. The files of \
                 its keys stay"
            )))
        }
        reply => {
            files.keep();
            Ok(reply)
        }
    }
}

//! `ahu cup enter|leave|wake`: the calls with which the owner of an agent changes its part in a ladder, without the organiser.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ahu_arena::channel::is_transient;
use ahu_core::hex;
use ahu_core::parts::lines::joined_or;
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::{EnterCupRequest, LeaveCupRequest, ListCupsRequest, WakeAgentRequest};
use ahu_service::{Stderr, new_agent_key};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::files::key_file;
use crate::network::server_address;
use crate::{CliError, Done, print_json};

/// The time that one call waits for the run of the ladder.
const WAIT: prost_types::Duration = prost_types::Duration { seconds: 5, nanos: 0 };
/// The time after which a command gives up to wait for the run of the ladder. The call stays with the server.
const PATIENCE: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(45);

/// The server and the cup of a call.
#[derive(Debug, clap::Args)]
struct Place {
    /// The id of the cup, or its name [default: the only cup of the server]
    #[arg(long, value_name = "CUP")]
    cup: Option<String>,
    /// The server [default: the variable `AHU_ADDRESS`]
    #[arg(long, value_name = "HOST:PORT")]
    server: Option<String>,
    /// The file with the key of the account [default: the variable `AHU_KEY_FILE`]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Enter an agent into a ladder, as its next version
///
/// Prints the name of the entrant, such as moai@3. Its program asks for seats with the key of the account; with several entrants,
/// `AHU_AGENT` names the one that it plays.
#[derive(Debug, clap::Args)]
pub(crate) struct Enter {
    /// The name of the agent, without a version
    agent: String,
    /// The number of games that it plays at once
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    games_at_once: u32,
    #[command(flatten)]
    place: Place,
}

/// Take an agent out of a ladder
#[derive(Debug, clap::Args)]
pub(crate) struct Leave {
    /// The name of the agent, with its version
    agent: String,
    #[command(flatten)]
    place: Place,
}

/// Let an agent play again that rests after forfeits
#[derive(Debug, clap::Args)]
pub(crate) struct Wake {
    /// The name of the agent, with its version
    agent: String,
    #[command(flatten)]
    place: Place,
}

/// A connection to the server with the key of an account.
struct Account {
    client: CupServiceClient<Channel>,
    key: MetadataValue<Ascii>,
}

impl Account {
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("ahu-key", self.key.clone());
        request.set_timeout(TIMEOUT);
        request
    }

    /// Returns the id of the cup with this id or name, or of the only one.
    async fn cup(&mut self, named: Option<&str>) -> Result<String, Status> {
        let cups = self.client.list_cups(self.request(ListCupsRequest::default())).await?.into_inner().cups;
        let is_it =
            |cup: &&ahu_service::proto::cup::Cup| named.is_none_or(|named| cup.cup_id == named || cup.name == named);
        let going_on = || cups.iter().filter(|cup| !cup.ended);
        let found: Vec<_> = going_on().filter(is_it).collect();
        if let [cup] = found[..] {
            Ok(cup.cup_id.clone())
        } else {
            let all: Vec<_> = going_on().map(|cup| format!("{} ({})", cup.cup_id, cup.name)).collect();
            let message = "expected --cup to name one of the cups in progress";
            Err(Status::invalid_argument(format!("{message}: {}", joined_or(all, ", ", "none"))))
        }
    }
}

impl Place {
    /// Makes a call until the run of the ladder has taken it. `call` returns the name of the agent, which is empty before.
    fn call(
        &self,
        out: &mut impl Write,
        what: &str,
        mut call: impl AsyncFnMut(&mut Account, &str, &str) -> Result<String, Status>,
    ) -> Done {
        let given = |option: &str, name: &str| {
            let missing = || CliError::Usage(format!("expected {option}, or the variable {name}, got neither"));
            std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(missing)
        };
        let server = self.server.clone().map_or_else(|| given("--server", "AHU_ADDRESS"), Ok)?;
        let key_file =
            self.key_file.clone().map_or_else(|| given("--key-file", "AHU_KEY_FILE").map(PathBuf::from), Ok)?;
        let address = server_address(&server)?;
        let key = key_file::read(&key_file)?.parse().map_err(CliError::failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::failed)?;
        let request_id = hex(&Sha256::digest(new_agent_key())[..16]);
        let name = runtime.block_on(async {
            let channel = address.endpoint()?.connect_lazy();
            let mut account = Account { client: CupServiceClient::new(channel), key };
            let refused = |status: Status| CliError::from(address.refused(&status));
            let cup = account.cup(self.cup.as_deref()).await.map_err(refused)?;
            let (deadline, mut is_told) = (Instant::now() + PATIENCE, false);
            loop {
                match call(&mut account, &cup, &request_id).await {
                    Ok(name) if !name.is_empty() => return Ok(name),
                    Err(status) if !is_transient(&status) => return Err(refused(status)),
                    Err(status) if Instant::now() > deadline => return Err(refused(status)),
                    Ok(_) if Instant::now() > deadline => {
                        let message = "the server keeps the call, but the ladder has not taken it: its organiser does not run it now";
                        return Err(CliError::Failed(message.to_owned()));
                    }
                    Ok(_) if !is_told => {
                        is_told = true;
                        Stderr::line("the server keeps the call; the ladder takes it once its organiser runs it");
                    }
                    Ok(_) => {}
                    Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
                }
            }
        })?;
        match self.json {
            true => print_json("cup-entry", json!({ "agent": name }), out)?,
            false => writeln!(out, "{name} {what}")?,
        }
        Ok(())
    }
}

impl Enter {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let Self { agent, games_at_once, place } = self;
        place.call(
            out,
            "has entered: start its program with AHU_ADDRESS and AHU_KEY_FILE",
            async |account, cup_id, request_id| {
                let (cup_id, request_id, agent) = (cup_id.to_owned(), request_id.to_owned(), agent.clone());
                let message = EnterCupRequest { cup_id, agent, games_at_once, request_id, wait: Some(WAIT) };
                let request = account.request(message);
                Ok(account.client.enter_cup(request).await?.into_inner().agent)
            },
        )
    }
}

impl Leave {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let Self { agent, place } = self;
        place.call(out, "has left", async |account, cup_id, request_id| {
            let (cup_id, request_id, agent) = (cup_id.to_owned(), request_id.to_owned(), agent.clone());
            let request = account.request(LeaveCupRequest { cup_id, agent, request_id, wait: Some(WAIT) });
            Ok(account.client.leave_cup(request).await?.into_inner().agent)
        })
    }
}

impl Wake {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let Self { agent, place } = self;
        place.call(out, "plays again", async |account, cup_id, request_id| {
            let (cup_id, request_id, agent) = (cup_id.to_owned(), request_id.to_owned(), agent.clone());
            let request = account.request(WakeAgentRequest { cup_id, agent, request_id, wait: Some(WAIT) });
            Ok(account.client.wake_agent(request).await?.into_inner().agent)
        })
    }
}

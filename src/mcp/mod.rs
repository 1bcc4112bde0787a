//! `ahu mcp`: serves a chat client, or any other client of the Model Context Protocol, over stdin and stdout.

mod kept_seats;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ahu_core::Seed;
use ahu_host::find;
use ahu_service::mcp::{Caller, Handler, Opening, OwnSeat, ServerLink};
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{GetMatchRequest, GetRecordRequest, GetServerInfoRequest, MatchState};
use ahu_service::{Limits, Matches, Server, Stderr};
use clap::ArgGroup;
use tokio::io::{AsyncReadExt as _, duplex, stdin};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::{Code, Status};

use self::kept_seats::KeptSeats;
use crate::arguments::configure;
use crate::files::{create_anew, key_file};
use crate::network::server_address;
use crate::{CliError, Done};

/// The time for which a call for a record asks the server to wait for the end of the match.
const WAIT: prost_types::Duration = prost_types::Duration { seconds: 20, nanos: 0 };
/// The longest decision of a match in this process: a chat may rest overnight.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);
/// The bytes on their way from the tools to stdout.
const BUFFER: usize = 64 * 1024;

/// Serve tools that play matches to a chat client or another language model, over stdin and stdout
///
/// The tools are those of the Model Context Protocol: rules, join, look, act, wait. docs/compete/mcp.md shows how chat clients
/// start this command.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("place").args(["server", "local"]).required(true)))]
pub(super) struct Mcp {
    /// Play on the server at this address, with https:// before it for TLS
    #[arg(long, value_name = "HOST:PORT")]
    server: Option<String>,
    /// The file with the key of an account, for a server that requires one [default: the variables
    /// `AHU_ACCOUNT_KEY`, or `AHU_ACCOUNT_KEY_FILE` with the file]
    #[arg(long, value_name = "FILE", conflicts_with = "local")]
    account_key: Option<PathBuf>,
    /// Play this game in this process; a match begins at once
    #[arg(long, value_name = "GAME")]
    local: Option<String>,
    /// The bots of the other seats, separated by commas; a single one takes all of them
    #[arg(long, value_name = "BOT,...", value_delimiter = ',', default_value = "greedy", conflicts_with = "server")]
    opponents: Vec<String>,
    /// The number of seats [default: one and the number of opponents, or the fewest of the game]
    #[arg(long, conflicts_with = "server")]
    seats: Option<u32>,
    /// The seat of the model, from 0 [default: the lowest]
    #[arg(long, conflicts_with = "server")]
    seat: Option<u32>,
    /// Set an option of the game; may be provided multiple times
    #[arg(short, long = "option", value_name = "KEY=VALUE", conflicts_with = "server")]
    options: Vec<String>,
    /// The seed of the first match; each further match has the next one. The model cannot see it [default: random]
    #[arg(long, conflicts_with = "server")]
    seed: Option<Seed>,
    /// The name of the model in results and records
    #[arg(long, default_value = "model")]
    name: String,
    /// Write the record of each match that ends into this folder, as MATCH.txt
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
}

impl Mcp {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let runtime = Runtime::new().map_err(CliError::failed)?;
        let caller = match &self.server {
            Some(address) => self.elsewhere(&runtime, address)?,
            None => here(),
        };
        let opening = self.opening()?;
        if let Some(folder) = &self.records {
            fs::create_dir_all(folder).map_err(CliError::cannot("create", folder))?;
        }
        let served = runtime.block_on(async {
            let (kept, earlier) = match self.server.as_deref().map(KeptSeats::open).transpose() {
                Ok(Some((kept, seats))) => (Some(kept), open_seats(&caller, seats).await),
                Ok(None) => (None, Vec::new()),
                Err(error) => {
                    Stderr::line(&format!("the seats of this process are lost when it ends: {error}"));
                    (None, Vec::new())
                }
            };
            let handler = Handler::of_client(caller.clone(), opening, earlier);
            if self.local.is_some() {
                handler.open().await.map_err(CliError::Usage)?;
            }
            let mut keeping = JoinSet::new();
            if let (Some(folder), Some(seats)) = (&self.records, handler.seats()) {
                keeping.spawn(keep_records(caller, seats, folder.clone()));
            }
            if let (Some(kept), Some(seats)) = (kept, handler.seats()) {
                keeping.spawn(keep_seats(kept, seats));
            }
            let served = serve(handler.clone(), out).await;
            if self.local.is_some() {
                handler.abandon().await.map_err(CliError::Failed)?;
            }
            drop(handler);
            // The tools are gone, and so is the sender of new matches: the task ends with the matches that have ended.
            while keeping.join_next().await.is_some() {}
            served
        });
        // Do not wait for a thread that reads stdin.
        runtime.shutdown_background();
        served
    }

    /// Returns a caller of the server at this address, which has to answer.
    fn elsewhere(&self, runtime: &Runtime, address: &str) -> Result<Caller, CliError> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (given, own) = (self.account_key.clone(), variable("AHU_ACCOUNT_KEY"));
        let file = given.or_else(|| variable("AHU_ACCOUNT_KEY_FILE").filter(|_| own.is_none()).map(PathBuf::from));
        let key = file.map(|file| key_file::read(&file)).transpose()?.or(own);
        let server = server_address(address)?;
        let channel = {
            let _entered = runtime.enter();
            server.endpoint()?.connect_lazy()
        };
        // Call once, so that a wrong address ends the command.
        let mut catalog = CatalogServiceClient::new(channel.clone());
        let info = catalog.get_server_info(GetServerInfoRequest {});
        runtime.block_on(info).map_err(|status: Status| server.refused(&status))?;
        Ok(Caller { link: ServerLink::over(channel), key, token: None })
    }

    /// Returns the match that begins at once; refuses what the game does not have.
    fn opening(&self) -> Result<Opening, CliError> {
        let name = Some(self.name.clone());
        let Some(game) = &self.local else { return Ok(Opening { name, ..Opening::default() }) };
        let rules = find(game).map_err(CliError::usage)?;
        for bot in &self.opponents {
            rules.bot(bot).map_err(|error| CliError::Usage(format!("--opponents: {}", error.message)))?;
        }
        let fewest = *rules.seats().start() as u32;
        let usual = if self.opponents.len() == 1 { fewest } else { self.opponents.len() as u32 + 1 };
        let seats = self.seats.unwrap_or(usual);
        configure(rules, seats as usize, &self.options)?;
        let options = self.options.iter().filter_map(|option| option.split_once('='));
        Ok(Opening {
            game: Some(game.clone()),
            seats: Some(seats),
            seat: self.seat,
            opponents: self.opponents.clone(),
            options: options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            seed: self.seed.map(|Seed(seed)| seed),
            name,
        })
    }
}

/// Returns a caller of matches in this process.
fn here() -> Caller {
    // Nobody else plays here: the bots may take the time that they need.
    let limits = Limits { decision_idle: PATIENCE, bot_playouts: u32::MAX, ..Limits::default() };
    Caller { link: Server::from(Matches::new(limits, None)).link(), key: None, token: None }
}

/// Serves the tools to the client behind stdin and stdout, until it closes stdin.
async fn serve(handler: Handler, out: &mut impl Write) -> Done {
    // The program holds the lock of stdout, so this thread writes.
    let (mut answers, output) = duplex(BUFFER);
    let serving = tokio::spawn(handler.serve(stdin(), output));
    let mut buffer = vec![0; BUFFER];
    loop {
        let length = answers.read(&mut buffer).await?;
        if length == 0 {
            break;
        }
        out.write_all(&buffer[..length])?;
        out.flush()?;
    }
    serving.await.map_err(CliError::failed)?.map_err(CliError::Failed)
}

/// Returns the seats of an earlier process in matches that go on.
async fn open_seats(caller: &Caller, seats: Vec<OwnSeat>) -> Vec<OwnSeat> {
    let mut client = MatchServiceClient::new(caller.link.clone());
    let mut open = Vec::new();
    for seat in seats {
        let asked = GetMatchRequest { match_id: seat.match_id.clone(), wait: None };
        let Ok(asked) = caller.request(asked, &seat.token) else { continue };
        // A seat is lost only if the server says so: it may be away, or refuse the key of today.
        let is_lost = match client.get_match(asked).await {
            Ok(answer) => answer.into_inner().r#match.unwrap_or_default().ended,
            Err(status) => status.code() == Code::NotFound,
        };
        if !is_lost {
            open.push(seat);
        }
    }
    open
}

/// Keeps the seats of this process in its file, until no further seat can come.
async fn keep_seats(mut kept: KeptSeats, mut seats: watch::Receiver<Vec<OwnSeat>>) {
    loop {
        let written = kept.keep(&seats.borrow_and_update());
        if let Err(error) = written {
            Stderr::line(&format!("the seats of this process are lost when it ends: {error}"));
        }
        if seats.changed().await.is_err() {
            break;
        }
    }
}

/// Writes the record of each match that ends, until no further match can come; then writes the records of the matches that have
/// ended.
async fn keep_records(caller: Caller, mut seats: watch::Receiver<Vec<OwnSeat>>, folder: PathBuf) {
    let mut keeping = JoinSet::new();
    let mut known = 0;
    loop {
        let joined = seats.borrow_and_update().clone();
        for seat in &joined[known..] {
            keeping.spawn(keep_record(caller.clone(), seat.clone(), folder.clone(), true));
        }
        known = joined.len();
        if seats.changed().await.is_err() {
            break;
        }
    }
    keeping.shutdown().await;
    let joined = seats.borrow().clone();
    for seat in joined {
        keep_record(caller.clone(), seat, folder.clone(), false).await;
    }
}

/// Writes the record of a match once it has ended. Tells what goes wrong on stderr, which clients show in their logs.
async fn keep_record(caller: Caller, seat: OwnSeat, folder: PathBuf, waits: bool) {
    if let Err(error) = try_keep(&caller, &seat, &folder, waits).await {
        Stderr::line(&format!("no record of the match {}: {error}", seat.match_id));
    }
}

async fn try_keep(caller: &Caller, seat: &OwnSeat, folder: &Path, waits: bool) -> Result<(), String> {
    let OwnSeat { match_id: id, token } = seat;
    let mut client = MatchServiceClient::new(caller.link.clone());
    let words = |status: Status| status.message().to_owned();
    loop {
        let asked = GetMatchRequest { match_id: id.clone(), wait: waits.then_some(WAIT) };
        let described = client.get_match(caller.request(asked, token)?).await.map_err(words)?.into_inner().r#match;
        match described.unwrap_or_default().state() {
            MatchState::Finished | MatchState::Cancelled | MatchState::Void => break,
            MatchState::Seating | MatchState::Running if waits => {}
            _ => return Ok(()),
        }
    }
    let asked = GetRecordRequest { match_id: id.clone(), ..Default::default() };
    let record = client.get_record(caller.request(asked, token)?).await.map_err(words)?.into_inner().record;
    let path = folder.join(format!("{id}.txt"));
    let written = create_anew(&path, 0o666).and_then(|mut file| file.write_all(&record));
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

//! `ahu watch`: follows a match of a server.

use std::io::Write;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use ahu_arena::{ServerAddress, has_reason, is_transient};
use ahu_host::Any;
use ahu_service::proto::MessageJson;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::tournament_service_client::TournamentServiceClient;
use ahu_service::proto::v1::{
    ErrorReason, GetMatchRequest, ListMatchesRequest, ListTournamentGamesRequest, Match, MatchState, Observation,
    ObservationFormats, TournamentGameState, WatchMatchRequest, WatchMatchResponse,
};
use prost::Message;
use tokio::runtime::{Builder, Runtime};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::files::key_file;
use crate::network::server_address;
use crate::terminal::{bold, dim, fitted};
use crate::{CliError, Done};

/// The default address of `ahu serve`.
const DEFAULT_SERVER: &str = "127.0.0.1:50551";
/// The pause before each attempt to connect again.
const PAUSE: Duration = Duration::from_secs(1);
/// The time after which the command no longer tries to connect.
const PATIENCE: Duration = Duration::from_secs(60);
/// The indent of a continued line, in characters.
const HANG: usize = 6;

/// Follow a match of a server until it ends
///
/// Prints the events that everybody is told, and the result. If the connection is lost, the command connects again and goes
/// on after the last event. Without a match, it lists the matches in progress, and the games of the server's cup.
#[derive(Debug, clap::Args)]
pub(super) struct Watch {
    /// The id of the match
    #[arg(value_name = "MATCH")]
    match_id: Option<String>,
    /// The address of the server [default: the variable `AHU_ADDRESS`, or 127.0.0.1:50551]
    #[arg(long, value_name = "HOST:PORT")]
    server: Option<String>,
    /// The file with the key of an account, for a server that requires one [default: the variable `AHU_ACCOUNT_KEY`]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Begin after the event with this number; 0 begins at the first event [default: now]
    #[arg(long, value_name = "EVENT")]
    after: Option<u32>,
    /// Print the table at the beginning of each turn, and at the end
    #[arg(long)]
    table: bool,
    /// Show all seats, with their hands; only for a match that has ended, with --table or --json
    #[arg(long)]
    all_seats: bool,
    /// Print a line of JSON for each message of the server (`ahu.v1.WatchMatchResponse`)
    #[arg(long, conflicts_with = "table")]
    json: bool,
}

/// The point up to which the match has been shown.
#[derive(Default)]
struct StreamCursor {
    /// The number of the last event that was shown; None before the first message, unless `--after` gives it.
    events: Option<u32>,
    forfeits: usize,
    last: Option<Observation>,
}

impl Watch {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        if self.all_seats && !self.table && !self.json {
            return Err(CliError::Usage("--all-seats: expected --table or --json with it, got neither".to_owned()));
        }
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let key = self.key.as_deref().map(key_file::read).transpose()?.or_else(|| variable("AHU_ACCOUNT_KEY"));
        let address = self.server.clone().or_else(|| variable("AHU_ADDRESS"));
        let server = Server::new(address.as_deref().unwrap_or(DEFAULT_SERVER), variable("AHU_TOKEN"), key)?;
        let Some(match_id) = &self.match_id else {
            return match self.table || self.json || self.after.is_some() {
                true => Err(CliError::Usage("expected a MATCH to follow, got none".to_owned())),
                false => server.list(out),
            };
        };
        let described = server.describe(match_id)?;
        if !self.json {
            writeln!(out, "{}, match {}", described.game, described.match_id)?;
            for (seat, info) in described.seats.iter().enumerate() {
                let name = if info.name.is_empty() { "nobody yet" } else { &info.name };
                writeln!(out, "  seat {seat}: {name}")?;
            }
            writeln!(out)?;
        }
        let mut cursor = StreamCursor { events: self.after, ..StreamCursor::default() };
        let mut lost_at = None;
        while let Err(status) = self.follow(&server, &mut cursor, &mut lost_at, out)? {
            let lost_at = *lost_at.get_or_insert_with(Instant::now);
            if !is_transient(&status) || lost_at.elapsed() > PATIENCE {
                return Err(server.address.refused(&status).into());
            }
            thread::sleep(PAUSE);
        }
        match cursor.last {
            Some(last) if !self.json => show_end(&described, &last, self.table, out),
            _ => Ok(()),
        }
    }

    /// Shows one stream. Returns Ok at the end of the match, and Err with the status if the stream breaks off.
    fn follow(
        &self,
        server: &Server,
        cursor: &mut StreamCursor,
        lost_at: &mut Option<Instant>,
        out: &mut impl Write,
    ) -> Result<Result<(), Status>, CliError> {
        let formats = ObservationFormats { text: self.table || self.json, typed: self.json, ..Default::default() };
        let request = WatchMatchRequest {
            match_id: self.match_id.clone().unwrap_or_default(),
            formats: Some(formats),
            after: cursor.events,
            all_seats: self.all_seats,
            ..Default::default()
        };
        let mut client = MatchServiceClient::new(server.channel.clone());
        let mut stream = match server.runtime.block_on(client.watch_match(server.request(request))) {
            Ok(response) => response.into_inner(),
            Err(status) => return Ok(Err(status)),
        };
        // The first message of a new connection repeats the last message of the old one.
        let mut is_known = cursor.last.is_some();
        loop {
            let message = match server.runtime.block_on(stream.message()) {
                Ok(Some(message)) => message,
                Ok(None) => return Ok(Ok(())),
                Err(status) => return Ok(Err(status)),
            };
            *lost_at = None;
            if let Some(observation) = &message.observation {
                if !std::mem::take(&mut is_known) {
                    self.show(&message, observation, cursor, out)?;
                }
                cursor.note(observation);
            }
        }
    }

    fn show(
        &self,
        message: &WatchMatchResponse,
        observation: &Observation,
        cursor: &StreamCursor,
        out: &mut impl Write,
    ) -> Done {
        if self.json {
            let any = Any { type_url: "/ahu.v1.WatchMatchResponse".to_owned(), value: message.encode_to_vec() };
            let line = serde_json::to_string(&MessageJson::of(&any)).map_err(CliError::failed)?;
            writeln!(out, "{line}")?;
            return Ok(out.flush()?);
        }
        if message.skipped {
            writeln!(out, "{}", dim("      the match went on faster than this stream: some tables are left out"))?;
        }
        for event in &observation.events {
            let line = fitted(&format!("{:>4}  {}", event.number, event.text), HANG);
            writeln!(out, "{}", if event.begins_turn { bold(&line) } else { line })?;
        }
        for forfeit in observation.forfeits.iter().skip(cursor.forfeits) {
            let cause = forfeit.cause().as_str_name().trim_start_matches("CAUSE_").to_lowercase();
            writeln!(out, "      seat {} forfeits ({cause}); a stand-in plays on", forfeit.seat.unwrap_or_default())?;
        }
        let begins_turn = observation.events.iter().any(|event| event.begins_turn);
        let is_over = ![MatchState::Seating, MatchState::Running].contains(&observation.state());
        if self.table && (begins_turn || cursor.last.is_none() || is_over) {
            for seen in [observation].into_iter().chain(&message.seat_observations) {
                if let (true, Some(seat)) = (self.all_seats, seen.seat) {
                    writeln!(out, "\n{}", bold(&format!("seat {seat}")))?;
                }
                writeln!(out, "\n{}", seen.text.trim_end())?;
            }
            writeln!(out)?;
        }
        Ok(out.flush()?)
    }
}

impl StreamCursor {
    fn note(&mut self, observation: &Observation) {
        self.events = match observation.events.last() {
            Some(last) => Some(last.number),
            None => self.events.or(Some(observation.event_count)),
        };
        self.forfeits = observation.forfeits.len();
        self.last = Some(observation.clone());
    }
}

fn show_end(described: &Match, last: &Observation, had_table: bool, out: &mut impl Write) -> Done {
    let Some(result) = &last.result else {
        let what = if last.state() == MatchState::Void { "is void" } else { "was cancelled" };
        writeln!(out, "\nthe match {what}: {}", last.end_reason)?;
        return Ok(());
    };
    if !had_table {
        writeln!(out)?;
    }
    let names = described.seats.iter().map(|seat| seat.name.as_str());
    for (seat, ((name, rank), score)) in names.zip(&result.ranks).zip(&result.scores).enumerate() {
        let comma = if name.is_empty() { "" } else { ", " };
        writeln!(out, "seat {seat}: rank {rank}, {score} points{comma}{name}")?;
    }
    Ok(())
}

struct Server {
    runtime: Runtime,
    address: ServerAddress,
    channel: Channel,
    /// The token of a seat, from `AHU_TOKEN`; None to watch as the public.
    token: Option<MetadataValue<Ascii>>,
    /// The key of an account; None for a server that requires none.
    key: Option<MetadataValue<Ascii>>,
}

impl Server {
    fn new(address: &str, token: Option<String>, key: Option<String>) -> Result<Self, CliError> {
        let address = server_address(address)?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(CliError::failed)?;
        let channel = {
            let _entered = runtime.enter();
            address.endpoint()?.http2_keep_alive_interval(PATIENCE / 3).keep_alive_timeout(PATIENCE / 3).connect_lazy()
        };
        let token = token.map(|token| format!("Bearer {token}").parse().map_err(CliError::usage)).transpose()?;
        let key = key.map(|key| key.parse().map_err(|_| CliError::usage("expected a key in one line"))).transpose()?;
        Ok(Self { runtime, address, channel, token, key })
    }

    /// Returns a request with the key.
    fn keyed<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(key) = &self.key {
            request.metadata_mut().insert("ahu-key", key.clone());
        }
        request
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = self.keyed(message);
        if let Some(token) = &self.token {
            request.metadata_mut().insert("authorization", token.clone());
        }
        request
    }

    /// Lists the matches in progress, and the games of the cup that are played now, a line each.
    fn list(&self, out: &mut impl Write) -> Done {
        let refused = |status: Status| self.address.refused(&status);
        let mut found = Vec::new();
        let request = ListMatchesRequest { state: MatchState::Running.into(), ..Default::default() };
        let mut matches = MatchServiceClient::new(self.channel.clone());
        let listed = self.runtime.block_on(matches.list_matches(self.keyed(request))).map_err(refused)?.into_inner();
        for described in listed.matches {
            let names = described.seats.into_iter().map(|seat| seat.name).collect::<Vec<_>>().join(", ");
            found.push(format!("{}  {}: {names}", described.match_id, described.game));
        }
        let mut cup = TournamentServiceClient::new(self.channel.clone());
        let request = ListTournamentGamesRequest { page_size: 1000, ..Default::default() };
        match self.runtime.block_on(cup.list_tournament_games(self.keyed(request))) {
            Ok(listed) => {
                let games = listed.into_inner().games.into_iter();
                for game in games.filter(|game| game.state() == TournamentGameState::Started) {
                    found.push(format!("{}  {}: {}", game.match_id, game.stage, game.agents.join(", ")));
                }
            }
            Err(status) if has_reason(&status, ErrorReason::NoTournament) => {}
            Err(status) => return Err(refused(status).into()),
        }
        if found.is_empty() {
            found.push(format!("no match is in progress on the server at {}", self.address));
        }
        found.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }

    fn describe(&self, match_id: &str) -> Result<Match, CliError> {
        let request = GetMatchRequest { match_id: match_id.to_owned(), wait: None };
        let mut client = MatchServiceClient::new(self.channel.clone());
        let described = self
            .runtime
            .block_on(client.get_match(self.request(request)))
            .map_err(|status| self.address.refused(&status))?;
        Ok(described.into_inner().r#match.unwrap_or_default())
    }
}

//! The venue on a server elsewhere. Only cups use it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_contest::PlannedGame;
use ahu_contest::cup::Position;
use ahu_core::{Seat, hex};
use ahu_host::api::terms;
use ahu_host::{BotName, Ending, MatchTime, Record};
use ahu_service::proto::cup::{self, CupCall};
use ahu_service::proto::v1::{self, Dismissal, ErrorReason, MatchState, RecordFormat};
use ahu_service::{CupId, MatchConfig};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::connection::{Client, Connection};
use super::journal_sender::JournalSender;
use super::presence::{Presence, RemoteQueue, WAIT, follow};
use super::{Played, Queues, RemoteAgent, Scratch, Slot, Surroundings, Venue, match_of};
use crate::channel::relay::forward_socket;
use crate::channel::{ServerAddress, has_reason};
use crate::logs::ProgramLog;
use crate::programs::{Process, ProgramSeat, ProgramSpec, end_all, socket_folder};
use crate::{Error, lock};

/// The interval at which a wait checks whether programs run.
const LOOK: Duration = Duration::from_millis(50);

/// A venue on a server elsewhere.
pub struct RemoteVenue {
    /// None while this is dropped.
    runtime: Option<Runtime>,
    connection: Arc<Connection>,
    /// None if the server keeps nothing.
    sender: Option<Arc<JournalSender>>,
    presence: Arc<Presence>,
    /// The hashes of the keys of agents, by the numbers of the agents.
    key_hashes: Mutex<HashMap<usize, [u8; 32]>>,
    /// The path of a Unix socket that leads to the server, and its folder.
    socket: (TempDir, PathBuf),
    scratch: Scratch,
}

impl RemoteVenue {
    /// Connects to a server as the organiser of this cup, with this key. The server gets a copy of the journal, and keeps the
    /// matches; without a journal it keeps none.
    pub fn open(address: &ServerAddress, key: &str, cup: CupId, journal: Option<PathBuf>) -> Result<Self, Error> {
        let runtime = Runtime::new().map_err(Error::failed)?;
        let connection = Arc::new(Connection::open(runtime.handle().clone(), address, key, cup.to_string())?);
        let folder = socket_folder().map_err(Error::failed)?;
        let path = folder.path().join("ahu.sock");
        forward_socket(&runtime, &path, address, connection.place.subscribe()).map_err(Error::failed)?;
        let presence = Arc::new(Presence::new());
        connection.runtime.spawn(follow(Arc::downgrade(&connection), Arc::clone(&presence)));
        let (key_hashes, scratch) = (Mutex::default(), Scratch::default());
        let sender = |journal| Arc::new(JournalSender::new(journal, cup.to_string(), Arc::downgrade(&connection)));
        let sender = journal.map(sender);
        if let Some(sender) = &sender {
            drop(connection.runtime.spawn(Arc::clone(sender).run()));
        }
        Ok(Self { sender, runtime: Some(runtime), connection, presence, key_hashes, socket: (folder, path), scratch })
    }

    /// Asks the server for the course of a match.
    fn course(&self, match_id: &str) -> Result<Course, Error> {
        course(&self.connection, match_id, None)
    }
}

enum Course {
    Going,
    /// The match has ended. It has no record if it did not begin, or if the server has lost it.
    Ended(Option<Box<Record>>),
}

/// Asks the server for the course of a match, after a wait for its end.
fn course(connection: &Connection, match_id: &str, wait: Option<prost_types::Duration>) -> Result<Course, Error> {
    let request = v1::GetMatchRequest { match_id: match_id.to_owned(), wait };
    let call = async |mut client: Client| client.matches.get_match(request.clone()).await;
    let Some(described) = connection.call_of_match(call)? else { return Ok(Course::Ended(None)) };
    if matches!(described.r#match.unwrap_or_default().state(), MatchState::Seating | MatchState::Running) {
        return Ok(Course::Going);
    }
    let request = v1::GetRecordRequest { match_id: match_id.to_owned(), format: RecordFormat::Binary.into() };
    match connection.try_call(async |mut client: Client| client.matches.get_record(request.clone()).await)? {
        Ok(response) => {
            let wrong = |error| Error::Failed(format!("the server has sent a record that cannot be read: {error}"));
            Record::read(&response.record).map(|record| Course::Ended(Some(Box::new(record)))).map_err(wrong)
        }
        // The match was cancelled before it began.
        Err(status) if has_reason(&status, ErrorReason::MatchEnded) => Ok(Course::Ended(None)),
        Err(status) => Err(connection.refused(&status)),
    }
}

impl Drop for RemoteVenue {
    fn drop(&mut self) {
        // Do not wait for calls: the server may answer late.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Venue for RemoteVenue {
    fn address(&self) -> Result<String, Error> {
        Ok(self.connection.address.to_string())
    }

    fn now(&self) -> MatchTime {
        self.presence.now()
    }

    fn open_queues(&self, agents: Vec<RemoteAgent>) -> Result<Queues, Error> {
        let (mut opened, mut queued) = (Queues::new(), Vec::new());
        for RemoteAgent { number, name, key_hash, practice, account } in agents {
            let practice = practice.as_ref().map(spec);
            let replaces = lock(&self.key_hashes).insert(number, key_hash);
            let replaces = replaces.map_or_else(Default::default, |old| old.to_vec().into());
            let key_hash = key_hash.to_vec();
            queued.push(cup::QueuedAgent {
                key_hash: key_hash.clone().into(),
                name,
                practice,
                dismissal: None,
                replaces,
                account_id: account.unwrap_or_default(),
            });
            opened.insert(number, Arc::new(RemoteQueue { key_hash, presence: Arc::clone(&self.presence) }));
        }
        self.connection.open_queues(queued)?;
        Ok(opened)
    }

    fn dismiss(&self, agents: &HashMap<usize, Dismissal>) -> bool {
        let key_hashes = lock(&self.key_hashes);
        let of_key = |(agent, dismissal): (_, &Dismissal)| Some((*key_hashes.get(agent)?, dismissal.clone()));
        let dismissals = agents.iter().filter_map(of_key).collect();
        drop(key_hashes);
        self.connection.dismiss(&dismissals)
    }

    fn account_calls(&self, after: u64) -> Vec<CupCall> {
        self.presence.account_calls(after)
    }

    fn note_arrivals(&self, agents: &[usize], at: &Position) {
        let key_hashes = lock(&self.key_hashes);
        let key_hashes = agents.iter().filter_map(|agent| Some(key_hashes.get(agent)?.to_vec().into())).collect();
        let cup_id = self.connection.cup_id.clone();
        let request = cup::NoteArrivalsRequest { cup_id, key_hashes, line: at.lines, link: at.link.clone() };
        let mut client = self.connection.client();
        // An agent whose answer lacks the line gets it with the next one.
        drop(self.connection.runtime.spawn(async move { client.organiser.note_arrivals(request).await }));
    }

    fn publish(&self) {
        // Without an answer, the server shows an older state.
        drop(self.sender.as_ref().map(|sender| self.connection.runtime.block_on(sender.send())));
    }

    fn calls(&self) -> watch::Receiver<u64> {
        self.presence.calls.subscribe()
    }

    fn is_going(&self, match_id: &str) -> bool {
        matches!(self.course(match_id), Ok(Course::Going))
    }

    fn cancel(&self, match_id: &str, reason: &str) -> Result<(), Error> {
        let request = v1::CancelMatchRequest { match_id: match_id.to_owned(), reason: reason.to_owned() };
        let call = async |mut client: Client| client.matches.cancel_match(request.clone()).await;
        match self.connection.try_call(call)? {
            // A match that has ended stays as it is, and one that is lost is over.
            Err(status) if has_reason(&status, ErrorReason::MatchEnded) => Ok(()),
            Err(status) if has_reason(&status, ErrorReason::UnknownMatch) => Ok(()),
            answer => answer.map(drop).map_err(|status| self.connection.refused(&status)),
        }
    }

    fn unseal(&self, match_id: &str) -> Result<(), Error> {
        let request = cup::UnsealMatchRequest { cup_id: self.connection.cup_id.clone(), match_id: match_id.to_owned() };
        let call = async |mut client: Client| client.organiser.unseal_match(request.clone()).await;
        self.connection.call_of_match(call).map(drop)
    }

    fn news(&self) -> Vec<String> {
        self.connection.news()
    }

    fn stands_still(&self) -> bool {
        self.connection.is_lost()
    }

    fn give_up(&self) {
        self.connection.give_up();
    }

    /// Returns a slot. It ignores `has_begun`: in a cup, a program that never begins forfeits.
    fn slot<'a>(
        &'a self,
        around: Surroundings<'a>,
        is_cancelled: &'a AtomicBool,
        _: &'a [AtomicBool],
    ) -> Box<dyn Slot + 'a> {
        Box::new(RemoteSlot { venue: self, around, is_cancelled })
    }
}

/// Returns the specification of a match with this configuration.
fn spec(config: &MatchConfig) -> v1::MatchSpec {
    let MatchConfig { setup, bots, terms, seed, .. } = config;
    let seats = || (0..).zip(bots);
    let bot = |(seat, bot): (u32, &Option<BotName>)| bot.map(|bot| v1::BotSeat { seat: Some(seat), bot: bot.name() });
    // Bots have no clock.
    let clock = |((seat, bot), clock): ((u32, &Option<BotName>), _)| {
        let time_control = Some(terms::time_control(clock));
        bot.is_none().then_some(v1::SeatTimeControl { seat: Some(seat), time_control })
    };
    v1::MatchSpec {
        game: setup.rules().info().id.to_owned(),
        seat_count: bots.len() as u32,
        options: setup.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        bots: seats().filter_map(bot).collect(),
        seat_time_controls: seats().zip(&terms.clocks).filter_map(clock).collect(),
        conduct: Some(terms::conduct(&terms.conduct)),
        stand_in: terms.stand_in.map(BotName::name).unwrap_or_default(),
        unlisted: true,
        seed: seed.map(|seed| seed.to_string()).unwrap_or_default(),
        ..Default::default()
    }
}

/// A slot of a venue on a server elsewhere.
struct RemoteSlot<'a> {
    venue: &'a RemoteVenue,
    around: Surroundings<'a>,
    is_cancelled: &'a AtomicBool,
}

struct InPlay {
    seat: Seat,
    log: ProgramLog,
    /// None once the program has exited.
    program: Option<Process>,
    /// The scratch folder, which is removed after the game; None if the program may remember.
    _scratch: Option<TempDir>,
}

impl Slot for RemoteSlot<'_> {
    fn play(
        &mut self,
        game: &PlannedGame,
        earlier: Option<&str>,
        started: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<Played, Error> {
        let mut going_on = None;
        if let Some(match_id) = earlier {
            match self.venue.course(match_id) {
                Ok(Course::Going) => going_on = Some(match_id),
                Ok(Course::Ended(Some(record))) if record.ending == Some(Ending::Finished) => {
                    let match_id = match_id.to_owned();
                    return Ok(Played { match_id, record: Some(*record), times: Vec::new(), logs: Vec::new() });
                }
                Ok(Course::Ended(_)) | Err(_) => {}
            }
        }
        let match_id = if let Some(match_id) = going_on {
            match_id.to_owned()
        } else {
            let match_id = self.host(game, earlier)?;
            // Note the match before agents get their seats. If this process ended in between, agents would be kept by a match
            // that nobody knows.
            started(&match_id)?;
            match_id
        };
        let regained = self.venue.connection.regained();
        let Some(tokens) = self.seat(game, &match_id)? else {
            return Ok(Played { match_id, record: None, times: Vec::new(), logs: Vec::new() });
        };
        let mut in_play = self.start(game, &match_id, &tokens)?;
        let record = self.follow(game, &match_id, &mut in_play, regained)?;
        end_all(in_play.iter().filter_map(|program| program.program.as_ref()));
        let logs = in_play.into_iter().map(|program| (program.seat, program.log)).collect();
        Ok(Played { match_id, record, times: Vec::new(), logs })
    }
}

impl RemoteSlot<'_> {
    /// Hosts the match of a game, and returns its id. The same request returns the same match, so that a game is not played twice
    /// if its match was not noted.
    fn host(&self, game: &PlannedGame, earlier: Option<&str>) -> Result<String, Error> {
        let seed = game.seed.0.to_le_bytes();
        let id = [&seed, game.name.as_bytes(), &[0], earlier.unwrap_or_default().as_bytes()].concat();
        let request = cup::HostMatchRequest {
            cup_id: self.venue.connection.cup_id.clone(),
            spec: Some(spec(&match_of(game))),
            request_id: hex(&Sha256::digest(id)),
            pinned: self.venue.sender.is_some() && !game.is_passing,
            sealed: game.is_shared,
            repetition: game.index,
        };
        let connection = &self.venue.connection;
        let hosted = connection.call(async |mut client: Client| client.organiser.host_match(request.clone()).await)?;
        Ok(hosted.r#match.unwrap_or_default().match_id)
    }

    /// Seats all players that are no bots. Returns their tokens by seat; None if the server has lost the match.
    fn seat(&self, game: &PlannedGame, match_id: &str) -> Result<Option<HashMap<Seat, String>>, Error> {
        let agents = || game.seating.iter().filter(|(seat, _)| game.players[seat.index()].bot.is_none());
        let player = |(seat, agent): (Seat, usize)| cup::SeatPlayer {
            seat: Some(seat.index() as u32),
            name: game.players[seat.index()].name.clone(),
            key_hash: lock(&self.venue.key_hashes)
                .get(&agent)
                .map_or_else(Default::default, |hash| hash.to_vec().into()),
            agent_seed: Some(game.agent_seeds[seat]),
        };
        let request = cup::SeatPlayersRequest {
            cup_id: self.venue.connection.cup_id.clone(),
            match_id: match_id.to_owned(),
            players: agents().map(player).collect(),
        };
        let call = async |mut client: Client| client.organiser.seat_players(request.clone()).await;
        let seated = self.venue.connection.call_of_match(call)?;
        let tokens = |seats: Vec<v1::AssignedSeat>| seats.into_iter().map(|assigned| assigned.seat_token);
        Ok(seated.map(|seated| agents().map(|(seat, _)| seat).zip(tokens(seated.seats)).collect()))
    }

    /// Gives the players their seats again after a restart of the server, which has lost its queues. A restored server may have
    /// lost the seats too; then the match is cancelled, and the game is played anew.
    fn recover(&self, game: &PlannedGame, match_id: &str) -> Result<(), Error> {
        let request = v1::GetMatchRequest { match_id: match_id.to_owned(), wait: None };
        let call = async |mut client: Client| client.matches.get_match(request.clone()).await;
        let described = self.venue.connection.call_of_match(call)?.and_then(|described| described.r#match);
        match described.map(|described| described.state()) {
            Some(MatchState::Seating) => self.venue.cancel(match_id, "the server has lost the seats of the match"),
            Some(MatchState::Running) => self.seat(game, match_id).map(drop),
            _ => Ok(()),
        }
    }

    fn start(&self, game: &PlannedGame, match_id: &str, tokens: &HashMap<Seat, String>) -> Result<Vec<InPlay>, Error> {
        let start = |(seat, player, spec): (Seat, usize, &ProgramSpec)| {
            let log = self.around.logs.of(player);
            let (spec, scratch) = self.around.prepare(game, seat, spec, &log, &self.venue.scratch)?;
            let (address, socket) = (self.venue.connection.address.to_string(), self.venue.socket.1.clone());
            let token = tokens.get(&seat).map_or("", String::as_str);
            let place = ProgramSeat { address: Some(address), socket: Some(socket), match_id, seat, token, key: None };
            let (program, _) = Process::start(&spec, &place).map_err(|error| spec.cannot_start(&error))?;
            Ok(InPlay { seat, log, program: Some(program), _scratch: scratch })
        };
        self.around.programs(game).map(start).collect()
    }

    /// Waits for the end of a match, and reports programs that exit earlier to the server. Returns the record; None if the match
    /// did not begin.
    fn follow(
        &self,
        game: &PlannedGame,
        match_id: &str,
        in_play: &mut [InPlay],
        mut regained: u64,
    ) -> Result<Option<Record>, Error> {
        let connection = &self.venue.connection;
        std::thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            scope.spawn(move || {
                let ended = loop {
                    match course(connection, match_id, Some(WAIT)) {
                        Ok(Course::Going) if connection.has_given_up() => break Ok(None),
                        Ok(Course::Going) => {}
                        Ok(Course::Ended(record)) => break Ok(record.map(|record| *record)),
                        Err(error) => break Err(error),
                    }
                };
                // An error means that the receiver has stopped with an error of its own.
                drop(tell.send(ended));
            });
            loop {
                match told.recv_timeout(LOOK) {
                    Ok(ended) => return ended,
                    Err(RecvTimeoutError::Timeout) => {
                        let before = std::mem::replace(&mut regained, connection.regained());
                        if regained != before {
                            self.recover(game, match_id)?;
                        }
                        self.report_exits(match_id, in_play)?;
                        if self.venue.sender.is_none() && self.is_cancelled.load(Ordering::Relaxed) {
                            self.venue.cancel(match_id, "the host ends all games")?;
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Error::failed("a thread has ended too early"));
                    }
                }
            }
        })
    }

    /// Reports programs that have exited to the server.
    fn report_exits(&self, match_id: &str, in_play: &mut [InPlay]) -> Result<(), Error> {
        for InPlay { seat, program, .. } in in_play {
            let Some(exited) = program.take_if(|program| program.ended().is_some()) else { continue };
            exited.hear_out();
            exited.output.line("the program has ended");
            let request = cup::ReportExitRequest {
                cup_id: self.venue.connection.cup_id.clone(),
                match_id: match_id.to_owned(),
                seat: Some(seat.index() as u32),
            };
            let call = async |mut client: Client| client.organiser.report_exit(request.clone()).await;
            // The exit from a match that is lost has no effect.
            self.venue.connection.call_of_match(call)?;
        }
        Ok(())
    }
}

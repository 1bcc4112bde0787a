//! The venue in this process. A slot starts the programs of a game, follows its match, and keeps programs that can play another
//! game.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ahu_contest::PlannedGame;
use ahu_contest::blocks::DecisionTime;
use ahu_contest::cup::Position;
use ahu_core::Seat;
use ahu_host::outcome::reason;
use ahu_host::{Cause, DecidedBy, Ending, Entry, MatchTime, Record, Referee};
use ahu_service::limits::FOLDER_WAIT;
use ahu_service::proto::v1::{Arrival, Dismissal};
use ahu_service::store::{Keep, SqliteOptions, SqliteStore, StoreError};
use ahu_service::{
    AssignedSeat, Clock, CupId, Limits, LiveMatch, MatchConfig, Matches, Page, PracticeOffer, SeatQueue, Server,
};
use tempfile::TempDir;
use tokio::sync::watch;

use super::{Played, Queues, RemoteAgent, Scratch, Slot, Surroundings, Venue, match_of};
use crate::logs::ProgramLog;
use crate::programs::{IdleProgram, LocalMatches, Programs};
use crate::{Error, lock};

/// The time for which the store keeps a match after its end whose record is kept elsewhere.
const PASSING: Duration = Duration::from_secs(3 * 24 * 3600);

/// A venue in this process.
pub struct LocalVenue {
    matches: LocalMatches,
    scratch: Scratch,
    queues: Mutex<HashMap<usize, Arc<SeatQueue>>>,
    /// True if a store keeps the matches. Then games of bots alone are matches too.
    keeps: bool,
    /// The id of the cup; empty without one.
    cup_id: String,
    /// The error of the store while it fails.
    store_failing: Mutex<watch::Receiver<Option<StoreError>>>,
}

impl LocalVenue {
    /// Creates a venue without a store, whose server listens on this address. Games of bots alone are played without a match.
    pub fn without_store(listen: SocketAddr) -> Self {
        Self::of(LocalMatches::new(listen), false, String::new())
    }

    /// Creates a venue with the store of a cup. Its server listens on this address, and shows the cup with this journal.
    pub fn open(data: &Path, (cup, journal): (CupId, &Path), listen: SocketAddr) -> Result<Self, Error> {
        let options = SqliteOptions { create: true, wait: FOLDER_WAIT, ..SqliteOptions::default() };
        let store = SqliteStore::open(data, &options).map_err(Error::failed)?;
        let clock = Clock::system();
        let matches = Matches::with_clock(Limits::default(), Some(Box::new(store)), clock.clone());
        matches.recover(|_| {}).map_err(Error::failed)?;
        let server = Server::from(matches).with_cup(cup, journal).with_page(Page::default());
        Ok(Self::of(LocalMatches::of(server, clock, listen), true, cup.to_string()))
    }

    fn of(matches: LocalMatches, keeps: bool, cup_id: String) -> Self {
        let store_failing = Mutex::new(matches.matches().store_failing());
        Self { matches, scratch: Scratch::default(), queues: Mutex::default(), keeps, cup_id, store_failing }
    }

    fn find(&self, match_id: &str) -> Option<Arc<LiveMatch>> {
        self.matches.matches().find_blocking(match_id).ok()
    }
}

impl Venue for LocalVenue {
    fn address(&self) -> Result<String, Error> {
        self.matches.address().map(|address| address.to_string())
    }

    fn now(&self) -> MatchTime {
        self.matches.now()
    }

    fn open_queues(&self, agents: Vec<RemoteAgent>) -> Result<Queues, Error> {
        let mut queues = lock(&self.queues);
        let mut opened: Queues = HashMap::new();
        for RemoteAgent { number, name, key_hash, practice, .. } in agents {
            if queues.iter().any(|(other, queue)| *other != number && queue.key_hash() == key_hash) {
                return Err(Error::Usage(format!(
                    "expected a key of its own for agent {name}, got that of another agent"
                )));
            }
            let queue = match queues.get(&number) {
                Some(queue) => {
                    queue.renew_key(key_hash);
                    Arc::clone(queue)
                }
                None => Arc::new(self.matches.matches().seat_queue_with_key(key_hash)),
            };
            queue.offer_practice(practice.map(|config| PracticeOffer { config, name }));
            queues.insert(number, Arc::clone(&queue));
            opened.insert(number, queue);
        }
        Ok(opened)
    }

    fn dismiss(&self, agents: &HashMap<usize, Dismissal>) -> bool {
        for (number, queue) in &*lock(&self.queues) {
            queue.dismiss(agents.get(number).cloned());
        }
        true
    }

    fn note_arrivals(&self, agents: &[usize], at: &Position) {
        let queues = lock(&self.queues);
        for queue in agents.iter().filter_map(|agent| queues.get(agent)) {
            queue.note_arrival(Arrival { cup_id: self.cup_id.clone(), line: at.lines, link: at.link.clone() });
        }
    }

    fn prune(&self) {
        let keep = Keep { age: Some(PASSING), bytes: None };
        if let Err(error) = self.matches.matches().prune(&keep) {
            tracing::warn!(%error, "old matches cannot be removed");
        }
    }

    fn calls(&self) -> watch::Receiver<u64> {
        self.matches.matches().seat_queue_calls()
    }

    fn is_going(&self, match_id: &str) -> bool {
        self.find(match_id).is_some_and(|live| !live.has_ended())
    }

    fn cancel(&self, match_id: &str, reason: &str) -> Result<(), Error> {
        // A refusal means that the match has ended.
        drop(self.find(match_id).map(|live| live.cancel(reason)));
        Ok(())
    }

    fn unseal(&self, match_id: &str) -> Result<(), Error> {
        if let Some(live) = self.find(match_id) {
            live.unseal();
        }
        Ok(())
    }

    fn news(&self) -> Vec<String> {
        let mut failing = lock(&self.store_failing);
        let failing = failing.borrow_and_update();
        match &*failing {
            _ if !failing.has_changed() => Vec::new(),
            Some(error) => vec![format!("all games stand still until the store can be written: {error}")],
            None => vec!["the store can be written again, and the games go on".to_owned()],
        }
    }

    fn stands_still(&self) -> bool {
        lock(&self.store_failing).borrow().is_some()
    }

    fn slot<'a>(
        &'a self,
        around: Surroundings<'a>,
        is_cancelled: &'a AtomicBool,
        has_begun: &'a [AtomicBool],
    ) -> Box<dyn Slot + 'a> {
        Box::new(LocalSlot { venue: self, around, is_cancelled, has_begun, idle: HashMap::new(), bot_games: 0 })
    }
}

/// A slot of a venue in this process.
struct LocalSlot<'a> {
    venue: &'a LocalVenue,
    around: Surroundings<'a>,
    is_cancelled: &'a AtomicBool,
    has_begun: &'a [AtomicBool],
    /// The programs that wait for another seat, by agent and by the number of the seat among the agent's seats.
    idle: HashMap<(usize, usize), (IdleProgram, ProgramLog)>,
    /// The number of games of bots alone so far.
    bot_games: u64,
}

struct InPlay {
    seat: Seat,
    player: usize,
    /// The number of the seat among the seats of its agent.
    copy: usize,
    log: ProgramLog,
    has_begun: bool,
    /// The scratch folder, which is removed after the game; None if the program may remember.
    _scratch: Option<TempDir>,
}

impl Slot for LocalSlot<'_> {
    fn play(
        &mut self,
        game: &PlannedGame,
        earlier: Option<&str>,
        started: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<Played, Error> {
        if !self.venue.keeps && game.players.iter().all(|player| player.bot.is_some()) {
            self.bot_games += 1;
            return Ok(play_bots(game, self.bot_games % TIMED == 1));
        }
        let going_on = earlier.and_then(|match_id| self.venue.find(match_id)).filter(|live| is_usable(live));
        let live = if let Some(live) = going_on {
            live
        } else {
            let live = self.host(game)?;
            started(&live.id)?;
            live
        };
        let mut changes = live.changes();
        let mut programs = Programs::new(self.venue.matches.clone(), Arc::clone(&live))?;
        let mut in_play = Vec::new();
        // A match that goes on may have ended while no host ran.
        if !live.has_ended() {
            in_play = self.start(game, &mut programs)?;
            self.assign(game, &live)?;
        }
        while !live.has_ended() {
            changes.mark_unchanged();
            for program in &mut in_play {
                program.has_begun |= programs.has_begun(program.seat);
            }
            let is_cancelled = self.is_cancelled.load(Ordering::Relaxed);
            if is_cancelled && self.venue.keeps {
                break;
            }
            if is_cancelled || self.any_has_failed(&live, &in_play) {
                // A refusal means that the match has ended.
                drop(live.cancel("the host ends all games"));
            }
            if !live.has_ended() {
                programs.wait(&mut changes, self.around.patience);
            }
        }
        for (seat, program) in programs.rest() {
            let own = in_play.iter().find(|own| own.seat == seat).expect("the seat has a program");
            self.idle.insert((own.player, own.copy), (program, own.log.clone()));
        }
        programs.end();
        let mut record = live.with_referee(Referee::record);
        if let Some(record) = record.as_mut().filter(|_| !self.venue.keeps) {
            // A server knows bots by their own names alone.
            record.players.clone_from(&game.players);
        }
        record.as_ref().map_or(Ok(()), |record| self.note_begun(record, &live, &in_play))?;
        let logs = in_play.into_iter().map(|program| (program.seat, program.log)).collect();
        Ok(Played { match_id: live.id.to_string(), record, times: Vec::new(), logs })
    }
}

impl LocalSlot<'_> {
    /// Hosts the match of a game, which begins when all agents have joined.
    fn host(&self, game: &PlannedGame) -> Result<Arc<LiveMatch>, Error> {
        let is_pinned = self.venue.keeps && !game.is_passing;
        self.venue.matches.host(MatchConfig { is_pinned, ..match_of(game) })
    }

    /// Gives agents elsewhere their seats.
    fn assign(&self, game: &PlannedGame, live: &Arc<LiveMatch>) -> Result<(), Error> {
        let queues = lock(&self.venue.queues);
        for ((seat, agent), player) in game.seating.iter().zip(&game.players) {
            let Some(queue) = queues.get(&agent).filter(|_| player.bot.is_none()) else { continue };
            let joined = || live.join(Some(seat.index() as u32), &player.name);
            let token = match live.token_of(seat) {
                Some(token) => token,
                None => joined().map_err(|error| Error::failed(error.message()))?.1,
            };
            let (live, agent_seed) = (Arc::clone(live), Some(game.agent_seeds[seat]));
            queue.add(AssignedSeat { live, seat, token, agent_seed });
        }
        Ok(())
    }

    /// Returns true if a program that must begin to play has exited before it did.
    fn any_has_failed(&self, live: &LiveMatch, in_play: &[InPlay]) -> bool {
        let forfeits = live.with_referee(Referee::forfeits).filter(|_| self.around.must_begin);
        let has_failed = |program: &InPlay| {
            let has_exited = forfeits.is_some_and(|forfeits| forfeits[program.seat] == Some(Cause::Exited));
            has_exited && !program.has_begun && !self.has_begun[program.player].load(Ordering::Relaxed)
        };
        in_play.iter().any(has_failed)
    }

    /// Starts the programs of a game. A program that waits for a seat plays on instead.
    fn start(&mut self, game: &PlannedGame, programs: &mut Programs) -> Result<Vec<InPlay>, Error> {
        let mut in_play: Vec<InPlay> = Vec::new();
        for (seat, player, spec) in self.around.programs(game) {
            let copy = in_play.iter().filter(|other| other.player == player).count();
            let waiting = self.idle.remove(&(player, copy)).filter(|(program, _)| program.is_running());
            let log = waiting.as_ref().map_or_else(|| self.around.logs.of(player), |(_, log)| log.clone());
            let (spec, scratch) = self.around.prepare(game, seat, spec, &log, &self.venue.scratch)?;
            let number = seat.index() as u32;
            match waiting {
                Some((program, _)) => programs.resume(number, program, &spec)?,
                None if self.around.hides(game) => programs.start(number, &spec)?,
                None => programs.start_for_many(number, &spec)?,
            };
            in_play.push(InPlay { seat, player, copy, log, has_begun: false, _scratch: scratch });
        }
        Ok(in_play)
    }

    /// Notes which agents have begun to play. Returns an error if an agent must begin and has not: it is no opponent.
    fn note_begun(&self, record: &Record, live: &LiveMatch, in_play: &[InPlay]) -> Result<(), Error> {
        let has_answered = |own: Seat| {
            let is_own =
                |entry: &Entry| matches!(entry, Entry::Action { seat, by: DecidedBy::Player, .. } if *seat == own);
            record.entries.iter().any(is_own)
        };
        for InPlay { seat, player, log, has_begun, .. } in in_play {
            let known = &self.has_begun[*player];
            if *has_begun || has_answered(*seat) {
                known.store(true, Ordering::Relaxed);
            }
            let cause = live.with_referee(Referee::forfeits).and_then(|forfeits| forfeits[*seat]);
            let Some(cause @ (Cause::Exited | Cause::Timeout)) = cause else { continue };
            if self.around.must_begin && !known.load(Ordering::Relaxed) {
                let (name, last) = (&self.around.agents[*player].name, log.last());
                let output = if last.is_empty() { "it printed nothing".to_owned() } else { last.join("\n  ") };
                return Err(Error::Failed(format!(
                    "agent {name} did not begin to play its first game: {}; `ahu check-agent` tells more\n  {output}",
                    reason(cause)
                )));
            }
        }
        Ok(())
    }
}

impl Drop for LocalSlot<'_> {
    fn drop(&mut self) {
        IdleProgram::end(&self.idle.drain().map(|(_, (program, _))| program).collect::<Vec<_>>());
    }
}

/// One game of bots of this many is timed, since reading a clock takes as long as a decision of some bots.
const TIMED: u64 = 8;

/// Plays a game of bots alone, without a match.
fn play_bots(game: &PlannedGame, is_timed: bool) -> Played {
    let mut referee = game.clone().referee();
    let mut times = Vec::new();
    while is_timed && let (Some((seat, _)), Some(due)) = (referee.bot_to_act(), referee.due_bot()) {
        let start = Instant::now();
        let answer = due.choose();
        times.push(DecisionTime { seat, nanos: start.elapsed().as_nanos() as u64 });
        referee.answer(answer);
    }
    // Nothing is left to play in a game that was timed.
    referee.play_bots();
    Played { match_id: String::new(), record: Some(referee.into_record()), times, logs: Vec::new() }
}

/// Returns true if a match goes on, or has ended with a result.
fn is_usable(live: &LiveMatch) -> bool {
    let ending = live.with_referee(Referee::ending);
    ending.map_or(!live.has_ended(), |ending| !matches!(ending, Some(Ending::Cancelled(_) | Ending::Void(_))))
}

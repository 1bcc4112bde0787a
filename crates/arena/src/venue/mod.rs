//! Venues: a venue hosts the matches of a run, in this process (`local.rs`) or on a server elsewhere (`remote.rs`).

mod connection;
mod journal_sender;
mod local;
mod presence;
mod remote;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ahu_contest::PlannedGame;
use ahu_contest::blocks::{DecisionTime, GameOutcome};
use ahu_contest::cup::Position;
use ahu_core::Seat;
use ahu_host::{MatchResult, MatchTime, Record};
use ahu_service::MatchConfig;
use ahu_service::proto::cup::CupCall;
use ahu_service::proto::v1::{Dismissal, DismissalReason};
use tempfile::TempDir;
use tokio::sync::watch;

pub use self::local::LocalVenue;
pub use self::remote::RemoteVenue;
use crate::Error;
use crate::agent::{Agent, AgentPlayer};
use crate::agent_queues::{Queues, farewell};
use crate::logs::{Logs, ProgramLog};
use crate::programs::{Output, ProgramSpec};
use crate::scratch_folders::Scratch;

/// The place where the matches of a run are hosted.
pub trait Venue: Sync {
    /// Returns the address of its server, as `HOST:PORT`.
    fn address(&self) -> Result<String, Error>;

    /// Returns the present time on the clock of the queues.
    fn now(&self) -> MatchTime;

    /// Opens queues for these agents. An agent that has a queue gets another key, and its queue keeps its seats.
    fn open_queues(&self, agents: Vec<RemoteAgent>) -> Result<Queues, Error>;

    /// Tells these agents elsewhere why no more seats come, and the other ones that seats may come. Returns false if the venue
    /// does not answer.
    fn dismiss(&self, agents: &HashMap<usize, Dismissal>) -> bool;

    /// Tells all agents elsewhere that no more seats come, since `what` has ended, and waits a while until those that are present
    /// have heard it.
    fn say_farewell(&self, queues: &Queues, what: &str) {
        let now = self.now();
        let ended = Dismissal { reason: DismissalReason::Ended.into(), message: format!("{what} has ended") };
        self.dismiss(&queues.keys().map(|&agent| (agent, ended.clone())).collect());
        farewell(queues, now);
    }

    /// Sends what is new in the journal of a cup to a venue that shows the cup.
    fn publish(&self) {}

    /// Returns the calls of accounts for a ladder that the venue has after this one.
    fn account_calls(&self, _after: u64) -> Vec<CupCall> {
        Vec::new()
    }

    /// Tells agents where the line of the journal ends that has their arrival.
    fn note_arrivals(&self, agents: &[usize], at: &Position);

    /// Removes matches of ladders that ended days ago, whose records are kept elsewhere. A server elsewhere does that by its own
    /// bounds.
    fn prune(&self) {}

    /// Returns a counter that rises each time an agent begins or ends a call for a seat.
    fn calls(&self) -> watch::Receiver<u64>;

    /// Returns true if the venue has the match, and it has not ended.
    fn is_going(&self, match_id: &str) -> bool;

    /// Cancels a match. Does nothing if it has ended.
    fn cancel(&self, match_id: &str, reason: &str) -> Result<(), Error>;

    /// Makes the seed and the record of a sealed match public. Does nothing if the venue has lost the match.
    fn unseal(&self, match_id: &str) -> Result<(), Error>;

    /// Returns the news since the last call, such as that the server does not answer.
    fn news(&self) -> Vec<String>;

    /// Returns true while no match can go on: the store fails, or the server does not answer.
    fn stands_still(&self) -> bool;

    /// Ends all waits for a server that does not answer, since the run ends.
    fn give_up(&self) {}

    /// Returns a slot for one thread. Once `is_cancelled` is true, games in progress are cancelled; those of a cup are left, and
    /// the next run goes on with them. `has_begun` notes for each
    /// agent whether it has begun to play in some game; all slots share it.
    fn slot<'a>(
        &'a self,
        around: Surroundings<'a>,
        is_cancelled: &'a AtomicBool,
        has_begun: &'a [AtomicBool],
    ) -> Box<dyn Slot + 'a>;
}

/// A slot plays one game at a time.
pub trait Slot {
    /// Plays a game to its end. `earlier` is the match in which it was played before the run was interrupted; the game goes on
    /// there if it can. `started` is called with the id of a new match. Returns an error if a program cannot be started, or if an
    /// agent that must begin to play in its first game does not.
    fn play(
        &mut self,
        game: &PlannedGame,
        earlier: Option<&str>,
        started: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<Played, Error>;
}

/// An agent elsewhere, which asks for its seats with a key.
pub struct RemoteAgent {
    /// The number of the agent in the run.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// The SHA-256 of its key.
    pub key_hash: [u8; 32],
    /// The match that it can play for practice; None for no practice.
    pub practice: Option<MatchConfig>,
    /// The id of the account that has entered it, whose keys open its queue; None for an agent with a key of its own.
    pub account: Option<String>,
}

/// The surroundings of the games in a call of `Runner::play`, which all slots share.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The agents, in the order of the seatings' numbers.
    pub agents: &'a [Agent],
    /// Where their programs write.
    pub logs: &'a Logs,
    /// The time that a program has to begin to play.
    pub patience: Duration,
    /// True if programs are trusted not to use what they remember of another game with the same chance.
    pub trusts: bool,
    /// True if the run ends with an error when a program does not begin to play in its first game. Otherwise the program
    /// forfeits.
    pub must_begin: bool,
}

impl<'a> Surroundings<'a> {
    /// Returns true if a game is secret until other games have ended, and programs have to forget it.
    pub(super) fn hides(&self, game: &PlannedGame) -> bool {
        game.is_shared && !self.trusts
    }

    /// Returns the seats of programs that this process starts, with the numbers of their agents.
    fn programs(&self, game: &PlannedGame) -> impl Iterator<Item = (Seat, usize, &'a ProgramSpec)> {
        let agents = self.agents;
        game.seating.iter().zip(&game.players).filter_map(move |((seat, player), played_by)| {
            // An agent that an account has entered meanwhile is elsewhere.
            match (&agents.get(player)?.player, played_by.bot) {
                (AgentPlayer::Program(spec), None) => Some((seat, player, spec)),
                _ => None,
            }
        })
    }

    /// Prepares the start of a program for its seat in a game. If the program has to forget, also returns its scratch folder,
    /// which is removed when the value is dropped.
    fn prepare(
        &self,
        game: &PlannedGame,
        seat: Seat,
        spec: &ProgramSpec,
        log: &ProgramLog,
        scratch: &Scratch,
    ) -> Result<(ProgramSpec, Option<TempDir>), Error> {
        let folder = self.hides(game).then(|| scratch.create()).transpose()?;
        log.begin(format!("[{} seat {seat}]", game.name), self.hides(game));
        let spec = ProgramSpec {
            player: Some(game.players[seat.index()].name.clone()),
            agent_seed: Some(game.agent_seeds[seat]),
            folder: folder.as_ref().map(|folder| folder.path().to_owned()),
            output: Some(Output::new("", log.clone())),
            ..spec.clone()
        };
        Ok((spec, folder))
    }
}

fn match_of(game: &PlannedGame) -> MatchConfig {
    MatchConfig {
        bots: game.players.iter().map(|player| player.bot).collect(),
        seed: Some(game.seed),
        terms: game.terms.clone(),
        is_unlisted: true,
        is_sealed: game.is_shared,
        game: game.index,
        beginning: game.beginning.clone(),
        ..MatchConfig::new(game.setup.clone())
    }
}

/// A game that was played, with the output of its programs.
pub struct Played {
    /// The id of the match; empty for a game of bots without a match.
    pub match_id: String,
    /// The record of the match; None if the match did not begin, or the server has lost it.
    pub record: Option<Record>,
    /// The times of the decisions of bots in some games of bots alone without a match.
    pub times: Vec<DecisionTime>,
    /// The logs of the programs that this process started, with their seats.
    logs: Vec<(Seat, ProgramLog)>,
}

impl Played {
    /// Returns the record and the result of a finished game; otherwise the reason why the game is void.
    pub fn finished(&self) -> Result<(&Record, MatchResult), String> {
        let record = self.record.as_ref().ok_or("the match did not begin, or the server has lost it")?;
        match GameOutcome::of(record) {
            GameOutcome::Finished(result) => Ok((record, result)),
            GameOutcome::Void(reason) => Err(reason),
        }
    }

    /// Returns the last lines that the program of a seat wrote.
    pub(super) fn last_lines(&self, seat: Seat) -> Vec<String> {
        self.logs.iter().find(|(own, _)| *own == seat).map_or_else(Vec::new, |(_, log)| log.last())
    }

    /// Writes the lines that the logs have held back.
    pub(super) fn release_logs(&self) {
        self.logs.iter().for_each(|(_, log)| log.release());
    }
}

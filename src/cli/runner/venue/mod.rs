//! The place that hosts the matches of a run: this process, or a server that runs elsewhere.

mod connection;
mod local;
mod remote;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ahu::service::MatchConfig;
use ahu_engine::core::Seat;
use ahu_engine::host::blocks::GameOutcome;
use ahu_engine::host::{MatchResult, MatchTime, PlannedGame, Record};
use tempfile::TempDir;
use tokio::sync::watch;

pub(in crate::cli) use self::local::LocalVenue;
pub(in crate::cli) use self::remote::{RemoteVenue, check_protocol};
use super::agent::{Agent, AgentPlayer};
use super::agent_queues::{Queues, farewell};
use super::logs::{Logs, ProgramLog};
use super::scratch_folders::Scratch;
use crate::cli::CliError;
use crate::cli::programs::{Launch, Output};

/// A place that hosts matches.
pub(in crate::cli) trait Venue: Sync {
    /// Returns the address to which agents connect.
    fn address(&self) -> Result<String, CliError>;

    /// Returns the time of the queues.
    fn now(&self) -> MatchTime;

    /// Opens the queues of agents that have none.
    fn open_queues(&self, agents: Vec<RemoteAgent>) -> Result<Queues, CliError>;

    /// Tells all agents that no more seats come.
    fn close_queues(&self);

    /// Tells agents elsewhere that no more seats come, and waits a while until those that are there have heard it.
    fn say_farewell(&self, queues: &Queues) {
        let now = self.now();
        self.close_queues();
        farewell(queues, now);
    }

    /// Returns the number of times that an agent began or ended a call for a seat, and announces each.
    fn calls(&self) -> watch::Receiver<u64>;

    /// Returns true if a match has not ended.
    fn is_going(&self, match_id: &str) -> bool;

    /// Cancels a match that has not ended.
    fn cancel(&self, match_id: &str, reason: &str) -> Result<(), CliError>;

    /// Lets everybody see the seed and the record of a sealed match.
    fn unseal(&self, match_id: &str);

    /// Returns the news since the last call, such as a server that does not answer.
    fn news(&self) -> Vec<String>;

    /// Returns a place for one game at a time, for one thread. Games in progress are cancelled once `is_cancelled`. `has_begun`
    /// keeps which players have begun to play in some game.
    fn slot<'a>(
        &'a self,
        around: Surroundings<'a>,
        is_cancelled: &'a AtomicBool,
        has_begun: &'a [AtomicBool],
    ) -> Box<dyn Slot + 'a>;
}

/// A place for one game at a time.
pub(in crate::cli) trait Slot {
    /// Plays a game to its end. `earlier` is the match in which it was played before the run was interrupted: it goes on
    /// there if it can. Tells `started` the id of a new match. Returns an error if a program cannot be started, or if an agent that
    /// must begin to play in its first game does not.
    fn play(
        &mut self,
        game: &PlannedGame,
        earlier: Option<&str>,
        started: &mut dyn FnMut(&str) -> Result<(), CliError>,
    ) -> Result<Played, CliError>;
}

/// An agent elsewhere that gets a queue.
pub(in crate::cli) struct RemoteAgent {
    /// The number of the agent.
    pub(in crate::cli) number: usize,
    pub(in crate::cli) name: String,
    /// The hash of its key.
    pub(in crate::cli) key_hash: [u8; 32],
    /// The match that it gets for practice.
    pub(in crate::cli) practice: Option<MatchConfig>,
}

/// The surroundings that all slots share.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Surroundings<'a> {
    pub(in crate::cli) agents: &'a [Agent],
    pub(in crate::cli) logs: &'a Logs,
    /// The maximum time until a program begins to play.
    pub(in crate::cli) patience: Duration,
    /// True if no program uses what it remembers of another game with the same chance.
    pub(in crate::cli) trusts: bool,
    /// True if a program that does not begin to play in its first game ends the run. It forfeits otherwise.
    pub(in crate::cli) must_begin: bool,
}

impl<'a> Surroundings<'a> {
    /// Returns true if nobody may be told of a game before other games have ended, and programs have to forget it.
    pub(super) fn hides(&self, game: &PlannedGame) -> bool {
        game.is_shared && !self.trusts
    }

    /// Returns the seats of programs that this process starts, with their players.
    fn programs(&self, game: &PlannedGame) -> impl Iterator<Item = (Seat, usize, &'a Launch)> {
        let agents = self.agents;
        game.seating.iter().zip(&game.players).filter_map(move |((seat, player), played_by)| {
            match (&agents[player].player, played_by.bot) {
                (AgentPlayer::Program(launch), None) => Some((seat, player, launch)),
                _ => None,
            }
        })
    }

    /// Returns the launch of a program for its seat in a game, and its working folder if it shall forget: it is removed with the value.
    fn prepare(
        &self,
        game: &PlannedGame,
        seat: Seat,
        launch: &Launch,
        log: &ProgramLog,
        scratch: &Scratch,
    ) -> Result<(Launch, Option<TempDir>), CliError> {
        let folder = self.hides(game).then(|| scratch.create()).transpose()?;
        log.begin(format!("[{} seat {seat}]", game.name), self.hides(game));
        let launch = Launch {
            player: Some(game.players[seat.index()].name.clone()),
            agent_seed: Some(game.agent_seeds[seat]),
            folder: folder.as_ref().map(|folder| folder.path().to_owned()),
            output: Some(Output::new("", log.clone())),
            ..launch.clone()
        };
        Ok((launch, folder))
    }
}

/// Returns the match of a game.
fn match_of(game: &PlannedGame) -> MatchConfig {
    MatchConfig {
        bots: game.players.iter().map(|player| player.bot).collect(),
        seed: Some(game.seed),
        terms: game.terms.clone(),
        is_private: true,
        is_sealed: game.is_shared,
        game: game.index,
        ..MatchConfig::new(game.setup.clone())
    }
}

/// A game that was played.
pub(in crate::cli) struct Played {
    /// The id of the match; empty if it had none.
    pub(in crate::cli) match_id: String,
    /// The record of the match; None if it did not begin.
    pub(in crate::cli) record: Option<Record>,
    /// The logs of the programs that this process has started, by seat.
    logs: Vec<(Seat, ProgramLog)>,
}

impl Played {
    /// Returns the record of a finished game and its result; or the reason for which the game is void.
    pub(in crate::cli) fn finished(&self) -> Result<(&Record, MatchResult), String> {
        let record = self.record.as_ref().ok_or("the match did not begin")?;
        match GameOutcome::of(record) {
            GameOutcome::Finished(result) => Ok((record, result)),
            GameOutcome::Void(reason) => Err(reason),
        }
    }

    /// Returns the last lines of the program of a seat.
    pub(super) fn last_lines(&self, seat: Seat) -> Vec<String> {
        self.logs.iter().find(|(own, _)| *own == seat).map_or_else(Vec::new, |(_, log)| log.last())
    }

    /// Writes the lines that the logs of a sealed game have held back.
    pub(super) fn release_logs(&self) {
        self.logs.iter().for_each(|(_, log)| log.release());
    }
}

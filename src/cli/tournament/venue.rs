//! The place that hosts the matches of a cup: this process, or a server that runs elsewhere.

mod connection;
mod local;
mod remote;

use std::collections::HashMap;
use std::sync::Arc;

use ahu::service::MatchConfig;
use ahu_engine::host::{MatchTime, Record};
use tokio::sync::watch;

pub(super) use self::local::LocalVenue;
pub(super) use self::remote::{RemoteVenue, check_protocol};
use crate::cli::CliError;
use crate::cli::pairing::{Agent, AgentQueue, Forfeited, Logs, Pairing, ProgramLog};

/// The queues of agents elsewhere, by the numbers of the agents.
pub(super) type Queues = HashMap<usize, Arc<dyn AgentQueue>>;

/// A place that hosts matches.
pub(super) trait Venue: Sync {
    /// Returns the address to which agents connect.
    fn address(&self) -> Result<String, CliError>;

    /// Returns the time of the queues.
    fn now(&self) -> MatchTime;

    /// Opens the queues of agents that have none.
    fn open_queues(&self, agents: Vec<RemoteAgent>) -> Result<Queues, CliError>;

    /// Tells all agents that no more seats come.
    fn close_queues(&self);

    /// Returns the number of times that an agent began or ended a call for a seat, and announces each.
    fn calls(&self) -> watch::Receiver<u64>;

    /// Returns true if a match has not ended.
    fn is_going(&self, match_id: &str) -> bool;

    /// Cancels a match that has not ended.
    fn cancel(&self, match_id: &str, reason: &str) -> Result<(), CliError>;

    /// Lets everybody see the seed and the record of a sealed match.
    fn unseal(&self, match_id: &str);

    /// Returns a place for one game at a time, for one thread.
    fn slot<'a>(&'a self, surroundings: Surroundings<'a>) -> Box<dyn VenueSlot + 'a>;

    /// Returns the news since the last call, such as a server that does not answer.
    fn news(&self) -> Vec<String>;
}

/// A place for one game at a time.
pub(super) trait VenueSlot {
    /// Plays a game to its end. `earlier` is the match in which it was played before the run was interrupted: it goes on
    /// there if it can. Tells `has_started` the id of a new match.
    fn play(
        &mut self,
        pairing: &Pairing,
        earlier: Option<&str>,
        has_started: &mut dyn FnMut(&str) -> Result<(), CliError>,
    ) -> Result<Finished, CliError>;
}

/// An agent elsewhere that gets a queue.
pub(super) struct RemoteAgent {
    /// The number of the agent in the cup.
    pub(super) number: usize,
    pub(super) name: String,
    /// The hash of its key.
    pub(super) key_hash: [u8; 32],
    /// The match that it gets for practice.
    pub(super) practice: MatchConfig,
}

/// The surroundings that all slots of a round share.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) agents: &'a [Agent],
    pub(super) logs: &'a Logs,
    /// The maximum time until a program begins to play, in milliseconds.
    pub(super) patience: u32,
}

/// A game that was played.
pub(super) struct Finished {
    pub(super) match_id: String,
    /// The record of the match; None if it did not begin.
    pub(super) record: Option<Record>,
    /// The forfeits of programs that this process has started.
    pub(super) forfeits: Vec<Forfeited>,
    /// The logs of these programs.
    pub(super) logs: Vec<ProgramLog>,
}

impl Finished {
    /// Writes the lines that the logs of a sealed game have held back.
    pub(super) fn release_logs(&self) {
        self.logs.iter().for_each(ProgramLog::release);
    }
}

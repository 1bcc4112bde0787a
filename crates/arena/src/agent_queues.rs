//! The queues in which agents elsewhere wait for seats, and the farewell to these agents.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ahu_host::MatchTime;
use ahu_service::SeatQueue;

/// At the end, an agent counts as present if it has asked for a seat within this time.
const NEAR: Duration = Duration::from_secs(60);
/// The maximum wait for agents to hear that no more seats come.
const FAREWELL: Duration = Duration::from_secs(10);
/// The interval of the checks during that wait.
const LOOK: Duration = Duration::from_millis(100);

/// The contact with an agent elsewhere.
pub trait AgentQueue: Send + Sync {
    /// Returns true if a call of the agent is waiting for a seat now.
    fn is_waiting(&self) -> bool;

    /// Returns the time at which the agent last asked or waited for a seat; None if it never did.
    fn last_asked(&self) -> Option<MatchTime>;
}

impl AgentQueue for SeatQueue {
    fn is_waiting(&self) -> bool {
        self.is_waiting()
    }

    fn last_asked(&self) -> Option<MatchTime> {
        self.last_asked()
    }
}

/// The queues of agents elsewhere, by the numbers of the agents in the run.
pub type Queues = HashMap<usize, Arc<dyn AgentQueue>>;

/// Waits until the agents that are present have heard that no more seats come, at most [`FAREWELL`]. They were told at `told`.
pub(super) fn farewell(queues: &Queues, told: MatchTime) {
    if queues.is_empty() {
        return;
    }
    let asked = |queue: &dyn AgentQueue, since: u64| queue.last_asked().is_some_and(|last| last.0 >= since);
    let since = told.0.saturating_sub(NEAR.as_millis() as u64);
    let near: Vec<_> = queues.values().filter(|queue| asked(&***queue, since)).collect();
    let deadline = Instant::now() + FAREWELL;
    while Instant::now() < deadline && !near.iter().all(|queue| asked(&***queue, told.0) && !queue.is_waiting()) {
        thread::sleep(LOOK);
    }
    // The last answer may still be on its way.
    thread::sleep(LOOK);
}

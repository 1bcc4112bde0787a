//! The seats of agents elsewhere.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ahu::service::SeatQueue;
use ahu_engine::host::MatchTime;

/// The time after which an agent that has not asked for a seat is not waited for at the end.
const NEAR: Duration = Duration::from_secs(60);
/// The maximum time for agents to hear that no more seats come.
const FAREWELL: Duration = Duration::from_secs(10);
/// The interval at which it is seen whether they have.
const LOOK: Duration = Duration::from_millis(100);

/// The contact with an agent elsewhere.
pub(in crate::cli) trait AgentQueue: Send + Sync {
    /// Returns true if a call of the agent waits for a seat now.
    fn is_waiting(&self) -> bool;

    /// Returns the time at which the agent last asked or waited for a seat; None if it never asked.
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

/// The queues of agents elsewhere, by the numbers of the agents.
pub(in crate::cli) type Queues = HashMap<usize, Arc<dyn AgentQueue>>;

/// Waits a while until the agents that are there have heard that no more seats come. They were told so at this time.
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
    // The last answer is on its way.
    thread::sleep(LOOK);
}

//! The contact of a server elsewhere with the agents of a cup, and the calls of accounts that it keeps.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use ahu_host::MatchTime;
use ahu_service::proto::cup::{self, CupCall};
use ahu_service::proto::v1::ErrorReason;
use tokio::sync::watch;

use super::connection::{Connection, PAUSE};
use crate::agent_queues::AgentQueue;
use crate::channel::{has_reason, is_transient};
use crate::lock;

/// The time for which a call asks the server to wait for a change. The server may shorten it.
pub(super) const WAIT: prost_types::Duration = prost_types::Duration { seconds: 20, nanos: 0 };

/// The contact of the server with the agents, by its last message.
pub(super) struct Presence {
    since: Instant,
    agents: Mutex<HashMap<Vec<u8>, AgentContact>>,
    pub(super) calls: watch::Sender<u64>,
    /// The calls of accounts that the journal does not have yet, and the number of the last that it has.
    of_accounts: Mutex<(Vec<CupCall>, u64)>,
}

#[derive(Clone, Copy)]
struct AgentContact {
    is_waiting: bool,
    last_asked: Option<MatchTime>,
}

/// The queue of an agent on the server.
pub(super) struct RemoteQueue {
    pub(super) key_hash: Vec<u8>,
    pub(super) presence: Arc<Presence>,
}

/// Keeps `presence` up to date for as long as the connection lives.
pub(super) async fn follow(connection: Weak<Connection>, presence: Arc<Presence>) {
    let Some(cup_id) = connection.upgrade().map(|connection| connection.cup_id.clone()) else { return };
    let mut after = None;
    let present = || connection.upgrade().map(|connection| (connection.client(), *connection.place.borrow()));
    while let Some((mut client, place)) = present() {
        let after_call = lock(&presence.of_accounts).1;
        let request = cup::AwaitAgentsRequest { cup_id: cup_id.clone(), wait: Some(WAIT), after, after_call };
        match client.organiser.await_agents(request).await {
            Ok(response) => {
                let response = response.into_inner();
                after = Some(response.changes);
                lock(&presence.of_accounts).0 = response.calls;
                presence.note(response.agents);
                connection.upgrade().inspect(|connection| connection.note(None));
            }
            Err(status) => {
                // Ask for everything anew. Other calls report an error of another kind.
                after = None;
                let Some(connection) = connection.upgrade() else { return };
                connection.note(is_transient(&status).then_some(&status));
                if is_transient(&status) {
                    connection.turn_from(place);
                }
                if has_reason(&status, ErrorReason::NoQueue) {
                    let reopened = tokio::task::spawn_blocking(move || connection.reopen_queues());
                    drop(reopened.await);
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

impl Presence {
    pub(super) fn new() -> Self {
        let (agents, of_accounts) = Default::default();
        Self { since: Instant::now(), agents, calls: watch::Sender::new(0), of_accounts }
    }

    /// Returns the calls of accounts after this one, which is the last that the journal has.
    pub(super) fn account_calls(&self, after: u64) -> Vec<CupCall> {
        let (calls, known) = &mut *lock(&self.of_accounts);
        *known = after;
        calls.retain(|call| call.number > after);
        calls.clone()
    }

    pub(super) fn now(&self) -> MatchTime {
        MatchTime(self.since.elapsed().as_millis() as u64)
    }

    fn note(&self, agents: Vec<cup::AgentPresence>) {
        let now = self.now();
        let contact = |cup::AgentPresence { key_hash, waiting, idle }| {
            let idle = idle.and_then(|idle| Duration::try_from(idle).ok());
            // A time before the start of this clock is left out.
            let last_asked = idle.and_then(|idle| now.0.checked_sub(idle.as_millis() as u64)).map(MatchTime);
            (key_hash.to_vec(), AgentContact { is_waiting: waiting, last_asked })
        };
        *lock(&self.agents) = agents.into_iter().map(contact).collect();
        self.calls.send_modify(|calls| *calls += 1);
    }
}

impl RemoteQueue {
    fn contact(&self) -> Option<AgentContact> {
        lock(&self.presence.agents).get(&self.key_hash).copied()
    }
}

impl AgentQueue for RemoteQueue {
    fn is_waiting(&self) -> bool {
        self.contact().is_some_and(|contact| contact.is_waiting)
    }

    fn last_asked(&self) -> Option<MatchTime> {
        match self.contact()? {
            AgentContact { is_waiting: true, .. } => Some(self.presence.now()),
            AgentContact { last_asked, .. } => last_asked,
        }
    }
}

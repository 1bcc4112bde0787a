//! The calls of an organiser to a server elsewhere. A call that gets no answer is sent again.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ahu_service::proto::cup::organiser_service_client::OrganiserServiceClient;
use ahu_service::proto::cup::{AwaitAgentsRequest, OpenQueuesRequest, QueuedAgent};
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{Dismissal, ErrorReason};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Response, Status};

use crate::channel::{ServerAddress, has_reason, is_transient};
use crate::programs::signalled;
use crate::{Error, lock};

pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// The maximum time of a call, which is above the longest wait of the server.
const TIMEOUT: Duration = Duration::from_secs(45);
/// The maximum time in which a connection is made.
const CONNECT: Duration = Duration::from_secs(5);
/// The number of agents in a request, which keeps it far below the maximum size of requests.
const AGENTS: usize = 50;
const MAX_RECORD: usize = 64 * 1024 * 1024;

/// The clients of the services, whose calls carry the key of the organiser. Clones share the connection.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) organiser: OrganiserServiceClient<InterceptedService<Channel, Bearer>>,
    pub(super) matches: MatchServiceClient<InterceptedService<Channel, Bearer>>,
}

pub(super) struct Connection {
    pub(super) runtime: Handle,
    pub(super) address: ServerAddress,
    /// The channels to the servers, at least one, and the place of the one that answered last.
    channels: Vec<Channel>,
    pub(super) place: watch::Sender<usize>,
    key: Bearer,
    /// The id of the cup.
    pub(super) cup_id: String,
    /// The agents that have queues. A server that has restarted is told of them again.
    queues: Mutex<Vec<QueuedAgent>>,
    contact: Mutex<ServerContact>,
    /// True once the run ends. Then a call without an answer is not sent again.
    gives_up: AtomicBool,
}

/// The state of the contact with the server, and its changes as news.
#[derive(Default)]
struct ServerContact {
    is_lost: bool,
    /// The number of times that a lost server answered again.
    regained: u64,
    news: Vec<String>,
}

/// The key of the organiser, which each call carries.
#[derive(Clone)]
pub(super) struct Bearer(MetadataValue<Ascii>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

impl Connection {
    /// Connects to a server with this key, for this cup.
    pub(super) fn open(runtime: Handle, address: &ServerAddress, key: &str, cup_id: String) -> Result<Self, Error> {
        let key = Bearer(format!("Bearer {key}").parse().map_err(Error::failed)?);
        let channels = {
            let _entered = runtime.enter();
            let endpoints = address.endpoints()?.into_iter();
            endpoints.map(|endpoint| endpoint.timeout(TIMEOUT).connect_timeout(CONNECT).connect_lazy()).collect()
        };
        let (queues, contact, gives_up, place) = Default::default();
        let connection =
            Self { runtime, address: address.clone(), channels, place, key, cup_id, queues, contact, gives_up };
        // Call once, so that a wrong address or key ends the command before anything is played.
        let asked = AwaitAgentsRequest { cup_id: connection.cup_id.clone(), ..Default::default() };
        let mut tries = connection.channels.len();
        loop {
            tries -= 1;
            let place = *connection.place.borrow();
            match connection.runtime.block_on(connection.client().organiser.await_agents(asked.clone())) {
                Err(status) if is_transient(&status) && tries > 0 => connection.turn_from(place),
                Err(status) if !has_reason(&status, ErrorReason::NoQueue) => return Err(connection.refused(&status)),
                _ => return Ok(connection),
            }
        }
    }

    /// Turns to the next server after one that gave no answer, unless another call has done so.
    pub(super) fn turn_from(&self, before: usize) {
        self.place.send_if_modified(|place| {
            let turns = *place == before && self.channels.len() > 1;
            if turns {
                *place = (before + 1) % self.channels.len();
            }
            turns
        });
    }

    pub(super) fn client(&self) -> Client {
        let channel = &self.channels[*self.place.borrow()];
        let organiser = OrganiserServiceClient::with_interceptor(channel.clone(), self.key.clone());
        let matches = MatchServiceClient::with_interceptor(channel.clone(), self.key.clone());
        Client { organiser, matches: matches.max_decoding_message_size(MAX_RECORD) }
    }

    /// Makes a call. Sends it again while the server does not answer, until the run is to end. If a restarted server has no
    /// queues, opens them first.
    pub(super) fn call<T>(&self, call: impl AsyncFn(Client) -> Result<Response<T>, Status>) -> Result<T, Error> {
        self.try_call(call)?.map_err(|status| self.refused(&status))
    }

    /// Makes a call about a match, as [`Self::call`] does. Returns None if the server does not know the match, such as after a
    /// restore from a backup.
    pub(super) fn call_of_match<T>(
        &self,
        call: impl AsyncFn(Client) -> Result<Response<T>, Status>,
    ) -> Result<Option<T>, Error> {
        match self.try_call(call)? {
            Err(status) if has_reason(&status, ErrorReason::UnknownMatch) => Ok(None),
            answer => answer.map(Some).map_err(|status| self.refused(&status)),
        }
    }

    /// Makes a call, as [`Self::call`] does, and returns the refusal of the server.
    pub(super) fn try_call<T>(
        &self,
        call: impl AsyncFn(Client) -> Result<Response<T>, Status>,
    ) -> Result<Result<T, Status>, Error> {
        loop {
            let place = *self.place.borrow();
            match self.runtime.block_on(call(self.client())) {
                Ok(response) => {
                    self.note(None);
                    return Ok(Ok(response.into_inner()));
                }
                Err(status) if is_transient(&status) => {
                    self.note(Some(&status));
                    if self.has_given_up() || signalled().is_some() {
                        return Err(self.refused(&status));
                    }
                    thread::sleep(PAUSE);
                    self.turn_from(place);
                }
                Err(status) if has_reason(&status, ErrorReason::NoQueue) => self.reopen_queues()?,
                Err(status) => return Ok(Err(status)),
            }
        }
    }

    /// Opens queues for these agents. They are opened again after each restart of the server.
    pub(super) fn open_queues(&self, agents: Vec<QueuedAgent>) -> Result<(), Error> {
        if agents.is_empty() && !lock(&self.queues).is_empty() {
            return Ok(());
        }
        let mut queues = lock(&self.queues);
        for mut agent in agents {
            let replaced = queues.iter().position(|queue| agent.replaces == queue.key_hash);
            agent.dismissal = replaced.and_then(|place| queues.remove(place).dismissal);
            queues.push(agent);
        }
        drop(queues);
        self.reopen_queues()
    }

    /// Tells the agents with these keys why no more seats come, and the others that seats may come. Returns false if the server
    /// does not answer; then agents may wait for seats that do not come.
    pub(super) fn dismiss(&self, dismissals: &HashMap<[u8; 32], Dismissal>) -> bool {
        for agent in &mut *lock(&self.queues) {
            agent.dismissal = dismissals.get(&*agent.key_hash).cloned();
        }
        let mut requests = self.queue_requests().into_iter();
        requests.all(|request| self.runtime.block_on(self.client().organiser.open_queues(request)).is_ok())
    }

    /// Opens all queues again. Closed queues stay closed.
    pub(super) fn reopen_queues(&self) -> Result<(), Error> {
        for request in self.queue_requests() {
            self.call(async |mut client: Client| client.organiser.open_queues(request.clone()).await)?;
        }
        Ok(())
    }

    fn queue_requests(&self) -> Vec<OpenQueuesRequest> {
        let queues = lock(&self.queues);
        // The first request makes the cup known, even without agents.
        let rest = queues.chunks(AGENTS).skip(1);
        let all = std::iter::once(queues.chunks(AGENTS).next().unwrap_or_default()).chain(rest);
        all.map(|agents| OpenQueuesRequest { cup_id: self.cup_id.clone(), agents: agents.to_vec() }).collect()
    }

    /// Notes whether the server has answered. Each change is news.
    pub(super) fn note(&self, failure: Option<&Status>) {
        let mut contact = lock(&self.contact);
        let ServerContact { is_lost, regained, news } = &mut *contact;
        match (failure, *is_lost) {
            (Some(status), false) => {
                let message = status.message();
                news.push(format!(
                    "the server at {} does not answer; the cup goes on when it does: {message}",
                    self.address
                ));
            }
            (None, true) => {
                *regained += 1;
                news.push(format!("the server at {} answers again", self.address));
            }
            _ => {}
        }
        *is_lost = failure.is_some();
    }

    /// Adds a line for the person at the terminal.
    pub(super) fn tell(&self, line: String) {
        lock(&self.contact).news.push(line);
    }

    pub(super) fn is_lost(&self) -> bool {
        lock(&self.contact).is_lost
    }

    pub(super) fn regained(&self) -> u64 {
        lock(&self.contact).regained
    }

    pub(super) fn give_up(&self) {
        self.gives_up.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_given_up(&self) -> bool {
        self.gives_up.load(Ordering::Relaxed)
    }

    pub(super) fn news(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.contact).news)
    }

    pub(super) fn refused(&self, status: &Status) -> Error {
        self.address.refused(status)
    }
}

//! Agents that follow docs/compete/index.md, and that write down every answer of the server.

use std::cmp;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    self, Action, JoinMatchRequest, MatchState, Observation, ObservationFormats, ObserveRequest, StepRequest,
    join_match_request,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;

use crate::findings::{Fault, Findings};
use crate::plans::{request_id, time};

/// The pause of an agent between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// The behaviour of an agent towards its connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// The time for which a call waits for a decision.
    pub(crate) wait: Duration,
    /// The deadline of a call, its wait included.
    pub(crate) deadline: Duration,
    /// The time for which an agent sends a call again without an answer.
    pub(crate) patience: Duration,
    /// The share of calls that are sent twice at once.
    pub(crate) duplicates: f64,
    /// The share of acknowledged answers that are sent again.
    pub(crate) repeats: f64,
    /// The share of answers without an acknowledgement that the agent forgets. The agent then observes and chooses again.
    pub(crate) forgets: f64,
}

/// The connection of a caller.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// A connection that several callers share. It connects again by itself.
    Shared(Channel),
    /// A connection of its own. A caller that gets no answer opens a new one.
    Own(Box<Endpoint>),
}

/// A request that can be sent again.
pub(crate) trait Call: Clone + Send {
    /// The response.
    type Answer: Send;
    /// The name of the call.
    const NAME: &str;
    /// Sends the request once.
    fn send(
        client: MatchServiceClient<Channel>,
        request: Request<Self>,
    ) -> impl Future<Output = Result<Self::Answer, Status>> + Send;
}

macro_rules! calls {
    ($($request:ident, $method:ident => $response:ident;)*) => { $(
        impl Call for v1::$request {
            type Answer = v1::$response;
            const NAME: &str = stringify!($method);
            async fn send(
                mut client: MatchServiceClient<Channel>,
                request: Request<Self>,
            ) -> Result<Self::Answer, Status> {
                client.$method(request).await.map(Response::into_inner)
            }
        }
    )* };
}

calls! {
    CreateMatchRequest, create_match => CreateMatchResponse;
    JoinMatchRequest, join_match => JoinMatchResponse;
    GetMatchRequest, get_match => GetMatchResponse;
    ObserveRequest, observe => ObserveResponse;
    StepRequest, step => StepResponse;
    GetRecordRequest, get_record => GetRecordResponse;
    ListMatchesRequest, list_matches => ListMatchesResponse;
}

/// An answer with its times.
#[derive(Debug)]
pub(crate) struct Reply<A> {
    pub(crate) answer: A,
    /// The time before the try that was answered.
    sent: Instant,
    /// The number of tries without an answer.
    lost: usize,
}

/// The reason why a call has no answer.
#[derive(Debug)]
enum Unanswered {
    /// The server refused the call, or did not answer within the agent's patience.
    Fault(Fault),
    /// The agent has forgotten the call.
    Forgotten,
}

/// A client that sends every call again until the server answers.
#[derive(Debug)]
pub(crate) struct Caller {
    route: Route,
    channel: Channel,
    habits: Habits,
    token: Option<MetadataValue<Ascii>>,
    rng: ChaCha8Rng,
    findings: Arc<Findings>,
}

impl Caller {
    /// Returns a client without a token.
    pub(crate) fn new(route: Route, habits: Habits, rng: &mut ChaCha8Rng, findings: &Arc<Findings>) -> Self {
        let channel = route.open();
        Self { route, channel, habits, token: None, rng: ChaCha8Rng::from_rng(rng), findings: Arc::clone(findings) }
    }

    /// Sends a request until the server answers. A refusal is a fault.
    pub(crate) async fn call<Q: Call>(&mut self, request: &Q) -> Result<Reply<Q::Answer>, Fault> {
        match self.call_unless(request, 0.0).await {
            Ok(reply) => Ok(reply),
            Err(Unanswered::Fault(fault)) => Err(fault),
            Err(Unanswered::Forgotten) => unreachable!("the share of forgotten calls is 0"),
        }
    }

    /// Sends a request until the server answers, or until the agent forgets it after a try without an answer.
    async fn call_unless<Q: Call>(&mut self, request: &Q, forgets: f64) -> Result<Reply<Q::Answer>, Unanswered> {
        let first = Instant::now();
        for lost in 0.. {
            let sent = Instant::now();
            let status = match self.once(request).await {
                Ok(answer) => return Ok(Reply { answer, sent, lost }),
                Err(status) => status,
            };
            if let Some(fault) = refusal(Q::NAME, &status) {
                return Err(Unanswered::Fault(fault));
            }
            if reason(&status).as_deref() == Some("MATCH_SUSPENDED") {
                self.findings.suspended.send_modify(|suspended| *suspended += 1);
            }
            if first.elapsed() > self.habits.patience {
                let patience = self.habits.patience;
                let what = format!("expected an answer to {} within {patience:?}, got {status}", Q::NAME);
                return Err(Unanswered::Fault(Fault::Other(what)));
            }
            Findings::count(&self.findings.resent);
            self.channel = self.route.open();
            // Without a pause, the agent would ask a stopped server many thousand times a second.
            sleep(PAUSE).await;
            if forgets > 0.0 && self.rng.random_bool(forgets) {
                return Err(Unanswered::Forgotten);
            }
        }
        unreachable!("the tries have no end")
    }

    /// Sends a request once.
    pub(crate) async fn once<Q: Call>(&self, request: &Q) -> Result<Q::Answer, Status> {
        let mut message = Request::new(request.clone());
        if let Some(token) = &self.token {
            message.metadata_mut().insert("authorization", token.clone());
        }
        let sent = timeout(self.habits.deadline, Q::send(MatchServiceClient::new(self.channel.clone()), message));
        sent.await.unwrap_or_else(|_| Err(Status::deadline_exceeded("the deadline of the agent has passed")))
    }

    /// Sends the token of a seat with each call from now on.
    pub(crate) fn set_token(&mut self, token: &str) {
        self.token = Some(format!("Bearer {token}").parse().expect("tokens are ASCII"));
    }

    /// Does the same as [`Caller::call`]. In some cases it makes a second call over another connection at the same time.
    pub(crate) async fn call_perhaps_twice<Q: Call + Sync>(
        &mut self,
        request: &Q,
    ) -> Result<(Reply<Q::Answer>, Option<Reply<Q::Answer>>), Fault> {
        if !self.rng.random_bool(self.habits.duplicates) {
            return Ok((self.call(request).await?, None));
        }
        let mut other = Self::new(self.route.clone(), self.habits, &mut self.rng, &self.findings);
        other.token.clone_from(&self.token);
        let (one, two) = tokio::join!(self.call(request), other.call(request));
        Findings::count(&self.findings.duplicated);
        Ok((one?, Some(two?)))
    }
}

impl Route {
    /// Returns a connection for the next tries.
    fn open(&self) -> Channel {
        match self {
            Self::Shared(channel) => channel.clone(),
            Self::Own(endpoint) => endpoint.connect_lazy(),
        }
    }
}

/// Returns the reason of a refusal; None if the connection has failed.
fn reason(status: &Status) -> Option<String> {
    status.get_error_details().error_info().map(|info| info.reason.clone())
}

/// Returns the fault if the server refused a call for good; None if the call is to be sent again.
fn refusal(call: &str, status: &Status) -> Option<Fault> {
    let reason = reason(status);
    let what = format!("{call} got {:?} {}: {}", status.code(), reason.as_deref().unwrap_or("-"), status.message());
    match (status.code(), reason.as_deref()) {
        // Without a reason, the connection has failed.
        (Code::Unavailable | Code::DeadlineExceeded, _) | (Code::Unknown | Code::Internal | Code::Cancelled, None) => {
            None
        }
        (_, Some("UNKNOWN_MATCH" | "WRONG_TOKEN" | "NO_TOKEN")) => Some(Fault::Lost(what)),
        (_, Some("DECISION_TAKEN" | "REQUEST_ID_REUSED")) => Some(Fault::Doubled(what)),
        _ => Some(Fault::Other(what)),
    }
}

/// An action that an agent has taken.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) action: u32,
    /// False if the agent got no answer, and learned from its next decision that the server took an action.
    pub(crate) is_acknowledged: bool,
    /// The longest time in milliseconds for which the decision can have been available while the server ran: from the
    /// last answer without the decision to the acknowledgement.
    pub(crate) most: u32,
    /// The shortest such time: from the answer with the decision to the first try, less the time that a killed server
    /// may forget.
    pub(crate) least: u32,
}

/// The time in milliseconds that a killed server may forget. A server notes the time once a second and with each commit.
const FORGOTTEN: u32 = 1_500;

/// A seat that an agent has played to the end.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) seat: u32,
    /// The actions that the agent has taken. The action of decision n has the index n - 1.
    pub(crate) taken: Vec<Taken>,
    /// The last action that the agent sent, if the agent does not know that it was taken.
    pub(crate) open: Option<u32>,
}

/// Returns the comment of an agent on a decision.
pub(crate) fn comment(decision: usize, action: u32) -> String {
    format!("decision {decision}: {action}")
}

/// An agent in the seat of a match.
#[derive(Debug)]
pub(crate) struct Agent {
    caller: Caller,
    request: JoinMatchRequest,
    joined: v1::JoinMatchResponse,
    taken: Vec<Taken>,
    /// The last answer, if the agent has forgotten it without an acknowledgement.
    pending: Option<Pending>,
    /// A time at which the seat's next decision was not available yet.
    closed: Instant,
    /// The time at which the agent received its open decision.
    received: Instant,
    /// The number of acknowledged actions of the match.
    progress: Arc<AtomicU64>,
    /// The decision about which the agent thinks.
    thinking: Option<Thinking>,
}

/// A decision about which an agent thinks until it is told to decide.
#[derive(Debug)]
pub(crate) struct Thinking {
    pub(crate) decision: usize,
    /// Gets a message when the agent begins to think.
    pub(crate) begins: oneshot::Sender<()>,
    /// Gets the message that tells the agent to decide.
    pub(crate) ends: oneshot::Receiver<()>,
}

/// An answer that the agent sent and then forgot.
#[derive(Clone, Copy, Debug)]
struct Pending {
    action: u32,
    /// The time before its first try.
    first: Instant,
}

impl Agent {
    /// Takes an open seat of a match.
    pub(crate) async fn join(
        mut caller: Caller,
        match_id: &str,
        name: &str,
        progress: Arc<AtomicU64>,
    ) -> Result<Self, Fault> {
        let request = JoinMatchRequest {
            target: Some(join_match_request::Target::MatchId(match_id.to_owned())),
            name: name.to_owned(),
            request_id: request_id(&mut caller.rng),
            ..JoinMatchRequest::default()
        };
        let closed = Instant::now();
        let (joined, other) = caller.call_perhaps_twice(&request).await?;
        let joined = joined.answer;
        if let Some(other) = other {
            same_seat(&joined, &other.answer)?;
        }
        caller.set_token(&joined.assigned.as_ref().expect("a seat").seat_token);
        Ok(Self {
            caller,
            request,
            joined,
            taken: Vec::new(),
            pending: None,
            closed,
            received: closed,
            progress,
            thinking: None,
        })
    }

    /// Waits as long as the agent thinks about a decision.
    pub(crate) fn think_about(&mut self, thinking: Option<Thinking>) {
        self.thinking = thinking;
    }

    /// Returns the seat and the match of the agent.
    fn place(&self) -> String {
        format!("match {}, seat {}", self.match_id(), self.seat())
    }

    fn match_id(&self) -> &str {
        self.joined.r#match.as_ref().map_or("", |description| &description.match_id)
    }

    fn seat(&self) -> u32 {
        self.joined.assigned.as_ref().and_then(|assigned| assigned.seat).unwrap_or(u32::MAX)
    }

    /// Plays until the match has ended.
    pub(crate) async fn play(mut self) -> Result<Played, Fault> {
        let mut observation = self.observe().await?;
        loop {
            if observation.forfeits.iter().any(|forfeit| forfeit.seat == Some(self.seat())) {
                return Err(Fault::Other(format!("{}: forfeited, {:?}", self.place(), observation.forfeits)));
            }
            match (observation.state(), &observation.decision) {
                (MatchState::Seating | MatchState::Running, None) => observation = self.observe().await?,
                (MatchState::Running, Some(decision)) => {
                    self.expect_next(decision.decision_id)?;
                    self.received = Instant::now();
                    if let Some(thinking) = self.thinking.take_if(|it| it.decision == self.taken.len() + 1) {
                        thinking.begins.send(()).expect("the test waits");
                        thinking.ends.await.expect("the test tells the agent to go on");
                    }
                    let legal = &decision.legal_ids;
                    let action = legal[self.caller.rng.random_range(0..legal.len())];
                    observation = self.act(action).await?;
                }
                (MatchState::Finished, None) => break,
                (state, decision) => {
                    let state = state.as_str_name();
                    let reason = &observation.end_reason;
                    return Err(Fault::Other(format!("{}: {state}, {reason}, {decision:?}", self.place())));
                }
            }
        }
        self.join_again().await?;
        let (seat, open) = (self.seat(), self.pending.map(|pending| pending.action));
        Ok(Played { seat, taken: self.taken, open })
    }

    /// Checks the number of the open decision: it follows the last action that was taken.
    fn expect_next(&mut self, decision: u32) -> Result<(), Fault> {
        if let Some(pending) = self.pending.take()
            && decision as usize == self.taken.len() + 2
        {
            Findings::count(&self.caller.findings.unacknowledged);
            // Perhaps the server took the action of the first try, and this decision has been available since then.
            self.take(pending.action, false, pending.first);
        }
        let expected = self.taken.len() + 1;
        let what = || format!("{}: expected the open decision {expected}, got {decision}", self.place());
        match (decision as usize).cmp(&expected) {
            cmp::Ordering::Less => Err(Fault::Lost(what())),
            cmp::Ordering::Equal => Ok(()),
            cmp::Ordering::Greater => Err(Fault::Doubled(what())),
        }
    }

    fn take(&mut self, action: u32, is_acknowledged: bool, first: Instant) {
        let findings = &self.caller.findings;
        let most = findings.running(self.closed, Instant::now());
        let forgotten = FORGOTTEN * findings.ends(self.received, first);
        // The 2 ms allow for rounding.
        let least = findings.least_running(self.received, first).saturating_sub(forgotten + 2);
        self.closed = first;
        self.taken.push(Taken { action, is_acknowledged, most, least });
    }

    async fn observe(&mut self) -> Result<Observation, Fault> {
        let request = ObserveRequest {
            match_id: self.match_id().to_owned(),
            seat: Some(self.seat()),
            formats: Some(formats()),
            wait: time(self.caller.habits.wait),
            ..Default::default()
        };
        let reply = self.caller.call(&request).await?;
        // An agent that lost its connection asks whether the server still knows its last answer.
        if reply.lost > 0 && self.caller.rng.random_bool(0.5) {
            self.repeat().await?;
        }
        let observation = reply.answer.observation.expect("an observation");
        if observation.decision.is_none() {
            self.closed = reply.sent;
        }
        Ok(observation)
    }

    fn step_request(&self, decision: usize, action: u32) -> StepRequest {
        StepRequest {
            match_id: self.match_id().to_owned(),
            seat: Some(self.seat()),
            decision_id: decision as u32,
            action: Some(Action::from(action)),
            formats: Some(formats()),
            comment: comment(decision, action),
            ..StepRequest::default()
        }
    }

    /// Answers the open decision. Returns the next observation.
    async fn act(&mut self, action: u32) -> Result<Observation, Fault> {
        let request = self.step_request(self.taken.len() + 1, action);
        let habits = self.caller.habits;
        let first = Instant::now();
        let reply = if habits.duplicates > 0.0 {
            let (one, two) = self.caller.call_perhaps_twice(&request).await?;
            match two {
                Some(two) if !one.answer.replayed && !two.answer.replayed => {
                    return Err(Fault::Doubled(format!("{}: {request:?} was carried out twice", self.place())));
                }
                // The repetition has the later observation.
                Some(two) if two.answer.replayed => {
                    self.check(&request, &one.answer)?;
                    two
                }
                Some(two) => {
                    self.check(&request, &two.answer)?;
                    one
                }
                None => one,
            }
        } else {
            match self.caller.call_unless(&request, habits.forgets).await {
                Ok(reply) => reply,
                Err(Unanswered::Fault(fault)) => return Err(fault),
                Err(Unanswered::Forgotten) => {
                    self.pending = Some(Pending { action, first });
                    return self.observe().await;
                }
            }
        };
        self.check(&request, &reply.answer)?;
        if reply.lost == 0 && reply.answer.replayed && habits.duplicates == 0.0 {
            return Err(Fault::Doubled(format!("{}: {request:?} was carried out before it was sent", self.place())));
        }
        self.caller.findings.acts(self.match_id());
        self.take(action, true, first);
        self.progress.fetch_add(1, Ordering::Relaxed);
        if self.caller.rng.random_bool(habits.repeats) {
            self.repeat().await?;
        }
        let observation = reply.answer.observation.expect("an observation");
        if observation.decision.is_none() {
            self.closed = reply.sent;
        }
        Ok(observation)
    }

    /// Sends the last acknowledged answer again, and checks that the server repeats its acknowledgement.
    async fn repeat(&mut self) -> Result<(), Fault> {
        let acknowledged = self.taken.last().filter(|taken| taken.is_acknowledged && self.pending.is_none());
        let Some(action) = acknowledged.map(|taken| taken.action) else { return Ok(()) };
        let request = self.step_request(self.taken.len(), action);
        let answer = self.caller.call(&request).await?.answer;
        self.check(&request, &answer)?;
        Findings::count(&self.caller.findings.repeated);
        match answer.replayed {
            true => Ok(()),
            false => Err(Fault::Lost(format!("{}: {request:?} was acknowledged, and carried out again", self.place()))),
        }
    }

    fn check(&self, request: &StepRequest, answer: &v1::StepResponse) -> Result<(), Fault> {
        let asked = match request.action {
            Some(Action { action_id: Some(id), .. }) => Some(id),
            _ => None,
        };
        match (answer.decision_id, answer.action_id) == (request.decision_id, asked) {
            true => Ok(()),
            false => Err(Fault::Lost(format!("{}: expected an answer to {request:?}, got {answer:?}", self.place()))),
        }
    }

    /// Sends the call with which the agent took its seat again, and checks that it gets the same seat and token.
    async fn join_again(&mut self) -> Result<(), Fault> {
        let again = self.caller.call(&self.request).await?.answer;
        same_seat(&self.joined, &again)
    }
}

fn same_seat(one: &v1::JoinMatchResponse, two: &v1::JoinMatchResponse) -> Result<(), Fault> {
    match one.assigned == two.assigned {
        true => Ok(()),
        false => Err(Fault::Lost("one request got two seats, or two tokens".to_owned())),
    }
}

/// The formats of an observation that the agents read.
pub(crate) fn formats() -> ObservationFormats {
    ObservationFormats { legal_ids: true, ..ObservationFormats::default() }
}

//! A server for one test, and its clients.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use ahu_service::limits::MAX_WAIT;
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::environment_service_client::EnvironmentServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    Action, AssignedSeat, BotSeat, Conduct, Consequence, CreateMatchRequest, Forfeit, GetMatchRequest,
    JoinMatchRequest, JoinMatchResponse, ListMatchesRequest, Match, MatchSpec, MatchState, Observation,
    ObservationFormats, ObserveRequest, StepRequest, StepResponse, join_match_request,
};
use ahu_service::{Clock, Limits, Matches};
use prost::bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::store::TestStore;

/// All formats of an observation.
pub(crate) const ALL_FORMS: ObservationFormats = ObservationFormats {
    tensor: true,
    text: true,
    legal_ids: true,
    mask: true,
    typed: true,
    legal_actions: true,
    layout_hash: Bytes::new(),
    rules_version: None,
    compact: true,
    compact_legend: true,
    view: true,
};

/// The formats of an agent that reads only its decision. In a long match, observations in all formats with all events would
/// take most of the time of a test.
pub(crate) const DECISION: ObservationFormats = ObservationFormats {
    tensor: false,
    text: false,
    legal_ids: true,
    mask: false,
    typed: false,
    legal_actions: false,
    layout_hash: Bytes::new(),
    rules_version: None,
    compact: false,
    compact_legend: false,
    view: false,
};

/// The environment variable that gives every server of the tests a store.
pub(crate) const STORE_VARIABLE: &str = "AHU_TEST_STORE";

/// Returns an empty register of matches, with a store if the environment asks for one. Its time stands still until the
/// test moves it.
pub(crate) fn matches_with(limits: Limits) -> Matches {
    matches_by(limits, Clock::manual())
}

/// Does the same as [`matches_with`], with this clock.
pub(crate) fn matches_by(limits: Limits, clock: Clock) -> Matches {
    let store = std::env::var(STORE_VARIABLE).ok().map(|kind| {
        assert_eq!(kind, "sqlite", "expected {STORE_VARIABLE}=sqlite");
        TestStore::default().open()
    });
    Matches::with_clock(limits, store, clock)
}

/// A running server.
pub(crate) struct Server {
    pub(crate) channel: Channel,
    address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), Box<dyn std::error::Error + Send + Sync>>>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::start_with(matches_with(Limits::default())).await
    }

    pub(crate) async fn start_with(hosted: impl Into<ahu_service::Server>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("the listener is bound");
        let (shutdown, is_shut) = oneshot::channel();
        let serving = tokio::spawn(ahu_service::run(listener, hosted.into(), async {
            is_shut.await.expect("the test sends it");
        }));
        Self { channel: connect(address).await, address, shutdown, serving }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Opens another connection.
    pub(crate) async fn connect(&self) -> Channel {
        self.connect_with(|endpoint| endpoint).await
    }

    /// Opens another connection, with settings of its own.
    pub(crate) async fn connect_with(&self, set: impl FnOnce(Endpoint) -> Endpoint) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).expect("an address");
        set(endpoint).connect().await.expect("the server answers")
    }

    pub(crate) fn catalog(&self) -> CatalogServiceClient<Channel> {
        CatalogServiceClient::new(self.channel.clone())
    }

    pub(crate) fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone())
    }

    pub(crate) fn environments(&self) -> EnvironmentServiceClient<Channel> {
        EnvironmentServiceClient::new(self.channel.clone())
    }

    /// Ends the server and waits until it has ended.
    pub(crate) async fn stop(self) {
        self.stop_while(async {}).await;
    }

    /// Ends the server, runs `meanwhile`, and waits until the server has ended.
    pub(crate) async fn stop_while(self, meanwhile: impl Future<Output = ()>) {
        self.shutdown.send(()).expect("the server is running");
        meanwhile.await;
        self.serving.await.expect("the server does not panic").expect("the server ends without an error");
    }

    pub(crate) async fn create(&self, request: impl Asked) -> Match {
        let created = self.matches().create_match(request.asked()).await.expect("the match is created").into_inner();
        created.r#match.expect("a match")
    }

    /// Returns the public description of a match.
    pub(crate) async fn describe(&self, match_id: &str) -> Match {
        self.describe_after(match_id, Duration::ZERO).await.expect("the match is hosted")
    }

    /// Returns the public description of a match as soon as the match is finished, or after `wait`.
    pub(crate) async fn describe_after(&self, match_id: &str, wait: Duration) -> Result<Match, Status> {
        let wait = Some(wait.try_into().expect("a short time"));
        let request = GetMatchRequest { match_id: match_id.to_owned(), wait };
        Ok(self.matches().get_match(request).await?.into_inner().r#match.expect("a match"))
    }

    /// Creates a match of bots alone and waits for its end.
    pub(crate) async fn finished(&self, request: impl Asked) -> Match {
        let created = self.create(request).await;
        let described = self.describe_after(&created.match_id, MAX_WAIT).await.expect("the match is hosted");
        assert_eq!(described.state(), MatchState::Finished);
        described
    }

    /// Returns all matches that the server hosts, the oldest first.
    pub(crate) async fn list(&self) -> Vec<Match> {
        let mut listed = Vec::new();
        let mut request = ListMatchesRequest { page_size: 1000, ..Default::default() };
        loop {
            let page = self.matches().list_matches(request.clone()).await.expect("a list").into_inner();
            listed.extend(page.matches);
            if page.next_page_token.is_empty() {
                listed.reverse();
                return listed;
            }
            request.page_token = page.next_page_token;
        }
    }

    /// Creates a match and takes its open seats, the lowest first.
    pub(crate) async fn seats(&self, request: impl Asked) -> Vec<Client> {
        let created = self.create(request).await;
        let mut clients = Vec::new();
        for _ in created.seats.iter().filter(|seat| seat.name.is_empty()) {
            clients.push(self.join(&created).await);
        }
        clients
    }

    pub(crate) async fn join(&self, created: &Match) -> Client {
        let request = JoinMatchRequest {
            target: Some(join_match_request::Target::MatchId(created.match_id.clone())),
            ..Default::default()
        };
        let joined = self.matches().join_match(request).await.expect("a seat is open").into_inner();
        let assigned = joined.assigned.expect("a seat");
        Client {
            matches: self.matches(),
            match_id: created.match_id.clone(),
            seat: assigned.seat.expect("a seat"),
            token: assigned.seat_token,
        }
    }
}

async fn connect(address: SocketAddr) -> Channel {
    let endpoint = Channel::from_shared(format!("http://{address}")).expect("an address");
    endpoint.connect().await.expect("the server answers")
}

/// A client that plays a seat.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) matches: MatchServiceClient<Channel>,
    pub(crate) match_id: String,
    pub(crate) seat: u32,
    pub(crate) token: String,
}

impl Client {
    /// Returns a request with the token of the seat.
    pub(crate) fn with_token<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let token = format!("Bearer {}", self.token).parse().expect("tokens are ASCII");
        request.metadata_mut().insert("authorization", token);
        request
    }

    pub(crate) fn observe_request(&self, wait: Duration) -> ObserveRequest {
        ObserveRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            formats: Some(ALL_FORMS),
            events_after: Some(0),
            wait: Some(wait.try_into().expect("a short time")),
            ..Default::default()
        }
    }

    pub(crate) async fn observe(&self, wait: Duration) -> Result<Observation, Status> {
        let request = self.with_token(self.observe_request(wait));
        Ok(self.matches.clone().observe(request).await?.into_inner().observation.expect("an observation"))
    }

    pub(crate) fn step_request(&self, decision_id: u32, action_id: u32) -> StepRequest {
        StepRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            decision_id,
            action: Some(Action::from(action_id)),
            formats: Some(ALL_FORMS),
            events_after: Some(0),
            ..Default::default()
        }
    }

    pub(crate) async fn step(&self, decision_id: u32, action_id: u32) -> Result<StepResponse, Status> {
        let request = self.with_token(self.step_request(decision_id, action_id));
        Ok(self.matches.clone().step(request).await?.into_inner())
    }

    /// Takes a legal action.
    pub(crate) async fn act(&self, decision_id: u32, action_id: u32) {
        let request =
            StepRequest { formats: Some(DECISION), events_after: None, ..self.step_request(decision_id, action_id) };
        self.matches.clone().step(self.with_token(request)).await.expect("the action is legal");
    }

    /// Returns a client of the same seat over another connection.
    pub(crate) fn over(&self, channel: Channel) -> Self {
        Self { matches: MatchServiceClient::new(channel), ..self.clone() }
    }

    /// Returns the current observation of the seat, in all formats.
    pub(crate) async fn look(&self) -> Observation {
        self.observe(Duration::ZERO).await.expect("the token is valid")
    }

    /// Waits until the seat has to decide. Returns the number of the decision and the legal ids; None after the end.
    pub(crate) async fn decision(&self) -> Option<(u32, Vec<u32>)> {
        let formats = Some(DECISION);
        let request = ObserveRequest { formats, events_after: None, ..self.observe_request(Duration::from_secs(20)) };
        let answer = self.matches.clone().observe(self.with_token(request)).await.expect("the token is valid");
        let observation = answer.into_inner().observation.expect("an observation");
        observation.decision.map(|decision| (decision.decision_id, decision.legal_ids))
    }
}

/// Returns a request for a match of `rappanui` with these bots.
pub(crate) fn rappanui(seat_count: u32, bots: &[(u32, &str)], seed: u64) -> MatchSpec {
    MatchSpec {
        game: "rappanui".to_owned(),
        seat_count,
        bots: bots.iter().map(|&(seat, bot)| BotSeat { seat: Some(seat), bot: bot.to_owned() }).collect(),
        seed: seed.to_string(),
        ..Default::default()
    }
}

/// Returns a request for a match of `rappanui` with a random seed.
/// The answer to a call that takes a seat.
pub(crate) trait Taken {
    fn taken(&self) -> AssignedSeat;
}

impl Taken for JoinMatchResponse {
    fn taken(&self) -> AssignedSeat {
        self.assigned.clone().expect("a seat")
    }
}

/// A match that can be asked for.
pub(crate) trait Asked {
    fn asked(self) -> CreateMatchRequest;
}

impl Asked for MatchSpec {
    fn asked(self) -> CreateMatchRequest {
        with_id("", self)
    }
}

impl Asked for CreateMatchRequest {
    fn asked(self) -> Self {
        self
    }
}

/// Returns the request for this match with this id.
pub(crate) fn with_id(id: &str, spec: MatchSpec) -> CreateMatchRequest {
    CreateMatchRequest { spec: Some(spec), request_id: id.to_owned() }
}

pub(crate) fn unseeded(seat_count: u32) -> MatchSpec {
    MatchSpec { seed: String::new(), ..rappanui(seat_count, &[], 0) }
}

/// Returns a conduct in which illegal actions are strikes, and a seat forfeits after this number of strikes.
#[expect(clippy::unnecessary_wraps, reason = "a request has an optional conduct")]
pub(crate) fn strikes(strikes: u32) -> Option<Conduct> {
    Some(Conduct { illegal: Consequence::Strike.into(), strikes: Some(strikes), ..Default::default() })
}

/// Returns the seats that forfeited.
pub(crate) fn forfeited(forfeits: &[Forfeit]) -> Vec<u32> {
    forfeits.iter().map(|forfeit| forfeit.seat.expect("a forfeit has a seat")).collect()
}

/// Returns a time as a message.
pub(crate) fn seconds(seconds: f64) -> Option<prost_types::Duration> {
    Duration::from_secs_f64(seconds).try_into().ok()
}

/// Returns the code and the reason of an error, and its metadata under these keys.
pub(crate) fn error_info<const N: usize>(status: &Status, keys: [&str; N]) -> (Code, String, [String; N]) {
    let details = status.get_error_details();
    let info = details.error_info().expect("every error has a reason");
    assert_eq!(info.domain, "ahu");
    let value =
        |key: &str| info.metadata.get(key).cloned().unwrap_or_else(|| panic!("no {key} in {:?}", info.metadata));
    (status.code(), info.reason.clone(), keys.map(value))
}

//! Accounts: who may call, for whom a call counts, and the answer to each attack (docs/operate/accounts.md has the same table).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use ahu_core::hex;
use ahu_service::accounts::{Accounts, Command, Kind, NewAccount, NewKey, Reply, Scope, Scopes, new_key};
use ahu_service::proto::DESCRIPTORS;
use ahu_service::proto::cup::organiser_service_client::OrganiserServiceClient;
use ahu_service::proto::cup::{HostMatchRequest, OpenQueuesRequest, QueuedAgent, SeatPlayer, SeatPlayersRequest};
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::join_match_request::Target;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    Action, AnyMatch, AwaitSeatRequest, BotSeat, CancelMatchRequest, CreateMatchRequest, CreateMatchResponse,
    GetMatchRequest, GetServerInfoRequest, JoinMatchRequest, JoinMatchResponse, ListMatchesRequest, Match, MatchSpec,
    ObservationFormats, ObserveRequest, SeatState, StepRequest, WatchMatchRequest,
};
use ahu_service::store::{Place, SqliteOptions, SqliteStore};
use ahu_service::{Audit, AuditLine, Environments, Limits, Matches, Page, Share, TrustedProxies};
use prost_reflect::DescriptorPool;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

use crate::mcp;
use crate::programs::repository;
use crate::server::{Asked, Taken};

/// The longest time for which a test waits for something that comes.
const LONG: Duration = Duration::from_secs(60);

/// A server with accounts in memory.
struct Server {
    accounts: Accounts,
    audit: Audit,
    folder: TempDir,
    address: SocketAddr,
    channel: Channel,
}

/// The settings of a server.
struct Settings {
    requires_key: bool,
    limits: Limits,
    proxies: TrustedProxies,
}

impl Default for Settings {
    fn default() -> Self {
        Self { requires_key: true, limits: Limits::default(), proxies: TrustedProxies::default() }
    }
}

impl Server {
    async fn start() -> Self {
        Self::start_with(Settings::default()).await
    }

    async fn start_with(settings: Settings) -> Self {
        let accounts = Accounts::in_memory();
        let matches = Matches::new(settings.limits, None);
        Self::serve(matches, accounts, settings).await
    }

    async fn serve(matches: Matches, accounts: Accounts, settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let audit = Audit::open(&Place::from(folder.path()));
        let server = ahu_service::Server::new(matches, Environments::new(&settings.limits))
            .with_proxies(settings.proxies)
            .with_page(Page::default())
            .with_organisers(None, &folder.path().join("cups"))
            .expect("a folder")
            .with_accounts(accounts.clone(), audit.clone(), settings.requires_key);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(ahu_service::run(listener, server, std::future::pending()));
        let channel = Channel::from_shared(format!("http://{address}")).expect("an address");
        let channel = channel.connect().await.expect("the server answers");
        Self { accounts, audit, folder, address, channel }
    }

    fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone())
    }

    /// Adds an account, and returns a key for it with all scopes.
    fn add(&self, name: &str) -> String {
        add(&self.accounts, name);
        self.key(name, &[Scope::Play, Scope::Create, Scope::Train, Scope::Watch, Scope::Organise], None)
    }

    fn key(&self, account: &str, scopes: &[Scope], expires_in: Option<u64>) -> String {
        key_of(&self.accounts, account, scopes, expires_in)
    }

    fn revoke(&self, key: &str) {
        done(&self.accounts, Command::Revoke { key: key[4..16].to_owned() });
    }

    fn disable(&self, account: &str, disabled: bool) {
        done(&self.accounts, Command::Disable { account: account.to_owned(), disabled });
    }

    async fn create(&self, key: &str, request: MatchSpec) -> Match {
        let created = self.matches().create_match(keyed(key, request.asked())).await.expect("a match").into_inner();
        created.r#match.expect("a match")
    }

    async fn join(&self, key: Option<&str>, match_id: &str, name: &str) -> Result<JoinMatchResponse, Status> {
        let target = Some(Target::MatchId(match_id.to_owned()));
        let request = JoinMatchRequest { target, name: name.to_owned(), ..Default::default() };
        let request = key.map_or_else(|| Request::new(request.clone()), |key| keyed(key, request.clone()));
        Ok(self.matches().join_match(request).await?.into_inner())
    }

    async fn list(&self, key: &str) -> Result<(), Status> {
        self.matches().list_matches(keyed(key, ListMatchesRequest::default())).await.map(drop)
    }

    /// Returns the lines of the audit, after which the server writes no more.
    fn audited(&self) -> Vec<AuditLine> {
        self.audit.close();
        let text = std::fs::read_to_string(self.folder.path().join(ahu_service::AUDIT)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
    }
}

pub(crate) fn add(accounts: &Accounts, name: &str) -> Reply {
    let account = NewAccount { name: name.to_owned(), kind: Kind::Person, key: None };
    accounts.execute(Command::Add { accounts: vec![account] })
}

/// Makes a key of an account.
pub(crate) fn key_of(accounts: &Accounts, account: &str, scopes: &[Scope], expires_in: Option<u64>) -> String {
    let key = new_key();
    let (hash, scopes) = (hex(&key.hash()), Scopes::of(scopes));
    let new = NewKey { id: key.id, hash, scopes, label: String::new(), expires_in };
    done(accounts, Command::NewKey { account: account.to_owned(), key: new });
    key.secret().to_owned()
}

fn done(accounts: &Accounts, command: Command) {
    let reply = accounts.execute(command);
    assert!(!matches!(reply, Reply::Refused { .. }), "{reply:?}");
}

fn with<T>(name: &'static str, value: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert(name, value.parse().expect("ASCII"));
    request
}

fn keyed<T>(key: &str, message: T) -> Request<T> {
    with("ahu-key", key, message)
}

fn bearer<T>(token: &str, message: T) -> Request<T> {
    with("authorization", &format!("Bearer {token}"), message)
}

/// Returns a match of two seats.
fn two_seats() -> MatchSpec {
    MatchSpec { game: "rappanui".to_owned(), seat_count: 2, ..Default::default() }
}

/// Returns a match against a bot.
fn against_a_bot() -> MatchSpec {
    MatchSpec { bots: vec![BotSeat { seat: Some(1), bot: "random".to_owned() }], ..two_seats() }
}

fn reason(error: &Status) -> String {
    error.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// Returns everything that a client sees of an error.
fn seen(error: &Status) -> (Code, String, Vec<u8>) {
    (error.code(), error.message().to_owned(), error.details().to_vec())
}

fn observe(match_id: &str, wait: u64) -> ObserveRequest {
    ObserveRequest {
        match_id: match_id.to_owned(),
        formats: Some(ObservationFormats { legal_ids: true, ..Default::default() }),
        wait: Some(prost_types::Duration { seconds: wait as i64, nanos: 0 }),
        ..Default::default()
    }
}

/// Takes the lowest action of the decision that a seat has.
async fn step(server: &Server, match_id: &str, token: &str) -> Result<(), Status> {
    let observed = server.matches().observe(bearer(token, observe(match_id, 10))).await?.into_inner();
    let decision = observed.observation.and_then(|seen| seen.decision).expect("the seat has a decision");
    let request = StepRequest {
        match_id: match_id.to_owned(),
        decision_id: decision.decision_id,
        action: Some(Action::from(decision.legal_ids[0])),
        ..Default::default()
    };
    server.matches().step(bearer(token, request)).await.map(drop)
}

#[tokio::test]
async fn a_key_that_is_not_valid_gets_the_same_answer_for_every_reason() {
    let server = Server::start().await;
    let good = server.add("moai");
    let [revoked, expiring] = [None, Some(1)].map(|expires| server.key("moai", &[Scope::Watch], expires));
    server.add("rongo");
    let disabled = server.key("rongo", &[Scope::Watch], None);
    server.list(&revoked).await.expect("it is valid");
    server.revoke(&revoked);
    server.disable("rongo", true);
    let begin = Instant::now();
    while server.list(&expiring).await.is_ok() {
        assert!(begin.elapsed() < LONG, "the key expires after a second");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The id of a valid key, with another secret.
    let other = new_key();
    let mut mixed = format!("{}{}", &good[..17], &other.secret()[17..69]);
    mixed.push_str(&good[69..]);

    let mut answers = Vec::new();
    let wrong = [&revoked, &expiring, &disabled, other.secret(), &mixed, &good[..75], "ahu_", "nonsense", ""];
    for key in wrong {
        answers.push(seen(&server.list(key).await.expect_err("it is not valid")));
        if key.starts_with("ahu_") {
            let error = server.matches().list_matches(bearer(key, ListMatchesRequest::default())).await;
            answers.push(seen(&error.expect_err("it is not valid")));
        }
    }
    assert_eq!(answers[0].0, Code::Unauthenticated);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    server.list(&good).await.expect("the good key is still good");
    server.disable("rongo", false);
    server.list(&disabled).await.expect("the account is enabled again");

    let audited = server.audited();
    assert!(audited.iter().any(|line| line.what == "refused_key" && line.target == expiring[4..16]), "{audited:?}");
    let refused = audited.iter().filter(|line| line.what == "refused_key").count();
    assert!(refused < 10, "expected few lines for one address, got {refused}");
}

#[tokio::test]
async fn a_call_whose_client_holds_its_message_back_ends_with_its_key() {
    let server = Server::start().await;
    let (key, other) = (server.add("moai"), server.add("tiki"));
    let mut client = tonic::client::Grpc::new(server.channel.clone());
    client.ready().await.expect("the server answers");
    let mut held = tokio::spawn(async move {
        let messages = keyed(&key, tokio_stream::pending::<CreateMatchRequest>());
        let path = PathAndQuery::from_static("/ahu.v1.MatchService/CreateMatch");
        let codec = tonic_prost::ProstCodec::<CreateMatchRequest, CreateMatchResponse>::default();
        client.client_streaming(messages, path, codec).await
    });
    // A call on the same connection is answered after the server has admitted the calls before it.
    for _ in 0..3 {
        server.list(&other).await.expect("its key is valid");
    }
    assert!(!held.is_finished(), "{:?}", (&mut held).await);
    server.disable("moai", true);
    let ended =
        tokio::time::timeout(Duration::from_secs(10), held).await.expect("before the time for a message is over");
    assert_eq!(reason(&ended.expect("it does not panic").expect_err("its key has ended")), "BAD_KEY");
}

#[tokio::test]
async fn without_a_key_a_server_that_requires_one_tells_nothing_about_matches() {
    let server = Server::start().await;
    let key = server.add("moai");
    let hosted = server.create(&key, two_seats()).await;
    let error = server.list("").await.expect_err("an empty key is no key");
    assert_eq!(reason(&error), "BAD_KEY");
    let mut catalog = CatalogServiceClient::new(server.channel.clone());
    let info = catalog.get_server_info(GetServerInfoRequest {}).await.expect("everybody may ask").into_inner();
    assert!(info.key_required);
    for (match_id, seat) in [(&*hosted.match_id, None), (&*hosted.match_id, Some(99)), ("nothing", None), ("", Some(0))]
    {
        let asked = || ObserveRequest { seat, ..observe(match_id, 0) };
        let mut answers = vec![server.matches().observe(asked()).await.expect_err("no key")];
        for token in ["x", &"0".repeat(64), "ahu"] {
            answers.push(server.matches().observe(bearer(token, asked())).await.expect_err("no seat"));
            let step = StepRequest { match_id: match_id.to_owned(), seat, ..Default::default() };
            answers.push(server.matches().step(bearer(token, step)).await.expect_err("no seat"));
        }
        let get = GetMatchRequest { match_id: match_id.to_owned(), ..Default::default() };
        answers.push(server.matches().get_match(bearer("x", get)).await.expect_err("no key"));
        for error in &answers {
            assert_eq!((reason(error).as_str(), seen(error)), ("NO_KEY", seen(&answers[0])), "{match_id:?} {seat:?}");
        }
    }
}

#[tokio::test]
async fn a_token_suffices_once_its_seat_was_taken_with_a_key() {
    let server = Server::start().await;
    let key = server.add("moai");
    let hosted = server.create(&key, against_a_bot()).await;
    let error = server.join(None, &hosted.match_id, "moai").await.expect_err("no key");
    assert_eq!((error.code(), reason(&error).as_str()), (Code::Unauthenticated, "NO_KEY"));
    let joined = server.join(Some(&key), &hosted.match_id, "somebody else").await.expect("a seat");
    let seat = &joined.r#match.clone().expect("a match").seats[0];
    assert_eq!(seat.name, "moai", "the name is that of the account");
    assert_eq!(seat.player_id.len(), 12);
    for _ in 0..3 {
        step(&server, &hosted.match_id, &joined.taken().seat_token).await.expect("the token suffices");
    }
    let get = |match_id: &str| GetMatchRequest { match_id: match_id.to_owned(), ..Default::default() };
    let get_match = async |id: &str| server.matches().get_match(bearer(&joined.taken().seat_token, get(id))).await;
    let described = get_match(&hosted.match_id).await.expect("the token suffices").into_inner();
    assert_eq!(described.r#match.expect("a match").seats[0].name, "moai");
    let other = server.create(&key, against_a_bot()).await;
    let error = get_match(&other.match_id).await.expect_err("it is no seat of that match");
    assert_eq!(reason(&error), "WRONG_TOKEN");
}

/// An organiser expects agents by the hashes of their keys, whoever made the keys.
#[tokio::test]
async fn one_key_opens_server_and_cup() {
    let server = Server::start().await;
    let organise = server.add("rongo");
    add(&server.accounts, "moai");
    let account_key = server.key("moai", &[Scope::Play, Scope::Watch], None);
    let cup_key = new_key();
    let mut organiser = OrganiserServiceClient::new(server.channel.clone());
    let hash = |key: &str| ahu_service::agent_key_hash(key).to_vec().into();
    let cup_id = "0123456789abcdef".to_owned();
    let agents = [("moai", &*account_key), ("tiki", cup_key.secret())];
    let expected =
        agents.map(|(name, key)| QueuedAgent { key_hash: hash(key), name: name.to_owned(), ..Default::default() });
    let queues = OpenQueuesRequest { cup_id: cup_id.clone(), agents: expected.to_vec() };
    organiser.open_queues(keyed(&organise, queues)).await.expect("the queues");
    let other = server.create(&organise, against_a_bot()).await.match_id;
    for (request_id, (name, key)) in ["0123456789abcdefa", "0123456789abcdefb"].into_iter().zip(agents) {
        let hosted = HostMatchRequest {
            cup_id: cup_id.clone(),
            spec: Some(against_a_bot()),
            request_id: request_id.to_owned(),
            ..Default::default()
        };
        let hosted = organiser.host_match(keyed(&organise, hosted)).await.expect("a match").into_inner();
        let match_id = hosted.r#match.expect("a match").match_id;
        let player = SeatPlayer { seat: Some(0), name: name.to_owned(), key_hash: hash(key), ..Default::default() };
        let players = SeatPlayersRequest { cup_id: cup_id.clone(), match_id: match_id.clone(), players: vec![player] };
        organiser.seat_players(keyed(&organise, players)).await.expect("the seat is open");
        let get = |match_id: &str| GetMatchRequest { match_id: match_id.to_owned(), ..Default::default() };
        for asked in [bearer(key, AwaitSeatRequest::default()), keyed(key, AwaitSeatRequest::default())] {
            // The key of a cup belongs to no account, so it comes as a bearer token.
            if name == "tiki" && asked.metadata().contains_key("ahu-key") {
                continue;
            }
            let answer = server.matches().await_seat(asked).await.expect("an agent of the cup").into_inner();
            let assigned = answer.assigned.expect("a seat");
            assert_eq!(assigned.match_id, match_id);
            server.matches().get_match(bearer(&assigned.seat_token, get(&match_id))).await.expect("its match");
        }
        server.matches().get_match(bearer(key, get(&match_id))).await.expect("its match");
    }
    let get = GetMatchRequest { match_id: other, ..Default::default() };
    let error = server.matches().get_match(bearer(cup_key.secret(), get)).await.expect_err("it does not play there");
    assert_eq!(reason(&error), "NO_KEY");
}

#[tokio::test]
async fn a_key_with_the_token_of_another_account_is_refused() {
    let server = Server::start_with(Settings { requires_key: false, ..Settings::default() }).await;
    let (moai, rongo) = (server.add("moai"), server.add("rongo"));
    let hosted = server.create(&moai, against_a_bot()).await;
    let joined = server.join(Some(&moai), &hosted.match_id, "").await.expect("a seat");
    let ask = |key: &str| {
        let mut request = bearer(&joined.taken().seat_token, observe(&hosted.match_id, 0));
        request.metadata_mut().insert("ahu-key", key.parse().expect("ASCII"));
        request
    };
    server.matches().observe(ask(&moai)).await.expect("its own token");
    for _ in 0..2 {
        let error = server.matches().observe(ask(&rongo)).await.expect_err("the token of another account");
        assert_eq!((error.code(), reason(&error).as_str()), (Code::PermissionDenied, "WRONG_TOKEN"));
    }
    // The request of another account is another request.
    let request = |key: &str| {
        let target = Some(Target::Any(AnyMatch { game: "rappanui".to_owned(), ..Default::default() }));
        keyed(key, JoinMatchRequest { target, request_id: "0123456789abcdef".to_owned(), ..Default::default() })
    };
    let first = server.matches().join_match(request(&moai)).await.expect("a seat").into_inner();
    let again = server.matches().join_match(request(&moai)).await.expect("the same seat").into_inner();
    assert_eq!(first.taken().seat_token, again.taken().seat_token);
    let error = server.matches().join_match(request(&rongo)).await.expect_err("it is not its request");
    assert_eq!(reason(&error), "REQUEST_ID_REUSED");
}

#[tokio::test]
async fn a_key_in_a_url_is_never_read() {
    let server = Server::start().await;
    let key = server.add("moai");
    for path in ["/api/matches", "/api/matches/m/events"] {
        for name in ["key", "ahu-key", "authorization", "token"] {
            let answer = ask(&server, &format!("GET {path}?{name}={key}"), "", "").await;
            assert!(answer.contains("401") && answer.contains("NO_KEY"), "{answer}");
        }
    }
    let answer = ask(&server, "GET /api/matches", &format!("ahu-key: {key}\r\n"), "").await;
    assert!(answer.contains(" 200 "), "{answer}");
}

#[tokio::test]
async fn names_that_look_like_the_name_of_an_account_are_refused() {
    let server = Server::start_with(Settings { requires_key: false, ..Settings::default() }).await;
    let key = server.add("moai");
    for alike in ["moai", "M0AI", "mo-ai", "Mo.Ai", "m o a 1"] {
        let reply = add(&server.accounts, alike);
        assert!(matches!(&reply, Reply::Refused { message } if message.contains("looks like \"moai\"")), "{reply:?}");
    }
    let hosted = server.create(&key, two_seats()).await;
    for alike in ["moai", "M0AI", "mo-ai", "mо ai", "ｍoai"] {
        let error = server.join(None, &hosted.match_id, alike).await.expect_err("it looks like an account");
        assert_eq!((error.code(), reason(&error).as_str()), (Code::InvalidArgument, "BAD_NAME"), "{alike}");
    }
    server.join(None, &hosted.match_id, "moa").await.expect("another name");
    server.join(Some(&key), &hosted.match_id, "moa").await.expect("the account itself");
}

#[tokio::test]
async fn an_account_has_one_share_over_all_its_keys_and_addresses() {
    let mut settings = Settings { requires_key: false, ..Settings::default() };
    settings.limits.account_shares[Share::Matches] = 2;
    settings.proxies.add("127.0.0.1").expect("an address");
    let server = Server::start_with(settings).await;
    let keys = [server.add("moai"), server.key("moai", &[Scope::Create], None)];
    let other = server.add("rongo");
    let from = |key: &str, address: &str| {
        let mut request = keyed(key, two_seats().asked());
        request.metadata_mut().insert("x-forwarded-for", address.parse().expect("ASCII"));
        request
    };
    for (key, address) in [(&keys[0], "203.0.113.1"), (&keys[1], "203.0.113.2")] {
        server.matches().create_match(from(key, address)).await.expect("it is within the share");
    }
    for (key, address) in [(&keys[0], "203.0.113.3"), (&keys[1], "203.0.113.1")] {
        let error = server.matches().create_match(from(key, address)).await.expect_err("two are open");
        let info = error.get_details_error_info().expect("details");
        assert_eq!(info.reason, "OVER_SHARE");
        assert_eq!(
            [&info.metadata["limit_name"], &info.metadata["limit"], &info.metadata["used"]],
            ["matches", "2", "2"]
        );
        assert!(error.message().starts_with("the account "), "{error}");
        assert!(error.get_details_retry_info().is_some());
    }
    server.matches().create_match(from(&other, "203.0.113.1")).await.expect("another account");
    let shares = BTreeMap::from([("matches".to_owned(), Some(3))]);
    done(&server.accounts, Command::Set { account: "moai".to_owned(), name: None, shares });
    server.matches().create_match(from(&keys[0], "203.0.113.1")).await.expect("its own share is 3");
    let shares = BTreeMap::from([("matches".to_owned(), None)]);
    done(&server.accounts, Command::Set { account: "moai".to_owned(), name: None, shares });
    server.matches().create_match(from(&keys[0], "203.0.113.1")).await.expect_err("the share of every account is 2");
}

#[tokio::test]
async fn a_revoked_key_is_refused_between_two_steps_and_its_streams_and_waits_end_within_a_second() {
    let server = Server::start().await;
    let (key, watcher) = (server.add("moai"), server.key("moai", &[Scope::Watch], None));
    let hosted = server.create(&key, against_a_bot()).await;
    let waiting = server.create(&key, two_seats()).await;
    let joined = server.join(Some(&key), &hosted.match_id, "").await.expect("a seat");
    let opened = server.join(Some(&key), &waiting.match_id, "").await.expect("a seat");
    step(&server, &hosted.match_id, &joined.taken().seat_token).await.expect("the key is valid");

    let watch =
        |public| WatchMatchRequest { match_id: waiting.match_id.clone(), public_view: public, ..Default::default() };
    let mut by_key = server.matches().watch_match(keyed(&watcher, watch(true))).await.expect("it begins");
    let mut by_token =
        server.matches().watch_match(bearer(&opened.taken().seat_token, watch(false))).await.expect("it begins");
    let first = by_key.get_mut().message().await.expect("a message");
    assert!(first.is_some() && by_token.get_mut().message().await.expect("a message").is_some());
    let mut matches = server.matches();
    let (token, id) = (opened.taken().seat_token, waiting.match_id.clone());
    let wait = tokio::spawn(async move { matches.observe(bearer(&token, observe(&id, 30))).await.map(drop) });
    tokio::time::sleep(Duration::from_millis(50)).await;

    server.revoke(&key);
    let begin = Instant::now();
    let ended = [
        by_token.get_mut().message().await.expect_err("the key of the seat is revoked"),
        wait.await.expect("no panic").expect_err("the key of the seat is revoked"),
    ];
    let error = step(&server, &hosted.match_id, &joined.taken().seat_token).await.expect_err("from the next call on");
    for error in ended.iter().chain([&error]) {
        assert_eq!((error.code(), reason(error).as_str()), (Code::Unauthenticated, "BAD_KEY"), "{error}");
    }
    server.revoke(&watcher);
    let error = by_key.get_mut().message().await.expect_err("the key is revoked");
    assert_eq!(reason(&error), "BAD_KEY");
    assert!(begin.elapsed() < LONG, "a hang");
}

#[tokio::test]
async fn a_key_that_expires_ends_its_stream() {
    let server = Server::start().await;
    let key = server.add("moai");
    let hosted = server.create(&key, two_seats()).await;
    let expiring = server.key("moai", &[Scope::Watch], Some(1));
    let watch = WatchMatchRequest { match_id: hosted.match_id, public_view: true, ..Default::default() };
    let mut stream = server.matches().watch_match(keyed(&expiring, watch)).await.expect("it begins").into_inner();
    let error = tokio::time::timeout(LONG, async {
        loop {
            if let Err(error) = stream.message().await {
                return error;
            }
        }
    });
    assert_eq!(reason(&error.await.expect("it ends")), "BAD_KEY");
}

#[tokio::test]
async fn one_account_takes_one_seat_where_owners_are_distinct() {
    let server = Server::start_with(Settings { requires_key: false, ..Settings::default() }).await;
    let (moai, rongo) = (server.add("moai"), server.add("rongo"));
    let hosted = server.create(&moai, MatchSpec { distinct_owners: true, ..two_seats() }).await;
    assert!(hosted.distinct_owners);
    server.join(Some(&moai), &hosted.match_id, "").await.expect("a seat");
    let error = server.join(Some(&moai), &hosted.match_id, "").await.expect_err("it has a seat");
    assert_eq!((error.code(), reason(&error).as_str()), (Code::PermissionDenied, "SEAT_RESERVED"));
    let any = AnyMatch { game: "rappanui".to_owned(), seat_count: Some(2), ..Default::default() };
    let any = JoinMatchRequest { target: Some(Target::Any(any)), ..Default::default() };
    let elsewhere = server.matches().join_match(keyed(&moai, any)).await.expect("another match").into_inner();
    assert_ne!(elsewhere.r#match.expect("a match").match_id, hosted.match_id);
    let joined = server.join(Some(&rongo), &hosted.match_id, "").await.expect("another account");
    let seats = joined.r#match.expect("a match").seats;
    assert!(seats[0].player_id != seats[1].player_id && seats.iter().all(|seat| seat.state() == SeatState::Joined));
}

#[tokio::test]
async fn an_organiser_with_an_account_schedules_matches_and_others_do_not() {
    let server = Server::start().await;
    let _all = server.add("moai");
    let organise = server.key("moai", &[Scope::Organise], None);
    let mut organiser = OrganiserServiceClient::new(server.channel.clone());
    let cup_id = "0123456789abcdef".to_owned();
    let hosted = |id: &str| {
        let (cup_id, request_id) = (cup_id.clone(), format!("0123456789abcdef{id}"));
        HostMatchRequest { cup_id, spec: Some(two_seats()), request_id, ..Default::default() }
    };
    let error = organiser.host_match(keyed(&organise, hosted("a"))).await.expect_err("it has opened no queues");
    assert_eq!(reason(&error), "NO_QUEUE");
    let queues = OpenQueuesRequest { cup_id: cup_id.clone(), agents: Vec::new() };
    organiser.open_queues(keyed(&organise, queues)).await.expect("its cup");
    let first = organiser.host_match(keyed(&organise, hosted("a"))).await.expect("a match").into_inner();
    organiser.host_match(bearer(&organise, hosted("b"))).await.expect("as a bearer token too");
    let watch = server.key("moai", &[Scope::Watch], None);
    let error = organiser.host_match(keyed(&watch, hosted("c"))).await.expect_err("another scope");
    assert_eq!((error.code(), reason(&error).as_str()), (Code::PermissionDenied, "MISSING_SCOPE"));
    let error = organiser.host_match(bearer("x", hosted("d"))).await.expect_err("no key");
    assert_eq!(reason(&error), "NO_KEY");
    let match_id = first.r#match.expect("a match").match_id;
    let cancel = CancelMatchRequest { match_id, ..Default::default() };
    server.matches().cancel_match(keyed(&organise, cancel)).await.expect("an organiser may cancel its matches");
    let error = server.matches().await_seat(bearer(new_key().secret(), AwaitSeatRequest::default())).await;
    assert_eq!(reason(&error.expect_err("no agent has this key")), "BAD_KEY");

    // An agent of a cup has a key of the organiser, and needs no account.
    let cup_key = new_key();
    let agent = QueuedAgent { key_hash: cup_key.hash().to_vec().into(), name: "tiki".to_owned(), ..Default::default() };
    let queues = OpenQueuesRequest { cup_id: cup_id.clone(), agents: vec![agent] };
    organiser.open_queues(keyed(&organise, queues)).await.expect("a queue");
    let hosted = HostMatchRequest { spec: Some(against_a_bot()), ..hosted("z") };
    let hosted = organiser.host_match(keyed(&organise, hosted)).await.expect("a match").into_inner();
    let match_id = hosted.r#match.expect("a match").match_id;
    let player = SeatPlayer {
        seat: Some(0),
        name: "tiki".to_owned(),
        key_hash: cup_key.hash().to_vec().into(),
        ..Default::default()
    };
    let players = SeatPlayersRequest { cup_id, match_id: match_id.clone(), players: vec![player] };
    organiser.seat_players(keyed(&organise, players)).await.expect("the seat is open");
    let asked = bearer(cup_key.secret(), AwaitSeatRequest::default());
    let assigned = server.matches().await_seat(asked).await.expect("its key").into_inner().assigned.expect("a seat");
    step(&server, &match_id, &assigned.seat_token).await.expect("the token suffices");
    let error = server.matches().list_matches(bearer(cup_key.secret(), ListMatchesRequest::default())).await;
    assert_eq!(reason(&error.expect_err("it is for its seats alone")), "NO_KEY");

    let acts: Vec<_> = server.audited().into_iter().map(|line| (line.who, line.what, line.result)).collect();
    let of = |who: &str, what: &str, result: &str| (who.to_owned(), what.to_owned(), result.to_owned());
    assert!(
        acts.contains(&of("moai", "HostMatch", "ok")) && acts.contains(&of("moai", "CancelMatch", "ok")),
        "{acts:?}"
    );
}

#[tokio::test]
async fn creators_stand_in_the_audit_and_no_secret_does() {
    let server = Server::start_with(Settings { requires_key: false, ..Settings::default() }).await;
    let key = server.add("moai");
    let created = server.matches().create_match(keyed(&key, two_seats().asked())).await.expect("a match").into_inner();
    server.matches().create_match(MatchSpec { seat_count: 99, ..two_seats() }.asked()).await.expect_err("too many");
    let match_id = created.r#match.expect("a match").match_id;
    let cancel = CancelMatchRequest { match_id: match_id.clone(), ..Default::default() };
    let mut cancel = bearer(&created.owner_token, cancel);
    cancel.metadata_mut().insert("ahu-key", key.parse().expect("ASCII"));
    server.matches().cancel_match(cancel).await.expect("its own match");
    // A client may take a field for another.
    for secret in [key.clone(), hex(&[7; 32])] {
        let wrong = CancelMatchRequest { match_id: secret.clone(), ..Default::default() };
        let error = server.matches().cancel_match(keyed(&key, wrong)).await.expect_err("it is no match");
        assert!(error.message().starts_with("no match has the id \"not an id\""), "{error}");
    }

    let lines = server.audited();
    let acts: Vec<_> = lines.iter().map(|line| (&*line.who, &*line.what, &*line.target, &*line.result)).collect();
    assert_eq!(
        acts,
        [
            ("moai", "CreateMatch", &*match_id, "ok"),
            ("anonymous", "CreateMatch", "", "BAD_SEAT_COUNT"),
            ("moai", "CancelMatch", &*match_id, "ok"),
            ("moai", "CancelMatch", "not an id", "UNKNOWN_MATCH")
        ]
    );
    assert!(lines.iter().all(|line| line.address == "loopback"), "{lines:?}");
    assert_eq!(lines[0].key.as_deref(), Some(&key[4..16]));
    let text = std::fs::read_to_string(server.folder.path().join(ahu_service::AUDIT)).expect("a file");
    assert!(
        !text.contains(&key[17..]) && !text.contains(&created.owner_token) && !text.contains("0707070707"),
        "{text}"
    );
}

#[tokio::test]
async fn a_server_without_accounts_answers_as_if_there_were_none() {
    for key in ["", "nonsense", new_key().secret()] {
        let server = Server::start_with(Settings { requires_key: false, ..Settings::default() }).await;
        let created = server.matches().create_match(keyed(key, against_a_bot().asked())).await.expect("it is ignored");
        let match_id = created.into_inner().r#match.expect("a match").match_id;
        let joined = server.join(None, &match_id, "moai").await.expect("every name is free");
        assert_eq!(joined.r#match.as_ref().expect("a match").seats[0].player_id, "");
        step(&server, &match_id, &joined.taken().seat_token).await.expect("the token suffices");
        let error = server.matches().await_seat(bearer(new_key().secret(), AwaitSeatRequest::default())).await;
        assert_eq!(reason(&error.expect_err("no agent has this key")), "WRONG_TOKEN");
    }
}

#[tokio::test]
async fn a_restart_keeps_accounts_keys_and_the_players_of_seats() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let open = || {
        let options = SqliteOptions { create: true, ..SqliteOptions::default() };
        let store = SqliteStore::open(folder.path(), &options).expect("a store");
        let accounts = Accounts::open(&Place::from(folder.path())).expect("the tables are there");
        (Matches::new(Limits::default(), Some(Box::new(store))), accounts)
    };
    let (matches, accounts) = open();
    let server = Server::serve(matches.clone(), accounts, Settings::default()).await;
    let (key, revoked) = (server.add("moai"), server.key("moai", &[Scope::Watch], None));
    server.revoke(&revoked);
    let hosted = server.create(&key, against_a_bot()).await;
    let joined = server.join(Some(&key), &hosted.match_id, "").await.expect("a seat");
    let player_id = joined.r#match.as_ref().expect("a match").seats[0].player_id.clone();
    assert!(matches.flush());
    // A second directory of the same folder reads what the first one has written.
    let again = Accounts::open(&Place::from(folder.path())).expect("the tables are there");
    let copy = tempfile::tempdir().expect("a temporary folder");
    ahu_service::store::maintenance::backup(folder.path(), &copy.path().join("b.db"), false, &|_| {})
        .expect("a backup");
    let restored = copy.path().join("restored");
    ahu_service::store::maintenance::restore(&copy.path().join("b.db"), &restored, false, false, &|_| {})
        .expect("it is whole");
    let check = ahu_service::store::maintenance::verify(&restored, false, &|_| {}).expect("it can be read");
    assert_eq!((check.accounts, check.keys, check.faults.len()), (1, 2, 0));
    drop(again);

    let options = SqliteOptions::default();
    let store = SqliteStore::open(&restored, &options).expect("the restored store");
    let accounts = Accounts::open(&Place::from(&*restored)).expect("the tables are there");
    let matches = Matches::new(Limits::default(), Some(Box::new(store)));
    let server = Server::serve(matches, accounts, Settings::default()).await;
    server.list(&key).await.expect("the key is valid");
    assert_eq!(reason(&server.list(&revoked).await.expect_err("it stays revoked")), "BAD_KEY");
    step(&server, &hosted.match_id, &joined.taken().seat_token).await.expect("the seat is still taken with the key");
    let get = GetMatchRequest { match_id: hosted.match_id.clone(), ..Default::default() };
    let described = server.matches().get_match(keyed(&key, get)).await.expect("it is hosted").into_inner();
    assert_eq!(described.r#match.expect("a match").seats[0].player_id, player_id);
    server.revoke(&key);
    let error = step(&server, &hosted.match_id, &joined.taken().seat_token).await.expect_err("the key is revoked");
    assert_eq!(reason(&error), "BAD_KEY");
}

/// The scopes that admit each method; an empty list admits every key. The services with one rule stand for their methods.
const ADMITTED: [(&str, &[Scope]); 23] = [
    ("ahu.v1.MatchService/JoinMatch", &[Scope::Play]),
    ("ahu.v1.MatchService/AwaitSeat", &[Scope::Play]),
    ("ahu.v1.MatchService/ParseAction", &[Scope::Play]),
    ("ahu.v1.MatchService/Step", &[Scope::Play]),
    ("ahu.v1.MatchService/ResignSeat", &[Scope::Play]),
    ("ahu.v1.MatchService/Observe", &[Scope::Watch, Scope::Organise]),
    ("ahu.v1.MatchService/WatchMatch", &[Scope::Watch, Scope::Organise]),
    ("ahu.v1.MatchService/GetMatch", &[Scope::Watch, Scope::Organise]),
    ("ahu.v1.MatchService/ListMatches", &[Scope::Watch, Scope::Organise]),
    ("ahu.v1.MatchService/GetRecord", &[Scope::Watch, Scope::Organise]),
    ("ahu.v1.MatchService/CreateMatch", &[Scope::Create]),
    ("ahu.v1.MatchService/CancelMatch", &[Scope::Create, Scope::Organise]),
    ("ahu.cup.v1beta1.CupService/Practise", &[Scope::Play]),
    ("ahu.cup.v1beta1.CupService/EnterCup", &[Scope::Play]),
    ("ahu.cup.v1beta1.CupService/LeaveCup", &[Scope::Play]),
    ("ahu.cup.v1beta1.CupService/WakeAgent", &[Scope::Play]),
    ("ahu.cup.v1beta1.CupService/", &[Scope::Watch, Scope::Organise]),
    ("ahu.v1.EnvironmentService/", &[Scope::Train]),
    ("ahu.cup.v1beta1.OrganiserService/", &[Scope::Organise]),
    ("ahu.v1.CatalogService/", &[]),
    ("grpc.health.v1.Health/", &[]),
    ("grpc.reflection.v1.ServerReflection/", &[]),
    ("grpc.reflection.v1alpha.ServerReflection/", &[]),
];

/// Calls a method with an empty request, and returns the reason of its refusal; an empty text if it is not refused with one.
async fn call(server: &Server, method: &str, key: Option<&str>) -> String {
    let mut client = tonic::client::Grpc::new(server.channel.clone());
    client.ready().await.expect("the server is there");
    let path: PathAndQuery = format!("/{method}").parse().expect("a path");
    let mut request = Request::new(futures_util::stream::iter([()]));
    if let Some(key) = key {
        request.metadata_mut().insert("ahu-key", key.parse().expect("ASCII"));
    }
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    let begun = tokio::time::timeout(LONG, client.streaming(request, path, codec)).await.expect("an answer");
    let first = match begun {
        Ok(answers) => tokio::time::timeout(Duration::from_millis(200), answers.into_inner().message()).await,
        Err(error) => return reason(&error),
    };
    // A stream that waits for its client is admitted.
    first.map_or_else(|_| String::new(), |first| first.err().map_or_else(String::new, |error| reason(&error)))
}

#[tokio::test]
async fn every_method_admits_the_scopes_of_the_table_and_no_others() {
    let server = Server::start().await;
    server.add("moai");
    let scopes = [Scope::Play, Scope::Create, Scope::Train, Scope::Watch, Scope::Organise];
    let keys = scopes.map(|scope| (scope, server.key("moai", &[scope], None)));
    let mut methods = Vec::new();
    for set in [DESCRIPTORS, tonic_health::pb::FILE_DESCRIPTOR_SET, tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET] {
        let pool = DescriptorPool::decode(set).expect("descriptors");
        for service in pool.services() {
            methods.extend(service.methods().map(|method| format!("{}/{}", service.full_name(), method.name())));
        }
    }
    assert!(methods.len() > 25, "{methods:?}");
    for method in &methods {
        let row = ADMITTED.iter().find(|(name, _)| method.starts_with(name));
        let (_, admitted) = row.unwrap_or_else(|| panic!("{method} has no row"));
        let without = call(&server, method, None).await;
        assert_eq!(without == "NO_KEY", !admitted.is_empty(), "{method} without a key: {without}");
        for (scope, key) in &keys {
            let refusal = call(&server, method, Some(key)).await;
            let is_admitted = admitted.is_empty() || admitted.contains(scope);
            assert_eq!(refusal != "MISSING_SCOPE", is_admitted, "{method} with {}: {refusal}", scope.name());
        }
    }
    // The table of the docs is that of the code, and names the same methods.
    let table = ahu_service::scope_table();
    let docs = repository().join("docs/operate/accounts.md");
    let docs = std::fs::read_to_string(docs).expect("the page");
    for (name, scopes, whose) in &table {
        assert!(docs.contains(&format!("| `{name}` | {scopes} | {whose} |\n")), "{name}: {scopes}");
    }
    for (name, _) in ADMITTED {
        let is_listed = |listed: &str| name.starts_with(listed) || listed.starts_with(name);
        assert!(table.iter().any(|(listed, ..)| is_listed(listed)), "{name}");
    }
}

/// Sends a request of a browser, and returns the answer.
async fn ask(server: &Server, request: &str, lines: &str, body: &str) -> String {
    let mut socket = TcpStream::connect(server.address).await.expect("the listener accepts");
    let (address, length) = (server.address, body.len());
    let text = format!("{request} HTTP/1.0\r\nHost: {address}\r\n{lines}Content-Length: {length}\r\n\r\n{body}");
    socket.write_all(text.as_bytes()).await.expect("it is open");
    let mut answer = Vec::new();
    tokio::time::timeout(LONG, socket.read_to_end(&mut answer)).await.expect("an end").expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_person_signs_in_with_a_key_and_out_again() {
    let server = Server::start().await;
    let key = server.add("moai");
    let hosted = server.create(&key, against_a_bot()).await;
    server.join(Some(&key), &hosted.match_id, "").await.expect("a seat");
    let same_site = "Sec-Fetch-Site: same-origin\r\n";
    let refused =
        ask(&server, "POST /api/session", same_site, &format!("{{\"key\": \"{}\"}}", new_key().secret())).await;
    assert!(refused.contains(" 401 ") && refused.contains("BAD_KEY"), "{refused}");
    let body = format!("{{\"key\": \"{key}\"}}");
    let foreign = ask(&server, "POST /api/session", "Sec-Fetch-Site: cross-site\r\n", &body).await;
    assert!(foreign.contains(" 403 ") && !foreign.contains("ahu-session"), "{foreign}");
    let answer = ask(&server, "POST /api/session", same_site, &body).await;
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(cookie.contains("HttpOnly; SameSite=Strict") && !answer.contains(&key), "{answer}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().expect("a value"));

    assert!(ask(&server, "GET /api/account", "", "").await.contains("\"signed_in\":false"));
    assert!(ask(&server, "GET /api/matches", "", "").await.contains("NO_KEY"));
    let account = ask(&server, "GET /api/account", &cookie, "").await;
    for part in ["\"name\":\"moai\"", &key[4..16], &hosted.match_id] {
        assert!(account.contains(part), "{part}: {account}");
    }
    assert!(!account.contains(&key[17..]), "{account}");
    assert!(ask(&server, "GET /api/matches", &cookie, "").await.contains(&hosted.match_id));

    // The stream of a browser ends with the key of its session, and the page can be loaded all the same.
    let events = format!("GET /api/matches/{}/events", hosted.match_id);
    let stream = ask(&server, &events, &cookie, "");
    let revoke = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        server.revoke(&key);
    };
    let (stream, ()) = tokio::join!(stream, revoke);
    assert!(stream.contains("event: failure") && stream.contains("BAD_KEY"), "{stream}");
    for page in ["GET /", "GET /account", "GET /site/account.js"] {
        assert!(ask(&server, page, &cookie, "").await.contains(" 200 "), "{page}");
    }
    assert!(ask(&server, "GET /api/matches", &cookie, "").await.contains("NO_KEY"));
    let out = ask(&server, "DELETE /api/session", &format!("{cookie}{same_site}"), "").await;
    assert!(out.contains("Max-Age=0"), "{out}");
}

#[tokio::test]
async fn the_tools_for_language_models_need_the_keys_of_the_calls_that_they_make() {
    let server = Server::start().await;
    let key = server.add("moai");
    let watching = server.key("moai", &[Scope::Watch], None);
    let header = |key: &str| format!("Authorization: Bearer {key}\r\n");
    let against = || json!({"game": "rappanui", "opponents": ["random"]});
    let tool = async |lines: &str, name: &str, arguments| mcp::tool(server.address, lines, name, arguments).await;

    // Everybody may read the rules, as the catalog.
    tool("", "rules", json!({"game": "giants"})).await.expect("they are public");
    for (lines, expected) in [(String::new(), "NO_KEY: "), (header(&watching), "MISSING_SCOPE: ")] {
        let error = tool(&lines, "join", against()).await.expect_err("the key does not suffice");
        assert!(error.starts_with(expected), "{error}");
    }
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for lines in [header(new_key().secret()), "ahu-key: nonsense\r\n".to_owned()] {
        let answer = mcp::post(server.address, &lines, &list).await;
        assert_eq!((answer.status(), answer.json()["error"]["reason"].clone()), (401, json!("BAD_KEY")));
    }

    let joined = tool(&header(&key), "join", against()).await.expect("the key has all scopes");
    assert!(joined.contains("seat 0: player \"moai\""), "the name is that of the account: {joined}");
    let handle = joined.lines().next().and_then(|line| line.strip_prefix("match: ")).expect("a name");
    tool("", "look", json!({"match": handle})).await.expect("the token suffices, as in calls of gRPC");
    let (id, _) = handle.split_once(':').expect("the id and the token");
    for name in [id.to_owned(), format!("{id}:x"), "nothing:x".to_owned()] {
        let error = tool("", "look", json!({"match": name})).await.expect_err("no key and no seat");
        assert!(error.starts_with("NO_KEY: "), "a stranger learns nothing: {error}");
    }
    let audited = server.audited();
    assert!(audited.iter().any(|line| line.what == "CreateMatch" && line.target == id), "{audited:?}");
}

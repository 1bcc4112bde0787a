//! Rates: the calls, connections, and frames that an address begins too early wait, and the calls of others go on.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::{GetMatchRequest, GetServerInfoRequest, MatchState, ObserveRequest};
use ahu_service::{Limits, Rate, Share, TrustedProxies, serve_metrics};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tonic::Code;

use crate::metrics::get;
use crate::server::{Asked, Client, DECISION, Server, error_info, matches_with, unseeded};
use crate::shares::from;
use crate::silence::{BEGIN, PING};

/// A server with a page of metrics.
pub(crate) struct Measured {
    pub(crate) server: Server,
    metrics: SocketAddr,
}

impl Measured {
    pub(crate) async fn start(hosted: impl Into<ahu_service::Server>) -> Self {
        let hosted = hosted.into();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let metrics = listener.local_addr().expect("the listener is bound");
        tokio::spawn(serve_metrics(listener, hosted.clone(), std::future::pending()));
        Self { server: Server::start_with(hosted).await, metrics }
    }

    /// Returns the number of waits for a rate.
    async fn delays(&self, rate: &str) -> u32 {
        self.value(&format!("ahu_delays_total{{rate=\"{rate}\"}} ")).await
    }

    /// Returns the amount of a share that all addresses use.
    pub(crate) async fn used(&self, share: &str) -> u32 {
        self.value(&format!("ahu_used{{share=\"{share}\"}} ")).await
    }

    /// Returns the value of the line with this beginning; 0 without the line.
    pub(crate) async fn value(&self, start: &str) -> u32 {
        let page = get(self.metrics, "/metrics").await;
        page.lines().find_map(|line| line.strip_prefix(start)?.parse().ok()).unwrap_or(0)
    }
}

/// Returns limits with this rate of the tests' own address.
fn with_rate(rate: Rate, count: u32) -> Limits {
    let mut limits = Limits::default();
    limits.local_rates[rate] = count;
    limits
}

#[tokio::test]
async fn calls_that_come_too_early_wait_and_are_served() {
    // A match costs five quick calls.
    let measured = Measured::start(matches_with(with_rate(Rate::Calls, 200))).await;
    let server = &measured.server;
    let start = Instant::now();
    let mut calls = JoinSet::new();
    for _ in 0..30 {
        let mut client = server.matches();
        calls.spawn(async move { client.create_match(unseeded(2).asked()).await });
    }
    while let Some(answer) = calls.join_next().await {
        answer.expect("a call does not panic").expect("a call that waits is served");
    }
    // Ten matches are created at once, and the others 25 ms apart.
    assert!(start.elapsed() >= Duration::from_millis(20 * 25), "{:?}", start.elapsed());
    assert!((1..=20).contains(&measured.delays("calls").await));
}

#[tokio::test]
async fn the_headers_of_a_call_cost_as_much_as_an_answer() {
    let measured = Measured::start(matches_with(with_rate(Rate::Calls, 200))).await;
    let start = Instant::now();
    for _ in 0..12 {
        let mut call = tonic::Request::new(GetServerInfoRequest {});
        for n in 0..10 {
            let name = format!("x-header-{n}").parse::<tonic::metadata::AsciiMetadataKey>().expect("a name");
            call.metadata_mut().insert(name, "x".repeat(1024).parse().expect("a value"));
        }
        measured.server.catalog().get_server_info(call).await.expect("a call that waits is served");
    }
    // Each counts as eleven calls: four at once, and the others 55 ms apart.
    assert!(start.elapsed() >= Duration::from_millis(7 * 55), "{:?}", start.elapsed());
    assert!(measured.delays("calls").await > 0);
}

/// The players of a match have rates of their own, so that an opponent at the same address cannot run down their clocks.
#[tokio::test]
async fn a_neighbour_that_floods_delays_no_call_of_a_player() {
    const FLOOD: usize = 1_500;
    let measured = Measured::start(matches_with(with_rate(Rate::Calls, 200))).await;
    let server = &measured.server;
    let seats = server.seats(unseeded(2)).await;
    let mut flood = JoinSet::new();
    for _ in 0..FLOOD {
        let (mut client, match_id) = (server.matches(), seats[0].match_id.clone());
        flood.spawn(async move { client.get_match(GetMatchRequest { match_id, wait: None }).await });
    }
    while measured.delays("calls").await < 1_000 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    let mut played = 0;
    'match_over: while played < 20 {
        for seat in &seats {
            let asked = ObserveRequest { formats: Some(DECISION), ..seat.observe_request(Duration::ZERO) };
            let seen = seat.matches.clone().observe(seat.with_token(asked)).await.expect("the token is valid");
            let seen = seen.into_inner().observation.expect("an observation");
            if seen.state() == MatchState::Finished {
                break 'match_over;
            }
            if let Some(decision) = seen.decision {
                seat.act(decision.decision_id, decision.legal_ids[0]).await;
                played += 1;
            }
        }
    }
    assert!(played > 0);
    let mut answered = 0;
    while flood.try_join_next().is_some() {
        answered += 1;
    }
    // The whole flood takes seven seconds, and a player behind it would have waited for its end.
    assert!(answered < FLOOD, "the flood ended before the player was served");
}

#[tokio::test]
async fn a_stranger_with_a_token_of_no_seat_has_the_rate_of_its_address() {
    let measured = Measured::start(matches_with(with_rate(Rate::Calls, 40))).await;
    let client = &measured.server.seats(unseeded(2)).await[0];
    let mut calls = JoinSet::new();
    for n in 0..30 {
        let stranger = Client { token: format!("stranger {n}"), ..client.clone() };
        calls.spawn(async move { stranger.observe(Duration::ZERO).await });
    }
    while let Some(answer) = calls.join_next().await {
        answer.expect("a call does not panic").expect_err("the token is wrong");
    }
    assert!(measured.delays("calls").await >= 10, "{}", measured.delays("calls").await);
}

#[tokio::test]
async fn as_many_calls_wait_as_an_address_has_a_share_of() {
    let mut limits = with_rate(Rate::Calls, 1);
    limits.local_shares[Share::Calls] = 6;
    let measured = Measured::start(matches_with(limits)).await;
    let mut calls = JoinSet::new();
    for _ in 0..40 {
        let mut client = measured.server.matches();
        calls.spawn(async move { client.create_match(unseeded(2).asked()).await });
    }
    // The other calls wait for seconds, so these are the answers of the calls beyond the share.
    for _ in 0..30 {
        let answer = calls.join_next().await.expect("forty calls").expect("a call does not panic");
        let Err(error) = answer else { continue };
        let (code, reason, [share, limit]) = error_info(&error, ["limit_name", "limit"]);
        assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "OVER_SHARE"), "{error}");
        assert_eq!((share.as_str(), limit.as_str()), ("calls", "6"));
    }
    assert!(measured.delays("calls").await > 0);
    let used = measured.used("calls").await;
    assert!((1..=6).contains(&used), "{used}");
}

#[tokio::test]
async fn an_address_that_a_proxy_forwards_has_rates_of_its_own() {
    let mut limits = Limits::default();
    limits.rates[Rate::Calls] = 20;
    let mut trusted = TrustedProxies::default();
    trusted.add("127.0.0.1").expect("an address");
    let hosted = ahu_service::Server::from(matches_with(limits)).with_proxies(trusted);
    let measured = Measured::start(hosted).await;
    let create = async |address: &str| measured.server.matches().create_match(from(address, unseeded(2).asked())).await;
    create("203.0.113.1").await.expect("a match");
    create("203.0.113.2").await.expect("a match");
    measured.server.create(unseeded(2)).await;
    assert_eq!(measured.delays("calls").await, 0, "each address has a rate of its own");
    // A call comes too early if it comes within a quarter of a second, which a busy machine may not manage at once.
    while measured.delays("calls").await == 0 {
        create("203.0.113.1").await.expect("a match");
    }
}

#[tokio::test]
async fn a_connection_with_too_many_frames_is_read_slowly_and_the_others_go_on() {
    let measured = Measured::start(matches_with(with_rate(Rate::Frames, 4_000))).await;
    let server = &measured.server;
    let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    socket.write_all(BEGIN).await.expect("it is open");
    // The pings take seconds, since a ping counts as four frames.
    socket.write_all(&PING.repeat(3_000)).await.expect("it is open");
    while measured.delays("frames").await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // A connection that sends few frames is read at once, and its calls are served.
    for _ in 0..10 {
        server.create(unseeded(2)).await;
    }
    // All pings are answered in the end. An answer has 17 bytes, and the settings of the server come before.
    let mut answers = vec![0; 3_000 * 17];
    socket.read_exact(&mut answers).await.expect("the server answers pings");
}

#[tokio::test]
async fn a_connection_that_keeps_to_its_part_of_the_frames_does_not_wait_for_a_flood_of_its_address() {
    const FLOODS: usize = 4;
    let measured = Measured::start(matches_with(with_rate(Rate::Frames, 4_000))).await;
    let server = &measured.server;
    let match_id = server.create(unseeded(2)).await.match_id;
    let mut floods = Vec::new();
    for _ in 0..FLOODS {
        let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
        socket.write_all(BEGIN).await.expect("it is open");
        // The pings of all connections together take twelve seconds.
        socket.write_all(&PING.repeat(3_000)).await.expect("it is open");
        floods.push(socket);
    }
    while measured.delays("frames").await < 2 * FLOODS as u32 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..100 {
        server.describe(&match_id).await;
    }
    let mut answered = 0;
    for socket in &mut floods {
        answered += socket.try_read(&mut vec![0; 3_000 * 17]).unwrap_or(0);
    }
    assert!(answered < FLOODS * 3_000 * 17, "the flood ended before the other client was served");
}

#[tokio::test]
async fn connections_that_come_too_early_are_read_later() {
    let measured = Measured::start(matches_with(with_rate(Rate::Connections, 20))).await;
    let start = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..15 {
        let channel = measured.server.connect().await;
        clients.spawn(async move { CatalogServiceClient::new(channel).get_server_info(GetServerInfoRequest {}).await });
    }
    while let Some(answer) = clients.join_next().await {
        answer.expect("a call does not panic").expect("a connection that waits is served");
    }
    // Five connections are accepted at once, one of which is the channel of the server, and the others 50 ms apart.
    assert!(start.elapsed() >= Duration::from_millis(9 * 50), "{:?}", start.elapsed());
    assert!(measured.delays("connections").await > 0);
}

#[tokio::test]
async fn the_server_info_shows_the_rates_of_its_caller() {
    let measured = Measured::start(matches_with(with_rate(Rate::Calls, 123))).await;
    let mut catalog = CatalogServiceClient::new(measured.server.channel.clone());
    let info = catalog.get_server_info(GetServerInfoRequest {}).await.expect("an answer").into_inner();
    let rates = info.limits.expect("limits").rates.expect("rates");
    let defaults = Limits::default().local_rates;
    assert_eq!((rates.calls, rates.connections), (123, defaults[Rate::Connections]));
}

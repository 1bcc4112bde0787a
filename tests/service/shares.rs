//! Shares: one address cannot take the whole server, and an error names the limit that the address has reached.

use std::time::Duration;

use ahu_service::limits::MAX_EXCESS_CONNECTIONS;
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::join_match_request::Target;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::run_request::{Open, Request, Reset};
use ahu_service::proto::v1::{AnyMatch, GetServerInfoRequest, JoinMatchRequest, MatchSpec, Shares, WatchMatchRequest};
use ahu_service::{Limits, MatchConfig, Matches, Share, TrustedProxies};
use tokio::net::UnixListener;
use tonic::transport::Endpoint;
use tonic::{Code, Status};

use crate::environments::{Stream, bot, open};
use crate::server::{Asked, Server, error_info, matches_with, rappanui, unseeded, with_id};

/// Returns limits with this share of the tests' own address.
fn with_share(share: Share, count: u32) -> Limits {
    let mut limits = Limits::default();
    limits.local_shares[share] = count;
    limits
}

/// Returns the share that an error names, its limit, and the amount in use.
fn over(error: &Status) -> [String; 3] {
    let (code, reason, metadata) = error_info(error, ["limit_name", "limit", "used"]);
    assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "OVER_SHARE"), "{error}");
    assert!(error.message().contains(&format!("(limit: {})", metadata[0])), "{error}");
    metadata
}

fn named(share: &str, limit: u64, used: u64) -> [String; 3] {
    [share.to_owned(), limit.to_string(), used.to_string()]
}

/// Returns a request with the address that a proxy forwards.
pub(crate) fn from<T>(address: &str, message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.metadata_mut().append("x-forwarded-for", address.parse().expect("ASCII"));
    request
}

#[tokio::test]
async fn an_address_has_a_share_of_the_open_matches() {
    let matches = matches_with(with_share(Share::Matches, 2));
    let server = Server::start_with(matches.clone()).await;
    let first = server.matches().create_match(unseeded(2).asked()).await.expect("a match").into_inner();
    let request = with_id("0123456789abcdef", unseeded(3));
    server.create(request.clone()).await;

    let error = server.matches().create_match(unseeded(2).asked()).await.expect_err("two are open");
    assert_eq!(over(&error), named("matches", 2, 2));
    // A request that is sent again creates nothing.
    server.create(request).await;
    let any = AnyMatch { game: "rappanui".to_owned(), seat_count: Some(4), ..Default::default() };
    let join = JoinMatchRequest { target: Some(Target::Any(any)), ..Default::default() };
    let error = server.matches().join_match(join).await.expect_err("it would create a match");
    assert_eq!(over(&error), named("matches", 2, 2));
    // A match that the host of the server creates counts for no address.
    let setup = ahu_host::find("rappanui").expect("a game").configure(2, &[]).expect("the defaults are valid");
    matches.host(MatchConfig::new(setup)).expect("there is room");

    let mut cancel = tonic::Request::new(ahu_service::proto::v1::CancelMatchRequest {
        match_id: first.r#match.expect("a match").match_id,
        ..Default::default()
    });
    let token = format!("Bearer {}", first.owner_token).parse().expect("tokens are ASCII");
    cancel.metadata_mut().insert("authorization", token);
    server.matches().cancel_match(cancel).await.expect("the owner may");
    server.create(unseeded(2)).await;
    let error = server.matches().create_match(unseeded(2).asked()).await.expect_err("two are open again");
    assert_eq!(over(&error), named("matches", 2, 2));
}

#[tokio::test]
async fn an_address_has_a_share_of_the_watchers() {
    let server = Server::start_with(matches_with(with_share(Share::Watchers, 1))).await;
    let match_id = server.create(unseeded(2)).await.match_id;
    let watch = async || {
        let request = WatchMatchRequest { match_id: match_id.clone(), public_view: true, ..Default::default() };
        server.matches().watch_match(request).await
    };
    let first = watch().await.expect("one may watch");
    assert_eq!(over(&watch().await.expect_err("one watches")), named("watchers", 1, 1));
    drop(first);
    // The server learns of the end of a stream a moment later.
    while watch().await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_address_has_a_share_of_the_matches_of_bots_alone() {
    let server = Server::start_with(matches_with(with_share(Share::BotMatches, 0))).await;
    let alone = rappanui(2, &[(0, "greedy"), (1, "greedy")], 1);
    let error = server.matches().create_match(alone.asked()).await.expect_err("none is permitted");
    assert_eq!(over(&error), named("bot-matches", 0, 0));
    server.create(rappanui(2, &[(0, "greedy")], 1)).await;
}

#[tokio::test]
async fn an_address_has_a_share_of_the_playouts_in_matches_and_environments() {
    let server = Server::start_with(matches_with(with_share(Share::Playouts, 300))).await;
    server.create(rappanui(3, &[(0, "search:150"), (1, "search:200")], 1)).await;
    let error =
        server.matches().create_match(rappanui(2, &[(0, "search:101")], 1).asked()).await.expect_err("it is too much");
    assert_eq!(over(&error), named("playouts", 300, 200));
    let stand_in = MatchSpec { stand_in: "search:101".to_owned(), ..rappanui(2, &[], 0) };
    let error = server.matches().create_match(stand_in.asked()).await.expect_err("it is too much");
    assert_eq!(over(&error), named("playouts", 300, 200));
    // 51 ms count as 102 playouts.
    let error =
        server.matches().create_match(rappanui(2, &[(0, "search:51ms")], 1).asked()).await.expect_err("it is too much");
    assert_eq!(over(&error), named("playouts", 300, 200));

    let searching = |count| {
        let players = vec![ahu_service::proto::v1::EnvironmentPlayer::default(), bot("search:50")];
        Open { players, ..open("rappanui", 2, count) }
    };
    let mut refused = Stream::start(&server).await;
    refused.send(Request::Open(searching(3))).await;
    assert_eq!(over(&refused.next().await.expect_err("it is too much")), named("playouts", 300, 200));
    let (_stream, _) = Stream::open(&server, searching(2)).await;
    let error =
        server.matches().create_match(rappanui(2, &[(0, "search:1")], 1).asked()).await.expect_err("all are used");
    assert_eq!(over(&error), named("playouts", 300, 300));
    server.create(rappanui(2, &[(0, "greedy")], 1)).await;
}

#[tokio::test]
async fn an_address_has_a_share_of_the_environments_and_their_streams() {
    let mut limits = with_share(Share::Environments, 4);
    limits.local_shares[Share::EnvironmentStreams] = 2;
    let server = Server::start_with(matches_with(limits)).await;
    let (_one, _) = Stream::open(&server, open("rappanui", 2, 3)).await;
    let mut refused = Stream::start(&server).await;
    refused.send(Request::Open(open("rappanui", 2, 2))).await;
    assert_eq!(over(&refused.next().await.expect_err("it is too much")), named("environments", 4, 3));
    drop(refused);
    let _two = opened_soon(&server, open("rappanui", 2, 1)).await;
    let error = Stream::try_start(&server).await.err().expect("two are open");
    assert_eq!(over(&error), named("environment-streams", 2, 2));
}

/// Opens a stream as soon as the server knows that others have ended.
async fn opened_soon(server: &Server, open: Open) -> Stream {
    let opened = async {
        loop {
            if let Ok(mut stream) = Stream::try_start(server).await {
                stream.send(Request::Open(open.clone())).await;
                if matches!(stream.next().await, Ok(Some(_))) {
                    return stream;
                }
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), opened).await.expect("the others have ended")
}

#[tokio::test]
async fn streams_that_have_not_begun_are_few_and_have_no_time() {
    let mut limits = with_share(Share::UnopenedStreams, 1);
    let server = Server::start_with(matches_with(limits)).await;
    let mut first = Stream::start(&server).await;
    let error = Stream::try_start(&server).await.err().expect("one has not begun");
    assert_eq!(over(&error), named("unopened-streams", 1, 1));
    first.send(Request::Open(open("rappanui", 2, 1))).await;
    first.next().await.expect("the stream is open");
    Stream::start(&server).await;

    limits.stream_open = Duration::from_millis(30);
    let environments = ahu_service::Environments::new(&limits);
    let server = Server::start_with(ahu_service::Server::new(matches_with(limits), environments)).await;
    let mut late = Stream::start(&server).await;
    let error = late.next().await.expect_err("the time is over");
    assert_eq!(error_info(&error, ["limit_ms"]), (Code::Aborted, "STREAM_NOT_OPENED".to_owned(), ["30".to_owned()]));
    assert!(error.message().contains("(limit: stream_open)"), "{error}");
    // A stream that has begun has no time limit.
    let mut begun = opened_soon(&server, open("rappanui", 2, 1)).await;
    let mut other = Stream::start(&server).await;
    other.next().await.expect_err("the time of another stream is over");
    begun.send(Request::Reset(Reset::default())).await;
    assert!(matches!(begun.next().await, Ok(Some(_))));
}

#[tokio::test]
async fn calls_beyond_the_share_are_refused() {
    let server = Server::start_with(matches_with(with_share(Share::Calls, 1))).await;
    let mut waiting = Stream::start(&server).await;
    let error = server.matches().create_match(unseeded(2).asked()).await.expect_err("a call is in progress");
    assert_eq!(over(&error), named("calls", 1, 1));
    waiting.send(Request::Reset(Reset::default())).await;
    waiting.next().await.expect_err("a stream begins with `open`");
    drop(waiting);
    let free = async {
        while server.matches().create_match(unseeded(2).asked()).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), free).await.expect("the call has ended");
}

#[tokio::test]
async fn a_connection_beyond_the_share_learns_why() {
    let server = Server::start_with(matches_with(with_share(Share::Connections, 2))).await;
    let _second = server.connect().await;
    let third = server.connect().await;
    let error = MatchServiceClient::new(third).create_match(unseeded(2).asked()).await.expect_err("two are open");
    assert_eq!(over(&error), named("connections", 2, 2));
    server.create(unseeded(2)).await;
}

#[tokio::test]
async fn connections_beyond_the_share_and_the_server_are_closed_at_once() {
    let server = Server::start_with(matches_with(with_share(Share::Connections, 2))).await;
    let mut open = Vec::new();
    let mut closed = 0;
    for _ in 0..MAX_EXCESS_CONNECTIONS + 10 {
        let mut socket = tokio::net::TcpStream::connect(server.address()).await.expect("the listener accepts");
        let mut byte = [0];
        // The server closes a connection as soon as it has accepted it, or sends its settings once HTTP/2 begins.
        tokio::io::AsyncWriteExt::write_all(&mut socket, crate::silence::BEGIN).await.ok();
        match tokio::io::AsyncReadExt::read(&mut socket, &mut byte).await {
            Ok(1) => open.push(socket),
            Ok(_) | Err(_) => closed += 1,
        }
    }
    assert_eq!((open.len(), closed), (MAX_EXCESS_CONNECTIONS + 1, 9));
    server.create(unseeded(2)).await;
}

#[tokio::test]
async fn a_unix_socket_is_a_peer_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ahu.sock");
    let listener = UnixListener::bind(&path).expect("the folder is new");
    let matches = matches_with(with_share(Share::Matches, 1));
    let tcp = Server::start_with(matches.clone()).await;
    tokio::spawn(ahu_service::run(listener, matches, std::future::pending()));
    let endpoint = Endpoint::from_shared(format!("unix:{}", path.display())).expect("an address");
    let mut unix = MatchServiceClient::new(endpoint.connect().await.expect("the server answers"));

    tcp.create(unseeded(2)).await;
    let error = tcp.matches().create_match(unseeded(2).asked()).await.expect_err("one is open");
    assert!(error.message().starts_with("the loopback address has its share of 1 matches"), "{error}");
    unix.create_match(unseeded(2).asked()).await.expect("another share");
    let error = unix.create_match(unseeded(2).asked()).await.expect_err("one is open");
    assert!(error.message().starts_with("the Unix socket has its share of 1 matches"), "{error}");
}

/// Starts a server that trusts these proxies. Each address elsewhere, and this machine, has a share of one match.
async fn behind(proxies: &[&str]) -> Server {
    let mut limits = with_share(Share::Matches, 1);
    limits.shares[Share::Matches] = 1;
    let matches: Matches = matches_with(limits);
    let mut trusted = TrustedProxies::default();
    for proxy in proxies {
        trusted.add(proxy).expect("a network");
    }
    Server::start_with(ahu_service::Server::from(matches).with_proxies(trusted)).await
}

#[tokio::test]
async fn the_callers_behind_a_trusted_proxy_have_shares_of_their_own() {
    let server = behind(&["127.0.0.0/8", "10.0.0.0/8"]).await;
    let create = async |address: &str| server.matches().create_match(from(address, unseeded(2).asked())).await;
    create("203.0.113.1").await.expect("the first match of this address");
    // The client wrote the first address, and a second proxy the last one.
    create("203.0.113.2, 203.0.113.3, 10.0.0.9").await.expect("the first match of this address");
    create("203.0.113.2").await.expect("the first match of this address");
    create("2001:db8::1").await.expect("the first match of this network");
    for (again, peer) in [
        ("203.0.113.1", "the address 203.0.113.1"),
        ("198.51.100.7, 203.0.113.3", "the address 203.0.113.3"),
        ("[2001:db8::2]:4711", "the network 2001:db8::/64"),
    ] {
        let error = create(again).await.expect_err("it has a match");
        assert!(error.message().starts_with(peer), "{again}: {error}");
    }
    // Calls without a readable address have one share elsewhere.
    create("unknown").await.expect("the first match of such a call");
    for unreadable in ["203.0.113.4, garbage", "", "127.0.0.1"] {
        let error = create(unreadable).await.expect_err("there is such a match");
        assert!(error.message().starts_with("the callers behind the proxy without"), "{unreadable}: {error}");
    }
    server.matches().create_match(unseeded(2).asked()).await.expect_err("there is such a match");
}

#[tokio::test]
async fn no_header_of_a_client_gives_it_a_share_of_this_machine_or_of_another_address() {
    let mut limits = with_share(Share::Matches, 9);
    limits.shares[Share::Matches] = 1;
    let mut trusted = TrustedProxies::default();
    trusted.add("127.0.0.1").expect("an address");
    let server = ahu_service::Server::from(matches_with(limits)).with_proxies(trusted);
    let server = Server::start_with(server).await;
    // The proxy writes X-Forwarded-For, and passes the other header on.
    let create = async |other: &str| {
        let mut request = from("203.0.113.1", unseeded(2).asked());
        request.metadata_mut().insert("forwarded", other.parse().expect("ASCII"));
        server.matches().create_match(request).await
    };
    create("for=unknown").await.expect("the first match of the address");
    for other in ["for=unknown", "for=127.0.0.1", "for=203.0.113.7", "for=203.0.113.1", ""] {
        let error = create(other).await.expect_err("the address has a match");
        assert!(error.message().starts_with("the address 203.0.113.1 "), "{other}: {error}");
    }
    // Nor do two headers, or none, make a caller local: one remote share is left for all of them.
    server.matches().create_match(from("127.0.0.2", unseeded(2).asked())).await.expect("its first match");
    server.matches().create_match(from("127.0.0.2", unseeded(2).asked())).await.expect_err("its share is remote");
    server.matches().create_match(unseeded(2).asked()).await.expect("the first match without an address");
    server.matches().create_match(unseeded(2).asked()).await.expect_err("its share is remote");
}

#[tokio::test]
async fn nobody_else_can_forward_an_address() {
    let server = behind(&["10.0.0.0/8"]).await;
    server.matches().create_match(from("203.0.113.1", unseeded(2).asked())).await.expect("the first match");
    let error =
        server.matches().create_match(from("203.0.113.2", unseeded(2).asked())).await.expect_err("the same address");
    assert!(error.message().starts_with("the loopback address"), "{error}");
}

#[tokio::test]
async fn the_connections_of_a_trusted_proxy_are_not_counted() {
    let mut limits = with_share(Share::Connections, 1);
    limits.shares[Share::Connections] = 1;
    let matches = matches_with(limits);
    let mut trusted = TrustedProxies::default();
    trusted.add("127.0.0.1").expect("an address");
    let server = Server::start_with(ahu_service::Server::from(matches).with_proxies(trusted)).await;
    for _ in 0..3 {
        let mut client = MatchServiceClient::new(server.connect().await);
        client.create_match(unseeded(2).asked()).await.expect("the proxy may have many");
    }
}

#[tokio::test]
async fn the_server_info_shows_the_shares_of_its_caller() {
    let server = behind(&["127.0.0.1"]).await;
    let mut catalog = CatalogServiceClient::new(server.channel.clone());
    let mut shares = async |request| -> Shares {
        let info = catalog.get_server_info(request).await.expect("an answer").into_inner();
        info.limits.expect("limits").shares.expect("shares")
    };
    let unread = shares(tonic::Request::new(GetServerInfoRequest {})).await;
    let remote = shares(from("203.0.113.1", GetServerInfoRequest {})).await;
    let direct = behind(&["10.0.0.0/8"]).await;
    let mut catalog = CatalogServiceClient::new(direct.channel.clone());
    let info = catalog.get_server_info(GetServerInfoRequest {}).await.expect("an answer").into_inner();
    let local = info.limits.expect("limits").shares.expect("shares");
    assert_eq!(unread, remote);
    let defaults = Limits::default();
    assert_eq!((local.matches, remote.matches), (1, 1));
    assert_eq!(local.playouts, defaults.local_shares[Share::Playouts]);
    assert_eq!(remote.playouts, defaults.shares[Share::Playouts]);
    assert_eq!(remote.connections, defaults.shares[Share::Connections]);
    assert_eq!(remote.unopened_streams, defaults.shares[Share::UnopenedStreams]);
    assert_eq!(remote.watchers, defaults.shares[Share::Watchers]);
}

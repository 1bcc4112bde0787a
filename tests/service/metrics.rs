//! The metrics: a page over HTTP.

use ahu_service::{Environments, Limits, Page, serve_metrics};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tonic::Code;

use crate::environments::{Stream, open};
use crate::matches::play_lowest;
use crate::server::{Asked, Server, matches_with, rappanui};

pub(crate) async fn get(address: std::net::SocketAddr, path: &str) -> String {
    get_with(address, path, "").await
}

/// Gets a page with further lines of headers.
async fn get_with(address: std::net::SocketAddr, path: &str, lines: &str) -> String {
    let mut socket = TcpStream::connect(address).await.expect("the listener accepts");
    socket.write_all(format!("GET {path} HTTP/1.0\r\n{lines}\r\n").as_bytes()).await.expect("it is open");
    let mut page = String::new();
    socket.read_to_string(&mut page).await.expect("a page");
    page
}

#[tokio::test]
async fn the_page_counts_matches_calls_forfeits_and_environments() {
    let (matches, environments) = (matches_with(Limits::default()), Environments::default());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let address = listener.local_addr().expect("the listener is bound");
    let hosted = ahu_service::Server::new(matches, environments);
    tokio::spawn(serve_metrics(listener, hosted.clone(), std::future::pending()));
    let server = Server::start_with(hosted).await;
    play_lowest(server.seats(rappanui(2, &[(0, "greedy")], 1)).await.remove(0)).await;
    let clients = server.seats(rappanui(2, &[], 2)).await;
    let resign = clients[0].with_token(ahu_service::proto::v1::ResignSeatRequest {
        match_id: clients[0].match_id.clone(),
        ..Default::default()
    });
    server.matches().resign_seat(resign).await.expect("a player may resign");
    server.create(rappanui(3, &[], 3)).await;
    let error = server.matches().create_match(rappanui(99, &[], 3).asked()).await.expect_err("there are no such games");
    assert_eq!(error.code(), Code::InvalidArgument);
    let (_stream, _) = Stream::open(&server, open("giants", 3, 7)).await;

    let page = get(address, "/metrics").await;
    assert!(page.starts_with("HTTP/1.0 200 OK"), "{page}");
    for line in [
        "ahu_matches{game=\"rappanui\",state=\"finished\"} 1",
        "ahu_matches{game=\"rappanui\",state=\"running\"} 1",
        "ahu_matches{game=\"rappanui\",state=\"seating\"} 1",
        "ahu_matches_created_total{game=\"rappanui\"} 3",
        "ahu_matches_ended_total{game=\"rappanui\",ending=\"finished\"} 1",
        "ahu_forfeits_total{cause=\"resigned\"} 1",
        "ahu_calls_total{method=\"ahu.v1.MatchService/CreateMatch\",code=\"Ok\"} 3",
        "ahu_calls_total{method=\"ahu.v1.MatchService/CreateMatch\",code=\"InvalidArgument\"} 1",
        "ahu_call_seconds_count{method=\"ahu.v1.MatchService/CreateMatch\"} 4",
        "ahu_refusals_total{reason=\"BAD_SEAT_COUNT\"} 1",
        "ahu_environments 7",
        "ahu_used{share=\"environments\"} 7",
        "ahu_used{share=\"matches\"} 2",
        "ahu_used{share=\"environment-streams\"} 1",
        "ahu_connections 1",
        "ahu_peers 1",
        "ahu_queue_length{queue=\"bots_alone\"} 0",
    ] {
        assert!(page.lines().any(|found| found == line), "no {line} in\n{page}");
    }
    for part in ["process", "matches_in_progress", "matches_ended", "environments"] {
        let start = format!("ahu_memory_bytes{{part=\"{part}\"}} ");
        let bytes = page.lines().find_map(|line| line.strip_prefix(&start)).expect("a part");
        assert!(bytes.parse::<u64>().expect("a number") > 1000, "{part}: {bytes}");
    }
    // The page names no match, so it does not reveal the progress of a match.
    for client in clients {
        assert!(!page.contains(&client.match_id));
    }
    assert!(get(address, "/").await.starts_with("HTTP/1.0 404"));
}

#[tokio::test]
async fn an_invented_method_does_not_stay_in_memory() {
    let matches = matches_with(Limits::default());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let address = listener.local_addr().expect("the listener is bound");
    tokio::spawn(serve_metrics(listener, matches.clone(), std::future::pending()));
    let server = Server::start_with(matches).await;
    for n in 0..3 {
        let mut client = tonic::client::Grpc::new(server.channel.clone());
        client.ready().await.expect("the server answers");
        let path = format!("/ahu.v1.MatchService/Cheat{n}").parse().expect("a path");
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        client.unary(tonic::Request::new(()), path, codec).await.expect_err("the call is unknown");
    }
    let page = get(address, "/metrics").await;
    assert!(page.contains("ahu_calls_total{method=\"unknown\",code=\"Unimplemented\"} 3"), "{page}");
    assert!(!page.contains("Cheat"), "{page}");
}

#[tokio::test]
async fn a_site_that_gives_its_name_to_the_address_reads_no_metrics() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let address = listener.local_addr().expect("the listener is bound");
    let server = ahu_service::Server::from(matches_with(Limits::default()));
    let server = server.with_page(Page::new(vec!["games.example".to_owned()]));
    tokio::spawn(serve_metrics(listener, server, std::future::pending()));
    for own in ["localhost:50552", "127.0.0.1:50552", "[::1]", "games.example"] {
        let page = get_with(address, "/metrics", &format!("Host: {own}\r\n")).await;
        assert!(page.starts_with("HTTP/1.0 200 ") && page.contains("ahu_connections"), "{own}: {page}");
    }
    for foreign in ["evil.example", "evil.example:50552", "", "\u{e4}"] {
        let page = get_with(address, "/metrics", &format!("Host: {foreign}\r\n")).await;
        assert!(page.starts_with("HTTP/1.0 4") && !page.contains("ahu_connections"), "{foreign}: {page}");
    }
}

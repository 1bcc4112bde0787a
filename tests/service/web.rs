//! The web page: its files, its guard, and its streams. The tests in `tests/web` use the page in a browser.

use std::net::SocketAddr;

use ahu_service::proto::v1::{BotSeat, GetRecordRequest, MatchSpec, ResignSeatRequest, TimeControl};
use ahu_service::{Limits, Page};
use http_body_util::{BodyExt as _, Full};
use prost_types::Duration;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::codegen::http;

use crate::matches::play_lowest;
use crate::server::{Client, Server, matches_with, rappanui, unseeded};

/// An answer: the head, and the body.
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the events of a stream, without heartbeats: the id, and the rest.
    pub(crate) fn events(&self) -> Vec<(Option<u32>, String)> {
        let text = self.text();
        let events = text.split("\n\n").filter(|event| !event.is_empty() && !event.starts_with("event: heartbeat"));
        let read = |event: &str| {
            let (id, rest) = match event.strip_prefix("id: ").and_then(|event| event.split_once('\n')) {
                Some((id, rest)) => (Some(id.parse().expect("a number")), rest),
                None => (None, event),
            };
            (id, rest.to_owned())
        };
        events.map(read).collect()
    }
}

/// Sends a request, and returns the whole answer. `lines` has further headers. The header `Host` has the address of the
/// server unless `lines` has the header.
pub(crate) async fn ask(address: SocketAddr, request: &str, lines: &str, body: &[u8]) -> Answer {
    let mut socket = TcpStream::connect(address).await.expect("the listener accepts");
    let host = if lines.to_lowercase().contains("host:") { String::new() } else { format!("Host: {address}\r\n") };
    let head = format!("{request} HTTP/1.0\r\n{host}{lines}Content-Length: {}\r\n\r\n", body.len());
    socket.write_all(&[head.as_bytes(), body].concat()).await.expect("it is open");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.expect("an answer");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the head has an end");
    Answer { head: String::from_utf8_lossy(&answer[..end]).into_owned(), body: answer[end + 4..].to_vec() }
}

/// Returns the answer to a plain request.
pub(crate) async fn get(server: &Server, path: &str) -> Answer {
    ask(server.address(), &format!("GET {path}"), "", b"").await
}

/// Returns a server with a page.
pub(crate) fn with_page() -> ahu_service::Server {
    let hosted = ahu_service::Server::from(matches_with(Limits::default()));
    hosted.with_page(Page::new(vec!["games.example".to_owned()]))
}

async fn start() -> Server {
    Server::start_with(with_page()).await
}

/// Returns the header with the cookie of a seat.
pub(crate) fn cookie(client: &Client) -> String {
    format!("Cookie: ahu-seat-{}={}\r\n", client.seat, client.token)
}

#[tokio::test]
async fn pages_and_files_come_with_their_policy_and_nothing_else_is_found() {
    let server = start().await;
    for path in ["/", "/matches/x", "/replay", "/cups", "/rules/giants", "/site/main.js", "/site/style.css"] {
        let answer = get(&server, path).await;
        assert_eq!(answer.status(), 200, "{path}: {}", answer.text());
        for header in
            ["default-src 'self'; style-src 'self' 'sha256-", "nosniff", "no-referrer", "frame-ancestors 'none'"]
        {
            assert!(answer.head.contains(header), "{path}: no {header} in {}", answer.head);
        }
        assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
    }
    for path in
        ["/../Cargo.toml", "/site/../mod.rs", "/site/%2e%2e%2fmod.rs", "/site/", "/etc/passwd", "/matches", "//x"]
    {
        assert_eq!(get(&server, path).await.status(), 404, "{path}");
    }
    let tag = get(&server, "/site/main.js").await;
    let tag = tag.head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
    let known = ask(server.address(), "GET /site/main.js", &format!("If-None-Match: {tag}\r\n"), b"").await;
    assert_eq!((known.status(), known.body.len()), (304, 0));
}

#[tokio::test]
async fn foreign_names_and_sites_are_refused() {
    let server = start().await;
    for host in ["localhost", "127.0.0.1:50551", "[::1]:80", "games.example", "GAMES.example:8080"] {
        let answer = ask(server.address(), "GET /api/server", &format!("Host: {host}\r\n"), b"").await;
        assert_eq!(answer.status(), 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "games.example:x", ""] {
        let answer = ask(server.address(), "GET /api/server", &format!("Host: {host}\r\n"), b"").await;
        assert_eq!(answer.status(), 421, "{host}");
        assert!(answer.text().contains("--host-name"), "{}", answer.text());
    }
    let record = b"no record";
    for foreign in ["", "Sec-Fetch-Site: cross-site\r\n", "Origin: http://evil.example\r\n"] {
        let answer = ask(server.address(), "POST /api/record", foreign, record).await;
        assert_eq!(answer.status(), 403, "{foreign}");
    }
    let own = ask(server.address(), "POST /api/record", "Sec-Fetch-Site: same-origin\r\n", record).await;
    assert_eq!(own.status(), 422, "{}", own.text());
}

#[tokio::test]
async fn a_call_in_another_protocol_than_grpc_learns_which_was_expected() {
    let without_page = ahu_service::Server::from(matches_with(Limits::default()));
    for (hosted, has_page) in [(with_page(), true), (without_page, false)] {
        let server = Server::start_with(hosted).await;
        for (path, content_type, expected) in [
            ("/ahu.v1.MatchService/Step", "application/json", 415),
            ("/ahu.v1.MatchService/Step", "application/proto", 415),
            ("/ahu.v1.MatchService/Nothing", "application/connect+proto", 415),
            ("/grpc.health.v1.Health/Check", "application/grpc-web+proto", 415),
            ("/elsewhere", "application/grpc-web", 415),
            ("/ahu.v1.CatalogService/ListGames", "", 415),
            ("/ahu.v1.CatalogService/ListGames", "application/grpc", 200),
            ("/ahu.v1.CatalogService/ListGames", "application/grpc+proto", 200),
        ] {
            let mut request = http::Request::post(path);
            if !content_type.is_empty() {
                request = request.header("content-type", content_type);
            }
            let request = request.body(Body::new(Full::from(vec![0; 5]).map_err(|never| match never {})));
            let mut channel = server.channel.clone();
            std::future::poll_fn(|context| channel.poll_ready(context)).await.expect("it is open");
            let answer = channel.call(request.expect("a request")).await.expect("an answer");
            assert_eq!(answer.status(), expected, "{path} {content_type}");
            let text = answer.into_body().collect().await.expect("a body").to_bytes();
            let text = String::from_utf8_lossy(&text);
            let names = text.contains(&format!("content type application/grpc, got \"{content_type}\""));
            assert_eq!(names, expected == 415, "{text}");
        }
        if has_page {
            let lines = "Content-Type: application/json\r\n";
            let answer = ask(server.address(), "POST /ahu.v1.MatchService/Step", lines, b"{}").await;
            assert_eq!(answer.status(), 415, "{}", answer.text());
        }
    }
}

#[tokio::test]
async fn a_server_without_a_page_speaks_grpc_alone() {
    let server = Server::start().await;
    let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    socket.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("it is open");
    let mut answer = Vec::new();
    // A reset is an end too.
    let _ = socket.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
}

#[tokio::test]
async fn errors_have_the_reasons_of_the_api() {
    let server = start().await;
    let match_id = server.create(unseeded(2)).await.match_id;
    for (path, status, reason) in [
        ("/api/matches/nothing".to_owned(), 404, "UNKNOWN_MATCH"),
        (format!("/api/matches/{match_id}/events?as=0"), 401, "NO_TOKEN"),
        (format!("/api/matches/{match_id}/events?as=seat"), 400, "BAD_FIELD"),
        (format!("/api/matches/{match_id}/events?as=all"), 409, "MATCH_NOT_ENDED"),
        (format!("/api/matches/{match_id}/replay"), 409, "MATCH_NOT_ENDED"),
        (format!("/api/matches/{match_id}/board?layout=tall"), 400, "BAD_FIELD"),
        (format!("/api/matches/{match_id}/board?ply=1"), 400, "BAD_FIELD"),
        ("/api/matches?state=late".to_owned(), 400, "BAD_FIELD"),
        ("/api/games/chess/rules".to_owned(), 404, "UNKNOWN_GAME"),
    ] {
        let answer = get(&server, &path).await;
        assert_eq!((answer.status(), answer.json()["error"]["reason"].as_str()), (status, Some(reason)), "{path}");
        assert!(answer.json()["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
}

#[tokio::test]
async fn a_token_becomes_a_cookie_that_scripts_cannot_read() {
    let server = start().await;
    let clients = server.seats(rappanui(2, &[], 1)).await;
    let match_id = &clients[0].match_id;
    let bring = async |token: &str| {
        let body = format!("{{\"token\": \"{token}\"}}");
        let path = format!("POST /api/matches/{match_id}/seat");
        ask(server.address(), &path, "Sec-Fetch-Site: same-origin\r\n", body.as_bytes()).await
    };
    let answer = bring(&clients[1].token).await;
    assert_eq!(answer.status(), 204);
    for part in ["ahu-seat-1=", "HttpOnly", "SameSite=Strict", &format!("Path=/api/matches/{match_id}")] {
        assert!(answer.head.contains(part), "{}", answer.head);
    }
    for wrong in ["", "00", &clients[1].token[1..]] {
        let refused = bring(wrong).await;
        assert!([400, 401, 403].contains(&refused.status()), "{}", refused.text());
        assert!(!refused.head.contains("set-cookie"));
    }
    let log = format!("GET /api/matches/{match_id}/log?as=1");
    assert_eq!(ask(server.address(), &log, &cookie(&clients[1]), b"").await.status(), 200);
    // The cookie of one seat is not valid for another seat.
    let other = cookie(&clients[0]).replace("seat-0", "seat-1");
    assert_eq!(ask(server.address(), &log, &other, b"").await.status(), 403);
    let may_watch = |answer: &Answer| answer.json()["may_watch"].to_string();
    let described = format!("GET /api/matches/{match_id}");
    assert_eq!(may_watch(&ask(server.address(), &described, &cookie(&clients[1]), b"").await), "[\"public\",\"1\"]");
    assert_eq!(may_watch(&get(&server, &described[4..]).await), "[\"public\"]");
}

#[tokio::test]
async fn a_stream_that_was_cut_catches_up_with_one_picture_and_every_event() {
    let server = start().await;
    let mut clients = server.seats(rappanui(2, &[(1, "greedy")], 5)).await;
    let client = clients.remove(0);
    let (match_id, own) = (client.match_id.clone(), cookie(&client));
    play_lowest(client).await;
    for (viewer, lines) in [("public", String::new()), ("0", own)] {
        let path = format!("GET /api/matches/{match_id}/events?as={viewer}");
        let log = get(&server, &format!("/api/matches/{match_id}/log?as={viewer}")).await.json();
        let log = log["events"].as_array().expect("events").clone();
        assert!(log.len() > 20);
        let number = |of: &Value| of["number"].as_u64().expect("a number") as u32;
        for last in [0, 1, number(&log[log.len() / 2]), log.len() as u32] {
            // The browser sends the first request again with the number of the last event that it had.
            let again = if last == 0 { lines.clone() } else { format!("{lines}Last-Event-ID: {last}\r\n") };
            let rest = ask(server.address(), &format!("{path}&after=0"), &again, b"").await;
            assert!(rest.head.contains("x-accel-buffering: no"), "{}", rest.head);
            let rest = rest.events();
            let [(id, position), (None, end)] = &rest[..] else { panic!("expected one position, got {rest:?}") };
            assert!(end.starts_with("event: end"), "{end}");
            let (_, position) = position.split_once("data: ").expect("a position");
            let position: Value = serde_json::from_str(position).expect("it is JSON");
            assert_eq!((*id, number(&position)), (Some(log.len() as u32), log.len() as u32));
            let missed: Vec<_> = log.iter().filter(|event| number(event) > last).cloned().collect();
            assert_eq!(position["events"], Value::Array(missed), "{viewer} after {last}");
            assert!(position["svg"].as_str().is_some_and(|picture| picture.starts_with("<svg")));
        }
    }
}

#[tokio::test]
async fn a_finished_match_and_its_record_file_are_replayed_alike() {
    let server = start().await;
    let ended = server.finished(rappanui(2, &[(0, "greedy"), (1, "random")], 5)).await;
    let asked = GetRecordRequest { match_id: ended.match_id.clone(), ..Default::default() };
    let record = server.matches().get_record(asked).await.expect("it has ended").into_inner().record;
    let send = async |path: &str, body: &[u8]| {
        ask(server.address(), &format!("POST {path}"), "Sec-Fetch-Site: same-origin\r\n", body).await
    };
    for viewer in ["public", "0", "all"] {
        let of_match = get(&server, &format!("/api/matches/{}/replay?as={viewer}", ended.match_id)).await.json();
        let of_file = send(&format!("/api/record?as={viewer}"), &record).await.json();
        assert_eq!(of_match["moments"], of_file["moments"]);
        assert_eq!((&of_file["verified"], &of_file["problem"]), (&true.into(), &serde_json::Value::Null));
        let plies = of_file["moments"].as_array().expect("plies").len() - 1;
        for ply in [0, plies / 2, plies] {
            let path = format!("/api/matches/{}/replay/board?as={viewer}&ply={ply}", ended.match_id);
            let board = get(&server, &path).await.json();
            assert_eq!(board, send(&format!("/api/record/board?as={viewer}&ply={ply}"), &record).await.json());
            assert!(board["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")));
            assert_eq!(board["hands"].as_array().map(Vec::len), Some(if viewer == "all" { 2 } else { 0 }));
        }
        let beyond = send(&format!("/api/record/board?as={viewer}&ply={}", plies + 1), &record).await;
        assert_eq!(beyond.status(), 400);
    }
    let text = String::from_utf8(record.to_vec()).expect("a text");
    for (bad, words) in [("nothing", "record"), ("", "record"), (&text.replace("rules 1", "rules 9"), "9")] {
        let answer = send("/api/record", bad.as_bytes()).await;
        assert_eq!(answer.status(), 422, "{}", answer.text());
        assert!(answer.text().contains(words), "{}", answer.text());
    }
    let cut = send("/api/record", &text.as_bytes()[..text.len() / 2]).await;
    assert_eq!((cut.status(), &cut.json()["verified"]), (200, &false.into()));
    assert_eq!(send("/api/record?as=7", text.as_bytes()).await.status(), 400);
}

#[tokio::test]
async fn a_replay_tells_banks_and_forfeits_as_they_were_and_its_end_explains_the_result() {
    let server = start().await;
    let clock = TimeControl { bank: Some(Duration { seconds: 300, nanos: 0 }), ..Default::default() };
    let mut clients = server.seats(MatchSpec { time_control: Some(clock), ..rappanui(2, &[], 5) }).await;
    let (other, client) = (clients.remove(1), clients.remove(0));
    let match_id = client.match_id.clone();
    let resign = client.with_token(ResignSeatRequest { match_id: match_id.clone(), ..Default::default() });
    server.matches().resign_seat(resign).await.expect("a player may resign");
    play_lowest(other).await;
    let described = get(&server, &format!("/api/matches/{match_id}")).await.json();
    let verdict = described["verdict"].as_str().expect("it has ended");
    let points = described["scores"][1].as_i64().expect("points");
    assert!(verdict.starts_with(&format!("seat 1 wins with {points} point")), "{verdict}");
    assert!(verdict.ends_with(" seat 0 has forfeited (resigned), so it comes last."), "{verdict}");
    let replay = get(&server, &format!("/api/matches/{match_id}/replay")).await.json();
    assert_eq!(replay["match"]["verdict"], verdict);
    let plies = replay["moments"].as_array().expect("plies").len() - 1;
    let board = async |ply| get(&server, &format!("/api/matches/{match_id}/replay/board?ply={ply}")).await.json();
    let (begin, end) = (board(0).await, board(plies).await);
    let full = serde_json::json!([{"seat": 0, "bank_ms": 300_000}, {"seat": 1, "bank_ms": 300_000}]);
    assert_eq!((&begin["clocks"], &begin["forfeits"]), (&full, &serde_json::json!([])));
    assert_eq!(end["forfeits"], serde_json::json!([{"seat": 0, "cause": "resigned"}]));
    assert_eq!(end["ranks"], serde_json::json!([2, 1]));
    // The live page told the same.
    let events =
        get(&server, &format!("/api/matches/{match_id}/log")).await.json()["events"].as_array().map_or(0, Vec::len);
    let live = get(&server, &format!("/api/matches/{match_id}/board?after={events}")).await.json();
    for key in ["clocks", "forfeits", "ranks", "scores", "svg"] {
        assert_eq!(live[key], end[key], "{key}");
    }
}

/// An entry may have several events, each with its own position.
#[tokio::test]
async fn a_click_on_any_event_shows_its_position() {
    let server = start().await;
    for (game, seats) in [("rappanui", 2), ("rapanui_cards", 2), ("giants", 3), ("rapanui_board", 2)] {
        let bots = (0..seats).map(|seat| BotSeat { seat: Some(seat), bot: "random".to_owned() }).collect();
        let (game, seed) = (game.to_owned(), "3".to_owned());
        let request = MatchSpec { game, seat_count: seats, bots, seed, ..Default::default() };
        let ended = server.finished(request).await;
        for viewer in ["public", "0", "all"] {
            let path = format!("/api/matches/{}", ended.match_id);
            let log = get(&server, &format!("{path}/log?as={viewer}")).await.json();
            let log = log["events"].as_array().expect("events");
            assert_eq!(get(&server, &format!("{path}/board?as={viewer}&after=0")).await.status(), 200);
            for event in log.iter().take(40) {
                let asked = format!("{path}/board?as={viewer}&after={}", event["number"]);
                let answer = get(&server, &asked).await;
                assert_eq!(answer.status(), 200, "{asked}: {}", answer.text());
                let board = answer.json();
                assert_eq!((&board["number"], board["events"].as_array().map(Vec::len)), (&event["number"], Some(1)));
                assert_eq!(board["events"][0], *event, "{asked}");
            }
        }
    }
}

#[tokio::test]
async fn a_running_match_is_no_replay_and_tells_a_browser_what_the_public_knows() {
    let server = start().await;
    let clients = server.seats(rappanui(2, &[], 4)).await;
    let match_id = &clients[0].match_id;
    let log = get(&server, &format!("/api/matches/{match_id}/log")).await;
    for hand in [&clients[0], &clients[1]] {
        let own =
            ask(server.address(), &format!("GET /api/matches/{match_id}/log?as={}", hand.seat), &cookie(hand), b"")
                .await;
        assert_ne!(own.body, log.body, "a seat is told its hand");
    }
    let resign = clients[0].with_token(ResignSeatRequest { match_id: match_id.clone(), ..Default::default() });
    server.matches().resign_seat(resign).await.expect("a player may resign");
    let line = get(&server, "/api/matches?state=open").await.json();
    assert_eq!(line["matches"][0]["id"], match_id.as_str());
}

#[tokio::test]
async fn the_list_begins_with_the_newest_match_and_its_pages_go_down() {
    let server = start().await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(server.create(unseeded(2)).await.match_id);
    }
    server.finished(rappanui(2, &[(0, "greedy"), (1, "random")], 5)).await;
    let listed = async |path: &str| {
        let answer = get(&server, path).await.json();
        let found =
            answer["matches"].as_array().expect("matches").iter().map(|line| line["id"].as_str().expect("an id"));
        found.map(str::to_owned).collect::<Vec<_>>()
    };
    ids.reverse();
    assert_eq!(listed("/api/matches?state=open").await, ids);
    assert_eq!(listed("/api/matches").await[1..], ids);
    assert_eq!(listed("/api/matches?state=ended").await.len(), 1);
    assert_eq!(get(&server, "/api/matches?page=2").await.status(), 400, "a page has a token");

    // A page has a hundred matches, and its token belongs to its filter.
    for n in 0..100 {
        let labels = [("event".to_owned(), "final".to_owned()), ("n".to_owned(), n.to_string())].into();
        ids.insert(0, server.create(MatchSpec { labels, ..unseeded(2) }).await.match_id);
    }
    let first = get(&server, "/api/matches?state=open").await.json();
    let token = first["next_page"].as_str().expect("there is another page").to_owned();
    assert_eq!(listed("/api/matches?state=open").await, ids[..100]);
    assert_eq!(listed(&format!("/api/matches?state=open&page={token}")).await, ids[100..]);
    assert_eq!(get(&server, &format!("/api/matches?page={token}")).await.status(), 400);
    for (label, expected) in
        [("event", &ids[..100]), ("event=final", &ids[..100]), ("n=7", &ids[92..93]), ("event=", &[]), ("other", &[])]
    {
        let page = get(&server, &format!("/api/matches?label={label}")).await.json();
        assert_eq!(listed(&format!("/api/matches?label={label}")).await, expected, "{label}");
        assert_eq!(page["next_page"].is_null(), expected.len() < 100, "{label}: others may follow a full page");
    }
}

#[tokio::test]
async fn a_browser_gets_the_scores_from_the_beginning_as_the_boards_show_them() {
    let server = start().await;
    for (game, seats) in [("rappanui", 2), ("rapanui_cards", 2), ("giants", 3), ("rapanui_board", 2)] {
        let bots = (0..seats).map(|seat| BotSeat { seat: Some(seat), bot: "greedy".to_owned() }).collect();
        let request =
            MatchSpec { game: game.to_owned(), seat_count: seats, bots, seed: "3".to_owned(), ..Default::default() };
        let ended = server.finished(request).await;
        for viewer in ["public", "0"] {
            let path = format!("/api/matches/{}", ended.match_id);
            let log = get(&server, &format!("{path}/log?as={viewer}")).await.json();
            let steps = log["scores"].as_array().expect("scores");
            assert_eq!(steps[0][0], 0, "the scores begin with the match");
            assert!(steps.len() > 3 && steps.is_sorted_by_key(|step| step[0].as_u64()), "{game}: {steps:?}");
            for pair in steps.windows(2).take(20) {
                assert_ne!(pair[0][1], pair[1][1], "{game}: only changes are told");
            }
            let last = log["events"].as_array().expect("events").len();
            let board = get(&server, &format!("{path}/board?as={viewer}&after={last}")).await.json();
            assert_eq!(steps.last().expect("steps")[1], board["scores"], "{game}");
            let middle = &steps[steps.len() / 2];
            let board = get(&server, &format!("{path}/board?as={viewer}&after={}", middle[0])).await.json();
            assert_eq!(middle[1], board["scores"], "{game}");
        }
    }
}

#[tokio::test]
async fn a_delay_holds_back_scores_too() {
    let server = start().await;
    let request = MatchSpec { spectator_delay: 1000, ..rappanui(2, &[(1, "greedy")], 5) };
    let client = server.seats(request).await.remove(0);
    let (match_id, own) = (client.match_id.clone(), cookie(&client));
    for _ in 0..60 {
        let (decision, legal) = client.decision().await.expect("the match goes on");
        client.act(decision, legal[0]).await;
    }
    let log = format!("GET /api/matches/{match_id}/log");
    let public = ask(server.address(), &log, "", b"").await.json();
    let seat = ask(server.address(), &format!("{log}?as=0"), &own, b"").await.json();
    assert_eq!(public["scores"].as_array().map(Vec::len), Some(1));
    assert!(seat["scores"].as_array().is_some_and(|steps| steps.len() > 1), "{seat}");
}

//! `ahu watch`: a match of a server at the terminal.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use ahu_service::proto::v1;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::Request;
use tonic::transport::Channel;

use super::served::Served;
use super::{ahu, refused};

/// A server that keeps its matches, with functions that call it.
struct Server {
    served: Served,
    _folder: TempDir,
    runtime: Runtime,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let served = Served::start(&folder.path().join("data"), &[]);
        Self { served, _folder: folder, runtime: Runtime::new().expect("a runtime") }
    }

    /// Makes calls over a new connection.
    fn calls<T>(&self, calls: impl AsyncFnOnce(MatchServiceClient<Channel>) -> T) -> T {
        let address = format!("http://{}", self.served.address);
        self.runtime.block_on(async { calls(MatchServiceClient::connect(address).await.expect("it answers")).await })
    }

    /// Creates a match with these bots. Returns its id and its owner token.
    fn create(&self, bots: &[u32]) -> (String, String) {
        let bot = |&seat| v1::BotSeat { seat: Some(seat), bot: "greedy".to_owned() };
        let request = v1::CreateMatchRequest {
            game: "rappanui".to_owned(),
            seat_count: 2,
            bots: bots.iter().map(bot).collect(),
            seed: Some(5),
            ..Default::default()
        };
        let created = self.calls(async |mut client| client.create_match(request).await).expect("there is room");
        let created = created.into_inner();
        (created.r#match.expect("a match").match_id, created.owner_token)
    }

    /// Plays a match of bots alone to its end.
    fn finished(&self) -> String {
        let (match_id, _) = self.create(&[0, 1]);
        let wait = Some(prost_types::Duration { seconds: 30, nanos: 0 });
        let request = v1::GetMatchRequest { match_id: match_id.clone(), wait };
        self.calls(async |mut client| client.get_match(request).await).expect("it is hosted");
        match_id
    }

    /// Runs `ahu watch` and returns its output.
    fn watch(&self, arguments: &[&str]) -> String {
        let output =
            ahu(&[&["watch", "--server", &self.served.address], arguments].concat()).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it prints text")
    }
}

/// Returns the observations in lines of JSON.
fn observations(lines: &str) -> Vec<Value> {
    let read = |line| serde_json::from_str::<Value>(line).expect("each line is JSON")["observation"].clone();
    lines.lines().map(read).collect()
}

/// Returns the numbers of the events in observations.
fn numbers(observations: &[Value]) -> Vec<u64> {
    let of = |seen: &Value| {
        let events = seen["events"].as_array().expect("a list").clone();
        events.into_iter().map(|event| event["number"].as_u64().expect("a number"))
    };
    observations.iter().flat_map(of).collect()
}

#[test]
fn a_match_that_has_ended_is_shown_from_its_first_event_in_text_and_json() {
    let server = Server::start();
    let match_id = server.finished();

    let text = server.watch(&[&match_id, "--after", "0"]);
    assert!(text.starts_with(&format!("rappanui, match {match_id}\n  seat 0: greedy@2\n")), "{text}");
    assert!(text.contains("\n   1  the cards are dealt, seat "), "{text}");
    assert!(text.contains("\nseat 0: rank "), "{text}");
    let tables = server.watch(&[&match_id, "--after", "0", "--table", "--all-seats"]);
    assert!(tables.contains("\nseat 1\n\n"), "{tables}");
    assert!(tables.lines().count() > 2 * text.lines().count());

    let seen = observations(&server.watch(&[&match_id, "--after", "0", "--json"]));
    let last = seen.last().expect("there are messages");
    assert_eq!(last["state"], "MATCH_STATE_FINISHED");
    assert!(last["typed"]["@type"].as_str().is_some_and(|name| name.ends_with("ahu.rappanui.v1.Observation")));
    let count = last["event_count"].as_u64().expect("a number");
    assert_eq!(numbers(&seen), (1..=count).collect::<Vec<_>>());
    // Without a number, the stream begins at the end.
    assert_eq!(observations(&server.watch(&[&match_id, "--json"])).len(), 1);
}

#[test]
fn a_stream_goes_on_when_the_server_comes_back() {
    let mut server = Server::start();
    let (match_id, owner_token) = server.create(&[0]);
    let mut watching = ahu(&["watch", &match_id, "--server", &server.served.address, "--json"]);
    let mut watching = watching.stdout(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(watching.stdout.take().expect("it is a pipe")).lines();
    let mut next = || lines.next().map(|line| line.expect("it prints text"));
    let mut shown = vec![next().expect("the match waits for a player")];
    let target = Some(v1::join_match_request::Target::MatchId(match_id.clone()));
    let join = v1::JoinMatchRequest { target, ..Default::default() };
    server.calls(async |mut client| client.join_match(join).await).expect("a seat is open");
    while numbers(&observations(&shown.join("\n"))).is_empty() {
        shown.push(next().expect("the match goes on"));
    }

    server.served.crash();
    let mut cancel = Request::new(v1::CancelMatchRequest { match_id, ..Default::default() });
    let token = format!("Bearer {owner_token}").parse().expect("tokens are ASCII");
    cancel.metadata_mut().insert("authorization", token);
    server.calls(async |mut client| client.cancel_match(cancel).await).expect("it goes on");

    shown.extend(std::iter::from_fn(next));
    assert!(watching.wait().expect("it ends").success());
    let seen = observations(&shown.join("\n"));
    let last = seen.last().expect("there are messages");
    assert_eq!(last["state"], "MATCH_STATE_CANCELLED");
    let count = last["event_count"].as_u64().expect("a number");
    assert_eq!(numbers(&seen), (1..=count).collect::<Vec<_>>(), "no event is lost or doubled");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let server = Server::start();
    let (match_id, _) = server.create(&[0]);
    let (code, error) = refused(&["watch", "none", "--server", &server.served.address]);
    assert!(code == 1 && error.contains("no match has the id \"none\""), "{error}");
    let (code, error) = refused(&["watch", &match_id, "--server", &server.served.address, "--all-seats", "--json"]);
    assert!(code == 1 && error.contains("has not ended"), "{error}");
    let (code, error) = refused(&["watch", &match_id, "--server", &server.served.address, "--all-seats"]);
    assert!(code == 2 && error.contains("expected --table or --json"), "{error}");
    let (code, error) = refused(&["watch", &match_id, "--server", "nowhere in particular"]);
    assert!(code == 2 && error.contains("expected HOST:PORT"), "{error}");
    let (code, error) = refused(&["watch", &match_id, "--server", "127.0.0.1:1"]);
    assert!(code == 1 && error.contains("cannot reach a server at 127.0.0.1:1"), "{error}");
}

//! Matches that are debugged: decisions that wait, and the answers that an author reads on the page.

use std::sync::Arc;
use std::time::Duration;

use ahu_core::{Seat, Seed};
use ahu_host::{Entry, find};
use ahu_service::{DebugCommand, LiveMatch, MatchConfig, Matches, SupervisorConfig};
use serde_json::{Value, json};

use crate::server::{Client, Server};
use crate::web::{Answer, ask, cookie, with_page};

/// The time for which a test waits for something that must not happen.
const NOTHING: Duration = Duration::from_millis(100);
/// The header of a request that comes from the page.
const OWN: &str = "Sec-Fetch-Site: same-origin\r\n";

/// Hosts a match of `rappanui` that pauses; None leaves a seat open.
fn paused(matches: &Matches, bots: [Option<&str>; 2]) -> Arc<LiveMatch> {
    let setup = find("rappanui").expect("we have it").configure(2, &[]).expect("the defaults are valid");
    let bots = bots.map(|bot| bot.map(|name| setup.rules().bot(name).expect("we have it"))).to_vec();
    let supervisor = Some(SupervisorConfig::Author { pauses: true });
    matches
        .host(MatchConfig { bots, supervisor, seed: Some(Seed(4)), ..MatchConfig::new(setup) })
        .expect("there is room")
}

fn seat_0(live: &LiveMatch) -> Seat {
    live.seat(Some(0)).expect("a match has a seat 0")
}

/// Takes the next open seat.
async fn join(server: &Server, live: &LiveMatch) -> Client {
    server.join(&server.describe(&live.id).await).await
}

/// Returns the number of decisions of the match so far.
fn decisions(live: &LiveMatch) -> usize {
    let is_decision = |entry: &&Entry| matches!(entry, Entry::Action { .. });
    live.with_referee(|referee| referee.entries().iter().filter(is_decision).count()).expect("it has begun")
}

/// Sends a request for the debugging of a match in the place of a seat, with these headers.
async fn send(server: &Server, live: &LiveMatch, request: &str, headers: &str, body: &str) -> Answer {
    let (method, seat) = request.split_once(' ').expect("a method and a seat");
    let path = format!("{method} /api/matches/{}/debug?as={seat}", live.id);
    ask(server.address(), &path, headers, body.as_bytes()).await
}

/// Plays the rest of a match that does not wait.
async fn play_on(agent: &Client) {
    while let Some((decision, legal)) = agent.decision().await {
        agent.act(decision, legal[0]).await;
    }
}

#[tokio::test]
async fn decisions_wait_until_they_are_released() {
    let hosted = with_page();
    let matches = hosted.matches();
    let server = Server::start_with(hosted.clone()).await;
    let live = paused(matches, [None, Some("random")]);
    let agent = join(&server, &live).await;
    let headers = format!("{OWN}{}", cookie(&agent));
    for _ in 0..8 {
        let before = decisions(&live);
        let waiting = agent.observe(NOTHING).await.expect("its token");
        assert_eq!(waiting.decision, None, "nobody is asked");
        // The page shows the decision that the seat will be asked for.
        let path = format!("GET /api/matches/{}/board?as=0&after={}", live.id, waiting.event_count);
        let shown = ask(server.address(), &path, &cookie(&agent), b"").await.json();

        // An agent that waits is woken.
        let asked = tokio::spawn({
            let agent = agent.clone();
            async move { agent.observe(Duration::from_secs(2)).await.expect("its token").decision }
        });
        let is_own = waiting.seats_to_act == [0];
        // A second release changes nothing before the answer.
        for _ in 0..2 {
            let answer = send(&server, &live, "POST 0", &headers, r#"{"pace": "step"}"#).await;
            assert_eq!(answer.status(), 204, "{}", answer.head);
            if !is_own {
                break;
            }
        }
        if is_own {
            let asked = asked.await.expect("no panic").expect("it is asked");
            assert_eq!(shown["decision"]["number"], asked.decision_id);
            assert_eq!(shown["decision"]["legal"].as_array().map(Vec::len), Some(asked.legal_ids.len()));
            agent.step(asked.decision_id, asked.legal_ids[0]).await.expect("it is legal");
        } else {
            asked.abort();
        }
        assert_eq!(decisions(&live), before + 1);
    }
    live.set_pace(DebugCommand::Run, seat_0(&live));
    let (decision, legal) = agent.decision().await.expect("the match goes on");
    agent.step(decision, legal[0]).await.expect("it is legal");
    // An agent that was asked may answer after a stop.
    let asked = agent.decision().await.expect("the match goes on");
    live.set_pace(DebugCommand::Pause, seat_0(&live));
    assert_eq!(agent.decision().await.as_ref(), Some(&asked));
    agent.step(asked.0, asked.1[0]).await.expect("it is legal");
    assert_eq!(agent.observe(NOTHING).await.expect("its token").decision, None);
    live.set_pace(DebugCommand::Run, seat_0(&live));
    play_on(&agent).await;
    assert!(live.has_ended());
}

#[tokio::test]
async fn the_others_run_to_the_next_decision_of_the_author() {
    let hosted = with_page();
    let server = Server::start_with(hosted.clone()).await;
    let live = paused(hosted.matches(), [None, Some("random")]);
    let agent = join(&server, &live).await;
    let headers = format!("{OWN}{}", cookie(&agent));
    let answered = || live.with_referee(|referee| referee.answered(seat_0(&live))).expect("it has begun");
    for done in 0..6 {
        let mut changes = live.changes();
        let owes = |_: &u64| live.with_referee(|referee| referee.owes(seat_0(&live))) == Some(true);
        if !owes(&0) {
            assert_eq!(send(&server, &live, "POST 0", &headers, r#"{"pace": "next"}"#).await.status(), 204);
            let comes = changes.wait_for(owes);
            tokio::time::timeout(Duration::from_secs(60), comes).await.expect("in time").expect("it goes on");
        }
        assert_eq!(agent.observe(NOTHING).await.expect("its token").decision, None, "it waits for its release");
        assert_eq!(answered(), done);
        assert_eq!(send(&server, &live, "POST 0", &headers, r#"{"pace": "next"}"#).await.status(), 204);
        let (decision, legal) = agent.decision().await.expect("it is released");
        agent.step(decision, legal[0]).await.expect("it is legal");
    }
    assert!(decisions(&live) > 6, "the other seat has played as well");
}

#[tokio::test]
async fn bots_alone_wait_too() {
    let live = paused(with_page().matches(), [Some("greedy"), Some("search:2")]);
    tokio::time::sleep(NOTHING).await;
    assert_eq!(decisions(&live), 0);
    for done in 1..6 {
        live.set_pace(DebugCommand::Step, seat_0(&live));
        let mut changes = live.changes();
        let is_done = changes.wait_for(|_| decisions(&live) >= done);
        tokio::time::timeout(Duration::from_secs(60), is_done).await.expect("in time").expect("it goes on");
        tokio::time::sleep(NOTHING).await;
        assert_eq!(decisions(&live), done);
    }
}

#[tokio::test]
async fn an_author_reads_the_answers_of_the_own_agent_alone() {
    let hosted = with_page();
    let matches = hosted.matches();
    let server = Server::start_with(hosted.clone()).await;
    let live = paused(matches, [None, None]);
    let agents = [join(&server, &live).await, join(&server, &live).await];
    live.set_pace(DebugCommand::Run, seat_0(&live));
    let (first, other) = match agents[0].look().await.decision {
        Some(_) => (&agents[0], &agents[1]),
        None => (&agents[1], &agents[0]),
    };
    let (decision, legal) = first.decision().await.expect("it begins");
    let stranger = Client { token: other.token.clone(), ..first.clone() };
    stranger.step(decision, 50_000).await.expect_err("the token is of another seat");
    for id in [60_000, 60_000, 70_000, legal[0], legal[0]] {
        // The third call has another answer. The second and the last call repeat an answer.
        assert_eq!(first.step(decision, id).await.is_ok(), id == legal[0]);
    }
    live.cancel("enough").expect("it is in progress");
    let states = |client: &Client, text: &str| -> Vec<Value> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let all: Vec<_> = lines.map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(all.len() >= 2, "seat {}: {text}", client.seat);
        all
    };
    let own = send(&server, &live, &format!("GET {}", first.seat), &cookie(first), "").await.text();
    let told = states(first, &own);
    let answers = told[0]["answers"].as_array().expect("a list");
    let texts: Vec<_> = answers.iter().map(|answer| answer["text"].as_str().expect("a text")).collect();
    let taken = live.rules().action_text(ahu_core::ActionId(legal[0] as u16)).expect("it is legal");
    assert_eq!(texts, ["action 60000", "action 70000", &taken]);
    assert!(answers[0]["refused"].as_str().is_some_and(|reason| reason.contains("60000")), "{own}");
    assert_eq!(answers[2]["refused"], Value::Null);
    assert_eq!(answers[2]["decision"], decision);

    let others = send(&server, &live, &format!("GET {}", other.seat), &cookie(other), "").await.text();
    assert_eq!(states(other, &others)[0], json!({"pausing": false, "answers": []}));
    // The token of one seat does not authorize another seat, before or after the end.
    let foreign = format!("Cookie: ahu-seat-{}={}\r\n", first.seat, other.token);
    let mine = send(&server, &live, &format!("GET {}", first.seat), &foreign, "").await.text();
    assert_eq!(mine, others, "the token says whose answers these are");
    for headers in ["", "Cookie: ahu-seat-0=00\r\n"] {
        let refused = send(&server, &live, "GET 0", headers, "").await;
        assert!(matches!(refused.status(), 401 | 403), "{}", refused.text());
    }
}

#[tokio::test]
async fn the_pace_is_changed_by_authors_alone() {
    let hosted = with_page();
    let matches = hosted.matches();
    let server = Server::start_with(hosted.clone()).await;
    let live = paused(matches, [None, Some("random")]);
    let agent = join(&server, &live).await;
    let (own, step) = (cookie(&agent), r#"{"pace": "step"}"#);
    for (seat, headers, body, status) in [
        ("0", format!("Sec-Fetch-Site: cross-site\r\n{own}"), step, 403),
        ("0", OWN.to_owned(), step, 401),
        ("0", format!("{OWN}Cookie: ahu-seat-0=00\r\n"), step, 403),
        ("public", format!("{OWN}{own}"), step, 400),
        ("x", format!("{OWN}{own}"), step, 400),
        ("0", format!("{OWN}{own}"), r#"{"pace": "jump"}"#, 400),
        ("0", format!("{OWN}{own}"), "", 400),
    ] {
        let answer = send(&server, &live, &format!("POST {seat}"), &headers, body).await;
        assert_eq!(answer.status(), status, "{seat} {headers:?} {body}: {}", answer.text());
    }
    assert_eq!((agent.look().await.decision, decisions(&live)), (None, 0), "nothing was released");

    let plain = server.seats(crate::server::rappanui(2, &[(1, "random")], 4)).await.remove(0);
    let path = |method: &str| format!("{method} /api/matches/{}/debug?as=0", plain.match_id);
    for (method, body) in [("GET", ""), ("POST", step)] {
        let headers = format!("{OWN}{}", cookie(&plain));
        let answer = ask(server.address(), &path(method), &headers, body.as_bytes()).await;
        assert_eq!(answer.status(), 400);
        assert!(answer.text().contains("ahu play --web"), "{}", answer.text());
    }
}

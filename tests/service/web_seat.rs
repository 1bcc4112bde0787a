//! A seat in the browser: new matches, invitations, drafts, and answers. The tests in `tests/web` use it in a browser.

use std::time::Duration;

use ahu_core::hex;
use ahu_service::{Limits, Page};
use serde_json::{Value, json};

use crate::server::{Server, matches_with};
use crate::web::{Answer, ask, with_page};

/// The header by which a browser tells that the page of this server asks.
const OWN: &str = "Sec-Fetch-Site: same-origin\r\n";

/// Sends a value from the page, with these cookies.
async fn post(server: &Server, path: &str, cookie: &str, value: &Value) -> Answer {
    ask(server.address(), &format!("POST {path}"), &format!("{OWN}{cookie}"), value.to_string().as_bytes()).await
}

/// Returns the reason of a refusal.
fn reason(answer: &Answer) -> String {
    answer.json()["error"]["reason"].as_str().unwrap_or_default().to_owned()
}

/// A seat that a browser has taken.
struct Chair {
    path: String,
    seat: u64,
    cookie: String,
}

impl Chair {
    /// Takes a seat with an invitation.
    async fn take(server: &Server, id: &str, invitation: &Value) -> Self {
        let joined = join(server, id, &invitation["seat"], &invitation["code"], "1").await;
        assert_eq!(joined.status(), 200, "{}", joined.text());
        let cookie = joined.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap_or_default());
        let seat = joined.json()["seat"].as_u64().expect("a seat");
        Self { path: format!("/api/matches/{id}"), seat, cookie }
    }

    async fn post(&self, server: &Server, method: &str, value: &Value) -> Answer {
        post(server, &format!("{}/{method}?as={}", self.path, self.seat), &self.cookie, value).await
    }

    async fn draft(&self, server: &Server, decision: u32, actions: &[u64]) -> Value {
        let drafted = self.post(server, "draft", &json!({"decision": decision, "actions": actions})).await;
        assert_eq!(drafted.status(), 200, "{}", drafted.text());
        drafted.json()
    }

    /// Returns the number of the open decision.
    async fn decision(&self, server: &Server) -> Value {
        let asked = format!("GET {}/board?as={}", self.path, self.seat);
        ask(server.address(), &asked, &self.cookie, b"").await.json()["decision"]["number"].clone()
    }
}

async fn join(server: &Server, id: &str, seat: &Value, code: &Value, request: &str) -> Answer {
    let request_id = format!("{request:0>16}-{}", code.as_str().unwrap_or_default());
    let value = json!({"seat": seat, "code": code, "name": "guest", "request_id": request_id});
    post(server, &format!("/api/join/{id}"), "", &value).await
}

/// Makes a match, and returns its id and its invitations.
async fn made(server: &Server, game: &str, seats: &[&str]) -> (String, Vec<Value>) {
    let made = post(server, "/api/play", "", &json!({"game": game, "seats": seats})).await;
    assert_eq!(made.status(), 200, "{}", made.text());
    let (id, invitations) = (made.json()["id"].clone(), made.json()["invitations"].clone());
    (id.as_str().expect("an id").to_owned(), invitations.as_array().expect("invitations").clone())
}

#[tokio::test]
async fn an_invitation_opens_one_seat_once() {
    let server = Server::start_with(with_page()).await;
    let (id, invitations) = made(&server, "giants", &["me", "friend", "greedy"]).await;
    let (other, others) = made(&server, "giants", &["me", "friend", "greedy"]).await;
    let [own, friend] = &invitations[..] else { panic!("{invitations:?}") };
    assert_eq!((&own["player"], &friend["player"]), (&json!("me"), &json!("friend")));
    let first = Chair::take(&server, &id, own).await;

    // A lost answer: the same request gets the same seat.
    let again = join(&server, &id, &own["seat"], &own["code"], "1").await;
    assert!(again.head.contains(first.cookie.trim_end().trim_start_matches("Cookie: ")), "{}", again.head);
    for (seat, code, expected) in [
        (&own["seat"], &own["code"], "SEAT_TAKEN"),
        (&friend["seat"], &own["code"], "SEAT_RESERVED"),
        (&friend["seat"], &others[1]["code"], "SEAT_RESERVED"),
        (&friend["seat"], &json!(hex(&[7; 16])), "SEAT_RESERVED"),
        (&friend["seat"], &json!(""), "SEAT_RESERVED"),
        (&json!(2), &friend["code"], "SEAT_TAKEN"),
        (&json!(9), &friend["code"], "UNKNOWN_SEAT"),
    ] {
        let refused = join(&server, &id, seat, code, "2").await;
        assert_eq!(reason(&refused), expected, "{seat} {code}: {}", refused.text());
        assert!(!refused.head.contains("set-cookie"), "{}", refused.head);
    }
    Chair::take(&server, &id, friend).await;
    Chair::take(&server, &other, &others[1]).await;
}

#[tokio::test]
async fn a_new_match_is_refused_in_words() {
    let server = Server::start_with(with_page()).await;
    let new = async |value: Value| post(&server, "/api/play", "", &value).await;
    for (value, expected) in [
        (json!({"game": "chess", "seats": ["me", "greedy"]}), "UNKNOWN_GAME"),
        (json!({"game": "rappanui", "seats": ["me"]}), "BAD_SEAT_COUNT"),
        (json!({"game": "rappanui", "seats": vec!["me"; 1000]}), "BAD_FIELD"),
        (json!({"game": "rappanui", "seats": ["me", "deep_thought"]}), "UNKNOWN_BOT"),
        (json!({"game": "rappanui", "seats": ["me", "greedy"], "options": {"colour": "red"}}), "BAD_OPTION"),
        (json!({"game": "rappanui", "seats": ["me", "greedy"], "clock": "soon"}), "BAD_FIELD"),
        (json!({"game": "rappanui", "seats": ["me", "greedy"], "seed": 1}), "BAD_FIELD"),
        (json!([]), "BAD_FIELD"),
    ] {
        let refused = new(value.clone()).await;
        assert_eq!((refused.status() / 100, &*reason(&refused)), (4, expected), "{value}: {}", refused.text());
    }
    // A page elsewhere makes no match.
    let body = json!({"game": "rappanui", "seats": ["greedy", "greedy"]}).to_string();
    let foreign = ask(server.address(), "POST /api/play", "Sec-Fetch-Site: cross-site\r\n", body.as_bytes()).await;
    assert_eq!(foreign.status(), 403);
    let choices = ask(server.address(), "GET /api/games/rappanui/choices", "", b"").await.json();
    let names: Vec<_> = choices["bots"].as_array().expect("bots").iter().map(|bot| &bot["name"]).collect();
    assert!(names.contains(&&json!("greedy@2")) && choices["options"][0]["meaning"].is_string(), "{choices}");
}

#[tokio::test]
async fn a_draft_changes_nothing_and_tells_nothing_of_what_cannot_be_taken_back() {
    let server = Server::start_with(with_page()).await;
    let (id, invitations) = made(&server, "giants", &["me", "friend", "greedy"]).await;
    let chair = Chair::take(&server, &id, &invitations[0]).await;
    let friend = Chair::take(&server, &id, &invitations[1]).await;
    let begun = chair.draft(&server, 1, &[]).await;
    assert_eq!((&begun["open"], &begun["svg"]), (&json!(true), &Value::Null));
    let legal = |draft: &Value| -> Vec<u64> {
        draft["legal"].as_array().expect("a list").iter().map(|choice| choice["id"].as_u64().expect("an id")).collect()
    };
    // A bid is a chain of three decisions, of which the last one seals it.
    let mut bid = vec![*legal(&begun).last().expect("an action")];
    let mut drafted = chair.draft(&server, 1, &bid).await;
    assert!(drafted["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")));
    while drafted["open"] == true {
        bid.push(legal(&drafted)[0]);
        drafted = chair.draft(&server, 1, &bid).await;
    }
    let steps = drafted["steps"].as_array().expect("steps");
    assert_eq!((steps.len(), &drafted["svg"], legal(&drafted)), (3, &Value::Null, vec![]));
    assert_eq!(chair.decision(&server).await, json!(1), "nothing was sent");

    for (method, actions, decision, expected) in [
        ("draft", json!([1000]), 1, "UNKNOWN_ACTION"),
        ("draft", json!([283]), 1, "ILLEGAL_ACTION"),
        ("draft", json!([bid[0], bid[1], bid[2], 0]), 1, "BAD_FIELD"),
        ("draft", json!(vec![0; 257]), 1, "BAD_FIELD"),
        ("draft", json!([70_000]), 1, "BAD_FIELD"),
        ("draft", json!([]), 2, "STALE_DECISION"),
        ("answer", json!([]), 1, "BAD_FIELD"),
        ("answer", json!([283]), 1, "ILLEGAL_ACTION"),
        ("answer", json!([bid[0]]), 2, "STALE_DECISION"),
    ] {
        let refused = chair.post(&server, method, &json!({"decision": decision, "actions": actions})).await;
        assert_eq!(reason(&refused), expected, "{method} {decision} {actions}: {}", refused.text());
    }
    // Strangers, and the player of another seat.
    for cookie in ["", &friend.cookie, &friend.cookie.replace("seat-1", "seat-0")] {
        for method in ["draft", "answer", "resign"] {
            let value = json!({"decision": 1, "actions": [bid[0]]});
            let refused = post(&server, &format!("{}/{method}?as=0", chair.path), cookie, &value).await;
            assert!([401, 403].contains(&refused.status()), "{method}: {}", refused.text());
            let public = post(&server, &format!("{}/{method}", chair.path), cookie, &value).await;
            assert_eq!(public.status(), 400, "{method}: {}", public.text());
        }
    }

    let sealed = json!({"decision": 1, "actions": bid});
    for _ in 0..2 {
        let sent = chair.post(&server, "answer", &sealed).await;
        assert_eq!(sent.status(), 204, "{}", sent.text());
    }
    let other = json!({"decision": 3, "actions": [14 + u64::from(bid[2] == 14)]});
    assert_eq!(reason(&chair.post(&server, "answer", &other).await), "DECISION_TAKEN");
    assert_eq!(
        reason(&chair.post(&server, "draft", &json!({"decision": 4, "actions": []})).await),
        "NOT_YOUR_DECISION"
    );
    assert_eq!(friend.decision(&server).await, json!(1));
    assert_eq!(friend.post(&server, "resign", &json!({})).await.status(), 204);
    assert_eq!(friend.decision(&server).await, Value::Null, "a bot plays on");
}

#[tokio::test]
async fn an_old_invitation_says_that_the_match_has_ended() {
    let matches = matches_with(Limits::default());
    let hosted = ahu_service::Server::from(matches.clone()).with_page(Page::default());
    let server = Server::start_with(hosted).await;
    let (id, invitations) = made(&server, "rappanui", &["me", "friend"]).await;
    matches.advance(matches.limits().match_idle + Duration::from_millis(1));
    matches.expire();
    let refused = join(&server, &id, &invitations[1]["seat"], &invitations[1]["code"], "1").await;
    assert_eq!(reason(&refused), "MATCH_ENDED", "{}", refused.text());
}

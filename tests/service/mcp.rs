//! The tools for language models, over HTTP: who may call them, and the answers to bad input.

use std::net::SocketAddr;
use std::time::Duration;

use ahu_host::GAMES;
use ahu_service::proto::v1::{GetRecordRequest, MatchSpec, ObservationFormats, ObserveRequest};
use ahu_service::{Limits, Matches, Page, Share};
use serde_json::{Value, json};

use crate::server::{Asked, Client, Server, matches_with, rappanui};
use crate::store::TestStore;
use crate::web::{Answer, ask, with_page};

/// The headers of a client of MCP.
const HEAD: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

/// Sends a message, with further headers.
pub(crate) async fn post(address: SocketAddr, lines: &str, message: &Value) -> Answer {
    ask(address, "POST /mcp", &format!("{HEAD}{lines}"), message.to_string().as_bytes()).await
}

/// Calls a tool. Returns the message of the server.
async fn called(address: SocketAddr, lines: &str, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answer = post(address, lines, &message).await;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

/// Calls a tool. Returns its text; the error is its text too.
pub(crate) async fn tool(address: SocketAddr, lines: &str, tool: &str, arguments: Value) -> Result<String, String> {
    let answer = called(address, lines, tool, arguments).await;
    let result = &answer["result"];
    let [content] = &result["content"].as_array().unwrap_or_else(|| panic!("{answer}"))[..] else { panic!("{answer}") };
    let text = content["text"].as_str().expect("a text").to_owned();
    if result["isError"] == json!(true) { Err(text) } else { Ok(text) }
}

/// Returns the answers of the tools to a seat that do not change the match, without the id of the match.
pub(crate) async fn answers(address: SocketAddr, client: &Client) -> Vec<String> {
    let handle = format!("{}:{}", client.match_id, client.token);
    let calls = [
        ("look", json!({"match": handle, "after": 0, "legend": true})),
        ("act", json!({"match": handle, "decision": 9999, "actions": ["done"]})),
    ];
    let mut answers = Vec::new();
    for (name, arguments) in calls {
        let answer = called(address, "", name, arguments).await;
        answers.push(answer["result"].to_string().replace(&client.match_id, "MATCH"));
    }
    answers
}

/// Takes a seat of a new match against a bot. Returns the name of the match.
async fn joined(address: SocketAddr) -> String {
    let asked = json!({"game": "rappanui", "opponents": ["random"], "name": "a \"model\"\\"});
    let text = tool(address, "", "join", asked).await.expect("there is room");
    assert!(text.contains("seat 0: player \"a \\\"model\\\"\\\\\"\nseat 1: bot \"random@1\"\n"), "{text}");
    assert!(text.contains("Signs of the table:") && text.contains("Decision 1 is yours."), "{text}");
    text.lines().next().and_then(|line| line.strip_prefix("match: ")).expect("the name of the match").to_owned()
}

/// Returns the number of the open decision in a text, and the legal actions.
fn question(text: &str) -> (u32, Vec<String>) {
    let (_, rest) = text.split_once("\nDecision ").unwrap_or_else(|| panic!("{text}"));
    let number = rest.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    (number, rest.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect())
}

/// The law of `tests/rules/reading.rs` holds for the compact text and its legend, so it holds for `look` too.
#[tokio::test]
async fn look_has_the_whole_compact_text_and_its_legend_in_every_game() {
    let server = Server::start_with(with_page()).await;
    for rules in GAMES {
        let seats = *rules.seats().end();
        let spec = MatchSpec { game: rules.info().id.to_owned(), ..rappanui(seats as u32, &[], 3) };
        let created = server.create(spec).await;
        let mut clients = Vec::new();
        for _ in 0..seats {
            clients.push(server.join(&created).await);
        }
        for client in &clients {
            let formats = ObservationFormats { compact: true, compact_legend: true, ..Default::default() };
            let request = ObserveRequest { formats: Some(formats), ..client.observe_request(Duration::ZERO) };
            let seen = client.matches.clone().observe(client.with_token(request)).await.expect("a seat");
            let seen = seen.into_inner().observation.expect("an observation");
            let handle = format!("{}:{}", client.match_id, client.token);
            let asked = json!({"match": handle, "legend": true});
            let told = tool(server.address(), "", "look", asked).await.expect("the seat is there");
            for part in [&seen.compact, &seen.compact_legend] {
                assert!(!part.is_empty() && told.contains(part.trim_end()), "{part}\nof\n{told}");
            }
        }
    }
}

async fn look(address: SocketAddr, handle: &str) -> String {
    tool(address, "", "look", json!({"match": handle})).await.expect("the seat is there")
}

#[tokio::test]
async fn foreign_hosts_and_sites_are_refused_and_other_methods_too() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let refused = [
        ("Host: evil.example\r\n", 421),
        ("Host: localhost.evil.example:80\r\n", 421),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\n", 403),
    ];
    for (lines, status) in refused {
        assert_eq!(post(address, lines, &list).await.status(), status, "{lines}");
    }
    for lines in ["", "Host: localhost:1\r\n", "Host: games.example\r\n", "Sec-Fetch-Site: same-origin\r\n"] {
        let answer = post(address, lines, &list).await;
        assert_eq!(answer.status(), 200, "{lines}: {}", answer.text());
        assert!(answer.head.to_lowercase().contains("cache-control: no-store"), "{}", answer.head);
        let tools = answer.json()["result"]["tools"].clone();
        let names: Vec<_> = tools.as_array().expect("a list").iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(json!(names), json!(["rules", "join", "look", "act", "wait"]));
    }
    assert_eq!(ask(address, "GET /mcp", HEAD, b"").await.status(), 405);
    assert_eq!(ask(address, "DELETE /mcp", HEAD, b"").await.status(), 405);
}

#[tokio::test]
async fn bad_messages_get_errors_that_say_what_was_expected() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    for body in ["", "{", "[[[[", "nonsense", &"[".repeat(60_000), "{\"jsonrpc\": \"2.0\"}", "[]"] {
        let answer = ask(address, "POST /mcp", HEAD, body.as_bytes()).await;
        assert_eq!(answer.status(), 415, "{body:.20}: {}", answer.text());
        assert!(answer.text().contains("deserialize"), "{}", answer.text());
    }
    let large =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {"x": "y".repeat(70_000)}}});
    let answer = post(address, "", &large).await;
    assert_eq!((answer.status(), answer.json()["error"]["reason"].clone()), (413, json!("REQUEST_TOO_LARGE")));
    let plain = ask(address, "POST /mcp", "Accept: application/json, text/event-stream\r\n", b"{}").await;
    assert_eq!(plain.status(), 415);
    let of_page = "Content-Type: application/json\r\nAccept: text/html\r\n";
    assert_eq!(ask(address, "POST /mcp", of_page, b"{}").await.status(), 406);

    let unknown = called(address, "", "resign", json!({})).await;
    assert_eq!(unknown["error"]["code"], json!(-32602));
    let text = unknown["error"]["message"].as_str().expect("a text");
    assert_eq!(text, "expected one of the tools rules, join, look, act, wait; got \"resign\"");
    let method = post(address, "", &json!({"jsonrpc": "2.0", "id": 1, "method": "seeds/list"})).await;
    assert_eq!(method.json()["error"]["code"], json!(-32601));

    for (name, arguments, expected) in [
        ("rules", json!({"game": "chess"}), "UNKNOWN_GAME: "),
        ("rules", json!({"game": "giants", "topic": "seeds\n"}), "topic: expected one of goal, setup, turn"),
        ("rules", json!({"seed": 1}), "rules: the arguments cannot be read: unknown field `seed`"),
        ("join", json!({}), "join: expected `match` or `game`, got neither"),
        ("join", json!({"game": "giants", "match": "x"}), "join: expected `match` alone or `game`, got both"),
        ("join", json!({"game": "chess"}), "UNKNOWN_GAME: "),
        ("join", json!({"game": "giants", "opponents": ["wise"]}), "UNKNOWN_BOT: "),
        ("join", json!({"game": "giants", "seats": 4_000_000_000_u32, "opponents": ["greedy"]}), "BAD_SEAT_COUNT: "),
        (
            "join",
            json!({"game": "giants", "seats": 4, "opponents": ["greedy", "random"]}),
            "opponents: expected 1 bot or 3",
        ),
        ("join", json!({"game": "giants", "options": {"x": [1]}, "opponents": ["greedy"]}), "BAD_OPTION: "),
        ("join", json!({"game": "giants", "name": "a\nb", "opponents": ["greedy"]}), "BAD_NAME: "),
        ("join", json!({"match": "0123456789abcdef"}), "UNKNOWN_MATCH: "),
        ("look", json!({}), "match: expected a match, got none"),
        ("look", json!({"match": "a b"}), "match: expected the name of a match"),
        ("look", json!({"match": ":x"}), "match: expected the name of a match"),
        ("look", json!({"match": "x".repeat(201)}), "match: expected the name of a match"),
        ("look", json!({"match": "0123456789abcdef"}), "UNKNOWN_MATCH: "),
        ("act", json!({"match": "x", "decision": -1, "actions": ["a"]}), "act: the arguments cannot be read: "),
        ("act", json!({"match": "x", "decision": 1}), "act: the arguments cannot be read: missing field `actions`"),
        ("act", json!({"match": "x", "decision": "1.5", "actions": "a"}), "act: the arguments cannot be read: "),
        ("act", json!({"match": "x", "decision": 1.5, "actions": "a"}), "act: the arguments cannot be read: "),
        ("act", json!({"match": "x", "decision": 1, "actions": 7}), "act: the arguments cannot be read: "),
        ("act", json!({"match": "x", "decision": 1, "actions": "[]"}), "actions: expected 1 to 64 actions, got 0"),
        (
            "act",
            json!({"match": "x", "decision": null, "actions": "a"}),
            "act: the arguments cannot be read: missing field",
        ),
        ("act", json!({"match": "x", "decision": 1, "actions": []}), "actions: expected 1 to 64 actions, got 0"),
        (
            "act",
            json!({"match": "x", "decision": 1, "actions": vec!["a"; 65]}),
            "actions: expected 1 to 64 actions, got 65",
        ),
        (
            "act",
            json!({"match": "x", "decision": 1, "actions": ["\u{7}x".repeat(150)]}),
            "actions: expected actions of at most 200 bytes, got 300 that begin with \"\\u{7}x",
        ),
        (
            "act",
            json!({"match": "x", "decision": 1, "actions": vec!["x".repeat(100); 41]}),
            "actions: expected at most 4096 bytes in all, got 4100",
        ),
        ("wait", json!({"match": "x", "seat": 1}), "wait: the arguments cannot be read: unknown field `seat`"),
    ] {
        let error = tool(address, "", name, arguments.clone()).await.expect_err(&arguments.to_string());
        assert!(error.starts_with(expected), "{name} {arguments}: {error}");
    }
}

#[tokio::test]
async fn a_client_that_reads_json_alone_and_writes_texts_and_nulls_is_served() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    for accept in ["Accept: application/json\r\n", "Accept: */*\r\n", ""] {
        let head = format!("Content-Type: application/json\r\n{accept}");
        let call = async |name: &str, arguments: Value| {
            // Without a stream, no progress can be told: the answer is one message.
            let params = json!({"name": name, "arguments": arguments, "_meta": {"progressToken": 1}});
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
            let answer = ask(address, "POST /mcp", &head, message.to_string().as_bytes()).await;
            assert_eq!(answer.status(), 200, "{accept}: {}", answer.text());
            answer.json()["result"]["structuredContent"].clone()
        };
        let asked = json!({
            "match": null, "game": "rappanui", "seats": "2", "seat": null, "opponents": "random", "options": "{}",
            "name": null, "code": null, "request_id": null,
        });
        let joined = call("join", asked).await;
        let handle = joined["match"].as_str().expect("a name");
        assert!(handle.len() < 50, "a model repeats the name in each call: {handle}");
        let seen = call("look", json!({"match": handle, "after": null, "legend": "true"})).await;
        assert!(!seen["legend"].as_str().expect("the signs").is_empty(), "{seen}");
        let (decision, action) = (seen["decision"].to_string(), seen["legal_actions"][0].clone());
        let acted =
            call("act", json!({"match": handle, "decision": decision, "actions": action, "comment": null})).await;
        assert_eq!(acted["applied"][0]["action"], action);
        let (decision, actions) = (acted["decision"].clone(), format!("[{}]", acted["legal_actions"][0]));
        let acted = call("act", json!({"match": handle, "decision": decision, "actions": actions})).await;
        assert_eq!(acted["applied"][0]["decision"], decision);
    }
}

#[tokio::test]
async fn an_answer_has_the_facts_of_its_text_for_programs() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    let handle = joined(address).await;
    let mut result = called(address, "", "look", json!({"match": handle, "after": 0})).await["result"].clone();
    loop {
        let (facts, text) = (&result["structuredContent"], result["content"][0]["text"].as_str().expect("a text"));
        assert_eq!(facts["seat"], json!(0));
        let events = facts["events"].as_array().expect("the events");
        assert!(events.iter().all(|event| text.contains(event["text"].as_str().expect("a sentence"))), "{text}");
        assert!(text.contains(facts["table"].as_str().expect("a table").trim_end()), "{text}");
        let Some(decision) = facts["decision"].as_u64() else { break };
        let (number, legal) = question(text);
        assert_eq!(
            (decision, &facts["legal_actions"], &facts["legal_action_count"]),
            (number.into(), &json!(legal), &json!(legal.len()))
        );
        let asked = json!({"match": handle, "decision": number, "actions": [legal[0], "sing"]});
        result = called(address, "", "act", asked).await["result"].clone();
        assert_eq!(
            result["structuredContent"]["applied"][0],
            json!({"decision": number, "action": legal[0], "forced": false})
        );
        assert_eq!(result["structuredContent"]["not_applied"], json!(["sing"]));
    }
    let facts = &result["structuredContent"];
    assert_eq!(facts["state"], json!("finished"));
    let ended = server.describe(handle.split(':').next().expect("an id")).await.result.expect("a result");
    assert_eq!((&facts["ranks"], &facts["scores"]), (&json!(ended.ranks), &json!(ended.scores)));
    let error = called(address, "", "look", json!({"match": "x"})).await["result"].clone();
    assert_eq!((&error["isError"], &error["structuredContent"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn a_seat_is_played_by_its_name_or_its_token_and_by_nobody_else() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    let (handle, other) = (joined(address).await, joined(address).await);
    let (id, token) = handle.split_once(':').expect("the id and the token");
    let (number, legal) = question(&look(address, &handle).await);
    let act = |name: &str| json!({"match": name, "decision": number, "actions": [legal[0]]});

    let (_, foreign) = other.split_once(':').expect("the id and the token");
    for (name, lines, expected) in [
        (format!("{id}:{foreign}"), String::new(), "WRONG_TOKEN: "),
        (format!("{id}:x"), String::new(), "WRONG_TOKEN: "),
        (id.to_owned(), format!("Authorization: Bearer {foreign}\r\n"), "WRONG_TOKEN: "),
        (id.to_owned(), String::new(), "NO_TOKEN: "),
    ] {
        let error = tool(address, &lines, "act", act(&name)).await.expect_err("it is not the seat's");
        assert!(error.starts_with(expected), "{name}: {error}");
    }
    let public = look(address, id).await;
    assert!(public.contains("You watch as the public.") && !public.contains("Legal actions"), "{public}");
    let own = tool(address, &format!("Authorization: Bearer {token}\r\n"), "act", act(id)).await;
    assert!(own.expect("the header has the token").starts_with(&format!("Applied at decision {number}: {}", legal[0])));
}

#[tokio::test]
async fn a_call_of_act_that_comes_again_has_the_same_outcome() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    let handle = joined(address).await;
    let (number, legal) = question(&look(address, &handle).await);
    let call = async |decision: u32, actions: &[&str]| {
        tool(address, "", "act", json!({"match": handle, "decision": decision, "actions": actions})).await
    };
    let early = call(number + 1, &[&legal[0]]).await.expect_err("it has not come");
    assert!(early.starts_with("STALE_DECISION: "), "{early}");
    let illegal = call(number, &["raid +1"]).await.expect_err("nobody can raid now");
    assert!(illegal.starts_with("ILLEGAL_ACTION: ") && illegal.contains(&format!("\n- {}", legal[0])), "{illegal}");
    let unreadable = call(number, &["ignore the rules\n- done"]).await.expect_err("it is no action");
    assert!(unreadable.starts_with("BAD_ACTION: "), "{unreadable}");
    assert!(unreadable.contains("The action \"ignore the rules\\n- done\" was not applied."), "{unreadable}");

    // The second action of the plan is nonsense: only the first one is applied, by whichever call comes first.
    let plan = [legal[0].as_str(), "sing"];
    let (first, second) = tokio::join!(call(number, &plan), call(number, &plan));
    let first = first.expect("the action is legal");
    assert_eq!(Ok(&first), second.as_ref());
    assert!(first.starts_with(&format!("Applied at decision {number}: {}\n", legal[0])), "{first}");
    assert!(first.contains("\nNot applied: \"sing\": it is not legal at decision "), "{first}");
    let (next, _) = question(&first);
    assert!(next > number);
    let other = call(number, &["done"]).await.expect_err("it was answered");
    assert!(other.starts_with(&format!("DECISION_TAKEN: decision {number} was answered with [")), "{other}");

    // After later decisions, the call still has its outcome, and shows the present.
    let (open, legal) = question(&look(address, &handle).await);
    let later = call(open, &[&legal[0]]).await.expect("the action is legal");
    let again = call(number, &plan).await.expect("it was applied");
    let outcome = |text: &str| text.split("\n\n").next().expect("a part").to_owned();
    assert_eq!(outcome(&again), outcome(&first));
    assert_eq!(question(&again), question(&later));
}

#[tokio::test]
async fn a_call_of_act_that_comes_again_after_a_restart_has_the_same_outcome() {
    let store = TestStore::default();
    let start = async || {
        let matches = Matches::new(Limits::default(), Some(store.open()));
        let page = Page::new(vec!["games.example".to_owned()]);
        let server = Server::start_with(ahu_service::Server::from(matches.clone()).with_page(page)).await;
        (server, matches)
    };
    let (mut server, mut matches) = start().await;
    let asked = json!({"game": "giants", "opponents": ["random", "random"]});
    let joined = tool(server.address(), "", "join", asked).await.expect("there is room");
    let handle = joined.lines().next().and_then(|line| line.strip_prefix("match: ")).expect("the match").to_owned();
    let act = async |server: &Server, decision: u32, actions: &[String]| {
        let asked = json!({"match": handle, "decision": decision, "actions": actions});
        tool(server.address(), "", "act", asked).await
    };
    let outcome = |text: &str| text.split("\n\n").next().expect("a part").to_owned();
    let (mut plans, mut forced) = (Vec::new(), 0);
    let mut seen = look(server.address(), &handle).await;
    // Later actions of a plan are often not legal, or not at once. So plans end in every way.
    while plans.len() < 30 || forced == 0 {
        let (decision, legal) = question(&seen);
        let plan = [1, 3, 5].map(|step| legal[decision as usize * step % legal.len()].clone());
        seen = act(&server, decision, &plan).await.expect("the first action is legal");
        forced += outcome(&seen).matches("(forced)").count();
        plans.push((decision, plan, outcome(&seen)));
    }

    server.stop().await;
    assert!(matches.flush(), "the store works");
    drop(matches);
    (server, matches) = start().await;

    let (present, _) = question(&look(server.address(), &handle).await);
    for (decision, plan, outcome_before) in plans.iter().rev().chain(&plans) {
        let again = act(&server, *decision, plan).await.expect("it was applied");
        assert_eq!(outcome(&again), *outcome_before);
        assert_eq!(question(&again).0, present, "nothing is applied twice");
        let other = [format!("{} or not", plan[0])];
        let error = act(&server, *decision, &other).await.expect_err("it was answered");
        assert!(error.starts_with(&format!("DECISION_TAKEN: decision {decision} was answered with [")), "{error}");
    }
    drop(matches);
}

#[tokio::test]
async fn a_match_is_played_to_its_end_and_its_result_shows_no_seed() {
    let server = Server::start_with(with_page()).await;
    let address = server.address();
    let handle = joined(address).await;
    let mut text = look(address, &handle).await;
    let mut decisions = 0;
    while !text.contains("The match is finished.") {
        let (number, legal) = question(&text);
        assert!(decisions == 0 || legal.len() > 1, "a forced action is played at once: {text}");
        assert!(text.len() < 16_000, "{}", text.len());
        decisions += 1;
        let asked = json!({"match": handle, "decision": number, "actions": [legal[0]]});
        text = tool(address, "", "act", asked).await.expect("it is legal");
    }
    let (id, _) = handle.split_once(':').expect("the id and the token");
    let described = server.describe(id).await;
    let result = described.result.expect("a result");
    for seat in 0..2 {
        let you = if seat == 0 { " (you)" } else { "" };
        let line = format!("seat {seat}{you}: rank {}, {} points", result.ranks[seat], result.scores[seat]);
        assert!(text.contains(&line), "{line}: {text}");
    }
    let seed = result.seed;
    let waited = tool(address, "", "wait", json!({"match": handle})).await.expect("it has ended");
    for text in [&text, &waited, &look(address, &handle).await] {
        assert!(!text.contains(&seed), "{text}");
    }
    let asked = GetRecordRequest { match_id: id.to_owned(), ..Default::default() };
    let record = server.matches().get_record(asked).await.expect("it has ended").into_inner().record;
    assert!(!record.is_empty());
}

#[tokio::test]
async fn the_calls_of_tools_count_for_the_address_of_the_request() {
    let mut limits = Limits::default();
    limits.local_shares[Share::Matches] = 1;
    let hosted = ahu_service::Server::from(matches_with(limits)).with_page(Page::default());
    let server = Server::start_with(hosted).await;
    let address = server.address();
    joined(address).await;
    let asked = json!({"game": "rappanui", "opponents": ["random"]});
    let error = tool(address, "", "join", asked).await.expect_err("the share is used");
    assert!(error.starts_with("OVER_SHARE: "), "{error}");
    let direct = server.matches().create_match(MatchSpec { seed: String::new(), ..rappanui(2, &[], 0) }.asked()).await;
    assert!(direct.expect_err("it is the same share").message().contains("share"));
}

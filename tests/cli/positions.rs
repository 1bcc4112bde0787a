//! `ahu positions`: a program that follows a game by plies, samples from views, and gets an error for what cannot be.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use ahu_core::{Seed, Viewer};
use ahu_host::{GAMES, Position, find};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{ahu, printed, typed};

/// A process that answers requests.
struct Positions {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Positions {
    fn start() -> Self {
        let mut process = ahu(&["positions"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let requests = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, requests, answers }
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.requests, "{request}").expect("it reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("text");
        serde_json::from_str(&line).expect("an answer")
    }

    /// Returns the positions of the answer.
    fn positions(&mut self, request: &Value) -> Vec<Value> {
        let mut answer = self.ask(request);
        assert_eq!(answer["error"], Value::Null, "{request}");
        serde_json::from_value(answer["positions"].take()).expect("a list")
    }

    fn ends(self) {
        drop(self.requests);
        let mut process = self.process;
        assert!(process.wait().expect("it ends").success());
    }
}

/// Returns the answers to lines, in order.
fn answers(arguments: &[&str], lines: &str) -> Vec<Value> {
    let output = typed(&[&["positions"], arguments].concat(), lines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an answer")).collect()
}

fn error(answer: &Value) -> &str {
    answer["error"].as_str().unwrap_or_else(|| panic!("expected an error, got {answer}"))
}

#[test]
fn every_ply_of_a_game_has_the_actions_children_and_samples_of_a_position() {
    let mut process = Positions::start();
    for rules in GAMES {
        let (game, seats) = (rules.info().id, *rules.seats().start());
        let setup = rules.configure(seats, &[]).expect("a table");
        let mut position = Position::new(setup, Some(Seed(9)), true);
        let mut plies = Vec::new();
        while let Some(seat) = position.game().turn().to_act().first() {
            let legal: Vec<u16> = position.game().legal_actions(seat).iter().map(|id| id.0).collect();
            let id = legal[plies.len() * 5 % legal.len()];
            // Every ply by its actions; some by their children and a sample.
            let is_looked_at = plies.len().is_multiple_of(9);
            let mut asked =
                vec![json!({"plies": plies, "want": {"legal_ids": true, "fingerprint": true, "view": true}})];
            if is_looked_at {
                let child = json!({"fingerprint": true, "scores": true});
                asked.push(
                    json!({"plies": plies, "want": {"children": child, "text": true, "tensor": true, "typed": true}}),
                );
            }
            let base = json!({"game": game, "seats": seats, "seed": 9});
            let looks = process.positions(&json!({"base": base, "positions": asked}));
            assert_eq!(looks[0]["legal_ids"], json!(legal));
            assert_eq!(looks[0]["fingerprint"], position.game().fingerprint().to_string());
            assert_eq!(looks[0]["to_act"][0], seat.index());
            if is_looked_at {
                let view = position.game().view(Viewer::Seat(seat));
                assert_eq!(looks[1]["text"], view.text());
                let mut children = Vec::new();
                position.children(seat, |id, child| {
                    let scores =
                        child.game().view(child.game().turn().to_act().first().map_or(Viewer::Public, Viewer::Seat));
                    children.push((id.0, child.game().fingerprint().to_string(), scores.scores().values().to_vec()));
                });
                let told = looks[1]["children"].as_array().expect("a list").iter();
                let told: Vec<_> =
                    told.map(|child| (&child["action_id"], &child["fingerprint"], &child["scores"])).collect();
                let [ids, marks, scores] = [
                    children.iter().map(|child| json!(child.0)).collect::<Vec<_>>(),
                    children.iter().map(|child| json!(child.1)).collect(),
                    children.iter().map(|child| json!(child.2)).collect(),
                ];
                assert_eq!(
                    told,
                    ids.iter()
                        .zip(&marks)
                        .zip(&scores)
                        .map(|((id, mark), score)| (id, mark, score))
                        .collect::<Vec<_>>()
                );
                // What a seat samples follows from its view alone, however it came about.
                let seat = Viewer::Seat(seat);
                let sampled = position.resample(seat, Seed(3)).expect("a sample");
                let want = json!({"fingerprint": true, "legal_ids": true, "view": true, "seat": seat.seat().index()});
                let view = json!({"base": {"view": looks[0]["view"]}, "want": want, "positions": [{"sample": 3}]});
                let of_view = process.positions(&view);
                assert_eq!(of_view[0]["fingerprint"], sampled.game().fingerprint().to_string());
                assert_eq!(
                    (&of_view[0]["view"], &of_view[0]["legal_ids"]),
                    (&looks[0]["view"], &looks[0]["legal_ids"])
                );
                assert_eq!(Positions::start().positions(&view), of_view, "another process answers the same");
            }
            position.play(seat, ahu_core::ActionId(id)).expect("it is legal");
            plies.push(json!(id));
        }
        let base = json!({"game": game, "seats": seats, "seed": 9});
        let want = json!({"scores": true, "ranks": true, "rollout": {"bot": "greedy", "games": 2}});
        let end = process.positions(&json!({"base": base, "want": want, "positions": [{"plies": plies}]}));
        let scores = json!(position.game().view(Viewer::Public).scores().values());
        assert_eq!((&end[0]["over"], &end[0]["scores"]), (&json!(true), &scores));
        assert_eq!(end[0]["rollout"]["scores"], json!([scores, scores]));
    }
    process.ends();
}

#[test]
fn a_record_and_a_seat_of_it_are_bases_and_the_caller_may_settle_chance() {
    let record = printed(&["play", "rapanui_cards", "greedy", "random", "--seed", "5", "--record", "-"]);
    let mut process = Positions::start();
    let mut views = Vec::new();
    for after in [0, 6, 20, 40] {
        let base = json!({"record": record, "after": after});
        let known = process.positions(&json!({"base": base, "want": {"view": true, "seat": 1, "fingerprint": true}}));
        views.push(known[0]["view"].clone());
        // From the record with a seat, and from the view of that seat.
        let want = json!({"legal": true, "fingerprint": true, "analysis": {"bot": "search:12", "seed": 4}, "rollout": {"bot": "random"}});
        let of = |base: Value| json!({"base": base, "want": want, "positions": [{"sample": 8}, {"sample": 9}]});
        let of_seat = process.positions(&of(json!({"record": record, "after": after, "seat": 1})));
        assert_eq!(process.positions(&of(json!({"view": known[0]["view"]}))), of_seat);
        assert_eq!(
            of_seat[0]["analysis"]["actions"].as_array().map(Vec::len),
            of_seat[0]["legal"].as_array().map(Vec::len)
        );
    }
    assert_ne!(views[1], views[2]);

    let base = json!({"game": "giants", "seats": 3, "chance": "caller"});
    let asked = json!([{}, {"plies": ["roll 1 2 0"]}, {"plies": [{"draw": 5}]}, {"plies": [{"draw": 5}, {"seat": 2, "action": "bid markers 1"}]}]);
    let looks =
        process.positions(&json!({"base": base, "want": {"outcomes": true, "legal": true}, "positions": asked}));
    assert_eq!((&looks[0]["chance_due"], &looks[0]["legal"]), (&json!(true), &json!([])));
    let chances: f64 =
        looks[0]["outcomes"].as_array().expect("a list").iter().map(|one| one[1].as_f64().expect("a number")).sum();
    assert!((chances - 1.0).abs() < 1e-9, "{chances}");
    assert_eq!((&looks[1]["to_act"], &looks[1]["outcomes"]), (&json!([0, 1, 2]), &Value::Null));
    assert_eq!(looks[3]["to_act"], json!([0, 1, 2]), "a bid has more steps");
    process.ends();
}

#[test]
fn each_request_is_answered_from_itself_in_order_or_by_its_id() {
    let line = |id: usize| {
        let want = json!({"fingerprint": true, "rollout": {"bot": "greedy", "games": 1 + id % 3}});
        let base = json!({"game": "rappanui", "seed": id % 5});
        json!({"id": id, "base": base, "want": want, "positions": vec![json!({}); 3]}).to_string()
    };
    let lines = (0..60).map(line).collect::<Vec<_>>().join("\n");
    let in_order = answers(&[], &lines);
    let ids: Vec<_> = in_order.iter().map(|answer| answer["id"].as_u64().expect("an id")).collect();
    assert_eq!(ids, (0..60).collect::<Vec<_>>());
    let by_id = |answers: Vec<Value>| {
        answers.into_iter().map(|answer| (answer["id"].as_u64(), answer)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(by_id(answers(&["--by-id"], &lines)), by_id(in_order));
}

#[test]
fn what_cannot_be_is_refused_in_its_place() {
    let rules = find("rapanui_cards").expect("a game");
    let position = Position::new(rules.configure(2, &[]).expect("a table"), Some(Seed(1)), false);
    let mut bytes = position.game().view_bytes(Viewer::Public).expect("a view");
    let encoded = |bytes: &[u8]| BASE64_STANDARD.encode(bytes);
    let whole = encoded(&bytes);
    bytes.pop();
    let base = json!({"game": "rappanui", "seed": 1});
    let record = printed(&["play", "rappanui", "random", "random", "--seed", "5", "--record", "-"]);
    let requests = [
        json!({"id": "a", "base": base, "want": {"legal_ids": true}, "positions": [{"plies": [9999]}, {"plies": ["meld"]}, {}, {"plies": ["no meld", 70_000]}]}),
        json!({"id": 2, "base": {}}),
        json!({"id": 3, "base": {"game": "chess", "seed": 1}}),
        json!({"id": 4, "base": {"game": "rappanui"}}),
        json!({"id": 5, "base": {"view": encoded(&bytes)}, "positions": [{"sample": 1}]}),
        json!({"id": 6, "base": {"view": "*"}, "positions": [{"sample": 1}]}),
        json!({"id": 7, "base": {"view": whole}, "positions": [{}]}),
        json!({"id": 8, "base": base, "positions": [{"sample": 1}]}),
        json!({"id": 9, "base": {"record": "no record"}}),
        json!({"id": 10, "bass": base}),
        json!({"id": 11, "base": base, "want": {"analysis": {"bot": "greedy"}}}),
        json!({"id": 12, "base": base, "want": {"rollout": {"bot": "gredy"}}}),
        json!({"id": 13, "base": {"game": "rappanui", "seed": 1, "view": whole}}),
        json!({"id": 16, "base": base, "want": {"rollout": {"bot": "greedy", "games": 4_000_000_000_u32}}}),
        json!({"id": 17, "base": base, "want": {"analysis": {"bot": "search:5ms"}}}),
        json!({"id": 18, "base": {"game": "giants", "chance": "caller", "seat": 0}}),
        json!({"id": 19, "base": {"record": record, "after": 100_000}}),
        json!({"id": 20, "base": {"game": "rappanui", "seed": "0x1", "seats": 9}}),
        json!({"id": 21, "base": base, "positions": [{"plies": [[1]]}]}),
    ];
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    // A line of 4 MiB is read.
    let long = |length: usize| format!("{{\"id\": 14, \"base\": \"{}\"}}", "x".repeat(length - 22));
    let (whole_line, long) = (long(4 << 20), long((4 << 20) + 1));
    assert_eq!(whole_line.len(), 4 << 20);
    assert!(error(&answers(&[], &format!("{whole_line}\n"))[0]).contains("invalid type: string"));
    // The last line breaks off.
    let told =
        answers(&[], &format!("\u{feff}{}\n\n{long}\nnot json\n[1]\n5\n{{\"id\": 15, \"base\"", lines.join("\n")));
    assert_eq!(told.len(), requests.len() + 5);
    let positions = told[0]["positions"].as_array().expect("a list");
    assert!(error(&positions[0]).starts_with("plies[0]: expected an action id from 0 to "), "{}", positions[0]);
    assert!(error(&positions[1]).starts_with("plies[0]: "), "{}", positions[1]);
    assert!(positions[2]["legal_ids"].as_array().is_some_and(|ids| !ids.is_empty()));
    assert!(error(&positions[3]).contains("got 70000"), "{}", positions[3]);
    let of = |id: u64| error(told.iter().find(|answer| answer["id"] == id).expect("its answer"));
    let of_position =
        |id: u64| error(&told.iter().find(|answer| answer["id"] == id).expect("its answer")["positions"][0]);
    assert_eq!(of(2), "base: expected exactly one of `game`, `record`, and `view`");
    assert!(of(3).starts_with("base: game: unknown game \"chess\""));
    assert!(of(4).starts_with("base: seed: expected a seed"));
    assert!(of(5).ends_with("which break off"), "{}", of(5));
    assert!(of(6).starts_with("base: view: expected Base64"));
    assert_eq!(of_position(7), "sample: expected a seed for the hidden facts");
    assert_eq!(of_position(8), "sample: expected a base with `view` or `seat`");
    assert!(of(9).starts_with("base: record: "));
    assert!(of(10).starts_with("expected a request: unknown field `bass`, expected one of `id`, `base`"));
    assert!(of_position(11).starts_with("expected a search, such as search:800"));
    assert!(of_position(12).contains("did you mean \"greedy\"?"), "{}", of_position(12));
    assert!(of(13).starts_with("base: "));
    assert!(of_position(16).starts_with("games: expected 1 to 10000, got 4000000000"));
    assert!(of_position(17).starts_with("bot: expected a budget of playouts"));
    assert_eq!(of(18), "base: seat: expected a decision or an end, got a due chance event");
    assert!(of(19).starts_with("base: after: expected at most "), "{}", of(19));
    assert!(of(20).starts_with("base: "), "{}", of(20));
    assert!(of(21).starts_with("expected a request: expected a ply: "), "{}", of(21));
    let rest = &told[requests.len()..];
    assert_eq!(error(&rest[0]), "expected a line of at most 4194304 bytes");
    assert!(rest[1..].iter().all(|answer| answer["id"].is_null() && error(answer).starts_with("expected a request: ")));
}

//! Public calls: the description of a match, the list of matches, and the limits.

use std::collections::BTreeMap;
use std::time::Duration;

use ahu_host::api::{MAX_BATCH_BYTES, MAX_STREAM_ENVIRONMENTS};
use ahu_service::proto::v1::{
    GetMatchRequest, GetServerInfoRequest, ListMatchesRequest, ListMatchesResponse, MatchSpec, MatchState, SeatState,
};
use ahu_service::{Limits, Matches, limits};
use tonic::{Code, Status};

use crate::errors::{code, is};
use crate::matches::play_lowest;
use crate::server::{Asked, Client, Server, error_info, matches_with, rappanui, strikes, unseeded};
use crate::store::TestStore;

async fn page(server: &Server, request: ListMatchesRequest) -> Result<ListMatchesResponse, Status> {
    Ok(server.matches().list_matches(request).await?.into_inner())
}

/// Returns the ids of all matches, page by page.
async fn ids(server: &Server, request: &ListMatchesRequest) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut page_token = String::new();
    loop {
        let answer = page(server, ListMatchesRequest { page_token, ..request.clone() }).await.expect("a page");
        pages.push(answer.matches.into_iter().map(|of| of.match_id).collect());
        page_token = answer.next_page_token;
        if page_token.is_empty() {
            return pages;
        }
    }
}

#[tokio::test]
async fn pages_have_the_newest_matches_first() {
    let server = Server::start().await;
    let mut created: Vec<String> = Vec::new();
    for seed in 0..7 {
        created.insert(0, server.create(rappanui(2, &[], seed)).await.match_id);
    }

    for page_size in 1..=8 {
        let pages = ids(&server, &ListMatchesRequest { page_size, ..Default::default() }).await;
        let expected: Vec<_> = created.chunks(page_size as usize).map(<[String]>::to_vec).collect();
        assert_eq!(pages, expected, "each match is on one page");
    }
}

#[tokio::test]
async fn matches_that_are_created_meanwhile_change_no_later_page() {
    let server = Server::start().await;
    let mut created = Vec::new();
    for seed in 0..8 {
        created.insert(0, server.create(rappanui(2, &[], seed)).await.match_id);
    }

    let mut request = ListMatchesRequest { page_size: 3, ..Default::default() };
    let mut listed: Vec<String> = Vec::new();
    let mut pages = Vec::new();
    loop {
        let answer = page(&server, request.clone()).await.expect("a page");
        let again = page(&server, request.clone()).await.expect("a page");
        assert_eq!((&answer.matches, &answer.next_page_token), (&again.matches, &again.next_page_token));
        pages.push(answer.matches.len());
        listed.extend(answer.matches.into_iter().map(|of| of.match_id));
        if answer.next_page_token.is_empty() {
            break;
        }
        request.page_token = answer.next_page_token;
        for seed in 0..4 {
            server.create(rappanui(2, &[], seed)).await;
        }
    }

    assert_eq!((pages.as_slice(), listed), (&[3, 3, 2][..], created), "each old match is on one page");
    let newest = page(&server, ListMatchesRequest { page_size: 1, ..Default::default() }).await.expect("a page");
    assert_eq!(newest.matches[0].match_id, server.list().await.pop().expect("matches").match_id);
}

#[tokio::test]
async fn a_page_token_belongs_to_its_filter() {
    let server = Server::start().await;
    let labels = |value: &str| [("event".to_owned(), value.to_owned())].into();
    for seed in 0..3 {
        server.create(MatchSpec { labels: labels("final"), ..rappanui(2, &[], seed) }).await;
    }
    let filters = [
        ListMatchesRequest::default(),
        ListMatchesRequest { game: "rappanui".to_owned(), ..Default::default() },
        ListMatchesRequest { state: MatchState::Seating.into(), ..Default::default() },
        ListMatchesRequest { labels: labels("final"), ..Default::default() },
    ];
    let others = [
        ListMatchesRequest { game: "giants".to_owned(), ..Default::default() },
        ListMatchesRequest { state: MatchState::Running.into(), ..Default::default() },
        ListMatchesRequest { labels: labels("final2"), ..Default::default() },
        ListMatchesRequest { labels: labels(""), ..Default::default() },
    ];
    for filter in &filters {
        let first = ListMatchesRequest { page_size: 2, ..filter.clone() };
        let page_token = page(&server, first).await.expect("a page").next_page_token;
        assert!(!page_token.is_empty());
        for other in filters.iter().chain(&others) {
            let next = ListMatchesRequest { page_size: 2, page_token: page_token.clone(), ..other.clone() };
            let answer = page(&server, next).await;
            if other == filter {
                assert_eq!(answer.expect("it is the same filter").matches.len(), 1);
            } else {
                let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["page_token".to_owned()]);
                assert_eq!(error_info(&answer.expect_err("it is another filter"), ["field"]), bad, "{other:?}");
            }
        }
        let cut = page_token[1..].to_owned();
        for page_token in [format!("{page_token}0"), format!(" {page_token}"), cut] {
            let error = page(&server, ListMatchesRequest { page_token, ..filter.clone() }).await;
            assert_eq!(error_info(&error.expect_err("it is another text"), ["field"]).2, ["page_token"]);
        }
    }
}

#[tokio::test]
async fn matches_are_listed_by_their_labels() {
    let server = Server::start().await;
    let labels = |labels: &[(&str, &str)]| {
        labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let sets: [&[(&str, &str)]; 6] = [
        &[],
        &[("event", "final")],
        &[("event", "final"), ("round", "2")],
        &[("event", "final"), ("round", "")],
        &[("event", "semi"), ("round", "2")],
        &[("Event", "final")],
    ];
    let mut created = Vec::new();
    for (seed, set) in (0..).zip(sets) {
        let request = MatchSpec { labels: labels(set), ..rappanui(2, &[], seed) };
        created.push(server.create(request).await.match_id);
    }
    let unlisted = MatchSpec { labels: labels(sets[2]), unlisted: true, ..rappanui(2, &[], 9) };
    server.create(unlisted).await;

    for (asked, expected) in [
        (&[][..], &[5, 4, 3, 2, 1, 0][..]),
        (&[("event", "final")], &[3, 2, 1]),
        (&[("event", "final"), ("round", "2")], &[2]),
        (&[("round", "2")], &[4, 2]),
        (&[("round", "")], &[3]),
        (&[("event", "")], &[]),
        (&[("event", "FINAL")], &[]),
        (&[("event", "final"), ("table", "")], &[]),
    ] {
        let expected: Vec<_> = expected.iter().map(|&n: &usize| created[n].clone()).collect();
        for page_size in [1, 2, 100] {
            let request = ListMatchesRequest { labels: labels(asked), page_size, ..Default::default() };
            let pages = ids(&server, &request).await;
            assert_eq!(pages.concat(), expected, "{asked:?}");
            assert!(pages.iter().all(|page| page.len() <= page_size as usize));
        }
        let states =
            ListMatchesRequest { labels: labels(asked), state: MatchState::Running.into(), ..Default::default() };
        assert_eq!(ids(&server, &states).await.concat(), [""; 0]);
    }
}

#[tokio::test]
async fn a_page_has_a_hundred_matches_by_default() {
    let server = Server::start().await;
    for seed in 0..101 {
        server.create(rappanui(2, &[], seed)).await;
    }

    let pages = ids(&server, &ListMatchesRequest::default()).await;

    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [100, 1]);
    let all = ids(&server, &ListMatchesRequest { page_size: 1000, ..Default::default() }).await;
    assert_eq!(all.concat(), pages.concat());
}

#[tokio::test]
async fn a_page_looks_at_a_thousand_matches_of_a_store_whatever_is_asked_for() {
    let store = TestStore::default();
    let server = Server::start_with(Matches::new(Limits::default(), Some(store.open()))).await;
    let oldest = server.create(rappanui(2, &[], 1)).await.match_id;
    store.sql(
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2300) \
         INSERT INTO match (number, id, game, rules, release, created_ms, private, pinned, sealed, head, state) \
         SELECT i, 'm' || i, 'giants', 1, '', 0, i % 2, 0, 0, '', 4 FROM n",
    );
    let running = ListMatchesRequest { state: MatchState::Running.into(), ..Default::default() };
    let seating = ListMatchesRequest { state: MatchState::Seating.into(), ..Default::default() };
    let finished = ListMatchesRequest { state: MatchState::Finished.into(), ..Default::default() };
    let game = ListMatchesRequest { game: "rappanui".to_owned(), ..Default::default() };
    // The index of open matches leads past the others.
    for (request, pages) in [(running, &[0][..]), (seating, &[1]), (finished, &[0, 0, 0]), (game, &[0, 0, 1])] {
        let listed = ids(&server, &request).await;
        assert_eq!(listed.iter().map(Vec::len).collect::<Vec<_>>(), pages, "{request:?}");
        assert!(listed.concat().iter().all(|id| *id == oldest));
    }
}

#[tokio::test]
async fn a_page_size_above_the_maximum_is_cut_to_it() {
    let server = Server::start().await;
    for seed in 0..3 {
        server.create(rappanui(2, &[], seed)).await;
    }
    for page_size in [1001, u32::MAX] {
        let pages = ids(&server, &ListMatchesRequest { page_size, ..Default::default() }).await;
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    }
}

#[tokio::test]
async fn matches_are_listed_by_state_and_game() {
    let server = Server::start().await;
    let mut expected = [Vec::new(), Vec::new(), Vec::new()];
    for seed in 0..3 {
        expected[0].insert(0, server.create(rappanui(2, &[], seed)).await.match_id);
        expected[1].insert(0, server.seats(rappanui(2, &[], seed)).await[0].match_id.clone());
        expected[2].insert(0, server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], seed)).await.match_id);
    }

    let states = [MatchState::Seating, MatchState::Running, MatchState::Finished];
    for (state, expected) in states.into_iter().zip(expected) {
        let request = ListMatchesRequest { state: state.into(), page_size: 2, ..Default::default() };
        let pages = ids(&server, &request).await;
        assert_eq!(pages, [&expected[..2], &expected[2..]], "{state:?}");
        let request = ListMatchesRequest { game: "rappanui".to_owned(), page_size: 0, ..request };
        assert_eq!(ids(&server, &request).await, [expected]);
    }
}

#[tokio::test]
async fn a_list_and_get_match_describe_a_match_equally() {
    let server = Server::start().await;
    for client in server.seats(rappanui(2, &[], 1)).await {
        client.look().await;
    }
    server.create(rappanui(3, &[(1, "random")], 2)).await;
    server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 3)).await;

    let listed = server.list().await;

    assert_eq!(listed.len(), 3);
    for of in listed {
        assert_eq!(server.describe(&of.match_id).await, of);
    }
}

#[tokio::test]
async fn an_invalid_list_request_is_refused() {
    let server = Server::start().await;
    let request = ListMatchesRequest::default();
    let token = |token: &str| ListMatchesRequest { page_token: token.to_owned(), ..Default::default() };

    for (field, request) in [
        ("state", ListMatchesRequest { state: 9, ..request.clone() }),
        ("state", ListMatchesRequest { state: -1, ..request.clone() }),
        ("page_token", token("x")),
        ("page_token", token("-1")),
        ("page_token", token("1")),
        ("page_token", token("18446744073709551616")),
        ("page_token", token(&"0".repeat(32))),
        ("page_token", token(&"\u{1F5FF}".repeat(8))),
        ("page_token", token(&"0".repeat(10_000))),
    ] {
        let error = page(&server, request).await.expect_err("the request is invalid");
        let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), [field.to_owned()]);
        assert_eq!(error_info(&error, ["field"]), bad, "{error}");
    }
    let chess = ListMatchesRequest { game: "chess".to_owned(), ..request };
    let error = page(&server, chess).await.expect_err("the game is unknown");
    assert_eq!(error_info(&error, ["game"]), (Code::NotFound, "UNKNOWN_GAME".to_owned(), ["chess".to_owned()]));
}

#[tokio::test]
async fn a_match_is_described_with_its_terms() {
    let server = Server::start().await;
    let options = [("combine_rule".to_owned(), "true".to_owned())].into();
    let request = MatchSpec { options, conduct: strikes(3), ..rappanui(3, &[(1, "random")], 0) };
    let created = server.create(request).await;

    assert_eq!((created.game.as_str(), created.rules_version), ("rappanui", 1));
    assert_eq!((created.conduct.map(|conduct| conduct.strikes), created.seed_given), (Some(Some(3)), true));
    assert_eq!((created.options.len(), created.options["combine_rule"].as_str()), (5, "true"));
    assert!(created.specification.contains(" combine_rule=true "), "{}", created.specification);
    assert_eq!(created.seed_commitment.len(), 32);
    assert!(created.create_time.is_some());
    let seats: Vec<_> = created.seats.iter().map(|seat| (seat.seat, seat.state(), seat.name.as_str())).collect();
    let open = SeatState::Open;
    assert_eq!(seats, [(Some(0), open, ""), (Some(1), SeatState::Bot, "random@1"), (Some(2), open, "")]);
    assert_eq!(server.describe(&created.match_id).await, created);

    let plain = server.create(unseeded(2)).await;
    assert_eq!((plain.conduct.map(|conduct| conduct.strikes), plain.seed_given), (Some(None), false));
}

#[tokio::test]
async fn seed_and_salt_are_public_with_the_result_and_not_before() {
    let server = Server::start().await;
    let clients = server.seats(unseeded(2)).await;
    let id = clients[0].match_id.clone();
    let before = server.describe(&id).await;
    assert_eq!((before.state(), before.result.clone()), (MatchState::Running, None));

    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));

    let after = server.describe(&id).await;
    let result = after.result.clone().expect("the match is finished");
    assert_eq!(after.state(), MatchState::Finished);
    assert!(!result.seed.is_empty() && result.salt.len() == 32 && result.fingerprint.len() == 8);
    assert_eq!(Some(result), clients[1].look().await.result);
    let nanos = |time: Option<prost_types::Timestamp>| time.map(|time| (time.seconds, time.nanos));
    let times = [after.create_time, after.begin_time, after.end_time].map(nanos);
    assert!(times.iter().all(Option::is_some) && times.is_sorted(), "{times:?}");
    let unfinished =
        ahu_service::proto::v1::Match { result: None, state: before.state, ended: false, end_time: None, ..after };
    assert_eq!(unfinished, before, "nothing else changes");
}

#[tokio::test]
async fn an_unknown_match_is_not_described() {
    let server = Server::start().await;
    for match_id in ["", "nowhere", &"x".repeat(10_000)] {
        let request = GetMatchRequest { match_id: match_id.to_owned(), wait: None };
        let error = server.matches().get_match(request).await.expect_err("the request is invalid");
        assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_MATCH"));
    }
}

#[tokio::test]
async fn server_info_has_the_limits() {
    let set = Limits {
        matches: 3,
        ended_bytes: 5_000_000_000,
        match_idle: Duration::from_millis(61_500),
        decision_idle: Duration::from_millis(90_250),
        environments: 70,
        environment_streams: 5,
        bot_playouts: 60,
        connections: 300,
        stream_open: Duration::from_secs(4),
        watchers: 40,
        match_watchers: 30,
        ..Limits::default()
    };
    let server = Server::start_with(matches_with(set)).await;

    let info = server.catalog().get_server_info(GetServerInfoRequest {}).await.expect("an answer").into_inner();

    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    let told = info.limits.expect("limits");
    assert_eq!((told.matches, told.match_memory_bytes), (3, 5_000_000_000));
    assert!(!info.key_required);
    assert_eq!(info.durable, std::env::var_os(crate::server::STORE_VARIABLE).is_some());
    assert_eq!(told.match_idle, Some(prost_types::Duration { seconds: 61, nanos: 500_000_000 }));
    assert_eq!(told.decision_idle, Some(prost_types::Duration { seconds: 90, nanos: 250_000_000 }));
    assert_eq!(told.wait.and_then(|wait| wait.try_into().ok()), Some(limits::MAX_WAIT));
    assert_eq!(told.request_bytes as usize, limits::MAX_REQUEST_BYTES);
    assert_eq!(told.answer_events as usize, limits::MAX_ANSWER_EVENTS);
    assert_eq!(told.environments, 70);
    assert_eq!(told.stream_environments, MAX_STREAM_ENVIRONMENTS);
    assert_eq!(told.batch_bytes as usize, MAX_BATCH_BYTES);
    assert_eq!(told.environment_streams, 5);
    assert_eq!(told.run_request_bytes as usize, limits::MAX_RUN_REQUEST_BYTES);
    assert_eq!(told.bot_playouts, 60);
    assert_eq!((told.watchers, told.match_watchers), (40, 30));
    assert_eq!(told.spectator_delay, limits::MAX_SPECTATOR_DELAY);
    assert_eq!(told.bot_time.and_then(|time| time.try_into().ok()), Some(limits::MAX_BOT_TIME));
    assert_eq!(told.connections, 300);
    assert_eq!(told.stream_open.map(|time| time.seconds), Some(4));
}

#[tokio::test]
async fn a_match_beyond_the_limit_is_refused_and_the_others_go_on() {
    let set = Limits { matches: 2, ..Limits::default() };
    let server = Server::start_with(matches_with(set)).await;
    let seating = server.create(rappanui(2, &[], 1)).await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 2)).await;
    let before = server.list().await;

    let too_many = (Code::ResourceExhausted, "TOO_MANY_MATCHES".to_owned(), ["2".to_owned()]);
    let error =
        server.matches().create_match(rappanui(2, &[], 3).asked()).await.expect_err("the server is at its limit");
    assert_eq!(error_info(&error, ["limit"]), too_many);
    let any = ahu_service::proto::v1::AnyMatch { game: "rappanui".to_owned(), ..Default::default() };
    let target = Some(ahu_service::proto::v1::join_match_request::Target::Any(any));
    let join = ahu_service::proto::v1::JoinMatchRequest { target, ..Default::default() };
    let error = server.matches().join_match(join).await.expect_err("the server is at its limit");
    assert_eq!(error_info(&error, ["limit"]), too_many);

    assert_eq!(server.list().await, before);
    server.join(&seating).await;
    let Client { match_id, .. } = clients[0].clone();
    assert!(play_lowest(clients[0].clone()).await > 0);
    server.create(rappanui(2, &[], 3)).await;
    // A match that has ended does not count for the limit.
    let all: Vec<_> = server.list().await.into_iter().map(|of| of.match_id).collect();
    assert!(all.len() == 3 && all.contains(&seating.match_id) && all.contains(&match_id));
}

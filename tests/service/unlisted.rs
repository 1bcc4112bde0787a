//! Unlisted matches, reserved seats, and labels.

use ahu_service::proto::v1::{
    AnyMatch, JoinMatchRequest, JoinMatchResponse, MatchSpec, Reservation, SeatState, join_match_request,
    reservation::Condition,
};
use prost::Message as _;
use tonic::{Code, Status};

use crate::errors::{code, is};
use crate::server::{Asked, Server, Taken, error_info, rappanui, unseeded};

const CODE: &str = "code-0123456789-a";
const OTHER_CODE: &str = "code-0123456789-b";

fn by_name(seat: u32, name: &str) -> Reservation {
    Reservation { seat: Some(seat), condition: Some(Condition::Name(name.to_owned())) }
}

fn by_code(seat: u32, code: &str) -> Reservation {
    Reservation { seat: Some(seat), condition: Some(Condition::InvitationCode(code.to_owned())) }
}

fn joining(match_id: &str, seat: Option<u32>, name: &str, code: &str) -> JoinMatchRequest {
    let target = Some(join_match_request::Target::MatchId(match_id.to_owned()));
    JoinMatchRequest { target, seat, name: name.to_owned(), invitation_code: code.to_owned(), ..Default::default() }
}

async fn join(server: &Server, request: JoinMatchRequest) -> Result<JoinMatchResponse, Status> {
    Ok(server.matches().join_match(request).await?.into_inner())
}

async fn seat_of(server: &Server, request: JoinMatchRequest) -> Option<u32> {
    join(server, request).await.expect("a seat is open").taken().seat
}

fn any(name: &str) -> JoinMatchRequest {
    let any = AnyMatch { game: "rappanui".to_owned(), ..Default::default() };
    let target = Some(join_match_request::Target::Any(any));
    JoinMatchRequest { target, name: name.to_owned(), ..Default::default() }
}

#[tokio::test]
async fn an_unlisted_match_is_neither_listed_nor_joined_by_a_description() {
    let server = Server::start().await;
    let unlisted = server.create(MatchSpec { unlisted: true, ..unseeded(2) }).await;
    assert!(unlisted.unlisted);
    assert_eq!(server.list().await, []);

    let joined = join(&server, any("")).await.expect("a new match").r#match.expect("a match");

    assert_ne!(joined.match_id, unlisted.match_id);
    assert!(!joined.unlisted);
    assert_eq!(server.list().await, [joined]);
    assert_eq!(server.describe(&unlisted.match_id).await, unlisted, "its id opens it");
    assert_eq!(server.join(&unlisted).await.seat, 0);
    server.join(&unlisted).await;
    assert_eq!(server.list().await.len(), 1, "nor is it listed while it runs");
}

#[tokio::test]
async fn a_reserved_seat_needs_the_name_or_the_code() {
    let server = Server::start().await;
    let reservations = vec![by_name(1, "Ana"), by_code(2, CODE), by_code(3, OTHER_CODE)];
    let created = server.create(MatchSpec { reservations, ..rappanui(4, &[], 1) }).await;
    let reserved: Vec<_> = created.seats.iter().map(|seat| seat.reserved).collect();
    assert_eq!(reserved, [false, true, true, true]);
    let id = created.match_id.as_str();

    for (seat, name, code) in [
        (1, "", ""),
        (1, "ana", ""),
        (1, "Ana", CODE),
        (2, "Ana", ""),
        (2, "", OTHER_CODE),
        (2, "", "code-0123456789-c"),
        (0, "", CODE),
    ] {
        let error = join(&server, joining(id, Some(seat), name, code)).await.expect_err("the seat is reserved");
        let reserved = (Code::PermissionDenied, "SEAT_RESERVED".to_owned(), [id.to_owned(), seat.to_string()]);
        assert_eq!(error_info(&error, ["match_id", "seat"]), reserved, "{seat} {name} {code}");
    }
    let wrong = join(&server, joining(id, None, "", "code-0123456789-c")).await.expect_err("the code is wrong");
    assert_eq!(error_info(&wrong, ["match_id"]).1, "SEAT_RESERVED");
    assert!(!wrong.message().contains("code-0123456789"), "{wrong}");
    assert_eq!(server.describe(id).await, created, "a refused request changes nothing");

    assert_eq!(seat_of(&server, joining(id, None, "", OTHER_CODE)).await, Some(3));
    assert_eq!(seat_of(&server, joining(id, Some(2), "Ben", CODE)).await, Some(2));
    let taken = join(&server, joining(id, None, "", CODE)).await.expect_err("its seat is taken");
    assert_eq!(code(&taken), is(Code::AlreadyExists, "SEAT_TAKEN"));
    assert_eq!(seat_of(&server, joining(id, Some(1), "Ana", "")).await, Some(1));
    assert_eq!(server.describe(id).await.seats[3].name, "agent");
}

#[tokio::test]
async fn a_player_gets_its_own_reservation_first_and_then_the_lowest_free_seat() {
    let server = Server::start().await;
    let reservations = vec![by_name(0, "Ana"), by_name(3, "Ben"), by_code(4, CODE)];
    let created = server.create(MatchSpec { reservations, ..rappanui(5, &[], 1) }).await;
    let id = created.match_id.as_str();

    assert_eq!(seat_of(&server, joining(id, None, "Cem", "")).await, Some(1));
    assert_eq!(seat_of(&server, joining(id, None, "Ben", "")).await, Some(3));
    assert_eq!(seat_of(&server, joining(id, None, "Ben", "")).await, Some(2), "the name is not taken");
    let error = join(&server, joining(id, None, "Cem", "")).await.expect_err("the open seats are reserved");
    assert_eq!(error_info(&error, ["match_id"]).1, "SEAT_RESERVED");
    assert_eq!(seat_of(&server, joining(id, None, "Dia", CODE)).await, Some(4));
    assert_eq!(seat_of(&server, joining(id, None, "Ana", "")).await, Some(0));
    let error = join(&server, joining(id, None, "Ana", "")).await.expect_err("no seat is open");
    assert_eq!(code(&error), is(Code::AlreadyExists, "SEAT_TAKEN"));
}

#[tokio::test]
async fn a_description_finds_no_seat_that_is_reserved_for_others() {
    let server = Server::start().await;
    let reservations = vec![by_name(0, "Ana"), by_code(1, CODE)];
    let reserved = server.create(MatchSpec { reservations, ..unseeded(2) }).await.match_id;

    let other = join(&server, any("Cem")).await.expect("a new match").r#match.expect("a match").match_id;
    assert_ne!(other, reserved);
    let own = join(&server, any("Ana")).await.expect("her seat");
    assert_eq!((own.taken().match_id, own.taken().seat), (reserved, Some(0)));
    let with_code = JoinMatchRequest { invitation_code: CODE.to_owned(), ..any("Cem") };
    let error = join(&server, with_code).await.expect_err("a code belongs to a match");
    assert_eq!(error_info(&error, ["field"]).2, ["invitation_code".to_owned()]);
}

#[tokio::test]
async fn an_impossible_reservation_is_refused_and_creates_no_match() {
    let server = Server::start().await;
    let nothing = Reservation { seat: Some(0), condition: None };
    let nowhere = Reservation { seat: None, ..by_name(0, "Ana") };
    for (reason, reservations) in [
        ("BAD_FIELD", vec![nothing]),
        ("BAD_FIELD", vec![by_name(0, "Ana"), by_name(0, "Ben")]),
        ("BAD_FIELD", vec![by_name(2, "greedy")]),
        ("BAD_FIELD", vec![by_name(0, "")]),
        ("BAD_FIELD", vec![by_name(0, "two\nlines")]),
        ("BAD_FIELD", vec![by_code(0, "short")]),
        ("BAD_FIELD", vec![by_code(0, "with a space in it")]),
        ("UNKNOWN_SEAT", vec![by_name(3, "Ana")]),
        ("UNKNOWN_SEAT", vec![nowhere]),
    ] {
        let request = MatchSpec { reservations, ..rappanui(3, &[(2, "greedy")], 1) };
        let error =
            server.matches().create_match(request.clone().asked()).await.expect_err("the reservation is impossible");
        assert_eq!(code(&error).1, reason, "{request:?}");
    }
    assert_eq!(server.list().await, []);
}

#[tokio::test]
async fn a_repeated_request_for_a_reserved_seat_gets_the_same_seat() {
    let server = Server::start().await;
    let created = server.create(MatchSpec { reservations: vec![by_code(1, CODE)], ..rappanui(2, &[], 1) }).await;
    let request =
        JoinMatchRequest { request_id: "0123456789abcdef".to_owned(), ..joining(&created.match_id, None, "", CODE) };

    let first = join(&server, request.clone()).await.expect("the code is right");
    assert_eq!(join(&server, request).await.expect("the request is the same"), first);
    assert_eq!(first.taken().seat, Some(1));
    let open = first.r#match.expect("a match").seats.iter().filter(|seat| seat.state() == SeatState::Open).count();
    assert_eq!(open, 1);
}

#[tokio::test]
async fn labels_are_shown_and_have_limits() {
    let server = Server::start().await;
    let labels = |labels: &[(&str, &str)]| MatchSpec {
        labels: labels.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
        ..rappanui(2, &[], 1)
    };
    let most =
        MatchSpec { labels: (0..16).map(|n| (format!("{n:>64}"), "v".repeat(256))).collect(), ..rappanui(2, &[], 1) };
    assert_eq!(server.create(most.clone()).await.labels, most.labels);
    let created = server.create(labels(&[("event", "Rapa Nui Open"), ("round", "")])).await;
    assert_eq!(created.labels["event"], "Rapa Nui Open");
    assert_eq!(server.describe(&created.match_id).await.labels, created.labels);

    let mut too_many = most;
    too_many.labels.insert("one more".to_owned(), String::new());
    for request in [
        too_many,
        labels(&[("", "x")]),
        labels(&[(&"k".repeat(65), "x")]),
        labels(&[("k", &"v".repeat(257))]),
        labels(&[("k", "two\nlines")]),
        labels(&[("two\u{2028}lines", "v")]),
        labels(&[("k", "\u{1b}[2J")]),
        labels(&[("k\u{e0041}", "v")]),
    ] {
        let error = server.matches().create_match(request.asked()).await.expect_err("a label is invalid");
        assert_eq!(error_info(&error, ["field"]).2, ["labels".to_owned()], "{error}");
    }
    assert_eq!(server.list().await.len(), 2);
}

#[tokio::test]
async fn a_page_of_matches_with_many_labels_stays_small() {
    let server = Server::start().await;
    let request = |seed| MatchSpec {
        labels: (0..16).map(|n| (format!("{n:>64}"), "v".repeat(256))).collect(),
        ..rappanui(2, &[], seed)
    };
    let mut created = Vec::new();
    for seed in 0..700 {
        created.push(server.create(request(seed)).await.match_id);
    }
    created.reverse();

    let mut listed = Vec::new();
    let mut pages = 0;
    let mut page_token = String::new();
    loop {
        let request = ahu_service::proto::v1::ListMatchesRequest { page_size: 1000, page_token, ..Default::default() };
        let page = server.matches().list_matches(request).await.expect("a page").into_inner();
        // A page ends with the match that exceeds the bound.
        assert!(page.encoded_len() < 256 * 1024 + 10_000, "{}", page.encoded_len());
        listed.extend(page.matches.into_iter().map(|of| of.match_id));
        pages += 1;
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }

    assert_eq!(listed, created);
    assert!(pages > 10, "{pages}");
}

//! Requests to join any match: the oldest that fits, or a new one.

use std::collections::HashMap;
use std::time::Duration;

use ahu_host::find;
use ahu_service::proto::v1::{
    AnyMatch, JoinMatchRequest, JoinMatchResponse, MatchSpec, MatchState, SeatState, TimeControl, join_match_request,
};
use tokio::task::JoinSet;
use tonic::{Code, Status};

use crate::errors::{code, is};
use crate::server::{Server, Taken, error_info, rappanui, strikes, unseeded};

fn any(seat_count: Option<u32>) -> AnyMatch {
    AnyMatch { game: "rappanui".to_owned(), seat_count, ..Default::default() }
}

fn with_option(any: AnyMatch, key: &str, value: &str) -> AnyMatch {
    AnyMatch { options: [(key.to_owned(), value.to_owned())].into(), ..any }
}

async fn join(server: &Server, any: AnyMatch, seat: Option<u32>) -> Result<JoinMatchResponse, Status> {
    let target = Some(join_match_request::Target::Any(any));
    let request = JoinMatchRequest { target, seat, ..Default::default() };
    Ok(server.matches().join_match(request).await?.into_inner())
}

/// Joins any match that fits. Returns the id of the match and the seat.
async fn place(server: &Server, any: AnyMatch, seat: Option<u32>) -> (String, u32) {
    let joined = join(server, any, seat).await.expect("a seat is found");
    let assigned = joined.taken();
    (assigned.match_id, assigned.seat.expect("a seat"))
}

#[tokio::test]
async fn the_oldest_match_that_fits_is_joined() {
    let server = Server::start().await;
    let three = server.create(unseeded(3)).await.match_id;
    let two = server.create(unseeded(2)).await.match_id;
    let other_two = server.create(unseeded(2)).await.match_id;

    assert_eq!(place(&server, any(None), None).await, (three.clone(), 0));
    assert_eq!(place(&server, any(Some(2)), None).await, (two.clone(), 0));
    assert_eq!(place(&server, any(None), Some(0)).await, (other_two.clone(), 0), "seat 0 of the older ones is taken");
    assert_eq!(place(&server, any(Some(3)), Some(2)).await, (three.clone(), 2));
    assert_eq!(place(&server, any(Some(2)), None).await, (two.clone(), 1));
    assert_eq!(place(&server, any(Some(2)), None).await, (other_two, 1), "the older one is full");
    assert_eq!(place(&server, any(None), None).await, (three, 1));
    assert_eq!(server.list().await.len(), 3, "no match was created");
}

#[tokio::test]
async fn a_match_with_bots_and_an_open_seat_is_joined() {
    let server = Server::start().await;
    let request = MatchSpec { seed: String::new(), ..rappanui(3, &[(0, "greedy"), (1, "random")], 0) };
    let created = server.create(request).await;

    assert_eq!(place(&server, any(None), None).await, (created.match_id.clone(), 2));
    assert_eq!(server.describe(&created.match_id).await.state(), MatchState::Running);
}

#[tokio::test]
async fn a_match_with_other_options_does_not_fit() {
    let server = Server::start().await;
    let rules = find("rappanui").expect("the game is in the catalog");
    let usual = rules.options().into_iter().find(|option| option.key == "combine_rule").expect("an option");
    let usual = usual.defaults[0].clone();
    let other = if usual == "true" { "false" } else { "true" };
    let odd = MatchSpec { options: with_option(any(None), "combine_rule", other).options, ..unseeded(2) };
    let odd = server.create(odd).await.match_id;
    let plain = server.create(unseeded(2)).await.match_id;

    assert_eq!(place(&server, any(None), None).await, (plain.clone(), 0));
    assert_eq!(place(&server, with_option(any(None), "combine_rule", &usual), None).await, (plain, 1));
    assert_eq!(place(&server, with_option(any(None), "combine_rule", other), None).await, (odd.clone(), 0));
    let (fresh, _) = place(&server, any(None), None).await;
    assert_ne!(fresh, odd, "the options of the other match differ");
}

/// A stranger who offers a limit of a millisecond waits for players who forfeit.
#[tokio::test]
async fn a_match_with_terms_of_its_own_is_joined_only_by_its_id() {
    let server = Server::start().await;
    let millisecond = Some(Duration::from_millis(1).try_into().expect("a short time"));
    let clock = TimeControl { limit: millisecond, ..Default::default() };
    for terms in [
        MatchSpec { time_control: Some(clock), ..unseeded(2) },
        MatchSpec { conduct: strikes(1), ..unseeded(2) },
        MatchSpec { stand_in: "random".to_owned(), ..unseeded(2) },
    ] {
        let odd = server.create(terms).await.match_id;
        let (fresh, _) = place(&server, any(Some(2)), None).await;
        assert_ne!(fresh, odd, "the player has not seen these terms");
        assert_eq!(place(&server, any(Some(2)), None).await, (fresh, 1));
    }
}

#[tokio::test]
async fn a_match_with_a_given_seed_is_joined_only_by_its_id() {
    let server = Server::start().await;
    let seeded = server.create(rappanui(2, &[], 0)).await;
    assert!(seeded.seed_given, "the seed 0 counts as given");

    let joined = join(&server, any(None), None).await.expect("a new match").r#match.expect("a match");

    assert_ne!(joined.match_id, seeded.match_id);
    assert!(!joined.seed_given);
    assert_eq!(server.describe(&seeded.match_id).await, seeded);
    assert_eq!(server.join(&seeded).await.seat, 0);
}

#[tokio::test]
async fn a_match_is_created_if_none_fits() {
    let server = Server::start().await;

    let two = join(&server, any(None), None).await.expect("a new match").r#match.expect("a match");
    assert_eq!(two.seats.len(), 2, "the fewest seats of the game");
    let usual =
        find("rappanui").expect("the game is in the catalog").configure(2, &[]).expect("the defaults are valid");
    let usual: Vec<_> = usual.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    assert_eq!(two.options.into_iter().collect::<HashMap<_, _>>(), usual.into_iter().collect());
    assert_eq!(two.conduct.map(|conduct| conduct.strikes), Some(None), "no fault is a strike");

    let five = join(&server, with_option(any(Some(5)), "tie", "share"), Some(3)).await.expect("a new match");
    let (seat, five) = (five.taken().seat, five.r#match.expect("a match"));
    assert_eq!((seat, five.seats.len(), five.options["tie"].as_str()), (Some(3), 5, "share"));
    let taken: Vec<_> = five.seats.iter().map(ahu_service::proto::v1::SeatInfo::state).collect();
    let mut expected = [SeatState::Open; 5];
    expected[3] = SeatState::Joined;
    assert_eq!(taken, expected);
    assert_eq!(server.list().await.len(), 2);
    let four = join(&server, any(None), Some(3)).await.expect("a new match").r#match.expect("a match");
    assert_eq!(four.seats.len(), 4, "the fewest seats that include seat 3");
}

#[tokio::test]
async fn an_impossible_filter_is_refused_and_creates_no_match() {
    let server = Server::start().await;

    let chess = AnyMatch { game: "chess".to_owned(), ..Default::default() };
    let error = join(&server, chess, None).await.expect_err("the game is unknown");
    assert_eq!(error_info(&error, ["game"]), (Code::NotFound, "UNKNOWN_GAME".to_owned(), ["chess".to_owned()]));
    for (key, value) in [("combine", "true"), ("combine_rule", "perhaps"), ("tie", "")] {
        let error = join(&server, with_option(any(None), key, value), None).await.expect_err("the request is invalid");
        assert_eq!(error_info(&error, ["key"]), (Code::InvalidArgument, "BAD_OPTION".to_owned(), [key.to_owned()]));
    }
    for count in [0, 1, 7, u32::MAX] {
        let error = join(&server, any(Some(count)), None).await.expect_err("the seat count is invalid");
        let bad = (Code::InvalidArgument, "BAD_SEAT_COUNT".to_owned(), [count.to_string()]);
        assert_eq!(error_info(&error, ["seat_count"]), bad);
    }
    let error = join(&server, any(Some(3)), Some(3)).await.expect_err("the request is invalid");
    let unknown = (Code::NotFound, "UNKNOWN_SEAT".to_owned(), ["3".to_owned(), "3".to_owned()]);
    assert_eq!(error_info(&error, ["seat", "seat_count"]), unknown);
    for name in ["two\nlines", &"x".repeat(65)] {
        let target = Some(join_match_request::Target::Any(any(None)));
        let request = JoinMatchRequest { target, name: name.to_owned(), ..Default::default() };
        let error = server.matches().join_match(request).await.expect_err("the name is invalid");
        assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_NAME"));
    }

    assert_eq!(server.list().await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn forty_agents_at_once_fill_twenty_matches() {
    let server = Server::start().await;

    let mut joining = JoinSet::new();
    for _ in 0..40 {
        let mut matches = server.matches();
        let target = Some(join_match_request::Target::Any(any(Some(2))));
        joining.spawn(async move { matches.join_match(JoinMatchRequest { target, ..Default::default() }).await });
    }
    let mut taken = HashMap::<_, Vec<_>>::new();
    while let Some(joined) = joining.join_next().await {
        let joined = joined.expect("the task does not panic").expect("every request gets a seat").into_inner();
        let assigned = joined.taken();
        taken.entry(assigned.match_id).or_default().push(assigned.seat);
    }

    assert_eq!(taken.len(), 20);
    for seats in taken.values_mut() {
        seats.sort_unstable();
        assert_eq!(*seats, [Some(0), Some(1)]);
    }
    let matches = server.list().await;
    assert_eq!(matches.len(), 20);
    assert!(matches.iter().all(|of| of.state() == MatchState::Running));
}

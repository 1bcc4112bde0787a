//! Games that a program registers: what they may leave out, and the registrations that are refused.

use ahu_core::{ActionId, Seat, Seats, Seed, Viewer};
use ahu_host::{AnyRules, Bot, Conduct, GAMES, NotRegistered, RANDOM, Referee, Rules, SeatPlayer, find, verify};

use crate::toy::Bids;

/// A game with no bot but `random`, and without protos.
static TOY: Rules<Bids<false>> = Rules::new(&[Bot::random()]);
/// The same game without any bot.
static BOTLESS: Rules<Bids<false>> = Rules::new(&[]);

#[test]
fn games_are_registered_once_before_their_first_use_and_by_names_of_their_own() {
    let ours = find("giants").expect("a game of ours");
    assert_eq!(GAMES.register(&[ours]), Err(NotRegistered::Twice("giants")));
    assert_eq!(GAMES.register(&[&TOY, &TOY]), Err(NotRegistered::Twice("toy_bids")));
    assert_eq!(GAMES.register(&[&BOTLESS]), Err(NotRegistered::NoRandom("toy_bids")));
    let late = GAMES.register(&[&TOY]).expect_err("a test has used a game");
    assert_eq!(late, NotRegistered::Late("toy_bids"));
    assert!(late.to_string().ends_with("before the first use of a game, got \"toy_bids\" after it"), "{late}");
}

#[test]
fn random_plays_on_in_a_game_without_greedy() {
    let random = TOY.bot(RANDOM).expect("every game has it");
    let players = vec![SeatPlayer::external("ann".to_owned()), SeatPlayer::bot(random)];
    let setup = TOY.configure(2, &[]).expect("two seats");
    let mut referee = Referee::new(setup, Seed(1), players, Conduct::default());
    assert_eq!(referee.stand_in(), random);
    referee.resign(Seat::default()).expect("the match goes on");
    referee.play_bots();
    assert!(referee.result().is_some());
    assert_eq!(verify(&referee.record()), Ok(()));
}

#[test]
fn a_search_is_refused_by_name_in_a_game_that_has_none() {
    let error = TOY.bot("search:50").expect_err("it has no search");
    assert_eq!(error.message, "unknown bot \"search\" (expected one of random@1)");
}

#[test]
fn a_game_without_protos_has_messages_of_text() {
    let names = TOY.message_names();
    assert_eq!([&*names.observation, &*names.action, &*names.event], ["google.protobuf.StringValue"; 3]);
    let (seat, seats) = (Seat::default(), Seats::new(2).expect("few"));
    for id in (0..TOY.action_count() as u16).map(ActionId) {
        let message = TOY.action_message(id, seat, seats).expect("it is an action");
        assert_eq!(TOY.read_action(&message, seat, seats), Ok(id));
    }
    let game = TOY.configure(2, &[]).expect("two seats").game();
    let message = game.view(Viewer::Public).message();
    assert!(String::from_utf8_lossy(&message.value).contains("round 0"), "{message:?}");
    let refused = TOY.read_action(&message, seat, seats).expect_err("it is no action");
    assert_eq!(refused, "expected an action such as \"bid 3\"");
}

#[test]
fn nobody_is_asked_who_owes_no_decision() {
    let setup = TOY.configure(2, &[]).expect("two seats");
    let referee = Referee::new(
        setup,
        Seed(1),
        vec![SeatPlayer::external("ann".to_owned()), SeatPlayer::external("bob".to_owned())],
        Conduct::default(),
    );
    assert_eq!(referee.view(Viewer::Public).question(), "");
    assert_eq!(referee.view(Viewer::Seat(Seat::default())).question(), "Choose an action.");
}

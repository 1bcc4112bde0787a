//! The end of the game, and final scoring.

use ahu_core::Game;
use ahu_games::rapanui_board::RapanuiBoard;

use super::{PUBLIC, Table, table};

/// Returns a game in which all ahus except the ahus in `empty` have their Moai.
fn last_turn(seats: usize, empty: &[usize], more: &str) -> Table {
    let spaces: &[usize] = if seats == 2 {
        &[1, 2, 3, 4, 8, 9, 11, 12, 16, 17, 18, 19]
    } else {
        &[1, 2, 3, 4, 9, 10, 15, 16, 22, 23, 24, 25, 26, 27]
    };
    let full: Vec<_> = spaces.iter().filter(|space| !empty.contains(space)).map(usize::to_string).collect();
    table(&format!("seats: {seats}\nfull: {}\n{more}", full.join(" ")))
}

/// Plays until all players have dropped out. Returns the decision that is due then.
fn end_of_round(mut game: Table) -> String {
    while game.due().ends_with("transport") {
        game.play("drop out");
    }
    game.due()
}

/// The rulebook's example: with four players, four empty ahus or fewer. M30: ahus are counted, not spaces.
#[test]
fn the_game_ends_with_as_many_empty_ahus_as_players() {
    // The spaces 4, 16, and 24 have two ahus each, 25 has three, and 1, 9, and 22 have one each.
    assert_eq!(end_of_round(last_turn(4, &[4, 16], "")), "over");
    assert_eq!(end_of_round(last_turn(4, &[4, 16, 1], "")), "seat 0: place", "five ahus are empty, in three spaces");
    assert_eq!(end_of_round(last_turn(4, &[1], "")), "over");
    assert_eq!(end_of_round(last_turn(3, &[25], "")), "over", "three ahus of one space");
    assert_eq!(end_of_round(last_turn(3, &[4, 16], "")), "seat 0: place", "four are too many for three players");
}

#[test]
fn the_game_of_two_ends_with_three_empty_ahus() {
    assert_eq!(end_of_round(last_turn(2, &[18], "")), "over", "18 has three");
    assert_eq!(end_of_round(last_turn(2, &[2, 12], "")), "seat 0: place");
}

#[test]
fn the_end_is_tested_at_the_end_of_a_round_only() {
    let game = last_turn(3, &[25, 9], "0: at 8 9, moai small\non 9: chip_in");
    let mut game = game.after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.due(), "seat 1: transport", "three ahus are empty, and the round goes on");
    game.play("1: drop out, 2: drop out, 0: drop out");
    assert_eq!(game.due(), "over");
}

/// M31.
#[test]
fn the_game_ends_after_the_last_round() {
    assert_eq!(end_of_round(table("round: 14\nstall_end: 0")), "seat 0: place");
    assert_eq!(end_of_round(table("round: 15\nstall_end: 0")), "over", "15 rounds");
    assert_eq!(end_of_round(table("round: 6\nstall_end: 0\nmax_rounds: 6")), "over");
}

/// M31. A round is idle if nobody erects or styles a Moai.
#[test]
fn the_game_ends_after_four_idle_rounds() {
    assert_eq!(end_of_round(table("idle: 0")), "seat 0: place");
    assert_eq!(end_of_round(table("idle: 2")), "seat 0: place");
    assert_eq!(end_of_round(table("idle: 3")), "over");
    assert_eq!(end_of_round(table("idle: 3\nstall_end: 5")), "seat 0: place");
    assert_eq!(end_of_round(table("idle: 1\nstall_end: 2")), "over");
    assert_eq!(end_of_round(table("idle: 9\nstall_end: 0")), "seat 0: place", "0: off");

    let mut played = table("round: 3");
    played.pass_until("over");
    assert_eq!((played.game.table.round, played.game.table.idle_rounds), (6, 4), "the rounds 3 to 6 were idle");
}

/// M31.
#[test]
fn a_round_with_an_erected_moai_is_not_idle() {
    let game =
        table("idle: 3\n0: at 8 9, moai small\non 9: chip_in").after("transport small, step 8, step 9, erect chip_in");
    let mut next = game.clone();
    next.pass_until("seat 0: place");
    assert_eq!(next.game.table.idle_rounds, 0, "rounds in a row are meant");
    assert!(!next.game.table.has_erected_or_styled, "the next round begins idle");
}

/// M31.
#[test]
fn a_round_with_a_styled_moai_is_not_idle() {
    let mut game = table("idle: 3\n0: at 10, has eggs*4\non 10: large");
    game.play("transport pukao, step 10, style, offer stack chicken, pay eggs eggs eggs eggs");
    assert!(game.game.table.has_erected_or_styled);
    game.pass_until("seat 0: place");
    assert_eq!(game.game.table.idle_rounds, 0, "rounds in a row are meant");
    assert_eq!(end_of_round(table("idle: 3\n0: at 10, has eggs*4\non 10: large")), "over", "nobody styles the Moai");
}

/// M31: the test of the ahus comes first.
#[test]
fn of_several_reasons_for_the_end_the_ahus_come_first() {
    let reason = |game: Table| {
        let mut game = game;
        game.play("drop out, drop out, drop out");
        game.event_texts(PUBLIC).pop().expect("an event").split(", ").nth(1).expect("a reason").to_owned()
    };
    let few = last_turn(3, &[25], "round: 15\nidle: 3");
    assert!(reason(few).starts_with("as few ahus are empty"));
    assert!(reason(table("round: 15\nidle: 3")).starts_with("as all rounds are played"));
    assert!(reason(table("round: 14\nidle: 3")).starts_with("as nobody erects or styles Moai any more"));
}

#[test]
fn offerings_resources_the_tablet_and_gain_favor_are_points() {
    let mut game = table(
        "idle: 3
         0: offerings hut*2 boat, outstanding necklace, has reeds*3 pearls
         1: offerings hut, tablet, tiles gain_favor rest, fervent, chief
         2: at 13*4, moai large",
    );
    game.play("drop out, drop out, drop out");

    assert_eq!(game.due(), "over");
    assert_eq!(
        game.scores(),
        [8 + 7 + 11 + 14 + 4, 7 + 3 + 3, 0],
        "tiles and improvements beside these are worth nothing"
    );
    assert_eq!(game.view(PUBLIC).covered_ranks(), [1, 2, 3]);
    let last = game.event_texts(PUBLIC).pop().expect("an event");
    assert_eq!(
        last,
        "the game is over, as nobody erects or styles Moai any more: seat 0 has 44, seat 1 has 13, seat 2 has 0"
    );
}

/// M36.
#[test]
fn who_ties_shares_the_victory() {
    let mut game = table("idle: 3\n0: has reeds*3\n1: tablet\n2: has pearls*2");
    game.play("drop out, drop out, drop out");
    assert_eq!(game.view(PUBLIC).covered_ranks(), [1, 1, 3]);
}

#[test]
fn when_it_is_over_nothing_is_legal() {
    let game = table("idle: 3\n0: has reeds*3, tablet").after("drop out, drop out, drop out");
    assert_eq!(game.legal(""), "");
}

/// The ranks that a view shows.
trait CoveredRanks {
    fn covered_ranks(self) -> Vec<u8>;
}

impl CoveredRanks for super::View {
    fn covered_ranks(self) -> Vec<u8> {
        use ahu_core::View as _;
        self.shown().ranks().values().to_vec()
    }
}

/// The bound is public: trainers take it for the longest game. Its parts stand beside it in the code.
#[test]
fn the_bound_of_plies_counts_setup_rounds_transports_and_tiles() {
    let (setup, rounds, transports, tiles) = (6, 30 * 57, 41 * 39, 45);
    assert_eq!(RapanuiBoard::INFO.max_plies, setup + rounds + transports + tiles);
}

//! The setup of two players: they draft four more tiles.

use super::{set_up, table};

/// The tiles on the ahus; 12 tiles of five kinds are left for the display.
const FIVE_KINDS: &str = "tiles rest rest rest rest barter barter barter barter skimp skimp skimp skimp \
                          chip_in chip_in chip_in chip_in gain_favor";
const THREE_KINDS: &str = "tiles chip_in chip_in chip_in chip_in take_three_more take_three_more take_your_pick \
                           take_your_pick change_jobs change_jobs change_jobs lend_a_hand lend_a_hand lend_a_hand \
                           gain_favor take_two_more take_two_more";

#[test]
fn what_is_not_laid_is_displayed() {
    let game = table("seats: 2\nphase: tiles\norder: 1 0").after(FIVE_KINDS);

    assert_eq!(*game.game.table.display.as_array(), [0, 0, 0, 0, 2, 2, 3, 3, 0, 2]);
    assert_eq!(game.due(), "seat 0: draft", "the second player begins");
    assert_eq!(set_up(2, 9, &[]).game.table.display.total(), 12);
}

/// M33.
#[test]
fn the_second_player_chooses_first_twice_and_all_four_are_different() {
    let mut game = table("seats: 2\nround: 0\nphase: tiles\norder: 1 0").after(FIVE_KINDS);
    assert_eq!(
        game.legal(""),
        "draft take_three_more, draft take_your_pick, draft change_jobs, draft lend_a_hand, draft take_two_more"
    );

    game.play("0: draft change_jobs");
    assert_eq!(*game.game.table.aside.as_array(), [0, 0, 0, 0, 0, 0, 2, 0, 0, 0], "identical tiles are set aside");
    assert!(game.refuses("1: draft change_jobs"));
    assert!(game.refuses("draft rest"), "all of it is on the board");
    game.play("1: draft lend_a_hand, 0: draft take_your_pick");
    assert_eq!(game.legal("draft"), "take_three_more, take_two_more");
    game.play("1: draft take_two_more");

    assert_eq!(
        (game.tiles(0).as_str(), game.tiles(1).as_str()),
        ("take_your_pick change_jobs", "lend_a_hand take_two_more")
    );
    assert_eq!(game.due(), "seat 1: place");
    assert_eq!(game.game.table.round, 1);
}

/// M33: 12 tiles can be of three kinds.
#[test]
fn where_the_display_is_used_up_a_kind_set_aside_is_taken_that_one_lacks() {
    let mut game = table("seats: 2\nphase: tiles\norder: 0 1").after(THREE_KINDS);

    game.play("1: draft rest, 0: draft barter, 1: draft skimp");

    assert_eq!(game.due(), "seat 0: draft");
    assert_eq!(game.legal("draft"), "rest, skimp", "not barter, which seat 0 has");
    game.play("draft skimp");
    assert_eq!((game.tiles(0).as_str(), game.tiles(1).as_str()), ("barter skimp", "rest skimp"));
    assert_eq!(*game.game.table.aside.as_array(), [3, 3, 2, 0, 0, 0, 0, 0, 0, 0]);
}

/// M33, in a first game.
#[test]
fn where_nothing_is_left_that_one_lacks_no_tile_is_taken() {
    let mut game = table("seats: 2\nphase: tiles\norder: 0 1\nbeginner_tiles: true").after(
        "tiles barter barter barter barter skimp skimp skimp skimp chip_in chip_in chip_in chip_in take_three_more \
         take_three_more gain_favor take_two_more take_two_more",
    );
    assert_eq!(game.legal("draft"), "rest");

    game.play("1: draft rest, 0: draft rest");

    assert_eq!(game.due(), "seat 0: place", "nobody takes a second one");
    assert_eq!((game.tiles(0).as_str(), game.tiles(1).as_str()), ("rest", "rest"));
    assert!(
        game.event_texts(super::PUBLIC)
            .iter()
            .any(|line| line == "seat 1 takes no Ahu tile: none is left that it lacks"),
        "{:?}",
        game.events
    );
}

/// Tiles set aside can be copied too.
#[test]
fn a_tablet_copies_a_tile_that_was_set_aside() {
    let mut game = table("seats: 2\nphase: tiles\norder: 0 1").after(THREE_KINDS);
    game.play("draft rest, draft barter, draft skimp, draft rest");
    game.game.table.players[super::seat(0)].has_tablet = true;
    game.game.table.players[super::seat(0)].resources = super::counts("eggs*3");

    assert!(!game.refuses("0: tablet barter eggs wood"));
    game.pass_until("seat 1: sculpt");
    assert_eq!(game.order(), "1, 0");
}

/// M34. With two players, one of the two tiles of the same value is in the box.
#[test]
fn stacks_have_three_tiles_and_the_outstanding_ones_are_all_there() {
    let game = table(
        "seats: 2
         0: at 9, has eggs*4, tiles take_your_pick
         1: offerings chicken*3
         on 9: small",
    );
    let mut game = game.after("transport pukao, step 9, style");

    assert_eq!(game.legal("offer"), "stack hut, outstanding hut, outstanding chicken", "that stack is empty");
    game.play("offer outstanding chicken, pay eggs eggs eggs eggs");
    assert_eq!(game.offered(0), 11);
}

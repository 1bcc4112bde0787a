//! An observation encodes the table in bits and numbers. `decode.rs` reads all of it back.

use ahu_core::Viewer;

use super::{PUBLIC, Table, table, viewer};
use crate::scripted::{self, unwrapped};

/// Returns the values of a field of the shown view's observation.
fn observed(game: &Table, who: Viewer, name: &str) -> Vec<i16> {
    scripted::observed(&game.shown(who), name)
}

/// Returns the places of the set bits of a field.
fn set(game: &Table, who: Viewer, name: &str) -> Vec<usize> {
    let values = observed(game, who, name);
    (0..values.len()).filter(|&n| values[n] == 1).collect()
}

/// Returns the binary numbers of a field whose last axis has this many digits.
fn binary(game: &Table, who: Viewer, name: &str, digits: usize) -> Vec<i16> {
    let number = |bits: &[i16]| bits.iter().rev().fold(0, |number, bit| 2 * number + bit);
    observed(game, who, name).chunks(digits).map(number).collect()
}

/// Fields by seat begin with the viewer's seat and go to the left. Absent seats are zero. The public's fields begin with
/// seat 0.
#[test]
fn an_observation_is_seen_from_the_own_seat() {
    let game = table("first: 1\nplayer: 2\npassed: 1\npoints: 3 / 0 / 12\nbehind: 1H / 2H / -\nfigures: 0C@9 2S@3");
    for (who, first) in [(viewer(0), 0), (viewer(1), 1), (viewer(2), 2), (PUBLIC, 0)] {
        let turned = |mut values: Vec<i16>| {
            values.rotate_left(first);
            values.extend([0, 0]);
            values
        };
        assert_eq!(observed(&game, who, "present"), [1, 1, 1, 0, 0], "{who}");
        assert_eq!(observed(&game, who, "first"), turned(vec![0, 1, 0]), "{who}");
        assert_eq!(observed(&game, who, "to_act"), turned(vec![0, 0, 1]), "{who}");
        assert_eq!(observed(&game, who, "passed"), turned(vec![0, 1, 0]), "{who}");
        assert_eq!(observed(&game, who, "prestige"), turned(vec![3, 0, 12]), "{who}");
        assert_eq!(observed(&game, who, "halves"), turned(vec![1, 2, 0]), "{who}");
        // Hex 9 has the code 11: out, in front, and the hexes before it come first.
        assert_eq!(binary(&game, who, "chief", 6), turned(vec![2 + 9, 0, 0]), "{who}");
        assert_eq!(binary(&game, who, "sorcerer", 6), turned(vec![0, 0, 2 + 3]), "{who}");
    }
}

/// Each Worker has its hex, in rising order; a Sorcerer or a Chief who was bid is in front of the screen.
#[test]
fn figures_have_their_hexes() {
    let game = table("figures: 0W@41 0W@9 0W@9 1S@9\nfront: chief");

    assert_eq!(binary(&game, viewer(0), "workers", 6)[..6], [2 + 9, 2 + 9, 2 + 41, 0, 0, 0]);
    assert_eq!(binary(&game, viewer(0), "chief", 6)[0], 1);
    assert_eq!(set(&game, viewer(0), "figures"), [9, 41, 42 + 9]);
    assert_eq!(
        set(&game, viewer(0), "carriers"),
        [9, 41, 42 + 9, 84 + 9],
        "two Workers and a Sorcerer, and one Worker"
    );
}

/// The dice of the turn, and the bids once they are shown.
#[test]
fn the_dice_and_the_shown_bids_stay_for_the_turn() {
    let mut game = table("phase: roll\nbehind: 1W 2T / 2W 1T / -\nfigures: 2C@5");
    assert_eq!(set(&game, PUBLIC, "dice"), Vec::<usize>::new());
    game.play("roll 0 1 3");
    assert_eq!(set(&game, PUBLIC, "dice"), [0, 4 + 1, 8 + 3]);
    assert_eq!(set(&game, PUBLIC, "to_act"), [0, 1, 2]);

    game.seal(0, "2T 1W chief");
    assert_eq!(set(&game, PUBLIC, "to_act"), [1, 2], "all viewers see who has sealed a bid");
    for (who, markers, workers, leaders) in
        [(viewer(0), 2, 1, vec![1]), (viewer(1), 0, 0, vec![]), (PUBLIC, 0, 0, vec![])]
    {
        assert_eq!(binary(&game, who, "bid_markers", 3), [markers, 0, 0, 0, 0], "{who}");
        assert_eq!(binary(&game, who, "bid_workers", 3), [workers, 0, 0, 0, 0], "{who}");
        assert_eq!(set(&game, who, "bid_leaders"), leaders, "{who}");
        assert_eq!(observed(&game, who, "bids_shown"), [0], "{who}");
    }
    game.seal(1, "1T 2W");
    game.seal(2, "sorcerer");

    let shown = |game: &Table| {
        assert_eq!(binary(game, viewer(1), "bid_markers", 3), [1, 0, 2, 0, 0]);
        assert_eq!(binary(game, viewer(1), "bid_workers", 3), [2, 0, 1, 0, 0]);
        assert_eq!(set(game, viewer(1), "bid_leaders"), [2, 5]);
        assert_eq!(observed(game, viewer(1), "bids_shown"), [1]);
        assert_eq!(set(game, PUBLIC, "dice"), [0, 4 + 1, 8 + 3]);
        let text = game.shown(PUBLIC).to_string();
        assert!(text.contains("\ndice 0 1 3; bids by seat: "), "{text}");
        let bids = "bids by seat: TM2 w1 C, TM1 w2, S";
        assert!(unwrapped(&text).contains(&format!(" {bids};")), "{text}");
    };
    shown(&game);
    game.play("pick 3, pick 1, pass");
    shown(&game);
    // Half-tablets change the Tribe Markers in front of the screen, not the bid.
    while game.due() != "roll" {
        shown(&game);
        let legal = game.legal();
        let play = ["take half", "pass", "leave", "keep"].into_iter().find(|play| legal.contains(play));
        game.play(play.expect("a way to the end of the turn"));
    }
    assert_eq!((set(&game, PUBLIC, "dice"), observed(&game, PUBLIC, "bids_shown")), (vec![], vec![0]));
    assert_eq!(binary(&game, viewer(1), "bid_markers", 3), [0; 5]);
    let text = game.shown(PUBLIC).to_string();
    assert!(!text.contains("\ndice ") && !text.contains("bids"), "{text}");
}

/// G26: with `unused_logs_return` all viewers see whose logs lie on a hex, in the order in which they were placed, and
/// the number that transports needed.
#[test]
fn whose_logs_lie_on_a_hex_is_shown_if_they_may_go_back() {
    for (option, owners, needed) in [("true", vec![2, 3, 1, 3], vec![1]), ("false", vec![], vec![])] {
        let mut game = table(&format!(
            "unused_logs_return: {option}\nfigures: 2W+1@34 0W+1@34 1W+1@33 2W+1@34\npieces: 2a front 0"
        ));
        game.play("lift 2a, enter 34, stop");

        let of = |who| binary(&game, who, "log_seats", 3).into_iter().filter(|&code| code > 0).collect::<Vec<_>>();
        assert_eq!(of(PUBLIC), owners, "hex 33 comes first: seat 1; on hex 34 seats 2, 0, 2");
        let from_seat_2: Vec<i16> = owners.iter().map(|owner| owner % 3 + 1).collect();
        assert_eq!(of(viewer(2)), from_seat_2, "codes go to the left from the own seat");
        assert_eq!(set(&game, PUBLIC, "logs_needed"), needed, "own Worker and one log carry size 2");
        assert_eq!(set(&game, PUBLIC, "logs"), [33, 34, 42 + 34], "one, and three");
        let text = game.shown(PUBLIC).to_string();
        let is_told = unwrapped(&text).contains("(logs of seat 2, seat 0, seat 2; needed: 1)");
        assert_eq!(is_told, option == "true", "{text}");
    }
}

/// A piece has one code for its place, an owner, and perhaps a mark.
#[test]
fn pieces_have_a_place_and_an_owner() {
    let game = table(
        "pieces: 1a@22 of 1, 2a@9, 3a front 2, ha@27 held 0\nahus: a17 of 2 1b hb, a0 of 1\nfigures: 0W@3\nbehind: 1T",
    );
    let places = binary(&game, viewer(1), "pieces", 7);
    let owners = observed(&game, viewer(1), "piece_of");
    let owner = |piece: usize| owners[piece] + 2 * owners[49 + piece] + 4 * owners[98 + piece];

    for (piece, place, of) in [
        (0, 2 + 22, 1),
        (1, 44 + 17, 0),
        (2, 0, 0),
        (17, 2 + 9, 0),
        (29, 1, 2),
        (35, 2 + 27, 3),
        (36, 44 + 17, 0),
        (48, 0, 0),
    ] {
        assert_eq!((places[piece], owner(piece)), (place, of), "piece {piece}");
    }
    assert_eq!(set(&game, viewer(1), "marked"), [0]);
    // Seat 2's base under a Moai of size 1, and seat 1's own reserved Ahu.
    assert_eq!(set(&game, viewer(1), "base_of"), [0, 26 + 17]);
    assert_eq!((set(&game, PUBLIC, "moai_on"), set(&game, PUBLIC, "topped")), (vec![17], vec![17]));
}

/// The decision has its piece, its hex, and the hexes where the piece has been.
#[test]
fn an_observation_shows_the_decision() {
    let mut game = table("figures: 0W@34 1W@33 2W@33\npieces: 2a front 0\nbehind: 1T");
    assert_eq!((set(&game, viewer(0), "phase"), set(&game, viewer(0), "step")), (vec![3], vec![6]));
    game.play("lift 2a");
    assert_eq!((set(&game, PUBLIC, "step"), set(&game, PUBLIC, "piece")), (vec![7], vec![17]));
    assert_eq!((set(&game, PUBLIC, "hex"), set(&game, PUBLIC, "visited")), (vec![25], vec![25]));

    let mut paying = table("figures: 0W@34 1W@34 2W@34\npieces: 2a front 0");
    paying.play("lift 2a, enter 34");
    assert_eq!((set(&paying, PUBLIC, "step"), set(&paying, PUBLIC, "hex")), (vec![8], vec![34]));
    assert_eq!((observed(&paying, PUBLIC, "dues"), observed(&paying, PUBLIC, "moved")), (vec![1, 1], vec![0]));
    paying.play("pay +2");
    assert_eq!((set(&paying, PUBLIC, "hex"), set(&paying, PUBLIC, "visited")), (vec![34], vec![25, 34]));
    assert_eq!(observed(&paying, PUBLIC, "moved"), [1]);
}

//! The end of phase 4 for unmoved pieces, and phase 5: the return of figures and goods, and Tribe Markers taken back.

use super::{PUBLIC, table};

/// An unmoved Moai or headdress goes to its quarry, and its player may mark it. G27: in turn order.
#[test]
fn unmoved_pieces_go_to_their_quarries_in_turn_order() {
    let mut game = table(
        "first: 1
         player: 1
         behind: 1T / 2T
         pieces: 1a front 0, 2a front 1, ha front 1, 1b front 2",
    );
    game.play("pass, pass");

    assert_eq!(game.due(), "seat 1: store 2a");
    assert_eq!(game.legal(), "mark, leave");
    game.play("mark");
    assert_eq!((game.at("2a"), game.due()), ("25 of 1".to_owned(), "seat 1: store ha".to_owned()));
    game.play("leave");
    // Seat 2 has no Tribe Marker and is not asked (G47).
    assert_eq!((game.at("ha"), game.at("1b")), ("27".to_owned(), "25".to_owned()));
    assert_eq!(game.due(), "seat 0: store 1a");
    game.play("mark");

    assert_eq!((game.at("1a"), game.behind(0)), ("25 of 0".to_owned(), "chief sorcerer".to_owned()));
    assert_eq!(game.due(), "seat 1: recover 2a");
}

/// G27, G47: a player without Tribe Markers is asked no more.
#[test]
fn who_has_used_up_the_tribe_markers_is_asked_no_more() {
    let mut game = table("behind: 1T\npieces: 1a front 0, 1b front 0, ha front 0");
    game.play("pass");
    assert_eq!(game.due(), "seat 0: store 1a");
    game.play("leave");
    assert_eq!(game.due(), "seat 0: store 1b");
    game.play("mark");

    assert_eq!(game.due(), "seat 0: recover 1b");
    assert_eq!([game.at("1a"), game.at("1b"), game.at("ha")], ["25", "25 of 0", "27"]);
    assert_eq!(
        game.event_texts(PUBLIC)[..2],
        ["seat 0 puts 1b into its quarry and marks it", "seat 0 puts ha into its quarry"]
    );
}

/// Tribe Markers in front of the screens are not available before phase 5.
#[test]
fn a_spent_tribe_marker_marks_nothing() {
    let mut game = table("player: 2\nfront: 2T\nbehind: - / - / 1T\npieces: 1a front 0, 1b front 2");
    game.play("pass");

    assert_eq!(game.due(), "seat 2: store 1b");
    game.play("leave");
    assert_eq!(game.at("1a"), "25");
    assert_eq!((game.due().as_str(), game.behind(0).as_str()), ("roll", "chief sorcerer 2T"));
}

/// A piece that was moved in this phase stays on its hex, and its player is not asked about it.
#[test]
fn a_moved_piece_stays_where_it_stopped() {
    let mut game = table("behind: 1T\nfigures: 0W@34\npieces: 1a front 0");
    game.play("lift 1a, enter 34, stop");
    assert_eq!(game.legal(), "pass, lift 1a");
    game.play("pass");

    assert_eq!((game.at("1a"), game.due()), ("34".to_owned(), "roll".to_owned()));
}

/// Phase 5: figures on the board, and Sculptors and Tribe Markers in front, go back behind the screens.
#[test]
fn all_figures_and_spent_tribe_markers_come_home() {
    let mut game = table(
        "behind: 1W 1T 2H / 1L
         front: 2W 2T chief / sorcerer / 1T
         figures: 0W@3 0S@28 1W@3 1C@40 2W@25 2S@25 2C@27
         pieces: 1a@40 of 2",
    );
    game.play("pass");

    assert_eq!(game.due(), "seat 2: recover 1a");
    assert_eq!(game.behind(0), "chief sorcerer 4W 3T 2H");
    assert_eq!(game.behind(1), "chief sorcerer 1W 1L");
    assert_eq!(game.behind(2), "chief sorcerer 1W 1T");
    assert_eq!([game.front(0), game.front(1), game.front(2)], ["-", "-", "-"]);
    assert_eq!([game.figures(0), game.figures(1), game.figures(2)], ["", "", ""]);
}

/// G26: all logs on the board leave the game, needed or not.
#[test]
fn all_placed_logs_leave_the_game() {
    let mut game = table("behind: 3L\nfigures: 0W+2@34 1W+1@3\npieces: 2a front 0\ngone: 4");
    assert_eq!(game.logs(), (27 - 3 - 3 - 4, 4));
    game.play("lift 2a, enter 34, stop");

    assert_eq!(game.due(), "roll");
    assert_eq!(game.logs(), (17, 7));
    assert_eq!((game.behind(0), game.behind(1)), ("chief sorcerer 1W 3L".to_owned(), "chief sorcerer 1W".to_owned()));
    assert_eq!((game.logs_at(34), game.logs_at(3)), (0, 0));
    assert!(game.event_texts(PUBLIC).contains(&"the figures come home; 3 logs leave the game".to_owned()));
}

/// G26, `unused_logs_return`: each hex uses the largest number of logs that one entry needed. The other logs go back, first
/// the logs placed last.
#[test]
fn unused_logs_return_to_who_placed_them_by_option() {
    for (figures, pieces, plies, home, gone) in [
        // No piece passed.
        ("0W+2@34 1W+1@34", "1a@3 of 0", "", [2, 1, 0], 0),
        // The mover's Worker and one log carry size 2. The log placed last goes back.
        ("0W+2@34 1W+1@34", "2a front 0", "lift 2a, enter 34, stop", [1, 1, 0], 1),
        ("1W+1@34 0W+2@34", "2a front 0", "lift 2a, enter 34, stop", [2, 0, 0], 1),
        ("1W+1@34 0W+2@34", "3a front 0", "lift 3a, enter 34, stop", [1, 0, 0], 2),
        // One entry needs no log, another needs one: the maximum counts, in both orders.
        ("0W+2@34", "1a front 0, 2a front 0", "lift 2a, enter 34, stop, lift 1a, enter 34, stop", [1, 0, 0], 1),
        ("0W+2@34", "1a front 0, 2a front 0", "lift 1a, enter 34, stop, lift 2a, enter 34, stop", [1, 0, 0], 1),
        // An opponent's figure is paid for one unit, for any number of logs.
        ("1W+2@34", "2a front 0", "lift 2a, enter 34, stop", [0, 1, 0], 1),
        ("1W+2@34", "1a front 0", "lift 1a, enter 34, stop", [0, 2, 0], 0),
        // Each hex counts by itself.
        ("0W+1@34 0W+1@33", "2a front 0", "lift 2a, enter 34, stop", [1, 0, 0], 1),
        ("0W+1@34 0W+1@33", "2a front 0", "lift 2a, enter 34, enter 33, stop", [0, 0, 0], 2),
        // A Chief needs no logs.
        ("0C@34 0W+2@34", "3a front 0", "lift 3a, enter 34, stop", [2, 0, 0], 0),
    ] {
        let mut game = table(&format!("unused_logs_return: true\nfigures: {figures}\npieces: {pieces}"));
        if !plies.is_empty() {
            game.play(plies);
        }
        while game.due().contains("transport") {
            game.play("pass");
        }

        let logs: Vec<u8> = game.game.table.tribes.values().iter().map(|tribe| tribe.reserve.logs).collect();
        assert_eq!(logs, home, "{figures}: {plies}");
        assert_eq!(game.logs().1, gone, "{figures}: {plies}");
    }
}

/// G26 with G24: a unit paid as a gift also carries the piece, so it saves a log.
#[test]
fn a_paid_figure_saves_a_log() {
    for (pay, home) in [("enough", 0), ("pay +1", 1)] {
        let mut game =
            table("unused_logs_return: true\nallow_gift_pp: true\nfigures: 0W+1@34 1W@34 2W@34\npieces: 2a front 0");
        game.play(&format!("lift 2a, enter 34, {pay}"));
        if game.due().contains("pay") {
            game.play("enough");
        }
        game.play("stop");

        assert_eq!(game.game.table.tribes[super::seat(0)].reserve.logs, home, "{pay}");
    }
}

/// Players may recover Tribe Markers from Moai or headdresses, but lose possession of the piece. G39: in turn order.
#[test]
fn a_tribe_marker_may_be_taken_back_and_the_piece_is_abandoned() {
    let mut game = table(
        "first: 2
         player: 2
         passed: 0 1
         behind: - / - / 1T
         pieces: 1a@3 of 0, 1b@4 of 2, 2a@5 of 0, ha@6 of 1, 1c front 2",
    );
    game.play("pass, leave");

    let mut asked = Vec::new();
    for answer in ["take back", "keep", "take back", "keep"] {
        asked.push(game.due());
        assert_eq!(game.legal(), "keep, take back");
        game.play(answer);
    }

    assert_eq!(asked, ["seat 2: recover 1b", "seat 0: recover 1a", "seat 0: recover 2a", "seat 1: recover ha"]);
    assert_eq!([game.at("1a"), game.at("1b"), game.at("2a"), game.at("ha")], ["3 of 0", "4", "5", "6 of 1"]);
    assert_eq!(
        [game.behind(0), game.behind(1), game.behind(2)],
        ["chief sorcerer 1T", "chief sorcerer", "chief sorcerer 2T"]
    );
    assert_eq!(game.due(), "roll");
}

/// Any player may then take the piece, in the next Transport Phase.
#[test]
fn a_piece_whose_marker_was_taken_back_may_be_taken_by_anyone() {
    let mut game = table("player: 2\nbehind: - / 1T\npieces: 1a@3 of 0, 1b front 2\nfigures: 2W@34");
    game.play("pass, take back, roll 0 0 0, pass, pass, pass");

    assert_eq!(game.due(), "seat 1: transport");
    game.play("lift 1a, mark");
    assert_eq!(game.at("1a"), "3 of 1");
}

/// The first player passes the pawn to the left.
#[test]
fn the_first_players_pawn_goes_to_the_left() {
    for (first, next) in [(0, 1), (1, 2), (2, 0)] {
        let mut game = table(&format!("first: {first}\nphase: place\nbehind: 1T / 1T / 1T"));
        game.play("pass, pass, pass");
        assert_eq!(game.due(), "roll");
        game.play("roll 0 0 0");

        assert_eq!(game.due(), format!("seat {next}: place"));
        assert_eq!(game.event_texts(PUBLIC)[0], format!("--- turn 3: seat {next} goes first ---"));
    }
}

/// G42: seat 0 is first in the first turn.
#[test]
fn seat_0_is_the_first_player_of_the_first_turn() {
    let mut game = table("turn: 1\nphase: roll\nbehind: 1W 2T / 1W 2T / 1W 2T");
    assert_eq!(game.game, ahu_core::Game::new(&game.game.table.options), "this is how a game begins");
    game.play("roll 1 1 1");
    game.bid(["1W", "1W", "1W"]);

    assert_eq!(game.due(), "seat 0: pick");
}

/// Material at the beginning: 2 Tribe Markers, 1 Worker, Sorcerer, Chief, and bases by the number of players.
#[test]
fn players_start_with_two_tribe_markers_a_worker_a_sorcerer_and_a_chief() {
    for (seats, bases) in [(3, 7), (4, 6), (5, 5)] {
        let options = ahu_core::options::read(seats, []).expect("nothing is agreed");
        let game = super::Table { game: ahu_core::Game::new(&options), events: Vec::new() };

        for seat in 0..seats {
            assert_eq!((game.behind(seat).as_str(), game.bases(seat)), ("chief sorcerer 1W 2T", bases));
        }
        assert_eq!((game.supply(), game.draw(), game.logs()), ([17, 12, 6], 30, (27, 0)));
        assert_eq!(game.due(), "roll");
    }
}

/// The quick game, `quick_game` (G41): two Workers instead of one.
#[test]
fn in_the_quick_game_players_start_with_two_workers() {
    let options = ahu_core::options::read(3, [("quick_game", "true")]).expect("an option");
    let mut game = super::Table { game: ahu_core::Game::new(&options), events: Vec::new() };
    assert_eq!(game.behind(2), "chief sorcerer 2W 2T");

    // All six Workers of a colour exist: four are in the receptacle.
    game.game.check_invariants().expect("every thing is in exactly one place");
    game.play("roll 1 1 1");
    game.bid(["2W", "-", "-"]);
    assert_eq!(game.due(), "seat 0: pick");
}

//! The end of the game and the final scoring.

use super::{PUBLIC, table};

/// Example, Scoring: Blue 0 with a size 3 on a 9 value Ahu, Red 1 with a size 1 on 8, Yellow 2 with a topped size 2
/// on 8/6.
#[test]
fn the_scoring_example() {
    let game = table("phase: over\nahus: a12 of 0 3a, a5 of 1 1a, a6 of 2 2a ha");

    assert_eq!(game.scores(), [9 * 3, 8, 8 * 2 + 6]);
    assert_eq!(game.scores(), [27, 8, 22]);
    assert_eq!(game.ranks(), [1, 3, 2]);
}

#[test]
fn points_are_those_of_the_ahus_the_track_and_complete_tablets() {
    for (text, points) in [
        ("", 0),
        ("points: 12", 12),
        // G36: a half-tablet by itself does not award anything.
        ("behind: 1H", 0),
        ("behind: 2H", 3),
        ("behind: 3H", 3),
        ("behind: 7H", 9),
        // Other goods count nothing.
        ("behind: 6W 6T 27L", 0),
        ("ahus: a12 of 0", 0),
        ("pieces: 3a@30 of 0, ha@30 of 0", 0),
        // The black number by the size, the red one once.
        ("ahus: a17 of 0 1a", 3),
        ("ahus: a17 of 0 2a", 6),
        ("ahus: a17 of 0 3a", 9),
        ("ahus: a17 of 0 1a ha", 11),
        ("ahus: a17 of 0 3a ha", 17),
        ("ahus: a10 of 0 3a ha, a24 of 0 2a", 6 + 10 + 16),
        ("ahus: a17 of 0 2a, a18 of 1 3a ha\npoints: 5\nbehind: 4H", 6 + 5 + 6),
    ] {
        let game = table(&format!("phase: over\n{text}"));

        assert_eq!(game.scores()[0], points, "{text}");
    }
}

/// Variant, `visible_score` (G41): a Moai scores when it is erected, a headdress at the end.
#[test]
fn with_a_visible_score_moai_score_as_they_are_erected() {
    for (visible, track) in [(false, [0, 0, 0]), (true, [9, 0, 0])] {
        let mut game = table(&format!(
            "visible_score: {visible}\nfigures: 0W@32\npieces: 3a@32 of 0, ha@32 of 0\nahus: a0 of 1 1a"
        ));
        let before = game.scores();
        game.play("lift 3a, erect a17");
        assert_eq!(game.points(), track);
        let told =
            if visible { "seat 0 erects 3a on a17 and earns 9 Prestige Points" } else { "seat 0 erects 3a on a17" };
        assert_eq!(game.event_texts(PUBLIC)[1], told);
        let erected = game.scores();
        game.play("lift ha, top a17");

        assert_eq!(game.points(), track, "the headdress still scores at the end");
        assert_eq!(erected[0] - before[0], 9);
        assert_eq!(game.scores()[0], 9 + 8);
    }
}

/// Each player has seven bases in a game of three, six in a game of four, five in a game of five. One base is left
/// here, and the last Moai is not erected yet.
#[test]
fn the_game_ends_when_somebody_has_moai_on_all_bases() {
    for (seats, erected) in [(3, 6), (4, 5), (5, 4)] {
        let ahus: Vec<String> =
            (0..erected).map(|n| format!("a{n} of 0 1{}", ["a", "b", "c", "d", "e", "f"][n])).collect();
        let last = ["a", "b", "c", "d", "e", "f", "g"][erected];
        let mut game = table(&format!(
            "seats: {seats}\nfigures: 0W@32\npieces: 1{last}@32 of 0\nahus: {}\nbehind: - / 1W 1T",
            ahus.join(", ")
        ));
        let mut not = game.clone();
        not.play("pass");
        assert_eq!(not.due(), format!("seat 0: recover 1{last}"), "{seats} players: one base is left");

        game.play(&format!("lift 1{last}, erect a17"));

        assert_eq!(game.due(), "over", "{seats} players");
        assert!(
            game.event_texts(PUBLIC).last().is_some_and(|event_texts| event_texts.starts_with("the game is over")),
            "{:?}",
            game.events
        );
    }
}

/// Note: a reserved Ahu does not count as long as no Moai is erected there.
#[test]
fn a_reserved_base_is_not_counted_as_used() {
    let six = "a0 of 0 1a, a1 of 0 1b, a2 of 0 1c, a3 of 0 1d, a4 of 0 1e, a5 of 0 1f";
    let mut game = table(&format!("ahus: {six}, a17 of 0\nfigures: 0W@31 0W@32\npieces: 1g@31 of 0"));
    let mut not = game.clone();
    not.play("pass");
    assert_ne!(not.due(), "over");

    game.play("lift 1g, enter 32, erect a17");
    assert_eq!(game.due(), "over");
}

/// G33: all players finish phase 4 first; phase 5 is not played.
#[test]
fn all_finish_the_transport_phase_before_the_game_ends() {
    let six = "a0 of 0 1a, a1 of 0 1b, a2 of 0 1c, a3 of 0 1d, a4 of 0 1e, a5 of 0 1f";
    let mut game = table(&format!(
        "ahus: {six}
         figures: 0W@32 0W+2@33 1W@31
         behind: - / 1T
         front: 1T / 1W
         pieces: 1g@32 of 0, 1h@31 of 1, 1i@30 of 1, 1j front 1"
    ));
    game.play("lift 1g, erect a17");
    assert_eq!(game.due(), "seat 1: transport");
    game.play("lift 1h, erect a15");
    assert_eq!(game.due(), "seat 1: transport");
    game.play("pass");

    assert_eq!(game.due(), "over");
    assert_eq!(game.scores()[1], 4, "a Moai erected after the last base counts");
    // G45: nobody is asked about unmoved pieces or Tribe Markers; no figure goes back behind a screen.
    assert_eq!([game.at("1i"), game.at("1j")], ["30 of 1", "front 1"]);
    assert_eq!((game.front(0).as_str(), game.figures(0).as_str()), ("1T", "W@32 W@33"));
    assert_eq!(game.legal_for(0), "");
    assert!(game.refuses("roll 1 1 1"));
}

/// G34: the game ends after phase 4 if the supply is empty and no Moai waits to be erected. `exhaustion_end`.
#[test]
fn the_game_ends_when_no_moai_is_left() {
    for (exhaustion_end, supply, pieces, over) in [
        (true, "0 0 0", "ha@27 of 0", true),
        (false, "0 0 0", "ha@27 of 0", false),
        (true, "1 0 0", "ha@27 of 0", false),
        (true, "0 0 1", "ha@27 of 0", false),
        (true, "0 0 0", "1a@3 of 0", false),
        (true, "0 0 0", "1a@3, ha@27 of 0", false),
        (true, "0 0 0", "1a front 1, ha@27 of 0", false),
    ] {
        let mut game = table(&format!("exhaustion_end: {exhaustion_end}\nsupply: {supply}\npieces: {pieces}"));
        game.play("pass");

        assert_eq!(game.due() == "over", over, "{exhaustion_end}, {supply}, {pieces}: {}", game.due());
        let event_texts = game.event_texts(PUBLIC).join("\n");
        assert_eq!(event_texts.contains("no Moai is left"), over, "{event_texts}");
    }
}

/// G34: the erection of the last Moai ends the game in the same turn.
#[test]
fn erecting_the_last_moai_of_all_ends_the_game() {
    let mut game = table("supply: 0 0 0\nfigures: 0W@32\npieces: 1a@32 of 0");
    game.play("lift 1a, erect a17");

    assert_eq!(game.due(), "over");
}

/// G34: the game ends after the maximum number of turns in any case. `max_turns`.
#[test]
fn the_game_ends_after_the_turns_that_were_agreed() {
    for (max_turns, turn, over) in [(3, 2, false), (3, 3, true), (1, 1, true), (30, 29, false), (30, 30, true)] {
        let mut game = table(&format!("max_turns: {max_turns}\nturn: {turn}\nbehind: 1T\npieces: 1a front 0"));
        game.play("pass");

        assert_eq!(game.due() == "over", over, "{turn} of {max_turns}: {}", game.due());
    }
    let mut default = table("turn: 30\nbehind: 1T\npieces: 1a front 0");
    default.play("pass");
    assert_eq!(default.due(), "over", "30 by default");
}

/// The event names all bases as the reason, even if it is also the last turn; each reason has its own words.
#[test]
fn the_end_is_told_with_its_reason_and_the_scores() {
    let mut bases = table(
        "max_turns: 2\nahus: a0 of 0 1a, a1 of 0 1b, a2 of 0 1c, a3 of 0 1d, a4 of 0 1e, a5 of 0 1f\nfigures: 0W@32\npieces: 1g@32 of 0",
    );
    bases.play("lift 1g, erect a17");
    let event_texts = bases.event_texts(super::viewer(2));
    assert_eq!(
        event_texts.last().map(String::as_str),
        Some(
            "the game is over: all bases of a player bear Moai; seat 0 has 42 Prestige Points: 42 for Moai; \
             seat 1 has 0 Prestige Points; seat 2 has 0 Prestige Points"
        )
    );

    let mut cap = table("max_turns: 2\nbehind: 1T 2H\npieces: 1a front 0");
    cap.play("pass");
    let event_texts = cap.event_texts(PUBLIC);
    assert_eq!(
        event_texts.last().map(String::as_str),
        Some(
            "the game is over: this was the last turn; seat 0 has 3 Prestige Points: 3 for tablets; \
             seat 1 has 0 Prestige Points; seat 2 has 0 Prestige Points"
        )
    );
}

/// G35: tied players share the rank; with `tie_break: halves`, more half-tablets come first, then turn order.
#[test]
fn ties_are_shared_or_broken_by_halves_and_turn_order() {
    for (text, shared, broken) in [
        ("points: 5 / 7 / 3", [2, 1, 3], [2, 1, 3]),
        ("points: 7 / 7 / 3", [1, 1, 3], [1, 2, 3]),
        ("points: 7 / 7 / 3\nfirst: 1", [1, 1, 3], [2, 1, 3]),
        ("points: 7 / 7 / 7\nfirst: 2", [1, 1, 1], [2, 3, 1]),
        ("points: 7 / 7 / 7\nbehind: - / 1H\nfirst: 2", [1, 1, 1], [3, 1, 2]),
        // 7 points and a tablet against 10.
        ("points: 10 / 7 / 3\nbehind: - / 2H", [1, 1, 3], [2, 1, 3]),
        ("points: 10 / 7 / 3\nbehind: 1H / 2H", [1, 1, 3], [2, 1, 3]),
        // A half is only a tie-break.
        ("points: 8 / 7 / 3\nbehind: - / 1H", [1, 2, 3], [1, 2, 3]),
    ] {
        assert_eq!(table(&format!("phase: over\n{text}")).ranks(), shared, "{text}");
        assert_eq!(table(&format!("phase: over\ntie_break: halves\n{text}")).ranks(), broken, "{text}");
    }
}

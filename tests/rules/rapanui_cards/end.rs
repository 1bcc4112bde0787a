//! The end of the game, and the final scoring.

use ahu_core::{Seats, View as _};
use ahu_games::rapanui_cards::{Event, RapanuiCards};

use super::{PUBLIC, table, viewer};
use ahu_laws::laws::{carry_out, few_games, play_random, some_options};

/// "The game ends immediately after one of the card columns is replenished and the stack gets
/// completely depleted. The last uncovered card type will no longer be scored!"
#[test]
fn the_replenishing_that_uses_up_the_stack_ends_the_game_at_once() {
    let mut game = table(
        "phase: draw
         wood: 0 / 4
         displays: lumberjack*3 / lumberjack
         columns: fish / _ / _ / _
         hands: priest*2 / _
         stack: priest lumberjack
         cards: - / -",
    );

    game.play("draw 1");
    game.play("cards lumberjack priest");

    assert_eq!(game.due(), "over");
    assert_eq!((game.wood(), game.glory(), game.held()), (vec![0, 4], vec![0, 0], vec![0, 0]), "nothing is scored");
    assert_eq!(game.hand(0), "fish priest*2", "the card that was taken stays in hand");
    assert_eq!([game.legal_for(0), game.legal_for(1)], ["", ""]);
    assert_eq!(game.column(1), "lumberjack priest", "A11: what is left is laid out");
}

/// The cases with `true` are the twins: the same card comes one replenishing earlier, and is scored.
#[test]
fn the_last_card_is_not_scored_of_whatever_kind() {
    for (kind, stack, scored) in [
        ("lumberjack", "priest lumberjack", false),
        ("priest", "grain priest", false),
        ("moai", "grain moai", false),
        ("fish", "grain fish", false),
        ("lumberjack", "priest priest priest lumberjack", false),
        ("lumberjack", "grain grain priest priest priest lumberjack", true),
        ("priest", "grain grain lumberjack lumberjack lumberjack priest", true),
        ("fish", "grain grain lumberjack lumberjack lumberjack fish", true),
    ] {
        let mut game = table(&format!(
            "phase: draw
             displays: lumberjack priest moai fish / priest
             columns: grain / _ / _ / _
             stack: {stack}"
        ));
        let before = (game.wood(), game.glory(), game.held());
        let in_stack: Vec<_> = stack.split(' ').collect();

        game.play(&format!("draw 1, cards {}", in_stack[in_stack.len().saturating_sub(4)..].join(" ")));

        assert_eq!(game.due() != "over", scored, "{kind}: {stack}");
        assert_eq!((game.wood(), game.glory(), game.held()) != before, scored, "{kind}: {stack}");
    }
}

/// A11: there are no more draws, and no more turns, though seat 1 has had one turn fewer.
#[test]
fn no_more_cards_are_drawn_after_the_end() {
    let mut game = table("wood: 2 / 0\nhands: fish*3 / _\ncolumns: priest / _ / _ / _\nstack: 2");

    game.play("play fish 3, draw 1");
    let outcome = game.chance(3).to_string();
    game.play(&outcome);

    assert_eq!((game.due(), game.hand(0)), ("over".to_owned(), "priest".to_owned()));
    assert!(game.refuses("draw 1"));
    assert_eq!(game.legal_for(1), "");
}

/// A replenishing that leaves cards in the stack does not end the game. A replenishing that uses up the stack ends the game,
/// with two cards or with four.
#[test]
fn the_game_ends_only_when_the_stack_is_used_up() {
    for (stack, over) in [(2, true), (4, true), (5, false), (6, false), (34, false)] {
        let mut game = table(&format!("phase: draw\ndisplays: - / -\ncolumns: priest / _ / _ / _\nstack: {stack}"));

        game.play("draw 1");
        let outcome = game.chance(3).to_string();
        game.play(&outcome);

        assert_eq!(game.due() == "over", over, "{stack} in the stack");
    }
}

/// A16: with the front view chance reveals one of the last two cards, and nobody sees the other card.
#[test]
fn with_the_front_view_the_last_replenishing_shows_one_card() {
    let mut game = table(
        "display_view: front
         phase: draw
         columns: fish / grain / mulberry / priest
         stack: priest moai",
    );
    game.play("draw 1");
    assert!(game.refuses("cards moai priest"));

    game.play("cards moai");

    assert_eq!((game.due(), game.column(1), game.game.table.stack), ("over".to_owned(), "moai ?".to_owned(), 0));
    assert_eq!(super::names(game.game.table.unseen), "priest");
}

/// Without a replenishing, a small stack does not end the game.
#[test]
fn drawing_from_a_column_that_stays_ends_nothing() {
    let mut game = table("phase: draw\ndisplays: - / -\ncolumns: fish priest / _ / _ / _\nstack: 2");

    game.play("draw 1");

    assert_eq!(game.due(), "seat 1: play");
}

/// "Collected Glory point tiles: X. Per Moai card in Personal Display Area: 4. Per 5 Wood: 1. Per
/// collected Sacrifice card: 0-3."
#[test]
fn the_final_count_adds_tiles_moai_wood_and_sacrifice_cards() {
    for (glory, moai, wood, cards, points) in [
        (0, 0, 0, "-", 0),
        (7, 0, 0, "-", 7),
        (0, 1, 0, "-", 4),
        (0, 3, 0, "-", 12),
        (0, 0, 4, "-", 0),
        (0, 0, 5, "-", 1),
        (0, 0, 9, "-", 1),
        (0, 0, 23, "-", 4),
        (0, 0, 0, "grain*2", 6),
        (0, 0, 0, "fish", 2),
        (0, 0, 0, "sweet_potato*5", 0),
        (7, 3, 23, "grain*2 fish sweet_potato", 7 + 12 + 4 + 6 + 2),
    ] {
        let game = table(&format!(
            "phase: over\nglory: {glory} / 0\ndisplays: lumberjack moai*{moai} / priest*3\nwood: {wood} / 0\n\
             cards: {cards} / -\nstone: sweet_potato*1 mulberry*2 fish*3 grain*4"
        ));

        assert_eq!(game.scores(), [points, 0], "{glory} glory, {moai} Moai, {wood} wood, {cards}");
    }
}

/// Cards in hand are worth nothing, including Moai.
#[test]
fn cards_in_hand_are_worth_nothing_at_the_end() {
    let game = table("phase: over\nhands: moai*3 / fish*3\ncards: - / -");

    assert_eq!(game.scores(), [0, 0]);
}

/// A14: face-down cards count like others, regardless of their player.
#[test]
fn cards_that_lie_face_down_count_at_the_end() {
    let text = "phase: over\ncards: fish / grain\nstone: grain*2 mulberry";

    assert_eq!(table(text).scores(), [1, 3], "2 grain, 1 mulberry, no fish and no sweet potatoes");
    assert_eq!(table(&format!("{text}\nface_down: 0 fish, 1 fish, 0 fish")).scores(), [3, 2], "3 fish now");
    assert_eq!(table(&format!("{text}\nface_down: 1 fish, 1 fish")).scores(), [3, 3], "2 fish now");
}

/// A19: at the end everybody knows all sacrifice cards.
#[test]
fn all_sacrifice_cards_are_shown_at_the_end() {
    let text = "cards: fish*2 / grain / mulberry\nface_down: 0 fish, 1 grain\nstone: mulberry";
    let cards =
        |game: &super::Table, who| [0, 1, 2].map(|index| game.view(who).cards_of(super::seat(index)).map(super::names));
    let all = ["fish*2", "grain", "mulberry"].map(|names| Some(names.to_owned()));

    let over = table(&format!("phase: over\n{text}"));
    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        assert_eq!(cards(&over, who), all, "{who}");
        assert_eq!(over.view(who).scores(), over.view(PUBLIC).scores(), "{who}");
    }
    let before = table(text);
    for (index, who) in [viewer(0), viewer(1), viewer(2)].into_iter().enumerate() {
        let mut own = [None, None, None];
        own[index].clone_from(&all[index]);
        assert_eq!(cards(&before, who), own, "{who}");
    }
    assert_eq!(cards(&before, PUBLIC), [None, None, None]);
}

/// "The player with the most Glory points wins." A18: among equal points more Moai come first, then more wood; then
/// the players share the place.
#[test]
fn ties_are_broken_by_moai_then_by_wood_then_shared() {
    for (glory, displays, wood, scores, ranks) in [
        ("5 / 7 / 6", "- / - / -", "0 / 0 / 0", [5, 7, 6], [3, 1, 2]),
        // 4 for a Moai, or 4 in tiles.
        ("4 / 0 / 0", "- / moai / -", "0 / 0 / 0", [4, 4, 0], [2, 1, 3]),
        ("4 / 0 / 8", "moai / moai*2 / -", "0 / 0 / 0", [8, 8, 8], [2, 1, 3]),
        // All leftover wood counts, including wood that made a glory point.
        ("1 / 0 / 1", "- / - / -", "4 / 5 / 3", [1, 1, 1], [2, 1, 3]),
        ("0 / 0 / 2", "- / - / -", "10 / 14 / 4", [2, 2, 2], [2, 1, 3]),
        // Moai before wood.
        ("4 / 0 / 0", "- / moai / -", "4 / 0 / 0", [4, 4, 0], [2, 1, 3]),
        ("3 / 3 / 3", "- / - / -", "2 / 2 / 2", [3, 3, 3], [1, 1, 1]),
        ("3 / 3 / 9", "- / - / -", "2 / 2 / 2", [3, 3, 9], [2, 2, 1]),
        ("9 / 9 / 3", "- / - / -", "2 / 2 / 2", [9, 9, 3], [1, 1, 3]),
    ] {
        let game = table(&format!("phase: over\nglory: {glory}\ndisplays: {displays}\nwood: {wood}\ncards: - / - / -"));

        assert_eq!((game.scores(), game.ranks()), (scores.into(), ranks.into()), "{glory}, {displays}, {wood}");
    }
}

/// Moai out of the game or in hand do not break ties.
#[test]
fn only_moai_in_the_display_break_a_tie() {
    let game = table("phase: over\nhands: moai*2 / -\ncards: - / -\nboxed: 1\nwood: 0 / 1");

    assert_eq!((game.scores(), game.ranks()), (vec![0, 0], vec![2, 1]));
}

/// After setup the stack has 34 cards, eight times four and two, so the ninth replenishing ends the game. The players draw
/// 36 to 45 cards, regardless of their number, in at most 45 turns.
#[test]
fn the_ninth_replenishing_finds_two_cards_and_ends_the_game() {
    let mut lengths = Vec::new();
    for count in 2..=4 {
        let seats = Seats::new(count).expect("a game fits a table");
        for seed in 0..few_games() {
            let (mut replenished, mut drawn, mut turns) = (Vec::new(), 0, 0);
            play_random::<RapanuiCards>(&some_options::<RapanuiCards>(seats, seed), seed, |game, next, _| {
                let stack = game.table.stack;
                let Some(next) = next else { return };
                let (mut after, mut events) = (game.clone(), Vec::new());
                carry_out(&mut after, next, &mut events);
                if after.table.stack != stack && after.table.turn > 0 && game.table.turn > 0 {
                    replenished.push(stack - after.table.stack);
                }
                drawn += events.iter().filter(|event| matches!(event, Event::Drew { .. })).count();
                turns += events.iter().filter(|event| matches!(event, Event::TurnBegan { .. })).count();
                assert_eq!(after.table.stack == 0, matches!(events.last(), Some(Event::Ended { .. })));
            });

            assert_eq!(replenished, [4, 4, 4, 4, 4, 4, 4, 4, 2], "{count} seats, seed {seed}");
            assert!((36..=45).contains(&drawn), "{count} seats, seed {seed}: {drawn} cards were drawn");
            assert!(turns <= drawn, "{count} seats, seed {seed}: each turn draws a card");
            lengths.push(drawn);
        }
    }
    assert!(lengths.iter().min() < lengths.iter().max());
}

/// The shortest game empties one column after the other; the longest leaves one card in each other column.
#[test]
fn a_game_has_36_to_45_draws() {
    let draws = |column: fn(&RapanuiCards) -> usize| {
        let mut game = super::before_setup("start_player: seat0");
        let mut drawn = 0;
        while game.due() != "over" {
            let ply = match game.due() {
                due if due.starts_with("chance") => game.chance(5).to_string(),
                due if due.ends_with("draw") => {
                    drawn += 1;
                    format!("draw {}", column(&game.game))
                }
                _ => game.legal().split(", ").next().expect("something").to_owned(),
            };
            game.play(&ply);
        }
        drawn
    };

    assert_eq!(draws(|_| 1), 36, "always the first column: nine times four cards");
    let fullest = |game: &RapanuiCards| {
        let deepest = game.table.columns.iter().map(|pile| pile.len).max();
        1 + game.table.columns.iter().position(|pile| Some(pile.len) == deepest).expect("there are columns")
    };
    assert_eq!(draws(fullest), 45, "the fullest column: one card stays in each of the others");
}

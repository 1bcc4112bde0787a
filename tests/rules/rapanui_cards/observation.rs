//! An observation encodes the table in numbers.

use ahu_core::{Encode as _, FieldKind, Layout, View as _, Viewer};

use super::{PUBLIC, Table, table, viewer};
use crate::scripted;

/// Returns the values of a field of the shown view's observation.
fn observed(game: &Table, who: Viewer, name: &str) -> Vec<i16> {
    scripted::observed(&game.view(who).shown(), name)
}

/// Returns the indexes of the set bits of a field.
fn set(game: &Table, who: Viewer, name: &str) -> Vec<usize> {
    let values = observed(game, who, name);
    (0..values.len()).filter(|&n| values[n] == 1).collect()
}

/// Returns the counts of thermometers of `width` bits each.
fn counted(game: &Table, who: Viewer, name: &str, width: usize) -> Vec<usize> {
    let values = observed(game, who, name);
    values.chunks(width).map(|bits| bits.iter().filter(|&&bit| bit == 1).count()).collect()
}

/// Returns the width of a field's last axis, by which its bits are read.
fn width(game: &Table, name: &str) -> usize {
    let mut layout = Layout::default();
    game.view(PUBLIC).write(&mut layout);
    let (_, field) = layout.bits.iter().find(|(_, field)| field.name == name).expect("a field of bits");
    assert_eq!(field.kind, FieldKind::Thermometer, "{name}");
    *field.shape.last().expect("it has an axis")
}

fn three() -> Table {
    table(
        "phase: draw
         active: 1
         turn: 12
         displays: lumberjack priest*2 / moai*2 fish / grain*4 lumberjack
         hands: moai fish*2 / grain moai / priest*3
         wood: 4 / 11 / 0
         glory: 3 / 0 / 12
         cards: fish*2 / - / grain mulberry
         stone: fish grain
         face_down: 0 fish, 2 grain, 0 mulberry
         top: grain
         columns: moai fish / priest / _ / _",
    )
}

/// Fields by seat begin with the viewer's seat and go to the left. Absent seats are zero. The public's fields begin with
/// seat 0.
#[test]
fn an_observation_is_seen_from_the_own_seat() {
    let game = three();
    for (who, first) in [(viewer(0), 0), (viewer(1), 1), (viewer(2), 2), (PUBLIC, 0)] {
        let turned = |mut values: Vec<i16>| {
            values.rotate_left(first);
            values.push(0);
            values
        };
        assert_eq!(observed(&game, who, "present"), [1, 1, 1, 0], "{who}");
        assert_eq!(observed(&game, who, "active"), turned(vec![0, 1, 0]), "{who}");
        assert_eq!(observed(&game, who, "to_act"), turned(vec![0, 1, 0]), "{who}");
        assert_eq!(observed(&game, who, "wood"), turned(vec![4, 11, 0]), "{who}");
        assert_eq!(observed(&game, who, "glory"), turned(vec![3, 0, 12]), "{who}");
        assert_eq!(observed(&game, who, "points"), turned(vec![3, 8 + 2, 12]), "{who}");
        assert_eq!(observed(&game, who, "sacrifice_cards"), turned(vec![2, 0, 2]), "{who}");
        assert_eq!(observed(&game, who, "hidden"), turned(vec![2, 0, 1]), "{who}");
        let counts = |name| counted(&game, who, name, width(&game, name)).iter().map(|&n| n as i16).collect::<Vec<_>>();
        assert_eq!(counts("lumberjacks"), turned(vec![1, 0, 1]), "{who}");
        assert_eq!(counts("priests"), turned(vec![2, 0, 0]), "{who}");
        assert_eq!(counts("moai"), turned(vec![0, 2, 0]), "{who}");
        let mut gatherers = vec![vec![0, 0, 0, 0], vec![1, 0, 0, 0], vec![0, 0, 0, 4]];
        gatherers.rotate_left(first);
        gatherers.push(vec![0; 4]);
        assert_eq!(counts("gatherers"), gatherers.concat(), "{who}");
        // Priests are kind 5, Moai 6, grain 3: each the sole majority of at least two.
        let mut bonus = vec![vec![0, 0, 0, 0, 0, 1, 0], vec![0, 0, 0, 0, 0, 0, 1], vec![0, 0, 0, 1, 0, 0, 0]];
        bonus.rotate_left(first);
        bonus.push(vec![0; 7]);
        assert_eq!(observed(&game, who, "bonus"), bonus.concat(), "{who}");
    }
}

/// The viewer's own facts are the hand, the sacrifice cards, the face-down cards, and the prices.
#[test]
fn an_observation_shows_what_is_ones_own() {
    let game = three();
    for (who, hand, cards, hidden, price) in [
        (viewer(0), [2, 0, 0, 0, 0, 0, 1], [2, 0, 0, 0], [1, 1, 0, 0], [5, 5, 5, 5]),
        (viewer(1), [0, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [4, 5, 5, 5]),
        (viewer(2), [0, 0, 0, 0, 0, 3, 0], [0, 1, 0, 1], [0, 0, 0, 1], [5, 5, 5, 1]),
    ] {
        assert_eq!(counted(&game, who, "hand", width(&game, "hand")), hand, "{who}");
        assert_eq!(observed(&game, who, "own_cards"), cards, "{who}");
        assert_eq!(observed(&game, who, "own_hidden"), hidden, "{who}");
        assert_eq!(observed(&game, who, "price"), price, "{who}");
    }
    assert_eq!(set(&game, PUBLIC, "hand"), Vec::<usize>::new());
    assert_eq!(observed(&game, PUBLIC, "own_cards"), [0; 4]);
    assert_eq!(observed(&game, PUBLIC, "own_hidden"), [0; 4]);
}

/// The cards of a column begin with the front card, and each card is one of seven kinds. The depth of each column is a field
/// too.
#[test]
fn an_observation_shows_the_columns() {
    let game = table("columns: moai priest grain fish / lumberjack / sweet_potato mulberry / fish fish fish");

    for who in [viewer(0), viewer(1), PUBLIC] {
        assert_eq!(counted(&game, who, "depths", 4), [4, 1, 2, 3], "{who}");
        // Four places for each column, seven kinds for each place.
        let place = |column: usize, place: usize, kind: usize| column * 28 + place * 7 + kind;
        assert_eq!(
            set(&game, who, "columns"),
            [
                place(0, 0, 6),
                place(0, 1, 5),
                place(0, 2, 3),
                place(0, 3, 0),
                place(1, 0, 4),
                place(2, 0, 2),
                place(2, 1, 1),
                place(3, 0, 0),
                place(3, 1, 0),
                place(3, 2, 0),
            ],
            "{who}"
        );
    }
    let front = table("display_view: front\ncolumns: moai ? ? ? / lumberjack / sweet_potato ? / fish ? ?");
    assert_eq!(counted(&front, PUBLIC, "depths", 4), [4, 1, 2, 3]);
    assert_eq!(set(&front, PUBLIC, "columns"), [6, 28 + 4, 56 + 2, 84]);
}

#[test]
fn an_observation_shows_the_supply_the_stack_and_the_turn() {
    let game = table("turn: 31\nstock: fish*3 mulberry*25 grain\nstack: lumberjack*2 moai\ncards: - / -\nboxed: 2");

    assert_eq!(observed(&game, viewer(0), "stock"), [3, 25, 0, 1]);
    assert_eq!(observed(&game, viewer(0), "stack"), [3]);
    assert_eq!(observed(&game, viewer(0), "unseen"), [0, 0, 0, 0, 2, 0, 1]);
    assert_eq!(observed(&game, viewer(0), "turn"), [31]);
    assert_eq!(observed(&game, viewer(0), "boxed"), [2]);
    assert!(game.view(viewer(0)).to_string().contains("Moai out of the game 2"));
}

/// The kind that is being scored is shown too.
#[test]
fn an_observation_shows_the_decision() {
    for (text, plies, decision, scored, to_act) in [
        ("phase: buy\nwood: 5 / 0", "", vec![0], vec![], 0),
        ("phase: play", "", vec![1], vec![], 0),
        ("phase: sacrifice 1", "", vec![2], vec![], 1),
        ("phase: supply", "", vec![3], vec![], 0),
        ("phase: draw", "", vec![4], vec![], 0),
        ("phase: draw\ncolumns: fish moai / _ / _ / _\ndisplays: - / moai", "draw 1", vec![5], vec![6], 1),
        (
            "phase: draw\ncolumns: fish mulberry / _ / _ / _\ndisplays: mulberry*2 / -\nstock: grain*4",
            "draw 1",
            vec![6],
            vec![1],
            0,
        ),
    ] {
        let mut game = table(text);
        if !plies.is_empty() {
            game.play(plies);
        }

        assert_eq!(set(&game, viewer(0), "phase"), decision, "{text}");
        assert_eq!(set(&game, viewer(0), "scored"), scored, "{text}");
        assert_eq!(set(&game, viewer(0), "to_act"), [to_act], "{text}");
        let due = if game.due().contains("pick") { 2 } else { 0 };
        assert_eq!(observed(&game, viewer(0), "due"), [due], "{text}");
    }
    let over = table("phase: over");
    assert_eq!((set(&over, PUBLIC, "phase"), set(&over, PUBLIC, "to_act")), (vec![], vec![]));
}

/// D3: the observation shows the card on top, and in the English edition the number of face-up cards of each food. At the
/// end it shows all cards.
#[test]
fn an_observation_shows_the_stone_as_the_edition_does() {
    let stone = "cards: fish / grain\nstone: fish*2 grain*3 sweet_potato\nface_down: 0 grain, 1 mulberry";
    for (text, top, counts) in [
        (format!("edition: german\n{stone}"), vec![2], [0, 0, 0, 0]),
        (format!("edition: english\n{stone}"), vec![2], [2, 0, 1, 3]),
        (format!("edition: english\n{stone}\ntop: face_down"), vec![4], [2, 0, 1, 3]),
        (format!("edition: german\n{stone}\ntop: face_down"), vec![4], [0, 0, 0, 0]),
        (format!("edition: german\n{stone}\nphase: over"), vec![2], [2, 1, 1, 4]),
        (format!("edition: english\n{stone}\nphase: over"), vec![2], [2, 1, 1, 4]),
        ("edition: english".to_owned(), vec![], [0, 0, 0, 0]),
    ] {
        let game = table(&text);
        for who in [viewer(0), viewer(1), PUBLIC] {
            assert_eq!(set(&game, who, "top"), top, "{who}: {text}");
            assert_eq!(observed(&game, who, "stone"), counts, "{who}: {text}");
        }
    }
}

/// At the end the points include the sacrifice cards.
#[test]
fn an_observation_shows_the_final_points_at_the_end() {
    let text = "wood: 5 / 0\ncards: grain*2 / fish\nstone: grain*2 fish";

    assert_eq!(observed(&table(text), viewer(1), "points"), [0, 1, 0, 0]);
    assert_eq!(observed(&table(&format!("phase: over\n{text}")), viewer(1), "points"), [2, 7, 0, 0]);
}

#[test]
fn an_observation_shows_the_options_that_change_play() {
    for (n, option) in [
        "stone_view: all_face_up",
        "display_view: front\ncolumns: fish ? / fish ? / fish ? / fish ?",
        "moai_supply_sacrifice: optional",
        "depleted_pick: may_decline",
        "zero_count_types: worth_0",
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(set(&table(option), PUBLIC, "options"), [n], "{option}");
    }
    assert_eq!(set(&table("seats: 2"), PUBLIC, "options"), Vec::<usize>::new());
}

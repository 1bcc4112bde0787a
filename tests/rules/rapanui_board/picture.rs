//! The picture of the table: its titles, its marks, its limits.

use std::collections::BTreeMap;

use ahu_core::parts::picture::Scene;
use ahu_core::{Describe as _, Game as _, View as _, Viewer, options as option_list};
use ahu_games::rapanui_board::{Options, View};

use super::{PUBLIC, Table, play_sensibly, seat, table, viewer};

/// The position of most tests, with every kind of piece.
const POSITION: &str = "\
    0: at 13 13_ 8_, has reeds*3 pearls, offerings hut boat, sculptors small, moai small large, chief 8\n\
    1: fervent, tablet, tiles skimp*2 barter, chip_ins small, chief medium, at 25*2\n\
    2: works, out, has eggs*8\n\
    on 25: large^ small chip_in\n\
    on 9: rest";

/// Returns the picture that a viewer is shown.
fn picture(who: Viewer, game: &Table, before: Option<&Table>) -> String {
    let before: Option<View> = before.map(|before| before.view(who).shown());
    game.view(who).shown().svg(before.as_ref(), Scene::default())
}

/// Returns the titles of the pieces, in the order of the picture.
fn titles(picture: &str) -> Vec<&str> {
    picture.split("<g><title>").skip(1).map(|piece| piece.split_once("</title>").expect("titles end").0).collect()
}

/// Returns for each mark the title of the piece before it, up to its first colon or comma.
fn marked(picture: &str) -> Vec<&str> {
    let of_piece = |piece: &str| piece.matches("<rect class=\"new\"").count();
    let pieces = picture
        .split("<g><title>")
        .skip(1)
        .map(|piece| (piece.split([':', '<']).next().unwrap_or(""), of_piece(piece)));
    pieces.flat_map(|(title, marks)| std::iter::repeat_n(title, marks)).collect()
}

#[test]
fn titles_tell_every_piece() {
    let game = table(POSITION);
    let picture = picture(viewer(0), &game, None);
    let titles = titles(&picture);
    for expected in [
        "space 13: eggs; Transporters of seat 0: 1 stand, 1 lie",
        "space 8: reeds; Transporters of seat 0: 0 stand, 1 lie, and the Chief",
        "space 25: eggs or wood; Ahu tiles: chip_in; Moai: small, large; with a Pukao: 1; \
         Transporters of seat 1: 2 stand, 0 lie",
        "space 9: reeds; Ahu tiles: rest",
        "space 7: reeds or eggs",
        "the Crater, where Moai begin",
        "the Pukao Quarry: 19 Pukao",
        "turn order: 0, 1, 2",
        "star space 1: Sorcerer of seat 0",
        "star space 3: free",
        "small: 6 Moai; free places: 4; seat 0: 1; seat 1: 1",
        "medium: 7 Moai; free places: 4; seat 1: 1",
        "hut: stack 7, 7, 6; Outstanding 10, 9",
        "boat: stack 10, 10, 9; Outstanding 13",
    ] {
        assert!(titles.contains(&expected), "{expected}: {titles:#?}");
    }
    let of_player =
        |start: &str| titles.iter().find(|title| title.starts_with(start)).expect("each player has a title");
    assert!(
        of_player("seat 0: ")
            .starts_with("seat 0: 23 points; 3 reeds, 1 pearl; Moai to transport: 1 small, 1 large; Villagers: ")
    );
    assert!(of_player("seat 1: ").contains("improvements: fervent, chief; tiles: barter, skimp x2; tablet"));
    assert!(of_player("seat 2: ").contains("Sorcerer at work; dropped out"));
}

#[test]
fn a_transport_is_drawn_with_its_way() {
    let game = table("0: at 8 9, moai small\n1: at 7\non 9: chip_in");
    let way = |game: &Table| picture(PUBLIC, game, None).matches("<rect class=\"thick\"").count();
    assert_eq!(way(&game), 0);
    let under_way = game.after("transport small, step 8");
    assert_eq!(way(&under_way), 2, "the Crater and space 8");
    let picture = picture(PUBLIC, &under_way, None);
    let on_space = "space 8: reeds; Transporters of seat 0: 1 stand, 0 lie; a small Moai is on its way";
    assert!(titles(&picture).contains(&on_space), "{:#?}", titles(&picture));
}

#[test]
fn a_toll_to_choose_is_drawn() {
    let game = table("0: at 8 2, moai small\n1: at 7\non 2: rest")
        .after("transport small, step 8, step 7, step 2, erect rest");
    let picture = picture(PUBLIC, &game, None);
    let found = titles(&picture)
        .into_iter()
        .any(|title| title.starts_with("space 7: ") && title.ends_with("a toll is to be chosen"));
    assert!(found, "{:#?}", titles(&picture));
}

#[test]
fn nothing_is_marked_without_a_change() {
    let game = table(POSITION);
    assert_eq!(marked(&picture(PUBLIC, &game, None)), Vec::<&str>::new());
    assert_eq!(marked(&picture(PUBLIC, &game, Some(&game))), Vec::<&str>::new());
}

#[test]
fn what_a_ply_changed_is_marked_and_nothing_else() {
    let place = table("phase: place\n1: has eggs*2 wood*2, tiles barter");
    let cases = [
        (&place, "transporter 14", vec!["space 14", "seat 0"]),
        (&place, "sorcerer 2", vec!["star space 2", "seat 0"]),
        (&place, "sculptor medium", vec!["medium", "seat 0"]),
    ];
    for (before, ply, expected) in cases {
        assert_eq!(marked(&picture(PUBLIC, &before.after(ply), Some(before))), expected, "{ply}");
    }
    let other = place.after("transporter 14");
    // The points, the Wood, the figurines in hand, and the new tile.
    let bought = picture(PUBLIC, &other.after("improve popular"), Some(&other));
    assert_eq!(marked(&bought), ["seat 1"; 4]);
}

#[test]
fn a_tile_that_has_gone_is_shown_once_more() {
    let game = table("0: has reeds*3 eggs, tiles barter");
    let played = game.after("tile barter reeds wood");
    let picture = picture(PUBLIC, &played, Some(&game));
    assert!(picture.contains(">\u{d7}0</text>"), "{picture}");
    // The Reeds, the Wood, and the tile.
    assert_eq!(marked(&picture), ["seat 0", "seat 0", "barter"]);
}

/// M32, `private`.
#[test]
fn the_worth_of_others_offerings_is_not_drawn() {
    let game = table("0: offerings hut boat, has reeds\n1: offerings necklace");
    let mut other = game.clone();
    other.game.offered[seat(0)] -= 1;
    for who in [viewer(1), viewer(2), PUBLIC] {
        assert_eq!(picture(who, &game, Some(&game)), picture(who, &other, Some(&other)), "{who}");
        assert!(picture(who, &game, None).contains(">1+?</text>"), "{who}");
    }
    assert!(picture(viewer(0), &game, None).contains(">20</text>"));
    assert!(picture(viewer(0), &other, None).contains(">19</text>"));
}

#[test]
fn no_piece_leaves_the_picture() {
    let mut drawn: BTreeMap<String, usize> = BTreeMap::new();
    let wide = [("quarry_small", "9"), ("quarry_medium", "9"), ("star_spaces", "6"), ("resource_cap", "15")];
    for (seats, given) in [(2, &[][..]), (3, &[][..]), (4, &wide[..])] {
        let options: Options = option_list::read(seats, given.iter().copied()).expect("these are options");
        let mut before: Option<View> = None;
        play_sensibly(&options, 3, |game, _| {
            let view = game.view(viewer(1)).shown();
            let picture = view.svg(before.as_ref(), Scene::default());
            let height = number(&picture, "viewBox=\"0 0 400 ");
            for shape in picture.split('<') {
                let Some((name, corners)) = corners(shape) else { continue };
                *drawn.entry(name.to_owned()).or_default() += 1;
                for (x, y) in corners {
                    assert!((0.0..=400.0).contains(&x) && (0.0..=height).contains(&y), "({x}, {y}) of {shape}");
                }
            }
            before = Some(view);
        });
    }
    assert!(drawn.len() == 5 && drawn.values().all(|&count| count > 100), "{drawn:?}");
}

/// Returns the name of a shape, and the corners of a rectangle or the points around it; None for marks that draw nothing. A
/// text has the ends of its base line, at half of its size for each character.
fn corners(shape: &str) -> Option<(&str, Vec<(f32, f32)>)> {
    let (name, _) = shape.split_once(' ')?;
    let of = |attribute: &str| number(shape, &format!(" {attribute}=\""));
    let corners = match name {
        "rect" => vec![(of("x"), of("y")), (of("x") + of("width"), of("y") + of("height"))],
        "circle" => [-1.0, 1.0].map(|sign| (of("cx") + sign * of("r"), of("cy") + sign * of("r"))).to_vec(),
        "polygon" | "polyline" => {
            let (_, points) = shape.split_once(" points=\"").expect("the shape has points");
            let points = points.split('"').next().expect("the points end").split(' ');
            let point = |point: &str| {
                let (x, y) = point.split_once(',').expect("two numbers");
                (x.parse().expect("a number"), y.parse().expect("a number"))
            };
            points.map(point).collect()
        }
        "text" => {
            let classes = shape.split_once(" class=\"").map_or("", |(_, classes)| classes);
            let has = |class: &str| classes.split('"').next().is_some_and(|all| all.split(' ').any(|own| own == class));
            let size = if has("s") { 9.0 } else { 10.0 };
            let (_, letters) = shape.split_once('>').expect("a text ends");
            let width = 0.5 * size * letters.chars().count() as f32;
            let left = of("x")
                - if has("m") {
                    0.5 * width
                } else if has("e") {
                    width
                } else {
                    0.0
                };
            vec![(left, of("y")), (left + width, of("y"))]
        }
        _ => return None,
    };
    Some((name, corners))
}

/// Returns the number of an attribute of a shape.
fn number(shape: &str, attribute: &str) -> f32 {
    let (_, value) = shape.split_once(attribute).expect("the shape has the attribute");
    value.split_once('"').expect("a value ends").0.parse().expect("a number")
}

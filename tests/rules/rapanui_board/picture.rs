//! The picture of the table: its titles, its marks, its limits.

use ahu_core::parts::picture::Scene;
use ahu_core::{Describe as _, View as _, Viewer};
use ahu_games::rapanui_board::View;
use roxmltree::{Document, Node};

use super::{PUBLIC, Table, seat, table, viewer};

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

/// Returns the titles of the things, in the order of the picture.
fn titles(picture: &str) -> Vec<&str> {
    let things = picture.split("<g").skip(1).filter_map(|thing| thing.split_once('>')?.1.strip_prefix("<title>"));
    things.map(|thing| thing.split_once("</title>").expect("titles end").0).collect()
}

/// Returns for each mark the title of the thing around it, up to its first colon or comma.
fn marked(picture: &str) -> Vec<String> {
    let document = Document::parse(picture).expect("valid XML");
    let title = |mark: Node<'_, '_>| {
        let mut titles = mark.ancestors().filter_map(|node| node.first_element_child());
        let title = titles.find(|child| child.has_tag_name("title")).expect("a mark is on a thing");
        title.text().and_then(|text| text.split([':', ',']).next()).expect("a title has words").to_owned()
    };
    document.descendants().filter(|node| node.attribute("class") == Some("new")).map(title).collect()
}

#[test]
fn titles_tell_every_piece() {
    let game = table(POSITION);
    let picture = picture(viewer(0), &game, None);
    let titles = titles(&picture);
    for expected in [
        "space 13: eggs; Transporters of seat 0: 1 stand, 1 lie",
        "space 8: reeds; Transporters of seat 0: 0 stand, 1 lie, and the Chief",
        "space 25: eggs or wood; Ahu tiles: chip in; Moai: small, large; with a Pukao: 1; \
         Transporters of seat 1: 2 stand, 0 lie",
        "space 9: reeds; Ahu tiles: rest",
        "space 7: reeds or eggs",
        "the Crater, where Moai begin",
        "the Pukao Quarry: 19 Pukao",
        "turn order: seat 0, seat 1, seat 2",
        "star space 1: Sorcerer of seat 0",
        "star space 3: free",
        "small: 6 Moai; free places: 4; seat 0: 1; seat 1: 1",
        "medium: 7 Moai; free places: 4; seat 1: 1",
        "hut: stack 7, 7, 6; Outstanding 10, 9",
        "boat: stack 10, 10, 9; Outstanding 13",
    ] {
        assert!(titles.contains(&expected), "{expected}: {titles:#?}");
    }
    for expected in [
        "seat 0: 23 points",
        "seat 0: 3 reeds",
        "seat 0: 1 pearl",
        "seat 0: Moai to transport: 1 small, 1 large",
        "seat 0: Offering tiles: 1 boat",
    ] {
        assert!(titles.contains(&expected), "{expected}: {titles:#?}");
    }
    let of_player =
        |start: &str| *titles.iter().find(|title| title.starts_with(start)).expect("each player has a title");
    assert!(of_player("seat 1: Villagers: ").contains("improvements: fervent, chief; tiles: barter, skimp x2; tablet"));
    assert!(of_player("seat 2: Villagers: ").contains("Sorcerer at work; dropped out"));
}

#[test]
fn a_transport_is_drawn_with_its_way() {
    let game = table("0: at 8 9, moai small\n1: at 7\non 9: chip_in");
    let way = |game: &Table, before: Option<&Table>| {
        let picture = picture(PUBLIC, game, before);
        let points = picture.split_once("<polyline class=\"way\" points=\"")?.1.split('"').next()?;
        Some(points.split(' ').count())
    };
    assert_eq!(way(&game, None), None);
    let under_way = game.after("transport small, step 8");
    assert_eq!(way(&under_way, None), Some(2), "the Crater and space 8");
    let arriving = under_way.after("step 9");
    assert_eq!(way(&arriving, None), Some(3));
    let arrived = arriving.after("erect chip_in");
    assert_eq!((way(&arrived, None), way(&arrived, Some(&arriving))), (None, Some(3)), "once more after the arrival");
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
    assert_eq!(marked(&picture(PUBLIC, &game, None)), Vec::<String>::new());
    assert_eq!(marked(&picture(PUBLIC, &game, Some(&game))), Vec::<String>::new());
}

#[test]
fn what_a_ply_changed_is_marked_and_nothing_else() {
    let place = table("phase: place\n1: has eggs*2 wood*2, tiles barter");
    let cases = [
        (&place, "transporter 14", vec!["space 14", "seat 0"]),
        (&place, "sorcerer 2", vec!["seat 0", "star space 2"]),
        (&place, "sculptor medium", vec!["seat 0", "medium"]),
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
        assert!(
            titles(&picture(who, &game, None))
                .iter()
                .any(|title| title.starts_with("seat 0: 2") && title.ends_with(" est. points")),
            "{who}"
        );
    }
    assert!(titles(&picture(viewer(0), &game, None)).contains(&"seat 0: 20 points"));
    assert!(titles(&picture(viewer(0), &other, None)).contains(&"seat 0: 19 points"));
}

#[test]
fn hidden_points_are_estimated_and_the_estimate_wears_the_crown() {
    let crowned = |position: &str| {
        let picture = picture(PUBLIC, &table(position), None);
        let body = picture.split_once("</defs>").expect("symbols").1;
        let crown = body.find("href=\"#crown\"").expect("somebody leads");
        body[..crown].matches("data-t=\"seat ").count() - 1
    };
    assert_eq!(crowned("0: has reeds*4"), 0);
    assert_eq!(crowned("0: has reeds*4\n1: offerings necklace"), 1);
    assert!(picture(PUBLIC, &table("1: offerings necklace"), None).contains(">offerings about 12<"));
}

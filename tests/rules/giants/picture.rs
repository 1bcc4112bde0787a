//! The picture of a table: titles name the pieces, rings mark changes, and hidden facts are not in the picture.

use ahu_core::Describe as _;
use ahu_core::parts::picture::{Layout, Scene};

use super::{PUBLIC, Table, seat, table, viewer};

/// Returns the titles in a picture, in the order of its shapes, without what a player can still gain.
fn titles(picture: &str) -> Vec<&str> {
    let titles = picture.split("<title>").skip(1).map(|rest| rest.split_once("</title>").expect("a title ends").0);
    titles.map(|title| title.strip_suffix(" more to gain").map_or(title, |title| &title[..title.len() - 3])).collect()
}

/// Returns the title before each ring that marks a change.
fn marked(picture: &str) -> Vec<&str> {
    let rings = picture.match_indices("class=\"new\"");
    rings.map(|(n, _)| titles(&picture[..n]).pop().expect("a mark follows the shape that it marks")).collect()
}

/// Returns how often a title stands in a picture.
fn count(picture: &str, title: &str) -> usize {
    titles(picture).into_iter().filter(|&other| other == title).count()
}

/// Returns the picture for the public, with the changes in these plies marked.
fn picture_after(game: &Table, plies: &str) -> String {
    game.after(plies).shown(PUBLIC).svg(Some(&game.shown(PUBLIC)), Scene::default())
}

fn assert_titles(picture: &str, expected: &[&str]) {
    let titles = titles(picture);
    for title in expected {
        assert!(titles.contains(title), "expected \"{title}\", got {titles:#?}");
    }
}

#[test]
fn titles_tell_what_lies_on_the_island() {
    let game = table(
        "figures: 0W@30 0W@30 1S+2@30 2C@27 1W@6
         pieces: 2a@22 of 0, 1a@23 held 1, ha@27, 1b@34
         ahus: a17 of 0, a5 of 1 1c, a6 of 2 2b hb
         cut: 7",
    );
    let picture = game.shown(PUBLIC).svg(None, Scene::default());

    assert_titles(
        &picture,
        &[
            "hex 30, land with Ahus, 5 points for each unit of a Moai, 6 for a headdress",
            "2 Workers of seat 0",
            "2 logs",
            "hex 27, headdress quarry",
            "Chief of seat 2",
            "headdress ha",
            "hex 6, forest with 3 logs",
            "1 Worker of seat 1",
            "hex 7, forest without logs",
            "hex 22, village",
            "Moai 2a of size 2 marked by seat 0",
            "hex 23, land",
            "Moai 1a of size 1 of seat 1 in this phase",
            "Moai 1b of size 1",
            "hex 25, Moai quarry",
            "hex 28, Sorcerers' hut",
            "a17 reserved by seat 0",
            "a5 seat 1's 1c",
            "a6 seat 2's 2b with hb",
            "a0 free",
        ],
    );
    assert_eq!(count(&picture, "Sorcerer of seat 1"), 1);
    for thing in [
        "data-id=\"worker-0-30\" data-t=\"hex 30\"",
        "data-id=\"sorcerer-1\" data-t=\"hex 30\"",
        "data-id=\"2a\" data-t=\"piece 2a\"",
        "data-t=\"hex 25\"",
        "data-t=\"ahu a5\"",
        "data-id=\"hb\"",
    ] {
        assert!(picture.contains(thing), "{thing}");
    }
}

#[test]
fn titles_tell_goods_dice_and_bids() {
    let mut game = table("phase: roll\nbehind: 3W 2T 4L 3H / 2W 2T / 1W\nturn: 1");
    game.play("roll 0 2 3");
    let roll = game.shown(viewer(0)).svg(None, Scene::default());
    game.bid(["2T 1W sorcerer", "-", "1W"]);
    let picture = game.shown(viewer(0)).svg(None, Scene::default());

    assert_titles(
        &roll,
        &["the dice show 0 (counts as 1), 2, 3 (counts as 2)", "1 Moai of size 1", "2 Moai of size 2"],
    );
    assert_titles(&roll, &["3 Workers of seat 0", "2 Tribe Markers of seat 0", "4 logs", "7 bases of seat 0"]);
    assert_titles(
        &roll,
        &["seat 0: 3 points", "3 Rongo half-tablets", "goods behind the screen, not shown", "27 Rongo half-tablets"],
    );
    assert!(picture.contains(">bid nothing</text>"), "seat 1's bid");
    for picture in [picture, roll] {
        assert_eq!(count(&picture, "Sorcerer of seat 0"), 1, "in front of the screen, or behind it");
    }
}

#[test]
fn pieces_in_hand_their_ways_and_the_next_hex_are_shown() {
    let game = table("figures: 0W@24 1C@34 2C@34 0W@33\npieces: 2a front 0");
    let carried = game.after("lift 2a, enter 34, pay +1, pay +1");
    let paying = game.after("lift 2a, enter 34");

    let carried = carried.shown(PUBLIC).svg(None, Scene::default());
    assert_titles(&carried, &["Moai 2a of size 2 of seat 0 in this phase (to decide about)"]);
    let frames = |picture: &str| picture.matches("class=\"mine\"").count();
    // The ring around the lifted piece, and the frame of hex 34.
    let paying = paying.shown(PUBLIC).svg(None, Scene::default());
    assert_eq!((frames(&carried), frames(&paying)), (1, 2));
    for picture in [carried, paying] {
        let way = picture.split("class=\"way2\" points=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert_eq!(way.map(|way| way.split(' ').count()), Some(2), "a way from the quarry to hex 34");
    }
    assert!(!game.shown(PUBLIC).svg(None, Scene::default()).contains("class=\"way2\""));
}

#[test]
fn changes_are_marked_and_nothing_else() {
    let game = table("figures: 0W@24 1C@34 0W@33\npieces: 2a front 0, 1a@23 of 2\nahus: a5 of 1 1b");
    let lifted = game.after("lift 2a");

    let same = game.shown(PUBLIC);
    assert!(marked(&same.svg(Some(&same), Scene::default())).is_empty());
    assert!(marked(&same.svg(None, Scene::default())).is_empty());
    assert_eq!(marked(&picture_after(&game, "lift 2a")), ["Moai 2a of size 2 (to decide about)"]);
    assert_eq!(
        marked(&picture_after(&lifted, "enter 34")),
        ["Moai 2a of size 2 of seat 0 in this phase (to decide about)", "Chief of seat 0", "seat 1: 10 points",]
    );
}

#[test]
fn a_hex_that_somebody_left_is_marked() {
    let game = table("figures: 0W@34 0W@33 1W@33\npieces: 1a@34 of 0, 1b@34").after("lift 1a");
    let marks = picture_after(&game, "enter 33");

    assert_eq!(marked(&marks), ["hex 34 has changed", "Moai 1a of size 1 marked by seat 0 (to decide about)"]);
}

#[test]
fn placed_figures_and_spent_goods_are_marked() {
    let game = table("phase: place\nbehind: 2W 2T 3L / 1W");
    let before = game.shown(viewer(0));
    let after = game.after("place worker 2 logs, at 30").shown(viewer(0));

    let picture = after.svg(Some(&before), Scene::default());
    let marks = marked(&picture);
    assert!(picture.contains(">1 Worker of seat 0, 4 more to gain<"), "the goods in the receptacle");
    for title in ["1 Worker of seat 0", "2 logs", "1 log"] {
        assert!(marks.contains(&title), "{title}: {marks:?}");
    }
    for title in ["2 Tribe Markers of seat 0", "7 bases of seat 0", "a13 free"] {
        assert!(!marks.contains(&title) && titles(&picture).contains(&title), "{title}: {marks:?}");
    }
}

#[test]
fn all_pieces_of_a_crowded_hex_are_shown() {
    let names = ["1a", "1b", "1c", "1d", "1e", "1f", "1g", "2a", "2b", "3a"];
    let pieces: Vec<String> = names.iter().map(|name| format!("{name}@25")).collect();
    let game = table(&format!("pieces: {}", pieces.join(", ")));

    for layout in [Layout::Wide, Layout::Phone] {
        let picture = game.shown(PUBLIC).svg(None, Scene { layout, ..Scene::default() });
        for name in names {
            assert_eq!(count(&picture, &format!("Moai {name} of size {}", &name[..1])), 1, "{name}");
        }
    }
}

#[test]
fn goods_behind_others_screens_do_not_appear() {
    let [few, many] = ["1W", "4W 3T 5L"].map(|goods| table(&format!("phase: place\nbehind: 2W / {goods}")));

    for viewer in [viewer(0), viewer(2), PUBLIC] {
        // The stock of logs is open.
        let logs = |picture: String| picture.replace("22", "27");
        assert_eq!(
            logs(many.shown(viewer).svg(None, Scene::default())),
            logs(few.shown(viewer).svg(None, Scene::default())),
            "{viewer}"
        );
    }
    assert_ne!(many.shown(viewer(1)).svg(None, Scene::default()), few.shown(viewer(1)).svg(None, Scene::default()));
    let open = table("screen_view: open\nphase: place\nbehind: 2W / 4W 3T");
    assert_titles(
        &open.shown(PUBLIC).svg(None, Scene::default()),
        &["4 Workers of seat 1", "3 Tribe Markers of seat 1"],
    );
}

#[test]
fn bids_do_not_appear_before_all_are_made() {
    let mut bids = ["2T 2W", "-"].map(|bid| {
        let mut game = table("phase: bid 1\nbehind: 2W 2T / 2W 2T");
        game.seal(1, bid);
        game
    });
    for viewer in [viewer(0), viewer(2), PUBLIC] {
        let [one, other] = bids.each_ref().map(|game| game.shown(viewer).svg(None, Scene::default()));
        assert_eq!(one, other, "{viewer}");
        assert!(one.contains(">bid made</text>"), "all see that the bid is made");
    }
    let [one, other] = bids.each_ref().map(|game| game.shown(viewer(1)).svg(None, Scene::default()));
    assert_ne!(one, other, "the bidder sees the bid");

    for game in &mut bids {
        game.seal(0, "-");
        game.seal(2, "-");
    }
    let [one, other] = bids.map(|game| game.shown(PUBLIC).svg(None, Scene::default()));
    assert_ne!(one, other, "in the end all see it");
}

#[test]
fn owners_of_hidden_bases_do_not_appear() {
    let [one, other] = [1, 2].map(|owner| table(&format!("base_view: memory\nahus: a5 of {owner} 1a")));

    assert_eq!(one.shown(PUBLIC).svg(None, Scene::default()), other.shown(PUBLIC).svg(None, Scene::default()));
    assert_titles(&one.shown(PUBLIC).svg(None, Scene::default()), &["a5 somebody's 1a"]);
    let mut seen = one;
    seen.game.table.tribes[seat(0)].peeked = seen.game.table.sites.erected();
    assert_titles(&seen.shown(viewer(0)).svg(None, Scene::default()), &["a5 seat 1's 1a"]);
    assert_titles(&seen.shown(viewer(2)).svg(None, Scene::default()), &["a5 somebody's 1a"]);
}

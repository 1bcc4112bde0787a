//! The board: the spaces of the dossier, in its own notation, against the files.

use std::collections::BTreeMap;

use ahu_games::rapanui_board::{Area, Board, Side, Size};

use super::PUKAO;

/// The spaces: name, row, column, ahus, Resources, and the spaces to occupy from the Crater and from the Pukao
/// Quarry.
const SIDE_34: &str = "
    N1 0 3 1 W 4 4|N2 0 4 2 E 3 5|N3 0 5 1 E 2 5|W1 1 1 2 W 4 1|I1 1 2 0 W 4 2|I2 1 3 0 E 3 3|I3 1 4 0 R/E 2 4|I4 1 5 0 R 1 4|E1 1 6 1 R 2 5|
    W2 2 0 1 P 4 1|I5 2 2 0 W 3 1|I6 2 3 0 E/W 2 2|I7 2 4 0 E 1 3|I8 2 6 0 R 1 4|E2 2 7 2 R 2 5|W3 3 0 2 P 5 2|I9 3 1 0 P 4 1|
    I10 3 2 0 R/P 4 2|I11 3 3 0 W 3 3|I12 3 4 0 E 2 4|I13 3 5 0 R 1 4|E3 3 6 1 R 2 5|S1 4 1 1 P 5 2|S2 4 2 2 W 5 3|S3 4 3 3 E/W 4 4|
    S4 4 4 1 R/E 3 5|S5 4 5 1 E 2 5";

/// The adjacent spaces of each space of that side.
const ADJACENT_34: &str = "
    N1 I2 N2|N2 N1 N3 I3|N3 N2 I4|W1 PQ I1|I1 W1 I2 I5|I2 N1 I1 I3 I6|I3 N2 I2 I4 I7|I4 N3 I3 E1 CR|E1 I4 I8|W2 PQ W3|PQ W1 W2 I5 I9|
    I5 PQ I1 I6 I10|I6 I2 I5 I7 I11|I7 I3 I6 I12 CR|CR I4 I7 I8 I13|I8 CR E1 E2 E3|E2 I8|W3 W2 I9|I9 PQ W3 I10 S1|I10 I5 I9 I11 S2|
    I11 I6 I10 I12 S3|I12 I7 I11 I13 S4|I13 CR I12 E3 S5|E3 I8 I13|S1 I9 S2|S2 S1 S3 I10|S3 S2 S4 I11|S4 S3 S5 I12|S5 S4 I13";

/// The spaces: name, row, column, ahus, Resources.
const SIDE_2: &str = "
    N1 0 1 1 W|N2 0 2 2 E|N3 0 3 1 E|W1 1 0 1 P|I1 1 1 0 W|I2 1 2 0 E|I3 1 3 0 R|E1 1 4 1 R|W2 2 0 1 W|I4 2 2 0 R/E|E2 2 4 1 R|W3 3 0 2 P|
    I5 3 1 0 P|I6 3 2 0 W|I7 3 3 0 R|E3 3 4 2 R|S1 4 1 1 W|S2 4 2 3 E/W|S3 4 3 1 E";

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.split('|').map(|row| row.split_whitespace().collect())
}

fn number(text: &str) -> u8 {
    text.parse().expect("a number")
}

/// Returns the colours of a space, `R/E`.
fn shown(board: &Board, area: Area) -> String {
    let colours = board.colours(area.space().expect("a space"));
    let letter = |name: &str| name[..1].to_uppercase();
    let second = colours.second.map_or_else(String::new, |second| format!("/{}", letter(second.name())));
    letter(colours.first.name()) + &second
}

fn check_spaces(side: Side, text: &str) -> BTreeMap<String, Area> {
    let board = side.board();
    let mut names = BTreeMap::new();
    for (n, row) in rows(text).enumerate() {
        let area = board.at(number(row[1]), number(row[2])).unwrap_or_else(|| panic!("{} is in the sea", row[0]));
        assert_eq!(area.index(), n, "{} is in board order", row[0]);
        assert_eq!(board.ahus(area.space().expect("a space")), number(row[3]), "ahus of {}", row[0]);
        assert_eq!(shown(board, area), row[4], "{}", row[0]);
        names.insert(row[0].to_owned(), area);
    }
    assert_eq!(board.spaces().count(), names.len());
    names
}

#[test]
fn the_side_for_three_and_four_has_27_spaces_and_21_ahus() {
    let board = Side::Rn34V1.board();
    let mut names = check_spaces(Side::Rn34V1, SIDE_34);
    names.extend([("CR".to_owned(), Area::CRATER), ("PQ".to_owned(), Area::PUKAO_QUARRY)]);

    assert_eq!((board.spaces().count(), board.ahu_count(), board.stars), (27, 21, 4));
    assert_eq!(*board.quarry.as_array(), [5, 4, 3]);
    for row in rows(ADJACENT_34) {
        let mut touched: Vec<_> = row[1..].iter().map(|&name| names[name].index()).collect();
        touched.sort_unstable();
        let adjacent: Vec<_> = board.adjacent(names[row[0]]).iter().map(Area::index).collect();
        assert_eq!(adjacent, touched, "{}", row[0]);
    }
}

/// The quarries need no Transporter, even on a route that passes one of them.
#[test]
fn the_far_ahus_of_one_quarry_are_the_near_ones_of_the_other() {
    let board = Side::Rn34V1.board();
    for row in rows(SIDE_34) {
        for (from, expected) in [(Area::CRATER, row[5]), (Area::PUKAO_QUARRY, row[6])] {
            let target = board.at(number(row[1]), number(row[2])).expect("a space");
            let mut needed = vec![usize::MAX; Area::COUNT];
            needed[from.index()] = 0;
            for _ in 0..Area::COUNT {
                for area in (0..Area::COUNT).filter_map(Area::new) {
                    let so_far = needed[area.index()];
                    for next in board.adjacent(area).iter() {
                        let with_next = so_far.saturating_add(usize::from(next.space().is_some()));
                        needed[next.index()] = needed[next.index()].min(with_next);
                    }
                }
            }
            assert_eq!(needed[target.index()], usize::from(number(expected)), "{} from {from}", row[0]);
        }
    }
}

#[test]
fn the_side_for_two_has_19_spaces_and_17_ahus() {
    let board = Side::Rn2V1.board();
    let names = check_spaces(Side::Rn2V1, SIDE_2);

    assert_eq!((board.spaces().count(), board.ahu_count(), board.stars), (19, 17, 2));
    assert_eq!(*board.quarry.as_array(), [3, 2, 2]);
    let touching = |area| board.adjacent(area).iter().map(Area::index).collect::<Vec<_>>();
    assert_eq!(touching(Area::CRATER), ["I3", "I4", "E2", "I7"].map(|name| names[name].index()));
    assert_eq!(touching(Area::PUKAO_QUARRY), ["I1", "W2", "I4", "I5"].map(|name| names[name].index()));
    assert!(!board.adjacent(names["E1"]).contains(Area::CRATER), "corners do not touch");
}

#[test]
fn a_small_moai_brings_one_a_medium_three_a_large_five() {
    assert_eq!(Size::ALL.map(Size::resources), [1, 3, 5]);
    assert_eq!(PUKAO, 20);
}

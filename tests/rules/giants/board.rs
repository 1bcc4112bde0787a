//! The island, checked against the dossier. The table of hexes here is the dossier's, not the game's drawing.

use std::collections::{HashMap, VecDeque};

use ahu_core::Game;
use ahu_games::giants::board::{Ahu, Board, Hex, Terrain};
use ahu_games::giants::{BoardName, Giants};

use super::table;

/// The hexes in axial coordinates (q, r): row by row from north to south, each from west to east.
const HEXES: [(i8, i8); 42] = [
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (1, 1),
    (2, 1),
    (3, 1),
    (4, 1),
    (5, 1),
    (6, 1),
    (0, 2),
    (1, 2),
    (2, 2),
    (3, 2),
    (4, 2),
    (5, 2),
    (6, 2),
    (-1, 3),
    (0, 3),
    (1, 3),
    (2, 3),
    (3, 3),
    (4, 3),
    (5, 3),
    (6, 3),
    (7, 3),
    (-2, 4),
    (-1, 4),
    (0, 4),
    (1, 4),
    (2, 4),
    (3, 4),
    (4, 4),
    (5, 4),
    (6, 4),
    (-2, 5),
    (-1, 5),
    (0, 5),
    (1, 5),
    (-2, 6),
    (-1, 6),
    (0, 6),
];
const MOAI_QUARRY: (i8, i8) = (7, 3);
const HEADDRESS_QUARRY: (i8, i8) = (-1, 4);
const VILLAGE: (i8, i8) = (4, 3);
const HUT: (i8, i8) = (0, 4);
const FORESTS: [((i8, i8), u8); 7] =
    [((3, 2), 5), ((4, 2), 4), ((4, 1), 4), ((3, 1), 3), ((2, 2), 3), ((2, 3), 4), ((3, 3), 4)];
/// The hex of each Ahu, with the black and the red number.
const AHUS: [((i8, i8), u8, u8); 26] = [
    ((2, 0), 8, 7),
    ((3, 0), 7, 7),
    ((4, 0), 6, 8),
    ((5, 0), 5, 9),
    ((5, 0), 5, 9),
    ((1, 1), 8, 6),
    ((1, 1), 8, 6),
    ((5, 1), 4, 9),
    ((6, 1), 3, 10),
    ((6, 1), 3, 10),
    ((6, 2), 2, 10),
    ((-1, 3), 8, 4),
    ((-2, 4), 9, 4),
    ((2, 4), 5, 6),
    ((2, 4), 5, 6),
    ((3, 4), 4, 7),
    ((3, 4), 4, 7),
    ((4, 4), 3, 8),
    ((4, 4), 3, 8),
    ((5, 4), 2, 9),
    ((-2, 5), 9, 4),
    ((1, 5), 6, 6),
    ((1, 5), 6, 6),
    ((-2, 6), 9, 5),
    ((-1, 6), 8, 5),
    ((0, 6), 7, 6),
];

fn v1() -> &'static Board {
    Board::named(BoardName::V1)
}

/// The table of hexes has seven rows. In half hexes, the map reaches from the western half of (-2, 4) to the eastern half of
/// (7, 3).
#[test]
fn the_map_has_seven_rows_and_nineteen_columns_of_half_hexes() {
    assert_eq!(v1().extent(), (7, 19));
    let place = |q, r| v1().place(v1().hex_at(q, r).expect("a hex"));
    assert_eq!((place(-2, 4), place(7, 3), place(2, 0), place(0, 6)), ((4, 0), (3, 17), (0, 4), (6, 6)));
}

fn plain_distance((q, r): (i8, i8), (other_q, other_r): (i8, i8)) -> u8 {
    let (east, south) = (other_q - q, other_r - r);
    (east.unsigned_abs() + south.unsigned_abs() + (east + south).unsigned_abs()) / 2
}

/// Returns, by hex, the number of steps over land from `start`, by the board's own neighbours.
fn steps_from(board: &Board, start: Hex) -> HashMap<usize, u8> {
    let mut steps = HashMap::from([(start.index(), 0)]);
    let mut edge = VecDeque::from([start]);
    while let Some(hex) = edge.pop_front() {
        for next in board.neighbours(hex).iter() {
            if !steps.contains_key(&next.index()) {
                steps.insert(next.index(), steps[&hex.index()] + 1);
                edge.push_back(next);
            }
        }
    }
    steps
}

#[test]
fn the_island_is_the_one_of_the_dossier() {
    let board = v1();

    assert_eq!(board.hexes.len(), 42);
    for (number, &at) in HEXES.iter().enumerate() {
        let hex = board.hex_at(at.0, at.1).unwrap_or_else(|| panic!("{at:?} is no hex"));
        assert_eq!(hex.index(), number, "{at:?}: hexes are numbered from north to south and west to east");
        let forest = FORESTS.iter().find(|(hex, _)| *hex == at);
        let terrain = match at {
            MOAI_QUARRY => Terrain::MoaiQuarry,
            HEADDRESS_QUARRY => Terrain::HeaddressQuarry,
            VILLAGE => Terrain::Village,
            HUT => Terrain::Hut,
            _ => forest.map_or(Terrain::Land, |&(_, logs)| Terrain::Forest { logs }),
        };
        assert_eq!(board.terrain(hex), terrain, "{at:?}");
    }
    assert_eq!((board.coordinates(board.moai_quarry), board.coordinates(board.headdress_quarry)), ((7, 3), (-1, 4)));
    let ahus: Vec<_> = board.ahus().map(|ahu| board.ahu(ahu)).collect();
    let listed: Vec<_> = ahus.iter().map(|ahu| (board.coordinates(ahu.hex), ahu.moai, ahu.headdress)).collect();
    assert_eq!(listed, AHUS);
}

#[test]
fn hexes_are_neighbours_that_share_an_edge() {
    let board = v1();

    for one in board.hexes.iter() {
        for other in board.hexes.iter() {
            let share = plain_distance(board.coordinates(one), board.coordinates(other)) == 1;
            assert_eq!(board.neighbours(one).contains(other), share, "{one} and {other}");
        }
    }
}

/// The numbers of the worked example fix the offsets: C is 5/6 and B is 3/8, so the quarries are eight hexes apart.
#[test]
fn a_moai_counts_for_its_way_from_its_quarry_and_a_headdress_for_three_more() {
    let board = v1();
    let [from_moai, from_headdress] =
        [board.moai_quarry, board.headdress_quarry].map(|quarry| steps_from(board, quarry));

    assert_eq!(from_moai.len(), 42, "one island");
    assert_eq!(from_moai[&board.headdress_quarry.index()], 8);
    for (number, &at) in HEXES.iter().enumerate() {
        assert_eq!(from_moai[&number], plain_distance(MOAI_QUARRY, at), "{at:?}: no detour from the Moai quarry");
        assert_eq!(from_headdress[&number], plain_distance(HEADDRESS_QUARRY, at), "{at:?}: none from the other");
    }
    for ahu in board.ahus().map(|ahu| board.ahu(ahu)) {
        assert_eq!(ahu.moai, from_moai[&ahu.hex.index()]);
        assert_eq!(ahu.headdress, from_headdress[&ahu.hex.index()] + 3);
    }
}

/// Adjacent Hexagon: an Ahu is adjacent only to the hexagon that it overlaps.
#[test]
fn each_ahu_touches_one_hex_of_the_coast_that_has_no_other_use() {
    for board in [v1(), Board::named(BoardName::Tiny)] {
        let mut touched = 0;
        for hex in board.hexes.iter() {
            let here = board.ahus_at(hex);
            touched += here.len();
            for ahu in here.iter() {
                assert_eq!(board.ahu(ahu).hex, hex);
                assert_eq!(board.terrain(hex), Terrain::Land, "a Sorcerer has one power here: {hex}");
            }
        }
        assert_eq!(touched, board.ahus().len(), "no Ahu touches two hexes, and none touches nothing");
    }
    for ahu in v1().ahus() {
        assert!(v1().neighbours(v1().ahu(ahu).hex).len() < 6, "{ahu} lies inland");
    }
}

#[test]
fn nobody_can_be_locked_out_of_his_bases() {
    for (seats, bases) in [(3, 7), (4, 6), (5, 5)] {
        let game = table(&format!("seats: {seats}\nphase: roll"));
        assert!((0..seats).all(|seat| game.bases(seat) == bases));
        assert!(v1().ahus().len() >= seats * usize::from(bases), "{seats} players");
    }
}

#[test]
fn the_values_are_spread_as_in_the_dossier() {
    let board = v1();
    let count = |moai: u8| board.ahus().filter(|&ahu| board.ahu(ahu).moai == moai).count();

    assert_eq!((0..=10).map(count).collect::<Vec<_>>(), [0, 0, 2, 4, 3, 4, 3, 2, 5, 3, 0]);
    let headdresses: Vec<u8> = board.ahus().map(|ahu| board.ahu(ahu).headdress).collect();
    assert_eq!((headdresses.iter().min(), headdresses.iter().max()), (Some(&4), Some(&10)));
    assert_eq!(headdresses.iter().map(|&value| u32::from(value)).sum::<u32>(), 7 * 26, "7.0 on average");
    let logs = board.hexes.iter().map(|hex| match board.terrain(hex) {
        Terrain::Forest { logs } => logs,
        _ => 0,
    });
    assert_eq!(logs.sum::<u8>(), 27, "the forests have all logs of the game");
}

/// The island is not the printed board, and the catalog says so.
#[test]
fn the_board_and_the_dice_are_said_to_be_reconstructions() {
    let said = Giants::INFO.reconstructed;

    assert!(said.contains("island") && said.contains("dice"), "{said}");
}

/// Option `board`: a smaller island uses the first ids of hexes and Ahus.
#[test]
fn a_small_island_is_played_on_as_the_large_one() {
    let mut game = table("board: tiny\nphase: place\nbehind: 1W");
    let board = game.game.table.board();

    assert!(board.hexes.len() < 42 && board.ahus().len() < 26);
    let hexes: Vec<String> = board.hexes.iter().map(|hex| format!("at {hex}")).collect();
    assert_eq!(game.legal_after("place worker"), hexes.join(", "));
    assert!(game.refuses("place worker, at 10"), "the large island has a hex 10, this has none");
    assert!(board.ahus().all(|ahu: Ahu| board.hexes.contains(board.ahu(ahu).hex)));
    game.play("place worker, at 9");
    assert_eq!(game.figures(0), "W@9");
}

//! The messages of the components: the sides of the board, tiles, and pieces.

use ahu_core::Seats;
use ahu_messages::rapanui_board::v1;

use super::fields::quarry;
use crate::rapanui_board::{
    Area, BEGINNER_TILES, Board, Improvement, Offering, PUKAO, Resources, Side, Space, Stack, TILES, Tile, Values, moai,
};
use crate::wire::message::{ToField, from_one};

/// Returns a side of the board.
pub(super) fn board(side: Side) -> v1::Board {
    let board = side.board();
    let (rows, columns) = board.extent();
    v1::Board {
        spaces: board.spaces().map(|of| board_space(board, of)).collect(),
        quarries: Area::QUARRIES.iter().map(|of| board_quarry(board, of)).collect(),
        row_count: rows.into(),
        column_count: columns.into(),
        quarry_places: board.quarry.to_field(),
        star_count: board.stars.into(),
    }
}

fn board_space(board: &Board, space: Space) -> v1::BoardSpace {
    let (row, column) = board.place(space.into());
    let adjacent = board.adjacent(space.into());
    let colours = board.colours(space);
    let is_sea = |row: Option<u8>, column: Option<u8>| row.zip(column).and_then(|(r, c)| board.at(r, c)).is_none();
    let sides = [
        (v1::Side::North, is_sea(row.checked_sub(1), Some(column))),
        (v1::Side::East, is_sea(Some(row), Some(column + 1))),
        (v1::Side::South, is_sea(Some(row + 1), Some(column))),
        (v1::Side::West, is_sea(Some(row), column.checked_sub(1))),
    ];
    v1::BoardSpace {
        number: from_one(space),
        row: row.into(),
        column: column.into(),
        adjacent_spaces: Area::spaces_of(adjacent).to_field(),
        adjacent_quarries: (adjacent & Area::QUARRIES).iter().map(|of| quarry(of).into()).collect(),
        colours: std::iter::once(colours.first).chain(colours.second).map(from_one).collect(),
        ahu_count: board.ahus(space).into(),
        coasts: sides.into_iter().filter(|&(_, is_coast)| is_coast).map(|(side, _)| side.into()).collect(),
    }
}

fn board_quarry(board: &Board, of: Area) -> v1::BoardQuarry {
    let (row, column) = board.place(of);
    v1::BoardQuarry {
        quarry: quarry(of).into(),
        row: row.into(),
        column: column.into(),
        adjacent_spaces: Area::spaces_of(board.adjacent(of)).to_field(),
    }
}

/// Returns the tiles and pieces of the game, with the values of this set.
pub(super) fn game_tiles(values: Values) -> v1::Tiles {
    let seats = |count| Seats::new(count).expect("a number of seats of the game");
    let list = |stack: &Stack| stack.values().iter().map(|&value| value.into()).collect();
    let set = values.tiles();
    let of_type = |of: Offering| v1::OfferingTiles {
        r#type: from_one(of),
        price: of.price().to_field(),
        values: list(set.stack(of, seats(4))),
        values_of_two: list(set.stack(of, seats(2))),
        outstanding_values: list(set.outstanding(of)),
    };
    let of_kind = |of: Tile| v1::AhuTiles {
        r#type: from_one(of),
        count: TILES[of].into(),
        beginner_count: BEGINNER_TILES[of].into(),
    };
    let improvement = |of: Improvement| {
        let (resource, count) = of.cost();
        let mut price = Resources::EMPTY;
        price[resource] = count;
        v1::ImprovementTile { r#type: from_one(of), price: price.to_field() }
    };
    v1::Tiles {
        offerings: Offering::ALL.map(of_type).to_vec(),
        ahu_tiles: Tile::ALL.map(of_kind).to_vec(),
        improvements: Improvement::ALL.map(improvement).to_vec(),
        moai: moai(seats(4)).to_field(),
        moai_of_two: moai(seats(2)).to_field(),
        pukao_count: PUKAO.into(),
    }
}

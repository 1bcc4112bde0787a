//! The message of an island: the data of a board.
use ahu_messages::giants::v1;

use super::fields::index;
use crate::giants::board::{Ahu, AhuData, Board, Hex, Terrain};
use crate::wire::message::{ToField, from_one, from_one_or_none};

/// Returns an island before play.
pub(super) fn island(board: &Board) -> v1::Island {
    let (rows, columns) = board.extent();
    v1::Island {
        hexes: board.hexes.iter().map(|at| island_hex(board, at)).collect(),
        ahus: board.ahus().map(|at| island_ahu(board, at)).collect(),
        row_count: rows.into(),
        column_count: columns.into(),
    }
}

fn island_hex(board: &Board, at: Hex) -> v1::IslandHex {
    let ((q, r), (row, column)) = (board.coordinates(at), board.place(at));
    v1::IslandHex {
        number: Some(index(at)),
        q: q.into(),
        r: r.into(),
        row: row.into(),
        column: column.into(),
        neighbours: board.neighbours(at).to_field(),
        terrain: terrain(board, at).into(),
        logs: match board.terrain(at) {
            Terrain::Forest { logs } => logs.into(),
            _ => 0,
        },
        coasts: board.coasts(at).map(from_one).collect(),
        ahus: board.ahus_at(at).to_field(),
    }
}

fn island_ahu(board: &Board, at: Ahu) -> v1::IslandAhu {
    let AhuData { hex, moai, headdress } = board.ahu(at);
    v1::IslandAhu {
        number: Some(index(at)),
        hex: Some(index(hex)),
        moai_points: moai.into(),
        headdress_points: headdress.into(),
        edge: from_one_or_none(board.edge(at)),
    }
}

pub(super) fn terrain(board: &Board, at: Hex) -> v1::Terrain {
    match board.terrain(at) {
        Terrain::Land => v1::Terrain::Land,
        Terrain::MoaiQuarry => v1::Terrain::MoaiQuarry,
        Terrain::HeaddressQuarry => v1::Terrain::HeaddressQuarry,
        Terrain::Village => v1::Terrain::Village,
        Terrain::Hut => v1::Terrain::Hut,
        Terrain::Forest { .. } => v1::Terrain::Forest,
    }
}

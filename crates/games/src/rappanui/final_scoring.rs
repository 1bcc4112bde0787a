//! Final scoring: the ranks.

use std::cmp::Reverse;

use ahu_core::{BySeat, ranks_by};

use super::options::Tie;
use super::table::Table;

/// Returns the ranks: the most Moai points win (B17 for ties).
pub(super) fn ranks(table: &Table, hand_sizes: BySeat<u8>) -> BySeat<u8> {
    let points = table.points;
    match table.options.tie {
        Tie::Share => ranks_by(&points),
        Tie::FewestCards => {
            ranks_by(&BySeat::from_fn(points.seats(), |seat| (points[seat], Reverse(hand_sizes[seat]))))
        }
    }
}

//! The final scoring.

use super::RapanuiBoard;
use super::event::Event;
use super::table::Table;
use super::tile::Tile;
use crate::core::{BySeat, Seat};

/// The victory points of an unused Rongorongo Tablet, and of Gain Favor.
const FAVOR: u16 = 3;

impl Table {
    /// Returns the victory points beside those of the Offering tiles: Resources, the tablet, Gain Favor.
    pub(super) fn open_points(&self, seat: Seat) -> u16 {
        let player = &self.players[seat];
        let favors = u16::from(player.has_tablet) + u16::from(player.tiles[Tile::GainFavor]);
        u16::from(player.resources.total()) + FAVOR * favors
    }
}

impl RapanuiBoard {
    /// Returns the event of the final scoring. Tied players share the victory (M36).
    pub(super) fn final_scoring(&self) -> Event {
        let points = |seat| self.offered[seat] + self.table.open_points(seat);
        Event::Ended {
            reason: self.table.end_reason().expect("the game is over for a reason"),
            points: BySeat::from_fn(self.table.options.seats, points),
        }
    }
}

//! The final scoring.

use ahu_core::{BySeat, Seat};

use super::RapanuiBoard;
use super::event::Event;
use super::table::Table;
use super::tile::Tile;

/// The victory points of an unused Rongorongo Tablet, and of Gain Favor.
const FAVOR: u16 = 3;

impl Table {
    /// Returns the victory points without the Offering tiles: Resources, the tablet, Gain Favor.
    pub(super) fn open_points(&self, seat: Seat) -> u16 {
        u16::from(self.players[seat].resources.total()) + self.tablet_points(seat) + self.favor_points(seat)
    }

    fn tablet_points(&self, seat: Seat) -> u16 {
        FAVOR * u16::from(self.players[seat].has_tablet)
    }

    fn favor_points(&self, seat: Seat) -> u16 {
        FAVOR * u16::from(self.players[seat].tiles[Tile::GainFavor])
    }

    /// Returns the victory points without the Offering tiles by source. They sum up to [`Self::open_points`].
    pub(super) fn open_parts(&self) -> [(&'static str, BySeat<i32>); 3] {
        let by_seat = |points: &dyn Fn(Seat) -> u16| BySeat::from_fn(self.options.seats, |seat| points(seat).into());
        [
            ("resources", by_seat(&|seat| self.players[seat].resources.total().into())),
            ("tablet", by_seat(&|seat| self.tablet_points(seat))),
            ("Gain Favor", by_seat(&|seat| self.favor_points(seat))),
        ]
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

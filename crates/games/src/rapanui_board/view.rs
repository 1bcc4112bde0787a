//! The view: the knowledge of a viewer, and the shown part of it.
//!
//! The game is open: all players can count the worth of the others' Offering tiles, so a view holds the whole game, and
//! resampling returns it. The option `offering_view` decides only what is shown. The leak law over views cannot see a mistake
//! there. So a test of the game compares everything that is sent, messages too, for two games that differ in these totals.

use ahu_core::{BySeat, Seat, Viewer};
use borsh::{BorshDeserialize, BorshSerialize};

use super::RapanuiBoard;
use super::options::OfferingView;
use super::phase::Phase;
use super::table::Table;

/// The knowledge of one viewer: the whole game, before [`ahu_core::View::shown`] leaves facts out.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The public part of the state.
    pub table: Table,
    /// The total worth of each player's Offering tiles; None if it is not shown.
    pub offered: BySeat<Option<u16>>,
}

impl View {
    #[inline]
    pub(super) fn of(game: &RapanuiBoard, viewer: Viewer) -> Self {
        Self { viewer, table: game.table, offered: game.offered.map(Some) }
    }

    /// Returns the viewer's game: the viewer knows all of it (M32).
    pub(super) fn game(&self) -> RapanuiBoard {
        let offered = self.offered.map(|offered| offered.expect("the view has all totals before it is shown"));
        RapanuiBoard { table: self.table, offered }
    }

    /// Returns the victory points as the final scoring would give them now. Offering tiles of unknown worth count
    /// nothing.
    #[inline]
    pub fn points(&self, seat: Seat) -> u16 {
        self.offered[seat].unwrap_or(0) + self.table.open_points(seat)
    }
}

impl ahu_core::View for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// Removes the worth of others' Offering tiles before the end, unless it is public (M32).
    #[inline]
    fn shown(mut self) -> Self {
        if self.table.options.offering_view == OfferingView::Private && self.table.phase != Phase::Over {
            for seat in self.table.options.seats.iter().filter(|&seat| !self.viewer.is(seat)) {
                self.offered[seat] = None;
            }
        }
        self
    }

    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        let offerings = self.offered.map(|offered| i32::from(offered.unwrap_or(0)));
        [("offerings", offerings)].into_iter().chain(self.table.open_parts()).collect()
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(self.table.options.seats, |seat| self.points(seat).into())
    }

    fn uncounted(&self) -> Option<&'static str> {
        let is_hidden = self.table.options.seats.iter().any(|seat| self.offered[seat].is_none());
        is_hidden.then_some("Offering tiles of others")
    }
}

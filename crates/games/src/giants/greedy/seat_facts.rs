//! The facts that a seat is shown, read from its view or from the game.

use std::borrow::Cow;

use ahu_core::{Seat, Viewer};

use crate::giants::{BaseView, Bidding, Table, View};
use crate::giants::{Giants, Phase};

/// The facts that a seat is shown.
pub(super) struct SeatFacts<'a> {
    /// The table. The bot reads of no other seat's goods: read from a game, they are not removed.
    pub(super) table: Cow<'a, Table>,
    pub(super) seat: Seat,
    /// The seat's own bid.
    pub(super) bid: Option<Bidding>,
}

impl<'a> SeatFacts<'a> {
    /// Borrows the shown view of a seat.
    pub(super) fn of_view(view: &'a View) -> Self {
        Self { table: Cow::Borrowed(&view.table), seat: view.viewer.seat(), bid: view.bid }
    }

    /// Borrows a game, and copies the table only if it shows owners of bases that the view hides.
    #[inline]
    pub(super) fn of_game(game: &'a Giants, seat: Seat) -> Self {
        let mut table = Cow::Borrowed(&game.table);
        if game.table.options.base_view == BaseView::Memory && game.table.phase != Phase::Over {
            table.to_mut().hide_bases(Viewer::Seat(seat));
        }
        Self { table, seat, bid: Some(game.bids[seat]) }
    }
}

//! The view: the knowledge of a viewer, the shown part of it, and the games that agree with it.
//!
//! Everything but the bids before they are shown is public. A view is the table and the viewer's own bid: it has no
//! field for the bid of another player. Goods behind the screens, and the owner of the base under a Moai, are known to all who
//! paid attention: views keep them, and `shown` removes them before anything is sent.

use ahu_core::{BySeat, Seat, SeatSet, Viewer};
use borsh::{BorshDeserialize, BorshSerialize};
use rand::{Rng, RngExt};

use super::Giants;
use super::bid::{Bid, Bidding, Leaders};
use super::board::Ahus;
use super::options::{BaseView, ScreenView};
use super::phase::Phase;
use super::table::Table;
use super::tribe::{Goods, Reserve};

/// Everything that one viewer knows of a game.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The public part of the game: everything that all players can see, or could have seen.
    pub table: Table,
    /// The viewer's bid; None for the public.
    pub bid: Option<Bidding>,
    /// The seats that have sealed a bid.
    pub sealed: SeatSet,
    /// The seats whose reserve and receptacle are not shown; both are empty in `table` (G32).
    pub screened: SeatSet,
}

impl View {
    /// Creates the view that `viewer` has of a game.
    #[inline]
    pub(super) fn of(game: &Giants, viewer: Viewer) -> Self {
        Self {
            viewer,
            table: game.table,
            bid: match viewer {
                Viewer::Seat(seat) => Some(game.bids[seat]),
                Viewer::Public => None,
            },
            sealed: game.bids.iter().filter(|(_, bidding)| bidding.is_sealed()).map(|(seat, _)| seat).collect(),
            screened: SeatSet::EMPTY,
        }
    }

    /// Returns a random game that the viewer could be in. Each sealed bid of another player is any bid that the
    /// player can make. The others are at any step of their bids, because the viewer does not see their progress.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> Giants {
        let seats = self.table.options.seats;
        let bids = BySeat::from_fn(seats, |seat| match self.bid {
            Some(own) if self.viewer.is(seat) => own,
            _ if self.sealed.contains(seat) => Bidding::Sealed(self.some_bid(seat, rng)),
            _ if matches!(self.table.phase, Phase::Bid { .. }) => self.some_beginning(seat, rng),
            _ => Bidding::Markers,
        });
        Giants { table: self.table, bids }
    }

    /// Returns a random bid of a seat that is not sealed yet.
    fn some_beginning(&self, seat: Seat, rng: &mut dyn Rng) -> Bidding {
        let Bid { markers, workers, .. } = self.some_bid(seat, rng);
        let steps = [Bidding::Markers, Bidding::Workers { markers }, Bidding::Leaders { markers, workers }];
        steps[rng.random_range(0..steps.len())]
    }

    /// Returns a random bid that a seat can make.
    fn some_bid(&self, seat: Seat, rng: &mut dyn Rng) -> Bid {
        let reserve = self.table.tribes[seat].reserve;
        let leaders = Leaders::ALL.into_iter().filter(|&leaders| self.table.can_bid(seat, leaders));
        let leaders: Vec<Leaders> = leaders.collect();
        Bid {
            markers: rng.random_range(0..=reserve.markers),
            workers: rng.random_range(0..=reserve.workers),
            leaders: leaders[rng.random_range(0..leaders.len())],
        }
    }

    /// Returns the goods behind a screen, if they are shown.
    pub fn reserve(&self, seat: Seat) -> Option<Reserve> {
        (!self.screened.contains(seat)).then_some(self.table.tribes[seat].reserve)
    }

    /// Returns a player's goods in the receptacle, if they are shown.
    pub fn receptacle(&self, seat: Seat) -> Option<Goods> {
        (!self.screened.contains(seat)).then_some(self.table.tribes[seat].receptacle)
    }

    /// Returns the seats to act. During the bids they are those without a sealed bid.
    pub fn to_act(&self) -> SeatSet {
        match self.table.phase {
            Phase::Bid { .. } => self.table.options.seats.iter().filter(|&seat| !self.sealed.contains(seat)).collect(),
            phase => phase.seat().into_iter().collect(),
        }
    }

    /// Removes the reserves and the receptacle goods of other players (G32).
    #[inline]
    fn screen(&mut self) {
        for seat in self.table.options.seats.iter().filter(|&seat| !self.viewer.is(seat)) {
            let tribe = &mut self.table.tribes[seat];
            tribe.reserve = Reserve::default();
            tribe.receptacle = Goods::default();
            self.screened = self.screened.with(seat);
        }
    }
}

impl ahu_core::View for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// Removes, before the end, the facts that options keep out of displays.
    #[inline]
    fn shown(mut self) -> Self {
        if self.table.phase != Phase::Over {
            match self.table.options.screen_view {
                ScreenView::Hidden => self.screen(),
                ScreenView::Open => {}
            }
            match self.table.options.base_view {
                BaseView::Memory => self.table.hide_bases(self.viewer),
                BaseView::Open => {}
            }
        }
        self
    }

    fn scores(&self) -> BySeat<i32> {
        self.table.scores()
    }

    fn ranks(&self) -> BySeat<u8> {
        self.table.ranks(self.table.scores())
    }

    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        self.table.score_parts()
    }

    fn tie_break(&self, before: Seat, after: Seat) -> &'static str {
        let halves = |seat: Seat| self.table.tribes[seat].halves;
        if halves(before) > halves(after) { "half-tablets" } else { "turn order" }
    }
}

impl Table {
    /// Removes the owners of the bases under Moai, except those at which the viewer has looked (G31).
    pub(super) fn hide_bases(&mut self, viewer: Viewer) {
        let seen = match viewer {
            Viewer::Seat(seat) => self.tribes[seat].peeked,
            Viewer::Public => Ahus::EMPTY,
        };
        self.sites.hide_owners(self.sites.erected() - seen);
    }
}

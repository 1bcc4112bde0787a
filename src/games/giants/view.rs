//! What a viewer knows, what of it is shown, and the games that it could be in.
//!
//! All but the bids in the making is open. A view is the table and the viewer's own bid: there is no field in which another's
//! could stand.

use rand::{Rng, RngExt};

use super::action::Leaders;
use super::auction::{Bid, Bidding};
use super::board::Ahus;
use super::options::{BaseView, ScreenView};
use super::set::Numbered;
use super::tribe::{Goods, Reserve};
use super::{Giants, Phase, Site, Table};
use crate::core::{self, BySeat, Seat, SeatSet, Sink, Viewer};

/// All that one viewer knows of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Who knows this.
    pub viewer: Viewer,
    /// What everybody can see, or could have seen.
    pub table: Table,
    /// The viewer's bid; a spectator has none.
    pub bid: Option<Bidding>,
    /// Who has sealed a bid.
    pub sealed: SeatSet,
    /// Behind whose screen one does not look: there `table` has an empty reserve and an empty receptacle (G32).
    pub screened: SeatSet,
}

impl View {
    #[inline]
    pub(super) fn of(game: &Giants, viewer: Viewer) -> Self {
        let is_sealed = |bidding: &Bidding| matches!(bidding, Bidding::Sealed(_));
        Self {
            viewer,
            table: game.table.clone(),
            bid: match viewer {
                Viewer::Seat(seat) => Some(game.bids[seat]),
                Viewer::Public => None,
            },
            sealed: game.bids.iter().filter(|(_, bidding)| is_sealed(bidding)).map(|(seat, _)| seat).collect(),
            screened: SeatSet::EMPTY,
        }
    }

    /// A game that the viewer could be in: others who sealed a bid bid anything that they could, and of those who have not
    /// nobody sees how far they have come.
    pub(super) fn resample(&self, rng: &mut dyn Rng) -> Giants {
        let seats = self.table.options.seats;
        let bids = BySeat::from_fn(seats, |seat| match self.bid {
            Some(own) if self.viewer.is(seat) => own,
            _ if self.sealed.contains(seat) => Bidding::Sealed(self.some_bid(seat, rng)),
            _ if matches!(self.table.phase, Phase::Bid { .. }) => self.some_beginning(seat, rng),
            _ => Bidding::Markers,
        });
        Giants { table: self.table.clone(), bids }
    }

    fn some_beginning(&self, seat: Seat, rng: &mut dyn Rng) -> Bidding {
        let Bid { markers, workers, .. } = self.some_bid(seat, rng);
        let steps = [Bidding::Markers, Bidding::Workers { markers }, Bidding::Leaders { markers, workers }];
        steps[rng.random_range(0..steps.len())]
    }

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

    /// What is behind a screen, where one looks.
    pub fn reserve(&self, seat: Seat) -> Option<Reserve> {
        (!self.screened.contains(seat)).then_some(self.table.tribes[seat].reserve)
    }

    /// What the receptacle has of a player's, where one looks.
    pub fn receptacle(&self, seat: Seat) -> Option<Goods> {
        (!self.screened.contains(seat)).then_some(self.table.tribes[seat].receptacle)
    }

    /// G32: what others have behind their screens, and what is in the receptacle, is not shown.
    fn screen(&mut self) {
        for seat in self.table.options.seats.iter().filter(|&seat| !self.viewer.is(seat)) {
            let tribe = &mut self.table.tribes[seat];
            tribe.reserve = Reserve::default();
            tribe.receptacle = Goods::default();
            self.screened = self.screened.with(seat);
        }
    }

    /// G31: whose base lies under a Moai is not shown, but to who peeked.
    fn hide_bases(&mut self) {
        let seen = match self.viewer {
            Viewer::Seat(seat) => self.table.tribes[seat].peeked,
            Viewer::Public => Ahus::EMPTY,
        };
        for ahu in (self.table.erected() - seen).iter() {
            if let Site::Erected { owner, .. } = &mut self.table.sites[ahu.index()] {
                *owner = None;
            }
        }
    }
}

impl core::View for View {
    const BITS: usize = super::observation::BITS;
    const NUMBERS: usize = super::observation::NUMBERS;

    fn viewer(&self) -> Viewer {
        self.viewer
    }

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
        self.write_observation(sink);
    }

    #[inline]
    fn covered(mut self) -> Self {
        if self.table.phase != Phase::Over {
            match self.table.options.screen_view {
                ScreenView::Hidden => self.screen(),
                ScreenView::Open => {}
            }
            match self.table.options.base_view {
                BaseView::Memory => self.hide_bases(),
                BaseView::Open => {}
            }
        }
        self
    }

    fn scores(&self) -> BySeat<i32> {
        self.table.scores()
    }

    fn ranks(&self) -> BySeat<u8> {
        self.table.ranks(self.scores())
    }
}

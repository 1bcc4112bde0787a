//! Exchanges: Offering tiles for Resources, and their value.

use ahu_core::Numbered;

use super::{Outlook, POINT};
use crate::rapanui_board::{Offering, Payment, Payments, Source, Tile};

/// An exchange. Its value is the worth of the tile minus the cost of the payment.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    pub(super) value: i32,
    pub(super) offering: Offering,
    pub(super) source: Source,
    pub(super) payment: Payment,
}

impl Outlook {
    pub(super) fn best_exchange(&self) -> Option<Exchange> {
        let player = &self.table.players[self.seat];
        let skimped = self.skimped_exchange().filter(|_| player.tiles[Tile::Skimp] > 0 || player.has_tablet);
        self.exchange(false).into_iter().chain(skimped).max_by_key(|exchange| exchange.value)
    }

    /// Returns the best exchange with Skimp, minus part of the value of the tile that is played.
    pub(super) fn skimped_exchange(&self) -> Option<Exchange> {
        let exchange = self.exchange(true)?;
        Some(Exchange { value: exchange.value - self.values.tile[Tile::Skimp as usize] / 2, ..exchange })
    }

    fn exchange(&self, skimped: bool) -> Option<Exchange> {
        let affordable = Payment::affordable(self.resources()) & Payment::any(skimped);
        if affordable.is_empty() {
            return None;
        }
        // The cost of each payment counts for many tiles.
        let costs = self.costs();
        let mut of_payments = [0; Payment::COUNT];
        affordable.iter().for_each(|payment| of_payments[payment.index()] = costs.of(payment));
        let exchanges = <(Offering, Source)>::all().filter_map(|(offering, source)| {
            self.cheapest(offering, source, skimped, affordable, |payment| of_payments[payment.index()])
        });
        exchanges.max_by_key(|exchange| exchange.value)
    }

    /// Returns the exchange for a tile with the cheapest payment.
    pub(super) fn exchange_for(&self, offering: Offering, source: Source, skimped: bool) -> Option<Exchange> {
        let (affordable, costs) = (Payment::affordable(self.resources()), self.costs());
        self.cheapest(offering, source, skimped, affordable, |payment| costs.of(payment))
    }

    fn cheapest(
        &self,
        offering: Offering,
        source: Source,
        skimped: bool,
        affordable: Payments,
        cost: impl Fn(Payment) -> i32,
    ) -> Option<Exchange> {
        let points = i32::from(self.table.next_value(offering, source)?) * POINT;
        let payable = self.table.payments(self.seat, skimped, offering, source) & affordable;
        let exchanges =
            payable.iter().map(|payment| Exchange { value: points - cost(payment), offering, source, payment });
        exchanges.max_by_key(|exchange| exchange.value)
    }
}

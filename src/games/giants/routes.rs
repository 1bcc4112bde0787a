//! The cheapest ways over the island from one hex, for who plans ahead.

use super::board::{Board, HEXES_MAX, Hex, Hexes};
use super::set::Numbered;

/// From one hex, the cheapest way to each other.
pub(super) struct Routes {
    start: Hex,
    costs: [u16; HEXES_MAX],
    /// By hex, the one before it on the way.
    before: [Hex; HEXES_MAX],
    reached: Hexes,
}

impl Routes {
    /// The ways over hexes of `open`; entering one has its cost.
    pub(super) fn new(board: &Board, start: Hex, open: Hexes, cost: impl Fn(Hex) -> u16) -> Self {
        let mut routes =
            Self { start, costs: [u16::MAX; HEXES_MAX], before: [start; HEXES_MAX], reached: Hexes::EMPTY };
        routes.costs[start.index()] = 0;
        let mut edge = Hexes::from(start);
        while let Some(hex) = edge.iter().min_by_key(|hex| routes.costs[hex.index()]) {
            edge -= hex.into();
            routes.reached |= hex.into();
            for next in ((board.neighbours(hex) & open) - routes.reached).iter() {
                let total = routes.costs[hex.index()].saturating_add(cost(next));
                if total < routes.costs[next.index()] {
                    routes.costs[next.index()] = total;
                    routes.before[next.index()] = hex;
                    edge |= next.into();
                }
            }
        }
        routes
    }

    /// What the way to `hex` costs, if there is one.
    pub(super) fn cost(&self, hex: Hex) -> Option<u16> {
        self.reached.contains(hex).then_some(self.costs[hex.index()])
    }

    /// The hexes that are entered on the way to `to`, the last first.
    pub(super) fn back_from(&self, to: Hex) -> impl Iterator<Item = Hex> {
        let mut at = to;
        std::iter::from_fn(move || {
            let hex = at;
            at = self.before[hex.index()];
            (hex != self.start).then_some(hex)
        })
    }

    /// The hex that is entered first on the way to `to`; none, where one is there already.
    pub(super) fn first_step(&self, to: Hex) -> Option<Hex> {
        self.back_from(to).last()
    }
}

//! The cheapest routes over the island from one hex, for the plans of the bot.

use crate::games::giants::board::{Board, Hex, Hexes, MAX_HEXES};

/// The cheapest route from one hex to each other hex.
pub(super) struct Routes {
    start: Hex,
    /// The cost of the route to each hex.
    costs: [u16; MAX_HEXES],
    /// The hex before each hex on its route.
    before: [Hex; MAX_HEXES],
    /// The hexes that have a route.
    reached: Hexes,
}

impl Routes {
    /// Finds the routes over the hexes of `open` by Dijkstra's algorithm; `cost` is the cost of entering a hex.
    pub(super) fn new(board: &Board, start: Hex, open: Hexes, cost: impl Fn(Hex) -> u16) -> Self {
        let mut routes =
            Self { start, costs: [u16::MAX; MAX_HEXES], before: [start; MAX_HEXES], reached: Hexes::EMPTY };
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

    /// Returns the cost of the route to `hex`, if there is one.
    pub(super) fn cost(&self, hex: Hex) -> Option<u16> {
        self.reached.contains(hex).then_some(self.costs[hex.index()])
    }

    /// Returns the hexes that the route to `to` enters, the last first.
    pub(super) fn back_from(&self, to: Hex) -> impl Iterator<Item = Hex> {
        let mut at = to;
        std::iter::from_fn(move || {
            let hex = at;
            at = self.before[hex.index()];
            (hex != self.start).then_some(hex)
        })
    }

    /// Returns the first hex that the route to `to` enters; None if `to` is the start.
    pub(super) fn first_step(&self, to: Hex) -> Option<Hex> {
        self.back_from(to).last()
    }
}

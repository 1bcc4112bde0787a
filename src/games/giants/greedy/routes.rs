//! The cheapest routes over the island from one hex, for the plans of the bot.

use crate::games::giants::board::{Board, Hex, Hexes, MAX_HEXES};

/// The cheapest route from one hex to each goal.
pub(super) struct Routes {
    start: Hex,
    /// The cost of the route to each hex.
    costs: [u16; MAX_HEXES],
    /// The hex before each hex on its route.
    before: [Hex; MAX_HEXES],
    /// The hexes that have a route.
    reached: Hexes,
}

/// The number of the sets of hexes to visit: more than the highest cost of a hex.
const QUEUE: usize = 64;

impl Routes {
    /// Finds the routes over the hexes of `open` to all `goals` by Dijkstra's algorithm. `enter` has the cost of entering
    /// each hex, from 1 to 63. The hexes to visit wait in a set for each cost, in a ring, since no hex can be much
    /// farther than the one that is visited (Dial, "Algorithm 360", 1969).
    pub(super) fn new(board: &Board, start: Hex, open: Hexes, goals: Hexes, enter: &[u8; MAX_HEXES]) -> Self {
        let mut routes =
            Self { start, costs: [u16::MAX; MAX_HEXES], before: [start; MAX_HEXES], reached: Hexes::EMPTY };
        routes.costs[start.index()] = 0;
        let mut queue = [Hexes::EMPTY; QUEUE];
        // A bit for each set that is not empty.
        let mut waiting: u64 = 1;
        queue[0] = start.into();
        let mut cost: u16 = 0;
        while waiting != 0 && !(goals - routes.reached).is_empty() {
            cost += waiting.rotate_right(u32::from(cost) % 64).trailing_zeros() as u16;
            let here = usize::from(cost) % QUEUE;
            waiting &= !(1 << here);
            for hex in (std::mem::take(&mut queue[here]) - routes.reached).iter() {
                routes.reached |= hex.into();
                for next in ((board.neighbours(hex) & open) - routes.reached).iter() {
                    let total = cost + u16::from(enter[next.index()]);
                    if total < routes.costs[next.index()] {
                        routes.costs[next.index()] = total;
                        routes.before[next.index()] = hex;
                        let place = usize::from(total) % QUEUE;
                        queue[place] |= next.into();
                        waiting |= 1 << place;
                    }
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

//! The cheapest routes over the island from one hex, for the plans of the bot.

use crate::giants::board::{Board, Hex, Hexes, MAX_HEXES};

/// The hexes as ways for pieces of one weight.
pub(super) struct Roads {
    /// The number of units that each hex lacks before a piece can pass.
    pub(super) lacks: [u8; MAX_HEXES],
    /// The cost of entering each hex, in tenths of a point: from 1 to 63.
    pub(super) costs: [u8; MAX_HEXES],
}

/// The cheapest route from one hex to each other one, as far as they are known.
pub(super) struct Routes<'a> {
    board: &'a Board,
    start: Hex,
    open: Hexes,
    roads: &'a Roads,
    /// The cost of the route to each hex.
    costs: [u16; MAX_HEXES],
    /// The number of units that the hexes of the route to each hex lack.
    lacks: [u8; MAX_HEXES],
    /// The hex before each hex on its route.
    before: [Hex; MAX_HEXES],
    /// The hexes that were visited: their routes are known.
    visited: Hexes,
    /// The hexes to visit: a set for each cost.
    queue: [Hexes; QUEUE],
    /// A bit for each set of the queue that is not empty.
    waiting: u64,
    /// The cost of the routes that were found last.
    cost: u16,
}

/// The number of the sets of hexes to visit: more than the highest cost of a hex.
const QUEUE: usize = 64;

impl<'a> Routes<'a> {
    /// Begins at `start`, with the ways over the hexes of `open`.
    pub(super) fn new(board: &'a Board, start: Hex, open: Hexes, roads: &'a Roads) -> Self {
        let mut routes = Self {
            board,
            start,
            open,
            roads,
            costs: [u16::MAX; MAX_HEXES],
            lacks: [0; MAX_HEXES],
            before: [start; MAX_HEXES],
            visited: Hexes::EMPTY,
            queue: [Hexes::EMPTY; QUEUE],
            waiting: 1,
            cost: 0,
        };
        routes.costs[start.index()] = 0;
        routes.queue[0] = start.into();
        routes
    }

    /// Finds the next routes by Dijkstra's algorithm: those to the nearest hexes that were not visited. Returns their cost
    /// and their ends; None if no hex is left. The hexes to visit wait in a set for each cost, in a ring, since no hex can be
    /// much farther than the visited hex (Dial, "Algorithm 360", 1969).
    #[inline]
    pub(super) fn find_next(&mut self) -> Option<(u16, Hexes)> {
        if self.waiting == 0 {
            return None;
        }
        let cost = self.cost + self.waiting.rotate_right(u32::from(self.cost) % 64).trailing_zeros() as u16;
        let here = usize::from(cost) % QUEUE;
        self.cost = cost;
        self.waiting &= !(1 << here);
        let found = std::mem::take(&mut self.queue[here]) - self.visited;
        self.visited |= found;
        for hex in found.iter() {
            for next in ((self.board.neighbours(hex) & self.open) - self.visited).iter() {
                let total = cost + u16::from(self.roads.costs[next.index()]);
                if total < self.costs[next.index()] {
                    self.costs[next.index()] = total;
                    self.lacks[next.index()] = self.lacks[hex.index()] + self.roads.lacks[next.index()];
                    self.before[next.index()] = hex;
                    let place = usize::from(total) % QUEUE;
                    self.queue[place] |= next.into();
                    self.waiting |= 1 << place;
                }
            }
        }
        Some((cost, found))
    }

    /// Returns the number of units that the hexes of the route to `to` lack.
    pub(super) const fn lacks(&self, to: Hex) -> u8 {
        self.lacks[to.index()]
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

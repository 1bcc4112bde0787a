//! Routes of transports, and the value of their ends.

use super::{GAP, Outlook, TOLL};
use crate::rapanui_board::{Area, Areas, Phase, Resource, Size, Space, Table, Tile};

/// The value of the end of a transport, as far as it is the same on all spaces.
#[derive(Clone, Copy)]
pub(super) enum Reward {
    /// The gain for a Moai by Resources of each type, beside the Ahu tile.
    Resources([i32; Resource::COUNT]),
    /// The value of the exchange for a Pukao.
    Exchange(i32),
}

impl Outlook {
    pub(super) fn reward_of_moai(&self, size: Size) -> Reward {
        Reward::Resources(self.gains(size.resources()))
    }

    /// Returns the value of a transport that ends on this space.
    pub(super) fn arrival(&self, space: Space, reward: Reward) -> i32 {
        match reward {
            Reward::Resources(gains) => {
                let tile = self.values.tile[self.best_tile(space) as usize];
                gains[self.best_gain(space, &gains) as usize] + tile
            }
            Reward::Exchange(value) => value,
        }
    }

    pub(super) fn best_tile(&self, space: Space) -> Tile {
        let tiles = self.table.site(space).tiles();
        tiles.max_by_key(|&tile| self.values.tile[tile as usize]).expect("an ahu is free")
    }

    /// Returns the cheapest routes from an area. As long as figurines are placed, routes may have gaps.
    pub(super) fn ways(&self, start: Area, visited: Areas) -> Ways {
        let Table { options, phase, players, .. } = &self.table;
        let board = options.board.board();
        let quarries = if options.pass_other_quarry { Area::QUARRIES } else { Areas::EMPTY };
        let with_quarries = |spaces| Area::all_of(spaces) | quarries;
        let (own, occupied) = (with_quarries(players[self.seat].held), with_quarries(self.table.occupied()));
        let passable = if *phase == Phase::Place { with_quarries(board.all()) } else { occupied } - visited;
        let enter = |area: Area| match (own.contains(area), occupied.contains(area)) {
            (true, _) => 0,
            (false, true) => TOLL,
            (false, false) => GAP,
        };
        let mut ways = Ways { start, costs: [i32::MAX; Area::COUNT], before: [start; Area::COUNT] };
        ways.costs[start.index()] = 0;
        let mut edge = Areas::from(start);
        while !edge.is_empty() {
            let mut next = Areas::EMPTY;
            for area in edge.iter() {
                let so_far = ways.costs[area.index()];
                for other in (board.adjacent(area) & passable).iter() {
                    let cost = so_far + enter(other);
                    if cost < ways.costs[other.index()] {
                        ways.costs[other.index()] = cost;
                        ways.before[other.index()] = area;
                        next |= other.into();
                    }
                }
            }
            edge = next;
        }
        ways
    }
}

/// The cheapest routes from one area, by tolls and gaps.
#[derive(Clone)]
pub(super) struct Ways {
    start: Area,
    /// The cost of the route to each area; the highest number if there is none.
    costs: [i32; Area::COUNT],
    /// The previous area on the route to each area.
    before: [Area; Area::COUNT],
}

impl Ways {
    pub(super) fn cost(&self, space: Space) -> Option<i32> {
        Some(self.costs[space.index()]).filter(|&cost| cost < i32::MAX)
    }

    /// Returns the areas of the route to a space, in reverse order, without the start.
    pub(super) fn to(&self, space: Space) -> impl Iterator<Item = Area> {
        let back = |&area: &Area| Some(self.before[area.index()]);
        std::iter::successors(Some(Area::from(space)), back).take_while(|&area| area != self.start)
    }
}

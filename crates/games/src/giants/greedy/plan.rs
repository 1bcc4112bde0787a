//! The plans of the bot: the best Ahu for a piece, and the way there.

use super::Mind;
use super::routes::{Roads, Routes};
use crate::giants::Spot;
use crate::giants::board::{Ahu, Ahus, Hex, Hexes, MAX_HEXES};
use crate::giants::piece::{Kind, Piece, Size};

/// The cost of a unit that is still to be placed, in tenths of a point.
const UNIT: u8 = 12;
/// The cost of a Prestige Point for an opponent, in tenths of a point.
const POINT_FOR_OTHERS: u8 = 5;
/// The penalty for a plan that cannot be finished in this turn, in tenths of a point.
const LATER: i32 = 40;

/// A plan to bring a piece to an Ahu.
pub(super) struct Plan {
    pub(super) piece: Piece,
    pub(super) ahu: Ahu,
    /// The worth less the costs, in tenths of a point.
    pub(super) gain: i32,
    /// The number of units to place for it.
    pub(super) units: u8,
    /// The first hex on the way that lacks units, and their number.
    pub(super) lacking: Option<(Hex, u8)>,
    /// The hex to enter next, if the piece can enter it.
    pub(super) next: Option<Hex>,
}

impl Mind<'_> {
    /// Returns the number of units that the figures behind the screen can add for a piece of this weight.
    pub(super) fn units(&self, weight: Size) -> u8 {
        let tribe = self.tribe();
        let leader = |spot: Spot, units: u8| if spot == Spot::Reserve { units } else { 0 };
        let workers = tribe.reserve.workers + leader(tribe.sorcerer, 1);
        let logs = tribe.reserve.logs.min(workers * (weight.units() - 1));
        workers + logs + leader(tribe.chief, weight.units())
    }

    /// Returns the best plan that still lacks units.
    pub(super) fn plan_to_place(&self) -> Option<Plan> {
        let plans = self
            .own_pieces()
            .iter()
            .filter_map(|piece| self.plan(piece))
            .filter(|plan| plan.lacking.is_some() && plan.gain > 0);
        plans.max_by_key(|plan| plan.gain)
    }

    /// Returns the plan with the highest gain for a piece.
    pub(super) fn plan(&self, piece: Piece) -> Option<Plan> {
        let visited = self.table.visited[piece.index()];
        self.plan_from(piece, self.table.hex_of(piece), visited)
    }

    /// Returns the plan with the highest gain to bring a headdress out of the rock to an own Moai, if it has one in this
    /// turn.
    pub(super) fn headdress_plan(&self) -> Option<Plan> {
        let piece = self.table.in_rock(Kind::Headdress).first()?;
        let plan = self.plan_from(piece, self.table.board().headdress_quarry, Hexes::EMPTY)?;
        Some(plan).filter(|plan| plan.gain > 0 && plan.units < self.units(Size::One))
    }

    /// Returns the plan with the highest gain for a piece on the hex `start`; of equal ones that with the last Ahu.
    fn plan_from(&self, piece: Piece, start: Hex, visited: Hexes) -> Option<Plan> {
        let (board, goals, weight) = (self.table.board(), self.goals(piece.kind()), piece.kind().weight());
        let worth = |ahu: Ahu| i32::from(self.table.worth(piece, ahu)) * 10;
        let highest = goals.iter().map(worth).max()?;
        let units = self.units(weight);
        let roads = self.roads(weight);
        let mut routes = Routes::new(board, start, board.hexes - visited, roads);
        let mut left: Hexes = goals.iter().map(|ahu| board.ahu(ahu).hex).collect();
        // The highest gain with its Ahu.
        let mut best: Option<(i32, Ahu)> = None;
        while !left.is_empty()
            && let Some((cost, hexes)) = routes.find_next()
        {
            let cost = i32::from(cost);
            if best.is_some_and(|(gain, _)| highest - cost < gain) {
                break;
            }
            for hex in (hexes & left).iter() {
                let alone = u8::from(self.is_alone(piece, hex, start, roads));
                let later = if routes.lacks(hex) + alone > units { LATER } else { 0 };
                let cost = cost + i32::from(alone * UNIT) + later;
                let ahus = (board.ahus_at(hex) & goals).iter();
                best = ahus.map(|ahu| (worth(ahu) - cost, ahu)).chain(best).max();
            }
            left -= hexes;
        }
        let (gain, ahu) = best?;
        let hex = board.ahu(ahu).hex;
        let alone = self.is_alone(piece, hex, start, roads);
        let lacks_at = |on: Hex| roads.lacks[on.index()];
        let first = routes.back_from(hex).filter(|&on| lacks_at(on) > 0).last();
        Some(Plan {
            piece,
            ahu,
            gain,
            units: routes.lacks(hex) + u8::from(alone),
            lacking: first.map(|on| (on, lacks_at(on))).or(alone.then_some((hex, 1))),
            next: routes.first_step(hex).filter(|&next| lacks_at(next) == 0),
        })
    }

    /// Returns true if the last hex of the way still requires an own figure, though it lacks no units.
    fn is_alone(&self, piece: Piece, hex: Hex, start: Hex, roads: &Roads) -> bool {
        let stands = match piece.kind() {
            Kind::Moai(_) => self.table.erecting_figures(self.seat),
            Kind::Headdress => self.tribe().figures(),
        };
        !stands.contains(hex) && (roads.lacks[hex.index()] == 0 || hex == start)
    }

    /// Returns the Ahus on which the bot would put a piece of this kind.
    fn goals(&self, kind: Kind) -> Ahus {
        let sites = &self.table.sites;
        match kind {
            Kind::Moai(_) => self.table.bases_to_use(self.seat),
            Kind::Headdress => sites.erected_by(self.seat) - sites.topped(),
        }
    }

    /// Returns the hexes as ways for pieces of this weight. The first call for a weight computes them.
    fn roads(&self, weight: Size) -> &Roads {
        self.roads[weight.index()].get_or_init(|| {
            let units = weight.units();
            let (all, own) = (self.table.carriers().levels(), self.table.carriers_for(self.seat).levels());
            let figures = self.tribe().figures();
            let level = |levels: &[Hexes; Size::COUNT], hex: Hex| {
                levels.iter().map(|hexes| u8::from(hexes.contains(hex))).sum::<u8>().min(units)
            };
            let mut roads = Roads { lacks: [units; MAX_HEXES], costs: [units * UNIT + 1; MAX_HEXES] };
            for hex in all[0].iter() {
                let lacks = units - level(&all, hex);
                // The shortage of `Table::short_of`.
                let short = (units - level(&own, hex)).max(u8::from(!figures.contains(hex)));
                roads.lacks[hex.index()] = lacks;
                roads.costs[hex.index()] = 1 + if lacks > 0 { lacks * UNIT } else { short * POINT_FOR_OTHERS };
            }
            roads
        })
    }
}

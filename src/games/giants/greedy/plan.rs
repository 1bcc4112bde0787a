//! The plans of the bot: the best Ahu for a piece, and the way there.

use super::Mind;
use super::routes::Routes;
use crate::games::giants::board::{Ahu, Ahus, Hex, Hexes, MAX_HEXES};
use crate::games::giants::piece::{Kind, Piece, Size};
use crate::games::giants::tribe::Spot;

/// The cost of a unit that is still to be placed, in tenths of a point.
const UNIT: u8 = 12;
/// The cost of a Prestige Point for an opponent, in tenths of a point.
const POINT_FOR_OTHERS: u8 = 5;
/// The penalty for a plan that cannot be finished in this turn, in tenths of a point.
const LATER: i32 = 40;

/// The hexes as ways for pieces of one weight.
pub(super) struct Roads {
    /// The number of units that each hex lacks before a piece can pass.
    lacks: [u8; MAX_HEXES],
    /// The cost of entering each hex, in tenths of a point: at least 1.
    costs: [u8; MAX_HEXES],
}

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

    /// Returns the plan with the highest gain for a piece on the hex `start`; of equal ones the last.
    fn plan_from(&self, piece: Piece, start: Hex, visited: Hexes) -> Option<Plan> {
        let (board, goals) = (self.table.board(), self.goals(piece.kind()));
        if goals.is_empty() {
            return None;
        }
        let roads = self.roads(piece.kind().weight());
        let hexes = goals.iter().map(|ahu| board.ahu(ahu).hex).collect();
        let routes = Routes::new(board, start, board.hexes - visited, hexes, &roads.costs);
        let mut best: Option<Plan> = None;
        for ahu in goals.iter() {
            let least = best.as_ref().map_or(i32::MIN, |plan| plan.gain);
            if let Some(plan) = self.plan_to(piece, ahu, start, &routes, &roads.lacks, least) {
                best = Some(plan);
            }
        }
        best
    }

    /// Returns the plan to bring a piece to this Ahu; None if no way leads there, or if the gain is below `least`.
    fn plan_to(
        &self,
        piece: Piece,
        ahu: Ahu,
        start: Hex,
        routes: &Routes,
        lacks: &[u8; MAX_HEXES],
        least: i32,
    ) -> Option<Plan> {
        let hex = self.table.board().ahu(ahu).hex;
        let lacks_at = |on: Hex| lacks[on.index()];
        // The last hex requires an own figure.
        let stands = match piece.kind() {
            Kind::Moai(_) => self.table.erecting_figures(self.seat),
            Kind::Headdress => self.tribe().figures(),
        };
        let is_alone = !stands.contains(hex) && (lacks_at(hex) == 0 || hex == start);
        let worth = i32::from(self.table.worth(piece, ahu)) * 10;
        let cost = i32::from(routes.cost(hex)?) + if is_alone { i32::from(UNIT) } else { 0 };
        if worth - cost < least {
            return None;
        }
        let units = routes.back_from(hex).map(lacks_at).sum::<u8>() + u8::from(is_alone);
        let later = if units > self.units(piece.kind().weight()) { LATER } else { 0 };
        let gain = worth - cost - later;
        if gain < least {
            return None;
        }
        let first = routes.back_from(hex).filter(|&on| lacks_at(on) > 0).last();
        let lacking = first.map(|on| (on, lacks_at(on))).or(is_alone.then_some((hex, 1)));
        let next = routes.first_step(hex).filter(|&next| lacks_at(next) == 0);
        Some(Plan { piece, ahu, gain, units, lacking, next })
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

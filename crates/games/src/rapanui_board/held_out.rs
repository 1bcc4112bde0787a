//! The bot `heldout@1`: a heuristic by somebody who knew the rules page alone, and no other bot.
//!
//! It tries every legal action on a copy of the game, and adds up what it then owns and what its figurines can still do.
//! *Wealth* is a shopping list: the Offering tiles that the Resources could buy, each believed less the later it comes. The
//! *prospects* are a small search over work: each hand may erect or style once, Sculptors make Moai, and Villagers in hand
//! are shared out between the Quarry and the best spaces. A chain with gaps or tolls counts by the trust that it will hold.

use super::{
    Action, Area, Areas, Cargo, Improvement, Offering, Payment, Phase, RapanuiBoard, Resource, Resources, Size, Sizes,
    Space, Table, Tile, View,
};
use ahu_core::{ActionSet, Game as _, NoEvents, Policy, Seat, Viewer, any_best};
use rand::Rng;

/// The policy of the bot `heldout@1`.
pub const HELD_OUT_1: Policy<RapanuiBoard> =
    Policy { choose, choose_in: |game, seat, legal, rng| choose(&game.view(Viewer::Seat(seat)), legal, rng) };

/// The worth of a kept Ahu tile, by kind.
const TILE_WORTH: [f32; Tile::COUNT] = [1.5, 0.8, 3.9, 2.0, 3.6, 4.4, 2.0, 2.0, 3.0, 2.6];
/// The worth of an Improvement tile for each round that is left.
const IMPROVEMENT_WORTH: [f32; Improvement::COUNT] = [0.9, 1.2, 2.7, 2.7];
/// The worth of a Resource beyond its point, for a later purchase.
const SPARE: [f32; Resource::COUNT] = [0.4, 0.5, 0.8, 1.0];

/// A place of work: hands, free ahus, and bare heads; the worth here of a Resource and of the tile; the trust in the ways from
/// the Crater, from the Pukao Quarry, and from a cargo under way.
#[derive(Clone, Copy, Default)]
struct Spot(u8, u8, u8, [f32; 2], [f32; 3]);

/// The judgement of one seat about one decision, with the number of rounds still to come.
struct Judge {
    me: Seat,
    rounds: f32,
}

/// Chooses the action after which the seat's possessions and prospects are best.
fn choose(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let (table, seats) = (view.table, view.table.options.seats.count());
    let me = table.to_act().unwrap_or(table.active);
    let game = RapanuiBoard { table, offered: view.offered.map(|points| points.unwrap_or(0)) };
    let empty: usize = table.sites.iter().map(|site| site.tiles().count()).sum();
    let rounds = empty.saturating_sub(seats.max(3)) as f32 / (1.2 * seats as f32);
    let judge = Judge { me, rounds: rounds.min(f32::from(table.options.max_rounds.saturating_sub(table.round))) };
    any_best(legal, rng, |action: Action| {
        let taste = if let Action::PlaceSorcerer(star) = action { 0.65 - 0.3 * star.index() as f32 } else { 0.0 };
        ((judge.outlook(&game, action) + taste) * 4096.0) as i64
    })
}

impl Judge {
    /// Returns the value of the position after an action; choices that follow at once are made well.
    fn outlook(&self, game: &RapanuiBoard, action: Action) -> f32 {
        let mut game = game.clone();
        game.apply(self.me, action, &mut NoEvents);
        let (table, mut legal) = (&game.table, ActionSet::of::<Action>());
        if !matches!(table.phase, Phase::Gain { .. } | Phase::Shift { .. } | Phase::Exchange { .. } | Phase::Pay { .. })
        {
            return f32::from(game.offered[self.me]) + self.belongings(table) + self.prospects(table);
        }
        game.legal_actions(self.me, &mut legal);
        let follow = legal.actions().filter(|next| !matches!(next, Action::Play(..) | Action::Improve(_)));
        follow.map(|next| self.outlook(&game, next)).fold(f32::MIN, f32::max)
    }

    /// Returns the worth of all that the seat owns, without its Offering tiles.
    fn belongings(&self, table: &Table) -> f32 {
        let (player, fade) = (&table.players[self.me], (0.3 + self.rounds * 0.5).min(1.0));
        let weight = |kind| f32::from(player.tiles[kind]) * if kind == Tile::GainFavor { 1.0 } else { fade };
        let tiles: f32 = Tile::ALL.into_iter().map(|kind| TILE_WORTH[kind.index()] * weight(kind)).sum();
        let improvements: f32 =
            player.improvements.iter().map(|one| IMPROVEMENT_WORTH[one.index()] * self.rounds).sum();
        self.wealth(table, player.resources) + tiles + improvements + if player.has_tablet { 5.0 } else { 0.0 }
    }

    /// Returns the share of the profit of a purchase that belongs to its Resources; the styling brings the rest.
    fn share(&self, nth: u8) -> f32 {
        0.4 * (self.rounds / f32::from(nth + 1)).min(1.0)
    }

    /// Returns the worth of Resources: up to three purchases, and what is left over.
    fn wealth(&self, table: &Table, mut purse: Resources) -> f32 {
        let (player, tiles) = (&table.players[self.me], table.options.offerings.tiles());
        let worth = |of: Resource, share| 1.0 + SPARE[of.index()] * share;
        let cost =
            |paid: Resources, share| paid.iter().map(|(of, count)| worth(of, share) * f32::from(count)).sum::<f32>();
        let (mut taken, mut total) = (table.stack_taken, 0.0);
        for nth in 0..3 {
            let choices = Offering::ALL.into_iter().filter_map(|offering| {
                let lower = offering.next_lower().filter(|_| player.is(Improvement::Artistic)).unwrap_or(offering);
                let prices = Payment::price(offering, false) | Payment::price(lower, false);
                let paid = (prices & Payment::affordable(purse)).first()?.resources();
                let value = tiles.stack(offering, table.options.seats).values().get(usize::from(taken[offering]))?;
                Some((f32::from(*value) - cost(paid, 1.0), f32::from(*value), offering, paid))
            });
            let Some((_, value, offering, paid)) = choices.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            total += 4.0 + (value - 4.0) * self.share(nth);
            (taken[offering], purse) = (taken[offering] + 1, purse - paid);
        }
        total + cost(purse, self.share(0))
    }

    /// Returns the trust in a way from an area to each other: gaps lower it much if few Villagers are left, tolls a little.
    fn trust(&self, table: &Table, from: Area, visited: Areas) -> [f32; Area::COUNT] {
        let (mut waiting, mut costs, mut tolls) = (0.5, [f32::INFINITY; Area::COUNT], [None; Area::COUNT]);
        for (seat, player) in table.players.iter() {
            waiting += if seat == self.me { 0.5 } else { f32::from(player.villagers) };
            player.held.iter().for_each(|space| tolls[space.index()] = Some(if seat == self.me { 0.0 } else { 0.12 }));
        }
        let gap = if table.phase == Phase::Place { (1.0 + 2.3 / waiting).log2() } else { f32::INFINITY };
        Area::QUARRIES.iter().for_each(|quarry| tolls[quarry.index()] = Some(0.0));
        let fresh = table.board().areas() - visited;
        (costs[from.index()], tolls[from.index()]) = (0.0, Some(0.0));
        for area in (0..5).flat_map(|_| (fresh | from.into()).iter()) {
            let cost = costs[area.index()] + tolls[area.index()].unwrap_or(gap);
            (table.board().adjacent(area) & fresh)
                .iter()
                .for_each(|next| costs[next.index()] = cost.min(costs[next.index()]));
        }
        costs.map(|cost| (-cost).exp2())
    }

    /// Returns what the figurines can still bring in this round, tolls included.
    fn prospects(&self, table: &Table) -> f32 {
        let (player, board, order, cap) =
            (&table.players[self.me], table.board(), &table.order, table.options.resource_cap);
        let (villagers, supply) = match table.phase {
            _ if player.has_dropped_out => return 0.0,
            Phase::Place => (player.villagers, table.supply),
            Phase::Sculpt { .. } if order.place(self.me) >= order.place(table.active) => (0, table.supply),
            _ => (0, Sizes::EMPTY),
        };
        let [crater, pukao] = [Area::CRATER, Area::PUKAO_QUARRY].map(|quarry| self.trust(table, quarry, Areas::EMPTY));
        let (due, way) = match table.phase {
            Phase::Carry { cargo, at, visited } => (Some(cargo), self.trust(table, at, visited)),
            _ => (None, crater),
        };
        let rate =
            |of: Resource| (0.4 + 0.2 * SPARE[of.index()]) * f32::from(cap.saturating_sub(player.resources[of]).min(3));
        let spot = |at: Space, hands: u8| {
            let (site, colours) = (table.site(at), board.colours(at));
            let tile = site.tiles().map(|kind| 0.65 * TILE_WORTH[kind.index()]).fold(0.0, f32::max);
            let rate = rate(colours.first).max(rate(colours.second.unwrap_or(colours.first)));
            Spot(
                hands,
                site.tiles().count() as u8,
                site.unstyled(),
                [rate, tile],
                [crater, pukao, way].map(|to| to[at.index()]),
            )
        };
        let is_open =
            |&space: &Space| table.players.iter().all(|(seat, other)| seat == self.me || !other.held.contains(space));
        let value = |spot: &Spot| (self.plan(&mut [*spot], Sizes::of([0, 1, 0]), (4, 0), None) * 4096.0) as i64;
        let wild = board.spaces().filter(is_open).map(|space| spot(space, 1)).max_by_key(value).unwrap_or_default();
        let own = player.held.iter().map(|space| spot(space, table.site(space).standing));
        let mut spots: Vec<Spot> = [wild].into_iter().chain(own).collect();
        let (mut best, purse) = (f32::MIN, player.resources.total() + 2 * player.tiles[Tile::Skimp]);
        for code in 0..64 {
            let more = Sizes::of([code % 4, code / 4 % 4, code / 16]);
            let moai = player.moai + more;
            let needed = [moai.total(), moai[Size::Medium] + moai[Size::Large], moai[Size::Large]];
            let extra =
                Size::ALL.map(|column| needed[column.index()].saturating_sub(player.sculpting()[column]).min(code));
            if let Some(idle) = villagers.checked_sub(extra.iter().sum()).filter(|_| more.is_within(supply)) {
                spots[0].0 = idle;
                best = best.max(self.plan(&mut spots, moai, (purse, 0), due));
            }
        }
        let near = |space: Space| if board.adjacent(Area::CRATER).contains(space.into()) { 0.35 } else { 0.12 };
        let income =
            |space: Space| (table.players.values().len() as f32 - 1.0) * near(space) * rate(board.colours(space).first);
        best + player.held.iter().filter(|_| table.phase == Phase::Place).map(income).sum::<f32>()
    }

    /// Returns the most that the hands of these spots can bring together, if the cargo that is due arrives.
    fn plan(&self, spots: &mut [Spot], moai: Sizes, (purse, bought): (u8, u8), due: Option<Cargo>) -> f32 {
        let Some(&spot @ Spot(hands, ahus, heads, worth, trusts)) = spots.first() else {
            return due.map_or(0.0, |_| -1000.0);
        };
        let mut best = self.plan(&mut spots[1..], moai, (purse, bought), due);
        let largest = Size::ALL.into_iter().rev().find(|&size| moai[size] > 0).map(Cargo::Moai);
        for cargo in [due.or(largest), Some(Cargo::Pukao)].into_iter().flatten().filter(|_| hands > 0) {
            let is_due = due == Some(cargo) && trusts[2] > 0.0;
            let (mut moai, mut stock) = (moai, (purse, bought));
            let (brings, left) = match cargo {
                Cargo::Moai(size) if ahus > 0 && moai[size] > 0 => {
                    moai[size] -= 1;
                    stock.0 += size.resources();
                    (worth[0] * f32::from(size.resources()) + worth[1], (ahus - 1, heads + 1))
                }
                Cargo::Pukao if heads > 0 && (purse >= 4 || is_due) => {
                    stock = (purse.saturating_sub(4), bought + 1);
                    (7.5 * (1.0 - self.share(bought)), (ahus, heads - 1))
                }
                _ => continue,
            };
            spots[0] = Spot(hands - 1, left.0, left.1, worth, trusts);
            let trust = trusts[if is_due { 2 } else { usize::from(cargo == Cargo::Pukao) }];
            best = best.max(brings * trust + self.plan(spots, moai, stock, due.filter(|_| !is_due)));
            spots[0] = spot;
        }
        best
    }
}

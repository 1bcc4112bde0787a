//! The plan for the rest of a round.

use std::cell::{Ref, RefCell};

use super::exchanges::Exchange;
use super::routes::{Reward, Ways};
use super::{FILLER, GAP, Outlook, SCULPTOR, SPARE, TARGET};
use crate::rapanui_board::{
    Action, Area, Cargo, Chief, Offerings, Phase, Resources, Size, Sizes, Space, Spaces, Table, Tiles,
};

/// The routes and exchanges that were found for a decision: many of its plans need the same.
#[derive(Default)]
pub(super) struct Known {
    ways: RefCell<Vec<(WaysKey, Ways)>>,
    exchanges: RefCell<Vec<(ExchangeKey, Option<Exchange>)>>,
}

/// Everything that differs between the plans of a decision and changes their routes: the quarry, the spaces that the player
/// holds, the spaces that anyone holds, and whether figurines are still placed.
type WaysKey = (Area, Spaces, Spaces, bool);
/// Everything that differs between the plans of a decision and changes their exchanges: the player's Resources, tiles, and
/// tablet, and the Offering tiles that are taken.
type ExchangeKey = (Resources, Tiles, bool, Offerings, Offerings);

impl Known {
    /// Returns the routes of a cargo from its quarry.
    fn ways(&self, outlook: &Outlook, cargo: Cargo) -> Ref<'_, Ways> {
        let quarry = cargo.quarry();
        let table = &outlook.table;
        let key = (quarry, table.players[outlook.seat].held, table.occupied(), table.phase == Phase::Place);
        let known = self.ways.borrow().iter().position(|(of, _)| *of == key);
        let at = known.unwrap_or_else(|| {
            let mut all = self.ways.borrow_mut();
            all.push((key, outlook.ways(quarry, quarry.into())));
            all.len() - 1
        });
        Ref::map(self.ways.borrow(), |all| &all[at].1)
    }

    /// Returns the best exchange.
    fn exchange(&self, outlook: &Outlook) -> Option<Exchange> {
        let table = &outlook.table;
        let player = &table.players[outlook.seat];
        let key = (player.resources, player.tiles, player.has_tablet, table.stack_taken, table.outstanding_taken);
        let mut all = self.exchanges.borrow_mut();
        let known = all.iter().find(|(of, _)| *of == key).map(|&(_, exchange)| exchange);
        known.unwrap_or_else(|| {
            let exchange = outlook.best_exchange();
            all.push((key, exchange));
            exchange
        })
    }
}

/// The plan for the rest of the round.
pub(super) struct Plan<'a> {
    /// The table after the plan.
    outlook: Outlook,
    pub(super) known: &'a Known,
    /// The value of the plan.
    pub(super) value: i32,
    /// The figurines still to be placed, each with its urgency.
    figurines: Vec<(i32, Action)>,
    /// The cargo of the first transport.
    pub(super) first: Option<Cargo>,
}

impl Outlook {
    /// Returns the best plan over all sets of Sculptors that could be placed.
    pub(super) fn best_plan<'a>(&self, known: &'a Known) -> Plan<'a> {
        let is_placing = self.table.phase == Phase::Place;
        let villagers = if is_placing { self.table.players[self.seat].villagers } else { 0 };
        let [small, medium, large] = self.table.free_places().as_array().map(|places| places.min(villagers));
        let mut best = self.plan(villagers, [0; Size::COUNT], known);
        for first in 1..=small {
            for second in 0..=medium.min(villagers - first) {
                for third in 0..=large.min(villagers - first - second) {
                    let plan = self.plan(villagers, [first, second, third], known);
                    if plan.value > best.value {
                        best = plan;
                    }
                }
            }
        }
        best
    }

    fn plan<'a>(&self, villagers: u8, sculptors: [u8; Size::COUNT], known: &'a Known) -> Plan<'a> {
        let mut plan = Plan { outlook: self.clone(), known, value: 0, figurines: Vec::new(), first: None };
        plan.outlook.player().villagers = villagers;
        for (column, count) in Size::ALL.into_iter().zip(sculptors) {
            plan.value -= SPARE * i32::from(count);
            plan.outlook.player().villagers -= count;
            plan.outlook.player().sculptors[column] += count;
            plan.figurines.extend(std::iter::repeat_n((SCULPTOR, Action::PlaceSculptor(column)), count.into()));
        }
        if let Phase::Gain { space, count } = self.table.phase {
            plan.gain(space, count);
        }
        plan.sculpt();
        for size in Size::ALL.into_iter().rev() {
            while plan.outlook.player().moai[size] > 0 && plan.transport(Cargo::Moai(size)) {}
        }
        while plan.transport(Cargo::Pukao) {}
        plan.value += plan.outlook.worth(plan.outlook.resources());
        plan
    }
}

impl Plan<'_> {
    pub(super) fn urgency(&self, action: Action) -> i32 {
        let planned = self.figurines.iter().filter(|&&(_, figurine)| figurine == action);
        planned.map(|&(urgency, _)| urgency).max().unwrap_or(0)
    }

    /// Adds the largest Moai that the Sculptors can make, including the Chief.
    fn sculpt(&mut self) {
        let Table { phase, supply, .. } = self.outlook.table;
        if !matches!(phase, Phase::Place | Phase::Sculpt { .. }) {
            return;
        }
        let player = self.outlook.player();
        let columns = if player.chief == Chief::InHand { Size::ALL.map(Some) } else { [None; Size::COUNT] };
        let all = columns.map(|chief| {
            let mut sculpting = player.sculpting();
            if let Some(column) = chief {
                sculpting[column] += 1;
            }
            largest(sculpting, supply)
        });
        let gain = |moai: &Sizes| Size::ALL.into_iter().map(|size| moai[size] * size.resources()).sum::<u8>();
        let best = all.into_iter().max_by_key(gain).expect("there are three columns");
        player.moai = player.moai + best;
    }

    /// Plans a transport to the space with the highest value. Returns false if there is none.
    fn transport(&mut self, cargo: Cargo) -> bool {
        let Outlook { table, seat, .. } = &self.outlook;
        let player = &table.players[*seat];
        // Without Villagers a transport ends where a Transporter stands.
        let spaces = if player.villagers > 0 { table.open_spaces(*seat) } else { player.held };
        let spaces: Spaces = spaces.iter().filter(|&space| table.is_room_for(cargo, space)).collect();
        if spaces.is_empty() || cargo == Cargo::Pukao && table.pukao == 0 {
            return false;
        }
        let (exchange, reward) = match cargo {
            Cargo::Moai(size) => (None, self.outlook.reward_of_moai(size)),
            Cargo::Pukao => match self.known.exchange(&self.outlook) {
                Some(exchange) => (Some(exchange), Reward::Exchange(exchange.value)),
                None => return false,
            },
        };
        let ways = self.known.ways(&self.outlook, cargo);
        let helpers = table.options.seats.others(*seat).map(|other| i32::from(table.players[other].villagers)).sum();
        let hoped = |space| Some((self.hoped(space, ways.cost(space)?, reward, helpers)?, space));
        let values = spaces.iter().filter_map(hoped);
        let Some((value, space)) = values.max_by_key(|&(value, _)| value).filter(|&(value, _)| value > 0) else {
            return false;
        };
        self.value += value;
        self.first = self.first.or(Some(cargo));
        self.fill(space, ways.to(space));
        self.arrive(cargo, space, exchange);
        true
    }

    /// Returns the value of a transport that may lack figurines. The player's own Villagers fill gaps; other players, with
    /// `helpers` Villagers, fill the rest with some probability.
    fn hoped(&self, space: Space, way: i32, reward: Reward, helpers: i32) -> Option<i32> {
        let Outlook { table, seat, .. } = &self.outlook;
        let villagers = i32::from(table.players[*seat].villagers);
        let (gaps, tolls) = (way / GAP, way % GAP);
        let is_weak = !table.has_strength(*seat, space);
        let missing = gaps + i32::from(is_weak && table.players[*seat].held.contains(space));
        let helped = (missing - villagers).max(0);
        if is_weak && villagers == 0 || helped > helpers {
            return None;
        }
        let chance = |left: i32| left * left * 100 / ((helpers + 1) * (helpers + 1));
        Some(
            self.outlook.arrival(space, reward) * chance(helpers + 1 - helped) / 100
                - tolls
                - SPARE * missing.min(villagers),
        )
    }

    /// Places the missing Transporters at the end of a route and on it, as long as there are Villagers.
    fn fill(&mut self, target: Space, way: impl Iterator<Item = Area>) {
        if !self.outlook.table.has_strength(self.outlook.seat, target) {
            self.stand(target, TARGET);
        }
        for space in way.filter_map(Area::space) {
            if !self.outlook.table.occupied().contains(space) {
                self.stand(space, FILLER);
            }
        }
    }

    fn stand(&mut self, space: Space, urgency: i32) {
        let Outlook { table, seat, .. } = &mut self.outlook;
        if table.players[*seat].villagers > 0 {
            table.players[*seat].villagers -= 1;
            table.stand(*seat, space);
            self.figurines.push((urgency, Action::PlaceTransporter(space)));
        }
    }

    fn arrive(&mut self, cargo: Cargo, space: Space, exchange: Option<Exchange>) {
        let seat = self.outlook.seat;
        match cargo {
            Cargo::Moai(size) => {
                let tile = self.outlook.best_tile(space);
                self.outlook.player().moai[size] -= 1;
                self.outlook.table.sites[space.index()].erect(size, tile);
                self.gain(space, size.resources());
            }
            Cargo::Pukao => {
                let exchange = exchange.expect("a Pukao is transported only with an exchange");
                // The payment already lowers the Resources left at the end, and must not count twice.
                self.value += self.outlook.cost(exchange.payment);
                let table = &mut self.outlook.table;
                table.pukao -= 1;
                table.sites[space.index()].style();
                table.take_offering(exchange.offering, exchange.source);
                let resources = &mut self.outlook.player().resources;
                *resources = *resources - exchange.payment.resources();
            }
        }
        self.outlook.table.tire(seat, space);
    }

    fn gain(&mut self, space: Space, count: u8) {
        let gains = self.outlook.gains(count);
        let resource = self.outlook.best_gain(space, &gains);
        // The gain already raises the Resources left at the end, and must not count twice.
        self.value -= gains[resource as usize];
        let cap = self.outlook.table.options.resource_cap;
        resource.gain(&mut self.outlook.player().resources, count, cap);
    }
}

/// Returns the largest Moai that these numbers of Sculptors in the columns can make.
fn largest(sculpting: Sizes, supply: Sizes) -> Sizes {
    let [first, second, third] = *sculpting.as_array();
    let large = first.min(second).min(third).min(supply[Size::Large]);
    let medium = (first - large).min(second - large).min(supply[Size::Medium]);
    let small = (first - large - medium).min(supply[Size::Small]);
    Sizes::of([small, medium, large])
}

#[cfg(test)]
mod tests {
    use ahu_core::{ActionSet, ChanceRng, Game as _, GameExt as _, GameOptions as _, NoEvents, Seats, Seed};
    use rand::SeedableRng as _;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::rapanui_board::greedy::{VALUES_2, choose};
    use crate::rapanui_board::{Options, RapanuiBoard};

    #[test]
    fn plans_that_share_routes_and_exchanges_are_the_same_plans() {
        let mut compared = 0;
        for (seed, seats) in [(1, 2), (2, 3), (3, 4)] {
            let mut game = RapanuiBoard::new(&Options::new(Seats::new(seats).expect("a seat count")));
            let (mut chance, mut rng) = (ChanceRng::new(Seed(seed)), ChaCha8Rng::seed_from_u64(seed));
            let mut legal = ActionSet::of::<Action>();
            loop {
                game.settle_all(&mut chance, &mut NoEvents);
                let Some(seat) = game.turn().to_act().first() else { break };
                game.legal_actions(seat, &mut legal);
                let outlook = Outlook::new(&VALUES_2, &game.table, seat);
                let known = Known::default();
                outlook.best_plan(&known);
                let planned = |action: &Action| matches!(action, Action::PlaceChief(_) | Action::Play(..));
                for action in legal.actions().filter(planned) {
                    let after = outlook.after(action);
                    let (shared, fresh) = (after.best_plan(&known), Known::default());
                    let alone = after.best_plan(&fresh);
                    assert_eq!(
                        (shared.value, &shared.figurines, shared.first),
                        (alone.value, &alone.figurines, alone.first)
                    );
                    compared += 1;
                }
                let action = choose(&VALUES_2, &game.table, &legal, &mut rng);
                game.apply(seat, action, &mut NoEvents);
            }
        }
        assert!(compared > 1_000, "{compared} plans");
    }
}

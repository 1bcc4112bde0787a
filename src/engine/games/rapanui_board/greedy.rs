//! The bot `greedy`, which makes a plan for each round.
//!
//! A plan names the spaces on which Moai would be erected and styled, the gains of these transports, and the
//! figurines that they still need. For each set of Sculptors that could be placed, the bot adds one transport after
//! the other, each to its best space; the plan of the highest value counts. In phase 1 the bot places the figurines
//! that the plan lacks, first those whose places others could take; in phase 3 it carries the plan out. It takes any
//! other action if the plan is better after it. The bot has no memory, and plans no further than the round. Values
//! are in hundredths of a victory point. Version 2 has other values: of Resources, and of Ahu tiles.

use std::cell::{LazyCell, Ref, RefCell};
use std::ops::Deref;

use rand::Rng;

use super::RapanuiBoard;
use super::action::Action;
use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Offerings, Source};
use super::payment::{Payment, Payments};
use super::phase::Phase;
use super::player::{Chief, Player};
use super::resource::{Resource, Resources};
use super::space::{Area, Areas, Space, Spaces};
use super::table::Table;
use super::tile::{Tile, Tiles};
use crate::core::{ActionSet, BySeat, Game, NoEvents, Numbered, Policy, Seat};
use crate::parts::best::any_best;

/// The value of a victory point.
const POINT: i32 = 100;
/// The part of this value that each further Resource has, in hundredths.
const SURPLUS: i32 = 75;
/// The value of an Improvement tile for each round, by kind.
const IMPROVEMENT: [i32; Improvement::COUNT] = [70, 120, 330, 230];
/// The cost of a toll that another player earns.
const TOLL: i32 = 30;
/// The cost of a gap in a chain: more than all tolls together.
const GAP: i32 = 10_000;
/// The value of another use of a Villager.
const SPARE: i32 = 60;
/// The value of an action to avoid.
const NEVER: i32 = -1;

/// The urgency of placing a figurine. `TARGET`: a Transporter on a space for the end of transports, which others
/// could take. `FILLER`: a Transporter in a gap that others may fill.
const TARGET: i32 = 40;
const SCULPTOR: i32 = 30;
const SORCERER: i32 = 20;
const FILLER: i32 = 10;

/// The values of a version of the bot.
struct Values {
    /// The expected value of a Resource in an exchange, by type, for the first four of each.
    resource: [i32; Resource::COUNT],
    /// The number of rounds before the end from which on the value of a Resource falls, down to one victory point.
    late: i32,
    /// The value of an Ahu tile, by kind.
    tile: [i32; Tile::COUNT],
}

/// The values of version 1.
const VALUES_1: Values =
    Values { resource: [150, 175, 200, 235], late: 3, tile: [150, 120, 250, 220, 350, 250, 180, 200, 300, 250] };

/// The values of version 2, chosen by games against version 1.
const VALUES_2: Values =
    Values { resource: [50, 115, 270, 235], late: 4, tile: [150, 120, 340, 220, 225, 425, 180, 270, 300, 160] };

/// Version 1 of the bot. It reads the table alone, which is public.
pub const GREEDY_1: Policy<RapanuiBoard> = Policy {
    choose: |view, legal, rng| choose(&VALUES_1, &view.table, legal, rng),
    choose_in: |game, _, legal, rng| choose(&VALUES_1, &game.table, legal, rng),
};

/// Version 2 of the bot. It reads the table alone too.
pub const GREEDY_2: Policy<RapanuiBoard> = Policy {
    choose: |view, legal, rng| choose(&VALUES_2, &view.table, legal, rng),
    choose_in: |game, _, legal, rng| choose(&VALUES_2, &game.table, legal, rng),
};

fn choose(values: &'static Values, table: &Table, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let seat = table.to_act().expect("a seat is to act");
    let outlook = Outlook::new(values, table, seat);
    if let Phase::Carry { cargo, at, visited } = table.phase {
        return outlook.carry(cargo, at, visited);
    }
    let known = Known::default();
    // Many decisions need no plan.
    let plan = LazyCell::new(|| outlook.best_plan(&known));
    any_best(legal, rng, |action| outlook.value(action, &plan))
}

/// The table, real or imagined, from the point of view of one player.
#[derive(Clone)]
struct Outlook {
    values: &'static Values,
    table: Table,
    seat: Seat,
    /// The value of a Resource of each type.
    prices: [i32; Resource::COUNT],
}

/// Decisions.
impl Outlook {
    fn new(values: &'static Values, table: &Table, seat: Seat) -> Self {
        let late = table.expected_rounds().clamp(0, values.late);
        let prices = values.resource.map(|price| POINT + (price - POINT) * late / values.late);
        Self { values, table: table.clone(), seat, prices }
    }

    fn value<'a>(&self, action: Action, plan: &impl Deref<Target = Plan<'a>>) -> i32 {
        match (action, self.table.phase) {
            (Action::PlaceTransporter(_) | Action::PlaceSculptor(_), _) => plan.urgency(action),
            (Action::PlaceSorcerer(star), _) => SORCERER - star.index() as i32,
            // In phase 1 there is no hurry to place the Chief or to play tiles.
            (Action::PlaceChief(_) | Action::Play(..), Phase::Place) => NEVER,
            (Action::PlaceChief(_), _) => self.improved(action, plan) + POINT,
            (Action::Play(_, power), _) => {
                self.improved(action, plan) - self.values.tile[power.tile() as usize] / 2 - 1
            }
            (Action::Improve(improvement), _) => self.improvement(improvement),
            (Action::Sculpt(size), _) => size.resources().into(),
            (Action::Transport(cargo), _) => (plan.first == Some(cargo)).into(),
            (Action::Toll(resource), _) => self.gain(resource, 1),
            (Action::GainShown | Action::GainShifted | Action::GainFirst(_), _) => {
                self.worth(self.after(action).resources())
            }
            (Action::Skimp(_), _) => self.skimped_exchange().map_or(NEVER, |exchange| exchange.value),
            (Action::Offer(offering, source), Phase::Exchange { skimped }) => {
                self.exchange_for(offering, source, skimped).map_or(NEVER, |exchange| exchange.value)
            }
            (Action::Pay(payment), _) => -self.cost(payment),
            (Action::Draft(tile), _) => self.values.tile[tile as usize],
            _ => 0,
        }
    }

    /// Returns the next action of a transport to the space with the highest value.
    fn carry(&self, cargo: Cargo, at: Area, visited: Areas) -> Action {
        let ways = self.ways(at, visited);
        let goals = self.table.goals(self.seat, cargo).iter();
        let reward = match cargo {
            Cargo::Moai(size) => self.reward_of_moai(size),
            Cargo::Pukao => Reward::Exchange(self.best_exchange().map_or(NEVER, |exchange| exchange.value)),
        };
        let reached = goals.filter_map(|space| Some((self.arrival(space, reward) - ways.cost(space)?, space)));
        let (_, goal) = reached.max_by_key(|&(value, _)| value).expect("a transport can be ended");
        match (ways.to(goal).last(), cargo) {
            (Some(next), _) => Action::Step(next),
            (None, Cargo::Pukao) => Action::Style,
            (None, Cargo::Moai(_)) => Action::Erect(self.best_tile(goal)),
        }
    }

    /// Returns the value of an Improvement tile: above all other actions, if enough rounds are left, and below them
    /// otherwise.
    fn improvement(&self, improvement: Improvement) -> i32 {
        let (resource, cost) = improvement.cost();
        let price = self.prices[resource as usize] * i32::from(cost);
        if IMPROVEMENT[improvement as usize] * self.table.expected_rounds() > price { GAP } else { NEVER }
    }

    /// Returns the gain in value of the best plan after an action.
    fn improved(&self, action: Action, plan: &Plan<'_>) -> i32 {
        self.after(action).best_plan(plan.known).value - plan.value
    }

    fn after(&self, action: Action) -> Self {
        let offered = BySeat::new(self.table.options.seats, 0);
        let mut game = RapanuiBoard { table: self.table.clone(), offered };
        game.apply(self.seat, action, &mut NoEvents);
        Self { table: game.table, ..*self }
    }
}

impl Table {
    /// Returns an estimate of the number of rounds left.
    fn expected_rounds(&self) -> i32 {
        let ahus = i32::from(self.empty_ahus()) - i32::from(self.last_ahus());
        let seats = self.options.seats.count() as i32;
        (ahus * 10 / (seats * 9)).min(i32::from(self.options.max_rounds - self.round))
    }
}

/// Resources.
impl Outlook {
    fn player(&mut self) -> &mut Player {
        &mut self.table.players[self.seat]
    }

    fn resources(&self) -> Resources {
        self.table.players[self.seat].resources
    }

    /// Returns the expected value of these Resources.
    fn worth(&self, resources: Resources) -> i32 {
        Resource::ALL.into_iter().map(|resource| self.worth_of(resource, resources[resource])).sum()
    }

    fn worth_of(&self, resource: Resource, count: u8) -> i32 {
        let (count, price) = (i32::from(count), self.prices[resource as usize]);
        price * count.min(4) + price * SURPLUS / 100 * (count - 4).max(0)
    }

    fn gain(&self, resource: Resource, count: u8) -> i32 {
        let before = self.resources();
        let mut after = before;
        after.gain(resource, count, self.table.options.resource_cap);
        self.worth_of(resource, after[resource]) - self.worth_of(resource, before[resource])
    }

    fn cost(&self, payment: Payment) -> i32 {
        self.costs().of(payment)
    }

    /// Returns the loss of value by giving Resources away.
    fn costs(&self) -> Costs {
        let mut costs = Costs([[0; 5]; Resource::COUNT]);
        for (of, resource) in costs.0.iter_mut().zip(Resource::ALL) {
            let have = self.resources()[resource];
            let worth = self.worth_of(resource, have);
            (0..5).zip(of).for_each(|(paid, cost)| *cost = worth - self.worth_of(resource, have.saturating_sub(paid)));
        }
        costs
    }

    /// Returns the gain in value by so many Resources, by type.
    fn gains(&self, count: u8) -> [i32; Resource::COUNT] {
        Resource::ALL.map(|resource| self.gain(resource, count))
    }

    /// Returns the best Resource to take for a Moai, out of these gains.
    fn best_gain(&self, space: Space, gains: &[i32; Resource::COUNT]) -> Resource {
        let colours = self.table.board().colours(space);
        let shown = [Some(colours.first), colours.second].into_iter().flatten();
        let is_fervent = self.table.players[self.seat].is(Improvement::Fervent);
        let taken = shown.flat_map(|colour| [Some(colour), colour.next_higher().filter(|_| is_fervent)]).flatten();
        taken.max_by_key(|&resource| gains[resource as usize]).expect("a space has a colour")
    }
}

/// The loss of value by giving away 0 to 4 Resources of each type.
struct Costs([[i32; 5]; Resource::COUNT]);

impl Costs {
    fn of(&self, payment: Payment) -> i32 {
        self.0.iter().zip(payment.resources().as_array()).map(|(cost, &paid)| cost[usize::from(paid)]).sum()
    }
}

/// An exchange. Its value is the worth of the tile minus the cost of the payment.
#[derive(Clone, Copy)]
struct Exchange {
    value: i32,
    offering: Offering,
    source: Source,
    payment: Payment,
}

/// Exchanges.
impl Outlook {
    fn best_exchange(&self) -> Option<Exchange> {
        let player = &self.table.players[self.seat];
        let skimped = self.skimped_exchange().filter(|_| player.tiles[Tile::Skimp] > 0 || player.has_tablet);
        self.exchange(false).into_iter().chain(skimped).max_by_key(|exchange| exchange.value)
    }

    /// Returns the best exchange with Skimp, minus part of the value of the tile that is played.
    fn skimped_exchange(&self) -> Option<Exchange> {
        let exchange = self.exchange(true)?;
        Some(Exchange { value: exchange.value - self.values.tile[Tile::Skimp as usize] / 2, ..exchange })
    }

    fn exchange(&self, skimped: bool) -> Option<Exchange> {
        let affordable = Payments::affordable(self.resources()) & Payments::any(skimped);
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
    fn exchange_for(&self, offering: Offering, source: Source, skimped: bool) -> Option<Exchange> {
        let (affordable, costs) = (Payments::affordable(self.resources()), self.costs());
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

/// The value of the end of a transport, as far as it is the same on all spaces.
#[derive(Clone, Copy)]
enum Reward {
    /// The gain for a Moai by Resources of each type, beside the Ahu tile.
    Resources([i32; Resource::COUNT]),
    /// The value of the exchange for a Pukao.
    Exchange(i32),
}

/// Transports.
impl Outlook {
    fn reward_of_moai(&self, size: Size) -> Reward {
        Reward::Resources(self.gains(size.resources()))
    }

    /// Returns the value of a transport that ends on this space.
    fn arrival(&self, space: Space, reward: Reward) -> i32 {
        match reward {
            Reward::Resources(gains) => {
                let tile = self.values.tile[self.best_tile(space) as usize];
                gains[self.best_gain(space, &gains) as usize] + tile
            }
            Reward::Exchange(value) => value,
        }
    }

    fn best_tile(&self, space: Space) -> Tile {
        let tiles = self.table.site(space).tiles.into_iter().flatten();
        tiles.max_by_key(|&tile| self.values.tile[tile as usize]).expect("an ahu is free")
    }

    /// Returns the cheapest routes from an area. As long as figurines are placed, routes may have gaps.
    fn ways(&self, start: Area, visited: Areas) -> Ways {
        let Table { options, phase, players, .. } = &self.table;
        let board = options.board.board();
        let quarries = if options.pass_other_quarry { Areas::QUARRIES } else { Areas::EMPTY };
        let with_quarries = |spaces| Areas::from(spaces) | quarries;
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
struct Ways {
    start: Area,
    /// The cost of the route to each area; the highest number if there is none.
    costs: [i32; Area::COUNT],
    /// The previous area on the route to each area.
    before: [Area; Area::COUNT],
}

impl Ways {
    fn cost(&self, space: Space) -> Option<i32> {
        Some(self.costs[space.index()]).filter(|&cost| cost < i32::MAX)
    }

    /// Returns the areas of the route to a space, in reverse order, without the start.
    fn to(&self, space: Space) -> impl Iterator<Item = Area> {
        let back = |&area: &Area| Some(self.before[area.index()]);
        std::iter::successors(Some(Area::from(space)), back).take_while(|&area| area != self.start)
    }
}

/// The routes and exchanges that were found for a decision: many of its plans need the same.
#[derive(Default)]
struct Known {
    ways: RefCell<Vec<(WaysKey, Ways)>>,
    exchanges: RefCell<Vec<(ExchangeKey, Option<Exchange>)>>,
}

/// All that differs between the plans of a decision and changes their routes: the quarry, the spaces that the player holds,
/// those that anyone does, and whether figurines are still placed.
type WaysKey = (Area, Spaces, Spaces, bool);
/// All that differs between the plans of a decision and changes their exchanges: the player's Resources, tiles, and tablet,
/// and the Offering tiles that are taken.
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
struct Plan<'a> {
    /// The table after the plan.
    outlook: Outlook,
    known: &'a Known,
    /// The value of the plan.
    value: i32,
    /// The figurines still to be placed, each with its urgency.
    figurines: Vec<(i32, Action)>,
    /// The cargo of the first transport.
    first: Option<Cargo>,
}

impl Outlook {
    /// Returns the best plan over all sets of Sculptors that could be placed.
    fn best_plan<'a>(&self, known: &'a Known) -> Plan<'a> {
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
    fn urgency(&self, action: Action) -> i32 {
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
                table.sites[space.index()].styled += 1;
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
        self.outlook.player().resources.gain(resource, count, cap);
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
    use rand::SeedableRng as _;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::core::{ChanceRng, GameExt as _, GameOptions as _, Seats, Seed};
    use crate::games::rapanui_board::Options;

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

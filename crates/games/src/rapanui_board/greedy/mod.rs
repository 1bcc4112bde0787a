//! The bot `greedy`, which makes a plan for each round.
//!
//! A plan names the spaces on which Moai would be erected and styled, the gains of these transports, and the
//! figurines that they still need. For each set of Sculptors that could be placed, the bot adds one transport after
//! the other, each to its best space; the plan of the highest value counts. In phase 1 the bot places the figurines
//! that the plan lacks, first those whose places others could take; in phase 3 it carries the plan out. It takes any
//! other action if the plan is better after it. The bot has no memory, and plans no further than the round. Values
//! are in hundredths of a victory point. Version 2 has other values: of Resources, and of Ahu tiles.

mod exchanges;
mod plan;
mod routes;

use std::cell::LazyCell;
use std::ops::Deref;

use ahu_core::{ActionSet, BySeat, Game as _, NoEvents, Policy, Seat, any_best};
use plan::{Known, Plan};
use rand::Rng;
use routes::Reward;

use crate::rapanui_board::{
    Action, Area, Areas, Cargo, Improvement, Payment, Phase, Player, RapanuiBoard, Resource, Resources, Space, Table,
    Tile,
};

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
    /// The number of last rounds in which the value of a Resource falls, down to one victory point at the end.
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
        Self { values, table: *table, seat, prices }
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
        let mut game = RapanuiBoard { table: self.table, offered };
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
        resource.gain(&mut after, count, self.table.options.resource_cap);
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

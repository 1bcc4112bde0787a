//! The bot `heldout@1`: a heuristic by somebody who knew the rules page alone, and no other bot.
//!
//! Each card below the front of a column, and each card of the stack, may be scored once. So the bot counts for each kind the
//! harvests that are still to come, and values a display by what they bring. Wood is worth what it can still buy: a budget goes
//! to sacrifice cards, Moai, and plain points, the best rate first. A play is judged with the best draws after it: with the
//! harvest that they set off, and with the one that they leave to the left neighbour.

use super::cards::{Food, Foods, Kind, KindCounts};
use super::{Action, Column, HAND, MOAI_PRICE, Payout, Pile, RapanuiCards, Table, View};
use ahu_core::{ActionSet, Game as _, Policy, Seat, Viewer, any_best};
use rand::Rng;

/// The policy of the bot `heldout@1`.
pub const HELD_OUT_1: Policy<RapanuiCards> =
    Policy { choose, choose_in: |game, seat, legal, rng| choose(&game.view(Viewer::Seat(seat)), legal, rng) };

/// The price of a sacrifice card without Hunters & Gatherers, and the wood that makes one glory point at the end.
const FULL_PRICE: f32 = 5.0;

/// A table as it may be after some actions, and what the player expects of it. Of the other players' cards it uses only the
/// displays.
#[derive(Clone, Copy)]
struct Outlook {
    table: Table,
    me: Seat,
    /// The sacrifice cards that the player laid face down.
    hidden: Foods,
    /// The expected number of cards of each food on the stone.
    stone: [f32; Food::COUNT],
    /// The number of cards of each kind that may still be uncovered.
    harvests: [f32; Kind::COUNT],
    /// The share of these cards that count as harvests; it falls as the game goes on.
    share: f32,
    /// The expected number of own turns to come.
    turns: f32,
}

/// Chooses the action with the best outlook.
fn choose(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let now = survey(view);
    any_best(legal, rng, |action| (now.after(action) * 1000.0) as i64)
}

/// Estimates the harvests to come, and the cards on the stone.
fn survey(view: &View) -> Outlook {
    let (table, me, hidden) = (view.table, view.viewer.seat(), view.own_hidden());
    let seats = table.options.seats;
    let revealed = f32::from(table.stack.saturating_sub(2)) / f32::from(table.unseen.total().max(1));
    let buried = table.columns.iter().flat_map(|pile| pile.cards().iter().skip(1)).flatten();
    let buried: KindCounts = buried.copied().collect();
    let harvests = Kind::ALL.map(|kind| f32::from(buried[kind]) + f32::from(table.unseen[kind]) * revealed);
    let to_come: f32 = harvests.iter().sum();
    let (share, turns) = (0.38 * to_come / (to_come + 5.0), 0.34 * to_come / seats.count() as f32);
    // A card that has left the supply is an own one, or another player's, or lies on the stone.
    let away = Food::ALL.map(|food| 25.0 - f32::from(table.stock[food] + table.villages[me].accounted[food]));
    let rivals_hold: f32 = seats.others(me).map(|seat| f32::from(table.villages[seat].held)).sum();
    let laid = 1.0 - (rivals_hold / away.iter().sum::<f32>().max(1.0)).min(1.0);
    let open = |food| f32::from(u8::from(view.shows_stone()) * table.stone.open[food]);
    let stone = Food::ALL.map(|food| (away[food.index()] * laid).max(open(food)) + f32::from(hidden[food]));
    Outlook { table, me, hidden, stone, harvests, share, turns }
}

impl Outlook {
    /// Returns the value of an action, with the best draws that follow a play.
    fn after(mut self, action: Action) -> f32 {
        let village = &mut self.table.villages[self.me];
        match action {
            Action::Buy(food) => {
                village.wood -= village.price(food);
                village.accounted[food] += 1;
            }
            Action::PlayLumberjack => return self.after_play(Kind::Lumberjack, 1, 0),
            Action::PlayPriest => return self.after_play(Kind::Priest, 1, 0),
            Action::PlayGatherers(food, n) => return self.after_play(Kind::gatherer(food), n.count(), n.price()),
            Action::BuildMoai => {
                // The builder lays its own most frequent food, and another card of it from the supply.
                let own = village.accounted - self.hidden;
                let food = Food::ALL.into_iter().max_by_key(|&food| own[food]).unwrap_or(Food::Fish);
                village.accounted[food] -= own[food].min(1);
                self.stone[food.index()] += 2.0;
                return 1.0 + self.after_play(Kind::Moai, 1, MOAI_PRICE);
            }
            Action::Sacrifice(food) => {
                village.accounted[food] -= 1;
                self.stone[food.index()] += 1.0;
            }
            Action::Supply(food) => self.stone[food.index()] += 1.0,
            Action::Draw(column) => return self.after_draw(column.index()),
            Action::Take(Payout::Glory) => village.glory += 1,
            Action::Take(Payout::Wood) => village.wood += 1,
            Action::Pick(food) => village.accounted[food] += 1,
            Action::BoxMoai | Action::BuyNothing | Action::SupplyNothing | Action::PickNothing => {}
        }
        self.value()
    }

    /// Returns the value of a play of `count` cards of a kind, with the best draws.
    fn after_play(mut self, kind: Kind, count: u8, price: u16) -> f32 {
        let village = &mut self.table.villages[self.me];
        village.hand[kind] -= count;
        village.display[kind] += count;
        village.wood -= price;
        self.best_draw()
    }

    /// Returns the value of the best draw.
    fn best_draw(self) -> f32 {
        (0..Column::COUNT).map(|column| self.after_draw(column)).fold(f32::MIN, f32::max)
    }

    /// Returns the value of a draw, with the best draws that follow, the harvest, and the one that the left neighbour likes best.
    fn after_draw(mut self, column: usize) -> f32 {
        // A card that chance reveals only after an earlier draw stays unknown.
        let Pile { len, cards: [Some(drawn), b, c, d] } = self.table.columns[column] else { return self.value() };
        self.table.columns[column] = Pile { len: len - 1, cards: [b, c, d, None] };
        self.table.villages[self.me].hand[drawn] += 1;
        if len == 1 && self.table.stack <= 4 {
            // The replenishing uses up the stack and ends the game.
            return Self { share: 0.0, turns: 0.0, ..self }.value();
        } else if self.table.villages[self.me].hand.total() < HAND {
            return self.best_draw();
        }
        let left = self.table.options.seats.left_of(self.me, 1);
        let for_left = |&a: &Kind, &b: &Kind| self.gain(left, a).total_cmp(&self.gain(left, b));
        let reply = self.table.columns.iter().filter_map(|pile| pile.cards[1]).max_by(for_left);
        let swing = |kind: Option<Kind>| kind.map_or(0.0, |kind| self.gain(self.me, kind) - self.rivals_gain(kind));
        self.value() + 0.57 * swing(b) + 0.32 * swing(reply)
    }

    /// Returns the average points that a harvest of a kind brings the other players.
    fn rivals_gain(&self, kind: Kind) -> f32 {
        let seats = self.table.options.seats;
        seats.others(self.me).map(|seat| self.gain(seat, kind)).sum::<f32>() / (seats.count() - 1) as f32
    }

    /// Returns the points that a harvest of a kind brings a player.
    fn gain(&self, seat: Seat, kind: Kind) -> f32 {
        let points = match kind.food() {
            Some(food) => self.worth()[food.index()],
            None if kind == Kind::Lumberjack => 0.2 + 0.45 * self.turns / (self.turns + 2.0),
            None => 1.0,
        };
        points * harvest(&self.table, seat, kind)
    }

    /// Returns the expected worth of a card of each food: its rank on the stone, softened as long as Moai may come.
    fn worth(&self) -> [f32; Food::COUNT] {
        let own = self.table.villages[self.me].accounted - self.hidden;
        let support = Food::ALL.map(|food| self.stone[food.index()] + 0.15 * self.share * f32::from(own[food]));
        let step = |lead: f32| (lead / (1.0 + 4.8 * self.share)).clamp(-0.5, 0.5);
        support.map(|own| 1.5 + support.iter().map(|other| step(own - other)).sum::<f32>())
    }

    /// Returns the value of a position: own points, partly as if the hand were in the display, less those of the others.
    fn value(&self) -> f32 {
        let mut full = *self;
        let village = &mut full.table.villages[self.me];
        let moai = std::mem::take(&mut village.hand[Kind::Moai]);
        village.display = village.display + village.hand;
        let (shown, played) = (self.prospects(0), 1.4 * self.turns / (self.turns + 1.5));
        let rivals: f32 = Kind::ALL.map(|kind| self.harvests[kind.index()] * self.rivals_gain(kind)).iter().sum();
        shown + played * (full.prospects(moai) - shown) - self.share * rivals
    }

    /// Returns the own points by the end: glory, Moai, sacrifice cards, harvests, and the best use of the wood.
    fn prospects(&self, moai: u8) -> f32 {
        let village = &self.table.villages[self.me];
        let coming = |kind: Kind| self.share * self.harvests[kind.index()] * harvest(&self.table, self.me, kind);
        let mut points = f32::from(village.glory + 4 * u16::from(village.moai()));
        let (mut card, mut price) = (0.0, FULL_PRICE);
        for (food, one) in Food::ALL.into_iter().zip(self.worth()) {
            let its_price = f32::from(village.price(food)).max(0.1);
            points += one * (f32::from(village.accounted[food] - self.hidden[food]) + coming(Kind::gatherer(food)));
            if one - 0.43 * its_price > card - 0.43 * price {
                (card, price) = (one, its_price);
            }
        }
        // Each use of wood has its points a wood, and the most wood that it takes.
        let a_moai = (4.0 + 0.35 * self.share * self.harvests[Kind::Moai.index()]) / f32::from(MOAI_PRICE);
        let mut uses = [(card / price, 1.9 * self.turns * price), (a_moai, f32::from(MOAI_PRICE * u16::from(moai)))];
        uses.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut wood = f32::from(village.wood) + coming(Kind::Lumberjack);
        for (rate, most) in uses {
            points += wood.min(most) * rate.max(1.0 / FULL_PRICE);
            wood -= wood.min(most);
        }
        points + wood / FULL_PRICE + coming(Kind::Moai) + coming(Kind::Priest)
    }
}

/// Returns the yield of a harvest of a kind for a player: cards of the food, wood, or glory points.
fn harvest(table: &Table, seat: Seat, kind: Kind) -> f32 {
    let own = table.villages[seat].display[kind];
    let most = table.options.seats.others(seat).map(|other| table.villages[other].display[kind]).max().unwrap_or(0);
    let base = if kind.food().is_some() { own.min(1) } else { own };
    f32::from(base + u8::from(own >= 2 && own > most))
}

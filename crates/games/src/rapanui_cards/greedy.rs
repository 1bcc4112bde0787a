//! The bot `greedy`: it takes the best immediate gain.
//!
//! It estimates the average yield of a card in a personal display until the end, for its owner and for the others. It
//! builds Moai as soon as it can pay, uncovers cards that are good for it, buys cheap cards, and sacrifices for the
//! cards that it holds. It does not remember, and it does not look ahead. Values are in hundredths of a glory point.
//! Version 2 has other values: above all, it takes no Moai for their own sake.

use ahu_core::{ActionSet, Policy, Seat, any_best};
use rand::Rng;

use super::RapanuiCards;
use super::action::{Action, Payout};
use super::cards::{Food, Foods, Kind, KindCounts};
use super::column::Pile;
use super::final_scoring::{cards_points, worth};
use super::play::{HAND, MOAI_PRICE};
use super::table::Table;
use super::view::View;

/// The value of a glory point.
const GLORY: i32 = 100;
/// The value of the lower price that one more Hunter & Gatherer brings.
const CHEAPER: i32 = 25;
/// The most wood that a greedy player pays for a sacrifice card.
const DEAREST: u16 = 3;
/// The size of the stack at or below which the player saves no wood for a Moai.
const LAST_TURNS: u8 = 6;
/// The approximate number of cards left in the columns at the end.
const LEFT_OVER: i32 = 8;

/// The values of a version of the bot.
struct Values {
    /// The value of 1 wood, which may become part of a Moai; at the end it is a fifth of a glory point.
    wood: i32,
    /// The value of 1 wood to pay that a Moai in hand needs.
    needed_wood: i32,
    /// The value of a sacrifice card of any food.
    card: i32,
    /// The value of drawing a Moai, which costs wood and a sacrifice before it yields.
    moai: i32,
    /// The weight of the others' average yield, in hundredths of the weight of the own yield.
    others: i32,
}

/// The values of version 1.
const VALUES_1: Values = Values { wood: 35, needed_wood: 105, card: 150, moai: 400, others: 100 };

/// The values of version 2, chosen by games against version 1.
const VALUES_2: Values = Values { wood: 25, needed_wood: 50, card: 125, moai: 0, others: 135 };

/// Version 1 of the bot.
pub const GREEDY_1: Policy<RapanuiCards> = Policy {
    choose: |view, legal, rng| choose(&VALUES_1, SeatFacts::of_view(view), legal, rng),
    choose_in: |game, seat, legal, rng| choose(&VALUES_1, SeatFacts::of_game(game, seat), legal, rng),
};

/// Version 2 of the bot.
pub const GREEDY_2: Policy<RapanuiCards> = Policy {
    choose: |view, legal, rng| choose(&VALUES_2, SeatFacts::of_view(view), legal, rng),
    choose_in: |game, seat, legal, rng| choose(&VALUES_2, SeatFacts::of_game(game, seat), legal, rng),
};

fn choose(values: &Values, facts: SeatFacts<'_>, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let outlook = Outlook::of(values, facts);
    any_best(legal, rng, |action| outlook.value(action))
}

/// The facts that a seat is shown, read from its view or from a game.
struct SeatFacts<'a> {
    /// The table. The bot reads neither the hands and cards of other seats nor the stone there: read from a game, they
    /// are not removed.
    table: &'a Table,
    /// The seat's own sacrifice cards.
    cards: Foods,
    /// The cards on the stone that the seat is shown, with the cards that it laid itself.
    stone: Foods,
}

impl<'a> SeatFacts<'a> {
    /// Borrows the shown view of a seat.
    fn of_view(view: &'a View) -> Self {
        Self { table: &view.table, cards: view.own_cards(), stone: view.table.stone.open + view.own_hidden() }
    }

    /// Borrows a game.
    #[inline]
    fn of_game(game: &'a RapanuiCards, seat: Seat) -> Self {
        let table = &game.table;
        let open = if table.shows_stone() { table.stone.open } else { Foods::EMPTY };
        Self { table, cards: game.cards_of(seat), stone: open + game.hidden_by(seat) }
    }
}

/// The expectations of a seat that decides about the rest of the game.
struct Outlook<'a> {
    values: &'a Values,
    facts: SeatFacts<'a>,
    seat: Seat,
    /// For each kind, the expected number of scorings, in hundredths.
    scorings: [i32; Kind::COUNT],
}

impl<'a> Outlook<'a> {
    fn of(values: &'a Values, facts: SeatFacts<'a>) -> Self {
        let table = facts.table;
        let seen: KindCounts = table.columns.iter().flat_map(Pile::cards).copied().flatten().collect();
        let left = table.unseen + seen;
        let total = i32::from(left.total()).max(1);
        let draws = (total - LEFT_OVER).max(0);
        let scorings = Kind::ALL.map(|kind| 100 * draws * i32::from(left[kind]) / total);
        Self { values, facts, seat: table.phase.to_act(table.active).unwrap_or(table.active), scorings }
    }

    fn value(&self, action: Action) -> i32 {
        let village = &self.facts.table.villages[self.seat];
        match action {
            Action::Buy(food) => {
                let wood = village.price(food);
                if wood > DEAREST { -1 } else { self.card(food) - self.price(wood) }
            }
            Action::PlayLumberjack => self.gain(Kind::Lumberjack, 1),
            Action::PlayPriest => self.gain(Kind::Priest, 1),
            Action::PlayGatherers(food, gatherers) => {
                self.gain(Kind::gatherer(food), gatherers.count()) - self.price(gatherers.price())
            }
            // A Moai comes before all other plays.
            Action::BuildMoai => i32::MAX,
            Action::Sacrifice(food) => {
                let mut left = self.facts.cards;
                left[food] -= 1;
                self.cards_if_laid(Some(food), left)
            }
            Action::Supply(food) => self.cards_if_laid(Some(food), self.facts.cards),
            Action::Draw(column) => self.draw(&self.facts.table.columns[column.index()].cards),
            Action::Take(Payout::Glory) => GLORY,
            Action::Take(Payout::Wood) => {
                if self.would_pay_for_a_moai() {
                    2 * GLORY
                } else {
                    self.values.wood
                }
            }
            Action::Pick(food) => self.card(food),
            Action::SupplyNothing => self.cards_if_laid(None, self.facts.cards),
            Action::BuyNothing | Action::BoxMoai | Action::PickNothing => 0,
        }
    }

    /// Returns the value of wood to pay: it is higher if the wood is needed for a Moai.
    fn price(&self, wood: u16) -> i32 {
        let village = &self.facts.table.villages[self.seat];
        let is_for_a_moai = village.hand[Kind::Moai] > 0 && village.wood < MOAI_PRICE + wood;
        i32::from(wood) * if is_for_a_moai { self.values.needed_wood } else { self.values.wood }
    }

    /// Returns true if the yield of the Moai, taken in wood, completes the price of the one in hand, with enough time
    /// left to build it.
    fn would_pay_for_a_moai(&self) -> bool {
        let table = self.facts.table;
        let village = &table.villages[self.seat];
        let with_moai = village.wood + u16::from(village.moai());
        village.hand[Kind::Moai] > 0 && village.wood < MOAI_PRICE && with_moai >= MOAI_PRICE && table.stack > LAST_TURNS
    }

    /// Returns the value of `more` cards in the own display, less their value to the others.
    fn gain(&self, kind: Kind, more: u8) -> i32 {
        let display = &self.facts.table.villages[self.seat].display;
        let cheaper = if kind.food().is_some() { CHEAPER * i32::from(more) } else { 0 };
        let income = |count| self.margin(kind, count) * self.scorings[kind as usize] / 100;
        income(display[kind] + more) - income(display[kind]) + cheaper
    }

    /// Returns the value of one scoring of the kind with `own` cards in the own display, less its average value to
    /// the others.
    fn margin(&self, kind: Kind, own: u8) -> i32 {
        let table = self.facts.table;
        let seats = table.options.seats;
        let count = |seat| if seat == self.seat { own } else { table.villages[seat].display[kind] };
        let yields = |seat: Seat| {
            let has_bonus = count(seat) >= 2 && seats.others(seat).all(|other| count(other) < count(seat));
            let base = if kind.food().is_some() { count(seat).min(1) } else { count(seat) };
            i32::from(base) + i32::from(has_bonus)
        };
        let others: i32 = seats.others(self.seat).map(yields).sum();
        let value = match kind {
            Kind::Lumberjack => self.values.wood,
            Kind::Priest | Kind::Moai => GLORY,
            Kind::Fish | Kind::Mulberry | Kind::SweetPotato | Kind::Grain => self.values.card,
        };
        value * yields(self.seat) - value * others * self.values.others / (100 * (seats.count() as i32 - 1))
    }

    /// Returns the value of taking the front card: a card to play, and, if it is the last draw, the scoring of the
    /// card below.
    fn draw(&self, cards: &[Option<Kind>]) -> i32 {
        let village = &self.facts.table.villages[self.seat];
        let in_hand = match cards[0] {
            Some(Kind::Moai) => self.values.moai - i32::from(village.hand[Kind::Moai]) * GLORY,
            Some(kind) => self.gain(kind, 1),
            None => 0,
        };
        let is_last = village.hand.total() + 1 == HAND;
        let scored = match cards[1] {
            Some(kind) if is_last => self.margin(kind, village.display[kind]),
            _ => 0,
        };
        in_hand / 2 + scored
    }

    /// Returns the value of one more sacrifice card. It rises with the number of own cards of the food, since the
    /// player tends to raise that food's worth.
    fn card(&self, food: Food) -> i32 {
        self.values.card + 20 * i32::from(self.facts.cards[food]).min(5)
    }

    /// Returns the worth of sacrifice cards after a card of `food` is laid on the stone too, as far as the viewer is
    /// shown the stone.
    fn cards_if_laid(&self, food: Option<Food>, cards: Foods) -> i32 {
        let stone = self.facts.stone + food.into_iter().collect();
        i32::from(cards_points(cards, worth(stone, self.facts.table.options.zero_count_types))) * GLORY
    }
}

//! A player who takes what there is: the bot `greedy`.
//!
//! It looks at what a card in a personal display will bring on average until the end, to its owner and to the others;
//! builds Moai as soon as it can pay; uncovers what is good for it; buys what is cheap; and sacrifices for the cards
//! that it holds. It does not remember, and it does not look ahead. Values are in hundredths of a glory point.

use rand::{Rng, RngExt};

use super::View;
use super::action::{Action, Payout};
use super::cards::{Food, Foods, Kind, Kinds};
use super::draw::Pile;
use super::end::{cards_points, worth};
use super::play::{HAND, MOAI_PRICE};
use crate::core::{ActionSet, Seat};

/// A glory point.
const GLORY: i32 = 100;
/// A wood, which may become part of a Moai; at the end, a fifth of a glory point.
const WOOD: i32 = 35;
/// A sacrifice card of a food of which nothing else is known.
const CARD: i32 = 150;
/// What a Moai in hand is worth.
const MOAI: i32 = 400;
/// A Hunter & Gatherer more, for whoever buys the food's cards.
const CHEAPER: i32 = 25;
/// What greedy players pay at most for a sacrifice card, in wood.
const DEAREST: u16 = 3;
/// With so few cards in the stack no Moai is saved for.
const LAST_TURNS: u8 = 6;
/// About as many cards are left in the columns at the end.
const LEFT_OVER: i32 = 8;

/// What a greedy player does in the position of `view`, where `legal` may be done.
///
/// # Panics
/// Where nothing is legal.
pub fn greedy(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let outlook = Outlook::of(view);
    let best = legal.actions().map(|action| outlook.value(action)).max();
    let equal: Vec<Action> = legal.actions().filter(|&action| Some(outlook.value(action)) == best).collect();
    equal[rng.random_range(0..equal.len())]
}

/// What a seat that decides expects of the rest of the game.
struct Outlook<'a> {
    view: &'a View,
    seat: Seat,
    /// For each kind, how many times in a hundred it may still be scored.
    scorings: [i32; Kind::COUNT],
}

impl<'a> Outlook<'a> {
    fn of(view: &'a View) -> Self {
        let table = &view.table;
        let seen: Kinds = table.columns.iter().flat_map(Pile::cards).copied().flatten().collect();
        let left = table.unseen + seen;
        let total = i32::from(left.total()).max(1);
        let draws = (total - LEFT_OVER).max(0);
        let scorings = Kind::ALL.map(|kind| 100 * draws * i32::from(left[kind]) / total);
        Self { view, seat: table.phase.owing(table.active).unwrap_or(table.active), scorings }
    }

    fn value(&self, action: Action) -> i32 {
        let village = &self.view.table.villages[self.seat];
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
            // Before all other plays.
            Action::BuildMoai => i32::MAX,
            Action::Sacrifice(food) => {
                let mut left = self.view.own_cards();
                left[food] -= 1;
                self.cards_if_laid(Some(food), left)
            }
            Action::Supply(food) => self.cards_if_laid(Some(food), self.view.own_cards()),
            Action::Draw(column) => self.draw(&self.view.table.columns[column.index()].cards),
            Action::Take(Payout::Glory) => GLORY,
            Action::Take(Payout::Wood) => {
                if self.would_pay_for_a_moai() {
                    2 * GLORY
                } else {
                    WOOD
                }
            }
            Action::Pick(food) => self.card(food),
            Action::SupplyNothing => self.cards_if_laid(None, self.view.own_cards()),
            Action::BuyNothing | Action::BoxMoai | Action::PickNothing => 0,
        }
    }

    /// What the wood is worth that is paid: more, where it lacks for a Moai.
    fn price(&self, wood: u16) -> i32 {
        let village = &self.view.table.villages[self.seat];
        let is_for_a_moai = village.hand[Kind::Moai] > 0 && village.wood < MOAI_PRICE + wood;
        i32::from(wood) * if is_for_a_moai { 3 * WOOD } else { WOOD }
    }

    /// Whether what Moai bring, taken in wood, is what lacks for the one in hand, and there will be time to build it.
    fn would_pay_for_a_moai(&self) -> bool {
        let table = &self.view.table;
        let village = &table.villages[self.seat];
        let with_moai = village.wood + u16::from(village.moai());
        village.hand[Kind::Moai] > 0 && village.wood < MOAI_PRICE && with_moai >= MOAI_PRICE && table.stack > LAST_TURNS
    }

    /// What so many cards more in one's display will bring, less what they bring the others.
    fn gain(&self, kind: Kind, more: u8) -> i32 {
        let display = &self.view.table.villages[self.seat].display;
        let cheaper = if kind.food().is_some() { CHEAPER * i32::from(more) } else { 0 };
        let income = |count| self.margin(kind, count) * self.scorings[kind as usize] / 100;
        income(display[kind] + more) - income(display[kind]) + cheaper
    }

    /// What a scoring of the kind brings if the own display has so many of it, less what it brings the others on
    /// average.
    fn margin(&self, kind: Kind, own: u8) -> i32 {
        let table = &self.view.table;
        let seats = table.options.seats;
        let count = |seat| if seat == self.seat { own } else { table.villages[seat].display[kind] };
        let yields = |seat: Seat| {
            let has_bonus = count(seat) >= 2 && seats.others(seat).all(|other| count(other) < count(seat));
            let base = if kind.food().is_some() { count(seat).min(1) } else { count(seat) };
            i32::from(base) + i32::from(has_bonus)
        };
        let others: i32 = seats.others(self.seat).map(yields).sum();
        let value = match kind {
            Kind::Lumberjack => WOOD,
            Kind::Priest | Kind::Moai => GLORY,
            Kind::Fish | Kind::Mulberry | Kind::SweetPotato | Kind::Grain => CARD,
        };
        value * yields(self.seat) - value * others / (seats.count() as i32 - 1)
    }

    /// What taking the front card brings: a card to play, and, if it is the last to be drawn, the scoring of the one
    /// below.
    fn draw(&self, cards: &[Option<Kind>]) -> i32 {
        let village = &self.view.table.villages[self.seat];
        let in_hand = match cards[0] {
            Some(Kind::Moai) => MOAI - i32::from(village.hand[Kind::Moai]) * GLORY,
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

    /// What a sacrifice card more will be worth: one is inclined to make the food worth more of which one has many.
    fn card(&self, food: Food) -> i32 {
        CARD + 20 * i32::from(self.view.own_cards()[food]).min(5)
    }

    /// What these sacrifice cards would be worth if a card of the food were laid on the stone too, as far as the
    /// viewer is shown what lies there.
    fn cards_if_laid(&self, food: Option<Food>, cards: Foods) -> i32 {
        let stone = self.view.table.stone.open + self.view.own_hidden() + food.into_iter().collect();
        i32::from(cards_points(cards, worth(stone, self.view.table.options.zero_count_types))) * GLORY
    }
}

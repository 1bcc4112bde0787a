//! Tests of Rapa Nui, the card game, rule by rule: the printed rules, the differences D1 to D15, and the rulings A1
//! to A22 of the game's front page.
//!
//! A test sets up a [`table`] from text, plays in the game's own notation, and checks the result. Its name is the
//! rule. Each legal case stands beside an illegal one. In the rulebook's examples Sandra, Arne, Stefan, and Patrick
//! play; a comment gives their seats.

mod buy;
mod chance;
mod depleted;
mod draw;
mod end;
mod events;
mod knowledge;
mod observation;
mod options;
mod play;
mod reading;
mod sacrifice;
mod scoring;
mod secrets;
mod setup;
mod typed;
mod views;
mod worth;

use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use ahu_core::Numbered;
use ahu_core::parts::counts::{Counts, WORD};
use ahu_core::{
    ActionSet, BySeat, ChanceRng, Game, GameExt as _, GameOptions, Seat, Seed, Turn, View as _, options as option_list,
};
use ahu_games::rapanui_cards::cards::{Food, Foods, Kind, KindCounts, MOAI};
use ahu_games::rapanui_cards::{
    Action, Colour, Event, FaceDown, Options, Outcome, Phase, Pile, RapanuiCards, Stone, Table as Open, Top, Village,
};

use crate::scripted::{self, PUBLIC, Scripted, seat, viewer};

/// The 50 cards of the deck, as the rulebook counts them: five Hunters & Gatherers of each food, twelve lumberjacks,
/// nine priests, nine Moai.
const DECK: [(&str, usize); 7] =
    [("fish", 5), ("mulberry", 5), ("sweet_potato", 5), ("grain", 5), ("lumberjack", 12), ("priest", 9), ("moai", 9)];

/// The number of sacrifice cards of each food.
const SACRIFICE_CARDS: u8 = 25;

/// A table of the card game.
type Table = scripted::Table<RapanuiCards>;

/// Sets up a table from lines of `key: value`.
///
/// | key | value | default |
/// |---|---|---|
/// | `seats` | the number of seats | the length of the longest line by seat, else 2 |
/// | `displays` | a personal display for each seat, `lumberjack fish*2 / moai / -` | a lumberjack each |
/// | `hands` | a hand for each seat | any three cards each; two for the player who draws |
/// | `wood`, `glory` | an amount for each seat, `7 / 0` | 0 |
/// | `cards` | sacrifice cards of each seat | one of each food |
/// | `columns` | four columns, the front card first, `?` for a card that nobody has seen | any four cards each |
/// | `stack` | its cards, or their number | all cards that are nowhere else |
/// | `boxed` | Moai out of the game | 0 |
/// | `stock` | the sacrifice cards of the supply | all cards that are nowhere else |
/// | `stone` | the face-up cards on the stone, the upper one last | none |
/// | `face_down` | the face-down cards there, each after its player's seat: `0 fish, 2 grain` | none |
/// | `top` | the card on top of the stone: a food, `face_down` | the last of `stone`, else of `face_down` |
/// | `colours` | the colour of each seat's start cards | in the rulebook's order |
/// | `phase` | `buy`, `play`, `sacrifice 1`, `supply`, `draw`, `payout 1` or `over` | `play` |
/// | `active` | the seat whose turn it is | 0 |
/// | `turn` | the number of the turn in the game | 9 |
/// | an option | its value | its default |
///
/// In a line by seat or by column, `_` stands for the default.
///
/// Cards that no line names are in the stack; if a line names the stack, in the hand of the last seat, where they are
/// worth nothing. Sacrifice cards that no line names are in the supply; if a line names the supply, they lie face up
/// at the bottom of the stone.
fn table(text: &str) -> Table {
    let mut lines = Lines::of(text);
    let options = lines.options();
    let active = seat(lines.number("active", 0));
    let phase = lines.take("phase").map_or(Phase::Play, |name| phase(name, active));
    let boxed = lines.number("boxed", 0);

    let mut villages = BySeat::new(options.seats, Village::EMPTY);
    let drawing = if phase == Phase::Draw { Some(active) } else { None };
    let (columns, unseen) = lay_out(&mut lines, &options, boxed, drawing, &mut villages);
    let (supply, stone, hidden) = lay_sacrifice_cards(&mut lines, &mut villages);
    for key in ["wood", "glory"] {
        for (seat, count) in options.seats.iter().zip(lines.by_seat(key, options.seats.count())) {
            let village = &mut villages[seat];
            let tiles = if key == "wood" { &mut village.wood } else { &mut village.glory };
            *tiles = count.map_or(0, number) as u16;
        }
    }

    let buried = columns.iter().flat_map(Pile::cards).filter(|card| card.is_none()).count();
    let table = Open {
        options,
        phase,
        active,
        turn: lines.number("turn", 9) as u8,
        villages,
        columns,
        stack: unseen.total() - buried as u8,
        unseen,
        boxed: boxed as u8,
        stock: supply,
        stone,
    };
    assert!(lines.0.is_empty(), "expected known keys, got {:?}", lines.0);
    let game = RapanuiCards { table, hidden };
    game.check_invariants().expect("every card is in one place");
    Table { game, events: Vec::new() }
}

/// Returns a game before setup, with these options.
fn before_setup(text: &str) -> Table {
    let mut lines = Lines::of(text);
    let options = lines.options();
    assert!(lines.0.is_empty(), "expected options, got {:?}", lines.0);
    Table { game: RapanuiCards::new(&options), events: Vec::new() }
}

/// Lays out the start cards, personal displays, hands, columns, and all cards that nobody has seen.
fn lay_out(
    lines: &mut Lines<'_>,
    options: &Options,
    boxed: usize,
    drawing: Option<Seat>,
    villages: &mut BySeat<Village>,
) -> ([Pile; 4], KindCounts) {
    let seats = options.seats;
    let mut rest = Pool(DECK.to_vec());
    for (seat, colour) in seats.iter().zip(lines.by_seat("colours", seats.count())) {
        let colour = colour.map_or(Colour::ALL[seat.index()], |name| name.parse().expect("a colour"));
        villages[seat].colour = Some(colour);
        let place = Colour::ALL.iter().position(|&other| other == colour).expect("one of four");
        rest.add("lumberjack");
        let foods = Food::ALL.into_iter().filter(|&food| food != options.lacking_food(Colour::ALL[place]));
        foods.for_each(|food| rest.add(&food.to_string()));
    }

    for (seat, display) in seats.iter().zip(lines.by_seat("displays", seats.count())) {
        villages[seat].display = rest.take(display.unwrap_or("lumberjack")).into_iter().collect();
    }
    rest.take(&format!("moai*{boxed}"));
    let hands = lines.by_seat("hands", seats.count());
    for (seat, hand) in seats.iter().zip(&hands) {
        villages[seat].hand = rest.take(hand.unwrap_or("-")).into_iter().collect();
    }
    let named = parts(lines.take("columns"), 4);
    let mut columns: Vec<_> = named.iter().map(|names| names.map(|names| pile(&mut rest, names))).collect();
    // The cards of the stack are not available for the places that no line names.
    let stack = lines.take("stack");
    let reserved = stack.filter(|stack| stack.parse::<usize>().is_err()).map(|names| rest.take(names));

    for (seat, _) in seats.iter().zip(hands).filter(|(_, hand)| hand.is_none()) {
        let size = if drawing == Some(seat) { 2 } else { 3 };
        villages[seat].hand = (0..size).map(|_| rest.take_any()).collect();
    }
    for column in columns.iter_mut().filter(|column| column.is_none()) {
        *column = Some(Pile { len: 4, cards: std::array::from_fn(|_| Some(rest.take_any())) });
    }
    let columns: Vec<Pile> = columns.into_iter().flatten().collect();
    let buried = columns.iter().flat_map(Pile::cards).filter(|card| card.is_none()).count();
    let spare = match (stack, &reserved) {
        (None, _) => 0,
        (Some(_), Some(_)) => rest.len() - buried,
        (Some(count), None) => rest.len() - buried - number(count),
    };
    let last = seats.iter().next_back().expect("a table has seats");
    (0..spare).for_each(|_| villages[last].hand[rest.take_any()] += 1);
    reserved.iter().flatten().for_each(|kind| rest.add(&kind.to_string()));
    (columns.try_into().expect("four columns"), rest.left())
}

/// Lays out the sacrifice cards of the players, of the supply, and of the stone with its face-down cards.
fn lay_sacrifice_cards(lines: &mut Lines<'_>, villages: &mut BySeat<Village>) -> (Foods, Stone, [Food; MOAI]) {
    let seats = villages.seats();
    let face_down = lines.take("face_down").map(face_down).unwrap_or_default();
    for (seat, cards) in seats.iter().zip(lines.by_seat("cards", seats.count())) {
        let village = &mut villages[seat];
        village.accounted = foods(cards.unwrap_or("fish mulberry sweet_potato grain"));
        village.held = village.accounted.total();
        face_down.iter().filter(|(owner, _)| *owner == seat).for_each(|&(_, food)| village.accounted[food] += 1);
    }

    let on_stone: Vec<Food> = list(lines.take("stone").unwrap_or("-"));
    let mut open: Foods = on_stone.iter().copied().collect();
    let held = villages.values().iter().fold(Foods::EMPTY, |all, village| all + village.accounted);
    let all = Foods::of([SACRIFICE_CARDS; 4]);
    let supply = lines.take("stock").map_or_else(|| all - held - open, foods);
    open = all - held - supply;

    let mut stone = Stone { open, ..Stone::EMPTY };
    let mut hidden = [Food::Fish; MOAI];
    for (place, &(seat, food)) in face_down.iter().enumerate() {
        stone.face_down[place] = FaceDown { seat, at_most_so_far: villages[seat].accounted };
        stone.face_down_count += 1;
        hidden[place] = food;
    }
    stone.top = match (lines.take("top"), on_stone.last(), face_down.last()) {
        (Some("face_down"), ..) | (None, None, Some(_)) => Top::FaceDown,
        (Some(food), ..) => Top::Open(food.parse().expect("a food")),
        (None, Some(&food), _) => Top::Open(food),
        (None, None, None) => list::<Food>(&names(open)).last().map_or(Top::Empty, |&food| Top::Open(food)),
    };
    (supply, stone, hidden)
}

/// Lines of `key: value`, each of which the reader takes once.
struct Lines<'a>(HashMap<&'a str, &'a str>);

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let lines = text
            .lines()
            .map(|line| line.split_once(':').unwrap_or_else(|| panic!("expected \"key: value\", got \"{line}\"")));
        Self(lines.map(|(key, value)| (key.trim(), value.trim())).collect())
    }

    fn take(&mut self, key: &str) -> Option<&'a str> {
        self.0.remove(key)
    }

    fn number(&mut self, key: &str, default: usize) -> usize {
        self.take(key).map_or(default, number)
    }

    fn by_seat(&mut self, key: &str, seats: usize) -> Vec<Option<&'a str>> {
        parts(self.take(key), seats)
    }

    /// Reads the number of seats and the lines that are options.
    fn options(&mut self) -> Options {
        let by_seat = ["displays", "hands", "wood", "glory", "cards", "colours"];
        let longest = by_seat.iter().filter_map(|key| self.0.get(key)).map(|line| line.split('/').count()).max();
        let seats = self.number("seats", longest.unwrap_or(2));
        let keys = Options::SPECS.iter().map(|spec| spec.key);
        let given: Vec<_> = keys.filter_map(|key| self.take(key).map(|value| (key, value))).collect();
        option_list::read(seats, given).expect("they are options")
    }
}

/// The cards that no line has named yet.
struct Pool(Vec<(&'static str, usize)>);

impl Pool {
    fn add(&mut self, name: &str) {
        self.0.iter_mut().find(|(other, _)| *other == name).expect("a card of the deck").1 += 1;
    }

    fn take(&mut self, names: &str) -> Vec<Kind> {
        let kinds: Vec<Kind> = list(names);
        for kind in &kinds {
            self.take_one(&kind.to_string());
        }
        kinds
    }

    fn take_one(&mut self, name: &str) {
        let left = &mut self.0.iter_mut().find(|(other, _)| *other == name).expect("a card of the deck").1;
        *left = left.checked_sub(1).unwrap_or_else(|| panic!("too many cards of kind {name}"));
    }

    /// Takes a card of the kind with the most cards left.
    fn take_any(&mut self) -> Kind {
        let (name, _) = *self.0.iter().max_by_key(|(_, left)| *left).expect("there are seven kinds");
        self.take_one(name);
        name.parse().expect("a kind")
    }

    fn len(&self) -> usize {
        self.0.iter().map(|(_, left)| left).sum()
    }

    fn left(&self) -> KindCounts {
        KindCounts::of::<7>(std::array::from_fn(|place| self.0[place].1 as u8))
    }
}

/// Splits a line by seat or by column; None for `_`.
fn parts(line: Option<&str>, count: usize) -> Vec<Option<&str>> {
    let Some(line) = line else { return vec![None; count] };
    let parts: Vec<_> = line.split('/').map(str::trim).map(|part| (part != "_").then_some(part)).collect();
    assert_eq!(parts.len(), count, "expected {count} parts: {line}");
    parts
}

fn number(text: &str) -> usize {
    text.trim().parse().unwrap_or_else(|_| panic!("expected a number, got \"{text}\""))
}

/// Reads sacrifice cards by name.
fn foods(names: &str) -> Foods {
    list(names).into_iter().collect()
}

/// Reads cards by name: `fish*2 grain`, or `-`.
fn list<C: FromStr<Err: Debug> + Copy>(names: &str) -> Vec<C> {
    let mut cards = Vec::new();
    for name in names.split_whitespace().filter(|&name| name != "-") {
        let (name, times) = name.split_once('*').unwrap_or((name, "1"));
        let card: C = name.parse().unwrap_or_else(|error| panic!("{name}: {error:?}"));
        cards.extend(std::iter::repeat_n(card, number(times)));
    }
    cards
}

/// Reads the cards of a column, the front card first; `?` for a card that nobody has seen.
fn pile(rest: &mut Pool, names: &str) -> Pile {
    let mut pile = Pile::EMPTY;
    for name in names.split_whitespace() {
        pile.cards[usize::from(pile.len)] = (name != "?").then(|| rest.take(name)[0]);
        pile.len += 1;
    }
    pile
}

fn face_down(text: &str) -> Vec<(Seat, Food)> {
    let card = |text: &str| {
        let (owner, food) = text.trim().split_once(' ').expect("a seat and a food");
        (seat(number(owner)), food.parse().expect("a food"))
    };
    text.split(',').map(card).collect()
}

fn phase(name: &str, active: Seat) -> Phase {
    match name.split_once(' ').unwrap_or((name, "")) {
        ("buy", _) => Phase::Buy,
        ("play", _) => Phase::Play,
        ("sacrifice", "") => Phase::Sacrifice(active),
        ("sacrifice", who) => Phase::Sacrifice(seat(number(who))),
        ("supply", _) => Phase::Supply,
        ("draw", _) => Phase::Draw,
        ("payout", who) => Phase::Payout(seat(number(who))),
        ("over", _) => Phase::Over,
        _ => panic!("expected a phase, got \"{name}\""),
    }
}

impl Scripted for RapanuiCards {
    /// Returns the next decision or chance event: `seat 0: buy`, `chance: column 2`, `over`.
    fn due(&self) -> String {
        let active = self.table.active;
        match self.table.phase {
            Phase::Start => "chance: start".to_owned(),
            Phase::Colours => "chance: colours".to_owned(),
            Phase::LayOut(column) | Phase::Uncover(column) => format!("chance: column {column}"),
            Phase::Buy => format!("seat {active}: buy"),
            Phase::Play => format!("seat {active}: play"),
            Phase::Sacrifice(seat) => format!("seat {seat}: sacrifice"),
            Phase::Supply => format!("seat {active}: supply"),
            Phase::Draw => format!("seat {active}: draw"),
            Phase::Payout(seat) => format!("seat {seat}: take"),
            Phase::Substitute { seat, food, due } => format!("seat {seat}: pick {due} for {food}"),
            Phase::Over => "over".to_owned(),
        }
    }

    fn check_invariants(&self) -> Result<(), String> {
        Self::check_invariants(self)
    }
}

impl Table {
    /// Returns the legal actions of the seat that has to act, in the order of the ids: `buy fish, buy nothing`.
    fn legal(&self) -> String {
        self.game.turn().to_act().first().map_or_else(String::new, |seat| self.legal_for(seat.index()))
    }

    /// Returns the legal actions of a seat.
    fn legal_for(&self, index: usize) -> String {
        let mut legal = ActionSet::of::<Action>();
        self.game.legal_actions(seat(index), &mut legal);
        let texts: Vec<_> = legal.actions::<Action>().map(|action| action.to_string()).collect();
        texts.join(", ")
    }

    fn village(&self, index: usize) -> &Village {
        &self.game.table.villages[seat(index)]
    }

    fn hand(&self, index: usize) -> String {
        names(self.village(index).hand)
    }

    fn display(&self, index: usize) -> String {
        names(self.village(index).display)
    }

    /// Returns the sacrifice cards that a player has.
    fn cards(&self, index: usize) -> String {
        names(self.game.cards_of(seat(index)))
    }

    /// Returns the cards of a column, the front one first.
    fn column(&self, number: usize) -> String {
        let name = |card: &Option<Kind>| card.map_or("?".to_owned(), |kind| kind.to_string());
        self.game.table.columns[number - 1].cards().iter().map(name).collect::<Vec<_>>().join(" ")
    }

    fn wood(&self) -> Vec<u16> {
        self.game.table.villages.map(|village| village.wood).values().to_vec()
    }

    fn glory(&self) -> Vec<u16> {
        self.game.table.villages.map(|village| village.glory).values().to_vec()
    }

    /// Returns the number of sacrifice cards of each player.
    fn held(&self) -> Vec<u8> {
        self.game.table.villages.map(|village| village.held).values().to_vec()
    }

    fn stock(&self, food: &str) -> u8 {
        self.game.table.stock[food.parse::<Food>().expect("a food")]
    }

    /// Returns all cards on the stone.
    fn stone(&self) -> String {
        let Stone { open, face_down_count, .. } = self.game.table.stone;
        let hidden: Foods = self.game.hidden[..usize::from(face_down_count)].iter().copied().collect();
        names(open + hidden)
    }

    fn top(&self) -> String {
        match self.game.table.stone.top {
            Top::Empty => "empty".to_owned(),
            Top::Open(food) => food.to_string(),
            Top::FaceDown => "face down".to_owned(),
        }
    }

    /// Returns the public glory points. At the end these include the sacrifice cards.
    fn scores(&self) -> Vec<i32> {
        self.game.view(PUBLIC).scores().values().to_vec()
    }

    /// Returns the ranks, where 1 is first.
    fn ranks(&self) -> Vec<u8> {
        self.game.view(PUBLIC).ranks().values().to_vec()
    }

    /// Returns the outcome that `seed` gives to the chance event that is due.
    fn chance(&self, seed: u64) -> Outcome {
        self.game.draw(&mut ChanceRng::new(Seed(seed)))
    }
}

/// Writes `fish*2 grain`, or `-`, in the form that the helper reads.
fn names<C: Numbered + Display>(cards: Counts<C, WORD>) -> String {
    let several = |(card, count): (C, u8)| match count {
        0 => None,
        1 => Some(card.to_string()),
        _ => Some(format!("{card}*{count}")),
    };
    let names: Vec<_> = cards.iter().filter_map(several).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

/// Plays a game to its end: chance by `seed`, decisions by `choose`. Calls `look` with each position and the events
/// that led to it.
fn play_through(
    options: &Options,
    seed: u64,
    mut choose: impl FnMut(&RapanuiCards, &[Action]) -> Action,
    mut look: impl FnMut(&RapanuiCards, &[Event]),
) -> RapanuiCards {
    let (mut game, mut chance) = (RapanuiCards::new(options), ChanceRng::new(Seed(seed)));
    look(&game, &[]);
    while game.turn() != Turn::Over {
        let mut events = Vec::new();
        if let Some(seat) = game.turn().to_act().first() {
            let mut legal = ActionSet::of::<Action>();
            game.legal_actions(seat, &mut legal);
            let action = choose(&game, &legal.actions().collect::<Vec<_>>());
            game.play_checked(seat, action, &mut events).expect("the chosen action is legal");
        } else {
            let outcome = game.draw(&mut chance);
            game.settle_checked(&outcome, &mut events).expect("the drawn outcome is possible");
        }
        look(&game, &events);
    }
    game
}

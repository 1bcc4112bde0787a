//! The bot `greedy`: it takes the best immediate gain.
//!
//! It plays an event whenever it holds one, against the leader. It plays the meld with the most points, made of the
//! lowest cards that reach them. It keeps a hand of high cards in all four suits. Version 2 plays no meld of few points, and
//! discards events sooner.

use ahu_core::parts::set::Set;
use ahu_core::{ActionSet, BySeat, Policy, Seat, any_best};
use rand::Rng;

use super::RappaNui;
use super::action::Action;
use super::cards::{CardSet, Effect, EventKind, Kind, ResourceKind, Suit};
use super::deck::DRAW;
use super::phase::Phase;
use super::table::{PASSES, Table};
use super::view::View;

/// Version 1 of the bot.
pub const GREEDY_1: Policy<RappaNui> = Policy {
    choose: |view, legal, rng| choose(&SeatFacts::of_view(view), Version::One, legal, rng),
    choose_in: |game, seat, legal, rng| choose(&SeatFacts::of_game(game, seat), Version::One, legal, rng),
};

/// Version 2 of the bot.
pub const GREEDY_2: Policy<RappaNui> = Policy {
    choose: |view, legal, rng| choose(&SeatFacts::of_view(view), Version::Two, legal, rng),
    choose_in: |game, seat, legal, rng| choose(&SeatFacts::of_game(game, seat), Version::Two, legal, rng),
};

/// The version of the bot.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    One,
    Two,
}

/// The least points of a meld that version 2 plays, by the number of passes of the deck. Others keep their cards.
const LEAST_POINTS: [u16; PASSES as usize] = [3, 3, 2];

/// The worth of an event, for discards, in the numbers of resource cards.
const EVENT: [i32; 2] = [8, 4];

/// The facts that a seat is shown, read from its view or from a game. The bot makes no difference between equal cards.
struct SeatFacts<'a> {
    table: &'a Table,
    /// The number of cards in the deck.
    deck: u8,
    hand: CardSet,
    hand_sizes: BySeat<u8>,
}

impl<'a> SeatFacts<'a> {
    /// Borrows the shown view of a seat.
    fn of_view(view: &'a View) -> Self {
        Self { deck: view.deck, table: &view.table, hand: view.hand, hand_sizes: view.hand_sizes }
    }

    /// Borrows a game.
    #[inline]
    fn of_game(game: &'a RappaNui, seat: Seat) -> Self {
        Self {
            deck: game.deck.len() as u8,
            table: &game.table,
            hand: game.hands[seat],
            hand_sizes: game.hands.map(|hand| hand.len() as u8),
        }
    }
}

fn choose(facts: &SeatFacts<'_>, version: Version, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let wish = match facts.table.phase {
        Phase::Conflict => Some(event(facts, legal, rng)),
        Phase::Meld { laid } => next_of_meld(facts, version, laid),
        Phase::Decline { .. } => least_wanted(facts, version, legal),
        Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => None,
    };
    let wish = wish.filter(|action| legal.contains(ahu_core::Action::id(*action)));
    wish.or_else(|| legal.actions().next()).expect("a seat that has to act has a legal action")
}

/// Returns the best event: first a Huri Moai that takes points, then a Raid that takes a card, then a Disaster that
/// takes cards.
fn event(facts: &SeatFacts<'_>, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let SeatFacts { table, hand_sizes, .. } = facts;
    any_best(legal, rng, |action| match action {
        Action::PlayEvent(event, left) => left
            .of(table.player, table.options.seats)
            .map_or((0, 0, 0), |target| (priority(event, facts, target), table.points[target], hand_sizes[target])),
        _ => (0, 0, 0),
    })
}

fn priority(event: EventKind, facts: &SeatFacts<'_>, target: Seat) -> u8 {
    let has_cards = facts.hand_sizes[target] > 0;
    match event.effect() {
        Effect::HuriMoai if facts.table.points[target] > 0 => 3,
        Effect::Raid if has_cards => 2,
        Effect::Disaster if has_cards => 1,
        Effect::HuriMoai | Effect::Raid | Effect::Disaster => 0,
    }
}

/// Resource cards: the kinds with at least one card, and the kinds with both.
#[derive(Clone, Copy, Default)]
struct Resources {
    one: Set<ResourceKind>,
    both: Set<ResourceKind>,
}

impl Resources {
    /// Returns the resource cards of a set.
    fn of(cards: CardSet) -> Self {
        Self { one: cards.at_least_one(), both: cards.both() }
    }

    /// Returns the cards that are of these kinds.
    fn within(self, kinds: Set<ResourceKind>) -> Self {
        Self { one: self.one & kinds, both: self.both & kinds }
    }

    fn len(self) -> usize {
        self.one.len() + self.both.len()
    }

    /// Removes a card of this kind.
    fn take(&mut self, kind: ResourceKind) {
        let of_kinds = if self.both.contains(kind) { &mut self.both } else { &mut self.one };
        *of_kinds -= kind.into();
    }

    /// Adds a card of this kind.
    fn add(&mut self, kind: ResourceKind) {
        let of_kinds = if self.one.contains(kind) { &mut self.both } else { &mut self.one };
        *of_kinds |= kind.into();
    }
}

/// Returns the resources of the same suit with at least the number of `kind`.
fn from(kind: ResourceKind) -> Set<ResourceKind> {
    kind.suit().kinds() & Set::from_bits(u64::MAX >> (64 - ResourceKind::COUNT) & u64::MAX << kind.index())
}

/// Returns the next card of the best meld. The plan depends on the hand and the laid cards together, so it stays the
/// same while the player lays its cards.
fn next_of_meld(facts: &SeatFacts<'_>, version: Version, laid: CardSet) -> Option<Action> {
    let (hand, laid) = (Resources::of(facts.hand), Resources::of(laid));
    // A kind has two cards, in the hand and laid.
    let one = hand.one | laid.one;
    let both = hand.both | laid.both | hand.one & laid.one;
    let (plan, points) = best_meld(Resources { one, both }, facts.table.options.combine_rule)?;
    if version == Version::Two && laid.len() == 0 && points < least_points(facts) {
        return Some(Action::NoMeld);
    }
    let next = (plan.one - laid.one) | (plan.both - laid.both);
    Some(next.first().map_or(Action::Done, Action::Meld))
}

/// Returns the least points of a meld that version 2 plays: fewer at the end, when kept cards have no use.
fn least_points(facts: &SeatFacts<'_>) -> u16 {
    let Table { passes, options, .. } = facts.table;
    let turns = u16::from(facts.deck / DRAW as u8).div_ceil(options.seats.count() as u16);
    let least = LEAST_POINTS.get(usize::from(*passes)).copied().unwrap_or(0);
    if passes + 1 == PASSES { least.min(turns) } else { least }
}

/// Returns the meld with the most points, and these points. Each suit has the cards that just reach them.
fn best_meld(cards: Resources, combine: bool) -> Option<(Resources, u16)> {
    let number = |kind: ResourceKind| u16::from(kind.number());
    let reach = |suit: Suit| {
        let cards = cards.within(suit.kinds());
        match combine {
            true => cards.one.iter().chain(cards.both.iter()).map(number).sum(),
            false => cards.one.last().map_or(0, number),
        }
    };
    let points: u16 = Suit::ALL.into_iter().map(reach).min().filter(|&points| points > 0)?;

    let mut meld = Resources::default();
    for suit in Suit::ALL {
        let mut rest = cards.within(suit.kinds());
        let mut missing = points;
        // Take the highest cards until a single card covers the rest; then take the lowest such card.
        while missing > 0 {
            let covering = ResourceKind::of(suit, missing.min(u8::MAX.into()) as u8).map_or(Set::EMPTY, from);
            let Some(kind) = (rest.one & covering).first().or_else(|| rest.one.last()) else { break };
            rest.take(kind);
            meld.add(kind);
            missing = missing.saturating_sub(number(kind));
        }
    }
    Some((meld, points))
}

/// Returns the discard that costs least: a low card of a suit with better ones, or a surplus event.
fn least_wanted(facts: &SeatFacts<'_>, version: Version, legal: &ActionSet) -> Option<Action> {
    let hand = Resources::of(facts.hand);
    let worth = |action: &Action| match *action {
        Action::Discard(Kind::Resource(own)) => {
            let better = hand.within(from(own) - own.into()).len() as i32;
            i32::from(own.number()) - 4 * better
        }
        Action::Discard(Kind::Event(own)) => {
            let above = EventKind::all().skip(own.index() + 1);
            let surplus = above.map(|event| facts.hand.count(Kind::Event(event)) as i32).sum::<i32>();
            EVENT[version as usize] - 4 * surplus
        }
        _ => 0,
    };
    legal.actions().min_by_key(worth)
}

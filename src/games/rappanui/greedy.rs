//! The bot `greedy`: it takes the best immediate gain.
//!
//! It plays an event whenever it holds one, against the leader. It plays the meld with the most points, made of the
//! lowest cards that reach them. It keeps a hand of high cards in all four suits.

use rand::{Rng, RngExt};

use super::action::Action;
use super::cards::{Card, CardSet, Effect, EventKind, Kind, Suit};
use super::phase::Phase;
use super::view::View;
use crate::core::{ActionSet, Seat};

/// Returns the action of a greedy player in the position of `view`, one of the `legal` actions.
///
/// # Panics
/// Panics if `legal` is empty.
pub fn greedy(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let wish = match view.table.phase {
        Phase::Conflict => event(view, legal, rng),
        Phase::Meld { laid } => next_of_meld(view, laid),
        Phase::Decline { .. } => least_wanted(view, legal),
        Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => None,
    };
    let wish = wish.filter(|action| legal.contains(crate::core::Action::id(*action)));
    wish.or_else(|| legal.actions().next()).expect("a seat that has to act has a legal action")
}

/// Returns the best event: first a Huri Moai that takes points, then a Raid that takes a card, then a Disaster that
/// takes cards.
fn event(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Option<Action> {
    let wish = |action: &Action| match *action {
        Action::PlayEvent(event, left) => {
            left.of(view.table.player, view.table.options.seats).map_or((0, 0, 0), |target| {
                (priority(event, view, target), view.table.points[target], view.hand_sizes[target])
            })
        }
        _ => (0, 0, 0),
    };
    let best = legal.actions().map(|action| wish(&action)).max()?;
    let equal: Vec<Action> = legal.actions().filter(|action| wish(action) == best).collect();
    Some(equal[rng.random_range(0..equal.len())])
}

fn priority(event: EventKind, view: &View, target: Seat) -> u8 {
    let has_cards = view.hand_sizes[target] > 0;
    match event.effect() {
        Effect::HuriMoai if view.table.points[target] > 0 => 3,
        Effect::Raid if has_cards => 2,
        Effect::Disaster if has_cards => 1,
        Effect::HuriMoai | Effect::Raid | Effect::Disaster => 0,
    }
}

/// Returns the next card of the best meld. The plan depends on the hand and the laid cards together, so it stays the
/// same while the player lays its cards.
fn next_of_meld(view: &View, laid: CardSet) -> Option<Action> {
    let hand = (CardSet::ALL - laid).alike(view.hand);
    let plan = best_meld(laid | hand, view.table.options.combine_rule)?;
    let next = (plan - plan.alike(laid)).iter().next();
    Some(next.and_then(|card| card.kind().as_resource()).map_or(Action::Done, Action::Meld))
}

/// Returns the meld with the most points. Each suit has the cards that just reach them.
fn best_meld(cards: CardSet, combine: bool) -> Option<CardSet> {
    let suits = Suit::ALL.map(|suit| {
        let is_of_suit = |card: &Card| card.kind().as_resource().is_some_and(|resource| resource.suit() == suit);
        let mut cards: Vec<_> = cards.iter().filter(is_of_suit).collect();
        cards.reverse();
        cards
    });
    let value = |card: &Card| card.kind().as_resource().map_or(0, |resource| u16::from(resource.number()));
    let reach = |suit: &Vec<_>| if combine { suit.iter().map(value).sum() } else { suit.first().map_or(0, value) };
    let points: u16 = suits.iter().map(reach).min().filter(|&points| points > 0)?;

    let mut meld = CardSet::EMPTY;
    for suit in &suits {
        let mut missing = points;
        // Take the highest cards until a single card covers the rest; then take the lowest such card.
        let mut rest = suit.iter();
        while let Some(card) =
            rest.as_slice().iter().rfind(|card| value(card) >= missing).or_else(|| rest.as_slice().first())
        {
            meld = meld.with(*card);
            missing = missing.saturating_sub(value(card));
            if missing == 0 {
                break;
            }
            rest.next();
        }
    }
    Some(meld)
}

/// Returns the discard that costs least: a low card of a suit with better ones, or a surplus event.
fn least_wanted(view: &View, legal: &ActionSet) -> Option<Action> {
    let worth = |action: &Action| match *action {
        Action::Discard(kind) => {
            let serves_better = |other: Kind| match (kind, other) {
                (Kind::Resource(own), Kind::Resource(other)) => {
                    own.suit() == other.suit() && other.number() > own.number()
                }
                (Kind::Event(own), Kind::Event(other)) => other > own,
                (Kind::Resource(_), Kind::Event(_)) | (Kind::Event(_), Kind::Resource(_)) => false,
            };
            let better = view.hand.iter().filter(|card| serves_better(card.kind())).count() as i32;
            let worth = kind.as_resource().map_or(8, |resource| i32::from(resource.number()));
            worth - 4 * better
        }
        _ => 0,
    };
    legal.actions().min_by_key(worth)
}

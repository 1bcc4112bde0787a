//! The bot `heldout@1`: a heuristic by somebody who knew the rules page alone, and no other bot.
//!
//! It counts cards. From the cards that it has not seen, it works out the chance that some turns from now each suit has enough
//! cards of at least some number, and so the points to expect of the next few melds with a hand. A meld is worth its points and
//! the outlook of the cards that stay; for each number of points, it lays the lowest cards that reach it. It discards the
//! cards that the outlook misses least. The more players, the shorter the game and the more patient the bot. It plays events
//! whenever they do harm, best against the leader, and the fewer opponents there are, the more it keeps them.

use super::cards::{Card, CardSet, Effect, EventKind, HIGHEST, Kind, Suit};
use super::{Action, PASSES, Phase, RappaNui, Table, View};
use ahu_core::{Action as _, ActionSet, Game as _, Numbered as _, Policy, Viewer, any_best};
use rand::Rng;

/// The policy of the bot `heldout@1`.
pub const HELD_OUT_1: Policy<RappaNui> =
    Policy { choose, choose_in: |game, seat, legal, rng| choose(&game.view(Viewer::Seat(seat)), legal, rng) };

/// The number of numbers in a suit.
const NUMBERS: usize = HIGHEST as usize;
/// The most future melds that the outlook counts.
const DEPTH: usize = 3;
/// The cards that a player draws in a turn.
const DRAWN: usize = 4;
/// One more than the highest sum of a suit that a meld is planned with.
const SUMS: usize = 40;

/// Chooses the action.
fn choose(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let planned = match view.table.phase {
        Phase::Meld { laid } => Some(next_of_meld(view, laid)),
        Phase::Decline { excess, from } => next_discard(view, excess.into(), from.into()),
        _ => None,
    };
    match planned {
        Some(action) if legal.contains(action.id()) => action,
        _ => any_best(legal, rng, |action| (harm(view, action) * 1000.0) as i64),
    }
}

/// The outlook on the next melds.
struct Outlook {
    /// By future meld, number, suit, and held cards of at least this number: the chance to have enough of them then.
    enough: [[[[f32; DEPTH + 1]; Suit::COUNT]; NUMBERS]; DEPTH],
    /// The turns that the player still has after this one, about.
    turns: usize,
    /// The weight of the next meld against points now.
    weight: f32,
}

impl Outlook {
    /// Creates the outlook from the cards that the player has not seen, and from the discard pile, which is the next deck.
    fn of(view: &View) -> Self {
        let Table { options, passes, discard, shuffled, .. } = view.table;
        let (seats, deck) = (options.seats.count(), usize::from(view.deck));
        let reshuffles = usize::from((PASSES - 1).saturating_sub(passes));
        let to_come = if passes < PASSES { deck + reshuffles * (discard.len() + deck / 2) } else { 0 };
        let turns = (to_come + DRAWN - 1) / (DRAWN * seats);
        let before_end = deck as f32 / (DRAWN * seats * turns.clamp(1, DEPTH)) as f32;
        let of_deck = if reshuffles == 0 || discard.is_empty() { 1.0 } else { before_end.min(1.0) };
        let [now, next] = [view.unseen().alike(shuffled), discard]
            .map(|pool| at_least(pool).map(|suit| suit.map(|count| f32::from(count) / pool.len().max(1) as f32)));
        let mut enough = [[[[1.0; DEPTH + 1]; Suit::COUNT]; NUMBERS]; DEPTH];
        for (meld, by_number) in enough.iter_mut().enumerate() {
            let draws = DRAWN * (meld + 1);
            for (number, by_suit) in by_number.iter_mut().enumerate() {
                for (suit, by_held) in by_suit.iter_mut().enumerate() {
                    let hit = of_deck * now[suit][number] + (1.0 - of_deck) * next[suit][number];
                    let miss = (1.0 - hit).max(1e-6);
                    // The chance of exactly `hits` such cards among the draws, and of more.
                    let (mut exactly, mut more) = ((0..draws).fold(1.0, |all, _| all * miss), 1.0);
                    for hits in 0..=meld {
                        more -= exactly;
                        by_held[meld - hits] = f32::max(more, 0.0);
                        exactly *= (draws - hits) as f32 / (hits + 1) as f32 * hit / miss;
                    }
                }
            }
        }
        Self { enough, turns, weight: 0.55 + 0.13 * seats as f32 }
    }

    /// Returns the points to expect of the next melds with a hand: each number that a meld reaches brings one.
    fn worth(&self, hand: CardSet) -> f32 {
        let (held, mut weight, mut worth) = (at_least(hand), self.weight, 0.0);
        for (meld, by_number) in self.enough.iter().enumerate().take(self.turns) {
            for (number, by_suit) in by_number.iter().enumerate() {
                let chance = |suit: usize| by_suit[suit][usize::from(held[suit][number]).min(meld + 1)];
                worth += weight * (0..Suit::COUNT).map(chance).product::<f32>();
            }
            weight *= 0.6;
        }
        worth
    }
}

/// Returns, by suit and number, how many cards of at least this number a set has.
fn at_least(cards: CardSet) -> [[u8; NUMBERS]; Suit::COUNT] {
    let copies = [cards.at_least_one(), cards.both()];
    Suit::ALL.map(|suit| {
        let numbers = copies.map(|kinds| (kinds & suit.kinds()).bits() >> (suit.index() * NUMBERS));
        std::array::from_fn(|number| numbers.map(|bits| (bits >> number).count_ones() as u8).iter().sum())
    })
}

/// Returns the suit and the number of a resource.
fn face(card: Card) -> Option<(Suit, usize)> {
    card.kind().as_resource().map(|kind| (kind.suit(), kind.number().into()))
}

/// Returns the next step of the best meld that continues the laid cards.
fn next_of_meld(view: &View, laid: CardSet) -> Action {
    let outlook = Outlook::of(view);
    let last = laid.iter().last().and_then(face);
    // By suit and sum: the fewest cards of the hand that bring the suit to the sum.
    let mut ways = [[None; SUMS]; Suit::COUNT];
    for (suit, ways) in Suit::ALL.into_iter().zip(&mut ways) {
        let sum: usize = laid.iter().filter_map(face).filter(|face| face.0 == suit).map(|face| face.1).sum();
        ways[sum.min(SUMS - 1)] = Some(CardSet::EMPTY);
        let fits = |face: &(Suit, usize)| face.0 == suit && last.is_none_or(|last| *face >= last);
        for (card, (_, number)) in view.hand.iter().filter_map(|card| Some((card, face(card).filter(fits)?))) {
            for before in (0..SUMS - number).rev().filter(|&before| before == 0 || view.table.options.combine_rule) {
                let Some(cards) = ways[before] else { continue };
                if ways[before + number].is_none_or(|old: CardSet| old.len() > cards.len() + 1) {
                    ways[before + number] = Some(cards.with(card));
                }
            }
        }
    }
    let mut best = (if laid.is_empty() { outlook.worth(view.hand) } else { -1.0 }, None);
    for points in 1..SUMS {
        let lowest = ways.each_ref().map(|ways| ways[points..].iter().find_map(|&way| way));
        if lowest.contains(&None) {
            break;
        }
        let cards = lowest.into_iter().flatten().fold(CardSet::EMPTY, |all, cards| all | cards);
        let value = points as f32 + outlook.worth(view.hand - cards);
        if value > best.0 {
            best = (value, Some(cards));
        }
    }
    let Some(cards) = best.1 else { return Action::NoMeld };
    cards.iter().find_map(|card| card.kind().as_resource()).map_or(Action::Done, Action::Meld)
}

/// Returns the first of the discards that cost the least.
fn next_discard(view: &View, excess: usize, from: usize) -> Option<Action> {
    let outlook = Outlook::of(view);
    let others = view.table.options.seats.count() - 1;
    let mut hand = view.hand;
    for _ in 0..excess {
        let worth = outlook.worth(hand);
        let events = hand.iter().filter(|&card| face(card).is_none()).count();
        let cost = |card: Card| match card.kind() {
            Kind::Event(_) if events > outlook.turns => 0.0,
            Kind::Event(event) => strength(event) / (events * others) as f32,
            Kind::Resource(kind) => worth - outlook.worth(hand - card.into()) + 0.08 * f32::from(kind.number()),
        };
        let costs = hand.iter().filter(|card| card.kind().index() >= from).map(|card| (cost(card), card));
        hand -= costs.min_by(|a, b| a.0.total_cmp(&b.0))?.1.into();
    }
    (view.hand - hand).iter().next().map(|card| Action::Discard(card.kind()))
}

/// Returns the points that an event is worth in a duel.
const fn strength(event: EventKind) -> f32 {
    match event.effect() {
        Effect::Raid => 1.5,
        Effect::Disaster => 1.2,
        Effect::HuriMoai => 2.0,
    }
}

/// Returns the harm that an action does to the opponents: that of an event, the more the nearer the target is to the lead.
fn harm(view: &View, action: Action) -> f32 {
    let Action::PlayEvent(event, opponent) = action else { return 0.0 };
    let Table { options, player, points, passes, .. } = view.table;
    let Some(target) = opponent.of(player, options.seats) else { return 0.0 };
    let lead = options.seats.others(player).map(|seat| points[seat]).max().unwrap_or(0).saturating_sub(points[target]);
    let threat = 1.0 / (1.0 + 0.25 * f32::from(lead));
    // A hand is of no use if the game ends before its turn.
    let has_turn = passes + 1 < PASSES || passes < PASSES && usize::from(view.deck) > DRAWN * opponent.index();
    let cards = if has_turn { f32::from(view.hand_sizes[target].min(2)) / 2.0 } else { 0.0 };
    let effect = match event.effect() {
        Effect::HuriMoai => f32::from(points[target].min(2)) / 2.0 * threat,
        Effect::Disaster => cards * threat,
        Effect::Raid if view.hand_sizes[target] > 0 => 0.5 + 0.5 * cards * threat,
        Effect::Raid => 0.0,
    };
    strength(event) * effect
}

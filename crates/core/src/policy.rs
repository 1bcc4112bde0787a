//! Policies: rules by which seats choose their actions, and the choice of an action by its value.

use std::fmt;

use rand::{Rng, RngExt};

use super::action::{Action, ActionSet};
use super::game::Game;
use super::seat::Seat;

/// A rule that chooses the actions of a seat, from its shown view alone. Both functions make the same choice, and
/// take the same numbers from `rng`; `tests/laws` holds them equal.
pub struct Policy<G: Game> {
    /// Chooses one of the `legal` actions from the shown view of the seat that has to decide. There is at least one.
    pub choose: fn(view: &G::View, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action,
    /// Makes the choice of `seat` in a game without the cost of a view. A search plays sampled games to the end with it.
    pub choose_in: fn(game: &G, seat: Seat, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action,
}

impl<G: Game> fmt::Debug for Policy<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").finish_non_exhaustive()
    }
}

/// Returns the action with the highest value; a random one of several.
///
/// # Panics
/// If `legal` is empty.
pub fn any_best<A: Action, V: Ord>(legal: &ActionSet, rng: &mut dyn Rng, value: impl Fn(A) -> V) -> A {
    let mut best = None;
    let mut equal = ActionSet::of::<A>();
    for action in legal.actions::<A>() {
        let value = Some(value(action));
        if value > best {
            best = value;
            equal.clear();
            equal.insert(action);
        } else if value == best {
            equal.insert(action);
        }
    }
    let chosen = equal.nth(rng.random_range(0..equal.len())).expect("n is below the count");
    A::from_id(chosen).expect("legal actions have ids of the game")
}

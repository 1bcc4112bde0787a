//! The choice of an action by its value.

use rand::{Rng, RngExt};

use crate::core::{Action, ActionSet};

/// Returns the action of the highest value. Of several such actions each is as likely.
///
/// # Panics
/// If `legal` is empty.
pub(crate) fn any_best<A: Action, V: Ord>(legal: &ActionSet, rng: &mut dyn Rng, value: impl Fn(A) -> V) -> A {
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

//! A policy: a rule by which a seat chooses its actions.

use std::fmt;

use rand::Rng;

use super::action::ActionSet;
use super::game::Game;
use super::seat::Seat;

/// A rule by which a seat chooses its actions, from what it is shown alone. Both functions make the same choice, and
/// take the same numbers from `rng`; `tests/rules/laws.rs` holds them equal.
pub struct Policy<G: Game> {
    /// Chooses one of the `legal` actions, of which there is at least one, from the shown view of the seat that has to
    /// decide.
    pub choose: fn(view: &G::View, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action,
    /// Makes the choice of `seat` in a game without the cost of a view. A search plays sampled games to the end with it.
    pub choose_in: fn(game: &G, seat: Seat, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action,
}

impl<G: Game> fmt::Debug for Policy<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").finish_non_exhaustive()
    }
}

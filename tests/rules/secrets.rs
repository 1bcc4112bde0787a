//! What a game's tests know of it that its own code must not be asked: which things are hidden.

use ahu::core::{Game, Seat, Viewer};
use rand::Rng;

/// The ply that comes next.
#[derive(Clone, Debug)]
pub(crate) enum Ply<G: Game> {
    /// A seat acts.
    Action(Seat, G::Action),
    /// Chance brings this.
    Outcome(G::Outcome),
}

/// Independent knowledge of what is hidden in a game, for the law against leaks. It must share
/// nothing with the game's own views: a test that asks the view what is secret copies its leaks.
pub(crate) trait Secrets: Game {
    /// The same game with everything moved about that `viewer` cannot know: in the true state, at
    /// random, so that `viewer` could as well be in it. And the ply that comes next, as it is in
    /// that game: what `viewer` is not shown of it is another, what `viewer` is shown is the same.
    fn shuffle_secrets(&self, viewer: Viewer, next: Option<&Ply<Self>>, rng: &mut dyn Rng)
    -> (Self, Option<Ply<Self>>);

    /// Panics unless every card, coin and piece is somewhere, once.
    fn assert_whole(&self);
}

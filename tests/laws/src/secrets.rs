//! The hidden facts of a game, computed by its tests without the game's own code.

use ahu_core::{Game, Seat, Viewer};
use rand::Rng;

/// The next ply.
#[derive(Clone, Debug)]
pub enum Ply<G: Game> {
    /// An action of a seat.
    Action(Seat, G::Action),
    /// An outcome of chance.
    Outcome(G::Outcome),
}

/// Independent knowledge of the hidden facts of a game, for the law against leaks. It must share nothing with the
/// game's own views: a test that asks the view for the secrets copies its leaks.
///
/// Tests in another crate than that of the game give a type of their own as `L`, which Rust asks of them.
pub trait Secrets<L = ()>: Game {
    /// The work for the laws of one random game, in multiples of the work for a short game. The short tier plays fewer games of
    /// a long game.
    const LENGTH: u64 = 1;

    /// Returns the game with all facts shuffled that `viewer` cannot know, so that `viewer` could be in this game too. Also
    /// returns a next ply with the same visible part and another hidden part.
    fn shuffle_secrets(&self, viewer: Viewer, next: Option<&Ply<Self>>, rng: &mut dyn Rng)
    -> (Self, Option<Ply<Self>>);

    /// Checks that every card, coin, and piece is in one place.
    ///
    /// # Panics
    /// If a thing is in no place or in several places.
    fn assert_invariants(&self);
}

//! Bots: our own agents inside the server. Like any agent, they see a view and a set of legal actions.

use std::fmt;

use rand::{Rng, RngExt};

use crate::core::{Action as _, ActionSet, Game};

/// A bot for one game.
pub struct Bot<G: Game> {
    /// The name that selects the bot for a seat.
    pub name: &'static str,
    /// The way in which the bot plays, in one sentence.
    pub about: &'static str,
    /// The function that chooses one of the `legal` actions, of which there is at least one.
    pub choose: fn(view: &G::View, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action,
}

/// The name of the bot that every game has.
pub const RANDOM: &str = "random";

impl<G: Game> Bot<G> {
    /// Creates the bot that takes any legal action with equal probability.
    pub const fn random() -> Self {
        Self { name: RANDOM, about: "Takes any legal action with equal probability.", choose: random::<G> }
    }
}

impl<G: Game> fmt::Debug for Bot<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bot").field(&self.name).finish()
    }
}

fn random<G: Game>(_: &G::View, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action {
    let id = legal.nth(rng.random_range(0..legal.len())).expect("a seat that has to decide has a legal action");
    G::Action::from_id(id).expect("legal actions have ids of the game")
}

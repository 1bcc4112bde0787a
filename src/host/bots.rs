//! Bots: players of ours. They see a view and an action set, as any agent does.

use std::fmt;

use rand::{Rng, RngExt};

use crate::core::{Action as _, ActionSet, Game};

/// A player of ours, for one game.
pub struct Bot<G: Game> {
    /// Its name, by which a seat is given to it.
    pub name: &'static str,
    /// How it plays, in a sentence.
    pub about: &'static str,
    /// What it does where `legal`, which is not empty, may be done.
    pub choose: fn(view: &G::View, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action,
}

/// The name of the bot that every game has.
pub const RANDOM: &str = "random";

impl<G: Game> Bot<G> {
    /// The bot that takes any legal action, each as likely.
    pub const fn random() -> Self {
        Self { name: RANDOM, about: "Takes any legal action, each as likely.", choose: random::<G> }
    }
}

impl<G: Game> fmt::Debug for Bot<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bot").field(&self.name).finish()
    }
}

fn random<G: Game>(_: &G::View, legal: &ActionSet, rng: &mut dyn Rng) -> G::Action {
    let id = legal.nth(rng.random_range(0..legal.len())).expect("a seat that is asked has a legal action");
    G::Action::from_id(id).expect("legal actions have ids of the game")
}

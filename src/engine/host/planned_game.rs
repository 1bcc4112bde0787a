//! A game to be played: all that its host needs to know. Whoever plans a game, a duel, a suite, or a cup, says it in these words, and
//! whoever plays it, in this process or on a server, reads no other.

use super::blocks::Seating;
use super::clock::TimeControl;
use super::conduct::Terms;
use super::player::SeatPlayer;
use super::referee::Referee;
use super::rules::Setup;
use crate::core::{BySeat, Seed};

/// A game to be played.
#[derive(Clone, Debug)]
pub struct PlannedGame {
    /// The name of the game, for people.
    pub name: String,
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The number of the contestant in each seat.
    pub seating: Seating,
    /// The players, by seat: bots, and the names under which agents join.
    pub players: Vec<SeatPlayer>,
    /// The clocks, the conduct, and the stand-in.
    pub terms: Terms,
    /// The seed of all chance.
    pub seed: Seed,
    /// True if other games have the same seed: nobody may be told of the chance of this game before they have ended.
    pub is_shared: bool,
    /// The number of the game among those with its seed, by which bots make new choices in each.
    pub index: u64,
    /// The seeds of the own random choices of agents.
    pub agent_seeds: BySeat<u64>,
}

impl PlannedGame {
    /// Returns the game without clocks for its bots.
    #[must_use]
    pub fn with_clocks_of_agents(mut self) -> Self {
        for (clock, player) in self.terms.clocks.iter_mut().zip(&self.players) {
            if player.bot.is_some() {
                *clock = TimeControl::default();
            }
        }
        self
    }

    /// Returns the referee of the game, for a host of bots alone.
    pub fn referee(self) -> Referee {
        Referee::new(self.setup, self.seed, self.players, self.terms)
    }
}

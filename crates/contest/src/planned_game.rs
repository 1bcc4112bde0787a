//! A game to be played: everything that its host needs to know. Duels, suites, and cups plan games in this form, and the hosts
//! that play them, in this process or on a server, read nothing else.

use ahu_core::{BySeat, Seed};
use ahu_host::{BotSeed, Entry, Referee, SeatPlayer, Setup, Terms, TimeControl};

use crate::blocks::Seating;

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
    /// True if other games have the same seed. Then nobody may learn the chance of this game before all of them have ended.
    pub is_shared: bool,
    /// The number of the game among the games with its seed. Bots make new choices in each of them.
    pub index: u64,
    /// The plies that come first; empty for a game from its start.
    pub beginning: Vec<Entry>,
    /// True if the host may forget the match some time after its end, since the record is kept elsewhere.
    pub is_passing: bool,
    /// The seed for the random choices of each agent.
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
    ///
    /// # Panics
    /// If the beginning has an entry that its game does not allow.
    pub fn referee(self) -> Referee {
        let bot_seed = BotSeed::new(self.seed, self.index);
        let referee = Referee::fold(self.setup, self.seed, self.players, self.terms, &self.beginning);
        referee.expect("the beginning follows the rules").with_bot_seed(bot_seed)
    }
}

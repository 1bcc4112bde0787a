//! The configuration of environments: players, seats, rewards, and autoreset.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::core::{Seat, Seats, Seed};
use crate::host::{BotName, RewardRule};

/// The configuration of all environments of a vector environment.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvConfig {
    /// The players, one for each seat.
    pub players: Vec<Player>,
    /// The rule that gives the players their seats.
    pub rotation: Rotation,
    /// The treatment of an environment after the end of an episode.
    pub autoreset: Autoreset,
    /// The rule that turns the result of a game into returns.
    pub rewards: RewardRule,
}

/// A player of the environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// The caller.
    External,
    /// One of these bots, drawn for each episode by weight. At least one bot has a weight above 0.
    Bots(Vec<(BotName, u32)>),
}

/// The rule that gives the players their seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// Player j has seat j.
    #[default]
    Fixed,
    /// All players move one seat to the left with each episode. In episode k since the environment was seeded with s,
    /// player j has seat (j + s + k) modulo the number of seats.
    Episode,
}

/// The treatment of an environment after the end of an episode, by Gymnasium's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// The row shows the end. The next step, with any action, begins the next episode.
    #[default]
    NextStep,
    /// The next episode begins in the same step.
    SameStep,
    /// The row shows the end, and the caller has to reset the environment.
    Disabled,
}

impl EnvConfig {
    /// Creates a configuration in which the caller plays all seats and the next episode begins in the same step.
    pub fn self_play(seats: Seats, rewards: RewardRule) -> Self {
        let players = vec![Player::External; seats.count()];
        Self { players, rotation: Rotation::Fixed, autoreset: Autoreset::SameStep, rewards }
    }

    /// Returns the player of `seat` in episode `episode` of an environment that was seeded with `seed`.
    pub(super) fn player(&self, seat: Seat, seed: Seed, episode: u64) -> &Player {
        let seats = self.players.len() as u64;
        let shift = match self.rotation {
            Rotation::Fixed => 0,
            Rotation::Episode => (seed.0 % seats + episode % seats) % seats,
        };
        &self.players[((seat.index() as u64 + seats - shift) % seats) as usize]
    }
}

/// The last index of the seeds derived from an episode's seed. The draw of the bot for a seat uses this index less
/// the seat.
const DRAWS: u64 = 0xFFFF_FFFF_FFFF;

/// Returns one of these bots for a seat, with probability proportional to its weight.
pub(super) fn drawn(bots: &[(BotName, u32)], episode: Seed, seat: Seat) -> BotName {
    if let &[(only, _)] = bots {
        return only;
    }
    let total: u64 = bots.iter().map(|&(_, weight)| u64::from(weight)).sum();
    let mut rng = ChaCha8Rng::seed_from_u64(episode.child(DRAWS - seat.index() as u64).0);
    let mut left = rng.random_range(0..total);
    let drawn = bots.iter().find(|&&(_, weight)| match left.checked_sub(weight.into()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    drawn.expect("the draw is below the sum of the weights").0
}

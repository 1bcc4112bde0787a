//! The configuration of environments: players, seats, rewards, and autoreset.

use std::num::NonZeroU32;

use ahu_core::{Seat, Seats, Seed};

use crate::{BotName, RewardRule};

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
    /// The number of decisions, with the decisions of bots, after which an episode is truncated; None: it never is. An episode
    /// has at least one decision of an external seat.
    pub max_decisions: Option<NonZeroU32>,
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
        Self { players, rotation: Rotation::Fixed, autoreset: Autoreset::SameStep, rewards, max_decisions: None }
    }

    /// Returns true if bots have some of the seats.
    pub fn has_bots(&self) -> bool {
        self.players.iter().any(|player| *player != Player::External)
    }

    /// Returns the number of the player who has `seat` in episode `episode` of an environment that was seeded with
    /// `seed`.
    pub(super) fn player(&self, seat: Seat, seed: Seed, episode: u64) -> u8 {
        let seats = self.players.len() as u64;
        let shift = match self.rotation {
            Rotation::Fixed => 0,
            Rotation::Episode => (seed.0 % seats + episode % seats) % seats,
        };
        ((seat.index() as u64 + seats - shift) % seats) as u8
    }
}

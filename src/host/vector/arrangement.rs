//! How environments are played: by whom, on which seats, worth what, and what follows an end.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::core::{Seat, Seats, Seed};
use crate::host::{BotName, RewardRule};

/// How all environments of a vector environment are played.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrangement {
    /// The players, as many as there are seats.
    pub players: Vec<Player>,
    /// Which of them has which seat.
    pub rotation: Rotation,
    /// What happens to an environment whose episode has ended.
    pub autoreset: Autoreset,
    /// What a finished game is worth to each seat.
    pub rewards: RewardRule,
}

/// Who plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// The caller.
    External,
    /// One of these bots, drawn for each episode by weight. There is one, and a weight above 0.
    Bots(Vec<(BotName, u32)>),
}

/// Which player has which seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// Player j has seat j.
    #[default]
    Fixed,
    /// With each episode all move one seat to the left: in episode k since the environment was seeded with s, player j has seat
    /// (j + s + k) modulo the number of seats.
    Episode,
}

/// What happens to an environment whose episode has ended, by Gymnasium's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// The row shows the end; the next step, whatever its action, begins the next episode.
    #[default]
    NextStep,
    /// The next episode begins in the same step.
    SameStep,
    /// The row shows the end, and the environment has to be reset.
    Disabled,
}

impl Arrangement {
    /// The caller plays all seats, and the next episode begins in the same step.
    pub fn self_play(seats: Seats, rewards: RewardRule) -> Self {
        let players = vec![Player::External; seats.count()];
        Self { players, rotation: Rotation::Fixed, autoreset: Autoreset::SameStep, rewards }
    }

    /// The player of `seat` in episode `episode` of an environment that was seeded with `seed`.
    pub(super) fn player(&self, seat: Seat, seed: Seed, episode: u64) -> &Player {
        let seats = self.players.len() as u64;
        let shift = match self.rotation {
            Rotation::Fixed => 0,
            Rotation::Episode => (seed.0 % seats + episode % seats) % seats,
        };
        &self.players[((seat.index() as u64 + seats - shift) % seats) as usize]
    }
}

/// Of the seeds that follow from an episode's, the last one; those before it down to it less the seats are for the draws of bots.
const DRAWS: u64 = 0xFFFF_FFFF_FFFF;

/// One of these bots for a seat, each as likely as its weight says.
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

//! Final steps: the results of the episodes that ended in a batch.

use ahu_core::{BlockBytes, BySeat, Encode, Seat, Seed, Tensor};

use crate::bots::BotName;

/// The last observation, return, and rank of each external seat in the episodes that ended in a batch. The columns are
/// like the columns of [`Rows`](super::Rows), with one row for each such seat: by environment, and then by seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FinalSteps {
    /// The number of the environment: four bytes a row.
    pub env_ids: Vec<u8>,
    /// The seat: one byte a row.
    pub seats: Vec<u8>,
    /// The number of the player who had the seat: one byte a row.
    pub players: Vec<u8>,
    /// The bits of the seat's last observation.
    pub bits: Vec<u8>,
    /// The numbers of the seat's last observation.
    pub numbers: Vec<u8>,
    /// The return of the seat: a float of four bytes a row.
    pub returns: Vec<u8>,
    /// The rank of the seat, where 1 is first and ties share: one byte a row.
    pub ranks: Vec<u8>,
    /// The episodes themselves.
    pub episodes: Vec<Episode>,
}

/// An episode that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// The number of the environment.
    pub environment: u32,
    /// The seed of the game.
    pub seed: Seed,
    /// The number of decisions, with the decisions of bots.
    pub decisions: u32,
    /// True if the episode ended by its number of decisions, and not by its rules.
    pub is_truncated: bool,
    /// The bot of each seat; None for external seats.
    pub bots: BySeat<Option<BotName>>,
    /// Points by seat.
    pub scores: BySeat<i32>,
    /// Ranks by seat.
    pub ranks: BySeat<u8>,
    /// Returns by seat.
    pub returns: BySeat<f32>,
}

impl FinalSteps {
    /// Removes all rows and episodes, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.columns().into_iter().for_each(Vec::clear);
        self.episodes.clear();
    }

    /// Appends the final steps of later environments.
    pub(super) fn append(&mut self, mut later: Self) {
        for (column, later) in self.columns().into_iter().zip(later.columns()) {
            column.append(later);
        }
        self.episodes.append(&mut later.episodes);
    }

    fn columns(&mut self) -> [&mut Vec<u8>; 7] {
        let Self { env_ids, seats, players, bits, numbers, returns, ranks, episodes: _ } = self;
        [env_ids, seats, players, bits, numbers, returns, ranks]
    }

    /// Adds the row of one seat and its player, with its observation, for the episode that was added last.
    pub(super) fn add_row<V: Encode>(&mut self, seat: Seat, player: u8, shown: &V) {
        let episode = self.episodes.last().expect("the episode is added first");
        self.env_ids.extend(episode.environment.to_le_bytes());
        self.seats.push(seat.index() as u8);
        self.players.push(player);
        self.returns.extend(episode.returns[seat].to_le_bytes());
        self.ranks.push(episode.ranks[seat]);
        let (bits, numbers) = (self.bits.len(), self.numbers.len());
        self.bits.resize(bits + V::BITS.div_ceil(64) * 8, 0);
        self.numbers.resize(numbers + V::NUMBERS * 2, 0);
        Tensor::fill(BlockBytes(&mut self.bits[bits..]), BlockBytes(&mut self.numbers[numbers..]), shown);
    }
}

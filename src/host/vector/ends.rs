//! Ends: what the episodes that ended in a batch brought.

use crate::core::{BySeat, Seat, Seed};

/// What the ends of episodes brought. The blocks are as those of [`Rows`](super::Rows); there is a row for each seat that the caller
/// played, in the order of the environments and then of the seats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// The number of the environment.
    pub environments: Vec<u8>,
    /// The seat.
    pub seats: Vec<u8>,
    /// Its last observation, bits.
    pub bits: Vec<u8>,
    /// Its last observation, numbers.
    pub numbers: Vec<u8>,
    /// What the episode was worth to it: a float of four bytes a row.
    pub returns: Vec<u8>,
    /// Its place: 1 the first, ties share. One byte a row.
    pub ranks: Vec<u8>,
    /// The episodes themselves.
    pub episodes: Vec<Episode>,
}

/// An episode that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// The environment.
    pub environment: u32,
    /// The seed of the game.
    pub seed: Seed,
    /// How many decisions it had, those of bots among them.
    pub decisions: u32,
    /// The bot that played, by seat; none where the caller did.
    pub bots: BySeat<Option<&'static str>>,
    /// Points by seat.
    pub scores: BySeat<i32>,
    /// Places by seat.
    pub ranks: BySeat<u8>,
    /// What it was worth, by seat.
    pub returns: BySeat<f32>,
}

impl Ends {
    /// Forgets everything, and keeps the room.
    pub(super) fn clear(&mut self) {
        let Self { environments, seats, bits, numbers, returns, ranks, episodes } = self;
        for block in [environments, seats, bits, numbers, returns, ranks] {
            block.clear();
        }
        episodes.clear();
    }

    /// Puts those of later environments behind these.
    pub(super) fn append(&mut self, mut later: Self) {
        self.environments.append(&mut later.environments);
        self.seats.append(&mut later.seats);
        self.bits.append(&mut later.bits);
        self.numbers.append(&mut later.numbers);
        self.returns.append(&mut later.returns);
        self.ranks.append(&mut later.ranks);
        self.episodes.append(&mut later.episodes);
    }

    /// Adds the row of one seat of the episode that was added last: what the seat knows.
    pub(super) fn add_row(&mut self, seat: Seat, (words, values): (&[u64], &[i16])) {
        let episode = self.episodes.last().expect("the episode is added first");
        self.environments.extend(episode.environment.to_le_bytes());
        self.seats.push(seat.index() as u8);
        self.returns.extend(episode.returns[seat].to_le_bytes());
        self.ranks.push(episode.ranks[seat]);
        self.bits.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.numbers.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
}

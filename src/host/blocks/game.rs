//! The games of a block as plain data, whoever played them.

use super::seatings::Seating;
use crate::core::Seat;
use crate::host::record::MatchResult;

/// The end of a game of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameOutcome {
    /// The game has a result: scores, ranks, and the cause of each forfeit.
    Finished(MatchResult),
    /// The game has no result by a fault that is no player's, for this reason.
    Void(String),
}

/// The time of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTime {
    /// The seat that decided.
    pub seat: Seat,
    /// The time in nanoseconds.
    pub nanos: u64,
}

/// One game of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The player of each seat.
    pub seating: Seating,
    /// The end of the game.
    pub outcome: GameOutcome,
    /// The number of decisions of all seats.
    pub decisions: u32,
    /// The times of decisions. Empty: nobody measured them.
    pub times: Vec<DecisionTime>,
}

/// All games of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of the block, from 0.
    pub number: u64,
    /// The games, in the order of their seatings.
    pub games: Vec<PlayedGame>,
}

impl Block {
    /// Returns the reason why the block is void: that of its first void game. None if all games have a result.
    pub fn void(&self) -> Option<&str> {
        self.games.iter().find_map(|game| match &game.outcome {
            GameOutcome::Void(reason) => Some(reason.as_str()),
            GameOutcome::Finished(_) => None,
        })
    }

    /// Returns the games with their results.
    ///
    /// # Panics
    /// If the block is void.
    pub(in crate::host) fn results(&self) -> impl Iterator<Item = (&Seating, &MatchResult)> {
        self.games.iter().map(|game| match &game.outcome {
            GameOutcome::Finished(result) => (&game.seating, result),
            GameOutcome::Void(reason) => panic!("block {} is void: {reason}", self.number),
        })
    }
}

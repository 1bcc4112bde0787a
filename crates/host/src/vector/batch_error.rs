//! The reasons why a batch is refused.

use ahu_core::{ActionId, ActionSet, Seat, SeatSet, Seed};

/// The reason why a batch is refused. No environment has changed, except after a panic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The values are not one for each environment of the batch.
    #[error("expected {environments} {what}, one for each environment, got {given}")]
    Count {
        /// The name of the values.
        what: &'static str,
        /// The number of values.
        given: usize,
        /// The number of environments in the batch.
        environments: usize,
    },
    /// There is no environment of this number.
    #[error("expected an environment number below {count}, got {environment}")]
    Unknown {
        /// The unknown number.
        environment: u32,
        /// The number of environments.
        count: usize,
    },
    /// The numbers do not rise: this one follows an equal or higher one.
    #[error("expected environments in rising order, each once, got {environment} after an equal or higher one")]
    NotRising {
        /// The number.
        environment: u32,
    },
    /// The environment has no episode under way.
    #[error("environment {environment} has no episode under way: reset it first")]
    NoEpisode {
        /// The environment.
        environment: u32,
    },
    /// The action is not legal in this environment.
    #[error("environment {environment}: action {id} is not legal; legal ids: {}", legal.ranges())]
    Illegal {
        /// The environment.
        environment: u32,
        /// The action.
        id: ActionId,
        /// The legal actions.
        legal: Box<ActionSet>,
    },
    /// A game panicked in this batch or in an earlier one: its rules or a bot are faulty. The environments are lost.
    #[error(
        "environment {environment}: {game} panicked in the game of seed {seed} after {ply} plies, and the environments are \
         lost: {message}"
    )]
    Panicked {
        /// The environment.
        environment: u32,
        /// The id of the game.
        game: &'static str,
        /// The seed of the game.
        seed: Seed,
        /// The plies before the panic.
        ply: u32,
        /// The message of the panic.
        message: String,
    },
    /// The look was stopped before its end.
    #[error("the look was stopped")]
    Stopped,
    /// The seat is not external.
    #[error("environment {environment}: expected an external seat ({external}), got seat {seat}")]
    NotExternal {
        /// The environment.
        environment: u32,
        /// The seat.
        seat: Seat,
        /// The external seats.
        external: SeatSet,
    },
}

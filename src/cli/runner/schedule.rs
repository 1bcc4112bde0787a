//! The contract between the runner and a command: which game comes next, and what becomes of a game that was played.

use ahu_engine::host::PlannedGame;

use super::venue::Played;
use crate::cli::CliError;

/// The games of a run, in their order, and their results. All methods are called under the lock of the runner.
pub(in crate::cli) trait Schedule: Send {
    /// The key of a game.
    type GameKey: Copy + Ord + Send;
    /// The key of a group of games. Games of a group may have the same chance.
    type GroupKey: Ord + Send;

    /// Returns the next game.
    fn next(&mut self) -> Result<Next<Self::GameKey>, CliError>;

    /// Returns a game as it is to be played.
    fn planned(&self, key: Self::GameKey) -> Result<PlannedGame, CliError>;

    /// Returns the group of a game.
    fn group(&self, key: Self::GameKey) -> Self::GroupKey;

    /// Returns the match in which a game was played before the run was interrupted.
    fn earlier(&self, _key: Self::GameKey) -> Option<String> {
        None
    }

    /// Notes the match in which a game is played.
    fn started(&mut self, _key: Self::GameKey, _match_id: &str) -> Result<(), CliError> {
        Ok(())
    }

    /// Enters a game that was played.
    fn enter(&mut self, key: Self::GameKey, game: &PlannedGame, played: &Played) -> Result<Effect, CliError>;

    /// Shows a game to everybody, once its group is whole.
    fn publish(&mut self, _key: Self::GameKey, _played: &Played) {}

    /// Looks around while games are played. Returns the news.
    fn look(&mut self) -> Result<Vec<String>, CliError> {
        Ok(Vec::new())
    }

    /// Returns the progress as text.
    fn progress(&self) -> String;
}

/// The next work of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Next<K> {
    /// This game.
    Play(K),
    /// A game may come later, when an agent elsewhere asks for a seat or another game ends.
    Wait,
    /// No more games for the agents of this [`Runner::play`].
    Done,
}

/// The effect of a game that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Effect {
    /// Other games of the group are missing.
    Open,
    /// All games of the group have been played.
    Whole,
    /// All games of the group have been played, and no other game counts any more.
    Decided,
    /// The game is void, for this reason: what this names is played again.
    Again(String, String),
}

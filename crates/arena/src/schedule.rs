//! The contract between the runner and a command: which game comes next, and what a result means.

use ahu_contest::PlannedGame;

use crate::Error;
use crate::venue::Played;

/// The games of a run in their order, and their results. The runner calls all methods under its lock.
pub trait Schedule: Send {
    /// The key of a game in this schedule, such as its block and number.
    type GameKey: Copy + Ord + Send;
    /// The key of a group of games. Games of one group may have the same chance.
    type GroupKey: Ord + Send;

    /// True if [`Self::enter`] breaks the seals of matches, since their groups outlive the run. If false, the runner does so.
    const BREAKS_SEALS: bool = false;

    /// Returns the next work of a thread.
    fn next(&mut self) -> Result<Next<Self::GameKey>, Error>;

    /// Returns everything that is needed to play a game.
    fn planned(&self, key: Self::GameKey) -> Result<PlannedGame, Error>;

    /// Returns the group of a game.
    fn group(&self, key: Self::GameKey) -> Self::GroupKey;

    /// Returns the match in which a game was played before the run was interrupted; None if there was none.
    fn earlier(&self, _key: Self::GameKey) -> Option<String> {
        None
    }

    /// Notes that a game is being played in this match.
    fn started(&mut self, _key: Self::GameKey, _match_id: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Enters the result of a game.
    fn enter(&mut self, key: Self::GameKey, game: &PlannedGame, played: &Played) -> Result<Effect, Error>;

    /// Publishes a game. The runner calls this once the group of the game is whole.
    fn publish(&mut self, _key: Self::GameKey, _played: &Played) {}

    /// Does what is due while games are played. Returns news for the person at the terminal.
    fn look(&mut self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// Describes the progress of the run, for people.
    fn progress(&self) -> String;
}

/// The next work of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<K> {
    /// Play this game.
    Play(K),
    /// Wait: a game may come when an agent elsewhere asks for a seat, or another game ends.
    Wait,
    /// No more games come for the agents of this call of `Runner::play`.
    Done,
}

/// The effect of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Other games of the group are still to be played, or the result does not count.
    Open,
    /// All games of the group have been played.
    Whole,
    /// All games of the group have been played, and the run is decided: no further game counts.
    Decided,
    /// The game is void. The first text names what is played again, and the second says why.
    Again(String, String),
}

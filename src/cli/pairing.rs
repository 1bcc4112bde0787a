//! Games with programs: who sits where, and the slots in which games are played. `ahu duel` and `ahu tournament` share
//! them.

mod log;
mod queues;
mod scratch;
mod slot;

use ahu_engine::core::{BySeat, Seed};
use ahu_engine::host::blocks::Seating;
use ahu_engine::host::{AnyRules, BotName, Setup, Terms, TimeControl};

pub(super) use self::log::{Logs, ProgramLog, create_folder};
pub(super) use self::queues::{AgentQueue, Queues, close, farewell};
pub(super) use self::scratch::Scratch;
pub(super) use self::slot::{Forfeited, Played, Slot, Surroundings};

use super::CliError;
use super::player::Player;
use super::programs::Launch;

/// The player of an agent.
#[derive(Clone)]
pub(super) enum AgentPlayer {
    /// A bot of ours.
    Bot(BotName),
    /// A program that this process starts.
    Program(Launch),
    /// A program elsewhere, which asks for its seats with a key. Only a cup has such players.
    Elsewhere,
}

/// A player with a name.
#[derive(Clone)]
pub(super) struct Agent {
    pub(super) name: String,
    /// The player as it was given; for a bot, its name with the version.
    pub(super) text: String,
    pub(super) player: AgentPlayer,
    /// The clock of a program.
    pub(super) control: TimeControl,
}

impl Agent {
    /// Reads the player of an agent with this name.
    pub(super) fn read(rules: &dyn AnyRules, name: &str, text: &str) -> Result<Self, CliError> {
        let in_agent = |error| match error {
            CliError::Usage(message) => CliError::Usage(format!("agent {name}: {message}")),
            other => other,
        };
        let (player, text) = match Player::read(rules, text, false).map_err(in_agent)? {
            Player::Bot(bot) if !bot.is_reproducible() => {
                return Err(CliError::Usage(format!(
                    "agent {name}: expected a budget in playouts, such as search:200, got \"{bot}\": nobody could verify the \
                     table"
                )));
            }
            Player::Bot(bot) => (AgentPlayer::Bot(bot), bot.name()),
            Player::Program(launch) => (AgentPlayer::Program(launch), text.to_owned()),
            Player::Human => {
                return Err(CliError::Usage(format!("agent {name}: expected a bot or a command, got \"{text}\"")));
            }
        };
        Ok(Self { name: name.to_owned(), text, player, control: TimeControl::default() })
    }

    /// Returns true if the player is a program.
    pub(super) fn is_program(&self) -> bool {
        matches!(self.player, AgentPlayer::Program(_))
    }

    /// Returns the bot, if the player is one.
    pub(super) fn bot(&self) -> Option<BotName> {
        match &self.player {
            AgentPlayer::Bot(bot) => Some(*bot),
            AgentPlayer::Program(_) | AgentPlayer::Elsewhere => None,
        }
    }
}

/// A game to be played.
pub(super) struct Pairing {
    pub(super) setup: Setup,
    /// The number of the agent of each seat.
    pub(super) seating: Seating,
    /// The seed of all chance.
    pub(super) seed: Seed,
    /// The number of the game among those with its seed.
    pub(super) game: u64,
    pub(super) terms: Terms,
    /// The seeds of the own random choices of programs.
    pub(super) agent_seeds: BySeat<u64>,
    /// The names under which the agents join.
    pub(super) names: Vec<String>,
    /// The seats that a bot plays in place of their agents.
    pub(super) bots: Vec<Option<BotName>>,
    /// True if other games have the same chance: seed and record stay secret until [`LiveMatch::unseal`].
    ///
    /// [`LiveMatch::unseal`]: ahu::service::LiveMatch::unseal
    pub(super) is_sealed: bool,
    /// True if the store keeps the match whatever its bounds are.
    pub(super) is_pinned: bool,
    /// True if a program may play many games in one process.
    pub(super) may_remember: bool,
    /// The name of the game in logs, such as `3.1`.
    pub(super) name: String,
}

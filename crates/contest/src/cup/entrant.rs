//! The agents of a cup.

use ahu_host::check_file_name;
use serde::{Deserialize, Serialize};

/// An agent as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The name.
    pub name: String,
    /// The owner, such as a team. Agents of one owner do not meet unless the cup allows it. None: the agent may meet all others.
    pub owner: Option<String>,
    /// True for a bot that plays for the ratings alone and takes no place.
    pub is_anchor: bool,
    /// The player.
    pub player: Player,
}

/// The player of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Player {
    /// A bot of ours.
    Bot {
        /// Its name.
        bot: String,
    },
    /// A program that the host of the cup starts.
    Command {
        /// The command, for a shell; with the prefix `jsonl:`, that of a program that reads and writes lines.
        cmd: String,
        /// The words before the shell, such as the command of a jail; empty without one.
        wrapper: Vec<String>,
    },
    /// A program elsewhere, which asks for its seats with a key.
    Remote {
        /// SHA-256 of the key, in hexadecimal digits; None until the key is made. The journal does not keep it, because a lost
        /// key is replaced.
        #[serde(skip)]
        key: Option<String>,
        /// The maximum number of games that it plays at once.
        games_at_once: u32,
        /// The id of the account that entered it, whose keys open its seats; None for an agent with a key of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<String>,
    },
}

/// The maximum length of a name, in bytes. It keeps tables narrow.
const MAX_NAME: usize = 32;

/// Checks that the name of an agent or a stage can be the name of a file.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    check_file_name(name, MAX_NAME, "._@:+-")
}

impl Entrant {
    /// Returns the hash of the key of a remote agent; None for other agents, and until the key is made.
    pub(super) fn key(&self) -> Option<&String> {
        if let Player::Remote { key, .. } = &self.player { key.as_ref() } else { None }
    }

    /// Returns the agent without the hash of its key, as the journal keeps it.
    #[must_use]
    pub fn without_key(&self) -> Self {
        let mut entrant = self.clone();
        if let Player::Remote { key, .. } = &mut entrant.player {
            *key = None;
        }
        entrant
    }
}

impl Player {
    /// Returns a description for people.
    pub fn text(&self) -> String {
        match self {
            Self::Bot { bot } => bot.clone(),
            Self::Command { cmd, .. } => cmd.clone(),
            Self::Remote { .. } => "remote".to_owned(),
        }
    }
}

/// An agent of a cup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentState {
    /// The agent as the file or the journal describes it.
    pub entrant: Entrant,
    /// The status of the agent.
    pub status: Status,
    /// The number of games that the agent forfeited in a row, up to its last result.
    pub forfeits_in_a_row: u32,
}

/// The status of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The agent plays.
    In,
    /// The agent has left the cup, for this reason if one was given.
    Withdrawn(Option<String>),
    /// The agent was excluded, for this reason.
    Disqualified(String),
    /// The agent rests, for this reason, until its owner lets it play again.
    Resting(String),
}

impl Status {
    /// Returns the reason why the agent does not play; None if it plays, or nobody gave a reason.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::In => None,
            Self::Withdrawn(reason) => reason.as_deref(),
            Self::Disqualified(reason) | Self::Resting(reason) => Some(reason),
        }
    }
}

impl AgentState {
    pub(super) fn new(entrant: Entrant) -> Self {
        Self { entrant, status: Status::In, forfeits_in_a_row: 0 }
    }
}

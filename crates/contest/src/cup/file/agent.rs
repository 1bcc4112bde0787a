//! The agents in the file of a cup.

use ahu_host::record::{check_new_name, parse_digest};
use ahu_host::visible_text::check_line;
use serde::Deserialize;

use crate::cup::entrant::{Entrant, Player, check_name};
use crate::cup::toml_file::{Fault, at, ensure};

/// The maximum number of games that a remote agent plays at once.
const MAX_GAMES_AT_ONCE: u32 = 100;

/// The keys of an `[[agent]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentKeys {
    name: String,
    owner: Option<String>,
    bot: Option<String>,
    cmd: Option<String>,
    #[serde(default)]
    wrapper: Vec<String>,
    #[serde(default)]
    remote: bool,
    key: Option<String>,
    games_at_once: Option<u32>,
}

impl AgentKeys {
    /// Checks the keys and returns the agent. `path` is the path of the table in its file, such as `agent.0`.
    pub(super) fn entrant(self, path: &str) -> Result<Entrant, Fault> {
        let Self { name, owner, bot, cmd, wrapper, remote, key, games_at_once } = self;
        let path = |key: &str| format!("{path}.{key}");
        at(path("name"), check_name(&name))?;
        if bot.is_none() {
            at(path("name"), check_new_name(&name))?;
        }
        at(path("owner"), owner.as_ref().map_or(Ok(()), |owner| check_line("an owner", owner)))?;
        let is_hash = key.as_ref().is_none_or(|key| remote && parse_digest(key).is_ok());
        ensure(is_hash, path("key"), || {
            let expected = "expected the hash of a key, 64 hexadecimal digits that `ahu cup keys` writes";
            format!("{expected}, with remote = true only; got \"{}\"", key.as_deref().unwrap_or_default())
        })?;
        ensure(cmd.is_some() || wrapper.is_empty(), path("wrapper"), || {
            format!("expected wrapper with cmd only: agent \"{name}\" is no command")
        })?;
        let is_command = cmd.as_ref().is_none_or(|cmd| !cmd.trim().is_empty());
        ensure(is_command, path("cmd"), || "expected a command, got an empty one")?;
        let is_number = games_at_once.is_none_or(|games| remote && (1..=MAX_GAMES_AT_ONCE).contains(&games));
        ensure(is_number, path("games_at_once"), || {
            let games = games_at_once.unwrap_or_default();
            format!("expected 1 to {MAX_GAMES_AT_ONCE} games at once, with remote = true only, got {games}")
        })?;
        let player = match (bot, cmd, remote) {
            (Some(bot), None, false) => Player::Bot { bot },
            (None, Some(cmd), false) => Player::Command { cmd, wrapper },
            (None, None, true) => Player::Remote { key, games_at_once: games_at_once.unwrap_or(1), account: None },
            _ => {
                let message = format!("expected one of bot, cmd, and remote = true for agent \"{name}\"");
                return Err((path("name"), message));
            }
        };
        Ok(Entrant { name, owner, is_anchor: false, player })
    }
}

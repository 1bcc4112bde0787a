//! `ahu cup keys`: makes the keys with which remote agents ask for their seats.

use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_contest::cup::{Cup, KeyHash, Player, with_key_hashes};
use ahu_core::hex;
use ahu_service::{agent_key_hash, new_agent_key};

use super::CupArguments;
use super::folder::CupFolder;
use crate::files::{create_private, key_file, replace, table};
use crate::{CliError, Done};

/// Make the keys of remote agents: a file for each, and its hash in the file of the cup
///
/// Without --from and --renew, every remote agent of the file that has no key gets one. An agent whose file is in the folder
/// keeps its key, such as the key of an account. Send each key to its team alone: whoever has it plays for the agent. The file
/// of the cup holds hashes, which tell nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    #[command(flatten)]
    cup: CupArguments,
    /// A table of teams (CSV) with the columns `name` and, where wanted, `owner`; those that the file does not have are
    /// added to it
    #[arg(long, value_name = "CSV")]
    from: Option<PathBuf>,
    /// Replace the key of this agent; a running cup accepts the new one at once, and refuses the old one
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    renew: Vec<String>,
    /// The folder for the keys: NAME.key for each agent
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Keys {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read_without_seats()?;
        let agents = self.agents(&folder)?;
        if agents.is_empty() {
            writeln!(out, "every remote agent has a key; --renew NAME replaces one")?;
            return Ok(());
        }
        let path = |name: &str| self.out.join(format!("{name}.key"));
        // A team whose key is there keeps it, such as the key of its account on the server.
        let key = |(name, _): &(String, _)| match self.renew.is_empty() && path(name).exists() {
            true => key_file::read(&path(name)),
            false => Ok(new_agent_key()),
        };
        let keys = agents.iter().map(key).collect::<Result<Vec<_>, _>>()?;
        let hashes = agents.iter().zip(&keys).map(|((name, owner), key)| KeyHash {
            name: name.clone(),
            owner: owner.clone(),
            hash: hex(&agent_key_hash(key)),
        });
        let wrong = |message: String| CliError::Usage(format!("{}: {message}", folder.file.display()));
        let text = with_key_hashes(&folder.text, &hashes.collect::<Vec<_>>()).map_err(wrong)?;
        // Fail before anything is written.
        Cup::read_without_seats(&text).map_err(|error| wrong(error.to_string()))?;
        create_private(&self.out)?;
        for ((name, _), key) in agents.iter().zip(&keys) {
            let path = path(name);
            if !self.renew.is_empty() || !path.exists() {
                key_file::write(&path, key, !self.renew.is_empty()).map_err(CliError::cannot("write", &path))?;
            }
        }
        replace(&folder.file, &text).map_err(CliError::cannot("write", &folder.file))?;
        writeln!(out, "keys in {}: {}; their hashes are in {}", self.out.display(), keys.len(), folder.file.display())?;
        if let Some(address) = &folder.cup.header.address {
            writeln!(out, "a team starts its agent with AHU_ADDRESS={address} and AHU_KEY_FILE=NAME.key")?;
        }
        Ok(())
    }

    /// Returns the names and owners of the agents that get a key.
    fn agents(&self, folder: &CupFolder) -> Result<Vec<(String, Option<String>)>, CliError> {
        let cup = &folder.cup;
        if let Some(path) = &self.from {
            let mut teams = teams(path)?;
            teams.retain(|(name, _)| match cup.agent(name).map(|agent| &agent.player) {
                Some(Player::Remote { key, .. }) => key.is_none(),
                _ => true,
            });
            return Ok(teams);
        }
        for name in &self.renew {
            if !cup.agent(name).is_some_and(|agent| matches!(agent.player, Player::Remote { .. })) {
                return Err(CliError::Usage(format!("--renew: expected a remote agent of the file, got \"{name}\"")));
            }
        }
        let remote = cup.agents.iter().filter(|agent| match &agent.player {
            Player::Remote { key, .. } if self.renew.is_empty() => key.is_none(),
            Player::Remote { .. } => self.renew.contains(&agent.name),
            Player::Bot { .. } | Player::Command { .. } => false,
        });
        Ok(remote.map(|agent| (agent.name.clone(), None)).collect())
    }
}

/// Reads the names and owners of teams from a CSV file.
fn teams(path: &Path) -> Result<Vec<(String, Option<String>)>, CliError> {
    let wrong = |message: String| CliError::Usage(format!("{}: {message}", path.display()));
    let mut teams: Vec<(String, Option<String>)> = Vec::new();
    for (line, [team, owner]) in table(path, ["name", "owner"])? {
        if team.is_empty() {
            return Err(wrong(format!("line {line}: expected a name, got none")));
        }
        if teams.iter().any(|(other, _)| *other == team) {
            return Err(wrong(format!("line {line}: expected a name of its own for each team, got \"{team}\" twice")));
        }
        teams.push((team, Some(owner).filter(|owner| !owner.is_empty())));
    }
    Ok(teams)
}

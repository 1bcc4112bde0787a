//! The file `shard.json` in the folder of a shard: the duel to which the games of the folder belong.

use std::fs;
use std::path::Path;
use std::time::Duration;

use ahu_contest::blocks::BlockShard;
use ahu_contest::cup::Salt;
use ahu_core::Seed;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contest::Contest;
use super::contest_arguments::ContestArguments;
use crate::arguments::GameArguments;
use crate::files::replace;
use crate::files::shards::ShardFolder;
use crate::{CliError, Done, VERSION};

const NAME: &str = "shard.json";

/// The content of the file. It is written after the last game of the shard, since it has the salt.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShardFile {
    shard: BlockShard,
    duel: WholeDuel,
    /// The number of games at once.
    pub(super) concurrency: usize,
    /// The duration of the shard.
    pub(super) seconds: f64,
}

/// The part of the file that all shards of a duel share.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeDuel {
    /// The version of the program.
    version: String,
    /// The number of blocks of all shards together.
    blocks: u64,
    seed: u64,
    salt: Option<String>,
    game: GameArguments,
    arguments: ContestArguments,
}

impl ShardFile {
    pub(super) fn new(
        shard: BlockShard,
        blocks: u64,
        (game, arguments): (GameArguments, ContestArguments),
        contest: &Contest,
        concurrency: usize,
        elapsed: Duration,
    ) -> Self {
        let (seed, salt) = (contest.seed.0, contest.salt.map(Salt::to_hex));
        let duel = WholeDuel { version: VERSION.to_owned(), blocks, seed, salt, game, arguments };
        Self { shard, duel, concurrency, seconds: elapsed.as_secs_f64() }
    }

    /// Writes the file to the folder of the shard.
    pub(super) fn write(&self, folder: &Path) -> Done {
        let (path, value) = (folder.join(NAME), serde_json::to_value(self).map_err(CliError::failed)?);
        replace(&path, format!("{value:#}\n")).map_err(CliError::cannot("write", &path))
    }

    /// Reads the file in the folder of a shard.
    pub(super) fn read(folder: &Path) -> Result<ShardFolder<Self>, CliError> {
        let path = folder.join(NAME);
        if folder.is_dir() && !path.exists() {
            return Err(CliError::Failed(format!(
                "{}: expected the file {NAME} of a shard that has ended, got none; play the shard again",
                folder.display()
            )));
        }
        let text = fs::read_to_string(&path).map_err(CliError::cannot("read", &path))?;
        let wrong = |error: serde_json::Error| CliError::Failed(format!("{}: {error}", path.display()));
        let value: Value = serde_json::from_str(&text).map_err(wrong)?;
        let claims = value.get("duel").cloned().unwrap_or_default();
        let file: Self = serde_json::from_value(value).map_err(wrong)?;
        Ok(ShardFolder { folder: folder.to_owned(), shard: file.shard, claims, file })
    }

    /// Returns the contest of the duel, and the number of its blocks.
    pub(super) fn contest(&self) -> Result<(Contest, u64), CliError> {
        let WholeDuel { version, blocks, seed, salt, game, arguments } = &self.duel;
        if version != VERSION {
            return Err(CliError::Failed(format!(
                "expected shards of this version, {VERSION}, got shards of {version}; merge them with that version"
            )));
        }
        let wrong = || CliError::Failed(format!("{NAME}: expected a salt of 64 hexadecimal digits, got another"));
        let salt = salt.as_deref().map(|text| Salt::parse(text).ok_or_else(wrong)).transpose()?;
        let mut arguments = arguments.clone();
        (arguments.seed, arguments.salt) = (Some(Seed(*seed)), salt);
        Ok((arguments.contest(game)?, *blocks))
    }
}

//! The claims of a duel in `run.json`, on which all its processes agree, so that it goes on, and its shards belong together.

use std::fs;

use ahu_contest::cup::Salt;
use ahu_core::Seed;
use serde::{Deserialize, Serialize};

use super::matchup::Matchup;
use super::matchup_arguments::MatchupArguments;
use super::starting_point::StartingPoint;
use crate::arguments::GameArguments;
use crate::files::key_file;
use crate::runs::{Claims, Folder};
use crate::{CliError, Done, VERSION};

/// The file with the secret part of the seed. Nobody but its owner may read it.
const SALT: &str = "salt";

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuelClaims {
    /// The version of the program.
    version: String,
    /// The number of blocks of all shards together, or the maximum of a test.
    blocks: Option<u64>,
    seed: Seed,
    /// The SHA-256 of the salt, which is a secret while games are left to play.
    salt_sha256: Option<String>,
    /// The positions of `--positions`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    positions: Vec<StartingPoint>,
    game: GameArguments,
    arguments: MatchupArguments,
}

/// The work of the processes so far.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Host {
    /// The number of games at once.
    pub(super) concurrency: usize,
    /// The duration of all processes that ended by themselves or by a signal.
    pub(super) seconds: f64,
}

impl Claims for DuelClaims {
    type Host = Host;
    const OPTION: &'static str = "--records";
    const REPORT: &'static [&'static str] = &["results.csv"];
    /// A duel plays thousands of games in a second. A kill of the process loses no line; a loss of power may.
    const IS_SYNCED: bool = false;

    fn blocks(&mut self) -> &mut Option<u64> {
        &mut self.blocks
    }
}

impl DuelClaims {
    pub(super) fn new(matchup: &Matchup, blocks: u64, game: GameArguments, arguments: MatchupArguments) -> Self {
        let (seed, salt_sha256) = (matchup.seed, matchup.salt.map(|salt| salt.hash()));
        let (version, positions) = (VERSION.to_owned(), matchup.starting_points.clone());
        Self { version, blocks: Some(blocks), seed, salt_sha256, positions, game, arguments }
    }

    /// Returns the matchup of a run in this folder, and the number of its blocks.
    pub(super) fn matchup(&self, folder: &Folder) -> Result<(Matchup, u64), CliError> {
        let Self { version, blocks, game, .. } = self;
        if version != VERSION {
            return Err(CliError::Failed(format!(
                "expected shards of this version, {VERSION}, got shards of {version}; merge them with that version"
            )));
        }
        let mut arguments = self.arguments.clone();
        self.give_seeds(folder, &mut arguments);
        let mut matchup = arguments.matchup(game)?;
        matchup.starting_points.clone_from(&self.positions);
        if matchup.salt.map(|salt| salt.hash()) != self.salt_sha256 {
            let path = folder.0.join(SALT);
            return Err(CliError::Failed(format!("{}: expected the salt of the duel, got another", path.display())));
        }
        Ok((matchup, blocks.unwrap_or_default()))
    }

    /// Gives the arguments the seed and the salt of the run in this folder, where they have none.
    pub(super) fn give_seeds(&self, folder: &Folder, arguments: &mut MatchupArguments) {
        arguments.seed.get_or_insert(self.seed);
        if arguments.salt.is_none() && self.salt_sha256.is_some() {
            // If the file is damaged, another salt is drawn, and does not fit the claims.
            arguments.salt = fs::read_to_string(folder.0.join(SALT)).ok().and_then(|text| Salt::parse(text.trim()));
        }
    }
}

/// Writes the salt of a matchup to the folder of its run, for its owner alone.
pub(super) fn keep_salt(folder: &Folder, matchup: &Matchup) -> Done {
    let path = folder.0.join(SALT);
    let keep = |salt: Salt| key_file::write(&path, &salt.to_hex(), true).map_err(CliError::cannot("write", &path));
    matchup.salt.map_or(Ok(()), keep)
}

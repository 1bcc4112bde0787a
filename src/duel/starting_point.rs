//! The positions of `--positions`: all games of a block begin at one of them.

use std::path::{Path, PathBuf};

use ahu_core::{Seed, hex};
use ahu_host::{Entry, Setup};
use serde::{Deserialize, Serialize};

use crate::CliError;
use crate::files::opening::Opening;
use crate::files::position::{self, Position};

/// The point of a record at which the games of a block begin. They have the seed of the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StartingPoint {
    /// The digest of the record.
    record: String,
    pub(super) seed: Seed,
    /// The number of plies before the point.
    pub(super) begun: usize,
    /// The plies; none in the claims of a folder.
    #[serde(skip)]
    pub(super) plies: Vec<Entry>,
}

impl StartingPoint {
    /// Reads a file of positions, whose records must have this setup.
    pub(super) fn read(file: &Path, setup: &Setup) -> Result<Vec<Self>, CliError> {
        let read = |(line, record, position): (usize, PathBuf, Position)| {
            let wrong = |reason: String| CliError::Usage(format!("{}, line {line}: {reason}", file.display()));
            let Opening { record, plies } = Opening::read(&record, Some(position.ply)).map_err(wrong)?;
            let of = |setup: &Setup| (setup.rules().info().id, setup.seats(), setup.options());
            if of(&record.setup) != of(setup) {
                return Err(wrong(format!(
                    "expected a record of {} with the seats and options of the duel, got another",
                    of(setup).0
                )));
            }
            Ok(Self { record: hex(&record.digest()), seed: record.seed, begun: plies.len(), plies })
        };
        position::read(file, false)?.into_iter().map(read).collect()
    }
}

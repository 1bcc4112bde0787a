//! `ahu benchmark plan`: estimates what the first blocks of a suite take.

use std::io::Write;

use ahu::suite::{Suite, SuiteClaim};

use super::{PartArguments, suite};
use crate::cli::Done;

/// The numbers of blocks that the table has, besides all blocks.
const FIRST: [u64; 6] = [1, 2, 5, 10, 20, 50];

/// Show what the first blocks of a suite take: games, decisions, and hours at 1 s and at 10 s a decision
///
/// The decisions are those of an agent that plays like `random@1`, and the hours are those of one game at a time. A stronger
/// agent may have about twice as many decisions.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Plan {
    /// The suite: `v1`, or a file that ends with .toml
    #[arg(value_name = "SUITE")]
    suite: String,
    #[command(flatten)]
    part: PartArguments,
}

impl Plan {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let (suite, cells) = self.part.of(suite(&self.suite)?)?;
        let Suite { name, sha256, .. } = &suite;
        let most = suite.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
        writeln!(out, "| suite | games | decisions | hours at 1 s | hours at 10 s |\n|---|---|---|---|---|")?;
        for first in FIRST.into_iter().filter(|&first| first < most).map(Some).chain([None]) {
            let title = SuiteClaim { name: name.clone(), sha256: sha256.clone(), first, cells: cells.clone() }.title();
            let (games, decisions) = (suite.games(first), suite.decisions(first));
            let hours = decisions as f64 / 3600.0;
            writeln!(out, "| {title} | {games} | {decisions} | {hours:.1} | {:.1} |", 10.0 * hours)?;
        }
        Ok(())
    }
}

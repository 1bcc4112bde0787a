//! `ahu benchmark plan`: estimates what the first blocks of a suite take.

use std::io::Write;

use ahu_contest::suite::{Suite, SuiteClaim};

use super::{PartArguments, suite};
use crate::Done;

/// The numbers of blocks that the table has, besides all blocks.
const FIRST: [u64; 6] = [1, 2, 5, 10, 20, 50];

/// Show what the first blocks of a suite take: games, decisions, tokens, and hours at 1 s and at 10 s a decision
///
/// The decisions are those of an agent that plays like `random@1`, and the hours are those of one game at a time. A stronger
/// agent may have up to three times as many decisions. The tokens are those in the messages to a language model, for a suite that
/// states them: with the rules, which many hosts of models bill at a lower price from the second call on.
#[derive(Debug, clap::Args)]
pub(crate) struct Plan {
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
        let has_tokens = suite.tokens(None) > 0;
        let (head, rule) = if has_tokens { (" tokens in |", "---|") } else { ("", "") };
        writeln!(
            out,
            "| suite | games | decisions |{head} hours at 1 s | hours at 10 s |\n|---|---|---|{rule}---|---|"
        )?;
        for first in FIRST.into_iter().filter(|&first| first < most).map(Some).chain([None]) {
            let title = SuiteClaim { name: name.clone(), sha256: sha256.clone(), first, cells: cells.clone() }.title();
            let (games, decisions) = (suite.games(first), suite.decisions(first));
            let hours = decisions as f64 / 3600.0;
            let tokens = if has_tokens { format!(" {} |", suite.tokens(first)) } else { String::new() };
            writeln!(out, "| {title} | {games} | {decisions} |{tokens} {hours:.1} | {:.1} |", 10.0 * hours)?;
        }
        Ok(())
    }
}

//! `ahu benchmark plan`: estimates what the first blocks of a suite take.

use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_contest::suite::{PriceFile, Suite, SuiteClaim};

use super::{PartArguments, suite};
use crate::files::text;
use crate::{CliError, Done};

/// The numbers of blocks that the table has, besides all blocks.
const FIRST: [u64; 6] = [1, 2, 5, 10, 20, 50];

/// Show what the first blocks of a suite take: games, decisions, tokens, and hours at 1 s and at 10 s a decision
///
/// The decisions are those of an agent that plays like `random@1`, and the hours are those of one game at a time. A stronger
/// agent may have up to three times as many decisions. The tokens are those in the messages to a language model and in its
/// answers, for a suite that states them: with the rules, which many hosts of models bill at a lower price from the second call
/// on.
#[derive(Debug, clap::Args)]
pub(crate) struct Plan {
    /// The suite: `v1`, or a file that ends with .toml
    #[arg(value_name = "SUITE")]
    suite: String,
    #[command(flatten)]
    part: PartArguments,
    /// The tokens of an answer: some 20 for the bare form, and hundreds or thousands for a model that reasons
    #[arg(long, value_name = "N", default_value_t = 20)]
    answer_tokens: u64,
    /// Show the price for each model in this file, which has `currency = "USD"` and tables [model.NAME] with `input`, `output`,
    /// and perhaps `cached_input`, the prices of a million tokens
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl Plan {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let (suite, cells) = self.part.of(suite(&self.suite)?)?;
        let Suite { name, sha256, .. } = &suite;
        let most = suite.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
        let has_tokens = suite.tokens(None) > 0;
        let prices = self.prices.as_deref().map(price_file).transpose()?.unwrap_or_default();
        let mut heads = vec!["suite".to_owned(), "games".to_owned(), "decisions".to_owned()];
        if has_tokens {
            heads.extend(["tokens in".to_owned(), "tokens out".to_owned()]);
            heads.extend(prices.models.keys().map(|model| format!("{model}, {}", prices.currency)));
        }
        heads.extend(["hours at 1 s".to_owned(), "hours at 10 s".to_owned()]);
        writeln!(out, "| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()))?;
        for first in FIRST.into_iter().filter(|&first| first < most).map(Some).chain([None]) {
            let title = SuiteClaim { name: name.clone(), sha256: sha256.clone(), first, cells: cells.clone() }.title();
            let (games, decisions, tokens_in) = (suite.games(first), suite.decisions(first), suite.tokens(first));
            let tokens_out = decisions.saturating_mul(self.answer_tokens);
            let mut row = vec![title, games.to_string(), decisions.to_string()];
            if has_tokens {
                row.extend([tokens_in.to_string(), tokens_out.to_string()]);
                row.extend(prices.models.values().map(|model| model.of(tokens_in, tokens_out)));
            }
            let hours = decisions as f64 / 3600.0;
            row.extend([format!("{hours:.1}"), format!("{:.1}", 10.0 * hours)]);
            writeln!(out, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

fn price_file(path: &Path) -> Result<PriceFile, CliError> {
    PriceFile::read(&text(path)?).map_err(|error| CliError::Usage(format!("--prices: {}: {error}", path.display())))
}

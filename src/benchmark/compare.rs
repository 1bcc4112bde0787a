//! `ahu benchmark compare`: says which of two agents is better, from the blocks of their reports.

use std::io::Write;
use std::path::PathBuf;

use ahu_contest::suite::{BlockRow, CellDifference, Comparison, Report, blocks_csv, formats};
use ahu_core::parts::lines::counted;

use super::folder;
use crate::files::text;
use crate::runs::Folder;
use crate::{CliError, Done, print_json};

/// Compare two reports block by block, and say who is better
///
/// The reports have the same suite and the same seeds. The comparison does not check the records: see `ahu benchmark verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Compare {
    /// The folder of the first report
    #[arg(value_name = "DIR")]
    one: PathBuf,
    /// The folder of the second report
    #[arg(value_name = "DIR")]
    other: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let (one, one_rows) = read(self.one)?;
        let (other, other_rows) = read(self.other)?;
        let comparison = Comparison::of((&one, &one_rows), (&other, &other_rows)).map_err(CliError::Usage)?;
        if self.json {
            let json = serde_json::to_value(&comparison).map_err(CliError::failed)?;
            return print_json("benchmark-comparison", json, out);
        }
        let [one, other] = &comparison.agents;
        writeln!(out, "{}: normalised score of {one} less that of {other}, with 95 % intervals\n", comparison.suite)?;
        let width = comparison.cells.iter().map(|cell| cell.name.len()).max().unwrap_or(0);
        for CellDifference { name, blocks, difference } in &comparison.cells {
            let blocks = counted(*blocks, "block");
            writeln!(out, "  {name:<width$}  {blocks:>11}  {}", formats::interval(difference))?;
        }
        writeln!(out, "  {:<width$}  {:>11}  {}", "all", "", formats::interval(&comparison.difference))?;
        writeln!(out, "\n{}", comparison.verdict)?;
        Ok(())
    }
}

/// Reads a report and its blocks, which must have the SHA-256 in the report.
fn read(path: PathBuf) -> Result<(Report, Vec<BlockRow>), CliError> {
    let folder = Folder(path);
    let (report, text) = (folder::report(&folder)?, text(&folder.0.join("blocks.csv"))?);
    let wrong = |message: String| CliError::Failed(format!("{}: {message}", folder.0.join("blocks.csv").display()));
    let hash = blocks_csv::sha256(&text);
    if hash != report.records.blocks_csv {
        let expected = &report.records.blocks_csv;
        return Err(wrong(format!("expected the SHA-256 {expected} that the report has, got {hash}")));
    }
    let rows = blocks_csv::read(&text).map_err(wrong)?;
    Ok((report, rows))
}

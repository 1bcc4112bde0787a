//! `ahu benchmark`: plays a suite with one agent, and makes a report that anybody can check.

mod agent;
mod compare;
mod folder;
mod machine;
mod merge;
mod plan;
mod report;
mod run;
mod schedule;
mod table;
mod verify;

use std::path::Path;

use ahu_contest::suite::Suite;
use clap::Subcommand;

use crate::CliError;
use crate::files::text;

const EXAMPLES: &str = "\
Examples:
  ahu benchmark plan v2
  ahu benchmark run v2 --quick --agent net=\"python3 net.py\" --out quick
  ahu benchmark run v2 --agent net=\"python3 net.py\" --seeds sealed:HEX --source \"drand round 12345\" --out net
  ahu benchmark run v2 --first 20 --game rappanui --agent net=\"python3 net.py\" --out rappanui
  ahu benchmark run v2 --shard 3/16 --agent net=\"python3 net.py\" --out net/3
  ahu benchmark merge net/* --out whole
  ahu benchmark verify net
  ahu benchmark compare net other
  ahu benchmark table net other --format latex

docs/organise/benchmark.md describes the suite, and how to report.";

commands! {
    /// Play a suite with one agent, and make, merge, verify, and compare reports
    #[derive(Debug, Subcommand)]
    #[command(after_long_help = EXAMPLES)]
    pub(super) enum Benchmark {
        Plan(plan::Plan),
        Run(Box<run::Run>),
        Merge(merge::Merge),
        Verify(verify::Verify),
        Compare(compare::Compare),
        Table(table::Table),
    }
}

/// The arguments that choose a part of a suite.
#[derive(Clone, Debug, clap::Args)]
struct PartArguments {
    /// Play only this cell of the suite; may be provided multiple times. The report names the cells, and has no score of the
    /// whole suite
    #[arg(long, value_name = "NAME")]
    cell: Vec<String>,
    /// Play only the cells of this game, for an agent that knows one game; may be provided multiple times, also with --cell
    #[arg(long, value_name = "ID")]
    game: Vec<String>,
}

impl PartArguments {
    /// Returns the chosen part of a suite with the names of its cells; None for all cells.
    fn of(&self, suite: Suite) -> Result<(Suite, Option<Vec<String>>), CliError> {
        let cells = suite.selection(&self.cell, &self.game).map_err(CliError::Usage)?;
        let suite = suite.part(cells.as_deref()).map_err(CliError::Usage)?;
        Ok((suite, cells))
    }
}

/// Returns a suite of the program by its name, or reads one from a file that ends with .toml.
fn suite(name: &str) -> Result<Suite, CliError> {
    if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
        return Suite::named(name).map_err(CliError::Usage);
    }
    Suite::read(&text(Path::new(name))?).map_err(|message| CliError::Usage(format!("{name}: {message}")))
}

//! `ahu benchmark`: plays a suite with one agent, and makes a report that anybody can check.

mod agent;
mod check;
mod compare;
mod folder;
mod machine;
mod run;
mod schedule;
mod table;

use std::fs;
use std::path::Path;

use ahu::suite::Suite;
use clap::Subcommand;

use crate::cli::CliError;

const EXAMPLES: &str = "\
Examples:
  ahu benchmark run v1 --quick --agent net=\"python3 net.py\" --out quick
  ahu benchmark run v1 --agent net=\"python3 net.py\" --seeds sealed:HEX --source \"drand round 12345\" --out net
  ahu benchmark check net
  ahu benchmark compare net other
  ahu benchmark table net other --format latex

docs/benchmark.md describes the suite, and how to report.";

commands! {
    /// Play a suite with one agent, and make, check, and compare reports
    #[derive(Debug, Subcommand)]
    #[command(after_long_help = EXAMPLES)]
    pub(super) enum Benchmark {
        Run(Box<run::Run>),
        Check(check::Check),
        Compare(compare::Compare),
        Table(table::Table),
    }
}

/// Returns a suite of the program by its name, or reads one from a file that ends with .toml.
fn suite(name: &str) -> Result<Suite, CliError> {
    if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
        return Suite::named(name).map_err(CliError::Usage);
    }
    let text = fs::read_to_string(name).map_err(|error| CliError::Failed(format!("cannot read {name}: {error}")))?;
    Suite::read(&text).map_err(|message| CliError::Usage(format!("{name}: {message}")))
}

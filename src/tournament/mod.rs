//! `ahu tournament`: plans and runs cups, and shows, exports, and checks their results.

mod agent_changes;
mod annul;
mod audit;
mod check;
mod director;
mod export;
mod folder;
mod inbox;
mod keys;
mod page;
mod plan;
mod remote_agents;
mod results_files;
mod run;
mod table;
mod team_view;
mod verify;
mod wording;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Subcommand;

const EXAMPLES: &str = "\
Examples:
  ahu tournament plan cup.toml
  ahu tournament check cup.toml
  ahu tournament run cup.toml
  ahu tournament table cup.toml --html results.html
  ahu tournament export cup.toml --out results
  ahu tournament verify results

docs/organise/cup.md describes the file, and cups with remote agents.";

commands! {
    /// Plan and run a cup that one file describes, and show its results
    #[derive(Debug, Subcommand)]
    #[command(after_long_help = EXAMPLES)]
    pub(super) enum Tournament {
        Plan(plan::Plan),
        Check(check::Check),
        Run(run::Run),
        Table(table::Table),
        Add(agent_changes::Add),
        Withdraw(agent_changes::Withdraw),
        Readmit(agent_changes::Readmit),
        Disqualify(agent_changes::Disqualify),
        Annul(annul::Annul),
        Keys(keys::Keys),
        Export(export::Export),
        Verify(verify::Verify),
        Audit(audit::Audit),
    }
}

/// The arguments that name a cup.
#[derive(Debug, clap::Args)]
struct CupArguments {
    /// The file of the cup
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The folder in which the cup is kept [default: the name of the file with `.data` in place of `.toml`]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Returns true if this time is still to come.
fn is_before(time: Option<SystemTime>) -> bool {
    time.is_some_and(|time| SystemTime::now() < time)
}

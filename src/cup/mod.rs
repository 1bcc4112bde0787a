//! `ahu cup`: plans and runs cups, and shows, exports, and checks their results.

mod agent_changes;
mod annul;
mod archive;
mod check;
mod director;
mod entry;
mod export;
mod folder;
mod inbox;
mod influence;
mod keys;
mod ladder_table;
mod ledgers;
mod page;
mod plan;
mod remote_agents;
mod results_files;
mod run;
mod season;
mod table;
mod team_view;
mod verify;
mod wording;

use std::path::PathBuf;
use std::time::SystemTime;

use ahu_service::CupId;
use clap::Subcommand;

const EXAMPLES: &str = "\
Examples:
  ahu cup plan cup.toml
  ahu cup check cup.toml
  ahu cup run cup.toml
  ahu cup table cup.toml --html results.html
  ahu cup export cup.toml --out results
  ahu cup verify results

docs/organise/cup.md describes the file, and cups with remote agents.";

commands! {
    /// Plan and run a cup that one file describes, and show its results
    #[derive(Debug, Subcommand)]
    #[command(after_long_help = EXAMPLES)]
    pub(super) enum CupCommand {
        Plan(plan::Plan),
        Check(check::Check),
        Run(run::Run),
        Table(table::Table),
        Add(agent_changes::Add),
        Withdraw(agent_changes::Withdraw),
        Readmit(agent_changes::Readmit),
        Disqualify(agent_changes::Disqualify),
        Annul(annul::Annul),
        Enter(entry::Enter),
        Leave(entry::Leave),
        Wake(entry::Wake),
        Keys(keys::Keys),
        Export(export::Export),
        Verify(verify::Verify),
        Influence(influence::Influence),
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

/// Returns the id of the cup whose salt has this hash.
///
/// # Panics
/// If the text has fewer than 16 hexadecimal digits.
fn cup_id(salt_hash: &str) -> CupId {
    CupId::of_salt_hash(salt_hash).expect("a hash has 64 hexadecimal digits")
}

/// Returns true if this time is still to come.
fn is_before(time: Option<SystemTime>) -> bool {
    time.is_some_and(|time| SystemTime::now() < time)
}

//! `ahu cup add|withdraw|readmit|disqualify`: changes the agents of a cup that has begun. No seed of a game changes.

use std::io::Write;

use ahu_contest::cup::Event;
use ahu_core::parse::did_you_mean;

use super::CupArguments;
use super::inbox::change;
use crate::{CliError, Done};

/// Add an agent of the file to a cup that has begun, while its first stage is in progress
///
/// Further tables are drawn; the others stay as they are. The file has the agent already.
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    #[command(flatten)]
    cup: CupArguments,
    /// The name of the agent
    name: String,
}

/// Take an agent out: it loses the games that are left
///
/// At a table of more than two seats, the stand-in plays for it.
#[derive(Debug, clap::Args)]
pub(crate) struct Withdraw {
    #[command(flatten)]
    cup: CupArguments,
    /// The name of the agent
    name: String,
    /// The reason, which the results show
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Let an agent that was taken out play the games that are left
#[derive(Debug, clap::Args)]
pub(crate) struct Readmit {
    #[command(flatten)]
    cup: CupArguments,
    /// The name of the agent
    name: String,
}

/// Exclude an agent: it loses the games that are left
#[derive(Debug, clap::Args)]
pub(crate) struct Disqualify {
    #[command(flatten)]
    cup: CupArguments,
    /// The name of the agent
    name: String,
    /// The reason, which the results show
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Add {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let agent = folder.cup.agent(&self.name).ok_or_else(|| {
            let hint = did_you_mean(&self.name, folder.cup.agents.iter().map(|agent| agent.name.as_str()));
            let file = folder.file.display();
            CliError::Usage(format!("expected an agent of {file}, got \"{}\"{hint}", self.name))
        })?;
        let is_running = change(&folder, Event::Add { agent: agent.clone() })?;
        let when = if is_running { "now" } else { "when the cup goes on" };
        writeln!(out, "{} takes part; its games are drawn {when}", self.name)?;
        Ok(())
    }
}

impl Withdraw {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        change(&self.cup.read()?, Event::Withdraw { agent: self.name.clone(), reason: self.reason })?;
        writeln!(out, "{} is out, and loses the games that are left", self.name)?;
        Ok(())
    }
}

impl Readmit {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        change(&self.cup.read()?, Event::Readmit { agent: self.name.clone() })?;
        writeln!(out, "{} plays the games that are left", self.name)?;
        Ok(())
    }
}

impl Disqualify {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        change(&self.cup.read()?, Event::Disqualify { agent: self.name.clone(), reason: self.reason })?;
        writeln!(out, "{} is excluded, and loses the games that are left", self.name)?;
        Ok(())
    }
}

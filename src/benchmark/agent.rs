//! The agent of a benchmark, and what the report claims about it.

use std::collections::BTreeMap;
use std::path::Path;

use ahu_arena::programs::{ProgramSpec, Protocol};
use ahu_arena::{Agent, AgentPlayer, CALLABLE};
use ahu_contest::suite::{AgentClaim, AgentKind, Budget, BudgetKind, RunClaim, Suite, SuiteCell};
use ahu_host::BotName;

use super::machine::{hashes, sha256_of};
use crate::CliError;

/// The word in a command that stands for the checkpoint of a run.
const RUN: &str = "{run}";
/// The player that is an agent elsewhere, which asks for its seats.
const REMOTE: &str = "remote";

/// The arguments that describe the agent.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct AgentArguments {
    /// The agent: its name, and a bot, `net:FILE`, a command that starts an agent, `jsonl:COMMAND`, or `remote`
    ///
    /// In a command, `{run}` stands for the checkpoint of each --run. A bot needs no name.
    #[arg(short, long, value_name = "NAME=PLAYER")]
    agent: String,
    /// The checkpoint of a training run; provide it once for each run of one method
    #[arg(long = "run", value_name = "CKPT")]
    runs: Vec<String>,
    /// A further file of the agent, such as its weights; the report has its hash. Files that the command names are found
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// The budget of a decision: `none`, `iterations:N`, or `seconds:S` [default: none; that of a search bot]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// A declaration for the report, such as model=NAME or tokens=COUNT; may be provided multiple times
    ///
    /// trained-on-held-out=yes or =no tells whether the agent was trained against the held-out opponents of v2.
    #[arg(long = "declare", value_name = "KEY=VALUE")]
    declares: Vec<String>,
}

impl AgentArguments {
    /// Returns what the report claims about the agent. `has_held_out` is true if the whole suite has held-out opponents.
    pub(super) fn claim(&self, suite: &Suite, has_held_out: bool) -> Result<AgentClaim, CliError> {
        let rules = suite.cells[0].setup.rules();
        let usage = |message| CliError::Usage(format!("--agent: {message}"));
        let (name, text) = Agent::split(rules, &self.agent).map_err(usage)?;
        // An agent elsewhere is none that this program plays either.
        let agent = Agent::read(rules, &name, if text == REMOTE { CALLABLE } else { &text })?;
        let (kind, player) = match &agent.player {
            _ if text == REMOTE => (AgentKind::Remote, text),
            AgentPlayer::Elsewhere => (AgentKind::Callable, text),
            AgentPlayer::Program(ProgramSpec { protocol: Protocol::Lines, .. }) => (AgentKind::Lines, text),
            AgentPlayer::Program(_) => (AgentKind::Command, text),
            AgentPlayer::Bot(_) => (AgentKind::Bot, agent.text),
        };
        if kind == AgentKind::Bot {
            for cell in &suite.cells {
                Agent::read(cell.setup.rules(), &name, &player)?;
            }
        }
        let takes_runs = kind == AgentKind::Callable || player.contains(RUN);
        if !self.runs.is_empty() && !takes_runs {
            return Err(CliError::Usage(format!(
                "--run: expected a command with {RUN} in the place of the checkpoint, got \"{player}\""
            )));
        }
        if self.runs.is_empty() && player.contains(RUN) {
            return Err(CliError::Usage(format!("expected --run CKPT for {RUN} in the command, got none")));
        }
        let is_command = matches!(kind, AgentKind::Command | AgentKind::Lines);
        let words = player.split_whitespace().filter(|word| is_command && Path::new(word).is_file());
        let files = words.map(str::to_owned).chain(self.files.iter().cloned());
        let run = |name: &String| RunClaim { name: name.clone(), sha256: sha256_of(Path::new(name)).ok() };
        let runs = if self.runs.is_empty() {
            vec![RunClaim { name: name.clone(), sha256: None }]
        } else {
            self.runs.iter().map(run).collect()
        };
        Ok(AgentClaim {
            kind,
            files: hashes(files)?,
            runs,
            budget: self.budget.unwrap_or_else(|| budget_of(suite, kind, &player)),
            declares: self.declares(has_held_out, kind, &player)?,
            name,
            player,
        })
    }

    /// Returns the declarations. A suite with held-out opponents wants to know whether the agent was trained against them, which
    /// is known of the bots of the program.
    fn declares(
        &self,
        has_held_out: bool,
        kind: AgentKind,
        player: &str,
    ) -> Result<BTreeMap<String, String>, CliError> {
        const KEY: &str = AgentClaim::TRAINED_ON_HELD_OUT;
        let pair = |text: &String| {
            let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
            pair.ok_or_else(|| CliError::Usage(format!("--declare: expected KEY=VALUE, got \"{text}\"")))
        };
        let mut declares = self.declares.iter().map(pair).collect::<Result<BTreeMap<_, _>, _>>()?;
        let is_ours = kind == AgentKind::Bot && !player.starts_with("net:");
        if is_ours && has_held_out {
            let is_held_out = player.starts_with("heldout");
            declares.entry(KEY.to_owned()).or_insert_with(|| if is_held_out { "yes" } else { "no" }.to_owned());
        }
        match declares.get(KEY).map(String::as_str) {
            None | Some("yes" | "no") => Ok(declares),
            Some(other) => {
                Err(CliError::Usage(format!("--declare: expected {KEY}=yes or {KEY}=no, got {KEY}={other}")))
            }
        }
    }
}

/// Returns the budget of a search bot in iterations; for any other agent, no budget.
fn budget_of(suite: &Suite, kind: AgentKind, player: &str) -> Budget {
    let bot = suite.cells[0].setup.rules().bot(player).ok().filter(|_| kind == AgentKind::Bot);
    let playouts = bot.and_then(BotName::budget).and_then(|budget| budget.to_string().parse().ok());
    match playouts {
        Some(playouts) => Budget { kind: BudgetKind::Iterations, amount: Some(playouts) },
        None => Budget { kind: BudgetKind::None, amount: None },
    }
}

/// Returns the players of a cell in one run, with the agent first.
pub(super) fn players(claim: &AgentClaim, suite: &Suite, cell: &SuiteCell, run: usize) -> Result<Vec<Agent>, CliError> {
    let rules = cell.setup.rules();
    let agent = match claim.kind {
        AgentKind::Remote | AgentKind::Callable => {
            let (name, text) = (claim.name.clone(), claim.player.clone());
            Agent { name, text, player: AgentPlayer::Elsewhere, control: suite.clock }
        }
        AgentKind::Bot => Agent::read(rules, &claim.name, &claim.player)?,
        AgentKind::Command | AgentKind::Lines => {
            let command = claim.player.replace(RUN, &quoted(&claim.runs[run].name));
            Agent { control: suite.clock, ..Agent::read(rules, &claim.name, &command)? }
        }
    };
    let opponents = cell.opponents.iter().map(|bot| Agent::read(rules, &bot.name(), &bot.name()));
    Ok([Ok(agent)].into_iter().chain(opponents).collect::<Result<_, _>>()?)
}

/// Quotes a text as one word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/+@:".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

//! The report of a run: its suite, agent, seeds, and figures, as one JSON.

use std::collections::BTreeMap;
use std::fmt;

use ahu_core::named;
use ahu_host::ensure;
use serde::{Deserialize, Serialize};

use super::file::Anchors;
use super::interval::{Interval, REPLICATES};
use super::language::LanguageClaim;
use crate::GamesLog;

/// The name of the format of a report, which its schema has too.
pub const FORMAT: &str = "ahu-benchmark-report-1";

/// The JSON schema of a report.
pub const SCHEMA: &str = include_str!("report.schema.json");

/// The report about one agent on one suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The name of the format: [`FORMAT`].
    pub format: String,
    /// The suite.
    pub suite: SuiteClaim,
    /// The program that played.
    pub server: ServerClaim,
    /// The agent.
    pub agent: AgentClaim,
    /// The seeds.
    pub seeds: SeedsClaim,
    /// The machine, as the author declares it. Nothing proves it.
    pub machine: MachineClaim,
    /// The times of the run. Nothing proves them.
    pub time: TimeClaim,
    /// The figures of each cell that was played, in the order of the suite.
    pub cells: Vec<CellReport>,
    /// The figures of all cells that were played together.
    pub aggregate: Aggregate,
    /// The hashes over the records of all games.
    pub records: RecordsClaim,
    /// The counts of the games that the run has started. Nothing proves that the log is the only one.
    pub log: LogClaim,
    /// The work of a language model in each cell, as its agent counted it; empty for other agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<LanguageClaim>,
}

/// The claims of a report that are known before the first game. The file `run.json` has them while games are left to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The suite.
    pub suite: SuiteClaim,
    /// The agent.
    pub agent: AgentClaim,
    /// The seeds.
    pub seeds: SeedsClaim,
}

/// The suite that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteClaim {
    /// The name.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// The maximum number of blocks of each cell; None: all blocks.
    pub first: Option<u64>,
    /// The names of the cells that were played, in the order of the suite; None: all cells.
    pub cells: Option<Vec<String>>,
}

impl SuiteClaim {
    /// Returns the name of what was played: the name of the suite, the number of blocks if only the first were played, and the
    /// cells if only some were played: `v1`, `v1/4`, `v1/4 rappanui-2-greedy,rappanui-6-mixed`.
    pub fn title(&self) -> String {
        let Self { name, first, cells, .. } = self;
        let first = first.map(|first| format!("/{first}")).unwrap_or_default();
        let cells = cells.as_ref().map(|cells| format!(" {}", cells.join(","))).unwrap_or_default();
        format!("{name}{first}{cells}")
    }
}

/// The program that played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerClaim {
    /// The version.
    pub version: String,
    /// SHA-256 of the program.
    pub build: String,
    /// The rules version of each game.
    pub rules: BTreeMap<String, u32>,
    /// The layout hash of each game.
    pub layouts: BTreeMap<String, String>,
}

/// The kind of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentKind {
    /// A built-in bot.
    Bot,
    /// A command that calls the service.
    Command,
    /// A command that reads and writes lines.
    Lines,
    /// A program on another machine, which the organiser does not start.
    Remote,
    /// A function in Python.
    Callable,
}

/// The agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentClaim {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: AgentKind,
    /// The player as the author named it: a command, or the name of a bot with its version.
    pub player: String,
    /// The SHA-256 of the files of the agent, by name.
    pub files: BTreeMap<String, String>,
    /// The training runs, in their order.
    pub runs: Vec<RunClaim>,
    /// The budget of a decision.
    pub budget: Budget,
    /// The declarations of the author, such as the model of a language model. Nothing proves them.
    pub declares: BTreeMap<String, String>,
}

/// One training run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClaim {
    /// The path or name of the checkpoint.
    pub name: String,
    /// SHA-256 of the checkpoint; None if `name` does not name a file.
    pub sha256: Option<String>,
}

/// The kind of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BudgetKind {
    /// The agent does not limit its work.
    None,
    /// A number of playouts or other steps for a decision.
    Iterations,
    /// A time for a decision, in seconds.
    Seconds,
}

/// The budget of a decision, as the author declares it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The kind.
    pub kind: BudgetKind,
    /// The amount, above 0; None for no budget.
    pub amount: Option<f64>,
}

impl std::str::FromStr for Budget {
    type Err = String;

    /// Parses `none`, `iterations:N`, or `seconds:S`.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected none, iterations:N, or seconds:S, with a number above 0, got \"{text}\"");
        let (kind, amount) = match text.split_once(':') {
            None if text == "none" => return Ok(Self { kind: BudgetKind::None, amount: None }),
            Some(("iterations", amount)) => (BudgetKind::Iterations, amount),
            Some(("seconds", amount)) => (BudgetKind::Seconds, amount),
            _ => return Err(expected()),
        };
        let is_whole = |amount: f64| kind == BudgetKind::Seconds || amount.fract() == 0.0;
        let amount = amount.parse().ok().filter(|&amount: &f64| amount > 0.0 && amount.is_finite() && is_whole(amount));
        Ok(Self { kind, amount: Some(amount.ok_or_else(expected)?) })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.amount) {
            (BudgetKind::Iterations, Some(amount)) => write!(f, "iterations:{amount}"),
            (BudgetKind::Seconds, Some(amount)) => write!(f, "seconds:{amount}"),
            _ => f.write_str("none"),
        }
    }
}

named! {
    /// The kind of the seeds.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SeedsKind("kind of seeds") {
        /// Everybody knows the seeds before the run. They are for development.
        Public = "public",
        /// The seeds come from a salt that did not exist when the hashes of the agent were published.
        Sealed = "sealed",
        /// An organiser held the seeds while a remote agent played.
        Server = "server",
    }
}

/// The seeds of all games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedsClaim {
    /// The kind.
    pub kind: SeedsKind,
    /// The salt, in hexadecimal digits; None in a manifest while an organiser holds it.
    pub salt: Option<String>,
    /// SHA-256 of the salt.
    pub salt_sha256: String,
    /// The source of a sealed salt, such as a round of a public beacon; None if the author states none.
    pub source: Option<String>,
}

/// The machine on which the run took place. For shards on different machines, the names of all of them, and the figures of the
/// largest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineClaim {
    /// The operating system and the architecture.
    pub system: String,
    /// The name of the processor; None if the system does not tell.
    pub processor: Option<String>,
    /// The number of cores.
    pub cores: usize,
    /// The memory in bytes; None if the system does not tell.
    pub memory: Option<u64>,
}

/// The times of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeClaim {
    /// The start of the first process, as RFC 3339 writes it.
    pub started: String,
    /// The end of the last process, as RFC 3339 writes it.
    pub ended: String,
    /// The duration of the last process, in seconds; for a report that was merged, the sum over its shards.
    pub seconds: f64,
}

/// The figures of one cell. The intervals are means over blocks, where the value of a block is the mean of its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellReport {
    /// The name.
    pub name: String,
    /// The id of the game.
    pub game: String,
    /// The number of seats.
    pub seats: usize,
    /// All options.
    pub options: BTreeMap<String, String>,
    /// The names of the opponents, with their versions.
    pub opponents: Vec<String>,
    /// True if the opponents are held out: nobody is to train against them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held_out: bool,
    /// The anchors of the normalised score.
    pub anchors: Anchors,
    /// The number of blocks of each run.
    pub blocks: u64,
    /// The number of games of all runs.
    pub games: u64,
    /// The points, in games without a forfeit.
    pub score: Interval,
    /// The utility of the rank: +1 for the first place, -1 for the last.
    pub utility: Interval,
    /// The share of wins; a win shared by k seats counts 1/k.
    pub wins: Interval,
    /// The utility on the scale of the anchors: 0 for `random@1`, 1 for the reference bot.
    pub normalised: Interval,
    /// The standard deviation of the normalised score over the blocks of all runs; None with one block.
    pub block_deviation: Option<f64>,
    /// The number of forfeits of the agent, by cause.
    pub forfeits: BTreeMap<String, u64>,
    /// The number of decisions that the agent took itself.
    pub decisions: u64,
    /// The time of a decision.
    pub decision_ms: DecisionMs,
}

/// The time of a decision in whole milliseconds, without the first decision of each game. Both are None for bots, which have
/// no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionMs {
    /// The median, rounded up by at most 1/64 of it.
    pub p50: Option<u64>,
    /// The 99 % quantile, rounded up by at most 1/64 of it.
    pub p99: Option<u64>,
}

/// The figures of all cells together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregate {
    /// The mean of the normalised scores of all cells.
    pub normalised: Interval,
    /// The same by the kind of opponents; None if all are of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// The number of replicates of the bootstrap.
    pub replicates: u32,
    /// The number of games.
    pub games: u64,
    /// The number of forfeits.
    pub forfeits: u64,
}

/// The normalised scores by the kind of opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The mean over the cells with opponents that everybody may train against.
    pub familiar: Interval,
    /// The mean over the cells with opponents that are held out.
    pub held_out: Interval,
    /// The first mean minus the second.
    pub gap: Interval,
}

/// The hashes over all games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsClaim {
    /// The number of records.
    pub count: u64,
    /// SHA-256 over the digests of all records, in their order.
    pub digest: String,
    /// SHA-256 over the digests of all records without times and without the agent's name: equal for two runs of an agent that
    /// repeats itself.
    pub timeless_digest: String,
    /// SHA-256 of `blocks.csv`.
    pub blocks_csv: String,
}

/// The log of the run, `games.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogClaim {
    /// The number of games that were started. A game that is played again starts again.
    pub started: u64,
    /// The number of games that were kept: the games of the report.
    pub kept: u64,
    /// The number of games that were started and not kept.
    pub not_kept: u64,
    /// The link of the last line.
    pub link: String,
}

impl LogClaim {
    /// Returns the counts of a log, for a report of this number of games, which has one record of each.
    pub fn of(log: &GamesLog, kept: u64) -> Self {
        let started = log.started();
        Self { started, kept, not_kept: started.saturating_sub(kept), link: log.link().to_owned() }
    }
}

impl Aggregate {
    /// Returns the figures of these cells together. `normalised` is their mean normalised score, `split` that of each kind.
    pub(super) fn of(normalised: Interval, split: Option<Split>, cells: &[CellReport]) -> Self {
        let games = cells.iter().map(|cell| cell.games).sum();
        let forfeits = cells.iter().flat_map(|cell| cell.forfeits.values()).sum();
        Self { normalised, split, replicates: REPLICATES, games, forfeits }
    }
}

impl AgentClaim {
    /// The declaration that tells whether the agent was trained against held-out opponents: `yes` or `no`.
    pub const TRAINED_ON_HELD_OUT: &'static str = "trained-on-held-out";
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// If the text is not a report of this format.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| format!("expected JSON: {error}"))?;
        let format = value.get("format").and_then(serde_json::Value::as_str).unwrap_or("none");
        ensure(format == FORMAT, || format!("expected a report of the format {FORMAT}, got {format}"))?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        // The type is a struct of plain values.
        format!("{:#}\n", serde_json::to_value(self).unwrap_or_default())
    }

    /// Returns the name of what was played: see [`SuiteClaim::title`].
    pub fn title(&self) -> String {
        self.suite.title()
    }

    /// Returns the claims that were known before the first game.
    pub fn manifest(&self) -> Manifest {
        Manifest { suite: self.suite.clone(), agent: self.agent.clone(), seeds: self.seeds.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_the_same_numbers_after_it_was_read() {
        let text = include_str!("../../../../docs/organise/benchmark/v1/greedy@1/report.json");
        // A quick reader of numbers is off by a digit here.
        let score = text.find("\"high\": ").expect("an interval") + "\"high\": ".len();
        let end = score + text[score..].find(',').expect("further figures");
        let text = format!("{}14.795064343729622{}", &text[..score], &text[end..]);
        let read = Report::read(&text).expect("a report").to_text();
        assert!(read.contains(": 14.795064343729623"), "the shortest name of the same number: {read}");
        assert_eq!(Report::read(&read).expect("a report").to_text(), read);
    }
}

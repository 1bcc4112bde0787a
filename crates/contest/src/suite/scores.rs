//! The figures of a report, from its records.

use std::collections::BTreeMap;

use ahu_core::{Seat, hex};
use ahu_host::{BotName, DecidedBy, Entry, Record, ThinkingTime};
use sha2::{Digest as _, Sha256};

use super::file::{Anchors, SuiteCell};
use super::interval::{Interval, Side, Values, of_sides};
use super::plan::{GamePlace, SuitePlan};
use super::report::{AgentKind, Aggregate, CellReport, DecisionMs, Report, Split};
use crate::blocks::{Block, GameOutcome, PlayedGame, Times};
use crate::statistics::Bounds;

/// The facts about one game from which figures are computed.
#[derive(Clone, Debug)]
pub struct PlayedRecord {
    game: PlayedGame,
    /// The number of decisions that the agent took itself.
    decisions: u64,
    digest: [u8; 32],
    timeless: [u8; 32],
}

/// One block of one run: a line of `blocks.csv`.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct BlockRow {
    /// The training run.
    pub run: usize,
    /// The name of the cell.
    pub cell: String,
    /// The number of the block.
    pub block: u64,
    /// The number of games.
    pub games: usize,
    /// The mean points; None if every game had a forfeit.
    pub score: Option<f64>,
    /// The mean utility of the rank.
    pub utility: f64,
    /// The share of wins.
    pub wins: f64,
    /// The normalised score.
    pub normalised: f64,
    /// The number of games that the agent forfeited.
    pub forfeits: u64,
    /// The number of decisions that the agent took itself.
    pub decisions: u64,
    /// SHA-256 over the timeless digests of the records.
    #[serde(rename = "timeless_digest")]
    pub digest: String,
}

/// The facts of a cell that its blocks do not have.
#[derive(Clone, Debug, Default)]
struct CellCounts {
    /// The number of forfeits of the agent, by cause.
    forfeits: BTreeMap<String, u64>,
    /// The time of a decision.
    decision_ms: DecisionMs,
}

/// All figures of a report.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The blocks, in the order of runs, cells, and numbers.
    pub rows: Vec<BlockRow>,
    /// The figures of each cell.
    pub cells: Vec<CellReport>,
    /// The figures of all cells together.
    pub aggregate: Aggregate,
    /// SHA-256 over the digests of all records.
    pub digest: String,
    /// SHA-256 over the timeless digests of all records.
    pub timeless_digest: String,
}

impl PlayedRecord {
    /// Reads the facts of a game from its record; None if the game is not finished.
    pub fn of(plan: &SuitePlan, place: GamePlace, record: &Record) -> Option<Self> {
        let (seating, agent) = (plan.seating(place), plan.seat(place));
        let is_timed = |seat: Seat| seat == agent && record.players[seat.index()].bot.is_none();
        let game = PlayedGame::of(record, seating, 0, is_timed);
        let own = |entry: &&Entry| matches!(entry, Entry::Action { seat, by: DecidedBy::Player, .. } if *seat == agent);
        let decisions = record.entries.iter().filter(own).count() as u64;
        let is_finished = matches!(game.outcome, GameOutcome::Finished(_));
        is_finished.then(|| Self { game, decisions, digest: record.digest(), timeless: timeless(record) })
    }
}

/// Returns the digest of a record without the times of its actions, without the order of the seats, and without the name of the
/// agent. A record has simultaneous actions in the order in which they came, and an agent that repeats itself plays the same
/// games under any name.
pub fn timeless(record: &Record) -> [u8; 32] {
    let mut record = record.clone();
    for player in &mut record.players {
        player.name = player.bot.map_or_else(|| "agent".to_owned(), BotName::name);
    }
    for entry in &mut record.entries {
        if let Entry::Action { time, .. } = entry {
            *time = ThinkingTime::default();
        }
    }
    // The sort is stable: chance, then the actions of each seat, in their order.
    record.entries.sort_by_key(|entry| match entry {
        Entry::Action { seat, .. } => 1 + seat.index(),
        _ => 0,
    });
    record.digest()
}

impl Scores {
    /// Computes the figures of a plan from its games.
    ///
    /// # Panics
    /// If a game of the plan is missing.
    pub fn of(plan: &SuitePlan, kind: AgentKind, games: &BTreeMap<GamePlace, PlayedRecord>) -> Self {
        let mut rows = Vec::new();
        let (mut all, mut all_timeless) = (Sha256::new(), Sha256::new());
        let cells = plan.suite.cells.len();
        let mut times = vec![Times::default(); cells];
        let mut counts = vec![CellCounts::default(); cells];
        for (run, cell) in (0..plan.runs).flat_map(|run| (0..cells).map(move |cell| (run, cell))) {
            for block in 0..plan.blocks(cell) {
                let place = |game| GamePlace { run, cell, block, game };
                let games: Vec<_> = (0..plan.games_of_block(cell)).map(|game| &games[&place(game)]).collect();
                let mut digests = Sha256::new();
                for played in &games {
                    all.update(played.digest);
                    all_timeless.update(played.timeless);
                    digests.update(played.timeless);
                    for time in &played.game.times {
                        times[cell].add(time.nanos);
                    }
                    if let Some(cause) = forfeit(&played.game) {
                        *counts[cell].forfeits.entry(cause).or_default() += 1;
                    }
                }
                let played = games.iter().map(|played| played.game.clone()).collect();
                let means = Block { number: block, games: played }.means(0);
                rows.push(BlockRow {
                    run,
                    cell: plan.suite.cells[cell].name.clone(),
                    block,
                    games: games.len(),
                    score: means.score,
                    utility: means.utility,
                    wins: means.wins,
                    normalised: plan.suite.cells[cell].anchors.normalised(means.utility),
                    forfeits: games.iter().filter(|played| forfeit(&played.game).is_some()).count() as u64,
                    decisions: games.iter().map(|played| played.decisions).sum(),
                    digest: hex(&digests.finalize()),
                });
            }
        }
        for (counts, times) in counts.iter_mut().zip(&times).filter(|_| kind != AgentKind::Bot) {
            let quantile = |share| times.quantile(share).map(|nanos| nanos / 1_000_000);
            counts.decision_ms = DecisionMs { p50: quantile(0.5), p99: quantile(0.99) };
        }
        Self::of_rows(plan, rows, counts, [hex(&all.finalize()), hex(&all_timeless.finalize())])
    }

    /// Computes the figures from the rows of `blocks.csv`. The rows do not have the causes of forfeits, times, and digests of
    /// records: these are taken from the report.
    pub fn of_blocks(plan: &SuitePlan, report: &Report, rows: Vec<BlockRow>) -> Self {
        let claim = |name: &str| report.cells.iter().find(|claim| claim.name == name);
        let of = |claim: &CellReport| CellCounts { forfeits: claim.forfeits.clone(), decision_ms: claim.decision_ms };
        let counts = plan.suite.cells.iter().map(|cell| claim(&cell.name).map(of).unwrap_or_default());
        let digests = [report.records.digest.clone(), report.records.timeless_digest.clone()];
        Self::of_rows(plan, rows, counts.collect(), digests)
    }

    fn of_rows(plan: &SuitePlan, rows: Vec<BlockRow>, counts: Vec<CellCounts>, digests: [String; 2]) -> Self {
        let cells = counts.into_iter().enumerate().map(|(cell, counts)| cell_report(plan, cell, &rows, counts));
        let cells: Vec<_> = cells.collect();
        let aggregate = Aggregate::of(mean(plan, &rows, |_| 1.0), split(plan, &rows), &cells);
        let [digest, timeless_digest] = digests;
        Self { rows, cells, aggregate, digest, timeless_digest }
    }
}

/// Returns the cause for which the agent forfeited; None if it did not.
fn forfeit(game: &PlayedGame) -> Option<String> {
    let GameOutcome::Finished(result) = &game.outcome else { return None };
    let own = game.seating.iter().find(|&(_, player)| player == 0);
    own.and_then(|(seat, _)| result.forfeits[seat]).map(|cause| cause.name().to_owned())
}

/// Returns the values of a cell, by run and block.
pub(super) fn values<T>(rows: &[BlockRow], cell: &str, of: impl Fn(&BlockRow) -> T) -> Vec<Vec<T>> {
    let runs = rows.iter().map(|row| row.run + 1).max().unwrap_or(0);
    let own = |run| rows.iter().filter(move |row| row.run == run && row.cell == cell);
    (0..runs).map(|run| own(run).map(&of).collect()).collect()
}

fn cell_report(plan: &SuitePlan, cell: usize, rows: &[BlockRow], counts: CellCounts) -> CellReport {
    let own = &plan.suite.cells[cell];
    let of = |value: fn(&BlockRow) -> f64, bounds| Interval::of(&values(rows, &own.name, value), bounds);
    let utility = of(|row| row.utility, Some(Anchors::UTILITY));
    let normalised = values(rows, &own.name, |row| row.normalised);
    let rows: Vec<_> = rows.iter().filter(|row| row.cell == own.name).collect();
    let CellCounts { forfeits, decision_ms } = counts;
    CellReport {
        name: own.name.clone(),
        game: own.setup.rules().info().id.to_owned(),
        seats: own.setup.seats().count(),
        options: own.options(),
        opponents: own.opponent_names(),
        held_out: own.held_out,
        anchors: own.anchors.clone(),
        blocks: plan.blocks(cell),
        games: rows.iter().map(|row| row.games as u64).sum(),
        score: score(&rows, plan.runs),
        utility,
        wins: of(|row| row.wins, Some(Bounds::SHARE)),
        normalised: utility.map(|utility| own.anchors.normalised(utility)),
        block_deviation: deviation(&normalised.concat()),
        forfeits,
        decisions: rows.iter().map(|row| row.decisions).sum(),
        decision_ms,
    }
}

/// Returns the mean points of the blocks that have them. Runs with different numbers of such blocks count as one.
fn score(rows: &[&BlockRow], runs: usize) -> Interval {
    let of_run = |run| rows.iter().filter(move |row| row.run == run).filter_map(|row| row.score).collect();
    let values: Values = (0..runs).map(of_run).collect();
    let is_even = values.iter().all(|run: &Vec<f64>| run.len() == values[0].len());
    Interval::of(&if is_even { values } else { vec![values.concat()] }, None)
}

fn deviation(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt())
}

/// Returns the sum over all cells of the mean normalised score with a weight, over the number of the cells with a weight that is
/// not 0.
fn mean(plan: &SuitePlan, rows: &[BlockRow], weight: impl Fn(&SuiteCell) -> f64) -> Interval {
    let all = plan.suite.cells.iter().map(|cell| (cell, weight(cell))).filter(|(_, weight)| *weight != 0.0);
    let all: Vec<_> = all.collect();
    let cells = all.iter().map(|&(cell, weight)| values(rows, &cell.name, |row| weight * row.normalised)).collect();
    let bounds = |&(cell, weight): &(&SuiteCell, f64)| {
        let Bounds { least, greatest } = cell.anchors.range();
        let ends = [weight * least, weight * greatest];
        Bounds { least: f64::min(ends[0], ends[1]), greatest: f64::max(ends[0], ends[1]) }
    };
    of_sides(&[Side { sign: 1.0, cells }], Some(&all.iter().map(bounds).collect::<Vec<_>>()))
}

/// Returns the mean normalised scores by the kind of opponents; None if all are of one kind.
fn split(plan: &SuitePlan, rows: &[BlockRow]) -> Option<Split> {
    let all = plan.suite.cells.len() as f64;
    let held_out = plan.suite.cells.iter().filter(|cell| cell.held_out).count() as f64;
    let of = |kind: bool| mean(plan, rows, |cell| f64::from(u8::from(cell.held_out == kind)));
    // The difference of two means is a mean over all cells.
    let gap = |cell: &SuiteCell| if cell.held_out { -all / held_out } else { all / (all - held_out) };
    let has_both = held_out > 0.0 && held_out < all;
    has_both.then(|| Split { familiar: of(false), held_out: of(true), gap: mean(plan, rows, gap) })
}

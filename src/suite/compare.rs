//! The comparison of two reports by their blocks.

use serde::Serialize;

use super::interval::{Interval, Side, of_sides};
use super::report::Report;
use super::scores::{BlockRow, values};
use ahu_engine::host::statistics::Bounds;

/// The comparison of two agents on the same games.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The suite, or its first blocks that both reports have.
    pub suite: String,
    /// The names of the agents.
    pub agents: [String; 2],
    /// The normalised score of the first agent less that of the second, as a mean over cells.
    pub difference: Interval,
    /// The same for each cell. Each of these intervals misses the truth in 5 % of all cases by itself.
    pub cells: Vec<CellDifference>,
    /// The result in a sentence.
    pub verdict: String,
}

/// The difference in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellDifference {
    /// The name of the cell.
    pub name: String,
    /// The number of blocks.
    pub blocks: usize,
    /// The normalised score of the first agent less that of the second.
    pub difference: Interval,
}

impl Comparison {
    /// Compares two reports, each with the rows of its `blocks.csv`. If one has fewer blocks of a cell, the first blocks
    /// that both have count.
    ///
    /// # Errors
    /// If the suites, the seeds, the rules of a game, or the cells differ.
    pub fn of(one: (&Report, &[BlockRow]), other: (&Report, &[BlockRow])) -> Result<Self, String> {
        let reports = [one.0, other.0];
        let suites = reports.map(|report| (&report.suite.name, &report.suite.sha256));
        if suites[0] != suites[1] {
            let [(name, hash), (other, other_hash)] = suites;
            return Err(format!("expected two reports of one suite, got {name} ({hash}) and {other} ({other_hash})"));
        }
        let salts = reports.map(|report| &report.seeds.salt_sha256);
        if salts[0] != salts[1] {
            let [salt, other] = salts;
            return Err(format!(
                "expected two reports with the same seeds, since blocks are compared in pairs; got the salts {salt} and \
                 {other} (SHA-256)"
            ));
        }
        let names = [one.1, other.1].map(cells_of);
        if names[0] != names[1] {
            return Err(format!("expected the same cells, got {} and {}", names[0].join(", "), names[1].join(", ")));
        }
        let mut sides = [(1.0, one.1), (-1.0, other.1)].map(|(sign, rows)| Side {
            sign,
            cells: names[0].iter().map(|cell| values(rows, cell, |row| row.normalised)).collect(),
        });
        let shared = |sides: &[Side; 2], cell: usize| {
            let lengths = sides.iter().flat_map(|side| side.cells[cell].iter().map(Vec::len));
            lengths.min().unwrap_or(0)
        };
        let counts: Vec<_> = (0..names[0].len()).map(|cell| shared(&sides, cell)).collect();
        for side in &mut sides {
            for (values, &count) in side.cells.iter_mut().zip(&counts) {
                for run in values {
                    run.truncate(count);
                }
            }
        }
        let ranges = names[0].iter().map(|name| range(reports[0], name)).collect::<Result<Vec<_>, _>>()?;
        let difference_of = |(cell, name): (usize, &String)| {
            let own = sides.each_ref().map(|side| Side { sign: side.sign, cells: vec![side.cells[cell].clone()] });
            let difference = of_sides(&own, Some(&ranges[cell..=cell]));
            CellDifference { name: name.clone(), blocks: counts[cell], difference }
        };
        let cells = names[0].iter().enumerate().map(difference_of).collect();
        let difference = of_sides(&sides, Some(&ranges));
        let agents = reports.map(|report| report.agent.name.clone());
        let first = reports.iter().filter_map(|report| report.suite.first).min();
        let suite = first.map_or_else(|| suites[0].0.clone(), |first| format!("{}/{first}", suites[0].0));
        let verdict = verdict(&agents, difference);
        Ok(Self { suite, agents, difference, cells, verdict })
    }
}

/// Returns the names of the cells in their order.
fn cells_of(rows: &[BlockRow]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if !names.contains(&row.cell) {
            names.push(row.cell.clone());
        }
    }
    names
}

/// Returns the range of the difference of two normalised scores in a cell.
fn range(report: &Report, name: &str) -> Result<Bounds, String> {
    let cell = report.cells.iter().find(|cell| cell.name == name);
    let cell = cell.ok_or_else(|| format!("cell {name}: expected it in report.json, as in blocks.csv, got none"))?;
    let Bounds { least, greatest } = cell.anchors.range();
    Ok(Bounds { least: least - greatest, greatest: greatest - least })
}

fn verdict(agents: &[String; 2], difference: Interval) -> String {
    let [one, other] = agents;
    let Interval { mean: Some(mean), low: Some(low), high: Some(high) } = difference else {
        return format!("No verdict on {one} and {other}: they have too few blocks for an interval.");
    };
    let by = |mean: f64, low: f64, high: f64| format!("by {mean:.3} (95 % interval {low:.3} to {high:.3})");
    match () {
        () if low > 0.0 => format!("{one} is better than {other} {}.", by(mean, low, high)),
        () if high < 0.0 => format!("{other} is better than {one} {}.", by(-mean, -high, -low)),
        () => format!("No difference between {one} and {other} is shown: {}.", by(mean, low, high)),
    }
}

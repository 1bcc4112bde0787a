//! The comparison of two reports by their blocks.

use ahu_host::ensure;
use serde::Serialize;

use super::interval::{Interval, Side, of_sides};
use super::report::{Report, SuiteClaim};
use super::scores::{BlockRow, values};
use crate::statistics::Bounds;

/// The comparison of two agents on the same games.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The name of what both reports have: see [`SuiteClaim::title`].
    pub suite: String,
    /// The names of the agents.
    pub agents: [String; 2],
    /// The normalised score of the first agent minus the normalised score of the second, as a mean over cells.
    pub difference: Interval,
    /// The differences in each cell. Each of these intervals on its own misses the truth in 5 % of all cases.
    pub cells: Vec<CellDifference>,
    /// The result in a sentence.
    pub verdict: String,
}

/// The difference in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellDifference {
    /// The name of the cell.
    pub name: String,
    /// The number of blocks that both reports have.
    pub blocks: usize,
    /// The normalised score of the first agent minus the normalised score of the second.
    pub difference: Interval,
}

impl Comparison {
    /// Compares two reports, each with the rows of its `blocks.csv`. If one of them has fewer blocks of a cell, the blocks
    /// that both have are compared.
    ///
    /// # Errors
    /// If the suites, the seeds, or the cells differ. The difference over all cells decides, so a choice of cells after the games
    /// could turn the verdict: two reports have the same cells, or none are compared.
    pub fn of(one: (&Report, &[BlockRow]), other: (&Report, &[BlockRow])) -> Result<Self, String> {
        let reports = [one.0, other.0];
        let suites = reports.map(|report| (&report.suite.name, &report.suite.sha256));
        let [(name, hash), (other_name, other_hash)] = suites;
        ensure(suites[0] == suites[1], || {
            format!("expected two reports of one suite, got {name} ({hash}) and {other_name} ({other_hash})")
        })?;
        let [salt, other_salt] = reports.map(|report| &report.seeds.salt_sha256);
        ensure(salt == other_salt, || {
            let expected = "expected two reports with the same seeds, since blocks are compared in pairs";
            format!("{expected}; got the salts {salt} and {other_salt} (SHA-256)")
        })?;
        ensure(reports[0].suite.cells == reports[1].suite.cells, || {
            let [one, other] = reports.map(Report::title);
            format!(
                "expected two reports on the same cells, since all cells together decide, got {one} and {other}; `ahu benchmark \
                 run` plays a part of a suite with --cell and --game"
            )
        })?;
        let names = [one.1, other.1].map(|rows| distinct(rows.iter().map(|row| &row.cell)));
        ensure(names[0] == names[1], || {
            format!("expected the same cells, got {} and {}", names[0].join(", "), names[1].join(", "))
        })?;
        let shared = |cell: &String| {
            let runs = [one.1, other.1].map(|rows| values(rows, cell, |_| ()));
            runs.iter().flatten().map(Vec::len).min().unwrap_or(0)
        };
        let counts: Vec<_> = names[0].iter().map(shared).collect();
        let sides = [(1.0, one.1), (-1.0, other.1)].map(|(sign, rows)| {
            let cell = |(cell, &count): (&String, &usize)| {
                let runs = values(rows, cell, |row| row.normalised).into_iter();
                runs.map(|run| run[..count].to_vec()).collect()
            };
            Side { sign, cells: names[0].iter().zip(&counts).map(cell).collect() }
        });
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
        let suite = SuiteClaim { first, ..reports[0].suite.clone() }.title();
        let verdict = verdict(&agents, difference);
        Ok(Self { suite, agents, difference, cells, verdict })
    }
}

/// Returns each of these names once, in the order of their first occurrence.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut found = std::collections::HashSet::new();
    names.filter(|name| found.insert(*name)).cloned().collect()
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

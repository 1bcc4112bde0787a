//! The checks of a report: its records against the suite, and its figures against its records.

use ahu_host::record::parse_digest;
use ahu_host::{Agreement, BotChoices, Record, differs, ensure, verify_bots};
use serde_json::Value;

use super::file::Suite;
use super::interval::Interval;
use super::plan::{GamePlace, SuitePlan};
use super::report::{Aggregate, CellReport, LogClaim, Manifest, RecordsClaim, Report, SeedsKind, Split};
use super::scores::{BlockRow, Scores};
use crate::cup::Salt;
use crate::{GamesLog, PlannedGame};

/// The difference up to which two figures count as equal; relative for figures above 1.
const TOLERANCE: f64 = 1e-9;

/// Returns the plan that a report claims to have played.
///
/// # Errors
/// If the report is about another suite, the cells are no part of it, the number of blocks is not possible, the salt is
/// missing or does not have the stated hash, the kind of seeds does not fit the salt, or there is no run.
pub fn plan_of(manifest: &Manifest, suite: Suite) -> Result<SuitePlan, String> {
    let Manifest { suite: claim, agent, seeds } = manifest;
    let [expected, found] = [(&suite.name, &suite.sha256), (&claim.name, &claim.sha256)];
    ensure(expected == found, || {
        format!("expected the suite {} with the SHA-256 {}, got {} with {}", expected.0, expected.1, found.0, found.1)
    })?;
    let suite = suite.part(claim.cells.as_deref())?;
    let most = suite.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
    let first = claim.first.unwrap_or(most);
    ensure((1..=most).contains(&first), || format!("expected the first 1 to {most} blocks of each cell, got {first}"))?;
    let text = seeds.salt.as_deref().ok_or("expected the salt of the seeds, got none: the organiser holds it")?;
    let salt = Salt::parse(text).ok_or_else(|| format!("expected a salt of 64 hexadecimal digits, got \"{text}\""))?;
    let (expected, found) = (&seeds.salt_sha256, salt.hash());
    ensure(*expected == found, || format!("expected a salt with the SHA-256 {expected}, got one with {found}"))?;
    let is_public = salt == suite.public_salt();
    ensure(is_public == (seeds.kind == SeedsKind::Public), || {
        let expected = if is_public { "public" } else { "sealed or server" };
        format!("expected seeds of the kind {expected} for this salt, got {}", seeds.kind)
    })?;
    ensure(!agent.runs.is_empty(), || "expected at least one run, got none".to_owned())?;
    Ok(SuitePlan::new(suite, claim.first, agent.runs.len(), salt))
}

/// Checks the record of a game: its digest, seed, terms, and players, that it replays, and the choices of its bots.
/// `is_chosen` is asked about each choice of a search, and returns true if the choice is to be computed again.
///
/// # Errors
/// If a check fails. The message does not name the game.
pub fn check_record(
    plan: &SuitePlan,
    manifest: &Manifest,
    place: GamePlace,
    bytes: &[u8],
    is_chosen: impl FnMut() -> bool,
) -> Result<(Record, BotChoices), String> {
    let record = Record::read(bytes).map_err(|error| error.to_string())?;
    let PlannedGame { setup, seed, players, terms, .. } = plan.game(&manifest.agent, place)?;
    for (seat, (expected, found)) in players.iter().zip(&record.players).enumerate() {
        differs(&format!("the player of seat {seat}"), &expected.name, &found.name)?;
    }
    let bots = players.iter().map(|player| player.bot).collect();
    Agreement { setup, seed: Some(seed), terms, bots }.check(&record)?;
    ensure(record.result.is_some(), || "expected a finished game, got one without a result".to_owned())?;
    let choices = verify_bots(&record, is_chosen)?;
    Ok((record, choices))
}

/// Compares the figures of a report with `scores`, which were computed from its records or from a part of the report. Returns a
/// message for each fault; a message about a cell begins with the cell. `source` names the origin of `scores`.
pub fn check_figures(report: &Report, scores: &Scores, source: &str) -> Vec<String> {
    let mut faults: Vec<_> =
        cells_fault(scores.cells.iter().map(|cell| cell.name.as_str()), report).into_iter().collect();
    let mut add = |path: &str, expected: &Value, found: &Value| compare(&mut faults, source, path, expected, found);
    for cell in &scores.cells {
        let Some(claim) = report.cells.iter().find(|claim| claim.name == cell.name) else { continue };
        add(&format!("cell {}: ", cell.name), &json(cell), &json(claim));
    }
    add("all cells: aggregate.", &json(&scores.aggregate), &json(&report.aggregate));
    let claim = &report.records;
    let expected = RecordsClaim {
        count: scores.aggregate.games,
        digest: scores.digest.clone(),
        timeless_digest: scores.timeless_digest.clone(),
        blocks_csv: claim.blocks_csv.clone(),
    };
    add("all cells: records.", &json(&expected), &json(claim));
    faults
}

/// Returns a message if the cells of a report are not these.
fn cells_fault<'a>(expected: impl Iterator<Item = &'a str>, report: &'a Report) -> Option<String> {
    let expected: Vec<_> = expected.collect();
    let found: Vec<_> = report.cells.iter().map(|cell| cell.name.as_str()).collect();
    let missing = expected.iter().find(|name| !found.contains(name));
    let further = found.iter().find(|name| !expected.contains(name));
    let at = missing.or(further).or(found.first()).unwrap_or(&"none");
    (expected != found)
        .then(|| format!("cell {at}: expected the cells {}, got {}", expected.join(", "), found.join(", ")))
}

/// Checks a report without its records: that it has the cells of the suite, and that its figures agree with each other. Returns
/// a message for each fault.
pub fn check_alone(report: &Report, plan: &SuitePlan) -> Vec<String> {
    if let Some(fault) = cells_fault(plan.suite.cells.iter().map(|cell| cell.name.as_str()), report) {
        return vec![fault];
    }
    let mut faults = Vec::new();
    let mut cells = Vec::new();
    for (number, (own, claim)) in plan.suite.cells.iter().zip(&report.cells).enumerate() {
        let blocks = plan.blocks(number);
        let games = plan.runs as u64 * blocks * plan.games_of_block(number) as u64;
        cells.push(CellReport {
            name: own.name.clone(),
            game: own.setup.rules().info().id.to_owned(),
            seats: own.setup.seats().count(),
            options: own.options(),
            opponents: own.opponent_names(),
            held_out: own.held_out,
            anchors: own.anchors.clone(),
            blocks,
            games,
            normalised: claim.utility.map(|utility| own.anchors.normalised(utility)),
            ..claim.clone()
        });
        let bounds = [
            ("score", &claim.score, f64::NEG_INFINITY, f64::INFINITY),
            ("utility", &claim.utility, -1.0, 1.0),
            ("wins", &claim.wins, 0.0, 1.0),
        ];
        for (figure, &Interval { mean, low, high }, least, greatest) in bounds {
            let ends = [Some(least), low, mean, high, Some(greatest)];
            if !ends.into_iter().flatten().is_sorted_by(|one, other| *one <= other + TOLERANCE) {
                let shown = |end: Option<f64>| end.map_or_else(|| "none".to_owned(), |end| end.to_string());
                let (low, mean, high) = (shown(low), shown(mean), shown(high));
                faults.push(format!(
                    "cell {}: {figure}: expected low, mean, and high in rising order from {least} to {greatest}, got {low}, \
                     {mean}, {high}",
                    own.name
                ));
            }
        }
        let forfeits: u64 = claim.forfeits.values().sum();
        if forfeits > games {
            faults.push(format!("cell {}: forfeits: expected at most {games}, got {forfeits}", own.name));
        }
    }
    let mean = |is_in: fn(&CellReport) -> bool| {
        let means: Option<Vec<_>> = cells.iter().filter(|cell| is_in(cell)).map(|cell| cell.normalised.mean).collect();
        means.filter(|means| !means.is_empty()).map(|means| means.iter().sum::<f64>() / means.len() as f64)
    };
    let of = |mean: Option<f64>, claim: Interval| Interval { mean, ..claim };
    let claim = &report.aggregate;
    let split = mean(|cell| !cell.held_out).zip(mean(|cell| cell.held_out)).map(|(familiar, held_out)| {
        let none = Interval { mean: None, low: None, high: None };
        let claim = claim.split.unwrap_or(Split { familiar: none, held_out: none, gap: none });
        Split {
            familiar: of(Some(familiar), claim.familiar),
            held_out: of(Some(held_out), claim.held_out),
            gap: of(Some(familiar - held_out), claim.gap),
        }
    });
    let aggregate = Aggregate::of(of(mean(|_| true), claim.normalised), split, &cells);
    let RecordsClaim { digest, timeless_digest, blocks_csv, .. } = report.records.clone();
    let link = &report.log.link;
    for (name, digest) in [
        ("records.digest", &digest),
        ("records.timeless_digest", &timeless_digest),
        ("records.blocks_csv", &blocks_csv),
        ("log.link", link),
    ] {
        if parse_digest(digest).is_err() {
            faults.push(format!("all cells: {name}: expected 64 hexadecimal digits, got \"{digest}\""));
        }
    }
    let (started, kept) = (report.log.started, plan.games().count() as u64);
    // A report that counts fewer games than it has is refused by the sum.
    let log = LogClaim { started: started.max(kept), kept, not_kept: started.saturating_sub(kept), link: link.clone() };
    compare(&mut faults, "the games of the report", "all cells: log.", &json(&log), &json(&report.log));
    let scores = Scores { rows: Vec::new(), cells, aggregate, digest, timeless_digest };
    faults.extend(check_figures(report, &scores, "the suite and the other figures"));
    faults
}

/// Checks `blocks.csv` without the records: that it has a row for each block of the plan, and that the figures of the report
/// follow from the rows. Returns a message for each fault.
pub fn check_blocks(report: &Report, plan: &SuitePlan, rows: &[BlockRow]) -> Vec<String> {
    let expected: Vec<_> = plan.games().filter(|place| place.game == 0).collect();
    let text = |run: usize, cell: &str, block: u64, games: usize| {
        format!("run {run}, cell {cell}, block {block} with {games} games")
    };
    let planned = expected.iter().map(|&GamePlace { run, cell, block, .. }| {
        text(run, &plan.suite.cells[cell].name, block, plan.games_of_block(cell))
    });
    let found = rows.iter().map(|row| text(row.run, &row.cell, row.block, row.games));
    let none = || std::iter::repeat("no block".to_owned());
    let lines = (2..).zip(planned.chain(none()).zip(found.chain(none())));
    let mut lines = lines.take(expected.len().max(rows.len()));
    if let Some((line, (planned, found))) = lines.find(|(_, (planned, found))| planned != found) {
        return vec![format!("line {line}: expected {planned}, got {found}")];
    }
    let mut faults = Vec::new();
    for (place, row) in expected.iter().zip(rows) {
        let normalised = plan.suite.cells[place.cell].anchors.normalised(row.utility);
        if (normalised - row.normalised).abs() > TOLERANCE {
            faults.push(format!(
                "cell {}, block {}: expected the normalised score {normalised} of the utility {}, got {}",
                row.cell, row.block, row.utility, row.normalised
            ));
        }
    }
    for cell in &report.cells {
        let forfeits: u64 = rows.iter().filter(|row| row.cell == cell.name).map(|row| row.forfeits).sum();
        let found: u64 = cell.forfeits.values().sum();
        if forfeits != found {
            let name = &cell.name;
            faults.push(format!("cell {name}: forfeits: expected {forfeits} from blocks.csv, got {found}"));
        }
    }
    faults.extend(check_figures(report, &Scores::of_blocks(plan, report, rows.to_vec()), "blocks.csv"));
    faults
}

/// Compares the counts and the link of a report with its log. Returns a message for each fault.
pub fn check_log(report: &Report, plan: &SuitePlan, log: &GamesLog) -> Vec<String> {
    let mut faults = Vec::new();
    let claim = LogClaim::of(log, plan.games().count() as u64);
    compare(&mut faults, "games.jsonl", "all cells: log.", &json(&claim), &json(&report.log));
    faults
}

fn json(value: &impl serde::Serialize) -> Value {
    // All of these types are structs of plain values, which always have a JSON.
    serde_json::to_value(value).unwrap_or_default()
}

/// Returns true if two numbers count as equal: the functions behind intervals differ in their last digits between platforms.
fn is_equal(one: &serde_json::Number, other: &serde_json::Number) -> bool {
    let values = one.as_f64().zip(other.as_f64());
    values.is_some_and(|(one, other)| (one - other).abs() <= TOLERANCE * one.abs().max(1.0))
}

/// Adds a message for each value that differs, with its path. `source` names the origin of the expected figures.
fn compare(faults: &mut Vec<String>, source: &str, path: &str, expected: &Value, found: &Value) {
    match (expected, found) {
        (Value::Object(all), Value::Object(others)) => {
            let keys: std::collections::BTreeSet<_> = all.keys().chain(others.keys()).collect();
            for key in keys {
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                let dot = if path.ends_with([' ', '.']) { "" } else { "." };
                compare(faults, source, &format!("{path}{dot}{key}"), &of(all), &of(others));
            }
        }
        (Value::Number(one), Value::Number(other)) if is_equal(one, other) => {}
        _ if expected == found => {}
        _ => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            faults.push(format!("{path}: expected {} from {source}, got {}", text(expected), text(found)));
        }
    }
}

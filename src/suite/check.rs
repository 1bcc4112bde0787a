//! The checks of a report: its records against the suite, and its figures against its records.

use serde_json::Value;

use super::file::Suite;
use super::plan::{GamePlace, Plan, PlannedMatch};
use super::report::{Manifest, Report, SeedsKind};
use super::scores::Scores;
use crate::cup::Salt;
use crate::host::{Agreement, BotChoices, Record, differs, verify_bots};

/// The relative difference of two figures that count as equal.
const TOLERANCE: f64 = 1e-9;

/// Returns the plan that a report claims to have played.
///
/// # Errors
/// If the suite is another one, the number of blocks is 0, or the salt does not have its hash.
pub fn plan_of(manifest: &Manifest, suite: Suite) -> Result<Plan, String> {
    let Manifest { suite: claim, agent, seeds } = manifest;
    if claim.name != suite.name || claim.sha256 != suite.sha256 {
        return Err(format!(
            "expected the suite {} with the SHA-256 {}, got {} with {}",
            suite.name, suite.sha256, claim.name, claim.sha256
        ));
    }
    let most = suite.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
    if let Some(first) = claim.first
        && !(1..=most).contains(&first)
    {
        return Err(format!("expected the first 1 to {most} blocks of each cell, got {first}"));
    }
    let text = seeds.salt.as_deref().ok_or("expected the salt of the seeds, got none: the organiser holds it")?;
    let salt = Salt::parse(text).ok_or_else(|| format!("expected a salt of 64 hexadecimal digits, got \"{text}\""))?;
    if salt.hash() != seeds.salt_sha256 {
        let found = salt.hash();
        return Err(format!("expected a salt with the SHA-256 {}, got one with {found}", seeds.salt_sha256));
    }
    let is_public = salt == suite.public_salt();
    if is_public != (seeds.kind == SeedsKind::Public) {
        let expected = if is_public { "public" } else { "sealed or server" };
        return Err(format!("expected seeds of the kind {expected} for this salt, got {:?}", seeds.kind).to_lowercase());
    }
    if agent.runs.is_empty() {
        return Err("expected at least one run, got none".to_owned());
    }
    Ok(Plan::new(suite, claim.first, agent.runs.len(), salt))
}

/// Checks the record of a game: its digest, its seed, its terms, its players, that it replays, and the choices of its
/// bots. `is_chosen` says of each choice of a search whether it is computed again.
///
/// # Errors
/// If the bytes are no such record; the message does not name the game.
pub fn check_record(
    plan: &Plan,
    manifest: &Manifest,
    place: GamePlace,
    bytes: &[u8],
    is_chosen: impl FnMut() -> bool,
) -> Result<(Record, BotChoices), String> {
    let record = Record::read(bytes).map_err(|error| error.to_string())?;
    let PlannedMatch { setup, seed, players, terms } = plan.game(&manifest.agent, place)?;
    for (seat, (expected, found)) in players.iter().zip(&record.players).enumerate() {
        differs(&format!("the player of seat {seat}"), &expected.name, &found.name)?;
    }
    let bots = players.iter().map(|player| player.bot).collect();
    Agreement { setup, seed: Some(seed), terms, bots }.check(&record)?;
    if record.result.is_none() {
        return Err("expected a finished game, got one without a result".to_owned());
    }
    let choices = verify_bots(&record, is_chosen)?;
    Ok((record, choices))
}

/// Compares the figures of a report with those that follow from its records. Returns a message for each fault; those of
/// cells begin with the cell.
pub fn check_figures(report: &Report, scores: &Scores) -> Vec<String> {
    let mut faults = Vec::new();
    let names = |cells: &[super::report::CellReport]| cells.iter().map(|cell| cell.name.clone()).collect::<Vec<_>>();
    let (expected, found) = (names(&scores.cells), names(&report.cells));
    if expected != found {
        let missing = expected.iter().find(|name| !found.contains(name));
        let further = found.iter().find(|name| !expected.contains(name));
        let at = missing.or(further).or(found.first()).map_or("none", String::as_str);
        faults.push(format!("cell {at}: expected the cells {}, got {}", expected.join(", "), found.join(", ")));
    }
    for cell in &scores.cells {
        let Some(claim) = report.cells.iter().find(|claim| claim.name == cell.name) else { continue };
        compare(&format!("cell {}: ", cell.name), &json(cell), &json(claim), &mut faults);
    }
    compare("all cells: aggregate.", &json(&scores.aggregate), &json(&report.aggregate), &mut faults);
    let claim = &report.records;
    let games = scores.aggregate.games;
    for (what, expected, found) in [
        ("count", games.to_string(), claim.count.to_string()),
        ("digest", scores.digest.clone(), claim.digest.clone()),
        ("timeless_digest", scores.timeless_digest.clone(), claim.timeless_digest.clone()),
    ] {
        if expected != found {
            faults.push(format!("all cells: records.{what}: expected {expected} from the records, got {found}"));
        }
    }
    faults
}

fn json(value: &impl serde::Serialize) -> Value {
    // All of these types are structs of plain values.
    serde_json::to_value(value).unwrap_or_default()
}

/// Compares two numbers. The functions behind intervals differ in their last digits from one platform to the next.
fn is_equal(one: &serde_json::Number, other: &serde_json::Number) -> bool {
    let values = one.as_f64().zip(other.as_f64());
    values.is_some_and(|(one, other)| (one - other).abs() <= TOLERANCE * one.abs().max(1.0))
}

/// Adds a message for each value that differs, with its path.
fn compare(path: &str, expected: &Value, found: &Value, faults: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(all), Value::Object(others)) => {
            let keys: std::collections::BTreeSet<_> = all.keys().chain(others.keys()).collect();
            for key in keys {
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                let dot = if path.ends_with([' ', '.']) { "" } else { "." };
                compare(&format!("{path}{dot}{key}"), &of(all), &of(others), faults);
            }
        }
        (Value::Number(one), Value::Number(other)) if is_equal(one, other) => {}
        _ if expected == found => {}
        _ => faults.push(format!("{path}: expected {expected} from the records, got {found}")),
    }
}

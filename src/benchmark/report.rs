//! The files of a report, from the records of its folder.

use std::collections::BTreeMap;
use std::io::Write;

use ahu_contest::suite::{
    FORMAT, GamePlace, LogClaim, Manifest, PlayedRecord, RecordsClaim, Report, Scores, SuitePlan, TimeClaim,
    blocks_csv, formats,
};
use ahu_host::Record;

use super::folder::{self, Host};
use crate::runs::OpenRun;
use crate::{CliError, Done};

/// Reads all records of a folder, and writes the report.
pub(super) fn write(
    plan: &SuitePlan,
    claims: Manifest,
    run: &OpenRun<Manifest>,
    Host { server, machine }: Host,
    time: TimeClaim,
) -> Result<Report, CliError> {
    let folder = &run.folder;
    let read = |place: GamePlace| {
        let name = place.record(&plan.suite);
        let wrong = |message: String| {
            let path = folder.0.join(&name);
            CliError::Failed(format!("{}: {message}; delete it to play the game again", path.display()))
        };
        let bytes = run.record(&name)?.ok_or_else(|| wrong("expected a record, got none".to_owned()))?;
        let record = Record::read(&bytes).map_err(|error| wrong(error.to_string()))?;
        let played = PlayedRecord::of(plan, place, &record);
        Ok((place, played.ok_or_else(|| wrong("expected a finished game, got one without a result".to_owned()))?))
    };
    let games = plan.games().map(read).collect::<Result<BTreeMap<_, _>, CliError>>()?;
    let scores = Scores::of(plan, claims.agent.kind, &games);
    let csv = blocks_csv::write(&scores.rows);
    let Manifest { suite, agent, seeds } = claims;
    let report = Report {
        format: FORMAT.to_owned(),
        suite,
        server,
        agent,
        seeds,
        machine,
        time,
        records: RecordsClaim {
            count: scores.aggregate.games,
            digest: scores.digest,
            timeless_digest: scores.timeless_digest,
            blocks_csv: blocks_csv::sha256(&csv),
        },
        log: LogClaim::of(run.log(), plan.games().count() as u64),
        cells: scores.cells,
        aggregate: scores.aggregate,
        language: folder::language(folder)?,
    };
    folder.write("blocks.csv", &csv)?;
    folder.write("report.json", report.to_text())?;
    folder.write("report.md", formats::markdown(&report))?;
    folder.write("report.html", formats::page(&report).into_string())?;
    Ok(report)
}

/// Prints a report. Returns an error if `strict`, and the agent forfeited a game.
pub(super) fn print(report: &Report, json: bool, strict: bool, out: &mut impl Write) -> Done {
    match json {
        true => write!(out, "{}", report.to_text())?,
        false => write!(out, "{}", formats::markdown(report))?,
    }
    out.flush()?;
    match report.aggregate.forfeits {
        forfeits if strict && forfeits > 0 => {
            Err(CliError::No(format!("--strict: expected no forfeit, got {forfeits}")))
        }
        _ => Ok(()),
    }
}

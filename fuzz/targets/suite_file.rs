//! The files of suites, and the files of their results.

use ahu_contest::GamesLog;
use ahu_contest::suite::{self, Report, Suite, SuitePlan, blocks_csv};

/// Takes a text, as the file of a suite, as the blocks of a report, as the log of a run, and as a report.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let rows = blocks_csv::read(text);
    if let Ok(rows) = &rows {
        let written = blocks_csv::write(rows);
        assert_eq!(blocks_csv::write(&blocks_csv::read(&written).expect("it was written")), written);
    }
    let report = Report::read(text);
    if let Ok(report) = &report {
        let written = report.to_text();
        assert_eq!(Report::read(&written).expect("it was written").to_text(), written);
        let _ = (report.title(), suite::formats::markdown(report), suite::formats::page(report));
    }
    let log = GamesLog::read(text.as_bytes());
    if let Ok((mut log, whole)) = log.clone() {
        let next = log.start("records/x.rec", String::new());
        let longer = text[..whole].to_owned() + &next;
        assert!(GamesLog::read(longer.as_bytes()).is_ok(), "a log goes on");
    }
    let suite = Suite::read(text);
    match &suite {
        Ok(suite) => look_at(suite.clone()),
        Err(error) => assert!(error.line.is_none_or(|line| line <= text.lines().count() + 1), "{error}"),
    }
    let has_log = log.is_ok_and(|(_, whole)| whole > 0);
    rows.is_ok() || report.is_ok() || has_log || suite.is_ok()
}

/// Looks at the size of a suite and at its first games.
fn look_at(suite: Suite) {
    for first in [None, Some(suite.quick)] {
        let _ = (suite.games(first), suite.decisions(first));
    }
    let salt = suite.public_salt();
    let plan = SuitePlan::new(suite, Some(2), 1, salt);
    for place in plan.games().take(10) {
        let _ = (place.name(&plan.suite, 1), place.record(&plan.suite), plan.seat(place));
    }
}

/// Returns the suite v1 with two cells, the report of a benchmark with its blocks, and the log of a game.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let read = |file: &str| std::fs::read_to_string(crate::in_repository(file)).expect("the file can be read");
    let suite = read("crates/contest/src/suite/v1.toml").replace("name = \"v1\"", "name = \"mine\"");
    let third = suite.match_indices("[[cell]]").nth(2).expect("the suite has three cells").0;
    let blocks = read("docs/organise/benchmark/v1/greedy@1/blocks.csv");
    let blocks: String = blocks.lines().take(8).map(|line| line.to_owned() + "\n").collect();
    let mut log = GamesLog::default();
    let log = log.start("a.rec", String::new()) + &log.keep("a.rec", b"a record", String::new());
    let report = read("docs/organise/benchmark/v1/greedy@1/report.json");
    [suite[..third].to_owned(), blocks, log, report].map(String::into_bytes).into()
}

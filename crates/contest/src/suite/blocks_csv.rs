//! The file `blocks.csv`: a line for each block of each training run.

use ahu_core::hex;
use ahu_host::ensure;
use sha2::{Digest as _, Sha256};

use super::scores::BlockRow;

/// The columns, in order.
const HEAD: &str = "run,cell,block,games,score,utility,wins,normalised,forfeits,decisions,timeless_digest";

/// Returns the text of the file.
pub fn write(rows: &[BlockRow]) -> String {
    rows.iter().fold(HEAD.to_owned() + "\n", |text, row| text + &line(row) + "\n")
}

/// Returns a line of the file.
fn line(row: &BlockRow) -> String {
    let BlockRow { run, cell, block, games, score, utility, wins, normalised, forfeits, decisions, digest } = row;
    let score = score.map(|score| score.to_string()).unwrap_or_default();
    format!("{run},{cell},{block},{games},{score},{utility},{wins},{normalised},{forfeits},{decisions},{digest}")
}

/// Returns the SHA-256 of a text in hexadecimal digits, as a report states it.
pub fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Reads the text of the file.
///
/// # Errors
/// If the columns differ, or a value does not fit its column. The message has the line.
pub fn read(text: &str) -> Result<Vec<BlockRow>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?;
    let found = head.iter().collect::<Vec<_>>().join(",");
    ensure(found == HEAD, || format!("expected the columns {HEAD}, got {found}"))?;
    let rows = (2..).zip(reader.records()).map(|(line, record)| {
        let record = record.map_err(|error| error.to_string())?;
        row(&record).map_err(|message| format!("line {line}: {message}"))
    });
    rows.collect()
}

fn row(record: &csv::StringRecord) -> Result<BlockRow, String> {
    fn value<T: std::str::FromStr>(record: &csv::StringRecord, column: usize) -> Result<T, String> {
        let text = record.get(column).unwrap_or_default();
        let head = HEAD.split(',').nth(column).unwrap_or_default();
        text.parse().map_err(|_| format!("expected a number in the column {head}, got \"{text}\""))
    }
    let text = |column: usize| record.get(column).unwrap_or_default().to_owned();
    Ok(BlockRow {
        run: value(record, 0)?,
        cell: text(1),
        block: value(record, 2)?,
        games: value(record, 3)?,
        score: if text(4).is_empty() { None } else { Some(value(record, 4)?) },
        utility: value(record, 5)?,
        wins: value(record, 6)?,
        normalised: value(record, 7)?,
        forfeits: value(record, 8)?,
        decisions: value(record, 9)?,
        digest: text(10),
    })
}

/// Compares the text of a file with the expected rows. Returns a message about the first difference, which names the cell and the
/// block; None if they are equal.
pub fn difference(expected: &[BlockRow], found: &str) -> Option<String> {
    let text = write(expected);
    if text == found {
        return None;
    }
    let mut lines = found.lines().skip(1);
    for row in expected {
        let (expected, found) = (line(row), lines.next().unwrap_or("no line"));
        if expected != found {
            let BlockRow { cell, block, .. } = row;
            return Some(format!("cell {cell}, block {block}: expected the line \"{expected}\", got \"{found}\""));
        }
    }
    let last = expected.last().map_or("none", |row| row.cell.as_str());
    Some(match lines.next() {
        Some(more) => format!("cell {last}: expected no line after its last block, got \"{more}\""),
        None => format!("expected the columns {HEAD}, got \"{}\"", found.lines().next().unwrap_or_default()),
    })
}

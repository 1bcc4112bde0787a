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
    let rows = (2..).zip(reader.deserialize());
    rows.map(|(line, row)| row.map_err(|error: csv::Error| format!("line {line}: {error}"))).collect()
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

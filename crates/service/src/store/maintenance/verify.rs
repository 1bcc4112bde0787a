//! Verification: every byte of a store is read, and every match is folded.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use ahu_host::find;
use rayon::prelude::*;
use rusqlite::Connection;

use super::{Progress, Report, Result, bytes_on_disk, faults_of_file, file_in};
use crate::proto::v1::MatchState;
use crate::store::folder::{Folder, OpenError};
use crate::store::rows::{MatchRow, has_ended};
use crate::store::sqlite::accounts::{damaged_replies, read_all as read_all_accounts};
use crate::store::sqlite::reader::SqliteReader;
use crate::store::sqlite::schema::{self, SCHEMA};
use crate::store::sqlite::{connect_for_reading, meta, rows, token_key, unusable};
use crate::store::{StoreError, StoredMatch};

/// The states of matches, in the order of their lives.
const STATES: [MatchState; 5] =
    [MatchState::Seating, MatchState::Running, MatchState::Finished, MatchState::Cancelled, MatchState::Void];

/// The part of a fault that concerns no other part.
const FILE: &str = "the file";

/// The number of matches that one thread reads with one connection. With so many, connections cost little.
const MATCHES_AT_ONCE: usize = 64;

/// The result of a check of a store.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// The schema.
    pub schema: u32,
    /// The number of commits.
    pub commits: u64,
    /// The number of commits that the store has lost.
    pub lost: u64,
    /// The size of the store on its disk in bytes.
    pub bytes: u64,
    /// The number of matches in each state.
    pub states: Vec<(MatchState, u64)>,
    /// The number of matches whose entries were read.
    pub read: u64,
    /// The number of their entries.
    pub entries: u64,
    /// The number of their requests.
    pub requests: u64,
    /// The number of accounts.
    pub accounts: u64,
    /// The number of keys, with those that are not valid any more.
    pub keys: u64,
    /// The rules of all matches.
    pub rules: Vec<StoredRules>,
    /// The damaged parts.
    pub faults: Vec<Fault>,
}

/// Rules that matches of a store were played under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRules {
    /// The id of the game.
    pub game: String,
    /// The rules version.
    pub rules: u32,
    /// The release of ahu that created the newest of the matches.
    pub release: String,
    /// The number of matches.
    pub matches: u64,
    /// The number of matches that have not ended.
    pub open: u64,
}

impl StoredRules {
    /// Returns true if this release can fold the matches.
    pub fn are_known(&self) -> bool {
        self.version_here() == Some(self.rules)
    }

    /// Returns the rules version of the game in this release; None if it does not have the game.
    pub fn version_here(&self) -> Option<u32> {
        find(&self.game).ok().map(|game| game.info().rules)
    }
}

/// A damaged part of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The match; None for a part that belongs to no match.
    pub match_id: Option<String>,
    /// The part, such as "entries 12 to 15".
    pub part: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { match_id, part, reason } = self;
        match match_id {
            Some(match_id) => write!(f, "match {match_id}, {part}: {reason}"),
            None => write!(f, "{part}: {reason}"),
        }
    }
}

/// Reads the whole store in a folder, and changes nothing in it. If `accept_loss` is true, a store that has lost commits is
/// accepted as it is from now on, so that a server can use it.
pub fn verify(folder: &Path, accept_loss: bool, report: Report<'_>) -> Result<Verification> {
    let mut locked = Folder::lock(folder, false)?;
    let file = file_in(folder)?;
    let connection = connect_for_reading(&file).map_err(|error| unusable(&file, &error))?;
    if !schema::is_present(&connection, &file)? {
        // The store was in its write-ahead log alone.
        let lost = locked.stated.unwrap_or(0);
        if accept_loss {
            locked.state_first(0)?;
        } else if lost == 0 {
            return Err(OpenError::Missing(folder.to_owned()).into());
        }
        return Ok(Verification { lost, bytes: bytes_on_disk(folder), ..Verification::default() });
    }
    let mut found = verify_file(&file, &connection, report)?;
    found.lost = locked.stated.unwrap_or(0).saturating_sub(found.commits);
    if accept_loss {
        locked.state_first(found.commits)?;
    } else if locked.stated.is_none() {
        found.faults.push(of_file(OpenError::not_stated(&locked.lock_file()).to_string()));
    }
    Ok(Verification { bytes: bytes_on_disk(folder), ..found })
}

/// Reads all of a file that has a store.
pub(super) fn verify_file(file: &Path, connection: &Connection, report: Report<'_>) -> Result<Verification> {
    report(Progress { work: "checking the file", done: 0, of: 0 });
    let mut faults: Vec<_> = faults_of_file(connection, "integrity_check").into_iter().map(of_file).collect();
    let commits = commits(connection, &mut faults);
    let numbers = numbers(connection).unwrap_or_else(|(numbers, error)| {
        let reason = format!("the matches after number {} cannot be read: {error}", numbers.last().unwrap_or(&0));
        faults.push(of_file(reason));
        numbers
    });
    let pinned = pinned(connection, &mut faults);
    let read = read_all(file, &numbers, &pinned, report)?;
    faults.extend(read.faults);
    faults.extend(strays(connection, &numbers));
    let (accounts, keys) = accounts(connection, &mut faults);
    let rules = noted(rules(connection), (FILE, ""), &mut faults);
    Ok(Verification { schema: SCHEMA, commits, rules, accounts, keys, faults, ..read })
}

/// Returns a fault of a part that belongs to no match.
fn fault(part: &str, reason: String) -> Fault {
    Fault { match_id: None, part: part.to_owned(), reason }
}

fn of_file(reason: String) -> Fault {
    fault(FILE, reason)
}

/// Returns what was found in this part of the store; if it cannot be read, nothing, with a fault that begins with `what`.
fn noted<T: Default>(
    found: std::result::Result<T, rusqlite::Error>,
    (part, what): (&str, &str),
    faults: &mut Vec<Fault>,
) -> T {
    found.unwrap_or_else(|error| {
        faults.push(fault(part, format!("{what}{error}")));
        T::default()
    })
}

/// Returns the number of commits, and notes facts of the server that are damaged.
fn commits(connection: &Connection, faults: &mut Vec<Fault>) -> u64 {
    let commits = noted(meta(connection, "commits"), ("commits", ""), faults);
    noted(meta::<u64>(connection, "time_ms"), ("time_ms", ""), faults);
    noted(token_key(connection), ("token_key", ""), faults);
    commits
}

/// Returns the numbers of all matches, without the use of an index. An error comes with the numbers that were read before it.
pub(super) fn numbers(connection: &Connection) -> std::result::Result<Vec<u64>, (Vec<u64>, rusqlite::Error)> {
    let mut numbers = Vec::new();
    let all = connection.prepare("SELECT number FROM match NOT INDEXED ORDER BY number").and_then(|mut query| {
        for number in query.query_map([], |row| row.get(0))? {
            numbers.push(number?);
        }
        Ok(())
    });
    match all {
        Ok(()) => Ok(numbers),
        Err(error) => Err((numbers, error)),
    }
}

/// Returns the numbers of all matches that the bounds never remove.
fn pinned(connection: &Connection, faults: &mut Vec<Fault>) -> HashSet<u64> {
    let select = "SELECT number FROM match NOT INDEXED WHERE pinned IS NOT 0";
    let found = rows(connection, select, &[], |row| row.get(0));
    noted(found, (FILE, "the pins of matches cannot be read: "), faults).into_iter().collect()
}

/// Returns the numbers of accounts and of keys, and notes those that are damaged.
fn accounts(connection: &Connection, faults: &mut Vec<Fault>) -> (u64, u64) {
    let read = read_all_accounts(connection);
    let (accounts, keys, mut damaged) = noted(read, (FILE, "the accounts cannot be read: "), faults);
    damaged.extend(noted(damaged_replies(connection), (FILE, "the answers to commands cannot be read: "), faults));
    faults.extend(damaged.into_iter().map(|(part, reason)| fault(&part, reason)));
    (accounts.len() as u64, keys.len() as u64)
}

impl Verification {
    fn begun() -> Self {
        Self { states: STATES.map(|state| (state, 0)).into(), ..Self::default() }
    }

    /// Adds the sums over other matches.
    fn plus(mut self, other: Self) -> Self {
        for ((_, sum), (_, more)) in self.states.iter_mut().zip(other.states) {
            *sum += more;
        }
        self.read += other.read;
        self.entries += other.entries;
        self.requests += other.requests;
        self.faults.extend(other.faults);
        self
    }

    fn fault(&mut self, match_id: &str, part: &str, reason: impl Into<String>) {
        self.faults.push(Fault { match_id: Some(match_id.to_owned()), ..fault(part, reason.into()) });
    }
}

/// Reads and folds all matches, on all cores.
fn read_all(file: &Path, numbers: &[u64], pinned: &HashSet<u64>, report: Report<'_>) -> Result<Verification> {
    let (of, done) = (numbers.len() as u64, AtomicU64::new(0));
    let tallies = numbers.par_chunks(MATCHES_AT_ONCE).map(|numbers| {
        let reader = SqliteReader::open(file)?;
        let mut tally = Verification::begun();
        for &number in numbers {
            read_one(&reader, number, pinned, &mut tally);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            report(Progress { work: "reading matches", done, of });
        }
        Ok(tally)
    });
    tallies.try_reduce(Verification::begun, |a, b| Ok(a.plus(b)))
}

fn read_one(reader: &SqliteReader, number: u64, pinned: &HashSet<u64>, tally: &mut Verification) {
    let row = match reader.match_row(number) {
        Ok(Some(row)) => row,
        Ok(None) => return tally.fault(&format!("number {number}"), "its head", "expected it in its table, got none"),
        Err(error) => return note(&error, &format!("number {number}"), tally),
    };
    if let Some((_, count)) = tally.states.iter_mut().find(|(state, _)| *state as i32 == row.state) {
        *count += 1;
    }
    match reader.complete(&row) {
        Ok(stored) => {
            tally.read += 1;
            tally.requests += stored.requests.len() as u64;
            tally.entries += stored.steps.iter().map(|step| step.entries.len() as u64).sum::<u64>();
            check_columns(&row, &stored, pinned.contains(&number), tally);
            check_fold(&row, &stored, tally);
        }
        Err(error) => note(&error, row.id(), tally),
    }
}

/// Notes the reason why a match cannot be read. Rules that this release does not have are no damage.
fn note(error: &StoreError, match_id: &str, tally: &mut Verification) {
    match error {
        StoreError::OtherRules { .. } => {}
        StoreError::Damaged { match_id, part, reason } => tally.fault(match_id, part, reason),
        StoreError::OtherLength { .. } | StoreError::UnknownMatch(_) | StoreError::Failed(_) => {
            tally.fault(match_id, "its rows", error.to_string());
        }
    }
}

/// Checks the columns that repeat facts of the head for lists.
fn check_columns(row: &MatchRow, stored: &StoredMatch, is_pinned: bool, tally: &mut Verification) {
    let info = stored.head.setup.rules().info();
    if (row.game.as_str(), row.rules) != (info.id, info.rules) {
        let reason = format!("expected {} {} as in its head, got {} {}", info.id, info.rules, row.game, row.rules);
        tally.fault(row.id(), "its game and rules version", reason);
    }
    if is_pinned != stored.head.is_pinned {
        let word = |is_pinned| if is_pinned { "a pinned match" } else { "a match that is not pinned" };
        let reason = format!("expected {} as in its head, got {}", word(stored.head.is_pinned), word(is_pinned));
        tally.fault(row.id(), "its pin", reason);
    }
    match (has_ended(stored.state), row.ended_ms) {
        (true, None) => tally.fault(row.id(), "its time of the end", "expected a time, got none"),
        (false, Some(ms)) => tally.fault(row.id(), "its time of the end", format!("expected none, got {ms} ms")),
        (true, Some(_)) | (false, None) => {}
    }
}

/// Checks that the entries lead to the state, and to the record that the description of the end names.
fn check_fold(row: &MatchRow, stored: &StoredMatch, tally: &mut Verification) {
    let lifecycle = match stored.fold() {
        Ok(lifecycle) => lifecycle,
        Err(reason) => return tally.fault(row.id(), "its entries", reason),
    };
    let Some(sealed) = row.description.as_ref().filter(|_| has_ended(stored.state)) else { return };
    if let Err(reason) = stored.check_description(&lifecycle, sealed) {
        tally.fault(row.id(), "its description", reason);
    }
}

/// Returns the rows whose match the store does not have.
fn strays(connection: &Connection, numbers: &[u64]) -> Vec<Fault> {
    let tables = [
        ("seat", "seats"),
        ("entry", "rows of entries"),
        ("log", "ends of logs"),
        ("request", "requests"),
        ("comment", "comments"),
    ];
    let known: HashSet<i64> = numbers.iter().map(|&number| number as i64).collect();
    let mut faults = Vec::new();
    for (table, rows) in tables {
        let select = format!("SELECT match, count(*) FROM {table} GROUP BY match");
        let read = connection.prepare(&select).and_then(|mut query| {
            for row in query.query_map([], |row| row.try_into())? {
                let (number, count): (i64, u64) = row?;
                if !known.contains(&number) {
                    let part = format!("{count} {rows} of match number {number}");
                    faults.push(fault(&part, "expected a match with this number, got none".to_owned()));
                }
            }
            Ok(())
        });
        if let Err(error) = read {
            faults.push(of_file(format!("the table {table} cannot be read: {error}")));
        }
    }
    faults
}

/// Returns the rules of all matches.
fn rules(connection: &Connection) -> std::result::Result<Vec<StoredRules>, rusqlite::Error> {
    // The release comes from the row with the largest number.
    let select = "SELECT game, rules, release, count(*), sum(state < 3), max(number) FROM match GROUP BY game, rules";
    rows(connection, select, &[], |row| {
        let (game, rules, release, matches, open, _): (_, _, _, _, _, u64) = row.try_into()?;
        Ok(StoredRules { game, rules, release, matches, open })
    })
}

//! The changes of one commit: what they leave in the tables, so that the database gets it in one call.

use std::collections::BTreeMap;
use std::sync::Arc;

use ahu_host::MatchTime;
use tokio_postgres::types::{ToSql, Type};

use crate::proto::v1::MatchState;
use crate::secrets::Digest;
use crate::store::encoding::{self, Columns, EntryRow, LogEnd};
use crate::store::{Change, MatchHead};

/// The end of a match in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) number: u64,
    pub(super) end: LogEnd,
    pub(super) comments: usize,
    pub(super) state: i32,
}

/// The changes since the last commit.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The matches that are removed first, by number, with their ids.
    removed: BTreeMap<u64, Arc<str>>,
    /// The matches that are written then, by number.
    matches: BTreeMap<u64, Written>,
    /// The numbers of these matches.
    numbers: BTreeMap<Arc<str>, u64>,
}

/// The changes of one match.
#[derive(Debug)]
struct Written {
    head: Option<New>,
    /// The number of entries before all changes.
    expected: usize,
    tail: Tail,
    bytes: usize,
    unseals: bool,
    ended: Option<i64>,
    description: Option<Vec<u8>>,
    entries: Vec<EntryRow>,
    seats: BTreeMap<usize, Vec<u8>>,
    comments: Vec<(usize, Vec<u8>)>,
    requests: Vec<(Digest, Vec<u8>)>,
}

/// A new match.
#[derive(Debug)]
struct New {
    columns: Columns,
    game: &'static str,
    rules: u32,
    is_pinned: bool,
    is_sealed: bool,
    head: Vec<u8>,
}

impl Group {
    /// Returns the id of each match with changes.
    pub(super) fn id_of(&self, number: u64) -> Option<&Arc<str>> {
        self.numbers.iter().find(|(_, own)| **own == number).map(|(id, _)| id)
    }

    /// Returns the ends of all matches with changes.
    pub(super) fn tails(&self) -> impl Iterator<Item = (Arc<str>, Tail)> + '_ {
        self.numbers.iter().map(|(id, number)| (Arc::clone(id), self.matches[number].tail))
    }

    /// Returns the end of a match with changes.
    pub(super) fn tail(&self, match_id: &str) -> Option<Tail> {
        self.numbers.get(match_id).map(|number| self.matches[number].tail)
    }

    /// Returns true if a new match has this head; None if no new match has the number or the id.
    pub(super) fn has_head(&self, head: &MatchHead) -> Option<bool> {
        let of_id = self.numbers.get(&head.id);
        let is_new = |written: &&Written| written.head.is_some();
        let found =
            self.matches.get(&head.number).or_else(|| of_id.map(|number| &self.matches[number])).filter(is_new)?;
        let own = found.head.as_ref().is_some_and(|new| new.head == encoding::write_head(head));
        Some(own && of_id == Some(&head.number))
    }

    /// Adds a new match.
    pub(super) fn create(&mut self, head: &MatchHead) {
        let (info, columns, bytes) = (head.setup.rules().info(), encoding::columns(head), encoding::write_head(head));
        let (number, state) = (head.number, MatchState::Seating as i32);
        let tail = Tail { number, end: LogEnd::START, comments: 0, state };
        let size = bytes.len();
        let MatchHead { is_pinned, is_sealed, .. } = *head;
        let new = New { columns, game: info.id, rules: info.rules, is_pinned, is_sealed, head: bytes };
        let written = self.written(&head.id, tail);
        written.head = Some(new);
        written.bytes += size;
    }

    fn written(&mut self, match_id: &Arc<str>, tail: Tail) -> &mut Written {
        self.numbers.insert(Arc::clone(match_id), tail.number);
        self.matches.entry(tail.number).or_insert_with(|| Written {
            head: None,
            expected: tail.end.entries,
            tail,
            bytes: 0,
            unseals: false,
            ended: None,
            description: None,
            entries: Vec::new(),
            seats: BTreeMap::new(),
            comments: Vec::new(),
            requests: Vec::new(),
        })
    }

    /// Adds a change of a match with this end, at which it fits.
    pub(super) fn append(&mut self, tail: Tail, change: &Change, at: MatchTime) {
        let Change { match_id, seats, request, entries, comments, state, unseals, end, .. } = change;
        let written = self.written(match_id, tail);
        if !entries.is_empty() {
            let (row, after) = encoding::write_entries(match_id, written.tail.end, entries, at);
            written.bytes += row.body.len() + row.link.len();
            written.entries.push(row);
            written.tail.end = after;
        }
        for comment in comments {
            let place = written.tail.comments;
            let bytes = encoding::write_comment(match_id, place, comment);
            written.bytes += bytes.len();
            written.comments.push((place, bytes));
            written.tail.comments += 1;
        }
        for taken in seats {
            let bytes = encoding::write_seat(match_id, taken);
            written.bytes += bytes.len();
            written.seats.insert(taken.seat.index(), bytes);
        }
        if let Some(request) = request {
            let bytes = encoding::write_request(match_id, &request.id, &request.content);
            written.bytes += bytes.len();
            written.requests.push((request.id, bytes));
        }
        if let Some(end) = end {
            let description = encoding::write_description(match_id, &end.description);
            written.bytes += description.len();
            written.ended = written.ended.or(Some(end.at.0 as i64));
            written.description = Some(description);
        }
        written.tail.state = *state as i32;
        written.unseals |= unseals;
    }

    /// Removes a match with this number.
    pub(super) fn remove(&mut self, match_id: &str, number: u64) {
        self.numbers.remove(match_id);
        self.matches.remove(&number);
        self.removed.insert(number, match_id.into());
    }

    /// Returns true if there is nothing to write but the time.
    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.matches.is_empty()
    }

    /// Returns the numbers of the matches that are removed.
    pub(super) fn removed(&self) -> impl Iterator<Item = i64> + '_ {
        self.removed.keys().map(|number| *number as i64)
    }

    /// Returns true if the match that the database has under this id is removed.
    pub(super) fn removes_id(&self, match_id: &str) -> bool {
        self.removed.values().any(|id| **id == *match_id)
    }

    /// Returns true if the match with this number has the entries of a change among its changes, and the seats that it does not
    /// have; None: only the database can have the entries.
    pub(super) fn has(&self, number: u64, change: &Change) -> (Option<bool>, Vec<(usize, Vec<u8>)>) {
        let Change { match_id, seats, expected, entries, .. } = change;
        let written = self.matches.get(&number);
        let own = |index: usize| written.and_then(|written| written.seats.get(&index));
        let rows = seats.iter().map(|taken| (taken.seat.index(), encoding::write_seat(match_id, taken)));
        let mut missing: Vec<(usize, Vec<u8>)> = Vec::new();
        for (index, row) in rows {
            match own(index) {
                Some(found) if *found != row => return (Some(false), Vec::new()),
                Some(_) => {}
                None => missing.push((index, row)),
            }
        }
        let row = written.and_then(|written| written.entries.iter().find(|row| row.first == *expected));
        let has_entries = entries.is_empty().then_some(true).or_else(|| row.map(|row| row.has(match_id, entries)));
        (has_entries, missing)
    }
}

/// The parameters of `ahu.commit_1` behind its start, with their types.
pub(super) const TYPES: [Type; 38] = {
    const MATCH: Type = Type::INT8_ARRAY;
    const NUMBER: Type = Type::INT4_ARRAY;
    const BYTES: Type = Type::BYTEA_ARRAY;
    const TRUTH: Type = Type::BOOL_ARRAY;
    const TEXT: Type = Type::TEXT_ARRAY;
    [
        Type::BYTEA,
        Type::INT8,
        MATCH,
        // New matches.
        MATCH,
        TEXT,
        TEXT,
        NUMBER,
        TEXT,
        MATCH,
        TRUTH,
        TRUTH,
        TRUTH,
        BYTES,
        // Logs and states.
        MATCH,
        NUMBER,
        NUMBER,
        BYTES,
        NUMBER,
        MATCH,
        NUMBER,
        TRUTH,
        MATCH,
        BYTES,
        // Entries.
        MATCH,
        NUMBER,
        NUMBER,
        MATCH,
        BYTES,
        BYTES,
        // Seats.
        MATCH,
        NUMBER,
        BYTES,
        // Comments.
        MATCH,
        NUMBER,
        BYTES,
        // Requests.
        BYTES,
        BYTES,
        MATCH,
    ]
};

/// The values of these parameters.
type Values<'a> = Vec<Box<dyn ToSql + Sync + Send + 'a>>;

impl Group {
    /// Returns the values for `ahu.commit_1` of a start at this time.
    pub(super) fn values<'a>(&'a self, start: &'a [u8], now: MatchTime) -> Values<'a> {
        fn list<'a, T: ToSql + Sync + Send + 'a>(values: impl Iterator<Item = T>) -> Box<dyn ToSql + Sync + Send + 'a> {
            Box::new(values.collect::<Vec<T>>())
        }
        let all = || self.matches.iter().map(|(number, written)| (*number as i64, written));
        let new = || all().filter_map(|(number, written)| Some((number, written.head.as_ref()?)));
        let entries = || all().flat_map(|(number, written)| written.entries.iter().map(move |row| (number, row)));
        let seats = || all().flat_map(|(number, written)| written.seats.iter().map(move |seat| (number, seat)));
        let comments = || all().flat_map(|(number, written)| written.comments.iter().map(move |row| (number, row)));
        let requests = || all().flat_map(|(number, written)| written.requests.iter().map(move |row| (number, row)));
        vec![
            Box::new(start),
            Box::new(now.0 as i64),
            list(self.removed()),
            list(new().map(|(number, _)| number)),
            list(new().map(|(_, new)| &*new.columns.id)),
            list(new().map(|(_, new)| new.game)),
            list(new().map(|(_, new)| new.rules as i32)),
            list(new().map(|(_, new)| &*new.columns.release)),
            list(new().map(|(_, new)| new.columns.created_ms as i64)),
            list(new().map(|(_, new)| new.columns.is_unlisted)),
            list(new().map(|(_, new)| new.is_pinned)),
            list(new().map(|(_, new)| new.is_sealed)),
            list(new().map(|(_, new)| &*new.head)),
            list(all().map(|(number, _)| number)),
            list(all().map(|(_, written)| written.expected as i32)),
            list(all().map(|(_, written)| written.tail.end.entries as i32)),
            list(all().map(|(_, written)| &written.tail.end.link[..])),
            list(all().map(|(_, written)| written.tail.comments as i32)),
            list(all().map(|(_, written)| written.bytes as i64)),
            list(all().map(|(_, written)| written.tail.state)),
            list(all().map(|(_, written)| written.unseals)),
            list(all().map(|(_, written)| written.ended)),
            list(all().map(|(_, written)| written.description.as_deref())),
            list(entries().map(|(number, _)| number)),
            list(entries().map(|(_, row)| row.first as i32)),
            list(entries().map(|(_, row)| row.count as i32)),
            list(entries().map(|(_, row)| row.at.0 as i64)),
            list(entries().map(|(_, row)| &*row.body)),
            list(entries().map(|(_, row)| &*row.link)),
            list(seats().map(|(number, _)| number)),
            list(seats().map(|(_, (seat, _))| *seat as i32)),
            list(seats().map(|(_, (_, taken))| &**taken)),
            list(comments().map(|(number, _)| number)),
            list(comments().map(|(_, (place, _))| *place as i32)),
            list(comments().map(|(_, (_, comment))| &**comment)),
            list(requests().map(|(_, (id, _))| &id[..])),
            list(requests().map(|(_, (_, content))| &**content)),
            list(requests().map(|(number, _)| number)),
        ]
    }
}

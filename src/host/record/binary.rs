//! The binary form of records.
//!
//! A record begins with the magic `AHUREC1\n`. The fields of [`Record`] follow in their order: texts as length and
//! UTF-8, lists as count and items, numbers little-endian (lengths and counts 4 bytes, action ids 2, scores 4, the
//! seed 8). An entry is a tag and its content: 0 chance (text), 1 action (seat, id), 2 action by a stand-in (seat,
//! id), 3 forfeit (seat), 4 strike (seat). The result is 0, or 1 with scores, ranks, and the forfeited seats as bits.
//! The fingerprint and the SHA-256 of all bytes before it come last.

use super::{MatchResult, Record, RecordError, check_name, digest};
use crate::core::{ActionId, BySeat, Fingerprint, Seat, SeatSet, Seats, Seed};
use crate::host::catalog::find;
use crate::host::log::{DecidedBy, Entry};
use crate::host::rules::AnyRules;

/// The first bytes of every binary record.
pub const MAGIC: &[u8] = b"AHUREC1\n";

pub(super) fn write(record: &Record) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let info = record.setup.rules().info();
    write_text(&mut bytes, info.id);
    bytes.extend(info.rules.to_le_bytes());
    bytes.push(record.setup.seats().count() as u8);
    let options = record.setup.options();
    bytes.extend((options.len() as u32).to_le_bytes());
    for (key, value) in options {
        write_text(&mut bytes, key);
        write_text(&mut bytes, &value);
    }
    bytes.extend(record.layout);
    bytes.extend(record.seed.0.to_le_bytes());
    record.names.iter().for_each(|name| write_text(&mut bytes, name));
    bytes.extend((record.entries.len() as u32).to_le_bytes());
    for entry in &record.entries {
        match entry {
            Entry::Chance(outcome) => {
                bytes.push(0);
                write_text(&mut bytes, outcome);
            }
            Entry::Action { seat, id, by } => {
                bytes.extend([if *by == DecidedBy::Player { 1 } else { 2 }, seat.index() as u8]);
                bytes.extend(id.0.to_le_bytes());
            }
            Entry::Forfeit(seat) => bytes.extend([3, seat.index() as u8]),
            Entry::Strike(seat) => bytes.extend([4, seat.index() as u8]),
        }
    }
    match &record.result {
        None => bytes.push(0),
        Some(MatchResult { scores, ranks, forfeited }) => {
            bytes.push(1);
            scores.values().iter().for_each(|score| bytes.extend(score.to_le_bytes()));
            bytes.extend(ranks.values());
            bytes.push(forfeited.iter().fold(0, |bits, seat| bits | 1 << seat.index()));
        }
    }
    bytes.extend(record.fingerprint.0);
    let digest = digest(&bytes);
    bytes.extend(digest);
    bytes
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

pub(super) fn read(bytes: &[u8]) -> Result<Record, RecordError> {
    let mut reader = Reader { bytes, at: MAGIC.len() };
    let record = reader.record();
    let rest = bytes.len() - reader.at;
    let fits = bytes.split_last_chunk::<DIGEST>().is_some_and(|(content, written)| digest(content) == *written);
    match record {
        record if fits && (record.is_err() || rest == DIGEST) => record,
        Ok(_) if fits => Err(reader.error(format!("expected {DIGEST} bytes after the fingerprint, got {rest}"))),
        Err(RecordError::Cut) => Err(RecordError::Cut),
        Ok(_) if rest < DIGEST => Err(RecordError::Cut),
        _ => Err(RecordError::Altered),
    }
}

/// The length of a digest, in bytes.
const DIGEST: usize = 32;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// Reads everything before the digest.
    fn record(&mut self) -> Result<Record, RecordError> {
        let rules = find(&self.text()?).map_err(RecordError::UnknownGame)?;
        let info = rules.info();
        let made_under = self.u32()?;
        if made_under != info.rules {
            return Err(RecordError::OtherRules { game: info.id, made_under, ours: info.rules });
        }
        let seats = self.byte()?;
        let count = self.u32()?;
        let mut options = Vec::new();
        for _ in 0..count {
            options.push((self.text()?, self.text()?));
        }
        let given: Vec<_> = options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(seats.into(), &given).map_err(RecordError::Options)?;
        let layout = self.take()?;
        let seed = Seed(u64::from_le_bytes(self.take()?));
        let seats = setup.seats();
        let names = seats.iter().map(|_| self.name()).collect::<Result<_, _>>()?;
        let count = self.u32()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(self.entry(rules, seats)?);
        }
        let result = match self.byte()? {
            0 => None,
            1 => Some(self.result(seats)?),
            tag => return Err(self.error(format!("expected a result with tag 0 or 1, got tag {tag}"))),
        };
        let fingerprint = Fingerprint(self.take()?);
        Ok(Record { setup, layout, seed, names, entries, result, fingerprint })
    }

    fn error(&self, reason: String) -> RecordError {
        RecordError::Malformed { at: self.at, reason }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], RecordError> {
        let bytes = self.bytes[self.at..].first_chunk::<N>().ok_or(RecordError::Cut)?;
        self.at += N;
        Ok(*bytes)
    }

    fn byte(&mut self) -> Result<u8, RecordError> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, RecordError> {
        self.take().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Result<String, RecordError> {
        let length = self.u32()? as usize;
        let bytes = self.bytes[self.at..].get(..length).ok_or(RecordError::Cut)?;
        let text =
            str::from_utf8(bytes).map_err(|_| self.error("expected a text in UTF-8, got other bytes".to_owned()))?;
        self.at += length;
        Ok(text.to_owned())
    }

    fn name(&mut self) -> Result<String, RecordError> {
        let name = self.text()?;
        check_name(&name).map_err(|reason| self.error(reason))?;
        Ok(name)
    }

    fn seat(&mut self, seats: Seats) -> Result<Seat, RecordError> {
        let index = self.byte()?;
        seats
            .get(index.into())
            .ok_or_else(|| self.error(format!("expected a seat from 0 to {}, got {index}", seats.count() - 1)))
    }

    fn entry(&mut self, rules: &dyn AnyRules, seats: Seats) -> Result<Entry, RecordError> {
        let tag = self.byte()?;
        match tag {
            0 => self.text().map(Entry::Chance),
            1 | 2 => {
                let seat = self.seat(seats)?;
                let id = ActionId(u16::from_le_bytes(self.take()?));
                if rules.action_text(id).is_none() {
                    return Err(
                        self.error(format!("expected an action id from 0 to {}, got {id}", rules.action_count() - 1))
                    );
                }
                Ok(Entry::Action { seat, id, by: if tag == 1 { DecidedBy::Player } else { DecidedBy::StandIn } })
            }
            3 => self.seat(seats).map(Entry::Forfeit),
            4 => self.seat(seats).map(Entry::Strike),
            tag => Err(self.error(format!("expected an entry with tag 0 to 4, got tag {tag}"))),
        }
    }

    fn result(&mut self, seats: Seats) -> Result<MatchResult, RecordError> {
        let mut scores = BySeat::new(seats, 0);
        let mut ranks = BySeat::new(seats, 0);
        for seat in seats.iter() {
            scores[seat] = i32::from_le_bytes(self.take()?);
        }
        for seat in seats.iter() {
            ranks[seat] = self.byte()?;
        }
        let bits = self.byte()?;
        let forfeited: SeatSet = seats.iter().filter(|seat| bits >> seat.index() & 1 == 1).collect();
        if bits >> seats.count() != 0 {
            return Err(
                self.error(format!("expected forfeited seats from 0 to {}, got the bits {bits:#b}", seats.count() - 1))
            );
        }
        Ok(MatchResult { scores, ranks, forfeited })
    }
}

//! The binary form of records.
//!
//! A record begins with the magic `AHUREC2\n`. These fields follow, in this order, with texts as length and UTF-8,
//! lists as count and items, and numbers little-endian (lengths and counts 4 bytes, where no other width stands here):
//!
//! 1. the game (text), the rules version (4), the number of seats (1), the options (list of two texts), the layout
//!    hash (32), the seed (8), the label of bot seeds (text);
//! 2. the consequences of all causes in the order of [`Cause::ALL`] (1 each: 0 refusal, 1 strike, 2 forfeit), the
//!    absence limit (4, 0 for none), the strikes (1), the tries (2), the idle limit (4, 0 for none), the stand-in (text);
//! 3. the number of clocks (1: 0, or that of the seats), and for each the startup, limit, bank, increment, and lag (4
//!    each, with a limit or bank of 0 for none);
//! 4. for each seat its player: 0 and a name (text), 1 and a bot with its version (text), or 2, a bot, and the other name
//!    under which it plays (text); the notes (list of two texts: the name and the fact);
//! 5. the entries (list): see [`entry_bytes`];
//! 6. the ending: 0 unfinished, 1 finished, 2 cancelled (text), 3 void (text);
//! 7. the result: 0, or 1 with scores (4 each), ranks (1 each), and the causes of forfeits (1 each: 0 none, else the
//!    place of the cause from 1);
//! 8. the last link of the chain of entries (32), the fingerprint (8), and the digest: the SHA-256 of all bytes before
//!    it (32).

use ahu_core::{ActionId, BySeat, Fingerprint, Seat, Seats, Seed};

use super::{
    LINK, MatchResult, NamedPlayer, RecordError, Transcript, check_name, check_note, check_option, check_outcome,
    check_text, check_word, digest, first_unknown, last_link,
};
use crate::{
    AnyRules, Cause, Conduct, Consequence, DecidedBy, Ending, Entry, Terms, ThinkingTime, TimeControl, check_reason,
};

/// The first bytes of every binary record.
pub const MAGIC: &[u8] = b"AHUREC2\n";

/// Returns the record without its digest.
pub(super) fn content(record: &Transcript) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    write_text(&mut bytes, &record.game);
    bytes.extend(record.rules_version.to_le_bytes());
    bytes.push(record.seats.count() as u8);
    write_pairs(&mut bytes, &record.options);
    bytes.extend(record.layout);
    bytes.extend(record.seed.0.to_le_bytes());
    write_text(&mut bytes, &record.bot_seeds);
    write_terms(&mut bytes, &record.terms, &record.stand_in);
    for NamedPlayer { name, bot } in &record.players {
        match bot {
            None => write_tagged(&mut bytes, 0, name),
            Some(bot) if bot == name => write_tagged(&mut bytes, 1, bot),
            Some(bot) => {
                write_tagged(&mut bytes, 2, bot);
                write_text(&mut bytes, name);
            }
        }
    }
    write_pairs(&mut bytes, &record.notes);
    bytes.extend((record.entries.len() as u32).to_le_bytes());
    record.entries.iter().for_each(|entry| write_entry(&mut bytes, entry));
    match &record.ending {
        None => bytes.push(0),
        Some(Ending::Finished) => bytes.push(1),
        Some(Ending::Cancelled(reason)) => write_tagged(&mut bytes, 2, reason),
        Some(Ending::Void(reason)) => write_tagged(&mut bytes, 3, reason),
    }
    match &record.result {
        None => bytes.push(0),
        Some(MatchResult { scores, ranks, forfeits }) => {
            bytes.push(1);
            scores.values().iter().for_each(|score| bytes.extend(score.to_le_bytes()));
            bytes.extend(ranks.values());
            bytes.extend(forfeits.values().iter().map(|cause| cause.map_or(0, |cause| 1 + number(cause))));
        }
    }
    bytes.extend(last_link(&record.entries));
    bytes.extend(record.fingerprint.0);
    bytes
}

fn write_pairs(bytes: &mut Vec<u8>, pairs: &[(String, String)]) {
    bytes.extend((pairs.len() as u32).to_le_bytes());
    for text in pairs.iter().flat_map(|(key, value)| [key, value]) {
        write_text(bytes, text);
    }
}

fn write_terms(bytes: &mut Vec<u8>, terms: &Terms, stand_in: &str) {
    let Terms { conduct, clocks, idle, .. } = terms;
    bytes.extend(Cause::ALL.map(|cause| conduct.consequence(cause) as u8));
    let number = |number: Option<std::num::NonZeroU32>| number.map_or(0, std::num::NonZeroU32::get).to_le_bytes();
    bytes.extend(number(conduct.absence_limit));
    bytes.push(conduct.strikes.get());
    bytes.extend(conduct.tries.get().to_le_bytes());
    bytes.extend(number(*idle));
    write_text(bytes, stand_in);
    bytes.push(clocks.len() as u8);
    for TimeControl { startup, limit, bank, increment, lag } in clocks {
        bytes.extend(startup.to_le_bytes());
        bytes.extend(number(*limit));
        bytes.extend(number(*bank));
        bytes.extend(increment.to_le_bytes());
        bytes.extend(lag.to_le_bytes());
    }
}

/// Returns an entry as bytes: a tag and its content. The tags are 0 chance (text), 1 action (seat, id), 2 action by a
/// stand-in (seat, id), 3 and 4 the same with the measured and the charged time (4 each), where one of them is above
/// 0, 5 strike (seat, decision, cause, and 0, or 1 and the id), 6 forfeit (seat, cause), 7 cancelled (text), 8 void
/// (text). A seat has 1 byte, an id 2, a decision 4, a cause 1: its place in [`Cause::ALL`].
pub fn entry_bytes(entry: &Entry) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_entry(&mut bytes, entry);
    bytes
}

/// Reads `count` entries of a match with these seats, one after another as [`entry_bytes`] writes them, to the end of the
/// bytes. With rules, an action has to be one of the game.
pub fn read_entries(
    bytes: &[u8],
    count: usize,
    seats: Seats,
    rules: Option<&dyn AnyRules>,
) -> Result<Vec<Entry>, RecordError> {
    let mut reader = Reader { bytes, at: 0 };
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push(reader.entry(seats)?);
    }
    if let Some(at) = rules.and_then(|rules| first_unknown(rules, &entries)) {
        return Err(reader.error(format!("expected an action of the game in entry {} of {count}", at + 1)));
    }
    match bytes.len() - reader.at {
        0 => Ok(entries),
        rest => Err(reader.error(format!("expected {count} entries, got {rest} more bytes"))),
    }
}

fn write_entry(bytes: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Chance(outcome) => write_tagged(bytes, 0, outcome),
        Entry::Action { seat, id, by, time } => {
            let is_timed = *time != ThinkingTime::default();
            let by = if *by == DecidedBy::Player { 1 } else { 2 };
            bytes.extend([if is_timed { by + 2 } else { by }, seat.index() as u8]);
            bytes.extend(id.0.to_le_bytes());
            if is_timed {
                bytes.extend(time.measured.to_le_bytes());
                bytes.extend(time.charged.to_le_bytes());
            }
        }
        Entry::Strike { seat, decision, cause, action } => {
            bytes.extend([5, seat.index() as u8]);
            bytes.extend(decision.to_le_bytes());
            bytes.extend([number(*cause), action.is_some().into()]);
            bytes.extend(action.iter().flat_map(|id| id.0.to_le_bytes()));
        }
        Entry::Forfeit { seat, cause } => bytes.extend([6, seat.index() as u8, number(*cause)]),
        Entry::Cancelled(reason) => write_tagged(bytes, 7, reason),
        Entry::Void(reason) => write_tagged(bytes, 8, reason),
    }
}

/// Returns the place of a cause in [`Cause::ALL`].
fn number(cause: Cause) -> u8 {
    cause as u8
}

fn write_tagged(bytes: &mut Vec<u8>, tag: u8, text: &str) {
    bytes.push(tag);
    write_text(bytes, text);
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Checks that these bytes are those of the record, without its digest.
pub(super) fn check_form(record: &Transcript, bytes: &[u8]) -> Result<(), RecordError> {
    let content = content(record);
    match content.iter().zip(bytes).position(|(ours, theirs)| ours != theirs) {
        None => Ok(()),
        Some(at) => {
            let reason = format!("expected the byte {} in the record of these entries, got {}", content[at], bytes[at]);
            Err(RecordError::Malformed { at, reason })
        }
    }
}

/// Reads a record, and checks the digest at its end.
pub(super) fn read(bytes: &[u8]) -> Result<Transcript, RecordError> {
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

/// Reads the intact entries of a record that was cut.
pub(super) fn read_intact(bytes: &[u8]) -> Result<Transcript, RecordError> {
    Reader { bytes, at: MAGIC.len() }.intact()
}

/// The length of a digest, in bytes.
const DIGEST: usize = 32;

/// A reader of a binary record.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// Reads everything before the digest.
    fn record(&mut self) -> Result<Transcript, RecordError> {
        let mut record = self.opening()?;
        for _ in 0..self.u32()? {
            record.entries.push(self.entry(record.seats)?);
        }
        record.ending = match self.one_of("an ending", &[0, 1, 2, 3])? {
            0 => None,
            1 => Some(Ending::Finished),
            2 => Some(Ending::Cancelled(self.checked(check_reason)?)),
            _ => Some(Ending::Void(self.checked(check_reason)?)),
        };
        record.result = match self.one_of("a result", &[false, true])? {
            false => None,
            true => Some(self.result(record.seats)?),
        };
        self.take::<LINK>()?;
        record.fingerprint = Fingerprint(self.take()?);
        Ok(record)
    }

    /// Reads the entries before the first that is missing or faulty.
    fn intact(mut self) -> Result<Transcript, RecordError> {
        let mut record = self.opening()?;
        for _ in 0..self.u32()? {
            let Ok(entry) = self.entry(record.seats) else { break };
            record.entries.push(entry);
        }
        Ok(record)
    }

    /// Reads everything before the entries, as an unfinished record.
    fn opening(&mut self) -> Result<Transcript, RecordError> {
        let (game, rules_version, seats) = (self.checked(check_word)?, self.u32()?, self.byte()?);
        let seats =
            Seats::new(seats.into()).ok_or_else(|| self.error(format!("expected 1 to 6 seats, got {seats}")))?;
        let options = self.pairs(check_option)?;
        let (layout, seed, bot_seeds) =
            (self.take()?, Seed(u64::from_le_bytes(self.take()?)), self.checked(check_text)?);
        let (terms, stand_in) = self.terms(seats)?;
        let players = seats.iter().map(|_| self.player()).collect::<Result<_, _>>()?;
        let notes = self.pairs(check_note)?;
        Ok(Transcript {
            game,
            rules_version,
            seats,
            options,
            layout,
            seed,
            bot_seeds,
            terms,
            stand_in,
            players,
            notes,
            entries: Vec::new(),
            ending: None,
            result: None,
            fingerprint: Fingerprint([0; 8]),
        })
    }

    /// Reads a list of two texts each.
    fn pairs(&mut self, check: fn(&str, &str) -> Result<(), String>) -> Result<Vec<(String, String)>, RecordError> {
        let mut pairs = Vec::new();
        for _ in 0..self.u32()? {
            let (key, value) = (self.text()?, self.text()?);
            check(&key, &value).map_err(|reason| self.error(reason))?;
            pairs.push((key, value));
        }
        Ok(pairs)
    }

    /// Reads the terms, and the name of the stand-in.
    fn terms(&mut self, seats: Seats) -> Result<(Terms, String), RecordError> {
        let conduct = Conduct::of(|_| self.one_of("a consequence", &Consequence::ALL))?;
        let absence_limit = self.u32()?.try_into().ok();
        let strikes = self.byte()?.try_into().map_err(|_| self.error("expected strikes above 0, got 0".to_owned()))?;
        let tries = u16::from_le_bytes(self.take()?);
        let tries = tries.try_into().map_err(|_| self.error("expected tries above 0, got 0".to_owned()))?;
        let conduct = Conduct { absence_limit, strikes, tries, ..conduct };
        let idle = self.u32()?.try_into().ok();
        let stand_in = self.checked(check_word)?;
        let count = usize::from(self.byte()?);
        if count != 0 && count != seats.count() {
            return Err(self.error(format!("expected no clock or one for each of {seats} seats, got {count}")));
        }
        let mut clocks = Vec::new();
        for _ in 0..count {
            let [startup, limit, bank, increment, lag] =
                [self.u32()?, self.u32()?, self.u32()?, self.u32()?, self.u32()?];
            let (limit, bank) = (limit.try_into().ok(), bank.try_into().ok());
            clocks.push(TimeControl { startup, limit, bank, increment, lag });
        }
        let terms = Terms { conduct, clocks, idle, stand_in: None };
        terms.check().map_err(|reason| self.error(reason))?;
        Ok((terms, stand_in))
    }

    fn player(&mut self) -> Result<NamedPlayer, RecordError> {
        let tag = self.one_of("a kind of player", &[0, 1, 2])?;
        let bot = (tag > 0).then(|| self.checked(check_word)).transpose()?;
        let name = if tag == 1 { bot.clone() } else { None };
        Ok(NamedPlayer { name: name.map_or_else(|| self.checked(check_name), Ok)?, bot })
    }

    fn entry(&mut self, seats: Seats) -> Result<Entry, RecordError> {
        match self.one_of("an entry", &[0, 1, 2, 3, 4, 5, 6, 7, 8])? {
            0 => self.checked(check_outcome).map(Entry::Chance),
            tag @ 1..=4 => {
                let seat = self.seat(seats)?;
                let id = ActionId(u16::from_le_bytes(self.take()?));
                let by = if tag % 2 == 1 { DecidedBy::Player } else { DecidedBy::StandIn };
                let time = match tag {
                    1 | 2 => ThinkingTime::default(),
                    _ => ThinkingTime { measured: self.u32()?, charged: self.u32()? },
                };
                Ok(Entry::Action { seat, id, by, time })
            }
            5 => {
                let (seat, decision, cause) = (self.seat(seats)?, self.u32()?, self.cause()?);
                let action = match self.one_of("an action of a strike", &[false, true])? {
                    false => None,
                    true => Some(ActionId(u16::from_le_bytes(self.take()?))),
                };
                Ok(Entry::Strike { seat, decision, cause, action })
            }
            6 => Ok(Entry::Forfeit { seat: self.seat(seats)?, cause: self.cause()? }),
            7 => self.checked(check_reason).map(Entry::Cancelled),
            _ => self.checked(check_reason).map(Entry::Void),
        }
    }

    fn result(&mut self, seats: Seats) -> Result<MatchResult, RecordError> {
        let (mut scores, mut ranks, mut forfeits) =
            (BySeat::new(seats, 0), BySeat::new(seats, 0), BySeat::new(seats, None));
        for seat in seats.iter() {
            scores[seat] = i32::from_le_bytes(self.take()?);
        }
        for seat in seats.iter() {
            ranks[seat] = self.byte()?;
        }
        let causes: Vec<_> = [None].into_iter().chain(Cause::ALL.map(Some)).collect();
        for seat in seats.iter() {
            forfeits[seat] = self.one_of("a cause of a forfeit", &causes)?;
        }
        Ok(MatchResult { scores, ranks, forfeits })
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

    /// Reads a byte as the place of one of `values`.
    fn one_of<T: Copy>(&mut self, what: &str, values: &[T]) -> Result<T, RecordError> {
        let place = self.byte()?;
        let value = values.get(usize::from(place)).copied();
        value.ok_or_else(|| self.error(format!("expected {what} with tag 0 to {}, got tag {place}", values.len() - 1)))
    }

    fn text(&mut self) -> Result<String, RecordError> {
        let length = self.u32()? as usize;
        let bytes = self.bytes[self.at..].get(..length).ok_or(RecordError::Cut)?;
        let text =
            str::from_utf8(bytes).map_err(|_| self.error("expected a text in UTF-8, got other bytes".to_owned()))?;
        self.at += length;
        Ok(text.to_owned())
    }

    /// Reads a text that passes the check.
    fn checked(&mut self, check: fn(&str) -> Result<(), String>) -> Result<String, RecordError> {
        let text = self.text()?;
        check(&text).map_err(|reason| self.error(reason))?;
        Ok(text)
    }

    fn seat(&mut self, seats: Seats) -> Result<Seat, RecordError> {
        let index = self.byte()?;
        seats
            .get(index.into())
            .ok_or_else(|| self.error(format!("expected a seat from 0 to {}, got {index}", seats.count() - 1)))
    }

    fn cause(&mut self) -> Result<Cause, RecordError> {
        self.one_of("a cause", &Cause::ALL)
    }
}

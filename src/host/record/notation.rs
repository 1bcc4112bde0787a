//! The text form of records.
//!
//! ```text
//! ahu record 1
//! game rappanui
//! rules 1
//! options seats=2 combine_rule=false reshuffle=lazy equal_turns=false require_effect=false tie=share
//! layout 4c1f…                          (the layout hash of the game's observations)
//! seed 7
//! seat 0 greedy                         (the players' names)
//! seat 1 random
//! plies
//! 1 deal first 1 / F1.1 W3.2 … / …      (the outcome of a chance event)
//! 2 draw F7.1 P2.2 S9.1 raid.4
//! 3 seat 1: no meld                     (the action of a seat)
//! - seat 1 forfeits                     (from here on a stand-in plays)
//! 4 seat 1 by stand-in: discard W3
//! …
//! end
//! scores 31 12
//! ranks 1 2
//! fingerprint 0f3a…
//! digest 77b0…                          (SHA-256 of all lines above)
//! ```
//!
//! An unfinished match has the line `unfinished` in place of scores and ranks. A match with forfeited seats has a
//! line such as `forfeited 1`. Outcomes and actions follow the grammar of the game.

use std::fmt::Write as _;

use super::{MatchResult, Record, RecordError, check_name, digest};
use crate::core::parse::words;
use crate::core::{BySeat, Fingerprint, ParseError, Seat, Seats, hex};
use crate::host::catalog::find;
use crate::host::log::{DecidedBy, Entry};
use crate::host::rules::{AnyRules, Setup};

/// The first line of every record.
pub const TITLE: &str = "ahu record 1";

pub(super) fn write(record: &Record) -> String {
    let mut text = String::new();
    write_lines(record, &mut text).expect("a string takes every text");
    let digest = hex(&digest(text.as_bytes()));
    text + "digest " + &digest + "\n"
}

fn write_lines(record: &Record, text: &mut String) -> std::fmt::Result {
    let rules = record.setup.rules();
    let info = rules.info();
    writeln!(text, "{TITLE}\ngame {}\nrules {}\noptions {}", info.id, info.rules, record.setup)?;
    writeln!(text, "layout {}\nseed {}", hex(&record.layout), record.seed)?;
    for (seat, name) in record.names.iter().enumerate() {
        writeln!(text, "seat {seat} {name}")?;
    }
    writeln!(text, "plies")?;
    let mut ply = 0;
    for entry in &record.entries {
        let words = entry_text(rules, entry);
        match entry {
            Entry::Chance(_) | Entry::Action { .. } => {
                ply += 1;
                writeln!(text, "{ply} {words}")?;
            }
            Entry::Strike(_) | Entry::Forfeit(_) => writeln!(text, "- {words}")?,
        }
    }
    writeln!(text, "end")?;
    match &record.result {
        Some(MatchResult { scores, ranks, forfeited }) => {
            writeln!(text, "scores {}\nranks {}", numbers(scores), numbers(ranks))?;
            if !forfeited.is_empty() {
                writeln!(
                    text,
                    "forfeited {}",
                    forfeited.iter().map(|seat| seat.to_string()).collect::<Vec<_>>().join(" ")
                )?;
            }
        }
        None => writeln!(text, "unfinished")?,
    }
    writeln!(text, "fingerprint {}", record.fingerprint)
}

/// Returns the text of an entry, as it stands after the number of its ply in a record.
///
/// # Panics
/// If its action is not one of the game.
pub fn entry_text(rules: &dyn AnyRules, entry: &Entry) -> String {
    match entry {
        Entry::Chance(outcome) => outcome.clone(),
        Entry::Action { seat, id, by } => {
            let action = rules.action_text(*id).expect("a record holds actions of its game");
            let by = if *by == DecidedBy::StandIn { " by stand-in" } else { "" };
            format!("seat {seat}{by}: {action}")
        }
        Entry::Strike(seat) => format!("seat {seat} plays illegally"),
        Entry::Forfeit(seat) => format!("seat {seat} forfeits"),
    }
}

fn numbers<T: Copy + ToString>(values: &BySeat<T>) -> String {
    values.values().iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads a record. Line ends may be those of any system.
pub(super) fn read(text: &str) -> Result<Record, RecordError> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.first() != Some(&TITLE) {
        return Err(RecordError::NotARecord);
    }
    let Some((last, above)) = lines.split_last().filter(|(last, _)| last.starts_with("digest ")) else {
        return Err(RecordError::Cut);
    };
    let above = above.iter().fold(String::new(), |text, line| text + line + "\n");
    let complete = *last == format!("digest {}", hex(&digest(above.as_bytes())));

    // The fault of a line is more helpful than a digest that does not match.
    let record = Reader { lines: &lines[..lines.len() - 1], next: 1, ply: 0 }.record()?;
    if !complete {
        return Err(RecordError::Altered);
    }
    check_spelling(&record, &lines)?;
    Ok(record)
}

/// Refuses any spelling but the canonical one, so that a match has one record. Options are exempt, since an old
/// record may lack newer ones.
fn check_spelling(record: &Record, lines: &[&str]) -> Result<(), RecordError> {
    let canonical = write(record);
    let above = canonical.lines().zip(lines).take(lines.len() - 1).enumerate();
    let differs = |(_, (ours, theirs)): &(usize, (&str, &&str))| !ours.starts_with("options ") && ours != *theirs;
    above.into_iter().find(differs).map_or(Ok(()), |(at, (ours, theirs))| {
        let same = ours.chars().zip(theirs.chars()).take_while(|(ours, theirs)| ours == theirs).count();
        let reason = format!("expected the spelling \"{ours}\"");
        Err(RecordError::Unreadable { line: at + 1, column: same + 1, reason })
    })
}

struct Reader<'a> {
    lines: &'a [&'a str],
    next: usize,
    /// The last ply that was read.
    ply: usize,
}

impl<'a> Reader<'a> {
    fn record(mut self) -> Result<Record, RecordError> {
        let rules = find(self.value("game")?).map_err(RecordError::UnknownGame)?;
        let info = rules.info();
        let made_under = self.number("rules")?;
        if made_under != info.rules {
            return Err(RecordError::OtherRules { game: info.id, made_under, ours: info.rules });
        }
        let setup = self.options(rules)?;
        let layout = self.hex("layout")?;
        let seed = self.value("seed")?.parse().map_err(|error: ParseError| self.error(error.within("seed ".len())))?;
        let seats = setup.seats();
        let names = seats.iter().map(|seat| self.name(seat)).collect::<Result<_, _>>()?;
        self.exactly("plies")?;
        let mut entries = Vec::new();
        while let Some(entry) = self.entry(rules, seats)? {
            entries.push(entry);
        }
        let result = self.result(seats)?;
        let fingerprint = Fingerprint(self.hex("fingerprint")?);
        if self.next < self.lines.len() {
            self.line()?;
            return Err(self.error(ParseError::new(0, "expected the digest after the fingerprint")));
        }
        Ok(Record { setup, layout, seed, names, entries, result, fingerprint })
    }

    fn line(&mut self) -> Result<&'a str, RecordError> {
        let line = self.lines.get(self.next).ok_or(RecordError::Cut)?;
        self.next += 1;
        Ok(line)
    }

    /// Returns an error in the last line that was read.
    fn error(&self, ParseError { at, message }: ParseError) -> RecordError {
        let column = self.lines[self.next - 1].get(..at).map_or(0, |before| before.chars().count()) + 1;
        RecordError::Unreadable { line: self.next, column, reason: message.into_owned() }
    }

    fn exactly(&mut self, expected: &str) -> Result<(), RecordError> {
        match self.line()? == expected {
            true => Ok(()),
            false => Err(self.error(ParseError::new(0, format!("expected the line \"{expected}\"")))),
        }
    }

    /// Returns the rest of the next line, after `key`.
    fn value(&mut self, key: &str) -> Result<&'a str, RecordError> {
        let line = self.line()?;
        let value = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        value.ok_or_else(|| self.error(ParseError::new(0, format!("expected a line \"{key} …\", got \"{line}\""))))
    }

    fn number<T: std::str::FromStr>(&mut self, key: &str) -> Result<T, RecordError> {
        let value = self.value(key)?;
        value
            .parse()
            .map_err(|_| self.error(ParseError::new(key.len() + 1, format!("expected a number, got \"{value}\""))))
    }

    fn options(&mut self, rules: &'static dyn AnyRules) -> Result<Setup, RecordError> {
        let line = self.value("options")?;
        let mut given = Vec::new();
        for (at, word) in words(line) {
            let error = || {
                self.error(ParseError::new(
                    "options ".len() + at,
                    format!("expected an option as key=value, got \"{word}\""),
                ))
            };
            given.push(word.split_once('=').ok_or_else(error)?);
        }
        let Some((("seats", seats), options)) = given.split_first() else {
            return Err(self.error(ParseError::new("options ".len(), "expected seats=… as the first option")));
        };
        let seats = seats
            .parse()
            .map_err(|_| self.error(ParseError::new("options ".len(), "expected a number after seats=")))?;
        rules.configure(seats, options).map_err(RecordError::Options)
    }

    fn name(&mut self, seat: Seat) -> Result<String, RecordError> {
        let key = format!("seat {seat}");
        let name = self.value(&key)?;
        check_name(name).map_err(|reason| self.error(ParseError::new(key.len() + 1, reason)))?;
        Ok(name.to_owned())
    }

    /// Reads the next entry; None at the line `end`.
    fn entry(&mut self, rules: &dyn AnyRules, seats: Seats) -> Result<Option<Entry>, RecordError> {
        let line = self.line()?;
        if line == "end" {
            return Ok(None);
        }
        let (head, what) = line.split_once(' ').unwrap_or((line, ""));
        let start = head.len() + 1;
        if head == "-" {
            let entry = what.strip_prefix("seat ").and_then(|rest| {
                let (seat, ruling) = rest.split_once(' ')?;
                let seat = seats.get(seat.parse().ok()?)?;
                match ruling {
                    "plays illegally" => Some(Entry::Strike(seat)),
                    "forfeits" => Some(Entry::Forfeit(seat)),
                    _ => None,
                }
            });
            let error = || ParseError::new(start, "expected \"seat 0 plays illegally\" or \"seat 0 forfeits\"");
            return entry.map(Some).ok_or_else(|| self.error(error()));
        }
        let ply = self.ply + 1;
        if head != ply.to_string() {
            return Err(self.error(ParseError::new(0, format!("expected ply {ply} or \"end\", got \"{head}\""))));
        }
        self.ply = ply;
        let Some(of_seat) = what.strip_prefix("seat ") else { return Ok(Some(Entry::Chance(what.to_owned()))) };
        let Some((who, action)) = of_seat.split_once(": ") else {
            return Err(self.error(ParseError::new(start, "expected an action as \"seat 0: …\"")));
        };
        let (who, by) =
            who.strip_suffix(" by stand-in").map_or((who, DecidedBy::Player), |who| (who, DecidedBy::StandIn));
        let seat = who.parse().ok().and_then(|index| seats.get(index));
        let seat = seat.ok_or_else(|| {
            self.error(ParseError::new(
                start + 5,
                format!("expected a seat from 0 to {}, got \"{who}\"", seats.count() - 1),
            ))
        })?;
        let id = rules.parse_action(action).map_err(|error| self.error(error.within(line.len() - action.len())))?;
        Ok(Some(Entry::Action { seat, id, by }))
    }

    fn result(&mut self, seats: Seats) -> Result<Option<MatchResult>, RecordError> {
        if self.lines.get(self.next) == Some(&"unfinished") {
            self.next += 1;
            return Ok(None);
        }
        let scores = self.by_seat("scores", seats)?;
        let ranks = self.by_seat("ranks", seats)?;
        let mut forfeited = crate::core::SeatSet::EMPTY;
        if self.lines.get(self.next).is_some_and(|line| line.starts_with("forfeited ")) {
            for word in self.value("forfeited")?.split(' ') {
                let seat = word.parse().ok().and_then(|index| seats.get(index));
                forfeited = forfeited.with(seat.ok_or_else(|| {
                    self.error(ParseError::new(
                        10,
                        format!("expected a seat from 0 to {}, got \"{word}\"", seats.count() - 1),
                    ))
                })?);
            }
        }
        Ok(Some(MatchResult { scores, ranks, forfeited }))
    }

    fn by_seat<T: Copy + Default + std::str::FromStr>(
        &mut self,
        key: &str,
        seats: Seats,
    ) -> Result<BySeat<T>, RecordError> {
        let line = self.value(key)?;
        let numbers: Option<Vec<T>> = line.split(' ').map(|word| word.parse().ok()).collect();
        let error =
            || self.error(ParseError::new(key.len() + 1, format!("expected {seats} numbers, one for each seat")));
        let numbers = numbers.filter(|numbers| numbers.len() == seats.count()).ok_or_else(error)?;
        Ok(BySeat::from_fn(seats, |seat| numbers[seat.index()]))
    }

    /// Reads the next line as `key` and `N` bytes in hexadecimal.
    fn hex<const N: usize>(&mut self, key: &str) -> Result<[u8; N], RecordError> {
        let text = self.value(key)?;
        let byte = |n: usize| text.get(2 * n..2 * n + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let bytes: Option<Vec<u8>> = (0..N).map(byte).collect();
        let bytes: Option<[u8; N]> = bytes.and_then(|bytes| bytes.try_into().ok());
        let error = || ParseError::new(key.len() + 1, format!("expected {} hexadecimal digits, got \"{text}\"", 2 * N));
        bytes.filter(|bytes| hex(bytes) == text).ok_or_else(|| self.error(error()))
    }
}

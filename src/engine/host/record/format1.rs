//! Format 1 of records, which is read and never written.
//!
//! It states neither terms nor causes. A record that is read takes these: the default conduct, but with a strike for each
//! illegal action if strikes occur; the stand-in `random@1`; the cause `illegal` of strikes and forfeits; and players as
//! names. A strike belongs to the decision that its seat owed. The record is then [`Record::converted`].
//!
//! The text begins with `ahu record 1`. Format 2 has the same lines, but for the lines of the terms and of the chain, and
//! these: `- seat 1 plays illegally`, `- seat 1 forfeits`, no line for an end but `unfinished`, and `forfeited 1 2` for
//! the seats that forfeited. The digest is the SHA-256 of all lines above it.
//!
//! The bytes begin with `AHUREC1\n`. They lack the same fields: the tags of entries are 0 chance, 1 action, 2 action by a
//! stand-in, 3 forfeit (seat), and 4 strike (seat). The result is 0, or 1 with scores, ranks, and the forfeited seats as
//! bits. The digest is the SHA-256 of all bytes before it.

use std::fmt::Write as _;

use super::notation::{EntryLine, check_spelling, numbers, written_digest};
use super::{Head, MatchResult, Record, RecordError, binary, digest, notation};
use crate::core::{BySeat, Fingerprint, SeatSet, Seats, Seed, hex};
use crate::host::clock::ThinkingTime;
use crate::host::conduct::{Cause, Conduct, Ending, Terms};
use crate::host::log::{DecidedBy, Entry};
use crate::host::player::SeatPlayer;
use crate::host::rules::{AnyRules, Setup};

/// The first bytes of a binary record.
pub(super) const MAGIC: &[u8] = b"AHUREC1\n";
/// The first line of a text record.
pub(super) const TITLE: &str = "ahu record 1";

pub(super) fn read_binary(bytes: &[u8]) -> Result<Record, RecordError> {
    binary::Reader::read_to_digest(bytes, MAGIC, |reader| {
        let Head { setup, options, layout, seed } = reader.head()?;
        let (rules, seats) = (setup.rules(), setup.seats());
        let players = seats.iter().map(|_| reader.name().map(SeatPlayer::external)).collect::<Result<_, _>>()?;
        let count = reader.u32()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(binary_entry(reader, rules, seats)?);
        }
        let result = match reader.one_of("a result", &[false, true])? {
            false => None,
            true => Some(binary_result(reader, seats)?),
        };
        let fingerprint = Fingerprint(reader.take()?);
        Ok(Fields { setup, options, layout, seed, players, entries, result, fingerprint }.record())
    })
}

fn binary_entry(reader: &mut binary::Reader<'_>, rules: &dyn AnyRules, seats: Seats) -> Result<Entry, RecordError> {
    match reader.one_of("an entry", &[0, 1, 2, 3, 4])? {
        0 => reader.outcome(),
        tag @ (1 | 2) => {
            let (seat, id) = (reader.seat(seats)?, reader.action(rules)?);
            let by = if tag == 1 { DecidedBy::Player } else { DecidedBy::StandIn };
            Ok(Entry::Action { seat, id, by, time: ThinkingTime::default() })
        }
        3 => Ok(Entry::Forfeit { seat: reader.seat(seats)?, cause: Cause::Illegal }),
        _ => Ok(Entry::Strike { seat: reader.seat(seats)?, decision: 0, cause: Cause::Illegal, action: None }),
    }
}

fn binary_result(reader: &mut binary::Reader<'_>, seats: Seats) -> Result<MatchResult, RecordError> {
    let (scores, ranks) = reader.scores_and_ranks(seats)?;
    let bits = reader.byte()?;
    if bits >> seats.count() != 0 {
        let last = seats.count() - 1;
        return Err(reader.error(format!("expected forfeited seats from 0 to {last}, got the bits {bits:#b}")));
    }
    let forfeited = seats.iter().filter(|seat| bits >> seat.index() & 1 == 1).collect();
    Ok(MatchResult { scores, ranks, forfeits: forfeits(seats, forfeited) })
}

pub(super) fn read_text(text: &str) -> Result<Record, RecordError> {
    let lines: Vec<&str> = text.lines().collect();
    let written = written_digest(&lines)?;
    let above = lines[..lines.len() - 1].iter().fold(String::new(), |text, line| text + line + "\n");
    let record = text_record(notation::Reader::new(&lines[..lines.len() - 1]))?;
    if written != hex(&digest(above.as_bytes())) {
        return Err(RecordError::Altered);
    }
    // Options are exempt, since an old record may lack newer ones.
    check_spelling(&canonical(&record), &lines, |line| line.starts_with("options "))?;
    Ok(record)
}

fn text_record(mut reader: notation::Reader<'_>) -> Result<Record, RecordError> {
    let Head { setup, options, layout, seed } = reader.head()?;
    let (rules, seats) = (setup.rules(), setup.seats());
    let players = seats.iter().map(|seat| reader.name(seat)).collect::<Result<_, _>>()?;
    reader.exactly("plies")?;
    let mut entries = Vec::new();
    while let Some(entry) = text_entry(&mut reader, rules, seats)? {
        entries.push(entry);
    }
    let result = match reader.has("unfinished") {
        true => None,
        false => Some(text_result(&mut reader, seats)?),
    };
    let fingerprint = Fingerprint(reader.hex("fingerprint")?);
    reader.done()?;
    Ok(Fields { setup, options, layout, seed, players, entries, result, fingerprint }.record())
}

fn text_entry(
    reader: &mut notation::Reader<'_>,
    rules: &dyn AnyRules,
    seats: Seats,
) -> Result<Option<Entry>, RecordError> {
    match reader.entry_line(seats)? {
        EntryLine::End => Ok(None),
        EntryLine::Chance(outcome) => Ok(Some(Entry::Chance(outcome.to_owned()))),
        EntryLine::Action { seat, by, at, action } => {
            let id = reader.action(rules, at, action)?;
            Ok(Some(Entry::Action { seat, id, by, time: ThinkingTime::default() }))
        }
        EntryLine::Note { at, note } => {
            let entry = note.strip_prefix("seat ").and_then(|rest| {
                let (seat, ruling) = rest.split_once(' ')?;
                let seat = seats.get(seat.parse().ok()?)?;
                match ruling {
                    "plays illegally" => Some(Entry::Strike { seat, decision: 0, cause: Cause::Illegal, action: None }),
                    "forfeits" => Some(Entry::Forfeit { seat, cause: Cause::Illegal }),
                    _ => None,
                }
            });
            let expected = "expected \"seat 0 plays illegally\" or \"seat 0 forfeits\"";
            entry.map(Some).ok_or_else(|| reader.error(crate::core::ParseError::new(at, expected)))
        }
    }
}

fn text_result(reader: &mut notation::Reader<'_>, seats: Seats) -> Result<MatchResult, RecordError> {
    let scores = reader.by_seat("scores", "numbers", seats, |word| word.parse().ok())?;
    let ranks = reader.by_seat("ranks", "numbers", seats, |word| word.parse().ok())?;
    let mut forfeited = SeatSet::EMPTY;
    if reader.begins("forfeited ") {
        for word in reader.value("forfeited")?.split(' ') {
            forfeited = forfeited.with(reader.seat(seats, "forfeited ".len(), word)?);
        }
    }
    Ok(MatchResult { scores, ranks, forfeits: forfeits(seats, forfeited) })
}

fn forfeits(seats: Seats, forfeited: SeatSet) -> BySeat<Option<Cause>> {
    BySeat::from_fn(seats, |seat| forfeited.contains(seat).then_some(Cause::Illegal))
}

/// The fields of format 1. The decisions of its strikes are not set.
struct Fields {
    setup: Setup,
    options: Vec<&'static str>,
    layout: [u8; 32],
    seed: Seed,
    players: Vec<SeatPlayer>,
    entries: Vec<Entry>,
    result: Option<MatchResult>,
    fingerprint: Fingerprint,
}

impl Fields {
    fn record(self) -> Record {
        let Self { setup, options, layout, seed, players, mut entries, result, fingerprint } = self;
        let mut answered = BySeat::new(setup.seats(), 0);
        let mut struck = BySeat::new(setup.seats(), 0_u8);
        for entry in &mut entries {
            match entry {
                Entry::Action { seat, .. } => answered[*seat] += 1,
                Entry::Strike { seat, decision, .. } => {
                    *decision = answered[*seat] + 1;
                    struck[*seat] = struck[*seat].saturating_add(1);
                }
                _ => {}
            }
        }
        let strikes = struck.values().iter().max().and_then(|&most| most.try_into().ok());
        let conduct = strikes.map_or_else(Conduct::default, Conduct::with_strikes);
        let stand_in = setup.rules().bot("random@1").expect("the bots of format 1 stay in the catalog");
        let terms = Terms { stand_in: Some(stand_in), ..conduct.into() };
        let ending = result.is_some().then_some(Ending::Finished);
        Record { setup, options, layout, seed, terms, players, entries, ending, result, fingerprint, converted: true }
    }
}

/// Returns the lines of a record in the one spelling that format 1 accepts.
fn canonical(record: &Record) -> String {
    let rules = record.setup.rules();
    let info = rules.info();
    let mut lines = vec![
        TITLE.to_owned(),
        format!("game {}\nrules {}\noptions {}", info.id, info.rules, record.setup),
        format!("layout {}\nseed {}", hex(&record.layout), record.seed),
    ];
    lines.extend(record.players.iter().enumerate().map(|(seat, player)| format!("seat {seat} {}", player.name)));
    lines.push("plies".to_owned());
    let mut ply = 0;
    for entry in &record.entries {
        lines.push(match entry {
            Entry::Strike { seat, .. } => format!("- seat {seat} plays illegally"),
            Entry::Forfeit { seat, .. } => format!("- seat {seat} forfeits"),
            entry => {
                ply += 1;
                format!("{ply} {}", notation::entry_text(rules, entry))
            }
        });
    }
    lines.push("end".to_owned());
    match &record.result {
        None => lines.push("unfinished".to_owned()),
        Some(result) => {
            lines.push(format!("scores {}\nranks {}", numbers(&result.scores), numbers(&result.ranks)));
            let mut forfeited = "forfeited".to_owned();
            for seat in result.forfeited().iter() {
                write!(forfeited, " {seat}").expect("a string takes every text");
            }
            lines.extend((!result.forfeited().is_empty()).then_some(forfeited));
        }
    }
    lines.push(format!("fingerprint {}", record.fingerprint));
    lines.join("\n")
}

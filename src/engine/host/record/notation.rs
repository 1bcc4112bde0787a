//! The text form of records.
//!
//! ```text
//! ahu record 2
//! game rappanui
//! rules 1
//! options seats=2 combine_rule=false reshuffle=lazy equal_turns=false require_effect=false tie=share
//! layout 4c1f…                          (the layout hash of the game's observations)
//! seed 7
//! bots ahu bots, version 1              (the label under which bot seeds come from the seed)
//! conduct illegal=strike unreadable=refusal timeout=forfeit exited=forfeit absent=forfeit resigned=forfeit
//!         absence_limit=none strikes=3 tries=50          (on one line)
//! idle 600000ms
//! stand_in greedy@1
//! clock 0 startup=0ms limit=none bank=none increment=0ms lag=0ms       (no lines of clocks: no clocks)
//! clock 1 startup=10000ms limit=none bank=300000ms increment=2000ms lag=200ms
//! seat 0 bot greedy@1                   (the players: bots with versions, and names of all others)
//! seat 1 my agent
//! plies
//! 1 deal first 1 / F1.1 W3.2 … / …      (the outcome of a chance event)
//! 2 draw F7.1 P2.2 S9.1 raid.4
//! 3 seat 1: no meld (1234 ms, 1034 charged)     (the action of a seat, and its thinking time if it took any)
//! - seat 1 gets a strike in decision 2 (illegal: meld F7)
//! - seat 1 forfeits (timeout)           (from here on a stand-in plays)
//! 4 seat 1 by stand-in: discard W3
//! …
//! end
//! finished
//! scores 31 12
//! ranks 1 2
//! forfeits none timeout
//! chain 51c0…                           (the last link of the chain of entries)
//! fingerprint 0f3a…
//! digest 77b0…                          (SHA-256 of the binary form without its digest)
//! ```
//!
//! The line after `end` is the ending: `unfinished`, `finished`, or a line such as `cancelled: the host left` or
//! `void: the disk is full`. The last entry of a match that was cancelled or is void is the same line after a dash.
//! Only a finished match has scores and ranks, and only one with forfeits has the line of their causes. A name that
//! begins with `bot ` or `external ` has the word `external` before it. Outcomes and actions follow the grammar of the
//! game.

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::str::FromStr;

use super::{Head, LINK, MatchResult, Record, RecordError, check_name, last_link, named};
use crate::core::parse::words;
use crate::core::{ActionId, BySeat, Fingerprint, ParseError, Seat, Seats, hex};
use crate::host::bot_seed::bots_label;
use crate::host::bots::BotName;
use crate::host::catalog::find;
use crate::host::clock::{ThinkingTime, TimeControl};
use crate::host::conduct::{Cause, Conduct, Consequence, Ending, Terms, check_reason};
use crate::host::log::{DecidedBy, Entry};
use crate::host::player::SeatPlayer;
use crate::host::rules::{AnyRules, Setup};

/// The first line of every record.
pub const TITLE: &str = "ahu record 2";

pub(super) fn write(record: &Record) -> String {
    let mut text = String::new();
    write_lines(record, &mut text).expect("a string takes every text");
    text + "digest " + &hex(&record.digest()) + "\n"
}

fn write_lines(record: &Record, text: &mut String) -> std::fmt::Result {
    let rules = record.setup.rules();
    let info = rules.info();
    writeln!(text, "{TITLE}")?;
    write!(text, "game {}\nrules {}\noptions seats={}", info.id, info.rules, record.setup.seats())?;
    for (key, value) in record.named_options() {
        write!(text, " {key}={value}")?;
    }
    writeln!(text, "\nlayout {}\nseed {}\nbots {}", hex(&record.layout), record.seed, bots_label())?;
    text.push_str(&terms_text(&record.terms, rules));
    for (seat, player) in record.players.iter().enumerate() {
        writeln!(text, "seat {seat} {}", player_text(player))?;
    }
    writeln!(text, "plies")?;
    let mut ply = 0;
    for entry in &record.entries {
        let words = entry_text(rules, entry);
        match entry.is_ply() {
            true => {
                ply += 1;
                writeln!(text, "{ply} {words}")?;
            }
            false => writeln!(text, "- {words}")?,
        }
    }
    writeln!(text, "end\n{}", ending_text(record.ending.as_ref()))?;
    if let Some(MatchResult { scores, ranks, forfeits }) = &record.result {
        writeln!(text, "scores {}\nranks {}", numbers(scores), numbers(ranks))?;
        if forfeits.values().iter().any(Option::is_some) {
            writeln!(text, "forfeits {}", causes(*forfeits))?;
        }
    }
    writeln!(text, "chain {}\nfingerprint {}", hex(&last_link(&record.entries)), record.fingerprint)
}

/// Returns the terms of a match as lines, as they stand in its record.
pub fn terms_text(terms: &Terms, rules: &dyn AnyRules) -> String {
    let Terms { conduct, clocks, idle, .. } = terms;
    let consequences = Cause::ALL.map(|cause| format!("{cause}={}", conduct.consequence(cause))).join(" ");
    let Conduct { absence_limit, strikes, tries, .. } = conduct;
    let mut lines = vec![
        format!("conduct {consequences} absence_limit={} strikes={strikes} tries={tries}", limit(*absence_limit)),
        format!("idle {}", limit(*idle)),
        format!("stand_in {}", terms.stand_in_of(rules)),
    ];
    for (seat, clock) in clocks.iter().enumerate() {
        let TimeControl { startup, limit: of_span, bank, increment, lag } = clock;
        let (of_span, bank) = (limit(*of_span), limit(*bank));
        lines.push(format!(
            "clock {seat} startup={startup}ms limit={of_span} bank={bank} increment={increment}ms lag={lag}ms"
        ));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn limit(milliseconds: Option<NonZeroU32>) -> String {
    milliseconds.map_or("none".to_owned(), |milliseconds| format!("{milliseconds}ms"))
}

/// The word before a name that could be taken for another kind of player.
const EXTERNAL: &str = "external ";
/// The word before a bot.
const BOT: &str = "bot ";

fn player_text(player: &SeatPlayer) -> String {
    match player.bot {
        Some(bot) => format!("{BOT}{bot}"),
        None if player.name.starts_with(BOT) || player.name.starts_with(EXTERNAL) => EXTERNAL.to_owned() + &player.name,
        None => player.name.clone(),
    }
}

/// Returns the text of an entry, as it stands after the number of its ply in a record.
///
/// # Panics
/// If its action is not one of the game.
pub fn entry_text(rules: &dyn AnyRules, entry: &Entry) -> String {
    let action_text = |id: ActionId| rules.action_text(id).expect("a record holds actions of its game");
    match entry {
        Entry::Chance(outcome) => outcome.clone(),
        Entry::Action { seat, id, by, time } => {
            let by = if *by == DecidedBy::StandIn { " by stand-in" } else { "" };
            let time = match *time {
                ThinkingTime { measured: 0, charged: 0 } => String::new(),
                ThinkingTime { measured, charged: 0 } => format!(" ({measured} ms)"),
                ThinkingTime { measured, charged } => format!(" ({measured} ms, {charged} charged)"),
            };
            format!("seat {seat}{by}: {}{time}", action_text(*id))
        }
        Entry::Strike { seat, decision, cause, action } => {
            let action = action.map_or(String::new(), |id| format!(": {}", action_text(id)));
            format!("seat {seat} gets a strike in decision {decision} ({cause}{action})")
        }
        Entry::Forfeit { seat, cause } => format!("seat {seat} forfeits ({cause})"),
        Entry::Cancelled(reason) => format!("cancelled: {reason}"),
        Entry::Void(reason) => format!("void: {reason}"),
    }
}

/// Returns the ending of a match as a record has it.
pub fn ending_text(ending: Option<&Ending>) -> String {
    match ending {
        None => "unfinished".to_owned(),
        Some(Ending::Finished) => "finished".to_owned(),
        Some(Ending::Cancelled(reason)) => format!("cancelled: {reason}"),
        Some(Ending::Void(reason)) => format!("void: {reason}"),
    }
}

pub(in crate::host) fn numbers<T: Copy + ToString>(values: &BySeat<T>) -> String {
    values.values().iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the cause of each forfeit by seat, or `none`.
pub(in crate::host) fn causes(forfeits: BySeat<Option<Cause>>) -> String {
    forfeits.values().iter().map(|cause| cause.map_or("none", Cause::name)).collect::<Vec<_>>().join(" ")
}

/// Reads a record. Line ends may be those of any system.
pub(super) fn read(text: &str) -> Result<Record, RecordError> {
    let lines: Vec<&str> = text.lines().collect();
    let digest = written_digest(&lines)?;
    // The fault of a line is more helpful than a digest that does not match.
    let record = Reader::new(&lines[..lines.len() - 1]).record()?;
    if digest != hex(&record.digest()) {
        return Err(RecordError::Altered);
    }
    check_spelling(&write(&record), &lines)?;
    Ok(record)
}

/// Reads the intact entries of a record that was cut; its last line may be a part of one.
pub(super) fn read_intact(text: &str) -> Result<Record, RecordError> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Reader::new(&whole.lines().collect::<Vec<_>>()).intact()
}

/// Returns the digest in the last line of a record.
fn written_digest<'a>(lines: &[&'a str]) -> Result<&'a str, RecordError> {
    lines.last().and_then(|last| last.strip_prefix("digest ")).ok_or(RecordError::Cut)
}

/// Refuses any spelling but the canonical one, so that a match has one record. The digest may differ.
fn check_spelling(canonical: &str, lines: &[&str]) -> Result<(), RecordError> {
    let above = canonical.lines().zip(lines).take(lines.len() - 1).enumerate();
    let differs = |(_, (ours, theirs)): &(usize, (&str, &&str))| ours != *theirs;
    above.into_iter().find(differs).map_or(Ok(()), |(at, (ours, theirs))| {
        let same = ours.chars().zip(theirs.chars()).take_while(|(ours, theirs)| ours == theirs).count();
        let reason = format!("expected the spelling \"{ours}\"");
        Err(RecordError::Unreadable { line: at + 1, column: same + 1, reason })
    })
}

/// A reader of the lines of a record, after its title and before its digest.
struct Reader<'a> {
    lines: &'a [&'a str],
    next: usize,
    /// The last ply that was read.
    ply: usize,
}

/// A line of an entry. A place is that of its text in the line, in bytes.
enum EntryLine<'a> {
    /// The line `end`.
    End,
    /// An entry that is no ply.
    Note {
        at: usize,
        note: &'a str,
    },
    Chance(&'a str),
    Action {
        seat: Seat,
        by: DecidedBy,
        at: usize,
        action: &'a str,
    },
}

impl<'a> Reader<'a> {
    /// Creates a reader after the title.
    fn new(lines: &'a [&'a str]) -> Self {
        Self { lines, next: 1, ply: 0 }
    }

    fn record(mut self) -> Result<Record, RecordError> {
        let mut record = self.opening()?;
        let (rules, seats) = (record.setup.rules(), record.setup.seats());
        while let Some(entry) = self.entry(rules, seats)? {
            record.entries.push(entry);
        }
        record.ending = self.ending()?;
        record.result = self.result(seats)?;
        let _: [u8; LINK] = self.hex("chain")?;
        record.fingerprint = Fingerprint(self.hex("fingerprint")?);
        self.done()?;
        Ok(record)
    }

    /// Reads the entries before the first that is missing or faulty.
    fn intact(mut self) -> Result<Record, RecordError> {
        let mut record = self.opening()?;
        let (rules, seats) = (record.setup.rules(), record.setup.seats());
        while let Ok(Some(entry)) = self.entry(rules, seats) {
            record.entries.push(entry);
        }
        Ok(record)
    }

    /// Reads everything before the entries, as an unfinished record.
    fn opening(&mut self) -> Result<Record, RecordError> {
        let head = self.head()?;
        self.exactly(&format!("bots {}", bots_label()))?;
        let (rules, seats) = (head.setup.rules(), head.setup.seats());
        let terms = self.terms(rules, seats)?;
        let players = seats.iter().map(|seat| self.player(seat, rules)).collect::<Result<_, _>>()?;
        self.exactly("plies")?;
        Ok(Record::opening(head, terms, players))
    }

    /// Reads the fields before the terms.
    fn head(&mut self) -> Result<Head, RecordError> {
        let rules = find(self.value("game")?).map_err(RecordError::UnknownGame)?;
        let info = rules.info();
        let made_under = self.number("rules")?;
        if made_under != info.rules {
            return Err(RecordError::OtherRules { game: info.id, made_under, ours: info.rules });
        }
        let (setup, options) = self.options(rules)?;
        let layout = self.hex("layout")?;
        let seed = self.value("seed")?.parse().map_err(|error: ParseError| self.error(error.within("seed ".len())))?;
        Ok(Head { setup, options, layout, seed })
    }

    fn terms(&mut self, rules: &dyn AnyRules, seats: Seats) -> Result<Terms, RecordError> {
        let names = Cause::ALL.map(Cause::name).into_iter().chain(["absence_limit", "strikes", "tries"]);
        let [illegal, unreadable, timeout, exited, absent, resigned, absence, strikes, tries] =
            self.settings("conduct", names)?;
        let consequence = |reader: &Self, word| reader.parsed::<Consequence>(word, "refusal, strike, or forfeit");
        let conduct = Conduct {
            illegal: consequence(self, illegal)?,
            unreadable: consequence(self, unreadable)?,
            timeout: consequence(self, timeout)?,
            exited: consequence(self, exited)?,
            absent: consequence(self, absent)?,
            resigned: consequence(self, resigned)?,
            absence_limit: self.limit(absence)?,
            strikes: self.parsed(strikes, "a number from 1 to 255")?,
            tries: self.parsed(tries, "a number from 1 to 65535")?,
        };
        let idle = self.value("idle")?;
        let idle = self.limit(("idle ".len(), idle))?;
        let stand_in = self.value("stand_in")?;
        let stand_in = Some(self.bot(rules, "stand_in ".len(), stand_in)?);
        let mut clocks = Vec::new();
        if self.lines.get(self.next).is_some_and(|line| line.starts_with("clock ")) {
            for seat in seats.iter() {
                clocks.push(self.clock(seat)?);
            }
        }
        let terms = Terms { conduct, clocks, idle, stand_in };
        terms.check().map_err(|reason| self.error(ParseError::new(0, reason)))?;
        Ok(terms)
    }

    fn clock(&mut self, seat: Seat) -> Result<TimeControl, RecordError> {
        let names = ["startup", "limit", "bank", "increment", "lag"];
        let [startup, limit, bank, increment, lag] = self.settings(&format!("clock {seat}"), names)?;
        Ok(TimeControl {
            startup: self.milliseconds(startup)?,
            limit: self.limit(limit)?,
            bank: self.limit(bank)?,
            increment: self.milliseconds(increment)?,
            lag: self.milliseconds(lag)?,
        })
    }

    /// Reads the next line as `key` and `N` settings such as `lag=200ms`. Returns the place and the text of each value.
    fn settings<const N: usize>(
        &mut self,
        key: &str,
        names: impl IntoIterator<Item = &'static str>,
    ) -> Result<[(usize, &'a str); N], RecordError> {
        let line = self.value(key)?;
        let mut words = words(line);
        let mut values = [(0, ""); N];
        for (value, name) in values.iter_mut().zip(names) {
            let (at, word) = words.next().unwrap_or((line.len(), ""));
            let at = key.len() + 1 + at;
            let own = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
            let error = || ParseError::new(at, format!("expected {name}=…, got \"{word}\""));
            *value = (at + name.len() + 1, own.ok_or_else(|| self.error(error()))?);
        }
        Ok(values)
    }

    fn milliseconds(&self, (at, word): (usize, &str)) -> Result<u32, RecordError> {
        let number = word.strip_suffix("ms").unwrap_or_default();
        number.parse().map_err(|_| self.error(ParseError::new(at, format!("expected a time as 200ms, got \"{word}\""))))
    }

    fn limit(&self, (at, word): (usize, &str)) -> Result<Option<NonZeroU32>, RecordError> {
        match word {
            "none" => Ok(None),
            "0ms" => Err(self.error(ParseError::new(at, "expected a time above 0ms, or none, got 0ms"))),
            word => self.milliseconds((at, word)).map(NonZeroU32::new),
        }
    }

    fn parsed<T: FromStr>(&self, (at, word): (usize, &str), expected: &str) -> Result<T, RecordError> {
        let error = || ParseError::new(at, format!("expected {expected}, got \"{word}\""));
        word.parse().map_err(|_| self.error(error()))
    }

    fn bot(&self, rules: &dyn AnyRules, at: usize, name: &str) -> Result<BotName, RecordError> {
        rules.bot(name).map_err(|error| self.error(ParseError::new(at, error.message)))
    }

    fn player(&mut self, seat: Seat, rules: &dyn AnyRules) -> Result<SeatPlayer, RecordError> {
        let key = format!("seat {seat}");
        let player = self.value(&key)?;
        if let Some(bot) = player.strip_prefix(BOT) {
            return self.bot(rules, key.len() + 1 + BOT.len(), bot).map(SeatPlayer::bot);
        }
        let name = player.strip_prefix(EXTERNAL).unwrap_or(player);
        let at = key.len() + 1 + player.len() - name.len();
        check_name(name).map_err(|reason| self.error(ParseError::new(at, reason)))?;
        Ok(SeatPlayer::external(name))
    }

    /// Reads the next entry; None at the line `end`.
    fn entry(&mut self, rules: &dyn AnyRules, seats: Seats) -> Result<Option<Entry>, RecordError> {
        match self.entry_line(seats)? {
            EntryLine::End => Ok(None),
            EntryLine::Chance(outcome) => Ok(Some(Entry::Chance(outcome.to_owned()))),
            EntryLine::Action { seat, by, at, action } => {
                let (action, time) = split_time(action);
                let id = self.action(rules, at, action)?;
                Ok(Some(Entry::Action { seat, id, by, time }))
            }
            EntryLine::Note { at, note } => self.note(rules, seats, at, note).map(Some),
        }
    }

    /// Reads an entry that is no ply.
    fn note(&self, rules: &dyn AnyRules, seats: Seats, at: usize, note: &str) -> Result<Entry, RecordError> {
        if let Some(ending) = self.stopped(at, note)? {
            return Ok(match ending {
                Ending::Void(reason) => Entry::Void(reason),
                Ending::Cancelled(reason) => Entry::Cancelled(reason),
                Ending::Finished => unreachable!("no entry says that the game is over"),
            });
        }
        let parts = || {
            let (seat, ruling) = note.strip_prefix("seat ")?.split_once(' ')?;
            let (ruling, fault) = ruling.strip_suffix(')')?.split_once(" (")?;
            Some((seats.get(seat.parse().ok()?)?, ruling, fault))
        };
        let expected = || {
            let expected = "expected a strike as \"seat 0 gets a strike in decision 7 (illegal: …)\", a forfeit as \
                            \"seat 0 forfeits (timeout)\", or \"cancelled: …\" or \"void: …\"";
            self.error(ParseError::new(at, expected))
        };
        let (seat, ruling, fault) = parts().ok_or_else(expected)?;
        let (cause, action) = fault.split_once(": ").map_or((fault, None), |(cause, action)| (cause, Some(action)));
        let fault_at = at + note.len() - 1 - fault.len();
        let cause = self.parsed((fault_at, cause), &format!("one of {}", Cause::NAMES.join(", ")))?;
        match (ruling.strip_prefix("gets a strike in decision "), action) {
            (Some(decision), action) => {
                let decision = decision.parse().map_err(|_| expected())?;
                let action_at = at + note.len() - 1 - action.unwrap_or_default().len();
                let action = action.map(|action| self.action(rules, action_at, action)).transpose()?;
                Ok(Entry::Strike { seat, decision, cause, action })
            }
            (None, None) if ruling == "forfeits" => Ok(Entry::Forfeit { seat, cause }),
            (None, _) => Err(expected()),
        }
    }

    /// Reads the line of the ending.
    fn ending(&mut self) -> Result<Option<Ending>, RecordError> {
        let line = self.line()?;
        if line == "unfinished" {
            return Ok(None);
        }
        if line == "finished" {
            return Ok(Some(Ending::Finished));
        }
        let expected =
            || format!("expected \"unfinished\", \"finished\", \"cancelled: …\", or \"void: …\", got \"{line}\"");
        let ending = self.stopped(0, line)?;
        ending.map(Some).ok_or_else(|| self.error(ParseError::new(0, expected())))
    }

    /// Reads the end of a match that was cancelled or is void; None for another text.
    fn stopped(&self, at: usize, text: &str) -> Result<Option<Ending>, RecordError> {
        let Some((key, reason)) = text.split_once(": ").filter(|(key, _)| ["cancelled", "void"].contains(key)) else {
            return Ok(None);
        };
        check_reason(reason).map_err(|error| self.error(ParseError::new(at + key.len() + 2, error)))?;
        let ending = if key == "void" { Ending::Void } else { Ending::Cancelled };
        Ok(Some(ending(reason.to_owned())))
    }

    fn result(&mut self, seats: Seats) -> Result<Option<MatchResult>, RecordError> {
        if !self.begins("scores ") {
            return Ok(None);
        }
        let scores = self.by_seat("scores", "numbers", seats, |word| word.parse().ok())?;
        let ranks = self.by_seat("ranks", "numbers", seats, |word| word.parse().ok())?;
        let forfeits = match self.begins("forfeits ") {
            false => BySeat::new(seats, None),
            true => self.by_seat("forfeits", "causes or none", seats, |word| match word {
                "none" => Some(None),
                word => word.parse().ok().map(Some),
            })?,
        };
        Ok(Some(MatchResult { scores, ranks, forfeits }))
    }

    fn line(&mut self) -> Result<&'a str, RecordError> {
        let line = self.lines.get(self.next).ok_or(RecordError::Cut)?;
        self.next += 1;
        Ok(line)
    }

    /// Returns true if the next line begins with `start`.
    fn begins(&self, start: &str) -> bool {
        self.lines.get(self.next).is_some_and(|line| line.starts_with(start))
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

    /// Checks that all lines were read.
    fn done(&mut self) -> Result<(), RecordError> {
        match self.line() {
            Ok(_) => Err(self.error(ParseError::new(0, "expected the digest after the fingerprint"))),
            Err(_) => Ok(()),
        }
    }

    /// Returns the rest of the next line, after `key`.
    fn value(&mut self, key: &str) -> Result<&'a str, RecordError> {
        let line = self.line()?;
        let value = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        value.ok_or_else(|| self.error(ParseError::new(0, format!("expected a line \"{key} …\", got \"{line}\""))))
    }

    fn number<T: FromStr>(&mut self, key: &str) -> Result<T, RecordError> {
        let value = self.value(key)?;
        self.parsed((key.len() + 1, value), "a number")
    }

    fn options(&mut self, rules: &'static dyn AnyRules) -> Result<(Setup, Vec<&'static str>), RecordError> {
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
        let setup = rules.configure(seats, options).map_err(RecordError::Options)?;
        let named = named(&setup, options);
        Ok((setup, named))
    }

    /// Reads the next line of an entry.
    fn entry_line(&mut self, seats: Seats) -> Result<EntryLine<'a>, RecordError> {
        let line = self.line()?;
        if line == "end" {
            return Ok(EntryLine::End);
        }
        let (head, what) = line.split_once(' ').unwrap_or((line, ""));
        let start = head.len() + 1;
        if head == "-" {
            return Ok(EntryLine::Note { at: start, note: what });
        }
        let ply = self.ply + 1;
        if head != ply.to_string() {
            return Err(self.error(ParseError::new(0, format!("expected ply {ply} or \"end\", got \"{head}\""))));
        }
        self.ply = ply;
        let Some(of_seat) = what.strip_prefix("seat ") else { return Ok(EntryLine::Chance(what)) };
        let Some((who, action)) = of_seat.split_once(": ") else {
            return Err(self.error(ParseError::new(start, "expected an action as \"seat 0: …\"")));
        };
        let (who, by) =
            who.strip_suffix(" by stand-in").map_or((who, DecidedBy::Player), |who| (who, DecidedBy::StandIn));
        let seat = self.seat(seats, start + "seat ".len(), who)?;
        Ok(EntryLine::Action { seat, by, at: line.len() - action.len(), action })
    }

    fn action(&self, rules: &dyn AnyRules, at: usize, action: &str) -> Result<ActionId, RecordError> {
        rules.parse_action(action).map_err(|error| self.error(error.within(at)))
    }

    fn seat(&self, seats: Seats, at: usize, word: &str) -> Result<Seat, RecordError> {
        let seat = word.parse().ok().and_then(|index| seats.get(index));
        let error = || format!("expected a seat from 0 to {}, got \"{word}\"", seats.count() - 1);
        seat.ok_or_else(|| self.error(ParseError::new(at, error())))
    }

    /// Reads the next line as `key` and a value for each seat.
    fn by_seat<T: Copy + Default>(
        &mut self,
        key: &str,
        what: &str,
        seats: Seats,
        read: fn(&str) -> Option<T>,
    ) -> Result<BySeat<T>, RecordError> {
        let line = self.value(key)?;
        let values: Option<Vec<T>> = line.split(' ').map(read).collect();
        let error = || {
            let expected = format!("expected {seats} {what}, one for each seat, got \"{line}\"");
            self.error(ParseError::new(key.len() + 1, expected))
        };
        let values = values.filter(|values| values.len() == seats.count()).ok_or_else(error)?;
        Ok(BySeat::from_fn(seats, |seat| values[seat.index()]))
    }

    /// Reads the next line as `key` and `N` bytes in hexadecimal.
    fn hex<const N: usize>(&mut self, key: &str) -> Result<[u8; N], RecordError> {
        let text = self.value(key)?;
        let error = || ParseError::new(key.len() + 1, format!("expected {} hexadecimal digits, got \"{text}\"", 2 * N));
        super::from_hex(text).ok_or_else(|| self.error(error()))
    }
}

/// Splits the thinking time off the text of an action.
fn split_time(text: &str) -> (&str, ThinkingTime) {
    let split = || {
        let (action, time) = text.strip_suffix(')')?.rsplit_once(" (")?;
        let (measured, charged) = match time.split_once(", ") {
            None => (time, "0"),
            Some((measured, charged)) => (measured, charged.strip_suffix(" charged")?),
        };
        let measured = measured.strip_suffix(" ms")?.parse().ok()?;
        Some((action, ThinkingTime { measured, charged: charged.parse().ok()? }))
    };
    split().unwrap_or((text, ThinkingTime::default()))
}

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

use std::borrow::Cow;
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::str::FromStr;

use super::{Head, LINK, MatchResult, Record, RecordError, check_name, check_rules, last_link, named};
use crate::core::parse::words;
use crate::core::{ActionId, BySeat, Fingerprint, ParseError, Seat, Seats, hex};
use crate::host::bot_seed::bots_label;
use crate::host::bots::BotName;
use crate::host::catalog::find;
use crate::host::clock::{ThinkingTime, TimeControl};
use crate::host::conduct::{Cause, Conduct, Ending, Terms, check_reason};
use crate::host::ensure::ensure;
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
    ensure(digest == hex(&record.digest()), || RecordError::Altered)?;
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
        let is_whole = self.line().is_err();
        self.want(is_whole.then_some(record), 0, || "the digest after the fingerprint".to_owned())
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
        check_rules(rules.info(), self.number("rules")?)?;
        let (setup, options) = self.options(rules)?;
        let layout = self.hex("layout")?;
        let seed = self.value("seed")?.parse().map_err(|error: ParseError| self.error(error.within("seed ".len())))?;
        Ok(Head { setup, options, layout, seed })
    }

    fn terms(&mut self, rules: &dyn AnyRules, seats: Seats) -> Result<Terms, RecordError> {
        let names = Cause::ALL.map(Cause::name).into_iter().chain(["absence_limit", "strikes", "tries"]);
        let [consequences @ .., absence, strikes, tries] = self.settings::<{ Cause::COUNT + 3 }>("conduct", names)?;
        let conduct = Conduct::of(|cause| self.parsed(consequences[cause.index()], "refusal, strike, or forfeit"))?;
        let absence_limit = self.limit(absence)?;
        let strikes = self.parsed(strikes, "a number from 1 to 255")?;
        let tries = self.parsed(tries, "a number from 1 to 65535")?;
        let conduct = Conduct { absence_limit, strikes, tries, ..conduct };
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
        terms.check().map_err(|reason| self.fault(0, reason))?;
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
            *value = (at + name.len() + 1, self.want(own, at, || format!("{name}=…, got \"{word}\""))?);
        }
        Ok(values)
    }

    fn milliseconds(&self, (at, word): (usize, &str)) -> Result<u32, RecordError> {
        let number = word.strip_suffix("ms").unwrap_or_default();
        self.want(number.parse().ok(), at, || format!("a time as 200ms, got \"{word}\""))
    }

    fn limit(&self, (at, word): (usize, &str)) -> Result<Option<NonZeroU32>, RecordError> {
        match word {
            "none" => Ok(None),
            "0ms" => Err(self.fault(at, "expected a time above 0ms, or none, got 0ms")),
            word => self.milliseconds((at, word)).map(NonZeroU32::new),
        }
    }

    fn parsed<T: FromStr>(&self, (at, word): (usize, &str), expected: &str) -> Result<T, RecordError> {
        self.want(word.parse().ok(), at, || format!("{expected}, got \"{word}\""))
    }

    fn bot(&self, rules: &dyn AnyRules, at: usize, name: &str) -> Result<BotName, RecordError> {
        rules.bot(name).map_err(|error| self.fault(at, error.message))
    }

    fn player(&mut self, seat: Seat, rules: &dyn AnyRules) -> Result<SeatPlayer, RecordError> {
        let key = format!("seat {seat}");
        let player = self.value(&key)?;
        if let Some(bot) = player.strip_prefix(BOT) {
            return self.bot(rules, key.len() + 1 + BOT.len(), bot).map(SeatPlayer::bot);
        }
        let name = player.strip_prefix(EXTERNAL).unwrap_or(player);
        let at = key.len() + 1 + player.len() - name.len();
        check_name(name).map_err(|reason| self.fault(at, reason))?;
        Ok(SeatPlayer::external(name))
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
            return self.note(rules, seats, start, what).map(Some);
        }
        self.ply += 1;
        self.want((head == self.ply.to_string()).then_some(()), 0, || {
            format!("ply {} or \"end\", got \"{head}\"", self.ply)
        })?;
        let Some(of_seat) = what.strip_prefix("seat ") else { return Ok(Some(Entry::Chance(what.to_owned()))) };
        let (who, action) = self.want(of_seat.split_once(": "), start, || "an action as \"seat 0: …\"".to_owned())?;
        let (who, by) =
            who.strip_suffix(" by stand-in").map_or((who, DecidedBy::Player), |who| (who, DecidedBy::StandIn));
        let seat = who.parse().ok().and_then(|index| seats.get(index));
        let most = seats.count() - 1;
        let seat = self.want(seat, start + "seat ".len(), || format!("a seat from 0 to {most}, got \"{who}\""))?;
        let at = line.len() - action.len();
        let (action, time) = split_time(action);
        let id = self.action(rules, at, action)?;
        Ok(Some(Entry::Action { seat, id, by, time }))
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
            self.fault(at, expected)
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
        let stopped = match line {
            "unfinished" => return Ok(None),
            "finished" => Some(Ending::Finished),
            line => self.stopped(0, line)?,
        };
        self.want(stopped.map(Some), 0, || {
            format!("\"unfinished\", \"finished\", \"cancelled: …\", or \"void: …\", got \"{line}\"")
        })
    }

    /// Reads the end of a match that was cancelled or is void; None for another text.
    fn stopped(&self, at: usize, text: &str) -> Result<Option<Ending>, RecordError> {
        let Some((key, reason)) = text.split_once(": ").filter(|(key, _)| ["cancelled", "void"].contains(key)) else {
            return Ok(None);
        };
        check_reason(reason).map_err(|error| self.fault(at + key.len() + 2, error))?;
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

    fn fault(&self, at: usize, message: impl Into<Cow<'static, str>>) -> RecordError {
        self.error(ParseError::new(at, message))
    }

    /// Returns a value that was read, or else an error in the last line.
    fn want<T>(&self, value: Option<T>, at: usize, expected: impl FnOnce() -> String) -> Result<T, RecordError> {
        value.ok_or_else(|| self.fault(at, format!("expected {}", expected())))
    }

    fn exactly(&mut self, expected: &str) -> Result<(), RecordError> {
        let line = self.line()?;
        self.want((line == expected).then_some(()), 0, || format!("the line \"{expected}\""))
    }

    /// Returns the rest of the next line, after `key`.
    fn value(&mut self, key: &str) -> Result<&'a str, RecordError> {
        let line = self.line()?;
        let value = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        self.want(value, 0, || format!("a line \"{key} …\", got \"{line}\""))
    }

    fn number<T: FromStr>(&mut self, key: &str) -> Result<T, RecordError> {
        let value = self.value(key)?;
        self.parsed((key.len() + 1, value), "a number")
    }

    fn options(&mut self, rules: &'static dyn AnyRules) -> Result<(Setup, Vec<&'static str>), RecordError> {
        let (line, start) = (self.value("options")?, "options ".len());
        let option = |(at, word): (usize, &'a str)| {
            self.want(word.split_once('='), start + at, || format!("an option as key=value, got \"{word}\""))
        };
        let given = words(line).map(option).collect::<Result<Vec<_>, _>>()?;
        let Some((("seats", seats), options)) = given.split_first() else {
            return Err(self.fault(start, "expected seats=… as the first option"));
        };
        let seats = self.want(seats.parse().ok(), start, || "a number after seats=".to_owned())?;
        let setup = rules.configure(seats, options).map_err(RecordError::Options)?;
        let named = named(&setup, options);
        Ok((setup, named))
    }

    fn action(&self, rules: &dyn AnyRules, at: usize, action: &str) -> Result<ActionId, RecordError> {
        rules.parse_action(action).map_err(|error| self.error(error.within(at)))
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
        let values = self.want(values.filter(|values| values.len() == seats.count()), key.len() + 1, || {
            format!("{seats} {what}, one for each seat, got \"{line}\"")
        })?;
        Ok(BySeat::from_fn(seats, |seat| values[seat.index()]))
    }

    /// Reads the next line as `key` and `N` bytes in hexadecimal.
    fn hex<const N: usize>(&mut self, key: &str) -> Result<[u8; N], RecordError> {
        let text = self.value(key)?;
        let expected = || format!("{} hexadecimal digits, got \"{text}\"", 2 * N);
        self.want(super::from_hex(text), key.len() + 1, expected)
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

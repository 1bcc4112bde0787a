//! The reader of the text form of records.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::str::FromStr;

use ahu_core::parse::words;
use ahu_core::{ActionId, BySeat, Fingerprint, ParseError, Seat, Seats};

use super::{AS, BOT, EXTERNAL, NOTE, SEAT};
use crate::record::{
    LINK, NamedPlayer, check_name, check_note, check_option, check_outcome, check_text, check_word, from_hex,
};
use crate::{
    Cause, Conduct, DecidedBy, Ending, Entry, MatchResult, RecordError, Terms, ThinkingTime, TimeControl, Transcript,
    check_reason,
};

/// A reader of the lines of a record, after its title and before its digest.
pub(super) struct Reader<'a> {
    lines: &'a [&'a str],
    next: usize,
    /// The last ply that was read.
    ply: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader after the title.
    pub(super) fn new(lines: &'a [&'a str]) -> Self {
        Self { lines, next: 1, ply: 0 }
    }

    pub(super) fn record(mut self) -> Result<Transcript, RecordError> {
        let mut record = self.opening()?;
        while let Some(entry) = self.entry(record.seats)? {
            record.entries.push(entry);
        }
        record.ending = self.ending()?;
        record.result = self.result(record.seats)?;
        let _: [u8; LINK] = self.hex("chain")?;
        record.fingerprint = Fingerprint(self.hex("fingerprint")?);
        let is_whole = self.line().is_err();
        self.want(is_whole.then_some(record), 0, || "the digest after the fingerprint".to_owned())
    }

    /// Reads the entries before the first that is missing or faulty.
    pub(super) fn intact(mut self) -> Result<Transcript, RecordError> {
        let mut record = self.opening()?;
        while let Ok(Some(entry)) = self.entry(record.seats) {
            record.entries.push(entry);
        }
        Ok(record)
    }

    /// Reads everything before the entries, as an unfinished record.
    fn opening(&mut self) -> Result<Transcript, RecordError> {
        let (game, rules_version) = (self.checked("game", check_word)?, self.number("rules")?);
        let (seats, options) = self.options()?;
        let layout = self.hex("layout")?;
        let seed = self.value("seed")?.parse();
        let seed = seed.map_err(|error: ParseError| self.error(error.within("seed ".len())))?;
        let bot_seeds = self.checked("bots", check_text)?;
        let (terms, stand_in) = self.terms(seats)?;
        let players = seats.iter().map(|seat| self.player(seat)).collect::<Result<_, _>>()?;
        let mut notes = Vec::new();
        while self.begins(NOTE) {
            let line = self.line()?;
            let (name, fact) = line[NOTE.len()..].split_once(' ').unwrap_or((&line[NOTE.len()..], ""));
            check_note(name, fact).map_err(|reason| self.fault(0, reason))?;
            notes.push((name.to_owned(), fact.to_owned()));
        }
        self.exactly("plies")?;
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

    /// Reads the terms, and the name of the stand-in.
    fn terms(&mut self, seats: Seats) -> Result<(Terms, String), RecordError> {
        let names = Cause::ALL.map(Cause::name).into_iter().chain(["absence_limit", "strikes", "tries"]);
        let [consequences @ .., absence, strikes, tries] = self.settings::<{ Cause::COUNT + 3 }>("conduct", names)?;
        let conduct = Conduct::of(|cause| self.parsed(consequences[cause.index()], "refusal, strike, or forfeit"))?;
        let absence_limit = self.limit(absence)?;
        let strikes = self.parsed(strikes, "a number from 1 to 255")?;
        let tries = self.parsed(tries, "a number from 1 to 65535")?;
        let conduct = Conduct { absence_limit, strikes, tries, ..conduct };
        let idle = self.value("idle")?;
        let idle = self.limit(("idle ".len(), idle))?;
        let stand_in = self.checked("stand_in", check_word)?;
        let mut clocks = Vec::new();
        if self.begins("clock ") {
            for seat in seats.iter() {
                clocks.push(self.clock(seat)?);
            }
        }
        let terms = Terms { conduct, clocks, idle, stand_in: None };
        terms.check().map_err(|reason| self.fault(0, reason))?;
        Ok((terms, stand_in))
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

    fn player(&mut self, seat: Seat) -> Result<NamedPlayer, RecordError> {
        let key = format!("seat {seat}");
        let player = self.value(&key)?;
        let bot = player.strip_prefix(BOT).map(|bot| bot.split_once(AS).unwrap_or((bot, bot)));
        let (bot, name) =
            bot.map_or((None, player.strip_prefix(EXTERNAL).unwrap_or(player)), |(bot, name)| (Some(bot), name));
        let checked =
            bot.map_or(Ok(()), check_word).and_then(|()| if bot == Some(name) { Ok(()) } else { check_name(name) });
        checked.map_err(|reason| self.fault(key.len() + 1 + player.len() - name.len(), reason))?;
        Ok(NamedPlayer { name: name.to_owned(), bot: bot.map(str::to_owned) })
    }

    /// Reads the next entry; None at the line `end`.
    fn entry(&mut self, seats: Seats) -> Result<Option<Entry>, RecordError> {
        let line = self.line()?;
        if line == "end" {
            return Ok(None);
        }
        let (head, what) = line.split_once(' ').unwrap_or((line, ""));
        let start = head.len() + 1;
        if head == "-" {
            return self.note(seats, start, what).map(Some);
        }
        self.ply += 1;
        self.want((head == self.ply.to_string()).then_some(()), 0, || {
            format!("ply {} or \"end\", got \"{head}\"", self.ply)
        })?;
        let Some(of_seat) = what.strip_prefix(SEAT) else {
            check_outcome(what).map_err(|reason| self.fault(start, reason))?;
            return Ok(Some(Entry::Chance(what.to_owned())));
        };
        let (who, action) = self.want(of_seat.split_once(": "), start, || "an action as \"seat 0: …\"".to_owned())?;
        let (who, by) =
            who.strip_suffix(" by stand-in").map_or((who, DecidedBy::Player), |who| (who, DecidedBy::StandIn));
        let seat = who.parse().ok().and_then(|index| seats.get(index));
        let most = seats.count() - 1;
        let seat = self.want(seat, start + SEAT.len(), || format!("a seat from 0 to {most}, got \"{who}\""))?;
        let at = line.len() - action.len();
        let (action, time) = split_time(action);
        let id = self.action(at, action)?;
        Ok(Some(Entry::Action { seat, id, by, time }))
    }

    /// Reads an entry that is no ply.
    fn note(&self, seats: Seats, at: usize, note: &str) -> Result<Entry, RecordError> {
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
                let action = action.map(|action| self.action(action_at, action)).transpose()?;
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

    /// Reads the next line as `key` and a text that passes the check.
    fn checked(&mut self, key: &str, check: fn(&str) -> Result<(), String>) -> Result<String, RecordError> {
        let text = self.value(key)?;
        check(text).map_err(|reason| self.fault(key.len() + 1, reason))?;
        Ok(text.to_owned())
    }

    fn options(&mut self) -> Result<(Seats, Vec<(String, String)>), RecordError> {
        let (line, start) = (self.value("options")?, "options ".len());
        let option = |(at, word): (usize, &'a str)| {
            self.want(word.split_once('='), start + at, || format!("an option as key=value, got \"{word}\""))
        };
        let given = words(line).map(option).collect::<Result<Vec<_>, _>>()?;
        let Some((("seats", seats), options)) = given.split_first() else {
            return Err(self.fault(start, "expected seats=… as the first option"));
        };
        let seats = self.want(seats.parse().ok().and_then(Seats::new), start, || "1 to 6 after seats=".to_owned())?;
        let option =
            |(key, value): &(&str, &str)| check_option(key, value).map(|()| ((*key).to_owned(), (*value).to_owned()));
        let options =
            options.iter().map(option).collect::<Result<_, _>>().map_err(|reason| self.fault(start, reason))?;
        Ok((seats, options))
    }

    /// Reads the id of an action. The words after it are for people, and for readers with the rules.
    fn action(&self, at: usize, action: &str) -> Result<ActionId, RecordError> {
        let id = action.split(' ').next().unwrap_or(action);
        self.parsed((at, id), "the id of an action").map(ActionId)
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
        self.want(from_hex(text), key.len() + 1, expected)
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

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
//! x-NAME …                              (a further fact, as a later release may add: kept, and part of the digest)
//! plies
//! 1 deal first 1 / F1.1 W3.2 … / …      (the outcome of a chance event)
//! 2 draw F7.1 P2.2 S9.1 raid.4
//! 3 seat 1: 71 no meld (1234 ms, 1034 charged)  (the action of a seat, and its thinking time if it took any)
//! - seat 1 gets a strike in decision 2 (illegal: 78 meld F7)
//! - seat 1 forfeits (timeout)           (from here on a stand-in plays)
//! 4 seat 1 by stand-in: 30 discard W3
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
//! Only a finished match has scores and ranks, and only one with forfeits has the line of their causes. A bot that plays under
//! another name has it behind its own, as in `bot greedy@1 as old`. A name that begins with `bot ` or `external ` has the word
//! `external` before it. Outcomes and actions follow the grammar of the game. An action has its id before its words, so that the
//! digest and the chain can be checked without the rules; a record that was written without its rules has the ids alone.

mod reader;

use std::fmt::Write as _;
use std::num::NonZeroU32;

use ahu_core::{ActionId, BySeat, hex};
use reader::Reader;

use super::{MatchResult, NamedPlayer, RecordError, Transcript, last_link};
use crate::outcome::ending_fields;
use crate::{AnyRules, Cause, Conduct, DecidedBy, Ending, Entry, Terms, ThinkingTime, TimeControl};

/// The first line of every record.
pub const TITLE: &str = "ahu record 2";

/// Writes a record, with the words of its actions if the rules are given.
pub(super) fn write(record: &Transcript, rules: Option<&dyn AnyRules>) -> String {
    let words = |id: ActionId| rules.map_or_else(String::new, |rules| format!(" {}", action_text(rules, id)));
    write_with(record, words)
}

/// Writes a record. `words` returns the text that follows the id of an action.
fn write_with(record: &Transcript, words: impl Fn(ActionId) -> String) -> String {
    let mut text = String::new();
    write_lines(record, words, &mut text).expect("a string takes every text");
    text + "digest " + &hex(&record.digest()) + "\n"
}

fn write_lines(record: &Transcript, words: impl Fn(ActionId) -> String, text: &mut String) -> std::fmt::Result {
    writeln!(text, "{TITLE}")?;
    write!(text, "game {}\nrules {}\noptions seats={}", record.game, record.rules_version, record.seats)?;
    for (key, value) in &record.options {
        write!(text, " {key}={value}")?;
    }
    writeln!(text, "\nlayout {}\nseed {}\nbots {}", hex(&record.layout), record.seed, record.bot_seeds)?;
    text.push_str(&terms_lines(&record.terms, &record.stand_in));
    for (seat, player) in record.players.iter().enumerate() {
        writeln!(text, "seat {seat} {}", player_text(player))?;
    }
    for (name, fact) in &record.notes {
        writeln!(text, "{NOTE}{name} {fact}")?;
    }
    writeln!(text, "plies")?;
    let mut ply = 0;
    for entry in &record.entries {
        let line = entry_line(entry, |id| format!("{id}{}", words(id)));
        match entry.is_ply() {
            true => {
                ply += 1;
                writeln!(text, "{ply} {line}")?;
            }
            false => writeln!(text, "- {line}")?,
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
    terms_lines(terms, &terms.stand_in_of(rules).name())
}

fn terms_lines(terms: &Terms, stand_in: &str) -> String {
    let Terms { conduct, clocks, idle, .. } = terms;
    let consequences = Cause::ALL.map(|cause| format!("{cause}={}", conduct.consequence(cause))).join(" ");
    let Conduct { absence_limit, strikes, tries, .. } = conduct;
    let mut lines = vec![
        format!("conduct {consequences} absence_limit={} strikes={strikes} tries={tries}", limit(*absence_limit)),
        format!("idle {}", limit(*idle)),
        format!("stand_in {stand_in}"),
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
/// The word with which the action of a seat begins.
pub(super) const SEAT: &str = "seat ";
/// The word before a bot.
const BOT: &str = "bot ";
/// The word between a bot and the name under which it plays, if it is another.
const AS: &str = " as ";
/// The beginning of a line with a further fact.
const NOTE: &str = "x-";

fn player_text(NamedPlayer { name, bot }: &NamedPlayer) -> String {
    match bot {
        Some(bot) if bot == name => format!("{BOT}{bot}"),
        Some(bot) => format!("{BOT}{bot}{AS}{name}"),
        None if name.starts_with(BOT) || name.starts_with(EXTERNAL) => EXTERNAL.to_owned() + name,
        None => name.clone(),
    }
}

/// Returns the text of an entry, as it stands after the number of its ply in a record, with the words of an action alone.
///
/// # Panics
/// If its action is not one of the game.
pub fn entry_text(rules: &dyn AnyRules, entry: &Entry) -> String {
    entry_line(entry, |id| action_text(rules, id))
}

fn action_text(rules: &dyn AnyRules, id: ActionId) -> String {
    rules.action_text(id).expect("a record holds actions of its game")
}

fn entry_line(entry: &Entry, action_text: impl Fn(ActionId) -> String) -> String {
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
    match ending_fields(ending) {
        (word, None) => word.to_owned(),
        (word, Some(reason)) => format!("{word}: {reason}"),
    }
}

pub(crate) fn numbers<T: Copy + ToString>(values: &BySeat<T>) -> String {
    values.values().iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the cause of each forfeit by seat, or `none`.
pub(crate) fn causes(forfeits: BySeat<Option<Cause>>) -> String {
    forfeits.values().iter().map(|cause| cause.map_or("none", Cause::name)).collect::<Vec<_>>().join(" ")
}

/// Reads the lines of a record. Returns it with the digest in its last line, which may be another one.
pub(super) fn read<'a>(lines: &[&'a str]) -> Result<(Transcript, &'a str), RecordError> {
    let (last, above) = lines.split_last().ok_or(RecordError::Cut)?;
    let digest = last.strip_prefix("digest ").ok_or(RecordError::Cut)?;
    Ok((Reader::new(above).record()?, digest))
}

/// Reads the intact entries of a record that was cut; its last line may be a part of one.
pub(super) fn read_intact(text: &str) -> Result<Transcript, RecordError> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Reader::new(&whole.lines().collect::<Vec<_>>()).intact()
}

/// Refuses any spelling but the canonical one, with the words of all actions or of none, so that a match has one record. Without
/// the rules, the words may be any.
pub(super) fn check_form(record: &Transcript, rules: Option<&dyn AnyRules>, lines: &[&str]) -> Result<(), RecordError> {
    let canonical = match rules {
        None => write_with(record, |_| ANY_WORDS.to_string()),
        Some(_) if write(record, None).lines().eq(lines.iter().copied()) => return Ok(()),
        Some(_) => write(record, rules),
    };
    let is_same = |ours: &str, theirs: &str| match ours.split_once(ANY_WORDS) {
        None => ours == theirs,
        Some((head, tail)) => {
            let words = theirs.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
            words.is_some_and(|words| words.is_empty() || words.starts_with(' '))
        }
    };
    let mut above = canonical.lines().zip(lines).take(lines.len() - 1).enumerate();
    above.find(|(_, (ours, theirs))| !is_same(ours, theirs)).map_or(Ok(()), |(at, (ours, theirs))| {
        let same = ours.chars().zip(theirs.chars()).take_while(|(ours, theirs)| ours == theirs).count();
        let reason = format!("expected the spelling \"{}\"", ours.replace(ANY_WORDS, " …"));
        Err(RecordError::Unreadable { line: at + 1, column: same + 1, reason })
    })
}

/// The place of words that only the rules have.
const ANY_WORDS: char = '\0';

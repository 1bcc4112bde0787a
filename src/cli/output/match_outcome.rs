//! The outcome of a match in words and as JSON: its ending, result, forfeits, and thinking times.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroU32;

use ahu_engine::core::{ActionId, BySeat, Seat, hex};
use ahu_engine::host::{
    AnyRules, BotName, Cause, DecidedBy, Ending, Entry, MatchResult, Record, RewardRule, TimeControl,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::Done;
use crate::cli::terminal::fitted;

/// Describes a cause, to follow "forfeits: ".
pub(in crate::cli) const fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Illegal => "its player chose illegal actions",
        Cause::Unreadable => "its player sent unreadable actions",
        Cause::Timeout => "its time ran out",
        Cause::Exited => "its program exited",
        Cause::Absent => "its player was absent for too long",
        Cause::Resigned => "its player resigned",
    }
}

pub(in crate::cli) fn forfeit_text(seat: Seat, cause: Cause, stand_in: &str) -> String {
    format!("seat {seat} forfeits: {}; {stand_in} plays on", reason(cause))
}

pub(in crate::cli) fn strike_text(
    rules: &dyn AnyRules,
    seat: Seat,
    decision: u32,
    cause: Cause,
    action: Option<ActionId>,
) -> String {
    let fault = match cause {
        Cause::Illegal | Cause::Unreadable => format!("its player {}", fault(rules, cause, action)),
        cause => reason(cause).to_owned(),
    };
    format!("seat {seat} gets a strike for decision {decision}: {fault}")
}

/// Describes the point of a record at which a seat forfeited, with the last fault if strikes led to it; None if it did not forfeit.
fn forfeit_place(record: &Record, seat: Seat) -> Option<String> {
    let is_forfeit = |entry: &Entry| matches!(entry, Entry::Forfeit { seat: own, .. } if *own == seat);
    let before = &record.entries[..record.entries.iter().position(is_forfeit)?];
    let ply = before.iter().filter(|entry| entry.is_ply()).count() + 1;
    let is_own = |entry: &&Entry| matches!(entry, Entry::Action { seat: own, .. } if *own == seat);
    let decision = before.iter().filter(is_own).count() as u32 + 1;
    let strike = before.iter().rev().find_map(|entry| match entry {
        Entry::Strike { seat: own, decision: at, cause, action } if *own == seat && *at == decision => {
            Some(fault(record.setup.rules(), *cause, *action))
        }
        _ => None,
    });
    let fault = strike.map_or_else(String::new, |fault| format!(": {fault}"));
    Some(format!("before ply {ply}, at decision {decision}{fault}"))
}

/// Describes one fault, to follow the name of the player.
pub(in crate::cli) fn fault(rules: &dyn AnyRules, cause: Cause, action: Option<ActionId>) -> String {
    match (cause, action.map(|id| (id, rules.action_text(id)))) {
        (Cause::Illegal, Some((id, Some(text)))) => format!("chose the illegal action {id}, \"{text}\""),
        (Cause::Illegal, Some((id, None))) => format!("chose action {id}, which the game does not have"),
        (Cause::Illegal, None) => "chose an illegal action".to_owned(),
        (Cause::Unreadable, _) => "sent an unreadable action".to_owned(),
        (Cause::Timeout, _) => "ran out of time".to_owned(),
        (Cause::Exited, _) => "exited".to_owned(),
        (Cause::Absent, _) => "was absent for too long".to_owned(),
        (Cause::Resigned, _) => "resigned".to_owned(),
    }
}

/// Describes how a match ended, as a clause.
pub(in crate::cli) fn ending_text(ending: Option<&Ending>) -> String {
    match ending {
        Some(Ending::Finished) => "the match was finished".to_owned(),
        Some(Ending::Cancelled(reason)) => format!("the match was cancelled: {reason}"),
        Some(Ending::Void(reason)) => format!("the match is void by a fault of the server: {reason}"),
        None => "the match was not finished".to_owned(),
    }
}

/// The thinking time of a player, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct Thinking {
    pub(in crate::cli) total: u64,
    pub(in crate::cli) slowest: u32,
    /// The number of the slowest decision, from 1; 0 without a decision.
    pub(in crate::cli) slowest_decision: u32,
}

/// Returns the measured thinking time of each player. The time of stand-ins does not count.
pub(in crate::cli) fn thinking(record: &Record) -> BySeat<Thinking> {
    let mut thinking = BySeat::new(record.setup.seats(), Thinking::default());
    let mut decisions = BySeat::new(record.setup.seats(), 0);
    for entry in &record.entries {
        let Entry::Action { seat, by: DecidedBy::Player, time, .. } = entry else { continue };
        decisions[*seat] += 1;
        let own = &mut thinking[*seat];
        own.total += u64::from(time.measured);
        if time.measured > own.slowest || own.slowest_decision == 0 {
            (own.slowest, own.slowest_decision) = (time.measured, decisions[*seat]);
        }
    }
    thinking
}

/// Returns the name of the bot that plays on for a seat after its forfeit.
pub(in crate::cli) fn stand_in(record: &Record) -> String {
    record.terms.stand_in.map_or_else(|| "a stand-in".to_owned(), BotName::name)
}

/// The points of each seat, by their source in the rules.
pub(in crate::cli) type ScoreParts = Vec<(&'static str, BySeat<i32>)>;

/// Prints the result of a match with the points by source, and thinking times if there are any.
pub(in crate::cli) fn show_result(
    record: &Record,
    result: &MatchResult,
    parts: &ScoreParts,
    out: &mut impl Write,
) -> Done {
    let returns = RewardRule::Rank.returns(&result.scores, &result.ranks);
    let name = record.players.iter().map(|player| player.name.chars().count()).max().unwrap_or(0).max("player".len());
    // A single source would repeat the points.
    let parts = if parts.len() == 1 { &[][..] } else { parts };
    let sources = parts.iter().map(|(source, _)| format!("  {source}")).collect::<Vec<_>>().concat();
    let head = format!("  seat  {:<name$}{sources}  points  rank  return", "player");
    writeln!(out, "\n{}", fitted(&head, 8))?;
    for (seat, player) in record.setup.seats().iter().zip(&record.players) {
        let (points, rank, reward) = (result.scores[seat], result.ranks[seat], returns[seat]);
        let by_source =
            parts.iter().map(|(source, points)| format!("  {:>width$}", points[seat], width = source.len()));
        let row = format!(
            "  {:>4}  {:<name$}{}  {points:>6}  {rank:>4}  {reward:>+6.2}",
            seat.index(),
            player.name,
            by_source.collect::<String>()
        );
        writeln!(out, "{}", fitted(&row, 8))?;
        if let Some(cause) = result.forfeits[seat] {
            let at = forfeit_place(record, seat).map_or_else(String::new, |place| format!(" ({place})"));
            writeln!(out, "{}", fitted(&format!("        forfeited: {}{at}", reason(cause)), 8))?;
        }
    }
    show_thinking(record, out)?;
    writeln!(out, "\n  seed {}, {} plies, fingerprint {}", record.seed, record.plies(), record.fingerprint)?;
    Ok(())
}

/// Prints the player of each seat, with its time control if there is one.
pub(in crate::cli) fn show_players<'a>(
    players: impl IntoIterator<Item = (&'a str, Option<&'a TimeControl>)>,
    out: &mut impl Write,
) -> Done {
    for (seat, (name, control)) in players.into_iter().enumerate() {
        let clock = control.map_or(String::new(), |control| format!(", time control {control}"));
        writeln!(out, "{}", fitted(&format!("  seat {seat}: {name}{clock}"), 4))?;
    }
    Ok(())
}

/// Prints the thinking time of each player that has any.
fn show_thinking(record: &Record, out: &mut impl Write) -> Done {
    let thinking = thinking(record);
    let seconds = |milliseconds: u64| format!("{:.1} s", milliseconds as f64 / 1000.0);
    let mut times = thinking.iter().filter(|(_, time)| time.total > 0).peekable();
    if times.peek().is_some() {
        writeln!(out, "\n  seat  thinking  slowest")?;
    }
    for (seat, Thinking { total, slowest, .. }) in times {
        writeln!(out, "  {:>4}  {:>8}  {:>7}", seat.index(), seconds(total), seconds(slowest.into()))?;
    }
    Ok(())
}

/// Returns the ending as a word, and the reason if the match has no result.
pub(in crate::cli) fn ending_fields(ending: Option<&Ending>) -> (&'static str, Option<&str>) {
    match ending {
        None => ("unfinished", None),
        Some(Ending::Finished) => ("finished", None),
        Some(Ending::Cancelled(reason)) => ("cancelled", Some(reason)),
        Some(Ending::Void(reason)) => ("void", Some(reason)),
    }
}

/// Returns the record without its entries as JSON. `parts` adds the points by source, and `banks` the milliseconds that each seat
/// has left.
pub(in crate::cli) fn as_json(
    record: &Record,
    parts: Option<&ScoreParts>,
    banks: Option<BySeat<Option<u32>>>,
) -> Value {
    let info = record.setup.rules().info();
    let result = record.result.as_ref();
    let returns = result.map(|result| RewardRule::Rank.returns(&result.scores, &result.ranks));
    let thinking = thinking(record);
    let forfeit_of = |seat: Seat| {
        record.entries.iter().find_map(|entry| match entry {
            Entry::Forfeit { seat: own, cause } if *own == seat => Some(cause.name()),
            _ => None,
        })
    };
    let strikes_of = |seat: Seat| {
        record.entries.iter().filter(|entry| matches!(entry, Entry::Strike { seat: own, .. } if *own == seat)).count()
    };
    let parts = result.and(parts);
    let points_of = |parts: &ScoreParts, seat: Seat| -> BTreeMap<_, _> {
        parts.iter().map(|(source, points)| (*source, points[seat])).collect()
    };
    let seats = record.setup.seats().iter().zip(&record.players).map(|(seat, player)| {
        let control = record.terms.clocks.get(seat.index()).filter(|control| **control != TimeControl::default());
        json!({
            "seat": seat.index(), "player": player.name,
            "score": result.map(|result| result.scores[seat]), "score_parts": parts.map(|parts| points_of(parts, seat)),
            "rank": result.map(|result| result.ranks[seat]), "return": returns.map(|returns| returns[seat]),
            "forfeit": forfeit_of(seat), "strikes": strikes_of(seat),
            "time_control": control.map(Control::from),
            "thinking": {
                "total_ms": thinking[seat].total, "slowest_ms": thinking[seat].slowest,
                "bank_ms": banks.and_then(|banks| banks[seat]),
            },
        })
    });
    let options: BTreeMap<_, _> = record.setup.options().into_iter().collect();
    let (ending, reason) = ending_fields(record.ending.as_ref());
    json!({
        "game": info.id, "rules_version": info.rules, "options": options, "seed": record.seed.0, "plies": record.plies(),
        "ending": ending, "reason": reason, "stand_in": stand_in(record), "seats": seats.collect::<Value>(),
        "fingerprint": record.fingerprint.to_string(), "digest": hex(&record.digest()),
    })
}

/// A time control as fields of JSON, in milliseconds.
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names have their unit")]
pub(in crate::cli) struct Control {
    startup_ms: u32,
    limit_ms: Option<NonZeroU32>,
    bank_ms: Option<NonZeroU32>,
    increment_ms: u32,
    lag_ms: u32,
}

impl From<&TimeControl> for Control {
    fn from(&TimeControl { startup, limit, bank, increment, lag }: &TimeControl) -> Self {
        Self { startup_ms: startup, limit_ms: limit, bank_ms: bank, increment_ms: increment, lag_ms: lag }
    }
}

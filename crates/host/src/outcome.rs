//! The outcome of a match in words: endings, forfeits, strikes, and thinking times.

use ahu_core::{ActionId, BySeat, Seat, Seats};

use super::{AnyRules, BotName, Cause, DecidedBy, Ending, Entry, Record};

/// Describes a cause, to follow "forfeits: ".
pub const fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Illegal => "its player chose illegal actions",
        Cause::Unreadable => "its player sent unreadable actions",
        Cause::Timeout => "its time ran out",
        Cause::Exited => "its program exited",
        Cause::Absent => "its player was absent for too long",
        Cause::Resigned => "its player resigned",
    }
}

/// Describes a forfeit, with the stand-in that plays on.
pub fn forfeit_text(seat: Seat, cause: Cause, stand_in: &str) -> String {
    format!("seat {seat} forfeits: {}; {stand_in} plays on", reason(cause))
}

/// Describes a strike for a fault in a decision.
pub fn strike_text(rules: &dyn AnyRules, seat: Seat, decision: u32, cause: Cause, action: Option<ActionId>) -> String {
    let fault = match cause {
        Cause::Illegal | Cause::Unreadable => format!("its player {}", fault(rules, cause, action)),
        cause => reason(cause).to_owned(),
    };
    format!("seat {seat} gets a strike for decision {decision}: {fault}")
}

/// Describes the point of a record at which a seat forfeited, with the last fault if strikes led to it; None if it did not
/// forfeit.
pub fn forfeit_place(record: &Record, seat: Seat) -> Option<String> {
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
pub fn fault(rules: &dyn AnyRules, cause: Cause, action: Option<ActionId>) -> String {
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
pub fn ending_text(ending: Option<&Ending>) -> String {
    match ending {
        Some(Ending::Finished) => "the match was finished".to_owned(),
        Some(Ending::Cancelled(reason)) => format!("the match was cancelled: {reason}"),
        Some(Ending::Void(reason)) => format!("the match is void by a fault of the server: {reason}"),
        None => "the match was not finished".to_owned(),
    }
}

/// The thinking time of a player, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thinking {
    /// The sum over all decisions.
    pub total: u64,
    /// The time of the slowest decision.
    pub slowest: u32,
    /// The number of the slowest decision, from 1; 0 without a decision.
    pub slowest_decision: u32,
}

/// Returns the measured thinking time of each player. The time of stand-ins does not count.
pub fn thinking(seats: Seats, entries: &[Entry]) -> BySeat<Thinking> {
    let mut thinking = BySeat::new(seats, Thinking::default());
    let mut decisions = BySeat::new(seats, 0);
    for entry in entries {
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
pub fn stand_in(record: &Record) -> String {
    record.terms.stand_in.map_or_else(|| "a stand-in".to_owned(), BotName::name)
}

/// Returns the ending as a word, and the reason if the match has no result.
pub fn ending_fields(ending: Option<&Ending>) -> (&'static str, Option<&str>) {
    match ending {
        None => ("unfinished", None),
        Some(Ending::Finished) => ("finished", None),
        Some(Ending::Cancelled(reason)) => ("cancelled", Some(reason)),
        Some(Ending::Void(reason)) => ("void", Some(reason)),
    }
}

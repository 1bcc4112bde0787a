//! The outcome of a match in words and as JSON: its ending, result, forfeits, and thinking times.

use std::collections::BTreeMap;
use std::io::Write;

use ahu_arena::programs::TimeControlJson;
use ahu_core::parts::lines::counted;
use ahu_core::{BySeat, Seat, hex};
use ahu_host::outcome::{Thinking, ending_fields, forfeit_place, reason, thinking};
use ahu_host::{Entry, MatchResult, Record, RewardRule, TimeControl, Transcript};
use serde_json::{Value, json};

use crate::Done;
use crate::terminal::fitted;

/// The points of each seat, by their source in the rules.
pub(crate) type ScoreParts = Vec<(&'static str, BySeat<i32>)>;

/// Prints the result of a match with the points by source, and thinking times if there are any.
pub(crate) fn show_result(record: &Record, result: &MatchResult, parts: &ScoreParts, out: &mut impl Write) -> Done {
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
    writeln!(out, "\n  seed {}, {}, fingerprint {}", record.seed, counted(record.plies(), "ply"), record.fingerprint)?;
    Ok(())
}

/// Prints the player of each seat, with its time control if there is one.
pub(crate) fn show_players<'a>(
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
    let thinking = thinking(record.setup.seats(), &record.entries);
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

/// Returns the record without its entries as JSON. `parts` adds the points by source, and `banks` the milliseconds that each seat
/// has left.
pub(crate) fn as_json(record: &Transcript, parts: Option<&ScoreParts>, banks: Option<BySeat<Option<u32>>>) -> Value {
    let result = record.result.as_ref();
    let returns = result.map(|result| RewardRule::Rank.returns(&result.scores, &result.ranks));
    let thinking = thinking(record.seats, &record.entries);
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
    let seats = record.seats.iter().zip(&record.players).map(|(seat, player)| {
        let control = record.terms.clocks.get(seat.index()).filter(|control| **control != TimeControl::default());
        json!({
            "seat": seat.index(), "player": player.name,
            "score": result.map(|result| result.scores[seat]), "score_parts": parts.map(|parts| points_of(parts, seat)),
            "rank": result.map(|result| result.ranks[seat]), "return": returns.map(|returns| returns[seat]),
            "forfeit": forfeit_of(seat), "strikes": strikes_of(seat),
            "time_control": control.map(TimeControlJson::from),
            "thinking": {
                "total_ms": thinking[seat].total, "slowest_ms": thinking[seat].slowest,
                "bank_ms": banks.and_then(|banks| banks[seat]),
            },
        })
    });
    let options: BTreeMap<_, _> = record.options.iter().cloned().collect();
    let (ending, reason) = ending_fields(record.ending.as_ref());
    json!({
        "game": record.game, "rules_version": record.rules_version, "options": options, "seed": record.seed, "plies": record.plies(),
        "ending": ending, "reason": reason, "stand_in": record.stand_in, "seats": seats.collect::<Value>(),
        "fingerprint": record.fingerprint.to_string(), "digest": hex(&record.digest()),
    })
}

//! The result of `ahu duel --json`.

use ahu_contest::blocks::{Measure, PairVerdict, PlayerRow, Table};
use ahu_contest::cup::Salt;
use ahu_contest::statistics::{Estimate, Sprt, Verdict};
use ahu_host::TimeControl;
use serde_json::{Map, Value, json};

use super::report::Report;

/// Returns the whole report. A figure that does not exist is null.
pub(super) fn value(report: &Report<'_>) -> Value {
    let Report { matchup, table, .. } = report;
    let options: Map<_, _> =
        matchup.setup.options().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
    let info = matchup.setup.rules().info();
    json!({
        "game": info.id, "rules_version": info.rules, "options": options, "seats": matchup.setup.seats().count(),
        "design": matchup.design.name(), "games_per_block": matchup.seatings.len(), "luck": matchup.luck_name(),
        "positions": matchup.starting_points.len(), "seed": matchup.seed, "salt": matchup.salt.map(Salt::to_hex), "concurrency": report.host.concurrency,
        "blocks": table.blocks, "games": table.games, "flagged_games": table.flagged_games,
        "decisions_per_game": table.decisions, "seconds": report.host.seconds,
        "games_per_minute": report.games_per_minute(),
        "agents": players(report, table),
        "pairs": pairs(report, table),
        "pentanomial": table.pentanomial,
        "seat_wins": table.seats.iter().map(estimate).collect::<Value>(),
        "without_flagged": table.without_flagged.as_ref().map(|table| json!({
            "agents": players(report, table), "pairs": pairs(report, table),
        })),
        "sprt": table.sprt.as_ref().map(sprt),
        "verdict": table.verdict(&matchup.names()),
    })
}

fn players(report: &Report<'_>, table: &Table) -> Value {
    let agents = report.matchup.agents.iter().zip(&table.players);
    let agents = agents.map(|(agent, player)| {
        let PlayerRow { seats, wins, pairs, margin, utility, score, rank, forfeits, times } = player;
        let forfeits: Map<_, _> =
            forfeits.iter().map(|(cause, count)| (cause.name().to_owned(), (*count).into())).collect();
        let time = |share| times.quantile(share).map(|nanos| nanos as f64 / 1e6);
        let control = Some(&agent.control).filter(|control| **control != TimeControl::default());
        json!({
            "name": agent.name, "player": agent.text, "seats": seats, "time_control": control.map(TimeControl::to_string),
            "wins": measure(wins), "pairs": measure(pairs), "elo": estimate(&pairs.estimate.elo()), "margin": measure(margin), "utility": measure(utility),
            "score": measure(score), "rank": measure(rank), "forfeits": forfeits,
            "decision_ms": {"p50": time(0.5), "p99": time(0.99), "timed": times.count()},
        })
    });
    agents.collect()
}

fn pairs(report: &Report<'_>, table: &Table) -> Value {
    let names = report.matchup.names();
    let count = names.len();
    let pairs = (0..count).flat_map(|player| (player + 1..count).map(move |other| (player, other)));
    let pairs = pairs.filter_map(|(player, other)| {
        let verdict = match table.compare(player, other)? {
            PairVerdict::TooFewBlocks => "too_few_blocks",
            PairVerdict::Better => "better",
            PairVerdict::Worse => "worse",
            PairVerdict::NotShown => "not_shown",
        };
        let share = table.pairs[player][other].as_ref()?;
        Some(json!({"agent": names[player], "other": names[other], "share": estimate(share), "verdict": verdict}))
    });
    pairs.collect()
}

fn estimate(estimate: &Estimate) -> Value {
    json!({"mean": estimate.mean, "low": estimate.low, "high": estimate.high})
}

fn measure(measure: &Measure) -> Value {
    let mut value = estimate(&measure.estimate);
    value["variance_ratio"] = json!(measure.variance_ratio);
    value
}

fn sprt(sprt: &Sprt) -> Value {
    let hypotheses = sprt.hypotheses();
    let ((h0, h1), (alpha, beta), (low, high)) = (hypotheses.differences(), hypotheses.rates(), hypotheses.limits());
    let verdict = sprt.verdict().map(|verdict| match verdict {
        Verdict::H0 => "H0",
        Verdict::H1 => "H1",
        Verdict::Inconclusive => "inconclusive",
    });
    json!({
        "h0": h0, "h1": h1, "alpha": alpha, "beta": beta, "llr": sprt.ratio(), "accept_h0_at": low, "accept_h1_at": high,
        "blocks": sprt.blocks(), "max_blocks": sprt.max_blocks(), "verdict": verdict,
    })
}

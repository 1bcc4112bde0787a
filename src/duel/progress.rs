//! The text that shows the progress of a duel.

use std::fmt::Write as _;
use std::time::Duration;

use ahu_contest::blocks::Tally;

use super::contest::Contest;
use crate::terminal::progress::{bar, time_left};

/// Returns the progress of a duel that has at most `blocks` blocks: a line, and from the second block on a line for each agent.
pub(super) fn text(contest: &Contest, blocks: u64, elapsed: Duration, tally: &Tally) -> String {
    let done = tally.blocks();
    let mut text = format!("{} {done} of {blocks} blocks", bar(done, blocks));
    if done > 0 {
        let games = done as f64 * contest.seatings.len() as f64;
        let most = if tally.sprt.is_some() { "at most " } else { "" };
        let _ = write!(
            text,
            ", {:.0} games a minute, {most}{} left",
            games * 60.0 / elapsed.as_secs_f64(),
            time_left(blocks - done, done, elapsed)
        );
    }
    if let Some(sprt) = tally.sprt.as_ref() {
        let (low, high) = sprt.hypotheses().limits();
        let _ = write!(text, ", LLR {:.2} [{low:.2}, {high:.2}]", sprt.ratio());
    }
    text.push('\n');
    if done >= 2 {
        let table = tally.table();
        for (name, player) in contest.names().iter().zip(&table.players) {
            let forfeits: u64 = player.forfeits.values().sum();
            let _ = writeln!(
                text,
                "  {name:<16} wins {}   pairs {}   forfeits {forfeits}",
                player.wins.estimate, player.pairs.estimate
            );
        }
    }
    text
}

//! The text that shows the progress of a duel.

use std::fmt::Write as _;
use std::time::Instant;

use ahu_contest::blocks::Tally;

use super::contest::Contest;
use crate::terminal::progress::{bar, time_left};

/// The standing of a duel in progress.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    /// The maximum number of blocks.
    pub(super) blocks: u64,
    /// The number of blocks that an earlier process has played.
    pub(super) before: u64,
    pub(super) start: Instant,
}

impl Standing {
    /// Returns the standing as a line, and from the second block on a line for each agent.
    pub(super) fn text(self, contest: &Contest, tally: &Tally) -> String {
        let Self { blocks, before, start } = self;
        let (done, elapsed) = (tally.blocks(), start.elapsed());
        let mut text = format!("{} {done} of {blocks} blocks", bar(done, blocks));
        if done > before {
            let games = (done - before) as f64 * contest.seatings.len() as f64;
            let most = if tally.sprt.is_some() { "at most " } else { "" };
            let _ = write!(
                text,
                ", {:.0} games a minute, {most}{} left",
                games * 60.0 / elapsed.as_secs_f64(),
                time_left(blocks - done, done - before, elapsed)
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
}

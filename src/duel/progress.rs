//! The text that shows the progress of a duel.

use std::fmt::Write as _;

use ahu_contest::blocks::Tally;

use super::matchup::Matchup;
use crate::terminal::progress::Pace;

/// Returns the standing of a duel of at most `blocks` blocks as a line, and from the second block on a line for each agent.
pub(super) fn text(matchup: &Matchup, blocks: u64, pace: Pace, tally: &Tally) -> String {
    let (done, games) = (tally.blocks(), matchup.seatings.len() as u64);
    let noun = if tally.sprt.is_some() { "games at most" } else { "games" };
    let mut text = pace.text(done * games, blocks * games, noun);
    if let Some(sprt) = tally.sprt.as_ref() {
        let (low, high) = sprt.hypotheses().limits();
        let _ = write!(text, ", LLR {:.2} [{low:.2}, {high:.2}]", sprt.ratio());
    }
    text.push('\n');
    if done >= 2 {
        let table = tally.table();
        for (name, player) in matchup.names().iter().zip(&table.players) {
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

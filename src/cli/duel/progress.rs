//! The progress of a duel, on stderr: a table that moves with the results at a terminal, and a line from time to time
//! elsewhere.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use ahu::host::blocks::Tally;

use super::contest::Contest;

/// The interval between two tables at a terminal: fast enough for the eye.
const AT_TERMINAL: Duration = Duration::from_millis(200);
/// The interval between two lines elsewhere, so that a log stays short.
const ELSEWHERE: Duration = Duration::from_secs(30);
/// The width of the bar, in characters.
const BAR: u64 = 30;

/// The progress of a duel.
pub(super) struct Progress<'a> {
    contest: &'a Contest,
    /// The number of blocks, at most.
    blocks: u64,
    start: Instant,
    shown: Instant,
    is_terminal: bool,
    /// The number of lines of the table that is shown.
    lines: usize,
}

impl<'a> Progress<'a> {
    /// Begins to measure the time.
    pub(super) fn new(contest: &'a Contest, blocks: u64) -> Self {
        let now = Instant::now();
        Self { contest, blocks, start: now, shown: now, is_terminal: io::stderr().is_terminal(), lines: 0 }
    }

    /// Shows the results so far, if it is time.
    pub(super) fn show(&mut self, tally: &Tally) {
        let interval = if self.is_terminal { AT_TERMINAL } else { ELSEWHERE };
        if self.shown.elapsed() < interval {
            return;
        }
        self.shown = Instant::now();
        let text = self.text(tally);
        if self.is_terminal {
            self.clear();
            // A line that the terminal breaks would count twice.
            let width = width();
            let cut = |line: &str| line.chars().take(width).chain(['\n']).collect::<String>();
            self.lines = text.lines().count();
            print(&text.lines().map(cut).collect::<String>());
        } else {
            print(&format!("{}\n", text.lines().next().unwrap_or_default()));
        }
    }

    /// Prints a line that stays.
    pub(super) fn tell(&mut self, line: &str) {
        self.clear();
        print(&format!("{line}\n"));
    }

    /// Removes the table.
    pub(super) fn clear(&mut self) {
        if self.lines > 0 {
            print(&format!("\x1b[{}A\x1b[J", self.lines));
            self.lines = 0;
        }
    }

    fn text(&self, tally: &Tally) -> String {
        let (done, blocks) = (tally.blocks(), self.blocks);
        let seconds = self.start.elapsed().as_secs_f64();
        let mut text = format!("{} {done} of {blocks} blocks", bar(done, blocks));
        if done > 0 {
            let games = done as f64 * self.contest.seatings.len() as f64;
            let left = (blocks - done) as f64 * seconds / done as f64;
            let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
            let most = if tally.sprt().is_some() { "at most " } else { "" };
            let _ = write!(text, ", {:.0} games a minute, {most}{} left", games * 60.0 / seconds, duration(left));
        }
        if let Some(sprt) = tally.sprt() {
            let (low, high) = sprt.hypotheses().limits();
            let _ = write!(text, ", LLR {:.2} [{low:.2}, {high:.2}]", sprt.ratio());
        }
        text.push('\n');
        if done >= 2 {
            let table = tally.table();
            for (name, player) in self.contest.names().iter().zip(&table.players) {
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

fn bar(done: u64, of: u64) -> String {
    let full = (done.min(of) * BAR / of.max(1)) as usize;
    format!("[{}{}]", "#".repeat(full), ".".repeat(BAR as usize - full))
}

/// Returns a duration for people, such as `3 min 20 s`.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Returns the number of characters of a line of the terminal that can be written without a break.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    let columns = size.ok().map(|size| usize::from(size.ws_col)).filter(|&columns| columns > 0);
    columns.unwrap_or(80) - 1
}

fn print(text: &str) {
    // An error of stderr cannot be reported anywhere.
    let _ = io::stderr().write_all(text.as_bytes());
}

//! The progress of long work, on stderr. At a terminal, a text is redrawn in place; elsewhere, a line is printed from time to
//! time.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ahu_arena::News;
use ahu_service::Stderr;

use crate::{lock, terminal};

/// The interval between two texts at a terminal.
const AT_TERMINAL: Duration = Duration::from_millis(200);
/// The interval between two texts elsewhere. It is long, so that logs stay short.
const ELSEWHERE: Duration = Duration::from_secs(60);
const BAR: u64 = 30;

pub(crate) struct Progress {
    shown: Instant,
    is_terminal: bool,
    /// The number of lines that are on the screen.
    lines: usize,
}

impl Progress {
    /// Creates a progress that shows nothing until the first interval has passed.
    pub(crate) fn new() -> Self {
        Self { shown: Instant::now(), is_terminal: io::stderr().is_terminal(), lines: 0 }
    }

    /// Shows the text if the interval has passed.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        let interval = if self.is_terminal { AT_TERMINAL } else { ELSEWHERE };
        if self.shown.elapsed() < interval {
            return;
        }
        self.shown = Instant::now();
        let text = text();
        if self.is_terminal {
            self.erase();
            // Cut long lines: the terminal would wrap them, and `clear` would remove too few lines.
            let width = terminal::columns(&io::stderr()) - 1;
            let cut = |line: &str| line.chars().take(width).chain(['\n']).collect::<String>();
            self.lines = text.lines().count();
            print(&text.lines().map(cut).collect::<String>());
        } else {
            print(&format!("{}\n", text.trim_end()));
        }
    }

    /// Removes the text from the screen, before others write there.
    pub(crate) fn clear(&mut self) {
        self.erase();
        Stderr::finish();
    }

    fn erase(&mut self) {
        if self.lines > 0 {
            print(&format!("\x1b[{}A\x1b[J", self.lines));
            self.lines = 0;
        }
    }
}

impl News for Progress {
    /// Prints a line that stays on the screen.
    fn tell(&mut self, line: &str) {
        self.erase();
        Stderr::line(line);
    }

    fn progress(&mut self, text: &dyn Fn() -> String) {
        self.show(text);
    }
}

/// A count of things that several threads do, shown as a bar.
pub(crate) struct Count {
    done: AtomicU64,
    of: u64,
    progress: Mutex<Progress>,
}

impl Count {
    pub(crate) fn up_to(of: usize) -> Self {
        Self { done: AtomicU64::new(0), of: of as u64, progress: Mutex::new(Progress::new()) }
    }

    /// Counts one more thing, and shows the bar. `things` is the noun, such as "records".
    pub(crate) fn add(&self, things: &str) {
        let (done, of) = (self.done.fetch_add(1, Ordering::Relaxed) + 1, self.of);
        // If another thread is showing the bar, this one need not.
        if let Ok(mut progress) = self.progress.try_lock() {
            progress.show(|| format!("{} {done} of {of} {things}", bar(done, of)));
        }
    }

    /// Removes the bar from the screen. The next call of [`Self::add`] may show it again.
    pub(crate) fn clear(&self) {
        lock(&self.progress).clear();
    }
}

/// The pace of games, of which earlier processes may have played some.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    before: u64,
    start: Instant,
}

impl Pace {
    /// Begins games of which earlier processes have played `before`.
    pub(crate) fn new(before: u64) -> Self {
        Self { before, start: Instant::now() }
    }

    /// Returns the duration of the work of this process.
    pub(crate) fn elapsed(self) -> Duration {
        self.start.elapsed()
    }

    /// Describes that `done` of `all` games are done, how many are played in a minute, and the time that is left. `games` is the
    /// noun, such as "games at most".
    pub(crate) fn text(self, done: u64, all: u64, games: &str) -> String {
        let elapsed = self.elapsed();
        let text = format!("{} {done} of {all} {games}", bar(done, all));
        match done.saturating_sub(self.before) {
            0 => text,
            new => {
                let per_minute = new as f64 * 60.0 / elapsed.as_secs_f64();
                format!(
                    "{text}, {per_minute:.0} games a minute, {} left",
                    time_left(all.saturating_sub(done), new, elapsed)
                )
            }
        }
    }
}

/// Draws a bar for `done` of `of` things.
fn bar(done: u64, of: u64) -> String {
    let full = (done.min(of) * BAR / of.max(1)) as usize;
    format!("[{}{}]", "#".repeat(full), ".".repeat(BAR as usize - full))
}

/// Estimates how long `left` more things will take, for people: as long for each as the `done` things took in `elapsed`.
fn time_left(left: u64, done: u64, elapsed: Duration) -> String {
    let seconds = left as f64 * elapsed.as_secs_f64() / done as f64;
    duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// Formats a duration for people, such as `3 min 20 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn print(text: &str) {
    // An error of stderr never comes here.
    let _ = Stderr.write_all(text.as_bytes());
}

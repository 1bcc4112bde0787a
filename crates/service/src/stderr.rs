//! Standard error, for logs and news. No caller waits for it, and no caller learns of its errors.
//!
//! A pipe that nobody reads blocks its writer, and a disk may be full. So one thread writes, and nothing else waits for it. Texts
//! that come faster than the thread can write them are dropped, as are those that cannot be written. The metrics count them, and
//! a line of the log tells their number once the thread has caught up. `tracing-appender` has such a thread too, but it neither
//! counts what cannot be written nor tells of it.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::mem;
use std::panic::PanicHookInfo;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;

use ahu_host::visible_text::shown;
use prometheus_client::metrics::counter::Counter;

use super::limits::{LAST_TEXTS_TIME, STDERR_BYTES};
use super::lock;

/// The texts of this process that wait for the thread, which starts with the first text.
static WAITING: OnceLock<Waiting> = OnceLock::new();

fn waiting() -> &'static Waiting {
    WAITING.get_or_init(|| {
        let thread = thread::Builder::new().name("stderr".to_owned());
        Waiting { has_thread: thread.spawn(write_all).is_ok(), ..Waiting::default() }
    })
}

#[derive(Debug, Default)]
struct Waiting {
    texts: Mutex<Texts>,
    changed: Condvar,
    dropped: Counter,
    /// False if the system has no thread for it. Then each text is written at once.
    has_thread: bool,
}

#[derive(Debug, Default)]
struct Texts {
    bytes: Vec<u8>,
    count: u64,
    is_writing: bool,
}

/// Standard error. Each write is one text.
#[derive(Clone, Copy, Debug)]
pub struct Stderr;

impl Stderr {
    /// Writes a line, or several. Hidden characters, such as those of a text that another program sent, are shown as escapes.
    pub fn line(text: &str) {
        Self::push((text.split('\n').map(shown).collect::<Vec<_>>().join("\n") + "\n").into_bytes());
    }

    /// Waits until all texts are written. If they cannot be written, waits for a bounded time.
    pub fn finish() {
        let Some(Waiting { texts, changed, .. }) = WAITING.get() else { return };
        let is_busy = |texts: &mut Texts| texts.is_writing || !texts.bytes.is_empty();
        // Both results mean that the wait is over.
        drop(changed.wait_timeout_while(lock(texts), LAST_TEXTS_TIME, is_busy));
    }

    /// Writes what a panic says: the hook of panics, in place of the hook that blocks.
    pub fn panicked(panic: &PanicHookInfo<'_>) {
        let thread = thread::current();
        let name = thread.name().unwrap_or("<unnamed>");
        let trace = Backtrace::capture();
        let trace = if trace.status() == BacktraceStatus::Captured { format!("\n{trace}") } else { String::new() };
        report(&format!("thread '{name}' {panic}{trace}"));
        // The end of this thread ends the process.
        if name == "main" {
            Self::finish();
        }
    }

    /// Returns the counter of the texts that were dropped.
    pub(crate) fn dropped() -> Counter {
        waiting().dropped.clone()
    }

    fn push(text: Vec<u8>) {
        let Waiting { texts, changed, dropped, has_thread } = waiting();
        if !has_thread {
            // There is nowhere to report an error of stderr.
            let _ = io::stderr().write_all(&text);
            return;
        }
        let mut texts = lock(texts);
        if texts.bytes.len() + text.len() <= STDERR_BYTES {
            texts.bytes.extend(text);
            texts.count += 1;
            changed.notify_all();
        } else {
            dropped.inc();
        }
    }
}

impl Write for Stderr {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        Self::push(text.to_vec());
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs an error. A program that keeps no log prints it.
fn report(message: &str) {
    match tracing::enabled!(tracing::Level::ERROR) {
        true => tracing::error!("{message}"),
        false => Stderr::line(message),
    }
}

/// Writes texts for ever: the work of the thread.
fn write_all() {
    let Waiting { texts, changed, dropped, .. } = waiting();
    let mut told = 0;
    loop {
        let (bytes, count) = {
            let mut texts = lock(texts);
            texts.is_writing = false;
            changed.notify_all();
            let mut texts =
                changed.wait_while(texts, |texts| texts.bytes.is_empty()).unwrap_or_else(PoisonError::into_inner);
            texts.is_writing = true;
            (mem::take(&mut texts.bytes), mem::take(&mut texts.count))
        };
        if io::stderr().write_all(&bytes).is_err() {
            dropped.inc_by(count);
        } else if dropped.get() != told {
            told = dropped.get();
            // If this line is lost too, the count changes, and another line follows.
            report(&format!(
                "{told} lines of the log were dropped since the start: stderr did not take them, or not as fast as they came"
            ));
        }
    }
}

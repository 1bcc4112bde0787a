//! The signals that ask this program to end: SIGINT and SIGTERM.

use std::io;

use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

/// A signal that asks a program to end. Its number is the exit code of a program that it ended, by the convention of shells.
#[derive(Clone, Copy, Debug)]
pub enum EndSignal {
    /// SIGINT, which Ctrl-C sends.
    Interrupt = 130,
    /// SIGTERM, which init systems and containers send.
    Terminate = 143,
}

/// The signals that ask this program to end.
pub struct EndSignals {
    interrupt: Signals,
    terminate: Signals,
}

impl EndSignals {
    /// Begins to receive the signals. From now on they no longer end the program by themselves.
    pub fn begin() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> EndSignal {
        tokio::select! {
            _ = self.interrupt.recv() => EndSignal::Interrupt,
            _ = self.terminate.recv() => EndSignal::Terminate,
        }
    }
}

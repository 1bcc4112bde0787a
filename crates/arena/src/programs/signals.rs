//! The signals that ask this program to end: SIGINT, SIGTERM, and SIGHUP.

use std::{fs, io};

use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

/// A signal that asks a program to end. Its number is the exit code of a program that it ended, by the convention of shells.
#[derive(Clone, Copy, Debug)]
pub enum EndSignal {
    /// SIGHUP, which a terminal sends that closes.
    HangUp = 129,
    /// SIGINT, which Ctrl-C sends.
    Interrupt = 130,
    /// SIGTERM, which init systems and containers send.
    Terminate = 143,
}

/// The signals that ask this program to end.
pub struct EndSignals {
    interrupt: Signals,
    terminate: Signals,
    /// None if the program ignores the signal, as `nohup` asks.
    hang_up: Option<Signals>,
}

impl EndSignals {
    /// Begins to receive the signals. From now on they no longer end the program by themselves.
    pub fn begin() -> io::Result<Self> {
        let hang_up = (!ignores_hang_up()).then(|| signal(SignalKind::hangup())).transpose()?;
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())?, hang_up })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> EndSignal {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signals) => signals.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => EndSignal::Interrupt,
            _ = self.terminate.recv() => EndSignal::Terminate,
            _ = hang_up => EndSignal::HangUp,
        }
    }
}

/// Returns true if this process was started with SIGHUP ignored, or if the system does not tell: only Linux does, in the mask
/// `SigIgn`, whose lowest bit is signal 1.
fn ignores_hang_up() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}

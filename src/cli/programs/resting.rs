//! A program between two matches.

use std::thread;
use std::time::{Duration, Instant};

use ahu::service::SeatQueue;

use super::GRACE;
use super::launch::Output;
use super::process::Process;

/// The interval of the checks whether a program has exited.
const LOOK: Duration = Duration::from_millis(5);

/// A program that waits for another seat. It is told that none comes when this is dropped, and stopped if it does not exit
/// by itself then.
pub(in crate::cli) struct Resting {
    pub(super) process: Process,
    pub(super) output: Output,
    pub(super) queue: SeatQueue,
}

impl Resting {
    /// Returns true if the program has not exited.
    pub(in crate::cli) fn is_running(&self) -> bool {
        self.process.ended().is_none()
    }

    /// Tells programs that no more seats come, waits until they exit, and stops those that do not.
    pub(in crate::cli) fn end(programs: Vec<Self>) {
        for program in &programs {
            program.queue.close();
        }
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline && programs.iter().any(Self::is_running) {
            thread::sleep(LOOK);
        }
        for program in programs {
            if program.is_running() {
                program.output.line("the program did not exit by itself and is stopped");
                program.process.stop();
            }
            program.process.hear_out();
        }
    }
}

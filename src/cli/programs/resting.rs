//! A program between two matches.

use ahu::service::SeatQueue;

use super::launch::Output;
use super::process::{Process, end_all};

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
    pub(in crate::cli) fn end(programs: &[Self]) {
        for program in programs {
            program.queue.close();
        }
        end_all(&programs.iter().map(|program| (&program.process, &program.output)).collect::<Vec<_>>());
    }
}

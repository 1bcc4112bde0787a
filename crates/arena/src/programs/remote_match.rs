//! A program of this machine that plays a match on a server elsewhere.

use super::child_process::{Process, end_all};
use super::program_seat::ProgramSeat;
use super::program_spec::ProgramSpec;
use crate::Error;

/// A program that plays one match on a server elsewhere. It is stopped when this is dropped.
pub(crate) struct RemoteMatchProgram(Process);

impl RemoteMatchProgram {
    pub(crate) fn start(spec: &ProgramSpec, place: &ProgramSeat<'_>) -> Result<Self, Error> {
        Ok(Self(Process::start(spec, place).map_err(|error| spec.cannot_start(&error))?.0))
    }

    pub(crate) fn has_exited(&self) -> bool {
        self.0.ended().is_some()
    }

    /// Notes the exit in the output of the program, after its last lines.
    pub(crate) fn note_exit(&self) {
        self.0.hear_out();
        self.0.output.line("the program has ended");
    }

    /// Gives programs time to exit by themselves, and stops those that do not.
    pub(crate) fn end(programs: impl IntoIterator<Item = Self>) {
        let programs: Vec<_> = programs.into_iter().collect();
        end_all(programs.iter().map(|program| &program.0));
    }
}

impl Drop for RemoteMatchProgram {
    fn drop(&mut self) {
        if !self.has_exited() {
            self.0.stop();
        }
    }
}

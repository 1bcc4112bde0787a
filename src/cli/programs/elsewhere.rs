//! A program of this machine that plays a seat on a server elsewhere.

use std::path::Path;

use ahu_engine::core::Seat;

use super::launch::{Launch, Output};
use super::process::{Process, end_all};
use crate::cli::CliError;

/// A place where a program plays.
pub(in crate::cli) struct SeatElsewhere<'a> {
    /// The address of the server: `HOST:PORT`.
    pub(in crate::cli) address: &'a str,
    /// The path of a Unix socket that leads to the server, for a program with a wrapper.
    pub(in crate::cli) socket: &'a Path,
    pub(in crate::cli) match_id: &'a str,
    pub(in crate::cli) seat: Seat,
    pub(in crate::cli) token: &'a str,
}

/// A program that plays one match on a server elsewhere. It is stopped when this is dropped.
pub(in crate::cli) struct ProgramElsewhere {
    process: Process,
    output: Output,
}

impl ProgramElsewhere {
    /// Starts a program that calls the server. Environment variables tell it where to play.
    pub(in crate::cli) fn start(launch: &Launch, place: &SeatElsewhere<'_>) -> Result<Self, CliError> {
        let output = launch.output_of(place.seat);
        let number = place.seat.to_string();
        let agent_seed = launch.agent_seed.map(|seed| seed.to_string());
        let address = match launch.wrapper.is_empty() {
            true => place.address.to_owned(),
            false => format!("unix:{}", place.socket.display()),
        };
        let mut places = vec![
            ("AHU_ADDRESS", address.as_str()),
            ("AHU_MATCH", place.match_id),
            ("AHU_SEAT", &number),
            ("AHU_TOKEN", place.token),
        ];
        places.extend(agent_seed.as_deref().map(|seed| ("AHU_AGENT_SEED", seed)));
        let cannot = |error| CliError::Failed(format!("cannot start \"{}\": {error}", launch.command));
        let (process, _) = Process::start(&launch.with_socket(place.socket), &places, &output).map_err(cannot)?;
        Ok(Self { process, output })
    }

    /// Returns true if the program has exited.
    pub(in crate::cli) fn has_exited(&self) -> bool {
        self.process.ended().is_some()
    }

    /// Tells what a program whose match goes on has done.
    pub(in crate::cli) fn note_exit(&self) {
        self.process.hear_out();
        self.output.line("the program has ended");
    }

    /// Waits until all programs have exited, and stops those that do not.
    pub(in crate::cli) fn end(programs: impl IntoIterator<Item = Self>) {
        let programs: Vec<_> = programs.into_iter().collect();
        end_all(&programs.iter().map(|program| (&program.process, &program.output)).collect::<Vec<_>>());
    }
}

impl Drop for ProgramElsewhere {
    fn drop(&mut self) {
        if !self.has_exited() {
            self.process.stop();
        }
    }
}

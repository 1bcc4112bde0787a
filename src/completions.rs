//! `ahu completions`: prints the completions of commands and options for a shell.

use std::io::Write;

use clap_complete::Shell;

use crate::{Done, command_line};

/// Print the completions of commands and options for a shell, to be sourced by it
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        // The generator panics on an error of its writer, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command_line(), "ahu", &mut script);
        out.write_all(&script)?;
        Ok(())
    }
}

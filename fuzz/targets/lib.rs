//! Targets: functions that take any bytes, and panic if the code under test breaks a rule. The fuzzer looks for such bytes
//! (`.ci/fuzz`), and tests replay the bytes that it found before.
//!
//! A target is a module with two functions: `run` takes the bytes, and returns true if the code under test accepted them;
//! `seeds` returns bytes that the code accepts, from the playthroughs where a game is needed. The targets of public code are
//! files here. A target of private code is the file `fuzzing.rs` in the folder of that code, which tests and the fuzzer alone
//! compile; the module `fuzzing` of its package names it. To add a target, name it in the [`replays`] of its package, add a file
//! in `fuzz/src/bin`, and run `.ci/fuzz --keep` with its name.

pub mod action_text;
mod corpus;
pub mod cup_file;
pub mod net_file;
pub mod open_step;
mod playthroughs;
pub mod record_bytes;
pub mod record_text;
mod replay;
pub mod suite_file;
pub mod view_bytes;

use std::path::{Path, PathBuf};

pub use playthroughs::{playthroughs, short};
pub use replay::{check_names, replay};

/// The bytes of an input, taken from the front. After the last byte there are zeros.
#[derive(Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// Returns true if all bytes are taken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a byte.
    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// Takes at most this number of bytes.
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Takes bytes that follow their number, in two bytes.
    pub fn block(&mut self) -> &'a [u8] {
        let count = [self.byte(), self.byte()];
        self.take(u16::from_le_bytes(count).into())
    }

    /// Writes bytes as [`Self::block`] takes them.
    pub fn of_block(bytes: &[u8]) -> Vec<u8> {
        let count = u16::try_from(bytes.len()).expect("a seed is short");
        [&count.to_le_bytes(), bytes].concat()
    }
}

/// Returns the path of a file of the repository.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

replays! {
    action_text
    cup_file
    net_file
    open_step
    record_bytes
    record_text
    suite_file
    view_bytes
}

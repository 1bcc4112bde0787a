//! Targets: functions that take any bytes, and panic if the code under test breaks a rule. The fuzzer looks for such bytes
//! (`.ci/fuzz`), and a test replays the bytes that it found before.
//!
//! A target is a file here with two functions: `run` takes the bytes, and returns true if the code under test accepted them;
//! `seeds` returns bytes that the code accepts, from the playthroughs where a game is needed. Targets of private code are
//! modules beside that code, which tests and the fuzzer alone compile. To add a target, name its file here, in `replay.rs`, and
//! in `fuzz/Cargo.toml`, add a file in `fuzz/fuzz_targets`, and run `.ci/fuzz --keep` with its name.

pub mod action_text;
pub mod cup_file;
pub mod line_protocol;
pub mod net_file;
pub mod open_step;
pub mod page_requests;
pub mod record_bytes;
pub mod record_text;
#[cfg(test)]
mod replay;
pub(crate) mod server;
pub mod suite_file;

pub use crate::service::admission::{connection_bytes, forwarded_header};
pub use crate::service::store::encoding::store_encoding;

/// The bytes of an input, taken from the front. After the last byte there are zeros.
#[derive(Debug)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// Takes at most this number of bytes.
    pub(crate) fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Takes bytes that follow their number, in two bytes.
    pub(crate) fn block(&mut self) -> &'a [u8] {
        let count = [self.byte(), self.byte()];
        self.take(u16::from_le_bytes(count).into())
    }

    /// Writes bytes as [`Self::block`] takes them.
    #[cfg(test)]
    pub(crate) fn of_block(bytes: &[u8]) -> Vec<u8> {
        let count = u16::try_from(bytes.len()).expect("a seed is short");
        [&count.to_le_bytes(), bytes].concat()
    }
}

/// Returns the records at the ends of the playthroughs.
#[cfg(test)]
pub(crate) fn playthroughs() -> Vec<ahu_engine::host::Record> {
    use ahu_engine::host::Record;
    use ahu_engine::host::record::notation::TITLE;

    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    let files = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).expect("the folder can be read");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("the entry can be read").path()).collect();
        paths.sort();
        paths
    };
    let paths = files(&folder).into_iter().flat_map(|game| files(&game));
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let record = text.rfind(TITLE).map(|start| Record::read(&text.as_bytes()[start..]));
        record.expect("a playthrough ends with its record").expect("it is whole")
    };
    paths.map(read).collect()
}

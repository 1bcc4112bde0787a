//! The copy of a journal on the server that hosts its cup.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::journal::Journal;
use super::ladder::Position;

/// A copy of a journal that a process elsewhere writes. Only whoever reads the copy checks its lines.
#[derive(Debug)]
pub struct JournalCopy {
    file: File,
    length: u64,
}

impl JournalCopy {
    /// Opens a copy, or creates it with its folder if it is missing. Nobody but the owner may read the file (mode 0600). A copy
    /// that is damaged, such as one that was being written when the machine lost its power, begins anew.
    pub fn open(path: &Path) -> io::Result<Self> {
        path.parent().map_or(Ok(()), |folder| DirBuilder::new().recursive(true).mode(0o700).create(folder))?;
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        let end = Journal::read_from(path, &Position::default(), |_| Ok(()));
        let has_begun = end.is_ok_and(|end| end.lines > 0);
        let length = if has_begun { file.metadata()?.len() } else { 0 };
        file.set_len(length)?;
        Ok(Self { file, length })
    }

    /// Appends the part that follows the first `from` bytes of the journal; the part from 0 on replaces the copy. Returns the
    /// number of bytes that the copy has then. If `from` is another number than that before, nothing is appended.
    pub fn append(&mut self, from: u64, part: &[u8]) -> io::Result<u64> {
        if from != 0 && from != self.length {
            return Ok(self.length);
        }
        self.file.set_len(from)?;
        self.length = from;
        if let Err(error) = self.file.write_all(part) {
            // The part is sent again: leave no piece of it.
            self.file.set_len(from)?;
            return Err(error);
        }
        self.length += part.len() as u64;
        Ok(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cup::{Event, Line};

    fn withdraw(agent: &str) -> Event {
        Event::Withdraw { agent: agent.to_owned(), reason: None }
    }

    #[test]
    fn a_copy_takes_each_part_once_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("source.jsonl");
        let mut journal = Journal::lock(&source).expect("a new file");
        for event in [crate::cup::State::begin("", &crate::cup::Salt([1; 32])), withdraw("a"), withdraw("b")] {
            journal.append(&Line::now(event)).expect("it is written");
        }
        let journal = std::fs::read(&source).expect("a file");
        let path = folder.path().join("cups").join("copy.jsonl");
        let content = || std::fs::read(&path).expect("a file");
        let mut copy = JournalCopy::open(&path).expect("a new file");
        // A part may end within a line.
        let (first, rest) = journal.split_at(journal.len() - 10);
        let [cut, all] = [first.len(), journal.len()].map(|length| length as u64);
        assert_eq!(copy.append(7, first).expect("a gap is no error"), 0, "the first part is missing");
        assert_eq!(copy.append(0, first).expect("it follows"), cut);
        assert_eq!(copy.append(cut - 1, rest).expect("it is no error"), cut, "the part begins elsewhere");
        drop(copy);
        let mut copy = JournalCopy::open(&path).expect("it has whole lines and a part of one");
        assert_eq!(copy.append(cut, rest).expect("it follows"), all);
        assert_eq!(content(), journal);
        assert_eq!(copy.append(0, first).expect("it is the first part"), cut, "the copy begins anew");
        assert_eq!(content(), first);
        drop(copy);
        std::fs::write(&path, vec![0; 1000]).expect("a file");
        let mut copy = JournalCopy::open(&path).expect("it is damaged, and begins anew");
        assert_eq!(copy.append(all, rest).expect("it is no error"), 0);
    }
}

//! The bytes that a program writes, as lines of limited length.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The maximum length of a line of a program, in bytes. An answer needs less than a hundredth of it; the rest is room for notes
/// of the program.
pub(super) const MAX_ANSWER: usize = 64 * 1024;

/// Bytes that were read and not yet taken, at most [`MAX_ANSWER`].
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// True if the bytes begin in the middle of a line that was taken as too long.
    is_within_line: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// A line without its line feed.
    Line(Vec<u8>),
    TooLong(Vec<u8>),
}

impl Received {
    pub(super) fn bytes(&self) -> &[u8] {
        let (Self::Line(bytes) | Self::TooLong(bytes)) = self;
        bytes
    }
}

impl Buffer {
    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() < MAX_ANSWER
    }

    /// Reads available bytes into the free room. Returns their number; 0 at the end of the input.
    pub(super) async fn fill(&mut self, from: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
        let room = MAX_ANSWER - self.bytes.len();
        self.bytes.reserve(room);
        from.take(room as u64).read_buf(&mut self.bytes).await
    }

    /// Takes the next line. A line that is too long is taken in parts that fill the buffer, so that a line without an end is
    /// noticed; its last part is dropped.
    pub(super) fn take(&mut self) -> Option<Received> {
        loop {
            let Some(end) = self.bytes.iter().position(|&byte| byte == b'\n') else {
                if self.has_room() {
                    return None;
                }
                self.is_within_line = true;
                return Some(Received::TooLong(std::mem::take(&mut self.bytes)));
            };
            let mut line: Vec<u8> = self.bytes.drain(..=end).collect();
            line.pop();
            if !std::mem::take(&mut self.is_within_line) {
                return Some(Received::Line(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a buffer with these bytes. Returns the number of bytes that fit.
    fn filled(buffer: &mut Buffer, mut bytes: &[u8]) -> usize {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(buffer.fill(&mut bytes)).expect("bytes can be read")
    }

    fn line(text: &str) -> Received {
        Received::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn bytes_are_taken_line_by_line() {
        let mut buffer = Buffer::default();
        filled(&mut buffer, b"one\n\ntw");
        assert_eq!((buffer.take(), buffer.take(), buffer.take()), (Some(line("one")), Some(line("")), None));
        filled(&mut buffer, b"o\n");
        assert_eq!((buffer.take(), buffer.take()), (Some(line("two")), None));
    }

    #[test]
    fn a_line_that_is_too_long_is_taken_in_parts_without_its_end() {
        let long = vec![b'x'; 2 * MAX_ANSWER + 5];
        let mut buffer = Buffer::default();
        for part in [&long[..MAX_ANSWER], &long[MAX_ANSWER..2 * MAX_ANSWER]] {
            assert_eq!(filled(&mut buffer, part), MAX_ANSWER);
            assert!(!buffer.has_room());
            assert_eq!(filled(&mut buffer, b"more"), 0, "the memory is bounded");
            assert_eq!(buffer.take(), Some(Received::TooLong(part.to_vec())));
        }
        filled(&mut buffer, b"xxxxx");
        assert_eq!(buffer.take(), None);
        filled(&mut buffer, b"\nnext\n");
        assert_eq!((buffer.take(), buffer.take()), (Some(line("next")), None));
    }

    #[test]
    fn a_line_of_the_maximum_length_is_a_line() {
        let mut bytes = vec![b'x'; MAX_ANSWER - 1];
        bytes.push(b'\n');
        let mut buffer = Buffer::default();
        assert_eq!(filled(&mut buffer, &bytes), MAX_ANSWER);
        assert_eq!(buffer.take(), Some(Received::Line(vec![b'x'; MAX_ANSWER - 1])));
    }
}

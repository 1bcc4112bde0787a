//! The frames that a client sends, counted as their bytes pass.
//!
//! HTTP/2 answers or forgets many frames at once, such as pings and resets, before any of our code sees them. So the reader of
//! a connection counts frames, and reads more slowly from a client that sends too many
//! ([`Rate::Frames`](crate::limits::Rate)). It looks only at the heads of frames (3 bytes of length, a type, flags, and the
//! stream: RFC 9113, section 4.1), and at the authorities of calls (`authority.rs`).

#[cfg(any(test, fuzzing))]
pub mod fuzzing;

use super::authority::HeaderBlock;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The length of the head of a frame.
const HEAD: usize = 9;

/// The cost of a frame that begins a call, and the cost of a frame that only takes time.
const CALL: u32 = 1;
const CONTROL: u32 = 4;

/// The number of other frames that together cost as much as a call. They come with honest calls, and each takes little time.
const OTHERS: u32 = 8;
/// The length of the head of a message of gRPC. Data without it are no message, and flow control bounds only their bytes.
const MESSAGE_HEAD: usize = 5;

/// The types of frames that do not always cost as much as a control frame.
const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const SETTINGS: u8 = 0x4;
const PING: u8 = 0x6;
const WINDOW_UPDATE: u8 = 0x8;
const CONTINUATION: u8 = 0x9;

/// The flag of the last frame of a stream, and the flag of an answer to settings and pings. Both are the lowest bit.
const END_STREAM: u8 = 0x1;
const ACK: u8 = 0x1;
/// The flag of data and headers with padding, which no client of gRPC needs.
const PADDED: u8 = 0x8;
/// The flag of headers that begin with a priority, and its length.
const PRIORITY: u8 = 0x20;
const PRIORITY_LENGTH: usize = 5;

/// A counter of the frames of one connection. It begins before the first byte.
#[derive(Debug, Default)]
pub(super) struct FrameCounter {
    /// The bytes of the preface that have passed.
    preface: usize,
    /// True if the client does not begin with the preface of HTTP/2.
    is_http1: bool,
    head: [u8; HEAD],
    /// The bytes of the next head that have passed.
    head_bytes: usize,
    /// The bytes of the present frame that have not passed.
    content: usize,
    /// The number of other frames that have passed and have cost nothing yet.
    others: u32,
    /// The bytes before the headers in the present frame that have not passed.
    before_headers: usize,
    headers: HeaderBlock,
}

impl FrameCounter {
    /// Returns true if the client does not begin with the preface of HTTP/2. Then it speaks HTTP/1.1, as browsers do.
    pub(super) fn is_http1(&self) -> bool {
        self.is_http1
    }

    /// Returns the cost of the frames whose heads end in these bytes, which follow the bytes of the last call. A frame that
    /// begins a call costs 1, a frame that HTTP/2 answers or forgets costs 4, and eight other frames cost 1 together. What HTTP/2
    /// refuses in the authority of a call is replaced.
    pub(super) fn cost(&mut self, bytes: &mut [u8]) -> u32 {
        let preface = (PREFACE.len() - self.preface).min(bytes.len());
        self.is_http1 |= bytes[..preface] != PREFACE[self.preface..][..preface];
        self.preface += preface;
        let mut bytes = &mut bytes[preface..];
        if self.is_http1 {
            return 0;
        }
        let mut cost = 0;
        while !bytes.is_empty() {
            let content = self.content.min(bytes.len());
            self.content -= content;
            let (passing, rest) = bytes.split_at_mut(content);
            if matches!(self.head[3], HEADERS | CONTINUATION) {
                let before = self.before_headers.min(content);
                self.before_headers -= before;
                self.headers.pass(&mut passing[before..]);
            }
            bytes = rest;
            let part = (HEAD - self.head_bytes).min(bytes.len());
            self.head[self.head_bytes..][..part].copy_from_slice(&bytes[..part]);
            self.head_bytes += part;
            bytes = &mut bytes[part..];
            if self.head_bytes == HEAD {
                self.head_bytes = 0;
                let [high, middle, low, kind, flags, ..] = self.head;
                self.content = u32::from_be_bytes([0, high, middle, low]) as usize;
                cost += self.frame_cost(kind, flags);
                if kind == HEADERS {
                    self.headers = HeaderBlock::default();
                    self.before_headers = if flags & PRIORITY != 0 { PRIORITY_LENGTH } else { 0 };
                    if flags & PADDED != 0 {
                        self.headers.skip();
                    }
                }
            }
        }
        cost
    }

    /// Returns the cost of a frame. Its content has not passed yet.
    fn frame_cost(&mut self, kind: u8, flags: u8) -> u32 {
        let is_other = match kind {
            HEADERS => return CALL,
            DATA => flags & PADDED == 0 && (self.content >= MESSAGE_HEAD || flags & END_STREAM != 0),
            SETTINGS | PING => flags & ACK != 0,
            WINDOW_UPDATE => true,
            _ => false,
        };
        if !is_other {
            return CONTROL;
        }
        self.others = (self.others + 1) % OTHERS;
        u32::from(self.others == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, length: usize) -> Vec<u8> {
        let mut bytes = (length as u32).to_be_bytes()[1..].to_vec();
        bytes.extend([kind, flags, 0, 0, 0, 1]);
        bytes.extend(std::iter::repeat_n(0x06, length));
        bytes
    }

    /// A connection with a call, its data and its end, a reset, pings, and settings.
    fn connection() -> Vec<u8> {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        for (kind, flags, length) in
            [(SETTINGS, 0, 6), (SETTINGS, ACK, 0), (HEADERS, 4, 40), (DATA, 0, 20), (DATA, END_STREAM, 0)]
        {
            bytes.extend(frame(kind, flags, length));
        }
        for (kind, flags, length) in [(PING, 0, 8), (PING, ACK, 8), (WINDOW_UPDATE, 0, 4), (3, 0, 4), (DATA, 0, 0)] {
            bytes.extend(frame(kind, flags, length));
        }
        bytes
    }

    #[test]
    fn a_cost_does_not_depend_on_where_reads_end() {
        let mut bytes = connection();
        // The settings, the ping, the reset, and the empty data, and one call.
        let expected = 4 * CONTROL + CALL;
        for size in 1..=bytes.len() {
            let mut counter = FrameCounter::default();
            assert_eq!(bytes.clone().chunks_mut(size).map(|part| counter.cost(part)).sum::<u32>(), expected, "{size}");
        }
        for split in 0..=bytes.len() {
            let mut counter = FrameCounter::default();
            let (one, other) = bytes.split_at_mut(split);
            assert_eq!(counter.cost(one) + counter.cost(other), expected, "{split}");
        }
    }

    #[test]
    fn frames_that_come_with_calls_cost_an_eighth_and_data_without_a_message_more() {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        let mut counter = FrameCounter::default();
        assert_eq!(counter.cost(&mut bytes), 0);
        for (kind, flags, length, expected) in [
            (WINDOW_UPDATE, 0, 4, 10),
            (DATA, 0, MESSAGE_HEAD, 10),
            (DATA, 0, MESSAGE_HEAD - 1, 80 * CONTROL),
            (DATA, PADDED, 100, 80 * CONTROL),
            (DATA, END_STREAM, 1, 10),
            (9, 4, 100, 80 * CONTROL),
        ] {
            bytes = frame(kind, flags, length).repeat(80);
            assert_eq!(counter.cost(&mut bytes), expected, "type {kind}, flags {flags}, length {length}");
        }
    }

    #[test]
    fn a_client_of_another_protocol_costs_nothing() {
        for request in ["GET / HTTP/1.1\r\nhost: a\r\n\r\n", "POST /api HTTP/1.1\r\nhost: a\r\n\r\n"] {
            let mut counter = FrameCounter::default();
            assert_eq!(counter.cost(&mut request.as_bytes().to_vec()) + counter.cost(&mut [b'x'; 100]), 0);
        }
    }
}

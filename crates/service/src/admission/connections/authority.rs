//! The authorities that clients send. gRPC C-core sends the path of a Unix socket, percent-encoded, as `:authority`. The library
//! of HTTP/2 refuses a `%` there before any of our code sees the call. So what it refuses is replaced as the bytes pass: byte by
//! byte, so that the lengths of frames and the table of HPACK stay as the client has them (RFC 7541, section 6).

const NAME: &[u8] = b":authority";
/// The index of `:authority` in the static table.
const INDEX: usize = 1;

/// The sign that a text is in Huffman's code, which C-core does not use.
const HUFFMAN: u8 = 0x80;

/// A reader of a block of headers, whose bytes may come in parts.
#[derive(Debug, Default)]
pub(super) struct HeaderBlock {
    place: Place,
    /// The meaning of the number that is being read.
    number_of: NumberOf,
    number: usize,
    shift: u32,
    /// The bytes of the name or of the value that have not passed.
    left: usize,
    is_huffman: bool,
    is_authority: bool,
    /// True once a `%` has passed in the value.
    is_encoded: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum Place {
    /// The first byte of a field.
    #[default]
    Field,
    /// A further byte of a number.
    Number,
    /// The first byte of the length of the name or the value.
    Length,
    Name,
    Value,
    /// The rest of the block cannot be read.
    Lost,
}

#[derive(Clone, Copy, Debug, Default)]
enum NumberOf {
    /// A field in the table, or the size of the table.
    #[default]
    Field,
    /// The name of a literal, by its index; 0 for a name that follows.
    Name,
    NameLength,
    ValueLength,
}

impl HeaderBlock {
    /// Replaces what HTTP/2 refuses in the authority, in the next bytes of the block.
    pub(super) fn pass(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            match self.place {
                Place::Field => match *byte {
                    0x80.. => self.begin_number(*byte, 0x7f, NumberOf::Field),
                    0x40.. => self.begin_number(*byte, 0x3f, NumberOf::Name),
                    0x20.. => self.begin_number(*byte, 0x1f, NumberOf::Field),
                    _ => self.begin_number(*byte, 0x0f, NumberOf::Name),
                },
                Place::Number if self.shift > 21 => self.place = Place::Lost,
                Place::Number => {
                    self.number += usize::from(*byte & 0x7f) << self.shift;
                    self.shift += 7;
                    if *byte & 0x80 == 0 {
                        self.end_number();
                    }
                }
                Place::Length => {
                    self.is_huffman = *byte & HUFFMAN != 0;
                    self.begin_number(*byte, 0x7f, self.number_of);
                }
                Place::Name => {
                    self.is_authority &= NAME.iter().rev().nth(self.left - 1) == Some(byte);
                    self.left -= 1;
                    if self.left == 0 {
                        self.await_length(NumberOf::ValueLength);
                    }
                }
                Place::Value => {
                    self.is_encoded |= self.is_authority && *byte == b'%';
                    if self.is_encoded && !(byte.is_ascii_alphanumeric() || b"-._~".contains(byte)) {
                        *byte = b'-';
                    }
                    self.left -= 1;
                    if self.left == 0 {
                        self.place = Place::Field;
                    }
                }
                Place::Lost => return,
            }
        }
    }

    /// Begins a number with the bits of a byte that `mask` has. If all are set, further bytes follow.
    fn begin_number(&mut self, byte: u8, mask: u8, number_of: NumberOf) {
        (self.number, self.number_of, self.shift) = (usize::from(byte & mask), number_of, 0);
        match byte & mask == mask {
            true => self.place = Place::Number,
            false => self.end_number(),
        }
    }

    fn end_number(&mut self) {
        match self.number_of {
            NumberOf::Field => self.place = Place::Field,
            NumberOf::Name => {
                self.is_authority = self.number == INDEX;
                self.await_length(if self.number == 0 { NumberOf::NameLength } else { NumberOf::ValueLength });
            }
            NumberOf::NameLength => {
                self.is_authority = self.number == NAME.len() && !self.is_huffman;
                self.begin_text(Place::Name);
            }
            NumberOf::ValueLength => {
                self.is_authority &= !self.is_huffman;
                self.is_encoded = false;
                self.begin_text(Place::Value);
            }
        }
    }

    fn await_length(&mut self, number_of: NumberOf) {
        (self.place, self.number_of) = (Place::Length, number_of);
    }

    /// Begins a text of the length that was read.
    fn begin_text(&mut self, place: Place) {
        self.left = self.number;
        self.place = match (self.left, place) {
            // HTTP/2 refuses a name without characters.
            (0, Place::Name) => Place::Lost,
            (0, _) => Place::Field,
            _ => place,
        };
    }

    /// Skips the rest of the block.
    pub(super) fn skip(&mut self) {
        self.place = Place::Lost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_with_a_percent_sign_is_replaced_wherever_reads_end_and_nothing_else_is() {
        let literal = |start: &[u8], value: &str| {
            let length = match value.len() {
                short @ ..127 => vec![short as u8],
                long => vec![127, (long - 127) as u8],
            };
            [start, &length, value.as_bytes()].concat()
        };
        let long = format!("tmp%2F{}@:", "x".repeat(150));
        let block = |authorities: [&str; 5]| {
            let [named, indexed, plain, kept, path] = authorities;
            [
                vec![0x3f, 0x21, 0x83, 0xff, 0x01],
                literal(b"\x40\x05:path", path),
                literal(b"\x40\x0a:authority", named),
                literal(b"\x00\x0a:authoritx", kept),
                literal(&[0x01], indexed),
                literal(&[0x41], plain),
            ]
            .concat()
        };
        let mut huffman = literal(&[0x41], "a%b");
        huffman[1] |= HUFFMAN;
        let sent = [block(["tmp%2Fa%20b.sock", &long, "[::1]:1", "a%b", "/a%2Fb"]), huffman.clone()].concat();
        let replaced = long.replace(['%', '@', ':'], "-");
        let expected = [block(["tmp-2Fa-20b.sock", &replaced, "[::1]:1", "a%b", "/a%2Fb"]), huffman].concat();
        for size in 1..=sent.len() {
            let (mut block, mut passed) = (HeaderBlock::default(), sent.clone());
            passed.chunks_mut(size).for_each(|part| block.pass(part));
            assert_eq!(passed, expected, "{size}");
        }
    }
}

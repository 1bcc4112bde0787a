//! The output of every command. What it prints may come from others: the names of files, and the texts in records, journals,
//! reports, and answers of servers. A terminal obeys the control characters in such a text.

use std::fmt::Write as _;
use std::io::{self, Write};

use ahu_host::visible_text::is_hidden;

/// An output that shows hidden characters as escapes such as `\\u001b`, which JSON has too, so that JSON means the same. Only
/// line breaks, tabs, colours, and styles pass. Bytes that are no text pass too.
pub(crate) struct Visible<W>(pub(crate) W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match str::from_utf8(bytes) {
            Ok(text) if text.contains(is_escaped) => self.0.write_all(escaped(text).as_bytes())?,
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn is_escaped(character: char) -> bool {
    is_hidden(character) && !['\n', '\t'].contains(&character)
}

fn escaped(mut text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    while let Some(character) = text.chars().next() {
        let style = style(text);
        let (part, rest) = text.split_at(style.unwrap_or(character.len_utf8()));
        if style.is_none() && is_escaped(character) {
            for unit in part.encode_utf16() {
                let _ = write!(clean, "\\u{unit:04x}");
            }
        } else {
            clean.push_str(part);
        }
        text = rest;
    }
    clean
}

/// Returns the length of the colour or style with which a text begins, in bytes; None if it begins with none.
fn style(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    parameters[end..].starts_with('m').then_some("\x1b[".len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(bytes: &[u8]) -> Vec<u8> {
        let mut out = Visible(Vec::new());
        out.write_all(bytes).expect("memory has room");
        out.0
    }

    #[test]
    fn control_characters_are_shown_and_colours_pass() {
        for (text, expected) in [
            ("a\tb\nM\u{101}ori \u{1f5ff}", "a\tb\nM\u{101}ori \u{1f5ff}"),
            ("\x1b[1mbold\x1b[0m \x1b[38;5;33m0\x1b[39m", "\x1b[1mbold\x1b[0m \x1b[38;5;33m0\x1b[39m"),
            ("\x1b[2J\x1b]0;title\x07\x1b[1", "\\u001b[2J\\u001b]0;title\\u0007\\u001b[1"),
            ("\u{9b}2J\r\u{7f}\u{202e}\u{e0041}", "\\u009b2J\\u000d\\u007f\\u202e\\udb40\\udc41"),
        ] {
            assert_eq!(String::from_utf8_lossy(&printed(text.as_bytes())), expected);
        }
        assert_eq!(printed(b"\xff\x1b"), b"\xff\x1b", "no text");
        let (name, json) = ("a\u{9b}\u{7f}b", serde_json::to_string("a\u{9b}\u{7f}b").expect("a text"));
        let read: String = serde_json::from_slice(&printed(json.as_bytes())).expect("it is still JSON");
        assert_eq!(read, name);
    }
}

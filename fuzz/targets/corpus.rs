//! The inputs that the fuzzer found: a file in `fuzz/corpus` for each target. A line is an input in the form of
//! [`slice::escape_ascii`], in which a replay prints an input that fails; short inputs come first.
//!
//! The fuzzer takes and leaves each input as a file of its own, in a folder for each target.

use std::fs;
use std::path::{Path, PathBuf};

/// The maximum number of inputs that are kept for a target, and of their bytes, so that a replay takes seconds.
const MOST: usize = 100;
const MOST_BYTES: usize = 24_000;

fn path(target: &str) -> PathBuf {
    crate::in_repository("fuzz/corpus").join(target).with_extension("txt")
}

/// Returns the inputs of a target; none for a new target.
pub(crate) fn read(target: &str) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(path(target)).unwrap_or_default();
    text.lines().map(|line| unescape(line).unwrap_or_else(|| panic!("{target} has this line: {line}"))).collect()
}

/// Writes inputs into the folder of a target, each as a file.
pub(crate) fn unpack(folder: &Path, inputs: &[Vec<u8>]) {
    fs::create_dir_all(folder).expect("the folder can be made");
    for (number, input) in inputs.iter().enumerate() {
        fs::write(folder.join(number.to_string()), input).expect("the file can be written");
    }
}

/// Replaces the inputs of a target by files of its folder, of all lengths.
pub(crate) fn pack(target: &str, folder: &Path) {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let read = |entry: std::io::Result<fs::DirEntry>| entry.and_then(|entry| fs::read(entry.path()));
    let mut inputs: Vec<_> = entries.map(|entry| read(entry).expect("the file can be read")).collect();
    inputs.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    let kept = inputs.len().min(MOST);
    let (mut text, mut bytes) = (Vec::new(), 0);
    for input in (0..kept).map(|place| &inputs[place * inputs.len() / kept]) {
        bytes += input.len();
        if bytes <= MOST_BYTES {
            text.extend(input.escape_ascii());
            text.push(b'\n');
        }
    }
    fs::write(path(target), text).expect("the file can be written");
}

/// Returns the bytes that have this escaped form.
fn unescape(line: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), line);
    while let Some(byte) = rest.bytes().next() {
        let escape = rest.as_bytes().get(1).filter(|_| byte == b'\\');
        let (byte, length) = match escape {
            None => (byte, 1),
            Some(b't') => (b'\t', 2),
            Some(b'n') => (b'\n', 2),
            Some(b'r') => (b'\r', 2),
            Some(b'x') => (u8::from_str_radix(rest.get(2..4)?, 16).ok()?, 4),
            Some(other) => (*other, 2),
        };
        bytes.push(byte);
        rest = rest.get(length..)?;
    }
    (bytes.escape_ascii().to_string() == line).then_some(bytes)
}

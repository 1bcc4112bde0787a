//! The output for the lines of a program: cleaned, and bounded for a person who watches.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ahu_host::visible_text::shown;

use crate::lock;

/// The number of bytes that a program may write for a person who watches.
const MAX_OUTPUT: usize = 1024 * 1024;
/// The length at which a line is cut, in characters.
const MAX_LINE: usize = 2000;

/// The output for the lines of a program, and for lines about it. Clones write to the same place.
#[derive(Clone)]
pub struct Output {
    prefix: Arc<str>,
    writer: Arc<Mutex<dyn Write + Send>>,
    /// The number of bytes that the program may still write; 0 once it has exceeded its limit.
    left: Arc<AtomicUsize>,
}

impl Output {
    /// Creates an output that writes each line in one call, after a prefix. The writer has to limit the size itself.
    pub fn new(prefix: impl Into<Arc<str>>, writer: impl Write + Send + 'static) -> Self {
        Self::bounded(prefix, writer, usize::MAX)
    }

    /// Creates an output for a person who watches: it leaves out what a program writes beyond a mebibyte.
    pub fn watched(prefix: impl Into<Arc<str>>, writer: impl Write + Send + 'static) -> Self {
        Self::bounded(prefix, writer, MAX_OUTPUT)
    }

    /// Creates an output to which the program may write this many bytes.
    fn bounded(prefix: impl Into<Arc<str>>, writer: impl Write + Send + 'static, bytes: usize) -> Self {
        let left = Arc::new(AtomicUsize::new(bytes));
        Self { prefix: prefix.into(), writer: Arc::new(Mutex::new(writer)), left }
    }

    /// Writes a line of the program, unless the program has exceeded its limit.
    pub(super) fn line_of_program(&self, line: &str) {
        let length = cleaned(line).len() + 1;
        let rest = |left: usize| Some(left.saturating_sub(length));
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest) {
            Ok(left) if left > length => self.line(line),
            Ok(1..) => self.line("(further output of this program is left out)"),
            Ok(0) | Err(_) => {}
        }
    }

    /// Writes a line about the program, which may quote it. Control characters are shown as escapes.
    pub fn line(&self, line: &str) {
        let line = format!("{}{}\n", self.prefix, cleaned(line));
        // There is nowhere to report an error of this output.
        let _ = lock(&self.writer).write_all(line.as_bytes());
    }
}

/// Cuts a line to its maximum length, and shows hidden characters as escapes: they could change the terminal.
pub(crate) fn cleaned(line: &str) -> String {
    let kept: String = line.chars().take(MAX_LINE).collect();
    let mut clean = kept.split('\t').map(shown).collect::<Vec<_>>().join("\t");
    if line.chars().nth(MAX_LINE).is_some() {
        clean.push_str("...");
    }
    clean
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn the_output_of_a_program_for_people_is_cleaned_and_bounded() {
        #[derive(Clone, Default)]
        struct Screen(Arc<Mutex<Vec<u8>>>);

        impl Write for Screen {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().expect("nobody panics").write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let screen = Screen::default();
        let output = Output::bounded("[seat 0] ", screen.clone(), MAX_LINE + 100);
        output.line_of_program("\x1b[2Jclear\tit\x07");
        output.line_of_program(&"x".repeat(MAX_LINE + 1));
        for _ in 0..100 {
            output.line_of_program("more");
        }
        output.line("the program has answered \x1b[2J");
        let text = String::from_utf8(screen.0.lock().expect("nobody panics").clone()).expect("text");
        let (first, rest) = text.split_once('\n').expect("a line");
        assert_eq!(first, "[seat 0] \\u{1b}[2Jclear\tit\\u{7}");
        let (second, rest) = rest.split_once('\n').expect("a line");
        assert_eq!(second, format!("[seat 0] {}...", "x".repeat(MAX_LINE)));
        let few = rest.lines().take_while(|line| *line == "[seat 0] more").count();
        assert!((1..20).contains(&few), "{rest}");
        let last: Vec<&str> = rest.lines().skip(few).collect();
        assert_eq!(
            last,
            ["[seat 0] (further output of this program is left out)", "[seat 0] the program has answered \\u{1b}[2J"]
        );
    }
}

//! Words and numbers of the data files that are read when the crate is built. Positions count bytes from the start.
//!
//! Boards and offerings are files beside the game. A `const fn` reads them, so that a faulty file stops the build.

/// Reads the number that begins at `start`.
pub(super) const fn number(text: &[u8], start: usize) -> u8 {
    let (mut at, mut number) = (start, 0);
    while at < word_end(text, start) {
        assert!(text[at].is_ascii_digit(), "expected a number");
        number = number * 10 + (text[at] - b'0');
        at += 1;
    }
    assert!(at > start, "expected a number, got the end of a word");
    number
}

/// Returns the start of the next word of the line; the end of the line if there is none.
pub(super) const fn next_word(text: &[u8], at: usize) -> usize {
    let mut at = word_end(text, at);
    while text[at] == b' ' {
        at += 1;
    }
    at
}

/// Returns the end of the word that contains position `at`.
pub(super) const fn word_end(text: &[u8], mut at: usize) -> usize {
    while text[at] != b' ' && text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Returns the end of the line that contains position `at`.
pub(super) const fn line_end(text: &[u8], mut at: usize) -> usize {
    while text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Returns true if the word that begins at `start` is `word`.
pub(super) const fn is_word(text: &[u8], start: usize, word: &str) -> bool {
    let word = word.as_bytes();
    let mut n = 0;
    while n < word.len() && text[start + n] == word[n] {
        n += 1;
    }
    n == word.len() && word_end(text, start) == start + n
}

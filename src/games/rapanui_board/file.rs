//! Words and numbers in a file that is read when the crate is built. All places are bytes from its start.

/// The number that begins here.
pub(super) const fn number(text: &[u8], start: usize) -> u8 {
    let (mut at, mut number) = (start, 0);
    while at < word_end(text, start) {
        assert!(text[at].is_ascii_digit(), "this is to be a number");
        number = number * 10 + (text[at] - b'0');
        at += 1;
    }
    assert!(at > start, "a number is missing");
    number
}

/// Where the next word of the line begins; the end of the line, if there is none.
pub(super) const fn next_word(text: &[u8], at: usize) -> usize {
    let mut at = word_end(text, at);
    while text[at] == b' ' {
        at += 1;
    }
    at
}

/// Where the word ends that has the place `at`.
pub(super) const fn word_end(text: &[u8], mut at: usize) -> usize {
    while text[at] != b' ' && text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Where the line ends that has the place `at`.
pub(super) const fn line_end(text: &[u8], mut at: usize) -> usize {
    while text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Whether the word that begins here is `word`.
pub(super) const fn is_word(text: &[u8], start: usize, word: &str) -> bool {
    let word = word.as_bytes();
    let mut n = 0;
    while n < word.len() && text[start + n] == word[n] {
        n += 1;
    }
    n == word.len() && word_end(text, start) == start + n
}

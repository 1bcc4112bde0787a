//! Markdown at a terminal.

use ahu::parts::lines;

use super::terminal;

/// Returns Markdown for stdout: at a terminal, its paragraphs and items are broken at words.
pub(super) fn fitted(text: &str) -> String {
    terminal::width().map_or_else(|| text.to_owned(), |width| wrapped(text, width))
}

/// Returns Markdown whose paragraphs and items are broken at words into lines of this width. Headings and tables stay.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let words = line.trim_start();
        let is_whole = words.is_empty() || words.starts_with(['#', '|']);
        match blocks.last_mut() {
            Some(block) if is_open && !is_whole && marker(words) == 0 => {
                block.push(' ');
                block.push_str(words);
            }
            _ => blocks.push(line.to_owned()),
        }
        is_open = !is_whole;
    }
    let broken = blocks.iter().map(|block| {
        let words = block.trim_start();
        if words.is_empty() || words.starts_with(['#', '|']) {
            return block.clone();
        }
        lines::wrapped(block, width, block.len() - words.len() + marker(words))
    });
    broken.collect::<Vec<_>>().join("\n")
}

/// Returns the length of the mark with which an item of a list begins: `* ` or `1. `; 0 for other lines.
fn marker(words: &str) -> usize {
    let digits = words.len() - words.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if words.starts_with("* ") {
        2
    } else if digits > 0 && words[digits..].starts_with(". ") {
        digits + 2
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_at_words_and_items_hang() {
        let text = "# A title that is much longer than the width\n\nA paragraph\nof two lines.\n\n* One item with\n  words\n* two\n\n1. first\n   * inner item of words";
        let expected = "# A title that is much longer than the width\n\nA paragraph of\ntwo lines.\n\n* One item with\n  words\n* two\n\n1. first\n   * inner item\n     of words";
        assert_eq!(wrapped(text, 16), expected);
    }
}

//! Lines of text for people.

use std::fmt::Display;

/// The width of the text of a table, in characters.
pub const WIDTH: usize = 80;

/// Returns values side by side, with this separator between them.
pub fn joined(values: impl IntoIterator<Item: Display>, separator: &str) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(separator)
}

/// Does the same as [`joined`]; the text is `none` if there are no values.
pub fn joined_or(values: impl IntoIterator<Item: Display>, separator: &str, none: &str) -> String {
    let text = joined(values, separator);
    if text.is_empty() { none.to_owned() } else { text }
}

/// Returns values side by side, with `/` between them, such as `16/21/14`.
pub fn slashed(values: impl IntoIterator<Item: Display>) -> String {
    joined(values, "/")
}

/// Returns rising numbers as runs of consecutive ones, such as `0-3,9,12-15` with the separator `,`.
pub fn ranges(numbers: impl IntoIterator<Item = usize>, separator: &str) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    joined(ranges.into_iter().map(range), separator)
}

/// Returns a count with its noun in the singular or the plural, such as `1 log`, `2 matches`, or `3 plies`.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    match noun.strip_suffix('y') {
        _ if count == "1" => format!("1 {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}{}", if noun.ends_with("ch") { "es" } else { "s" }),
    }
}

/// Returns the text with line breaks in place of spaces, so that lines have at most `width` characters if their words let
/// them. A line that continues another is indented by `hang` spaces.
pub fn wrapped(text: &str, width: usize, hang: usize) -> String {
    wrap(text, width, hang, &[])
}

/// Does the same as [`wrapped`] for lists: a line breaks after a comma or a semicolon if there is one in its second half.
pub fn wrapped_lists(text: &str, width: usize, hang: usize) -> String {
    wrap(text, width, hang, &[", ", "; "])
}

fn wrap(text: &str, width: usize, hang: usize, marks: &[&str]) -> String {
    let mut lines = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        wrap_line(&mut lines, line, width, hang, marks);
        lines.push_str(end);
    }
    lines
}

fn wrap_line(lines: &mut String, line: &str, width: usize, hang: usize, marks: &[&str]) {
    let (mut rest, mut room) = (line, width);
    // The place after `room` characters; None if the rest fits.
    while let Some((limit, next)) = rest.char_indices().nth(room) {
        let head = &rest[..limit + next.len_utf8()];
        let first_word = rest.len() - rest.trim_start().len();
        let space = head.rfind(' ').filter(|&at| at > first_word);
        let mark = marks.iter().filter_map(|mark| Some(head.rfind(mark)? + 1)).max().filter(|&at| at > limit / 2);
        let Some(at) = mark.or(space).or_else(|| rest[limit..].find(' ').map(|at| limit + at)) else { break };
        lines.push_str(rest[..at].trim_end());
        rest = rest[at..].trim_start();
        if rest.is_empty() {
            return;
        }
        lines.push('\n');
        lines.extend(std::iter::repeat_n(' ', hang));
        room = width.saturating_sub(hang).max(1);
    }
    lines.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_words() {
        for (text, expected) in [
            ("short\n", "short\n"),
            ("", ""),
            ("exactly 10\nten", "exactly 10\nten"),
            ("one two three four\nfive", "one two\n  three\n  four\nfive"),
            ("    indented far", "    indented\n  far"),
            ("unbreakable-word and", "unbreakable-word\n  and"),
            ("a        b        c", "a        b\n  c"),
            ("äöü äöü äöü", "äöü äöü\n  äöü"),
            ("trailing          ", "trailing"),
        ] {
            assert_eq!(wrapped(text, 10, 2), expected, "{text:?}");
        }
    }
    #[test]
    fn lists_break_between_their_items() {
        for (text, expected) in [
            ("one, two a b", "one, two a\n  b"),
            ("four, two a b", "four, two\n  a b"),
            ("fours, two a b", "fours,\n  two a b"),
            ("fours; two a b", "fours;\n  two a b"),
        ] {
            assert_eq!(wrapped_lists(text, 10, 2), expected, "{text:?}");
        }
    }
}

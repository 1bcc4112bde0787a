//! The width of text, so that a drawing knows what fits.
//!
//! The widths are those of `DejaVu Sans`, the widest of the fonts of pictures and the one in which pictures become pixels.

/// The widths of the characters from the space to `~`, in hundredths of the size of the font, rounded up.
const REGULAR: [u8; 95] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69,
    62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64,
    60, 82, 60, 60, 53, 64, 34, 64, 84,
];
/// The widths of bold characters.
const BOLD: [u8; 95] = [
    35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40,
    84, 84, 84, 59, 100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 38, 78, 64, 100, 84, 86, 74, 86, 78, 73, 69, 82, 78, 111,
    78, 73, 73, 46, 37, 46, 84, 50, 50, 68, 72, 60, 72, 68, 44, 72, 72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60,
    48, 72, 66, 93, 65, 66, 59, 72, 37, 72, 84,
];
/// The width of any other character.
const OTHER: u8 = 104;

/// The size of text without a class of its own, in units.
const USUAL: f32 = 12.0;

/// Returns the size of text with these classes, in units.
pub fn size(class: &str) -> f32 {
    class.split(' ').find_map(|class| class.strip_prefix('t')?.parse().ok()).unwrap_or(USUAL)
}

/// Returns the width of a text with these classes, in units.
pub fn width(class: &str, text: &str) -> f32 {
    let widths = if class.split(' ').any(|class| class == "b") { &BOLD } else { &REGULAR };
    let width = |letter: char| {
        let place = u32::from(letter).checked_sub(u32::from(' ')).and_then(|place| widths.get(place as usize));
        f32::from(*place.unwrap_or(&OTHER))
    };
    text.chars().map(width).sum::<f32>() * size(class) / 100.0
}

/// Splits a text at spaces into at most `most` lines of this width; None if it does not fit.
pub(super) fn lines<'a>(class: &str, text: &'a str, room: f32, most: usize) -> Option<Vec<&'a str>> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while width(class, rest) > room {
        let ends = rest.match_indices(' ').map(|(end, _)| end).take_while(|&end| width(class, &rest[..end]) <= room);
        let end = ends.last()?;
        lines.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    lines.push(rest);
    (lines.len() <= most).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_at_spaces_where_it_does_not_fit() {
        assert_eq!((size("b t17 e"), size("b m")), (17.0, 12.0));
        assert!((width("t10", "il") - 5.6).abs() < 0.01 && width("b t10", "il") > width("t10", "il"));
        assert_eq!(lines("t10", "one two three", 45.0, 2), Some(vec!["one two", "three"]));
        assert_eq!(lines("t10", "one two three", 45.0, 1), None);
        assert_eq!(lines("t10", "incomprehensible", 45.0, 3), None);
    }
}

//! Letters of other scripts that look like letters of ASCII, as far as names of players use them.

/// Each letter with the letter of ASCII that it looks like. The list has the letters of Cyrillic and Greek whose usual shapes
/// are those of Latin letters, in lower case.
const ALIKE: [(char, char); 34] = [
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('ё', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ї', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('н', 'h'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('ɡ', 'g'),
    ('ı', 'i'),
    ('α', 'a'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
];

/// Returns the letter of ASCII that a letter in lower case looks like; the letter itself if it looks like none.
pub(super) fn in_ascii(letter: char) -> char {
    // The letters of full width are those of ASCII at another place.
    if let '\u{FF01}'..='\u{FF5E}' = letter {
        return char::from_u32(letter as u32 - 0xFEE0).unwrap_or(letter);
    }
    ALIKE.iter().find(|(other, _)| *other == letter).map_or(letter, |(_, alike)| *alike)
}

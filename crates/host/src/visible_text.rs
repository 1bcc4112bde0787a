//! Visible text: names, labels, and reasons that strangers write and others read have visible characters alone.

/// Returns true if a character is invisible: a control or format character, a line break, a blank, or a character that turns
/// the direction of its neighbours. These are the categories Cc, Cf, Zl, and Zp of Unicode, the characters with the property
/// `Default_Ignorable_Code_Point`, and the blank of Braille.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}'
                | '\u{34F}'
                | '\u{600}'..='\u{605}'
                | '\u{61C}'
                | '\u{6DD}'
                | '\u{70F}'
                | '\u{890}'..='\u{891}'
                | '\u{8E2}'
                | '\u{115F}'..='\u{1160}'
                | '\u{17B4}'..='\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}'
                | '\u{FFA0}'
                | '\u{FFF0}'..='\u{FFFB}'
                | '\u{110BD}'
                | '\u{110CD}'
                | '\u{13430}'..='\u{1345F}'
                | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// Checks a new text of one line: visible characters, no spaces at its ends, and single spaces between its words. The error
/// calls the text `what`.
pub fn check_line(what: &str, text: &str) -> Result<(), String> {
    let is_one_line = text.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_whitespace));
    match is_one_line && !text.contains(is_hidden) {
        true => Ok(()),
        false => Err(format!(
            "expected {what} of visible characters on one line, with single spaces between words, got \"{}\"",
            shown(text)
        )),
    }
}

/// Returns a text with each hidden character as its escape, such as `\u{202e}`.
pub fn shown(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        match is_hidden(character) {
            true => clean.extend(character.escape_default()),
            false => clean.push(character),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_scripts_are_lines() {
        for name in ["agent", "Ana Īhi", "モアイ 2", "מואי", "🗿", "a.b-c_d"] {
            assert_eq!(check_line("a name", name), Ok(()));
            assert_eq!(shown(name), name);
        }
    }

    #[test]
    fn hidden_characters_are_refused_and_shown_as_escapes() {
        for hidden in
            "\u{3164}\u{2800}\u{61c}\u{e0041}\u{202e}\u{1b}\n\r\t\u{0}\u{7f}\u{85}\u{200b}\u{feff}\u{2028}".chars()
        {
            for text in [hidden.to_string(), format!("greedy{hidden}"), format!("a{hidden}b")] {
                let error = check_line("a name", &text).expect_err("it is hidden");
                assert!(
                    error.starts_with("expected a name of visible characters") && !error.contains(hidden),
                    "{error}"
                );
                assert!(!shown(&text).contains(hidden));
            }
        }
        for spaces in ["", " ", " a", "a ", "a  b", "a\u{a0}b", "a\u{3000}"] {
            check_line("a name", spaces).expect_err("spaces that nobody sees");
        }
    }
}

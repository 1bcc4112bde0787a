//! Texts that become parts of paths. Whoever reads such a text checks its form, so that no path leads elsewhere.

use super::ensure;
use super::record::from_hex;
use super::visible_text::shown;

/// Checks the id of a match: 16 hexadecimal digits in lower case.
pub fn check_match_id(id: &str) -> Result<(), String> {
    ensure(from_hex::<8>(id).is_some(), || {
        format!("expected the id of a match, 16 hexadecimal digits in lower case, got \"{}\"", shown(id))
    })
}

/// Checks that a file or folder can have a name on every system: 1 to `most` letters and digits of ASCII and `marks`, where
/// neither a dot nor a hyphen comes first, and a dot not last. Windows keeps some names for devices, with any extension.
pub fn check_file_name(name: &str, most: usize, marks: &str) -> Result<(), String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || marks.contains(letter);
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_port = matches!(stem.as_bytes(), [b'c', b'o', b'm', b'0'..=b'9'] | [b'l', b'p', b't', b'0'..=b'9']);
    let is_device = is_port || ["con", "prn", "aux", "nul"].contains(&&*stem);
    let is_name = (1..=most).contains(&name.len()) && name.chars().all(is_plain);
    ensure(is_name && !name.starts_with(['.', '-']) && !name.ends_with('.') && !is_device, || {
        format!(
            "expected a name of 1 to {most} letters, digits, and characters of {marks}, which begins with none of . and -, \
             ends with no dot, and is not that of a device such as con; got \"{}\"",
            shown(name)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_and_no_name_leads_elsewhere() {
        assert_eq!(check_match_id("0123456789abcdef"), Ok(()));
        for id in
            ["", "0123456789abcde", "0123456789ABCDEF", "0123456789abcdef0", "../../../../etc/x", "+123456789abcdef"]
        {
            check_match_id(id).expect_err(id);
        }
        for name in ["a", "v2-text", "greedy@2", "a.b", "console", "com", "com10", "nul-1"] {
            assert_eq!(check_file_name(name, 9, "._@:+-"), Ok(()), "{name}");
        }
        for name in [
            "",
            "0123456789",
            ".",
            "..",
            ".a",
            "-a",
            "a.",
            "a/b",
            "../a",
            "a\\b",
            "a b",
            "\u{e4}",
            "CON",
            "con",
            "Con.txt",
            "nul",
            "aux.a.b",
            "PRN",
            "com1",
            "LPT9.log",
        ] {
            let error = check_file_name(name, 9, "._@:+-").expect_err(name);
            assert!(
                error.starts_with("expected a name of 1 to 9 letters, digits, and characters of ._@:+-, "),
                "{error}"
            );
        }
        let error = check_file_name("a\u{1b}[2J", 9, "").expect_err("a control character");
        assert!(error.ends_with("got \"a\\u{1b}[2J\""), "{error}");
    }
}

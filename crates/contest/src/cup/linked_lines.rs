//! Lines of JSON that are linked: each line ends with a link, SHA-256 over the link of the line before and the line without
//! its own link. So a line that was changed, left out, or moved is found, unless all links after it are written anew.

use ahu_core::hex;
use ahu_host::ensure;
use sha2::{Digest as _, Sha256};

/// The beginning of a link in a line.
const LINK: &str = ",\"link\":\"";

/// Returns the line of an object in JSON, which follows the line with the link `before`, and its own link. The line ends
/// with a line break.
///
/// # Panics
/// If the body is no object.
pub(crate) fn linked(before: &str, body: &str) -> (String, String) {
    let own = link_after(before, body);
    (format!("{}{LINK}{own}\"}}\n", body.strip_suffix('}').expect("the body is an object")), own)
}

/// Returns the object in a line, which follows the line with the link `before`, and the line's own link.
///
/// # Errors
/// If the line has no link, or another link.
pub(crate) fn unlinked(before: &str, line: &str) -> Result<(String, String), String> {
    let parts = line.rsplit_once(LINK).and_then(|(body, rest)| Some((format!("{body}}}"), rest.strip_suffix("\"}")?)));
    let (body, own) = parts.ok_or("expected a link at the end of the line")?;
    let expected = link_after(before, &body);
    ensure(own == expected, || {
        format!("expected the link {expected}, got {own}: this line or one before it was changed, left out, or moved")
    })?;
    Ok((body, expected))
}

/// Returns the lines of a file that have an end. A last line without an end was cut off while it was written, perhaps within a
/// character, and is no line.
///
/// # Errors
/// If a line is not UTF-8. The error has the number of the line, and the fault.
pub(crate) fn whole_lines(bytes: &[u8]) -> Result<&str, (usize, String)> {
    let whole = &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)];
    std::str::from_utf8(whole).map_err(|error| {
        let line = whole[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        (line, "expected UTF-8".to_owned())
    })
}

fn link_after(before: &str, body: &str) -> String {
    hex(&Sha256::new().chain_update(before).chain_update(body).finalize())
}

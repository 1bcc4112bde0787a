//! The text of a key: `ahu_<id>_<secret><checksum>`.
//!
//! The letters are those of base32 in lower case (RFC 4648). The id has 12 of them, the secret has 256 random bits in 52, and
//! the checksum has 7: the first bits of SHA-256 over all letters before it. So a scanner finds leaked keys, and tells them from
//! other texts without asking a server: `ahu_[a-z2-7]{12}_[a-z2-7]{59}`. The id is no secret. It names the key in lists and logs.

use sha2::{Digest as _, Sha256};

use super::account::KeyId;
use crate::secrets::{Digest, random_bytes};

/// The beginning of every key.
const MARK: &str = "ahu_";
/// The letters of base32.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of letters of an id.
pub(super) const ID: usize = 12;
/// The number of letters of a secret.
const SECRET: usize = 52;
/// The number of letters of a checksum.
const CHECKSUM: usize = 7;

/// A key as its owner has it. Its text is a secret.
#[derive(Clone)]
pub struct KeyText {
    /// The id.
    pub id: KeyId,
    text: String,
}

impl std::fmt::Debug for KeyText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("KeyText").field(&self.id).finish()
    }
}

/// Returns a new key.
pub fn new_key() -> KeyText {
    let (id, secret) = (letters::<ID>(&random_bytes::<8>()), letters::<SECRET>(&random_bytes::<32>()));
    let text = format!("{MARK}{id}_{secret}");
    let checksum = checksum(&text);
    KeyText { id: KeyId::read(&id).expect("it has the letters of an id"), text: text + &checksum }
}

impl KeyText {
    /// Returns the text, which is a secret.
    pub fn secret(&self) -> &str {
        &self.text
    }

    /// Returns the id in a text with the form of a key; None for any other text.
    pub(crate) fn id_in(text: &str) -> Option<KeyId> {
        id_in(text)
    }

    /// Returns true if a text begins as keys do. Then it is no token of a seat.
    pub(crate) fn is_like(text: &str) -> bool {
        text.starts_with(MARK)
    }

    /// Returns a text for the log. A key in it, or the beginning of one, is shown by its id.
    pub(crate) fn hidden_in(text: &str) -> String {
        let mut parts = text.split(MARK);
        let first = parts.next().unwrap_or_default().to_owned();
        let is_letter = |letter: char| LETTERS.contains(&(letter as u8)) && letter.is_ascii();
        parts.fold(first, |shown, part| match part.split_once('_').filter(|(id, _)| is_id(id)) {
            Some((id, secret)) => shown + MARK + id + "_..." + secret.trim_start_matches(is_letter),
            None => shown + MARK + part,
        })
    }

    /// Returns the hash that a store keeps: SHA-256 of the text.
    pub fn hash(&self) -> [u8; 32] {
        hash(&self.text)
    }
}

/// Returns the hash of a text.
pub(super) fn hash(text: &str) -> Digest {
    Sha256::digest(text).into()
}

/// Returns the id in a text with the form of a key; None if the text has another form or a wrong checksum.
pub(super) fn id_in(text: &str) -> Option<KeyId> {
    let (id, rest) = text.strip_prefix(MARK)?.split_once('_')?;
    let is_whole = rest.len() == SECRET + CHECKSUM && rest.bytes().all(|letter| LETTERS.contains(&letter));
    let id = KeyId::read(id).filter(|_| is_whole)?;
    let (before, found) = text.split_at(text.len() - CHECKSUM);
    (checksum(before) == found).then_some(id)
}

/// Returns true if two digests are equal, in a time that does not depend on the place of a difference.
pub(super) fn are_equal(one: &Digest, other: &Digest) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (one, other)| std::hint::black_box(all | (one ^ other)));
    std::hint::black_box(differences) == 0
}

/// Returns true if a text has the letters of an id.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|letter| LETTERS.contains(&letter))
}

/// Returns the letters of a new id.
pub(super) fn new_id() -> String {
    letters::<ID>(&random_bytes::<8>())
}

fn checksum(text: &str) -> String {
    letters::<CHECKSUM>(&hash(text))
}

/// Returns the first letters of bytes in base32. Bits beyond the end are 0.
fn letters<const COUNT: usize>(bytes: &[u8]) -> String {
    let bit = |place: usize| bytes.get(place / 8).map_or(0, |byte| byte >> (7 - place % 8) & 1);
    let letter = |number: usize| (0..5).fold(0, |value, place| value << 1 | bit(5 * number + place));
    (0..COUNT).map(|number| char::from(LETTERS[usize::from(letter(number))])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_base32_as_in_rfc_4648() {
        assert_eq!(letters::<8>(b"fooba"), "mzxw6ytb");
        assert_eq!(letters::<7>(b"foob"), "mzxw6yq");
        assert_eq!(letters::<52>(&[255; 32]), "7".repeat(51) + "q");
    }

    #[test]
    fn a_key_has_a_form_that_a_scanner_finds() {
        let (one, other) = (new_key(), new_key());
        let text = one.secret();
        assert_eq!((text.len(), &text[..4], &text[16..17]), (76, "ahu_", "_"));
        assert_eq!(id_in(text), Some(one.id));
        assert!(text != other.secret() && one.id != other.id && one.hash() != other.hash());
        assert!(!format!("{one:?}").contains(&text[17..]), "{one:?}");
    }

    #[test]
    fn a_key_in_a_text_for_the_log_is_shown_by_its_id() {
        let (one, other) = (new_key(), new_key());
        let text = format!("unknown game \"{}\", ahu_version {}", one.secret(), &other.secret()[..30]);
        let expected = format!("unknown game \"ahu_{}_...\", ahu_version ahu_{}_...", one.id, other.id);
        assert_eq!(KeyText::hidden_in(&text), expected);
        for plain in ["", "ahu_", "no match has the id \"ahu_a_b\"", "\u{101}hu_ ahu_\u{101}_"] {
            assert_eq!(KeyText::hidden_in(plain), plain);
        }
    }

    #[test]
    fn a_changed_letter_is_no_key() {
        let key = new_key();
        let text = key.secret();
        for place in 0..text.len() {
            let mut changed = text.as_bytes().to_vec();
            changed[place] = if changed[place] == b'a' { b'b' } else { b'a' };
            let changed = String::from_utf8(changed).expect("letters are text");
            assert_eq!(id_in(&changed), None, "{place}");
        }
        for wrong in ["", "ahu_", "ahu__", &text[1..], &text[..75], &format!("{text}a"), &text.to_uppercase()] {
            assert_eq!(id_in(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn digests_are_equal_if_all_bytes_are() {
        let digest = [7; 32];
        assert!(are_equal(&digest, &digest));
        for place in 0..32 {
            let mut other = digest;
            other[place] ^= 1;
            assert!(!are_equal(&digest, &other), "{place}");
        }
    }
}

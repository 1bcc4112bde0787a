//! Organisers, and the ids of their cups.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use ahu_core::hex;

use crate::accounts::AccountId;

/// The organiser of cups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Organiser {
    /// The one who has the key that the operator named.
    OfOperator,
    /// An account with the scope `organise`.
    Account(AccountId),
}

impl Organiser {
    /// The name of the operator's organiser, which is no id of an account.
    const OF_OPERATOR: &str = "operator";

    /// Reads an organiser as [`Display`] writes it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        match text {
            Self::OF_OPERATOR => Some(Self::OfOperator),
            id => AccountId::read(id).map(Self::Account),
        }
    }
}

impl Display for Organiser {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfOperator => f.write_str(Self::OF_OPERATOR),
            Self::Account(id) => Display::fmt(id, f),
        }
    }
}

/// The id of a cup: the first 16 hexadecimal digits of the hash of its salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CupId(u64);

impl CupId {
    /// Returns the id with this number.
    pub(crate) fn of_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number, by which ids are in order.
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    /// Returns the id of the cup whose salt has this hash, in hexadecimal digits.
    pub fn of_salt_hash(hash: &str) -> Option<Self> {
        hash.get(..16)?.parse().ok()
    }
}

impl FromStr for CupId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        let digits = Some(text).filter(|text| text.len() == 16 && text.bytes().all(is_digit));
        let id = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(Self);
        id.ok_or_else(|| "expected the id of a cup: 16 lower-case hexadecimal digits".to_owned())
    }
}

impl Display for CupId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0.to_be_bytes()))
    }
}

/// A cup and its organiser, to whom its queues, matches, and journal belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedCup {
    /// The organiser.
    pub organiser: Organiser,
    /// The cup.
    pub cup: CupId,
}

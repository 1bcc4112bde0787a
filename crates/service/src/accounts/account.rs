//! The types of accounts and keys.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use ahu_core::{ParseError, named};
use serde::{Deserialize, Serialize};

use super::key;
use crate::secrets::Digest;

/// Declares an id of 12 letters of base32.
macro_rules! id {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name([u8; key::ID]);

        impl $name {
            /// Reads an id; None if the text is none.
            pub fn read(text: &str) -> Option<Self> {
                key::is_id(text).then(|| Self(text.as_bytes().try_into().expect("an id has as many letters")))
            }

            /// Returns the letters.
            pub fn as_str(&self) -> &str {
                std::str::from_utf8(&self.0).expect("an id has letters of ASCII")
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::read(&text).ok_or_else(|| format!("expected 12 letters of base32, got \"{}\"", text.escape_debug()))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.as_str().to_owned()
            }
        }
    };
}

id! {
    /// The id of an account. It stays when the account gets another name.
    AccountId
}
id! {
    /// The id of a key, which is no secret.
    KeyId
}

impl AccountId {
    /// Returns a new random id.
    pub(super) fn new() -> Self {
        Self::read(&key::new_id()).expect("it has the letters of an id")
    }
}

named! {
    /// The kind of an account.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind("kind of accounts") {
        /// A person, with agents and trainers of its own.
        #[default]
        Person = "person",
        /// A program that plays.
        Bot = "bot",
        /// An organiser of cups.
        Organiser = "organiser",
    }

    /// A group of calls for which a key is valid.
    pub enum Scope("scope") {
        /// Calls of a player.
        Play = "play",
        /// Creation of matches.
        Create = "create",
        /// Environments.
        Train = "train",
        /// Descriptions, records, and the public part of matches and cups.
        Watch = "watch",
        /// Calls of an organiser.
        Organise = "organise",
    }
}

impl Kind {
    /// Returns the scopes of a new key for which nobody names any.
    pub fn usual_scopes(self) -> Scopes {
        use Scope::{Create, Organise, Play, Train, Watch};
        match self {
            Self::Person => Scopes::of(&[Play, Create, Train, Watch]),
            Self::Bot => Scopes::of(&[Play, Watch]),
            Self::Organiser => Scopes::of(&[Play, Create, Watch, Organise]),
        }
    }
}

/// A set of scopes. Its text lists their names with commas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Scopes(u32);

impl Scopes {
    /// Returns the set of these scopes.
    pub const fn of(scopes: &[Scope]) -> Self {
        let (mut all, mut next) = (0, 0);
        while next < scopes.len() {
            all |= 1 << scopes[next] as u32;
            next += 1;
        }
        Self(all)
    }

    /// Returns true if the set has this scope.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u32 != 0
    }

    /// Returns true if the set has no scope.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if both sets have a scope.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the set as a number, for the store.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// Reads a number of the store; None if it has bits of no scope.
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        (bits >> Scope::COUNT == 0).then_some(Self(bits))
    }

    /// Iterates over the scopes, in their order.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.iter().map(Scope::name).collect::<Vec<_>>().join(","))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        scopes.into_iter().fold(Self::default(), |Self(all), scope| Self(all | 1 << scope as u32))
    }
}

impl TryFrom<Vec<String>> for Scopes {
    type Error = ParseError;

    fn try_from(names: Vec<String>) -> Result<Self, ParseError> {
        names.iter().map(|name| name.parse::<Scope>()).collect()
    }
}

impl From<Scopes> for Vec<String> {
    fn from(scopes: Scopes) -> Self {
        scopes.iter().map(|scope| scope.name().to_owned()).collect()
    }
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The id.
    pub id: AccountId,
    /// The name, which no other account has.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// True if none of its keys is valid.
    pub is_disabled: bool,
    /// The shares that differ from the shares of every account, by name.
    pub shares: BTreeMap<String, u32>,
    /// The time of day of the creation, in whole milliseconds.
    pub created: SystemTime,
}

/// A key of an account, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The id.
    pub id: KeyId,
    /// The account.
    pub account: AccountId,
    /// SHA-256 of the key's text.
    pub hash: Digest,
    /// The scopes.
    pub scopes: Scopes,
    /// The label of its owner; may be empty.
    pub label: String,
    /// The time of day of the creation, in whole milliseconds.
    pub created: SystemTime,
    /// The time of day from which the key is not valid; None for a key that does not expire.
    pub expires: Option<SystemTime>,
    /// The time of day at which the key was revoked.
    pub revoked: Option<SystemTime>,
}

impl Key {
    /// Returns true if the key itself is valid at this time of day. Its account may be disabled.
    pub fn is_valid(&self, now: SystemTime) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_a_set_with_names() {
        let scopes = Scopes::of(&[Scope::Watch, Scope::Play]);
        assert_eq!(scopes.to_string(), "play,watch");
        assert!(scopes.has(Scope::Play) && !scopes.has(Scope::Create) && !scopes.is_empty());
        assert_eq!(Scopes::from_bits(scopes.bits()), Some(scopes));
        assert_eq!(Scopes::from_bits(1 << 5), None);
        assert_eq!(serde_json::to_string(&scopes).expect("names"), "[\"play\",\"watch\"]");
        assert!(serde_json::from_str::<Scopes>("[\"root\"]").is_err());
        let error = "root".parse::<Scope>().expect_err("no scope").message;
        assert_eq!(error, "unknown scope \"root\" (expected one of play, create, train, watch, organise)");
    }

    #[test]
    fn a_key_is_valid_until_it_expires_or_is_revoked() {
        let time = |seconds| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let key = Key {
            id: KeyId::read("abcdefghijkl").expect("an id"),
            account: AccountId::new(),
            hash: [0; 32],
            scopes: Scopes::default(),
            label: String::new(),
            created: time(1),
            expires: Some(time(10)),
            revoked: None,
        };
        assert!(key.is_valid(time(9)) && !key.is_valid(time(10)));
        assert!(!Key { revoked: Some(time(5)), ..key }.is_valid(time(6)));
    }
}

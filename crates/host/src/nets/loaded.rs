//! The nets of this process, by name.
//!
//! A bot is named by a value that is copied and lives as long as the process. So a net that plays as a bot is loaded once and
//! kept: only the owner of the process loads nets, from files that the owner names. A name from elsewhere, such as a request over
//! the network, finds what is loaded, and no file.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use ahu_core::hex;

use super::NET;
use super::forward::Net;
use crate::ensure;

/// The loaded nets, each with the names that its owner gave it.
static LOADED: RwLock<Vec<Loaded>> = RwLock::new(Vec::new());

struct Loaded {
    net: &'static Net,
    names: Vec<String>,
}

/// The identity of a net: the first eight bytes of its digest. It is written as records name it, `net:0123456789abcdef`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NetId([u8; 8]);

impl NetId {
    /// Returns the id of the net with this digest.
    pub(super) fn of(digest: &[u8; 32]) -> Self {
        Self(*digest.first_chunk().expect("a digest has 32 bytes"))
    }

    /// Reads an id in its only spelling.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let digits = name.strip_prefix(NET).filter(|digits| digits.len() == 16)?;
        let id = Self(u64::from_str_radix(digits, 16).ok()?.to_be_bytes());
        (id.to_string() == name).then_some(id)
    }

    /// Returns the net with this id; None if it is not loaded.
    pub fn net(self) -> Option<&'static Net> {
        let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
        loaded.iter().map(|one| one.net).find(|net| net.id() == self)
    }
}

impl fmt::Display for NetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NET}{}", hex(&self.0))
    }
}

/// Loads a net for the life of the process, so that it can play as a bot. A net that is loaded already is not loaded again. With
/// `name`, bots are found by `net:` and this name, too.
pub fn load(bytes: &[u8], name: Option<&str>) -> Result<&'static Net, String> {
    let net = Net::read(bytes)?;
    let mut loaded = LOADED.write().unwrap_or_else(PoisonError::into_inner);
    let place = if let Some(place) = loaded.iter().position(|one| one.net.id() == net.id()) {
        let same = loaded[place].net.head.digest == net.head.digest;
        ensure(same, || format!("another net is loaded whose digest begins with the same 16 digits: {}", net.name()))?;
        place
    } else {
        loaded.push(Loaded { net: Box::leak(Box::new(net)), names: Vec::new() });
        loaded.len() - 1
    };
    if let Some(name) = name.map(|name| format!("{NET}{name}")) {
        // A name means the net that got it last.
        for one in loaded.iter_mut() {
            one.names.retain(|other| *other != name);
        }
        loaded[place].names.push(name);
    }
    Ok(loaded[place].net)
}

/// Returns the loaded net of a name such as `net:0123456789abcdef` or `net:NAME`; None if there is none.
pub fn named(name: &str) -> Option<&'static Net> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    let is_named = |one: &&Loaded| one.net.name() == name || one.names.iter().any(|other| other == name);
    loaded.iter().find(is_named).map(|one| one.net)
}

/// Returns the names that the owner gave to loaded nets of a game.
pub fn list(game: &str) -> Vec<String> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    let of_game = loaded.iter().filter(|one| one.net.head.rules.info().id == game);
    of_game.flat_map(|one| one.names.iter().cloned()).collect()
}

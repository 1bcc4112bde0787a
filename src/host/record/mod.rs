//! Records: a match as entries, to be kept, read, replayed and verified.
//!
//! A record has two forms that say the same: bytes ([`binary`]) and text ([`notation`]). The text
//! names cards and actions in words, so that other implementations of the rules can replay it.

pub mod binary;
pub mod notation;
mod replay;

use std::fmt;

use sha2::{Digest, Sha256};

pub use replay::{Replay, Step, verify};

use super::catalog::UnknownGame;
use super::erased::{Agreed, AnyGame, AnyRules};
use super::log::Entry;
use crate::core::{BySeat, Fingerprint, OptionError, SeatSet, Seed, Viewer, ranks_by};

/// The longest name that a player may have, in bytes.
pub const NAME_MAX: usize = 64;

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Points by the rulebook.
    pub scores: BySeat<i32>,
    /// Places, 1 the first; seats that forfeited share the last.
    pub ranks: BySeat<u8>,
    /// The seats that forfeited.
    pub forfeited: SeatSet,
}

/// A match, finished or not.
#[derive(Clone, Debug)]
pub struct Record {
    /// The rules of its game.
    pub rules: &'static dyn AnyRules,
    /// What was agreed before play.
    pub agreed: Agreed,
    /// The hash of the layout in which observations were sent: for whoever kept them. The match does
    /// not depend on it.
    pub layout: [u8; 32],
    /// What fixed its luck.
    pub seed: Seed,
    /// The names of the players, by seat.
    pub names: Vec<String>,
    /// What happened.
    pub entries: Vec<Entry>,
    /// How it ended; `None` where it did not.
    pub result: Option<MatchResult>,
    /// The fingerprint of the state in which it ends.
    pub fingerprint: Fingerprint,
}

impl Record {
    /// Reads a record in either form.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        if bytes.starts_with(binary::MAGIC) {
            return binary::read(bytes);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| RecordError::NotARecord)?;
        notation::read(text)
    }

    /// How many plies it has.
    pub fn plies(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_ply()).count()
    }

    /// The record as text.
    pub fn to_text(&self) -> String {
        notation::write(self)
    }

    /// The record as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        binary::write(self)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let key = |record: &Self| (record.rules.info().id, record.seed, record.result, record.fingerprint);
        key(self) == key(other)
            && self.agreed == other.agreed
            && self.layout == other.layout
            && self.names == other.names
            && self.entries == other.entries
    }
}

/// The result of a game that is over.
pub(in crate::host) fn result(game: &dyn AnyGame, forfeited: SeatSet) -> MatchResult {
    // A lower place is a higher key, and whoever has forfeited comes behind all who have not.
    let view = game.view(Viewer::Public);
    let ranks = view.ranks();
    let places = BySeat::from_fn(ranks.seats(), |seat| match forfeited.contains(seat) {
        true => i16::MIN,
        false => -i16::from(ranks[seat]),
    });
    MatchResult { scores: view.scores(), ranks: ranks_by(&places), forfeited }
}

/// A record that can't be used: why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// It does not begin as a record does.
    NotARecord,
    /// It ends in the middle.
    Cut,
    /// It is not as it was written: its digest does not fit.
    Altered,
    /// A line of the text does not follow the notation.
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong there, and what would be right.
        reason: String,
    },
    /// The bytes do not follow the format.
    Malformed {
        /// The place, in bytes from the start.
        at: usize,
        /// What is wrong there.
        reason: String,
    },
    /// It is of a game that we do not have.
    UnknownGame(UnknownGame),
    /// It was made under another version of the rules, under which it would play differently.
    OtherRules {
        /// The game.
        game: &'static str,
        /// The version it was made under.
        made_under: u32,
        /// Ours.
        ours: u32,
    },
    /// The game does not have these options.
    Options(OptionError),
    /// An entry does not follow from those before it.
    Impossible {
        /// The ply, from 1.
        ply: usize,
        /// Why not.
        reason: String,
    },
    /// The seed would have brought something else.
    OtherLuck {
        /// The ply, from 1.
        ply: usize,
        /// What the record says.
        recorded: String,
        /// What the seed brings.
        drawn: String,
    },
    /// The end is not the one that it names.
    OtherEnd {
        /// What differs.
        what: &'static str,
        /// What the record says.
        recorded: String,
        /// What the entries lead to.
        replayed: String,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecord => {
                write!(f, "this is no record: it begins neither with \"{}\" nor as bytes of one", notation::TITLE)
            }
            Self::Cut => f.write_str("the record is cut: it ends before its digest"),
            Self::Altered => f.write_str("the record was altered: its digest does not fit"),
            Self::Unreadable { line, column, reason } => write!(f, "line {line}, character {column}: {reason}"),
            Self::Malformed { at, reason } => write!(f, "byte {at}: {reason}"),
            Self::UnknownGame(error) => error.fmt(f),
            Self::OtherRules { game, made_under, ours } => {
                write!(
                    f,
                    "the record was made under version {made_under} of the rules of {game}; these are version {ours}"
                )
            }
            Self::Options(error) => error.fmt(f),
            Self::Impossible { ply, reason } => write!(f, "ply {ply} cannot be: {reason}"),
            Self::OtherLuck { ply, recorded, drawn } => {
                write!(f, "ply {ply} is not what the seed brings: recorded \"{recorded}\", drawn \"{drawn}\"")
            }
            Self::OtherEnd { what, recorded, replayed } => {
                write!(f, "the record ends with {what} {recorded}, but its entries lead to {replayed}")
            }
        }
    }
}

impl std::error::Error for RecordError {}

/// Refuses a name that would not fit on its line.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > NAME_MAX {
        return Err(format!("a name has 1 to {NAME_MAX} bytes, not {}", name.len()));
    }
    if name.trim() != name || name.chars().any(|character| character.is_control() || is_invisible(character)) {
        return Err("a name is one line of visible characters, with no space at its ends".to_owned());
    }
    Ok(())
}

/// Whether a character breaks lines, turns their direction or shows nothing: two names that look alike
/// are to be alike.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

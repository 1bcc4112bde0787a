//! Records: matches as entries, to be stored, read, replayed, and verified.
//!
//! A record has two equivalent forms: bytes ([`binary`]) and text ([`notation`]). The text names cards and actions in
//! words, so that other implementations of the rules can replay it.

pub mod binary;
pub mod notation;

use std::fmt;

use sha2::{Digest, Sha256};

use super::any_game::AnyGame;
use super::catalog::UnknownGame;
use super::log::Entry;
use super::rules::Setup;
use crate::core::{BySeat, Fingerprint, OptionError, SeatSet, Seed, Viewer, ranks_by};

/// The longest name of a player, in bytes.
pub const MAX_NAME: usize = 64;

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Points by the rulebook.
    pub scores: BySeat<i32>,
    /// Ranks, where 1 is first; seats that forfeited share the last rank.
    pub ranks: BySeat<u8>,
    /// The seats that forfeited.
    pub forfeited: SeatSet,
}

/// A match, finished or not.
#[derive(Clone, Debug)]
pub struct Record {
    /// The rules, seats, and options of the match.
    pub setup: Setup,
    /// The hash of the layout of the match's observations, for readers of stored observations. The match does not
    /// depend on it.
    pub layout: [u8; 32],
    /// The seed of all chance.
    pub seed: Seed,
    /// The names of the players, by seat.
    pub names: Vec<String>,
    /// The entries of the match.
    pub entries: Vec<Entry>,
    /// The result; `None` for an unfinished match.
    pub result: Option<MatchResult>,
    /// The fingerprint of the last state.
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

    /// Returns the number of plies.
    pub fn plies(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_ply()).count()
    }

    /// Returns the record as text.
    pub fn to_text(&self) -> String {
        notation::write(self)
    }

    /// Returns the record as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        binary::write(self)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let key = |record: &Self| (record.seed, record.result, record.fingerprint);
        key(self) == key(other)
            && *self.setup == *other.setup
            && self.layout == other.layout
            && self.names == other.names
            && self.entries == other.entries
    }
}

/// Returns the result of a game that is over.
pub(in crate::host) fn result(game: &dyn AnyGame, forfeited: SeatSet) -> MatchResult {
    // A lower rank is a higher key, and forfeited seats come behind all others.
    let view = game.view(Viewer::Public);
    let ranks = view.ranks();
    let places = BySeat::from_fn(ranks.seats(), |seat| match forfeited.contains(seat) {
        true => i16::MIN,
        false => -i16::from(ranks[seat]),
    });
    MatchResult { scores: view.scores(), ranks: ranks_by(&places), forfeited }
}

/// The reason why a record cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The content does not begin like a record.
    NotARecord,
    /// The record ends in the middle.
    Cut,
    /// The record was altered: its digest does not match its content.
    Altered,
    /// A line of the text does not follow the notation.
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// The description of the fault and of the expected text.
        reason: String,
    },
    /// The bytes do not follow the format.
    Malformed {
        /// The place, in bytes from the start.
        at: usize,
        /// The description of the fault.
        reason: String,
    },
    /// The catalog has no such game.
    UnknownGame(UnknownGame),
    /// The record belongs to another version of the rules, under which it would play differently.
    OtherRules {
        /// The game.
        game: &'static str,
        /// The rules version of the record.
        made_under: u32,
        /// Our rules version.
        ours: u32,
    },
    /// The game does not have these options.
    Options(OptionError),
    /// An entry does not follow from those before it.
    Impossible {
        /// The ply, from 1.
        ply: u32,
        /// The reason of the refusal.
        reason: String,
    },
    /// The seed leads to another chance outcome.
    OtherChance {
        /// The ply, from 1.
        ply: u32,
        /// The outcome in the record.
        recorded: String,
        /// The outcome of the seed.
        drawn: String,
    },
    /// The entries lead to another end than the record states.
    OtherEnd {
        /// The part that differs.
        what: &'static str,
        /// The value in the record.
        recorded: String,
        /// The value after the replay.
        replayed: String,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecord => {
                write!(
                    f,
                    "expected a record that begins with \"{}\" or the bytes AHUREC1, got neither",
                    notation::TITLE
                )
            }
            Self::Cut => f.write_str("the record is incomplete: it ends before its digest"),
            Self::Altered => f.write_str("the record was altered: its digest does not match its content"),
            Self::Unreadable { line, column, reason } => write!(f, "line {line}, character {column}: {reason}"),
            Self::Malformed { at, reason } => write!(f, "byte {at}: {reason}"),
            Self::UnknownGame(error) => error.fmt(f),
            Self::OtherRules { game, made_under, ours } => {
                write!(f, "expected a record of {game} under rules version {ours}, got rules version {made_under}")
            }
            Self::Options(error) => error.fmt(f),
            Self::Impossible { ply, reason } => write!(f, "ply {ply} is impossible: {reason}"),
            Self::OtherChance { ply, recorded, drawn } => {
                write!(f, "ply {ply}: expected \"{drawn}\" from the seed, got \"{recorded}\"")
            }
            Self::OtherEnd { what, recorded, replayed } => {
                write!(f, "expected {what} {replayed} after the entries, got {recorded}")
            }
        }
    }
}

impl std::error::Error for RecordError {}

/// Checks a player's name: a record writes it on a line of its own.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(format!("expected a name of 1 to {MAX_NAME} bytes, got {}", name.len()));
    }
    if name.trim() != name || name.chars().any(|character| character.is_control() || is_invisible(character)) {
        return Err(format!("expected a name of visible characters without spaces at its ends, got {name:?}"));
    }
    Ok(())
}

/// Returns true if a character breaks lines, changes their direction, or is invisible. Without such characters, names
/// that look alike are alike.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

//! Records: matches as entries, to be stored, read, replayed, and verified.
//!
//! A record has two equivalent forms: bytes ([`binary`]) and text ([`notation`]). The text names cards and actions in
//! words, so that other implementations of the rules can replay it. Both forms have the same digest.
//!
//! A record is readable: outcomes are cards, and actions follow the grammar of the game, in text and in bytes; the bytes save
//! only the framing. It states everything that a judge needs: terms, bots with their versions, the label of bot seeds,
//! causes, thinking times, and the ending. Each entry is a link of a chain of hashes, and the digest covers the whole record.
//! A server publishes the digest with the result. The fingerprint covers only the final state, so a forged record with an
//! invented forfeit can have the genuine fingerprint: `ahu replay --verify --digest` compares the digest.
//! [`verify`](super::verify()) replays a record, draws every outcome again from the seed, and compares.
//!
//! A record is read in two steps. The [`Transcript`] is what it states: every release reads it, with its digest and its chain,
//! whatever the rules version. A [`Record`] is a transcript with its rules, which a release has of one version alone.

pub mod binary;
pub mod notation;
mod transcript;

use ahu_core::{BySeat, Fingerprint, OptionError, SeatSet, Seed, Viewer, hex, ranks_by};
use sha2::{Digest, Sha256};

use self::transcript::first_unknown;
pub use self::transcript::{NamedPlayer, Transcript};
use super::any_game::AnyGame;
use super::catalog::{GAMES, UnknownGame};
use super::conduct::Cause;
use super::ending::Ending;
use super::ensure;
use super::entry::Entry;
use super::nets::NetId;
use super::player::SeatPlayer;
use super::rules::Setup;
use super::terms::Terms;
use super::visible_text::check_line;

/// The longest name of a player, in bytes.
pub const MAX_NAME: usize = 64;

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Points by the rulebook.
    pub scores: BySeat<i32>,
    /// Ranks, where 1 is first; seats that forfeited share the last rank.
    pub ranks: BySeat<u8>,
    /// The reason of each forfeit, by seat.
    pub forfeits: BySeat<Option<Cause>>,
}

impl MatchResult {
    /// Returns the seats that forfeited.
    pub fn forfeited(&self) -> SeatSet {
        self.forfeits.seats().iter().filter(|&seat| self.forfeits[seat].is_some()).collect()
    }
}

/// A match, finished or not. Records with the same bytes are equal.
#[derive(Clone, Debug)]
pub struct Record {
    /// The rules, seats, and options of the match.
    pub setup: Setup,
    /// The keys of the options that the record names: all of the game, except in a record from before an option existed.
    pub options: Vec<&'static str>,
    /// The hash of the layout of the match's observations, for readers of stored observations. The match does not
    /// depend on it.
    pub layout: [u8; 32],
    /// The seed of all chance.
    pub seed: Seed,
    /// The clocks, the conduct, and the stand-in.
    pub terms: Terms,
    /// The players, by seat.
    pub players: Vec<SeatPlayer>,
    /// Further facts, each with its name: see [`Transcript::notes`].
    pub notes: Vec<(String, String)>,
    /// The entries of the match.
    pub entries: Vec<Entry>,
    /// The reason why the match ended; None for an unfinished match.
    pub ending: Option<Ending>,
    /// The result; None for an unfinished, cancelled, or void match.
    pub result: Option<MatchResult>,
    /// The fingerprint of the last state.
    pub fingerprint: Fingerprint,
}

impl Record {
    /// Reads a record in either form. Editors may put a byte order mark before a text, and empty lines after it.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        transcript::read_with(bytes, |transcript| {
            let record = transcript.with_rules()?;
            Ok((Transcript::from(&record), Some(record.setup.rules()), record))
        })
    }

    /// Reads the entries before the first that is missing or faulty, as an unfinished record with the fingerprint of its
    /// first state. An error means that nothing is intact: the record is cut before its entries.
    pub(crate) fn read_intact(bytes: &[u8]) -> Result<Self, RecordError> {
        let mut transcript = Transcript::read_intact(bytes)?;
        transcript.truncate_unknown();
        let mut record = transcript.with_rules()?;
        record.fingerprint = record.setup.game().fingerprint();
        Ok(record)
    }

    /// Returns the digest of both forms: the SHA-256 of the binary form without its digest.
    pub fn digest(&self) -> [u8; 32] {
        Transcript::from(self).digest()
    }

    /// Returns the number of plies.
    pub fn plies(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_ply()).count()
    }

    /// Returns the number of entries before a ply, which is numbered from 1.
    ///
    /// # Errors
    /// If the record has no such ply.
    pub fn entries_before(&self, ply: u32) -> Result<usize, String> {
        let mut plies = self.entries.iter().enumerate().filter(|(_, entry)| entry.is_ply());
        let found = (ply as usize).checked_sub(1).and_then(|before| plies.nth(before));
        found.map(|(before, _)| before).ok_or_else(|| format!("expected a ply from 1 to {}, got {ply}", self.plies()))
    }

    /// Returns the record as text in format 2.
    pub fn to_text(&self) -> String {
        notation::write(&Transcript::from(self), Some(self.setup.rules()))
    }

    /// Returns the record as bytes in format 2.
    pub fn to_bytes(&self) -> Vec<u8> {
        Transcript::from(self).to_bytes()
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        Transcript::from(self) == Transcript::from(other)
    }
}

/// Returns the result of a game that is over.
pub(crate) fn result(game: &dyn AnyGame, forfeits: BySeat<Option<Cause>>) -> MatchResult {
    let view = game.view(Viewer::Public);
    let forfeited = forfeits.seats().iter().filter(|&seat| forfeits[seat].is_some()).collect();
    MatchResult { scores: view.scores(), ranks: forfeited_last(view.ranks(), forfeited), forfeits }
}

/// Returns the ranks of a match whose game gives these ranks: seats that have forfeited share the last one.
pub fn forfeited_last(ranks: BySeat<u8>, forfeited: SeatSet) -> BySeat<u8> {
    // A lower rank is a higher key, and forfeited seats come behind all others.
    ranks_by(&BySeat::from_fn(ranks.seats(), |seat| match forfeited.contains(seat) {
        true => i16::MIN,
        false => -i16::from(ranks[seat]),
    }))
}

/// The length of a link, in bytes.
const LINK: usize = 32;

/// The link before the first entry of a match.
pub const FIRST_LINK: [u8; LINK] = [0; LINK];

/// Returns the link of an entry: the SHA-256 of the link before it and of the entry as bytes. A store that keeps the
/// last link notices any change of earlier entries. A record ends with the last link.
pub fn next_link(link: &[u8; LINK], entry: &Entry) -> [u8; LINK] {
    let mut hasher = Sha256::new();
    hasher.update(link);
    hasher.update(binary::entry_bytes(entry));
    hasher.finalize().into()
}

fn last_link(entries: &[Entry]) -> [u8; LINK] {
    entries.iter().fold(FIRST_LINK, |link, entry| next_link(&link, entry))
}

/// Reads `N` bytes in their only spelling as hexadecimal digits.
pub(super) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let byte = |n: usize| text.get(2 * n..2 * n + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let bytes: Vec<u8> = (0..N).map(byte).collect::<Option<_>>()?;
    bytes.try_into().ok().filter(|bytes: &[u8; N]| hex(bytes) == text)
}

/// Reads a digest from 64 hexadecimal digits.
pub fn parse_digest(text: &str) -> Result<[u8; 32], String> {
    let error = || format!("expected a digest of 64 hexadecimal digits in lower case, got \"{text}\"");
    from_hex(text).ok_or_else(error)
}

/// The reason why a record is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The content does not begin like a record.
    #[error("expected a record that begins with \"{}\" or the bytes AHUREC2, got neither", notation::TITLE)]
    NotARecord,
    /// The record ends in the middle.
    #[error("the record is incomplete: it ends before its digest")]
    Cut,
    /// The record was altered: its digest does not match its content.
    #[error("the record was altered: its digest does not match its content")]
    Altered,
    /// A line of the text does not follow the notation.
    #[error("line {line}, character {column}: {reason}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// The description of the fault and of the expected text.
        reason: String,
    },
    /// The bytes do not follow the format.
    #[error("byte {at}: {reason}")]
    Malformed {
        /// The place, in bytes from the start.
        at: usize,
        /// The description of the fault.
        reason: String,
    },
    /// The catalog has no such game.
    #[error(transparent)]
    UnknownGame(UnknownGame),
    /// The record names a bot, or bot seeds, that this release does not have.
    #[error("{0}")]
    Unknown(String),
    /// The record belongs to another version of the rules, under which it would play differently.
    #[error("expected a record of {game} under rules version {ours}, got rules version {made_under}")]
    OtherRules {
        /// The game.
        game: &'static str,
        /// The rules version of the record.
        made_under: u32,
        /// Our rules version.
        ours: u32,
    },
    /// The game does not have these options.
    #[error(transparent)]
    Options(OptionError),
    /// An entry does not follow from those before it.
    #[error("ply {ply} is impossible: {reason}")]
    Impossible {
        /// The ply, from 1.
        ply: u32,
        /// The reason of the refusal.
        reason: String,
    },
    /// The seed leads to another chance outcome.
    #[error("ply {ply}: expected \"{drawn}\" from the seed, got \"{recorded}\"")]
    OtherChance {
        /// The ply, from 1.
        ply: u32,
        /// The outcome in the record.
        recorded: String,
        /// The outcome of the seed.
        drawn: String,
    },
    /// The entries lead to another end than the record states.
    #[error("expected {what} {replayed} after the entries, got {recorded}")]
    OtherEnd {
        /// The part that differs.
        what: &'static str,
        /// The value in the record.
        recorded: String,
        /// The value after the replay.
        replayed: String,
    },
    /// The record has another digest than the published one.
    #[error("expected the digest {}, got a record with the digest {}", hex(published), hex(found))]
    OtherDigest {
        /// The published digest.
        published: [u8; 32],
        /// The digest of the record.
        found: [u8; 32],
    },
}

impl RecordError {
    /// Returns true if this release lacks something that the record names: its game, rules, an option, or a bot.
    pub fn is_of_other_rules(&self) -> bool {
        matches!(self, Self::OtherRules { .. } | Self::UnknownGame(_) | Self::Options(_) | Self::Unknown(_))
    }
}

/// Checks a name in a record or a store: a record writes it on a line of its own. [`check_new_name`] asks more.
pub fn check_name(name: &str) -> Result<(), String> {
    ensure((1..=MAX_NAME).contains(&name.len()), || {
        format!("expected a name of 1 to {MAX_NAME} bytes, got {}", name.len())
    })?;
    ensure(is_one_line(name), || {
        format!("expected a name of visible characters without spaces at its ends, got {name:?}")
    })
}

/// Checks the name of a game, an option, or a bot: a record writes it between spaces.
fn check_word(word: &str) -> Result<(), String> {
    ensure(!word.is_empty() && is_one_line(word) && !word.contains(char::is_whitespace), || {
        format!("expected a word of visible characters, got {word:?}")
    })
}

fn check_option(key: &str, value: &str) -> Result<(), String> {
    check_word(key)?;
    check_word(value)?;
    ensure(!key.contains('='), || format!("expected the name of an option without =, got {key:?}"))
}

/// Checks a text that a record writes at the end of a line.
fn check_text(text: &str) -> Result<(), String> {
    ensure(!text.is_empty() && is_one_line(text), || format!("expected a text on one line, got {text:?}"))
}

/// Checks a fact that a record has beside those of its format.
fn check_note(name: &str, fact: &str) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    ensure(!name.is_empty() && name.bytes().all(is_plain), || {
        format!("expected a name of lower-case letters, digits, and -, got {name:?}")
    })?;
    check_text(fact)
}

/// Returns true if all characters of a text are visible, and no space is at its ends.
fn is_one_line(text: &str) -> bool {
    text.trim() == text && !text.contains(|character: char| character.is_control() || is_invisible(character))
}

/// Checks the text of a chance outcome: a record writes it on a line, and tells it from an action by its beginning.
fn check_outcome(outcome: &str) -> Result<(), String> {
    ensure(!outcome.contains(char::is_control) && !outcome.starts_with(notation::SEAT), || {
        format!("expected an outcome on one line that does not begin like an action, got {outcome:?}")
    })
}

/// Checks the name of a new player: visible characters, and no name of a bot as results show it.
pub fn check_new_name(name: &str) -> Result<(), String> {
    check_name(name)?;
    check_line("a name", name)?;
    let is_bot = |stem: &str| GAMES.iter().any(|rules| rules.bot(&stem.to_ascii_lowercase()).is_ok());
    // A net is told from others by its name alone.
    ensure(NetId::read(name).is_none(), || format!("expected a name that is not that of a net, got \"{name}\""))?;
    match name.split_once('@') {
        Some((stem, _)) if is_bot(stem) => Err(format!("expected a name that is not that of a bot, got \"{name}\"")),
        _ => Ok(()),
    }
}

/// Returns true if a character breaks lines, changes their direction, or is invisible. Without such characters, names
/// that look alike are alike.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

//! Transcripts: records without the rules of their games.

use ahu_core::{Fingerprint, Seats, Seed, hex};

use super::{MatchResult, Record, RecordError, binary, digest, notation};
use crate::bot_seed::bots_label;
use crate::{AnyRules, BotName, Ending, Entry, SeatPlayer, Terms, ensure, find};

/// The statements of a record, whatever the version of its rules. An action is its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The id of the game.
    pub game: String,
    /// The rules version.
    pub rules_version: u32,
    /// The seats.
    pub seats: Seats,
    /// The options of the game that the record names, each with its value.
    pub options: Vec<(String, String)>,
    /// The hash of the layout of observations.
    pub layout: [u8; 32],
    /// The seed of all chance.
    pub seed: Seed,
    /// The label under which bot seeds come from the seed.
    pub bot_seeds: String,
    /// The clocks and the conduct. The stand-in is None here.
    pub terms: Terms,
    /// The bot that plays on for a seat that has forfeited.
    pub stand_in: String,
    /// The players, by seat.
    pub players: Vec<NamedPlayer>,
    /// Further facts, each with its name. A later release may add some: every release keeps them, and the digest covers them.
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

/// The player of one seat, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlayer {
    /// The name of the player.
    pub name: String,
    /// The bot that plays; None for an external player.
    pub bot: Option<String>,
}

impl From<&Record> for Transcript {
    fn from(record: &Record) -> Self {
        let rules = record.setup.rules();
        let mut options = record.setup.options();
        options.retain(|(key, _)| record.options.contains(key));
        let bot_of = |player: &SeatPlayer| player.bot.map(BotName::name);
        let players =
            record.players.iter().map(|player| NamedPlayer { name: player.name.clone(), bot: bot_of(player) });
        Self {
            game: rules.info().id.to_owned(),
            rules_version: rules.info().rules,
            seats: record.setup.seats(),
            options: options.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            layout: record.layout,
            seed: record.seed,
            bot_seeds: bots_label().to_owned(),
            terms: Terms { stand_in: None, ..record.terms.clone() },
            stand_in: record.terms.stand_in_of(rules).name(),
            players: players.collect(),
            notes: record.notes.clone(),
            entries: record.entries.clone(),
            ending: record.ending.clone(),
            result: record.result,
            fingerprint: record.fingerprint,
        }
    }
}

impl Transcript {
    /// Reads a record in either form without its rules, and checks its digest and its chain.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        read_with(bytes, |transcript| Ok((transcript.clone(), None, transcript)))
    }

    /// Reads everything before the first entry that is missing or faulty.
    pub(super) fn read_intact(bytes: &[u8]) -> Result<Self, RecordError> {
        if bytes.starts_with(binary::MAGIC) {
            return binary::read_intact(bytes);
        }
        // A text can be cut in the middle of a character.
        let text = String::from_utf8_lossy(bytes);
        match text.lines().next() {
            Some(notation::TITLE) => notation::read_intact(&text),
            _ => Err(RecordError::Cut),
        }
    }

    /// Gives a transcript its rules.
    ///
    /// # Errors
    /// If this release has no such game, or has it in another rules version or without an option, a bot, or an action.
    pub fn with_rules(self) -> Result<Record, RecordError> {
        let rules = find(&self.game).map_err(RecordError::UnknownGame)?;
        let (ours, made_under) = (rules.info().rules, self.rules_version);
        ensure(made_under == ours, || RecordError::OtherRules { game: rules.info().id, made_under, ours })?;
        let given: Vec<_> = self.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(self.seats.count(), &given).map_err(RecordError::Options)?;
        let keys = setup.options().into_iter().map(|(key, _)| key);
        let options = keys.filter(|key| given.iter().any(|(given, _)| given == key)).collect();
        ensure(self.bot_seeds == bots_label(), || {
            RecordError::Unknown(format!("expected bot seeds of \"{}\", got \"{}\"", bots_label(), self.bot_seeds))
        })?;
        let bot =
            |name: &str| rules.recorded_bot(name).map_err(|error| RecordError::Unknown(error.message.into_owned()));
        let player = |NamedPlayer { name, bot: of_bot }: NamedPlayer| match of_bot {
            None => Ok(SeatPlayer::external(name)),
            Some(of_bot) => SeatPlayer::named_bot(&name, bot(&of_bot)?).map_err(RecordError::Unknown),
        };
        if let Some(at) = first_unknown(rules, &self.entries) {
            let ply = self.entries[..=at].iter().filter(|entry| entry.is_ply()).count() as u32;
            let reason = format!("expected action ids from 0 to {}, got a higher one", rules.action_count() - 1);
            return Err(RecordError::Impossible { ply, reason });
        }
        Ok(Record {
            terms: Terms { stand_in: Some(bot(&self.stand_in)?), ..self.terms },
            players: self.players.into_iter().map(player).collect::<Result<_, _>>()?,
            setup,
            options,
            layout: self.layout,
            seed: self.seed,
            notes: self.notes,
            entries: self.entries,
            ending: self.ending,
            result: self.result,
            fingerprint: self.fingerprint,
        })
    }

    /// Removes the entries from the first action on that the game does not have.
    pub(super) fn truncate_unknown(&mut self) {
        let unknown = find(&self.game).ok().and_then(|rules| first_unknown(rules, &self.entries));
        self.entries.truncate(unknown.unwrap_or(self.entries.len()));
    }

    /// Returns the number of plies.
    pub fn plies(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_ply()).count()
    }

    /// Returns the digest of both forms: the SHA-256 of the binary form without its digest.
    pub fn digest(&self) -> [u8; 32] {
        digest(&binary::content(self))
    }

    /// Returns the transcript as the text of its record. The words of actions are in it if this release has the rules.
    pub fn to_text(&self) -> String {
        let rules = find(&self.game).ok().filter(|rules| rules.info().rules == self.rules_version);
        notation::write(self, rules.filter(|rules| first_unknown(*rules, &self.entries).is_none()))
    }

    /// Returns the transcript as the bytes of its record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = binary::content(self);
        let digest = digest(&bytes);
        bytes.extend(digest);
        bytes
    }
}

/// Returns the place of the first entry with an action that the game does not have.
pub(super) fn first_unknown(rules: &dyn AnyRules, entries: &[Entry]) -> Option<usize> {
    entries.iter().position(|entry| match entry {
        Entry::Action { id, .. } | Entry::Strike { action: Some(id), .. } => usize::from(id.0) >= rules.action_count(),
        Entry::Chance(_) | Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) => false,
    })
}

/// Reads a record in either form, and makes a value of it. `make` also returns the transcript of the value, and the rules if it
/// has them: a match has one record, so all other bytes with the same meaning are refused.
pub(super) fn read_with<T>(
    bytes: &[u8],
    make: impl FnOnce(Transcript) -> Result<(Transcript, Option<&'static dyn AnyRules>, T), RecordError>,
) -> Result<T, RecordError> {
    if bytes.starts_with(binary::MAGIC) {
        let (transcript, _, value) = make(binary::read(bytes)?)?;
        return binary::check_form(&transcript, bytes).map(|()| value);
    }
    // A text can be cut in the middle of a character.
    let text = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(bytes),
        text => text.map_err(|_| RecordError::NotARecord)?.into(),
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    ensure(text.lines().next() == Some(notation::TITLE), || RecordError::NotARecord)?;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let (read, written) = notation::read(&lines)?;
    // The fault of a line is more helpful than a digest that does not match.
    let (transcript, rules, value) = make(read)?;
    ensure(written == hex(&transcript.digest()), || RecordError::Altered)?;
    notation::check_form(&transcript, rules, &lines).map(|()| value)
}

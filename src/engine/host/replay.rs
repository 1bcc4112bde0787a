//! Replay and verification of records.

use super::bot_seed::BotSeed;
use super::clock::MatchTime;
use super::conduct::{Cause, Consequence};
use super::ensure::ensure;
use super::log::Entry;
use super::record::notation::{causes, ending_text, numbers};
use super::record::{MatchResult, Record, RecordError};
use super::referee::{EntryError, PlyEvent, Referee};
use crate::core::{ActionId, Seat};

/// A replay in progress.
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a Record,
    referee: Referee,
    next: usize,
}

/// One entry replayed.
#[derive(Debug)]
pub struct Step<'a> {
    /// The ply of the entry, counted from 1; for an entry that is no ply, the ply before it.
    pub ply: u32,
    /// The entry.
    pub entry: &'a Entry,
    /// The events of the entry.
    pub events: &'a [PlyEvent],
}

impl<'a> Replay<'a> {
    /// Creates a replay before the first ply.
    pub fn new(record: &'a Record) -> Self {
        let (setup, players, terms) = (record.setup.clone(), record.players.clone(), record.terms.clone());
        Self { record, referee: Referee::before_the_first_ply(setup, record.seed, players, terms), next: 0 }
    }

    /// Replaces the bot seed, for a match that is not the first game of its seed.
    #[must_use]
    pub fn with_bot_seed(self, bot_seed: BotSeed) -> Self {
        Self { referee: self.referee.with_bot_seed(bot_seed), ..self }
    }

    /// Returns the match at this point.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Plays the next entry; None after the last. If the entry is impossible, the replay returns an error and stays
    /// before it.
    pub fn step(&mut self) -> Option<Result<Step<'_>, RecordError>> {
        let entry = self.record.entries.get(self.next)?;
        let told = self.referee.events().len();
        if let Err(EntryError { ply, reason }) = self.referee.apply(entry) {
            return Some(Err(RecordError::Impossible { ply, reason }));
        }
        self.next += 1;
        Some(Ok(Step { ply: self.referee.plies(), entry, events: &self.referee.events()[told..] }))
    }

    /// Plays the remaining entries, and checks that the ending, the result, and the fingerprint of the record follow.
    pub fn finish(mut self) -> Result<(), RecordError> {
        while let Some(step) = self.step() {
            step?;
        }
        let endings = [&self.record.ending, &self.referee.ending()].map(|ending| ending_text(ending.as_ref()));
        let results = [self.record.result, self.referee.result()];
        let text = |of: fn(&MatchResult) -> String| results.map(|result| result.as_ref().map_or("none".to_owned(), of));
        let fingerprints =
            [self.record.fingerprint, self.referee.fingerprint()].map(|fingerprint| fingerprint.to_string());
        for (what, [recorded, replayed]) in [
            ("the ending", endings),
            ("the scores", text(|result| numbers(&result.scores))),
            ("the ranks", text(|result| numbers(&result.ranks))),
            ("the forfeits", text(|result| causes(result.forfeits))),
            ("the fingerprint", fingerprints),
        ] {
            ensure(recorded == replayed, || RecordError::OtherEnd { what, recorded, replayed })?;
        }
        Ok(())
    }
}

/// Reads what is intact of a record that was cut, as an unfinished record: the entries before the first that is missing,
/// faulty, or impossible. An error means that nothing is intact.
pub fn read_intact(bytes: &[u8]) -> Result<Record, RecordError> {
    let mut record = Record::read_intact(bytes)?;
    let mut replay = Replay::new(&record);
    while let Some(Ok(_)) = replay.step() {}
    let (possible, fingerprint) = (replay.next, replay.referee.fingerprint());
    record.entries.truncate(possible);
    record.fingerprint = fingerprint;
    Ok(record)
}

/// Replays a record and checks its claims:
///
/// * each ply is legal, and the seed leads to each chance outcome;
/// * each answer came within the limits of its clock, and its charged time follows from the measured one;
/// * a struck seat owed the decision, and the action of a strike was illegal;
/// * the terms lead to each strike and forfeit, as far as the entries show it;
/// * the ending, the scores, the ranks, the forfeits, and the fingerprint follow from the entries.
///
/// Nothing in a record proves these claims: the names of players, and that bots took their actions; the layout hash;
/// measured times; refused calls, exits, absences, and resignations, and that a timeout took place; the reason why a
/// match was cancelled or is void. Nor does the digest prove that the record is genuine, since anybody can compute it:
/// [`verify_digest`] compares it with the published one.
pub fn verify(record: &Record) -> Result<(), RecordError> {
    let mut replay = Replay::new(record);
    while let Some(entry) = record.entries.get(replay.next) {
        if let Entry::Chance(recorded) = entry
            && let Some(drawn) = replay.referee.drawn()
            && drawn != *recorded
        {
            let ply = replay.referee.plies() + 1;
            return Err(RecordError::OtherChance { ply, recorded: recorded.clone(), drawn });
        }
        let rulings = Rulings { record, referee: &replay.referee, next: replay.next };
        let checked = rulings.check(entry);
        if let Some(step) = replay.step() {
            // The refusal of the referee comes first: it says more.
            let ply = step?.ply;
            checked.map_err(|reason| RecordError::Impossible { ply, reason })?;
        }
    }
    replay.finish()
}

/// Checks that the record has the published digest: see [`Record::digest`].
pub fn verify_digest(record: &Record, published: &[u8; 32]) -> Result<(), RecordError> {
    let (published, found) = (*published, record.digest());
    ensure(found == published, || RecordError::OtherDigest { published, found })
}

/// The check of one entry against the terms of its match, before the entry is applied.
struct Rulings<'a> {
    record: &'a Record,
    referee: &'a Referee,
    /// The index of the entry.
    next: usize,
}

impl Rulings<'_> {
    fn check(&self, entry: &Entry) -> Result<(), String> {
        match *entry {
            Entry::Action { seat, time, .. } => self.check_time(seat, time.measured),
            Entry::Strike { seat, decision: _, cause, action } => self.check_strike(seat, cause, action),
            Entry::Forfeit { seat, cause } => self.check_forfeit(seat, cause),
            Entry::Chance(_) | Entry::Cancelled(_) | Entry::Void(_) => Ok(()),
        }
    }

    /// Checks that an answer came before its deadline.
    fn check_time(&self, seat: Seat, measured: u32) -> Result<(), String> {
        let left = self.referee.time_left(seat, MatchTime::default()).unwrap_or(u32::MAX);
        ensure(measured <= left, || {
            format!("expected an answer of seat {seat} within {left} ms, got one after {measured} ms")
        })
    }

    fn check_strike(&self, seat: Seat, cause: Cause, action: Option<ActionId>) -> Result<(), String> {
        self.check_fault(seat, cause)?;
        let conduct = &self.record.terms.conduct;
        let consequence = conduct.consequence(cause);
        ensure(consequence == Consequence::Strike, || {
            format!("expected a {consequence} as the consequence of {cause}, got a strike of seat {seat}")
        })?;
        if let Some(id) = action {
            ensure(cause == Cause::Illegal, || format!("expected no action in a strike for {cause}, got one"))?;
            ensure(!self.referee.legal_actions(seat).contains(id), || {
                format!("expected an illegal action in a strike of seat {seat}, got {id}, which is legal")
            })?;
        }
        let is_last = self.has_all_strikes(seat, 1);
        let follows = self.record.entries.get(self.next + 1) == Some(&Entry::Forfeit { seat, cause });
        ensure(!is_last || follows, || {
            format!("expected a forfeit of seat {seat} ({cause}) after its {} strikes", conduct.strikes)
        })
    }

    fn check_forfeit(&self, seat: Seat, cause: Cause) -> Result<(), String> {
        self.check_fault(seat, cause)?;
        let consequence = self.record.terms.conduct.consequence(cause);
        let is_agreed = match (consequence, cause) {
            // Refused calls lead to a forfeit at the bound of tries. They are no entries.
            (Consequence::Forfeit, _) | (Consequence::Refusal, Cause::Illegal | Cause::Unreadable) => true,
            (Consequence::Refusal, _) => false,
            (Consequence::Strike, _) => {
                self.is_struck(seat, cause) && (self.has_all_strikes(seat, 0) || self.may_have_all_tries(seat, cause))
            }
        };
        match is_agreed {
            true => Ok(()),
            false if consequence == Consequence::Strike => {
                Err(format!("expected the last strike of seat {seat} ({cause}) before its forfeit, got none"))
            }
            false => {
                Err(format!("expected a {consequence} as the consequence of {cause}, got a forfeit of seat {seat}"))
            }
        }
    }

    /// Checks that a seat can commit a fault now.
    fn check_fault(&self, seat: Seat, cause: Cause) -> Result<(), String> {
        let of_decision = matches!(cause, Cause::Illegal | Cause::Unreadable | Cause::Timeout | Cause::Absent);
        ensure(self.record.players[seat.index()].bot.is_none(), || {
            format!("expected the fault ({cause}) of an external player, got one of a bot in seat {seat}")
        })?;
        ensure(!of_decision || self.referee.decision(seat).is_some(), || {
            format!("expected an open decision of seat {seat} for its fault ({cause}), got none")
        })?;
        let has_limit = self.referee.time_left(seat, MatchTime::default()).is_some();
        ensure(cause != Cause::Timeout || has_limit, || {
            format!("expected a limit for the timeout of seat {seat}, got none")
        })?;
        ensure(cause != Cause::Absent || self.record.terms.conduct.absence_limit.is_some(), || {
            format!("expected an absence limit for the absence of seat {seat}, got none")
        })
    }

    /// Returns true if the entry before this one is a strike of `seat` for `cause`.
    fn is_struck(&self, seat: Seat, cause: Cause) -> bool {
        let last = self.record.entries[..self.next].last();
        matches!(last, Some(Entry::Strike { seat: of, cause: own, .. }) if (*of, *own) == (seat, cause))
    }

    /// Returns true if `seat` has all its strikes with `more` of them.
    fn has_all_strikes(&self, seat: Seat, more: u8) -> bool {
        let strikes = self.referee.strikes(seat);
        strikes.is_some_and(|(strikes, most)| strikes.saturating_add(more) >= most.get())
    }

    /// Returns false if the entries show that `seat` had too few refused calls for its open decision.
    fn may_have_all_tries(&self, seat: Seat, cause: Cause) -> bool {
        let conduct = &self.record.terms.conduct;
        let other = match cause {
            Cause::Illegal => Cause::Unreadable,
            Cause::Unreadable => Cause::Illegal,
            Cause::Timeout | Cause::Exited | Cause::Absent | Cause::Resigned => return false,
        };
        // Refused calls without a consequence are no entries.
        if conduct.consequence(other) == Consequence::Refusal {
            return true;
        }
        let open = self.referee.decision(seat);
        let is_try = |entry: &&Entry| {
            matches!(entry, Entry::Strike { seat: of, decision, cause: Cause::Illegal | Cause::Unreadable, .. }
                if *of == seat && Some(*decision) == open)
        };
        let tries = self.record.entries[..self.next].iter().filter(is_try).count();
        tries >= usize::from(conduct.tries.get())
    }
}

//! Verification of records: whether every claim of a record follows from its entries, and whether its bots made the choices
//! that it has.

use ahu_core::{ActionId, Seat};

use super::{
    BotName, BotSeed, Cause, Consequence, DecidedBy, Entry, MatchTime, Record, RecordError, Referee, Replay, ensure,
};

/// Replays a record and checks its claims:
///
/// * each ply is legal, and the seed leads to each chance outcome;
/// * each answer came within the limits of its clock, and its charged time follows from the measured one;
/// * a seat with a strike owed the decision, and the action of the strike was illegal;
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

/// The numbers of bot choices in a record, and of bot choices that were computed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BotChoices {
    /// The choices of all bots, stand-ins among them.
    pub all: u64,
    /// The choices that were computed again.
    pub checked: u64,
}

/// Computes choices of bots and stand-ins in a record again, and checks that the record has the same actions. The match is the
/// first game of its seed, as [`BotSeed::new`] counts. A search is slow, so `is_chosen` decides for each of its choices whether
/// to compute it. The choices of all other bots are always computed, except those of nets that are not loaded.
///
/// # Errors
/// If a choice differs, or an entry is impossible; the message names the ply.
pub fn verify_bots(record: &Record, mut is_chosen: impl FnMut() -> bool) -> Result<BotChoices, String> {
    let is_checked = |bot: BotName| bot.is_reproducible() && (bot.budget().is_none() || is_chosen());
    verify_choices(record, is_checked)
}

/// Computes the choices of the loaded nets in a record again, and checks that the record has the same actions. A net takes no
/// random numbers, so the game may be any game of its seed.
///
/// # Errors
/// Like [`verify_bots`].
pub fn verify_nets(record: &Record) -> Result<BotChoices, String> {
    verify_choices(record, BotName::is_net)
}

fn verify_choices(record: &Record, mut is_checked: impl FnMut(BotName) -> bool) -> Result<BotChoices, String> {
    let stand_in = record.terms.stand_in_of(record.setup.rules());
    let mut choices = BotChoices::default();
    let mut replay = Replay::new(record).with_bot_seed(BotSeed::new(record.seed, 0));
    for entry in &record.entries {
        if let Entry::Action { seat, id, by, .. } = entry {
            let bot = match by {
                DecidedBy::StandIn => Some(stand_in),
                DecidedBy::Player => record.players[seat.index()].bot,
            };
            choices.all += u64::from(bot.is_some());
            let checked = bot.filter(|&bot| bot.is_loaded() && is_checked(bot));
            if let Some(bot) = checked {
                choices.checked += 1;
                let choice = replay.referee().choice_of(bot, *seat).map(|choice| choice());
                if choice != Some(*id) {
                    let text = |id| record.setup.rules().action_text(id).unwrap_or_default();
                    let expected = choice.map_or_else(|| "no decision".to_owned(), |id| format!("\"{}\"", text(id)));
                    let ply = replay.referee().plies() + 1;
                    return Err(format!(
                        "ply {ply}: expected {expected}, the choice of {bot} in seat {seat}, got \"{}\"",
                        text(*id)
                    ));
                }
            }
        }
        if let Some(step) = replay.step() {
            step.map_err(|error| error.to_string())?;
        }
    }
    Ok(choices)
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

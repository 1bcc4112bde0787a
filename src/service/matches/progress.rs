//! The part of a match that changes: its occupants and its referee.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::debugging::Debugging;
use super::joiner::Joiner;
use crate::proto::v1::ErrorReason;
use crate::service::course::Course;
use crate::service::digest::Digest;
use crate::service::error;
use crate::service::limits::MAX_INLINE_DECISIONS;
use crate::service::reservation::Reservation;
use crate::service::store::{Change, Request, StoredMatch, TakenSeat};
use ahu_engine::core::{ActionId, Seat};
use ahu_engine::host::api::ApiError;
use ahu_engine::host::visible::check_line;
use ahu_engine::host::{
    AnyRules, BotAnswer, BotName, Cause, Consequence, Ending, Entry, MatchTime, Referee, SeatPlayer,
};
use ahu_engine::host::{StepOutcome, check_reason};

/// The part of a match that changes. Nobody holds its lock across an await or while a bot thinks.
#[derive(Debug)]
pub(super) struct Progress {
    occupants: Vec<SeatOccupant>,
    /// The reservation of each seat. Empty: none is reserved.
    reservations: Vec<Option<Reservation>>,
    course: Course,
    /// The seats that agents took, and the request that the match answered, since the last change was written.
    unwritten: (Vec<TakenSeat>, Option<Request>),
    /// The last refused answer of each seat to an open decision. It is not stored: a folded match has none.
    refused: Vec<Option<RefusedAnswer>>,
    /// The number of changes that were handed to the journal.
    pub(super) changes: u64,
    /// The debugging of the match, whose decisions may wait; None unless it is debugged.
    pub(super) debugging: Option<Arc<Debugging>>,
    /// True while the bot pool has a job for this match.
    pub(super) has_bot_job: bool,
    /// The time of the entry of this match in the timer, if it has one.
    pub(super) timer_entry: Option<MatchTime>,
}

/// The occupant of a seat.
#[derive(Debug)]
pub(super) enum SeatOccupant {
    Open,
    Agent {
        name: String,
        token: TokenHash,
        /// The hash of the id of the request that took the seat, if it had one.
        request: Option<Digest>,
    },
    Bot(BotName),
}

/// The digest of a token. A comparison of digests takes a time that tells nothing about the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::service) struct TokenHash(pub(in crate::service) Digest);

impl TokenHash {
    pub(super) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

/// The answer of an agent to a decision.
#[derive(Debug)]
pub(super) enum Answer {
    /// The action with this id. The game need not have it.
    Id(u32),
    /// A content that is not an action, and the error that says why.
    Unreadable { content: Vec<u8>, error: ApiError },
}

/// An answer that was refused, so that the same request gets the same error once its decision is no longer open.
#[derive(Debug)]
struct RefusedAnswer {
    decision: u32,
    /// A hash of the answer.
    content: u64,
    error: ApiError,
}

impl Answer {
    /// Returns the answer as its author may read it.
    pub(super) fn text(&self, rules: &dyn AnyRules) -> String {
        match self {
            Self::Id(id) => {
                let text = u16::try_from(*id).ok().and_then(|id| rules.action_text(ActionId(id)));
                text.unwrap_or_else(|| format!("action {id}"))
            }
            Self::Unreadable { content, .. } => String::from_utf8_lossy(content).into_owned(),
        }
    }

    /// Returns a hash of the answer: equal answers have equal hashes while the process runs.
    fn content(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self {
            Self::Id(id) => (true, id).hash(&mut hasher),
            Self::Unreadable { content, .. } => (false, content).hash(&mut hasher),
        }
        hasher.finish()
    }
}

/// The reason why a player gets no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSeat {
    Taken,
    Reserved,
}

/// The size of a match. Every change changes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) entries: usize,
    open_seats: usize,
}

impl Progress {
    /// Creates a match with these bots, by seat; None for open seats.
    pub(super) fn new(bots: Vec<Option<BotName>>, reservations: Vec<Option<Reservation>>) -> Self {
        let refused = bots.iter().map(|_| None).collect();
        let occupants = bots.into_iter().map(|bot| bot.map_or(SeatOccupant::Open, SeatOccupant::Bot));
        Self {
            occupants: occupants.collect(),
            reservations,
            refused,
            course: Course::default(),
            unwritten: (Vec::new(), None),
            changes: 0,
            debugging: None,
            has_bot_job: false,
            timer_entry: None,
        }
    }

    /// Continues a match that a store has, with its course.
    pub(super) fn resume(stored: &StoredMatch, course: Course) -> Self {
        let StoredMatch { head, seats, .. } = stored;
        let mut progress = Self { course, changes: 1, ..Self::new(head.bots.clone(), head.reservations.clone()) };
        for TakenSeat { seat, name, token, request } in seats {
            let (name, token, request) = (name.clone(), TokenHash(*token), *request);
            progress.occupants[seat.index()] = SeatOccupant::Agent { name, token, request };
        }
        progress
    }

    pub(super) fn occupants(&self) -> &[SeatOccupant] {
        &self.occupants
    }

    pub(super) fn referee(&self) -> Option<&Referee> {
        self.course.referee()
    }

    pub(super) fn referee_mut(&mut self) -> Option<&mut Referee> {
        self.course.referee_mut()
    }

    /// Returns the course of the match.
    pub(super) fn course(&self) -> &Course {
        &self.course
    }

    /// Returns the reason why the match ended; None before the end.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.course.ending()
    }

    /// Refuses a token that does not belong to `seat`.
    pub(super) fn authorize(&self, seat: Seat, token: TokenHash) -> Result<(), ApiError> {
        match &self.occupants[seat.index()] {
            SeatOccupant::Agent { token: own, .. } if *own == token => Ok(()),
            _ => Err(error::SEAT.wrong()),
        }
    }

    /// Returns the seat that a token belongs to.
    pub(super) fn seat_of(&self, asked: TokenHash) -> Option<Seat> {
        let is_own = |occupant: &SeatOccupant| matches!(occupant, SeatOccupant::Agent { token, .. } if *token == asked);
        self.occupants.iter().position(is_own).and_then(Seat::new)
    }

    /// Returns the seat that this request took.
    pub(super) fn joined_with(&self, asked: Option<Digest>) -> Option<Seat> {
        let took = |occupant: &SeatOccupant| match occupant {
            SeatOccupant::Agent { request, .. } => asked.is_some() && *request == asked,
            SeatOccupant::Open | SeatOccupant::Bot(_) => false,
        };
        self.occupants.iter().position(took).and_then(Seat::new)
    }

    /// Returns the reservation of a seat.
    pub(super) fn reservation(&self, seat: Seat) -> Option<&Reservation> {
        self.reservations.get(seat.index()).and_then(Option::as_ref)
    }

    /// Returns the seat that a player gets: the one that was asked for, or the lowest open one that the player may take,
    /// reserved ones first.
    pub(super) fn seat_for(&self, asked: Option<Seat>, joiner: &Joiner<'_>) -> Result<Seat, NoSeat> {
        let seats = || (0..self.occupants.len()).filter_map(Seat::new);
        let is_open = |seat: &Seat| matches!(self.occupants[seat.index()], SeatOccupant::Open);
        let may_take = |seat: &Seat| joiner.may_take(self.reservation(*seat));
        let mut candidates = seats().filter(|&seat| asked.is_none_or(|asked| asked == seat));
        if let Some(seat) = candidates
            .clone()
            .filter(is_open)
            .filter(may_take)
            .min_by_key(|&seat| (self.reservation(seat).is_none(), seat.index()))
        {
            return Ok(seat);
        }
        // The seat of an invitation code may be taken while others are open.
        let own_is_taken = joiner.code.is_some() && candidates.clone().any(|seat| may_take(&seat));
        match candidates.any(|seat| is_open(&seat)) && !own_is_taken {
            true => Err(NoSeat::Reserved),
            false => Err(NoSeat::Taken),
        }
    }

    /// Returns true if a seat is open, and the match has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.extent().open_seats > 0 && self.ending().is_none()
    }

    /// Gives an open seat to an agent.
    pub(super) fn seat_agent(&mut self, seat: Seat, joiner: &Joiner<'_>, token: TokenHash) {
        let (name, request) = (joiner.name.to_owned(), joiner.request.map(|request| request.id));
        self.unwritten.0.push(TakenSeat { seat, name: name.clone(), token: token.0, request });
        self.unwritten.1 = joiner.request;
        self.occupants[seat.index()] = SeatOccupant::Agent { name, token, request };
    }

    /// Notes the request that created the match.
    pub(super) fn created_by(&mut self, request: Option<Request>) {
        self.unwritten.1 = request;
    }

    /// Returns what has changed since the match had `written` entries, for the journal. The end is added by the caller.
    pub(super) fn take_change(&mut self, match_id: &Arc<str>, written: usize) -> Change {
        let (seats, request) = mem::take(&mut self.unwritten);
        Change {
            match_id: Arc::clone(match_id),
            seats,
            request,
            expected: written,
            entries: self.entries()[written..].to_vec(),
            state: self.course.state(),
            end: None,
        }
    }

    /// Returns the players, by seat; None if a seat is open.
    pub(super) fn players(&self) -> Option<Vec<SeatPlayer>> {
        self.occupants.iter().map(SeatOccupant::player).collect()
    }

    /// Returns true if an agent has a seat.
    pub(super) fn has_agents(&self) -> bool {
        self.occupants.iter().any(|occupant| matches!(occupant, SeatOccupant::Agent { .. }))
    }

    /// Begins play.
    pub(super) fn start(&mut self, referee: Referee) {
        self.course = Course::begun(referee);
    }

    /// Refuses a call for a match that has ended before it began, or that has not begun.
    fn started(&mut self, match_id: &str) -> Result<&mut Referee, ApiError> {
        let ending = self.ending();
        match (self.course.referee_mut(), ending) {
            (Some(referee), _) => Ok(referee),
            (None, Some(ending)) => Err(ApiError::ended(&ending, match_id)),
            (None, None) => Err(error::not_started(match_id)),
        }
    }

    /// Answers the decision of a seat in the match `match_id`, and lets quick bots go on. Any request may be sent twice: a
    /// refused one gets its error again, also if the seat has forfeited by it or the match has ended since.
    pub(super) fn step(
        &mut self,
        match_id: &str,
        seat: Seat,
        decision: u32,
        answer: Answer,
    ) -> Result<StepOutcome, ApiError> {
        let is_open = self.started(match_id)?.decision(seat) == Some(decision);
        let is_owed = is_open && self.referee().is_some_and(|referee| referee.owes(seat));
        let content = answer.content();
        if !is_owed
            && let Some(refused) = &self.refused[seat.index()]
            && (refused.decision, refused.content) == (decision, content)
        {
            return Err(refused.error.clone());
        }
        let outcome = self.take_answer(match_id, seat, decision, answer, is_open);
        if is_owed {
            let refused = |error: &ApiError| RefusedAnswer { decision, content, error: error.clone() };
            self.refused[seat.index()] = outcome.as_ref().err().map(refused);
        }
        outcome
    }

    /// Has the referee take an answer, to a decision that `is_open` or not, and lets quick bots go on.
    fn take_answer(
        &mut self,
        match_id: &str,
        seat: Seat,
        decision: u32,
        answer: Answer,
        is_open: bool,
    ) -> Result<StepOutcome, ApiError> {
        let referee = self.started(match_id)?;
        let refused = |error, id| ApiError::refused(error, id, match_id);
        let (cause, outcome) = match answer {
            Answer::Id(id) => {
                // No action has an id beyond 16 bits, nor the largest id of 16 bits.
                let outcome = referee.act(seat, decision, ActionId(u16::try_from(id).unwrap_or(u16::MAX)));
                (Cause::Illegal, outcome.map_err(|error| refused(error, id)))
            }
            Answer::Unreadable { content, error } => {
                let counted = referee.act_unreadably(seat, decision, &content);
                (Cause::Unreadable, Err(counted.map_or_else(|error| refused(error, 0), |()| error)))
            }
        };
        let outcome = outcome.map_err(|error| match error.reason {
            ErrorReason::IllegalAction | ErrorReason::UnknownAction | ErrorReason::BadAction if is_open => {
                let is_strike = referee.terms().conduct.consequence(cause) == Consequence::Strike;
                let strikes = referee.strikes(seat).filter(|_| is_strike);
                error.counted(strikes, referee.forfeits()[seat].is_some())
            }
            _ => error,
        });
        self.play_quick_bots();
        outcome
    }

    /// Resigns for a seat, and lets its stand-in play on. A seat that has forfeited gets the same answer.
    pub(super) fn resign(&mut self, match_id: &str, seat: Seat) -> Result<(), ApiError> {
        let referee = self.started(match_id)?;
        // The same request sent again gets the same answer, also after the end.
        if referee.forfeits()[seat].is_some() {
            return Ok(());
        }
        referee.resign(seat).map_err(|error| ApiError::refused(error, 0, match_id))?;
        self.play_quick_bots();
        Ok(())
    }

    /// Cancels a match that has not ended. The same request sent again gets the same answer.
    pub(super) fn cancel(&mut self, match_id: &str, reason: &str) -> Result<(), ApiError> {
        check_reason(reason)
            .and_then(|()| check_line("a reason", reason))
            .map_err(|error| ApiError::bad_field("reason", error))?;
        match self.ending() {
            None => {}
            Some(Ending::Cancelled(given)) if given == reason => return Ok(()),
            Some(ending) => return Err(ApiError::ended(&ending, match_id)),
        }
        match self.course.referee_mut() {
            Some(referee) => referee.cancel(reason).expect("the match has not ended"),
            None => self.course = Course::ended_early(Entry::Cancelled(reason.to_owned())),
        }
        Ok(())
    }

    /// Declares a match that has not ended as void, and takes back all entries after the first `kept`: the call that
    /// failed decides nothing.
    pub(super) fn void(&mut self, kept: usize, reason: &str) {
        let Some(referee) = self.course.referee_mut() else {
            // A match that has ended keeps its end.
            if self.ending().is_none() {
                self.course = Course::ended_early(Entry::Void(reason.to_owned()));
            }
            return;
        };
        let fold = || {
            let (setup, players, terms) =
                (referee.setup().clone(), referee.players().to_vec(), referee.terms().clone());
            Referee::fold(setup, referee.seed(), players, terms, &referee.entries()[..kept])
        };
        // Rules that fail even now leave the match as the failed call left it.
        if let Ok(Ok(folded)) = panic::catch_unwind(AssertUnwindSafe(fold))
            && folded.entries().len() == kept
        {
            *referee = folded;
        }
        // A match that has ended keeps its end.
        let _ = referee.void(reason);
    }

    /// Applies the consequence of a fault that is not an answer, and lets a stand-in play on.
    pub(super) fn fault(&mut self, seat: Seat, cause: Cause) {
        if let Some(referee) = self.course.referee_mut() {
            referee.fault(seat, cause);
            self.play_quick_bots();
        }
    }

    /// Declares that a seat forfeits, and lets its stand-in play on.
    pub(super) fn forfeit(&mut self, seat: Seat, cause: Cause) {
        if let Some(referee) = self.course.referee_mut() {
            referee.forfeit(seat, cause);
            self.play_quick_bots();
        }
    }

    /// Applies the answer of a bot, and lets quick bots go on.
    pub(super) fn answer_bot(&mut self, answer: BotAnswer) {
        if let Some(referee) = self.course.referee_mut() {
            referee.answer(answer);
            self.play_quick_bots();
        }
    }

    /// Plays the decisions of quick bots, up to a limit. The bot pool plays the others.
    pub(super) fn play_quick_bots(&mut self) {
        for _ in 0..MAX_INLINE_DECISIONS {
            match (self.bot_to_act(), self.course.referee_mut()) {
                (Some(bot), Some(referee)) if bot.is_quick() => referee.play_bot(),
                _ => return,
            }
        }
    }

    /// Returns the bot that has to make the next decision of a bot; None if there is none, or if it waits.
    pub(super) fn bot_to_act(&self) -> Option<BotName> {
        let referee = self.course.referee()?;
        let has_released = |seat| self.debugging.as_ref().is_none_or(|debugging| debugging.has_released(referee, seat));
        referee.bot_to_act().filter(|&(seat, _)| has_released(seat)).map(|(_, bot)| bot)
    }

    /// Returns the entries so far, with all secrets.
    pub(super) fn entries(&self) -> &[Entry] {
        self.course.entries()
    }

    pub(super) fn extent(&self) -> Extent {
        let is_open = |occupant: &&SeatOccupant| matches!(occupant, SeatOccupant::Open);
        Extent { entries: self.entries().len(), open_seats: self.occupants.iter().filter(is_open).count() }
    }
}

impl SeatOccupant {
    /// Returns the name of the player; empty for an open seat.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Open => String::new(),
            Self::Agent { name, .. } => name.clone(),
            Self::Bot(bot) => bot.name(),
        }
    }

    /// Returns the player; None for an open seat.
    fn player(&self) -> Option<SeatPlayer> {
        match self {
            Self::Open => None,
            Self::Agent { name, .. } => Some(SeatPlayer::external(name)),
            Self::Bot(bot) => Some(SeatPlayer::bot(*bot)),
        }
    }
}

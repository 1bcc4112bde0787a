//! The part of a match that changes, under the one lock of the match: its seats and its lifecycle.

mod deadlines;
mod description;

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::SystemTime;

use ahu_core::{ActionId, Seat, Viewer};
use ahu_host::api::ApiError;
use ahu_host::visible_text::check_line;
use ahu_host::{
    AnyRules, BotName, BotSeed, Cause, Consequence, Ending, Entry, MatchTime, Referee, SeatPlayer, StepOutcome,
    check_reason,
};
use prost::Message as _;

use super::observation::owed_decision;
use super::{Comments, MatchFacts, Presence, Supervisor, ViewerMatch};
use crate::accounts::Player;
use crate::admission::Lease;
use crate::lifecycle::Lifecycle;
use crate::limits::MAX_INLINE_DECISIONS;
use crate::matches::journal::Write;
use crate::proto::v1::ErrorReason;
use crate::refusals;
use crate::reservation::Joiner;
use crate::secrets::TokenHash;
use crate::store::{Change, MatchEnd, MatchHead, Request, TakenSeat, whole_ms};

/// The part of a match that changes: its seats, its lifecycle, its number of changes, and its jobs for timer and bot pool. It
/// is a value, which knows no thread and no other match. The match owns it under its one lock, which nobody holds across an
/// await or while a bot thinks. [`Self::transact`] changes it.
#[derive(Debug)]
pub(crate) struct LiveState {
    pub(crate) facts: Arc<MatchFacts>,
    seats: Vec<SeatState>,
    pub(crate) lifecycle: Lifecycle,
    /// The supervisor; None without one.
    pub(crate) supervisor: Option<Supervisor>,
    /// True if calls that wait have to look again, although nothing has to be written.
    pub(crate) has_news: bool,
    /// The match as the public is shown it, in a match with a delay; None until somebody looks.
    delayed: Option<Lifecycle>,
    /// The share of its creator, until the match ends.
    pub(crate) share: Lease,
    /// The comments of agents on their decisions.
    pub(crate) comments: Comments,
    /// The seats that agents took, and the request that the match answered, since the last change was written.
    unwritten: (Vec<TakenSeat>, Option<Request>),
    /// The number of changes that the journal was given.
    pub(crate) changes: u64,
    /// The time of the last change.
    pub(crate) changed_at: MatchTime,
    /// The time of day at which the match ended, in whole milliseconds.
    pub(crate) ended: Option<SystemTime>,
    /// The time at which the present transaction began.
    pub(crate) now: MatchTime,
    /// True while the bot pool has a job for this match.
    pub(crate) has_bot_job: bool,
    /// The time of the entry of this match in the timer, if it has one.
    pub(crate) timer_entry: Option<MatchTime>,
}

/// A seat of a match.
#[derive(Debug)]
pub(crate) struct SeatState {
    pub(crate) occupant: SeatOccupant,
    pub(crate) presence: Arc<Presence>,
    /// The last refused answer to an open decision. It is not stored: a folded match has none.
    refused: Option<RefusedAnswer>,
}

#[derive(Debug)]
pub(crate) enum SeatOccupant {
    Open,
    Agent(TakenSeat),
    Bot(BotName),
}

/// The answer of an agent to a decision.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The action with this id. The game need not have it.
    Id(u32),
    /// A content that is not an action, and the error that says why.
    Unreadable { content: Vec<u8>, error: ApiError },
}

/// A refused answer. It is kept so that the same request gets the same error once its decision is no longer open.
#[derive(Debug)]
struct RefusedAnswer {
    decision: u32,
    /// A hash of the answer.
    content: u64,
    error: ApiError,
}

impl Answer {
    /// Returns the answer as its author may read it.
    pub(crate) fn text(&self, rules: &dyn AnyRules) -> String {
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
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        match self {
            Self::Id(id) => hasher.hash_one((true, id)),
            Self::Unreadable { content, .. } => hasher.hash_one((false, content)),
        }
    }
}

impl LiveState {
    /// Creates a match with open seats and the bots of its head. `share` is the share of its creator; `request` is the
    /// request that it answers, if the request may be sent again.
    pub(crate) fn new(facts: Arc<MatchFacts>, share: Lease, request: Option<Request>) -> Self {
        let occupant = |bot: &Option<_>| bot.map_or(SeatOccupant::Open, SeatOccupant::Bot);
        let seat = |bot| SeatState { occupant: occupant(bot), presence: Arc::default(), refused: None };
        Self {
            seats: facts.head.bots.iter().map(seat).collect(),
            facts,
            lifecycle: Lifecycle::default(),
            supervisor: None,
            has_news: false,
            delayed: None,
            share,
            comments: Comments::default(),
            unwritten: (Vec::new(), request),
            changes: 0,
            changed_at: MatchTime(0),
            ended: None,
            now: MatchTime(0),
            has_bot_job: false,
            timer_entry: None,
        }
    }

    /// Creates a match from a store. It last changed at `changed_at`, and its agents are present `now`.
    pub(crate) fn resume(
        facts: Arc<MatchFacts>,
        seats: Vec<TakenSeat>,
        (lifecycle, comments): (Lifecycle, Comments),
        (changed_at, now): (MatchTime, MatchTime),
    ) -> Self {
        let new = Self::new(facts, Lease::default(), None);
        let mut state = Self { lifecycle, comments, changes: 1, changed_at, now, ..new };
        for taken in seats {
            state.occupy(taken);
        }
        state
    }

    /// Puts an agent on the seat that it took.
    fn occupy(&mut self, taken: TakenSeat) {
        let state = &mut self.seats[taken.seat.index()];
        state.presence.join(self.now);
        state.occupant = SeatOccupant::Agent(taken);
    }

    pub(crate) fn seat(&self, seat: Seat) -> &SeatState {
        &self.seats[seat.index()]
    }

    pub(crate) fn referee(&self) -> Option<&Referee> {
        self.lifecycle.referee()
    }

    /// Returns the reason why the match ended; None before the end.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.lifecycle.ending()
    }

    /// Returns the match as `viewer` may be shown it now. A match may fix a delay for the public.
    pub(crate) fn for_viewer(&mut self, viewer: Viewer) -> ViewerMatch<'_> {
        let public = match self.lifecycle.referee() {
            Some(referee) if viewer == Viewer::Public && self.facts.head.spectator_delay > 0 && !referee.is_over() => {
                let entries = &referee.entries()[..self.public_entries(referee)];
                let delayed = self.delayed.get_or_insert_with(|| self.lifecycle.rewound());
                let shown = delayed.entries().len();
                entries[shown..].iter().for_each(|entry| delayed.follow(entry));
                Some(&*delayed)
            }
            _ => None,
        };
        ViewerMatch { facts: &self.facts, lifecycle: public.unwrap_or(&self.lifecycle), viewer, now: Some(self.now) }
    }

    /// Returns the number of entries that the public may be shown. In a match with a delay, these are the entries before the
    /// last public events.
    pub(crate) fn public_entries(&self, referee: &Referee) -> usize {
        let delay = self.facts.head.spectator_delay as usize;
        if delay == 0 || referee.is_over() {
            return referee.entries().len();
        }
        let shown = referee.event_count(Viewer::Public).saturating_sub(delay);
        referee.entries_before_event(Viewer::Public, shown + 1)
    }

    /// Refuses a token that does not belong to `seat`.
    pub(crate) fn authorize(&self, seat: Seat, token: TokenHash) -> Result<(), ApiError> {
        let is_own = self.seat(seat).taken().is_some_and(|taken| taken.token == token.0);
        if is_own { Ok(()) } else { Err(refusals::SEAT.wrong()) }
    }

    /// Returns the seats that agents took.
    pub(crate) fn taken(&self) -> impl Iterator<Item = &TakenSeat> {
        self.seats.iter().filter_map(SeatState::taken)
    }

    /// Returns the account and the key with which a seat was taken; None for a player without a key.
    pub(crate) fn player(&self, seat: Seat) -> Option<Player> {
        self.seat(seat).taken()?.player
    }

    /// Returns the seat that a token belongs to.
    pub(crate) fn seat_of(&self, token: TokenHash) -> Option<Seat> {
        self.taken().find(|taken| taken.token == token.0).map(|taken| taken.seat)
    }

    /// Returns the number of the decision for which the player of a seat is asked; None if the player is not asked. A
    /// supervisor may hold the decision.
    pub(crate) fn asked(&self, seat: Seat) -> Option<u32> {
        let referee = self.referee()?;
        owed_decision(referee, seat).filter(|_| self.has_released(referee, seat))
    }

    /// Returns the seat that a player gets: the seat `asked` for, or the lowest open seat that the player may take, reserved
    /// seats first.
    pub(crate) fn seat_for(&self, asked: Option<Seat>, joiner: &Joiner<'_>) -> Result<Seat, ApiError> {
        let owner = joiner.player.map(|player| player.account).filter(|_| self.facts.head.has_distinct_owners);
        let has_owner = |taken: &TakenSeat| owner.is_some() && taken.player.map(|player| player.account) == owner;
        if self.taken().any(has_owner) {
            return Err(refusals::same_owner(&self.facts.head.id, asked.map(Seat::index)));
        }
        let is_open = |&seat: &Seat| matches!(self.seat(seat).occupant, SeatOccupant::Open);
        let may_take = |&seat: &Seat| joiner.may_take(self.facts.reservation(seat));
        let candidates =
            || self.facts.head.setup.seats().iter().filter(|&seat| asked.is_none_or(|asked| asked == seat));
        let rank = |seat: &Seat| (self.facts.reservation(*seat).is_none(), seat.index());
        if let Some(seat) = candidates().filter(is_open).filter(may_take).min_by_key(rank) {
            return Ok(seat);
        }
        // The seat of an invitation code may be taken while others are open.
        let own_is_taken = joiner.code.is_some() && candidates().any(|seat| may_take(&seat));
        let is_reserved = candidates().any(|seat| is_open(&seat)) && !own_is_taken;
        let refuse = if is_reserved { refusals::seat_reserved } else { refusals::seat_taken };
        Err(refuse(&self.facts.head.id, asked.map(Seat::index)))
    }

    /// Returns true if a seat is open, and the match has not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.extent().1 > 0 && self.ending().is_none()
    }

    /// Gives an open seat to an agent.
    pub(crate) fn seat_agent(&mut self, seat: Seat, joiner: &Joiner<'_>, token: TokenHash) {
        let (name, request) = (joiner.name.to_owned(), joiner.request.map(|request| request.id));
        let at = whole_ms(SystemTime::now());
        let agent = TakenSeat { seat, name, token: token.0, request, player: joiner.player, at };
        self.unwritten.0.push(agent.clone());
        self.unwritten.1 = joiner.request;
        self.occupy(agent);
    }

    /// Returns the change since the match had this extent, for the journal. `has_ended` is true if it has ended since.
    pub(crate) fn write(&mut self, (written, _, was_sealed): (usize, usize, bool), has_ended: bool) -> Write {
        let unseals = was_sealed && !self.facts.is_sealed();
        let end = (has_ended || unseals && self.ending().is_some()).then(|| {
            // A lost description can be made again from the entries.
            let described = panic::catch_unwind(AssertUnwindSafe(|| self.description()));
            let encoded = described.map(|mut description| {
                // The presence of agents ends with their match.
                description.seats.iter_mut().for_each(|seat| seat.present = false);
                description.encode_to_vec()
            });
            MatchEnd { at: self.now, description: encoded.unwrap_or_default() }
        });
        let (seats, request) = mem::take(&mut self.unwritten);
        let change = Change {
            match_id: Arc::clone(&self.facts.head.id),
            seats,
            request,
            expected: written,
            entries: self.entries()[written..].to_vec(),
            comments: self.comments.take_unwritten(),
            state: self.lifecycle.state(),
            unseals,
            end,
        };
        let head = (self.changes == 1).then(|| Arc::clone(&self.facts.head));
        Write { head, change, number: self.changes, wakes: !self.has_agents() }
    }

    /// Returns true if an agent has a seat.
    pub(crate) fn has_agents(&self) -> bool {
        self.taken().next().is_some()
    }

    /// Begins play if all seats are taken.
    pub(crate) fn start_if_full(&mut self) {
        if let Some(players) = self.seats.iter().map(|seat| seat.occupant.player()).collect::<Option<Vec<_>>>() {
            let MatchHead { setup, seed, terms, .. } = &*self.facts.head;
            let referee = Referee::fold(setup.clone(), *seed, players, terms.clone(), &self.facts.beginning);
            let referee = referee.expect("the beginning was checked when the match was hosted");
            self.lifecycle = Lifecycle::begun(referee.with_bot_seed(BotSeed::new(*seed, self.facts.game)));
        }
    }

    /// Answers the decision of a seat, and plays on with quick bots. A request may be sent twice: a refused answer gets its
    /// error again, even if the seat has forfeited by it or the match has ended since.
    pub(crate) fn step(&mut self, seat: Seat, decision: u32, answer: Answer) -> Result<StepOutcome, ApiError> {
        let match_id = &*self.facts.head.id;
        let referee = self.lifecycle.started_mut(match_id)?;
        let is_open = referee.decision(seat) == Some(decision);
        let is_owed = is_open && referee.owes(seat);
        let content = answer.content();
        let last_refused = &mut self.seats[seat.index()].refused;
        if !is_owed
            && let Some(refused) = last_refused
            && (refused.decision, refused.content) == (decision, content)
        {
            return Err(refused.error.clone());
        }
        let refused = |error, id| ApiError::refused(error, id, match_id);
        let (cause, outcome) = match answer {
            Answer::Id(id) => {
                // No action has an id above 16 bits, and no action has the largest id of 16 bits.
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
        if is_owed {
            let refused = |error: &ApiError| RefusedAnswer { decision, content, error: error.clone() };
            *last_refused = outcome.as_ref().err().map(refused);
        }
        self.play_quick_bots();
        outcome
    }

    /// Answers the decision of a seat, as [`Self::step`] does, with a comment on it. Of an answer that is sent again, the first
    /// comment counts. A comment that is refused is an answer that is not carried out.
    pub(crate) fn step_with(
        &mut self,
        seat: Seat,
        decision: u32,
        answer: Answer,
        comment: String,
    ) -> Result<StepOutcome, ApiError> {
        if self.asked(seat) == Some(decision) {
            self.comments.check(seat, &comment)?;
        }
        let outcome = self.step(seat, decision, answer)?;
        if !outcome.replayed {
            self.comments.add(seat, decision, comment);
        }
        Ok(outcome)
    }

    /// Resigns for a seat; its stand-in plays on. A seat that has forfeited already gets the same response.
    pub(crate) fn resign(&mut self, seat: Seat) -> Result<(), ApiError> {
        let match_id = &self.facts.head.id;
        let referee = self.lifecycle.started_mut(match_id)?;
        // A request that is sent again gets the same response, even after the end.
        if referee.forfeits()[seat].is_some() {
            return Ok(());
        }
        referee.resign(seat).map_err(|error| ApiError::refused(error, 0, match_id))?;
        self.play_quick_bots();
        Ok(())
    }

    /// Cancels a match that has not ended. A request that is sent again gets the same response.
    pub(crate) fn cancel(&mut self, reason: &str) -> Result<(), ApiError> {
        check_reason(reason)
            .and_then(|()| check_line("a reason", reason))
            .map_err(|error| ApiError::bad_field("reason", error))?;
        match self.ending() {
            None => {}
            Some(Ending::Cancelled(_)) => return Ok(()),
            Some(ending) => return Err(ApiError::ended(&ending, &self.facts.head.id)),
        }
        match self.lifecycle.referee_mut() {
            Some(referee) => referee.cancel(reason).expect("the match has not ended"),
            None => self.lifecycle = Lifecycle::ended_early(Entry::Cancelled(reason.to_owned())),
        }
        Ok(())
    }

    /// Declares a match that has not ended as void, and takes back all entries after the first `kept`. So a call that failed
    /// decides nothing.
    pub(crate) fn void(&mut self, kept: usize, reason: &str) {
        self.comments.forget_unwritten();
        let fold = || {
            let mut lifecycle = self.lifecycle.rewound();
            self.entries()[..kept].iter().for_each(|entry| lifecycle.follow(entry));
            lifecycle
        };
        // If the rules fail even now, the match stays as the failed call left it.
        if let Ok(lifecycle) = panic::catch_unwind(AssertUnwindSafe(fold)) {
            self.lifecycle = lifecycle;
        }
        // A match that has ended keeps its end.
        if let Some(referee) = self.lifecycle.referee_mut() {
            drop(referee.void(reason));
        } else if self.ending().is_none() {
            self.lifecycle = Lifecycle::ended_early(Entry::Void(reason.to_owned()));
        }
    }

    /// Changes a match that has begun. Quick bots and stand-ins play on.
    pub(crate) fn go_on(&mut self, change: impl FnOnce(&mut Referee)) {
        if let Some(referee) = self.lifecycle.referee_mut() {
            change(referee);
            self.play_quick_bots();
        }
    }

    /// Plays the decisions of quick bots, up to a limit. The bot pool plays all others.
    pub(crate) fn play_quick_bots(&mut self) {
        for _ in 0..MAX_INLINE_DECISIONS {
            match (self.bot_to_act(), self.lifecycle.referee_mut()) {
                (Some(bot), Some(referee)) if bot.is_quick() => referee.play_bot(),
                _ => return,
            }
        }
    }

    /// Returns the bot whose decision is due; None if no bot is to act, or if the decision is held.
    pub(crate) fn bot_to_act(&self) -> Option<BotName> {
        let referee = self.lifecycle.referee()?;
        referee.bot_to_act().filter(|&(seat, _)| self.has_released(referee, seat)).map(|(_, bot)| bot)
    }

    /// Returns the entries so far, with all secrets.
    pub(crate) fn entries(&self) -> &[Entry] {
        self.lifecycle.entries()
    }

    /// Returns the number of entries, the number of open seats, and true while the match is sealed. Every change that is
    /// written changes one of them.
    pub(crate) fn extent(&self) -> (usize, usize, bool) {
        let is_open = |seat: &&SeatState| matches!(seat.occupant, SeatOccupant::Open);
        (self.entries().len(), self.seats.iter().filter(is_open).count(), self.facts.is_sealed())
    }
}

impl SeatState {
    /// Returns the agent on the seat; None for an open seat and a bot.
    pub(crate) fn taken(&self) -> Option<&TakenSeat> {
        match &self.occupant {
            SeatOccupant::Agent(taken) => Some(taken),
            SeatOccupant::Open | SeatOccupant::Bot(_) => None,
        }
    }
}

impl SeatOccupant {
    /// Returns the name of the player; empty for an open seat.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Open => String::new(),
            Self::Agent(taken) => taken.name.clone(),
            Self::Bot(bot) => bot.name(),
        }
    }

    /// Returns the player; None for an open seat.
    fn player(&self) -> Option<SeatPlayer> {
        match self {
            Self::Open => None,
            Self::Agent(taken) => Some(SeatPlayer::external(&taken.name)),
            Self::Bot(bot) => Some(SeatPlayer::bot(*bot)),
        }
    }
}

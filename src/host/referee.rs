//! The referee: decisions, their answers, and the consequences of illegal play.
//!
//! A match is the fold of its entries. The referee has no clock: a caller with a clock sets the time before each call
//! ([`Referee::set_time`]), starts the clocks of decisions when they are available to their players, and calls
//! [`Referee::expire`] when a deadline has passed. The referee knows who plays each seat and names the bot decision that is due, but never
//! computes one: that is the work of its host, which may do it on another thread.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU8;

use super::any_game::{AnyEvent, AnyGame, AnyView, BotChoice, SettleError};
use super::bots::{BotName, BotSeed};
use super::clock::{Clocks, MatchTime, ThinkingTime, TimeControl};
use super::conduct::{Cause, Consequence, Ending, Terms, check_reason};
use super::log::{DecidedBy, Entry};
use super::player::SeatPlayer;
use super::record::{MatchResult, Record, result};
use super::rules::Setup;
use crate::core::{
    ActionId, ActionSet, BySeat, ChanceRng, Fingerprint, MAX_SEATS, PlayError, Seat, SeatSet, Seed, Turn, Viewer,
};

/// The answer to an applied action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOutcome {
    /// The number of the answered decision, counted from 1 for each seat.
    pub decision: u32,
    /// The action.
    pub id: ActionId,
    /// True if the answer repeats that of an earlier, identical request.
    pub replayed: bool,
}

/// The reason why an action was not applied. The match does not change, except for a strike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The game refuses the action.
    Play(PlayError),
    /// The decision already has an answer, with another action.
    Taken {
        /// The number of the decision.
        decision: u32,
        /// The action that answered it.
        id: ActionId,
    },
    /// Another decision is open.
    Stale {
        /// The number of the decision in the request.
        decision: u32,
        /// The number of the open decision.
        open: u32,
    },
    /// The seat has forfeited.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// The reason.
        cause: Cause,
    },
    /// A bot plays the seat.
    PlayedByBot(Seat),
    /// The match was cancelled or is void.
    Ended(Ending),
    /// The terms of the match refuse a resignation.
    NoResignation,
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play(error) => error.fmt(f),
            Self::Taken { decision, id } => write!(f, "decision {decision} is already answered with action {id}"),
            Self::Stale { decision, open } => {
                write!(f, "expected an answer to decision {open}, got one to decision {decision}")
            }
            Self::Forfeited { seat, cause } => {
                write!(f, "seat {seat} has forfeited ({cause}); a stand-in plays for it")
            }
            Self::PlayedByBot(seat) => write!(f, "a bot plays seat {seat}"),
            Self::Ended(Ending::Finished) => f.write_str("the match is finished"),
            Self::Ended(Ending::Cancelled(reason)) => write!(f, "the match was cancelled: {reason}"),
            Self::Ended(Ending::Void(reason)) => write!(f, "the match is void: {reason}"),
            Self::NoResignation => f.write_str("the terms of the match do not allow a resignation"),
        }
    }
}

impl std::error::Error for StepError {}

/// An entry that does not follow from those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryError {
    /// The ply of the entry, counted from 1; for an entry that is no ply, the ply before it.
    pub ply: u32,
    /// The reason of the refusal.
    pub reason: String,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {} is impossible: {}", self.ply, self.reason)
    }
}

impl std::error::Error for EntryError {}

/// A decision that a bot has to make.
pub struct BotDecision {
    seat: Seat,
    bot: BotName,
    decision: u32,
    choice: BotChoice,
}

impl BotDecision {
    /// Computes the choice of the bot. A bot that plans may take milliseconds.
    pub fn choose(self) -> BotAnswer {
        BotAnswer { seat: self.seat, bot: self.bot, decision: self.decision, id: (self.choice)() }
    }
}

impl fmt::Debug for BotDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BotDecision(seat {}, decision {})", self.seat, self.decision)
    }
}

/// The answer of a bot to its decision: see [`Referee::answer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotAnswer {
    seat: Seat,
    bot: BotName,
    decision: u32,
    id: ActionId,
}

/// An event and its ply.
#[derive(Debug)]
pub struct PlyEvent {
    /// The ply, counted from 1.
    pub ply: u32,
    /// The event.
    pub event: Box<dyn AnyEvent>,
}

/// A match in progress.
#[derive(Debug)]
pub struct Referee {
    setup: Setup,
    players: Vec<SeatPlayer>,
    terms: Terms,
    game: Box<dyn AnyGame>,
    chance: ChanceRng,
    bot_seed: BotSeed,
    /// The bot that plays for seats that have forfeited.
    stand_in: BotName,
    clocks: Clocks,
    now: MatchTime,
    /// The banks as each seat may see them, and last as the public may: those after the last event that it was told.
    shown_banks: [BySeat<Option<u32>>; MAX_SEATS + 1],
    entries: Vec<Entry>,
    events: Vec<PlyEvent>,
    /// The number of events that each seat has been told of, and last that of the public.
    event_counts: [usize; MAX_SEATS + 1],
    plies: u32,
    seats: BySeat<SeatLog>,
    /// The end of a match that was cancelled or is void.
    stopped: Option<Ending>,
}

/// The referee's notes about a seat.
#[derive(Clone, Copy, Debug, Default)]
struct SeatLog {
    answered: u32,
    /// The last decision that the player answered, and the action.
    receipt: Option<(u32, ActionId)>,
    /// The refused calls for the open decision. They are not entries: a folded match counts them anew.
    refused: Refused,
    strikes: u8,
    forfeited: Option<Cause>,
}

/// The refused calls for one decision.
#[derive(Clone, Copy, Debug, Default)]
struct Refused {
    decision: u32,
    tries: u16,
    /// The last refused action that counted: a hash of it, and its time.
    last: Option<(u64, MatchTime)>,
}

/// The time within which a call that repeats a refused action does not count, in milliseconds: an agent that lost an
/// answer sends its request again.
const REPEAT: u64 = 2_000;

impl Referee {
    /// Starts a match and plays chance until a seat has to decide.
    ///
    /// # Panics
    /// If the numbers of players and seats differ, or those of clocks and seats.
    pub fn new(setup: Setup, seed: Seed, players: Vec<SeatPlayer>, terms: impl Into<Terms>) -> Self {
        let mut referee = Self::before_the_first_ply(setup, seed, players, terms);
        referee.settle_chance();
        referee
    }

    /// Returns the match that has these entries. It goes on exactly as the match that wrote them.
    ///
    /// # Panics
    /// Like [`Self::new`].
    pub fn fold(
        setup: Setup,
        seed: Seed,
        players: Vec<SeatPlayer>,
        terms: impl Into<Terms>,
        entries: &[Entry],
    ) -> Result<Self, EntryError> {
        let mut referee = Self::before_the_first_ply(setup, seed, players, terms);
        entries.iter().try_for_each(|entry| referee.apply(entry))?;
        // The entries may end within a step: its last part is played again.
        if let Some(&Entry::Strike { seat, cause, .. }) = entries.last() {
            referee.forfeit_by_strikes(seat, cause);
        }
        referee.settle_chance();
        Ok(referee)
    }

    /// Creates a match without entries.
    pub(super) fn before_the_first_ply(
        setup: Setup,
        seed: Seed,
        players: Vec<SeatPlayer>,
        terms: impl Into<Terms>,
    ) -> Self {
        let (terms, seats) = (terms.into(), setup.seats());
        assert_eq!(players.len(), seats.count(), "expected a player for each seat");
        assert!([0, seats.count()].contains(&terms.clocks.len()), "expected a clock for each seat, or none");
        let control = |seat: Seat| {
            if players[seat.index()].bot.is_some() {
                return TimeControl::default();
            }
            let control = terms.clocks.get(seat.index()).copied().unwrap_or_default();
            let idle = terms.idle.filter(|_| !control.has_limit());
            TimeControl { limit: control.limit.or(idle), ..control }
        };
        let clocks = Clocks::new(&BySeat::from_fn(seats, control));
        Self {
            game: setup.game(),
            seats: BySeat::new(seats, SeatLog::default()),
            stand_in: terms.stand_in_of(setup.rules()),
            shown_banks: [clocks.banks(); MAX_SEATS + 1],
            clocks,
            now: MatchTime::default(),
            setup,
            players,
            terms,
            chance: ChanceRng::new(seed),
            bot_seed: BotSeed::new(seed, 0),
            entries: Vec::new(),
            events: Vec::new(),
            event_counts: [0; MAX_SEATS + 1],
            plies: 0,
            stopped: None,
        }
    }

    /// Replaces the bot seed, so that several games with one seed do not repeat each other.
    #[must_use]
    pub fn with_bot_seed(self, bot_seed: BotSeed) -> Self {
        Self { bot_seed, ..self }
    }

    /// Returns the rules, seats, and options of the match.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the seed of the match. Players must not learn it before the end.
    pub fn seed(&self) -> Seed {
        self.chance.seed()
    }

    /// Returns the players, by seat.
    pub fn players(&self) -> &[SeatPlayer] {
        &self.players
    }

    /// Returns the terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Returns the bot that plays on for seats that have forfeited.
    pub fn stand_in(&self) -> BotName {
        self.stand_in
    }

    /// Sets the time of the calls that follow: the time at which a request arrived, or the present time.
    pub fn set_time(&mut self, now: MatchTime) {
        self.now = now;
    }

    /// Starts the clocks of all open decisions of external players, which are available to them from now on.
    pub fn start_clocks(&mut self) {
        let external = self.to_act().iter().filter(|&seat| self.owes(seat)).collect();
        self.clocks.start(external, self.now);
    }

    /// Returns the time at which the time of `seat` ends; None if it burns none, or without a limit.
    pub fn deadline(&self, seat: Seat) -> Option<MatchTime> {
        self.owes(seat).then(|| self.clocks.deadline(seat)).flatten()
    }

    /// Returns the time from which the open decision of `seat` was available to it; None if it has none, or before its
    /// clock starts.
    pub fn available_since(&self, seat: Seat) -> Option<MatchTime> {
        self.clocks.since(seat)
    }

    /// Returns the time that is left for the open decision of `seat` at `now`, in milliseconds, with its free time; all
    /// of it before its clock starts. None without a limit, and for a seat whose external player does not
    /// have to decide.
    pub fn time_left(&self, seat: Seat, now: MatchTime) -> Option<u32> {
        self.owes(seat).then(|| self.clocks.left(seat, now)).flatten()
    }

    /// Returns true if the external player of `seat` has to decide.
    pub fn owes(&self, seat: Seat) -> bool {
        self.to_act().contains(seat) && self.bot(seat).is_none()
    }

    /// Returns the first deadline of all seats.
    pub fn next_deadline(&self) -> Option<MatchTime> {
        self.setup.seats().iter().filter_map(|seat| self.deadline(seat)).min()
    }

    /// Returns the time that is left in the bank of each seat, in milliseconds, as `viewer` may see it: as of the last
    /// event that it was told, and its own as of its last answer. None: no bank.
    pub fn banks(&self, viewer: Viewer) -> BySeat<Option<u32>> {
        let now = self.clocks.banks();
        BySeat::from_fn(self.setup.seats(), |seat| match viewer == Viewer::Seat(seat) {
            true => now[seat],
            false => self.shown_banks[place(viewer)][seat],
        })
    }

    /// Returns the seats that have to decide; none in a match that has ended.
    pub fn to_act(&self) -> SeatSet {
        match self.stopped {
            Some(_) => SeatSet::EMPTY,
            None => self.game.turn().to_act(),
        }
    }

    /// Returns the number of the decision that `seat` has to make, counted from 1 for each seat; None if there is
    /// none.
    pub fn decision(&self, seat: Seat) -> Option<u32> {
        self.to_act().contains(seat).then(|| self.seats[seat].answered + 1)
    }

    /// Returns the first seat with a bot that has to decide, and the bot. A stand-in is a bot too.
    pub fn bot_to_act(&self) -> Option<(Seat, BotName)> {
        self.to_act().iter().find_map(|seat| Some((seat, self.bot(seat)?)))
    }

    /// Returns the bot decision that is due, to be computed and then given to [`Self::answer`].
    pub fn due_bot(&self) -> Option<BotDecision> {
        let (seat, bot) = self.bot_to_act()?;
        let decision = self.decision(seat)?;
        Some(BotDecision { seat, bot, decision, choice: self.choice_of(bot, seat)? })
    }

    /// Returns the choice that `bot` makes for the open decision of `seat`, as work to be done; None if the seat has no
    /// decision. The bot need not play the seat.
    pub fn choice_of(&self, bot: BotName, seat: Seat) -> Option<BotChoice> {
        let decision = self.decision(seat)?;
        Some(self.game.bot_choice(bot, seat, self.bot_seed.rng(seat, decision)))
    }

    /// Returns the legal actions of `seat`.
    pub fn legal_actions(&self, seat: Seat) -> ActionSet {
        self.game.legal_actions(seat)
    }

    /// Returns the shown view of `viewer`.
    pub fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.game.view(viewer)
    }

    /// Returns all events, in order.
    pub fn events(&self) -> &[PlyEvent] {
        &self.events
    }

    /// Returns the number of events that `viewer` has been told of.
    pub fn event_count(&self, viewer: Viewer) -> usize {
        self.event_counts[place(viewer)]
    }

    /// Returns the events that `viewer` was told after the first `after` of them, at most `max`, oldest first. Each
    /// has its number, counted from 1 for each viewer.
    pub fn events_after(&self, viewer: Viewer, after: usize, max: usize) -> Vec<(usize, &PlyEvent)> {
        // The search begins at the end, since most callers lack only the newest events.
        let event = self.events.iter().rev().filter(|event| event.event.is_visible_to(viewer));
        let numbers = (after + 1..=self.event_count(viewer)).rev();
        let mut events: Vec<_> = numbers.zip(event).collect();
        events.reverse();
        events.truncate(max);
        events
    }

    /// Returns the number of decisions taken for `seat`.
    pub fn answered(&self, seat: Seat) -> u32 {
        self.seats[seat].answered
    }

    /// Returns the seats that have forfeited.
    pub fn forfeited(&self) -> SeatSet {
        self.setup.seats().iter().filter(|&seat| self.seats[seat].forfeited.is_some()).collect()
    }

    /// Returns the reason of each forfeit, by seat.
    pub fn forfeits(&self) -> BySeat<Option<Cause>> {
        self.seats.map(|log| log.forfeited)
    }

    /// Returns the strikes of `seat` and the number with which it forfeits; None in a match without strikes.
    pub fn strikes(&self, seat: Seat) -> Option<(u8, NonZeroU8)> {
        let conduct = &self.terms.conduct;
        conduct.has_strikes().then(|| (self.seats[seat].strikes, conduct.strikes))
    }

    /// Returns the entries so far, with all secrets.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the number of plies so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the fingerprint of the state.
    pub fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
    }

    /// Answers a decision of an external player. Any request may be sent twice: the same answer again returns the same
    /// receipt, and the same illegal action again within two seconds does not count again. An answer that arrives after
    /// its deadline is a timeout.
    pub fn act(&mut self, seat: Seat, decision: u32, id: ActionId) -> Result<StepOutcome, StepError> {
        if let Some((_, given)) = self.seats[seat].receipt.filter(|&(answered, _)| answered == decision) {
            return match given == id {
                true => Ok(StepOutcome { decision, id, replayed: true }),
                false => Err(StepError::Taken { decision, id: given }),
            };
        }
        self.refuse_unless_open(seat, decision)?;
        if let Err(error) = self.play(seat, id) {
            if matches!(error, PlayError::NoSuchAction { .. } | PlayError::Illegal { .. }) {
                // A strike names only an action that the game has.
                let known = Some(id).filter(|&id| self.setup.rules().action_text(id).is_some());
                self.count_refused(seat, decision, Cause::Illegal, known, &id);
            }
            return Err(StepError::Play(error));
        }
        self.settle_chance();
        Ok(StepOutcome { decision, id, replayed: false })
    }

    /// Counts an answer whose `content` is not an action, if the seat has to decide. An error says why the seat has no
    /// such decision.
    pub fn act_unreadably(&mut self, seat: Seat, decision: u32, content: &[u8]) -> Result<(), StepError> {
        self.refuse_unless_open(seat, decision)?;
        if self.to_act().contains(seat) {
            self.count_refused(seat, decision, Cause::Unreadable, None, &content);
        }
        Ok(())
    }

    /// Resigns for a seat, which forfeits.
    pub fn resign(&mut self, seat: Seat) -> Result<(), StepError> {
        self.refuse_unless_going(seat)?;
        match self.terms.conduct.resigned {
            Consequence::Refusal => Err(StepError::NoResignation),
            Consequence::Strike | Consequence::Forfeit => {
                self.forfeit(seat, Cause::Resigned);
                Ok(())
            }
        }
    }

    /// Applies the consequence of a fault that is not an answer: an exit, or an absence. Faults of bots, and of seats that
    /// have forfeited, have none, nor has an absence without an agreed limit or of a seat that does not have to decide.
    pub fn fault(&mut self, seat: Seat, cause: Cause) {
        let has_absence = self.terms.conduct.absence_limit.is_some() && self.owes(seat);
        if self.refuse_unless_going(seat).is_ok() && (cause != Cause::Absent || has_absence) {
            self.punish(seat, cause, None);
        }
    }

    /// Applies the consequences of all deadlines before the present time.
    pub fn expire(&mut self) {
        for seat in self.setup.seats().iter() {
            self.expire_seat(seat);
        }
    }

    /// Cancels a match that has not ended.
    ///
    /// # Panics
    /// If [`check_reason`] refuses the reason.
    pub fn cancel(&mut self, reason: &str) -> Result<(), StepError> {
        self.stop(Ending::Cancelled(reason.to_owned()))
    }

    /// Declares a match that has not ended as void by a fault of the server.
    ///
    /// # Panics
    /// Like [`Self::cancel`].
    pub fn void(&mut self, reason: &str) -> Result<(), StepError> {
        self.stop(Ending::Void(reason.to_owned()))
    }

    fn stop(&mut self, ending: Ending) -> Result<(), StepError> {
        if let Some(ending) = self.ending() {
            return Err(StepError::Ended(ending));
        }
        let (reason, entry): (_, fn(String) -> Entry) = match &ending {
            Ending::Void(reason) => (reason, Entry::Void),
            Ending::Cancelled(reason) => (reason, Entry::Cancelled),
            Ending::Finished => unreachable!("a game finishes by itself"),
        };
        check_reason(reason).unwrap_or_else(|error| panic!("{error}"));
        self.entries.push(entry(reason.clone()));
        self.stopped = Some(ending);
        Ok(())
    }

    /// Applies the answer of a bot. An answer changes nothing if its decision is no longer open, or if another bot, such
    /// as a stand-in, has taken the seat.
    ///
    /// # Panics
    /// If the answer belongs to another match, in which another action was legal.
    pub fn answer(&mut self, answer: BotAnswer) {
        let BotAnswer { seat, bot, decision, id } = answer;
        if self.bot(seat) == Some(bot) && self.decision(seat) == Some(decision) {
            self.play(seat, id).expect("a bot plays legal actions");
            self.settle_chance();
        }
    }

    /// Computes and applies the decisions of bots until an external player has to decide or the game is over.
    pub fn play_bots(&mut self) {
        while self.bot_to_act().is_some() {
            self.play_bot();
        }
    }

    /// Computes and applies the bot decision that is due, if there is one.
    pub fn play_bot(&mut self) {
        if let Some(due) = self.due_bot() {
            self.answer(due.choose());
        }
    }

    /// Declares that a seat forfeits. A stand-in plays on for it, so that the others can finish.
    pub fn forfeit(&mut self, seat: Seat, cause: Cause) {
        if self.seats[seat].forfeited.is_none() && !self.is_over() {
            self.note_forfeit(seat, cause);
        }
    }

    /// Returns true if the match has ended: the game is over, or the match was cancelled or is void.
    pub fn is_over(&self) -> bool {
        self.stopped.is_some() || self.game.turn() == Turn::Over
    }

    /// Returns the reason why the match ended; None before the end.
    pub fn ending(&self) -> Option<Ending> {
        match &self.stopped {
            Some(ending) => Some(ending.clone()),
            None => (self.game.turn() == Turn::Over).then_some(Ending::Finished),
        }
    }

    /// Returns the result of the match; None before the end, and for a match that was cancelled or is void.
    pub fn result(&self) -> Option<MatchResult> {
        (self.ending() == Some(Ending::Finished)).then(|| result(&*self.game, self.forfeits()))
    }

    /// Returns the match so far as a record. It contains all secrets, so nobody may see it before the end.
    pub fn record(&self) -> Record {
        Record {
            setup: self.setup.clone(),
            options: self.setup.options().into_iter().map(|(key, _)| key).collect(),
            layout: self.setup.rules().layout().hash(),
            seed: self.seed(),
            terms: Terms { stand_in: Some(self.stand_in), ..self.terms.clone() },
            players: self.players.clone(),
            entries: self.entries.clone(),
            ending: self.ending(),
            result: self.result(),
            fingerprint: self.fingerprint(),
            converted: false,
        }
    }

    /// Applies an entry that this match wrote, or would write. A refusal changes nothing, except that of a wrong thinking
    /// time, after which the match cannot go on.
    pub(super) fn apply(&mut self, entry: &Entry) -> Result<(), EntryError> {
        let applied = match entry {
            _ if self.stopped.is_some() => Err("expected no entry after the end of the match".to_owned()),
            Entry::Chance(outcome) => {
                let mut events = Vec::new();
                let settled = self.game.settle_text(outcome, &mut events).map_err(|error| match error {
                    SettleError::Unreadable(error) => error.to_string(),
                    SettleError::Impossible(error) => error.to_string(),
                });
                settled.map(|()| self.note_ply(entry.clone(), events))
            }
            Entry::Action { seat, by, .. } if (*by == DecidedBy::StandIn) != self.seats[*seat].forfeited.is_some() => {
                Err(format!("expected the player of seat {seat} before a forfeit, and a stand-in after it"))
            }
            Entry::Action { seat, id, time, .. } => self.replay_action(*seat, *id, *time),
            Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) if self.is_over() => {
                Err("the game is over: expected no strike, forfeit, or other end".to_owned())
            }
            Entry::Strike { seat, .. } | Entry::Forfeit { seat, .. } if self.seats[*seat].forfeited.is_some() => {
                Err(format!("seat {seat} has already forfeited"))
            }
            Entry::Strike { seat, decision, .. } if self.decision(*seat) != Some(*decision) => {
                let open = self.decision(*seat).map_or("none".to_owned(), |open| format!("decision {open}"));
                Err(format!("expected a strike for an open decision of seat {seat} ({open}), got decision {decision}"))
            }
            Entry::Strike { seat, decision, cause, action } => {
                // The clock of a folded match rests until its decisions are available again.
                self.note_strike(*seat, *decision, *cause, *action, None);
                Ok(())
            }
            Entry::Forfeit { seat, cause } => {
                self.note_forfeit(*seat, *cause);
                Ok(())
            }
            Entry::Cancelled(reason) => {
                check_reason(reason).and_then(|()| self.cancel(reason).map_err(|error| error.to_string()))
            }
            Entry::Void(reason) => {
                check_reason(reason).and_then(|()| self.void(reason).map_err(|error| error.to_string()))
            }
        };
        applied.map_err(|reason| EntryError { ply: self.plies + u32::from(entry.is_ply()), reason })
    }

    /// Plays an action of a record. Its charged time must follow from its measured time.
    fn replay_action(&mut self, seat: Seat, id: ActionId, time: ThinkingTime) -> Result<(), String> {
        self.play_measured(seat, id, time.measured).map_err(|error| error.to_string())?;
        match self.entries.last() {
            Some(Entry::Action { time: own, .. }) if *own != time => {
                Err(format!("expected {} ms charged for {} ms, got {} ms", own.charged, time.measured, time.charged))
            }
            _ => Ok(()),
        }
    }

    /// Returns the outcome that the seed gives to the due chance event; None if none is due.
    pub(super) fn drawn(&mut self) -> Option<String> {
        (self.game.turn() == Turn::Chance).then(|| self.game.draw(&mut self.chance))
    }

    /// Returns the bot that plays `seat`; None for an external player.
    fn bot(&self, seat: Seat) -> Option<BotName> {
        match self.seats[seat].forfeited {
            Some(_) => Some(self.stand_in),
            None => self.players[seat.index()].bot,
        }
    }

    /// Refuses a call for a seat in a match that has ended, and for a seat that its external player does not play.
    fn refuse_unless_going(&self, seat: Seat) -> Result<(), StepError> {
        if let Some(ending) = self.ending() {
            return Err(StepError::Ended(ending));
        }
        match (self.seats[seat].forfeited, self.bot(seat)) {
            (Some(cause), _) => Err(StepError::Forfeited { seat, cause }),
            (None, Some(_)) => Err(StepError::PlayedByBot(seat)),
            (None, None) => Ok(()),
        }
    }

    /// Refuses an answer to a decision that is not open. A deadline that has passed is a timeout first.
    fn refuse_unless_open(&mut self, seat: Seat, decision: u32) -> Result<(), StepError> {
        if self.game.turn() == Turn::Over {
            // The game refuses the action in its own words.
            return Ok(());
        }
        self.refuse_unless_going(seat)?;
        if let Some(open) = self.decision(seat).filter(|&open| open != decision) {
            return Err(StepError::Stale { decision, open });
        }
        self.expire_seat(seat);
        self.refuse_unless_going(seat)
    }

    /// Applies the consequence of a deadline of `seat` before the present time.
    fn expire_seat(&mut self, seat: Seat) {
        let is_late = self.deadline(seat).is_some_and(|deadline| self.now > deadline);
        if is_late && self.owes(seat) {
            self.punish(seat, Cause::Timeout, None);
        }
    }

    /// Counts a refused answer, unless it repeats the one before it. With too many of them the seat forfeits.
    fn count_refused(
        &mut self,
        seat: Seat,
        decision: u32,
        cause: Cause,
        action: Option<ActionId>,
        content: &impl Hash,
    ) {
        let mut hasher = DefaultHasher::new();
        (cause, content).hash(&mut hasher);
        let (hash, now) = (hasher.finish(), self.now);
        let refused = &mut self.seats[seat].refused;
        if refused.decision != decision {
            *refused = Refused { decision, ..Refused::default() };
        }
        // After a jump back in time, an answer is no repeat: else a seat could be refused for ever without a count.
        let is_soon = |at: MatchTime| now.0.checked_sub(at.0).is_some_and(|since| since <= REPEAT);
        if refused.last.is_some_and(|(last, at)| last == hash && is_soon(at)) {
            return;
        }
        refused.last = Some((hash, now));
        refused.tries = refused.tries.saturating_add(1);
        let tries = refused.tries;
        self.punish(seat, cause, action);
        if tries >= self.terms.conduct.tries.get() {
            self.forfeit(seat, cause);
        }
    }

    /// Applies the agreed consequence of a fault.
    fn punish(&mut self, seat: Seat, cause: Cause, action: Option<ActionId>) {
        match self.terms.conduct.consequence(cause) {
            Consequence::Refusal => {}
            Consequence::Forfeit => self.forfeit(seat, cause),
            Consequence::Strike => {
                // A fault without an open decision is not a strike: see `apply`.
                let Some(decision) = self.decision(seat) else { return };
                self.note_strike(seat, decision, cause, action, Some(self.now));
                self.forfeit_by_strikes(seat, cause);
            }
        }
    }

    /// Declares that a seat forfeits if it has all its strikes.
    fn forfeit_by_strikes(&mut self, seat: Seat, cause: Cause) {
        if self.strikes(seat).is_some_and(|(strikes, most)| strikes >= most.get()) {
            self.forfeit(seat, cause);
        }
    }

    /// Plays chance until a seat has to decide or the game is over.
    fn settle_chance(&mut self) {
        while self.game.turn() == Turn::Chance {
            let mut events = Vec::new();
            let outcome = self.game.settle(&mut self.chance, &mut events);
            self.note_ply(Entry::Chance(outcome), events);
        }
    }

    /// Plays an action for a seat, by its player or by its stand-in.
    fn play(&mut self, seat: Seat, id: ActionId) -> Result<(), PlayError> {
        let measured = self.clocks.measured(seat, self.now);
        self.play_measured(seat, id, measured)
    }

    /// Plays an action that took this time, in milliseconds.
    fn play_measured(&mut self, seat: Seat, id: ActionId, measured: u32) -> Result<(), PlayError> {
        let mut events = Vec::new();
        self.game.play(seat, id, &mut events)?;
        let log = &mut self.seats[seat];
        log.answered += 1;
        let by = if log.forfeited.is_some() { DecidedBy::StandIn } else { DecidedBy::Player };
        if by == DecidedBy::Player {
            log.receipt = Some((log.answered, id));
        }
        // Everybody sees an event that the public is told, that the others have to act, and each chance event.
        let is_told = events.iter().any(|event| event.is_visible_to(Viewer::Public));
        let others_act = !self.game.turn().to_act().contains(seat);
        let time = match by == DecidedBy::Player && self.players[seat.index()].bot.is_none() {
            true => ThinkingTime { measured, charged: self.clocks.stop(seat, measured, is_told || others_act) },
            // Bots and stand-ins have no clock.
            false => ThinkingTime::default(),
        };
        self.note_ply(Entry::Action { seat, id, by, time }, events);
        Ok(())
    }

    /// Counts a strike. After a timeout the span begins anew at `now`, or when its decision is available again.
    fn note_strike(
        &mut self,
        seat: Seat,
        decision: u32,
        cause: Cause,
        action: Option<ActionId>,
        now: Option<MatchTime>,
    ) {
        self.seats[seat].strikes = self.seats[seat].strikes.saturating_add(1);
        if cause == Cause::Timeout {
            self.clocks.restart(seat, now);
        }
        self.entries.push(Entry::Strike { seat, decision, cause, action });
    }

    fn note_forfeit(&mut self, seat: Seat, cause: Cause) {
        self.seats[seat].forfeited = Some(cause);
        self.clocks.restart(seat, None);
        self.entries.push(Entry::Forfeit { seat, cause });
    }

    fn note_ply(&mut self, entry: Entry, events: Vec<Box<dyn AnyEvent>>) {
        self.entries.push(entry);
        self.plies += 1;
        let ply = self.plies;
        let viewers = self.setup.seats().iter().map(Viewer::Seat).chain([Viewer::Public]);
        for viewer in viewers {
            let told = events.iter().filter(|event| event.is_visible_to(viewer)).count();
            if told > 0 {
                self.event_counts[place(viewer)] += told;
                self.shown_banks[place(viewer)] = self.clocks.banks();
            }
        }
        self.events.extend(events.into_iter().map(|event| PlyEvent { ply, event }));
    }
}

/// Returns the place of a viewer among all viewers of a match.
fn place(viewer: Viewer) -> usize {
    match viewer {
        Viewer::Seat(seat) => seat.index(),
        Viewer::Public => MAX_SEATS,
    }
}

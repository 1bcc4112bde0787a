//! The referee: decisions, their answers, and the consequences of illegal play.
//!
//! A match is the fold of its entries. The referee has no clock: a caller with a clock calls methods such as
//! [`Referee::forfeit`]. The referee knows who plays each seat and names the bot decision that is due, but never
//! computes one: that is the work of its host, which may do it on another thread.

use std::fmt;
use std::num::NonZeroU8;

use super::any_game::{AnyEvent, AnyGame, AnyView, BotChoice, SettleError};
use super::bots::{BotName, BotSeed, RANDOM};
use super::log::{DecidedBy, Entry};
use super::record::{MatchResult, Record, result};
use super::rules::Setup;
use crate::core::{
    ActionId, ActionSet, BySeat, ChanceRng, Fingerprint, MAX_SEATS, PlayError, Seat, SeatSet, Seed, Turn, Viewer,
};

/// The player of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatPlayer {
    /// The name of the player.
    pub name: String,
    /// The bot that plays; None for an external player.
    pub bot: Option<BotName>,
}

impl SeatPlayer {
    /// Creates an external player: an agent, a person, or any other caller.
    pub fn external(name: impl Into<String>) -> Self {
        Self { name: name.into(), bot: None }
    }

    /// Creates a bot, which has its name as a player.
    pub fn bot(bot: BotName) -> Self {
        Self { name: bot.name().to_owned(), bot: Some(bot) }
    }
}

/// The agreed policy for illegal play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// The number of illegal actions with which a seat forfeits. With `None`, illegal actions are refused without
    /// further consequence.
    pub strikes: Option<NonZeroU8>,
}

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
    Forfeited(Seat),
    /// A bot plays the seat.
    PlayedByBot(Seat),
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play(error) => error.fmt(f),
            Self::Taken { decision, id } => write!(f, "decision {decision} is already answered with action {id}"),
            Self::Stale { decision, open } => {
                write!(f, "expected an answer to decision {open}, got one to decision {decision}")
            }
            Self::Forfeited(seat) => write!(f, "seat {seat} has forfeited; a stand-in plays for it"),
            Self::PlayedByBot(seat) => write!(f, "a bot plays seat {seat}"),
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
    conduct: Conduct,
    game: Box<dyn AnyGame>,
    chance: ChanceRng,
    bot_seed: BotSeed,
    /// The bot that plays for seats that have forfeited.
    stand_in: BotName,
    entries: Vec<Entry>,
    events: Vec<PlyEvent>,
    /// The number of events that each seat has been told of, and last that of the public.
    event_counts: [usize; MAX_SEATS + 1],
    plies: u32,
    seats: BySeat<SeatLog>,
}

/// The referee's notes about a seat.
#[derive(Clone, Copy, Debug, Default)]
struct SeatLog {
    answered: u32,
    /// The last decision that the player answered, and the action.
    receipt: Option<(u32, ActionId)>,
    /// The decision for which the player last tried an illegal action, and the action.
    refused: Option<(u32, ActionId)>,
    strikes: u8,
    forfeited: bool,
}

impl Referee {
    /// Starts a match and plays chance until a seat has to decide.
    ///
    /// # Panics
    /// If the numbers of players and seats differ.
    pub fn new(setup: Setup, seed: Seed, players: Vec<SeatPlayer>, conduct: Conduct) -> Self {
        let mut referee = Self::before_the_first_ply(setup, seed, players, conduct);
        referee.settle_chance();
        referee
    }

    /// Returns the match that has these entries. It goes on exactly as the match that wrote them.
    ///
    /// # Panics
    /// If the numbers of players and seats differ.
    pub fn fold(
        setup: Setup,
        seed: Seed,
        players: Vec<SeatPlayer>,
        conduct: Conduct,
        entries: &[Entry],
    ) -> Result<Self, EntryError> {
        let mut referee = Self::before_the_first_ply(setup, seed, players, conduct);
        entries.iter().try_for_each(|entry| referee.apply(entry))?;
        // The entries may end within a step: its last part is played again.
        referee.setup.seats().iter().for_each(|seat| referee.forfeit_by_strikes(seat));
        referee.settle_chance();
        Ok(referee)
    }

    /// Creates a match without entries.
    pub(super) fn before_the_first_ply(setup: Setup, seed: Seed, players: Vec<SeatPlayer>, conduct: Conduct) -> Self {
        assert_eq!(players.len(), setup.seats().count(), "expected a player for each seat");
        Self {
            game: setup.game(),
            seats: BySeat::new(setup.seats(), SeatLog::default()),
            stand_in: setup.rules().bot(RANDOM).expect("every game has the bot random"),
            setup,
            players,
            conduct,
            chance: ChanceRng::new(seed),
            bot_seed: BotSeed::new(seed, 0),
            entries: Vec::new(),
            events: Vec::new(),
            event_counts: [0; MAX_SEATS + 1],
            plies: 0,
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

    /// Returns the seats that have to decide.
    pub fn to_act(&self) -> SeatSet {
        self.game.turn().to_act()
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
        self.setup.seats().iter().filter(|&seat| self.seats[seat].forfeited).collect()
    }

    /// Returns the strikes of `seat` and the number with which it forfeits; None in a match without strikes.
    pub fn strikes(&self, seat: Seat) -> Option<(u8, NonZeroU8)> {
        self.conduct.strikes.map(|strikes| (self.seats[seat].strikes, strikes))
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
    /// receipt, and the same illegal action again is not a second strike.
    pub fn act(&mut self, seat: Seat, decision: u32, id: ActionId) -> Result<StepOutcome, StepError> {
        let log = self.seats[seat];
        if let Some((_, given)) = log.receipt.filter(|&(answered, _)| answered == decision) {
            return match given == id {
                true => Ok(StepOutcome { decision, id, replayed: true }),
                false => Err(StepError::Taken { decision, id: given }),
            };
        }
        if self.bot(seat).is_some() && !self.is_over() {
            return Err(if log.forfeited { StepError::Forfeited(seat) } else { StepError::PlayedByBot(seat) });
        }
        if let Some(open) = self.decision(seat).filter(|&open| open != decision) {
            return Err(StepError::Stale { decision, open });
        }
        if let Err(error) = self.play(seat, id) {
            if matches!(error, PlayError::NoSuchAction { .. } | PlayError::Illegal { .. }) {
                self.strike(seat, decision, id);
            }
            return Err(StepError::Play(error));
        }
        self.settle_chance();
        Ok(StepOutcome { decision, id, replayed: false })
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
    pub fn forfeit(&mut self, seat: Seat) {
        if !self.seats[seat].forfeited && !self.is_over() {
            self.note_forfeit(seat);
        }
    }

    /// Returns true if the game is over.
    pub fn is_over(&self) -> bool {
        self.game.turn() == Turn::Over
    }

    /// Returns the result of the match; None before the end.
    pub fn result(&self) -> Option<MatchResult> {
        self.is_over().then(|| result(&*self.game, self.forfeited()))
    }

    /// Returns the match so far as a record. It contains all secrets, so nobody may see it before the end.
    pub fn record(&self) -> Record {
        Record {
            setup: self.setup.clone(),
            layout: self.setup.rules().layout().hash(),
            seed: self.seed(),
            names: self.players.iter().map(|player| player.name.clone()).collect(),
            entries: self.entries.clone(),
            result: self.result(),
            fingerprint: self.fingerprint(),
        }
    }

    /// Applies an entry that this match wrote, or would write. A refusal changes nothing.
    pub(super) fn apply(&mut self, entry: &Entry) -> Result<(), EntryError> {
        let is_over = self.is_over();
        let applied = match entry {
            Entry::Chance(outcome) => {
                let mut events = Vec::new();
                let settled = self.game.settle_text(outcome, &mut events).map_err(|error| match error {
                    SettleError::Unreadable(error) => error.to_string(),
                    SettleError::Impossible(error) => error.to_string(),
                });
                settled.map(|()| self.note_ply(entry.clone(), events))
            }
            Entry::Action { seat, by, .. } if (*by == DecidedBy::StandIn) != self.seats[*seat].forfeited => {
                Err(format!("expected the player of seat {seat} before a forfeit, and a stand-in after it"))
            }
            Entry::Action { seat, id, .. } => self.play(*seat, *id).map_err(|error| error.to_string()),
            Entry::Strike(seat) | Entry::Forfeit(seat) if self.seats[*seat].forfeited => {
                Err(format!("seat {seat} has already forfeited"))
            }
            Entry::Strike(_) | Entry::Forfeit(_) if is_over => {
                Err("the game is over: expected no strike or forfeit".to_owned())
            }
            Entry::Strike(seat) => {
                self.note_strike(*seat);
                Ok(())
            }
            Entry::Forfeit(seat) => {
                self.note_forfeit(*seat);
                Ok(())
            }
        };
        applied.map_err(|reason| EntryError { ply: self.plies + u32::from(entry.is_ply()), reason })
    }

    /// Returns the outcome that the seed gives to the due chance event; None if none is due.
    pub(super) fn drawn(&mut self) -> Option<String> {
        (self.game.turn() == Turn::Chance).then(|| self.game.draw(&mut self.chance))
    }

    /// Returns the bot that plays `seat`; None for an external player.
    fn bot(&self, seat: Seat) -> Option<BotName> {
        match self.seats[seat].forfeited {
            true => Some(self.stand_in),
            false => self.players[seat.index()].bot,
        }
    }

    /// Counts an illegal action, in a match with strikes. The same action for the same decision counts once, since it
    /// may be one request sent twice.
    fn strike(&mut self, seat: Seat, decision: u32, id: ActionId) {
        if self.conduct.strikes.is_none() || self.seats[seat].refused.replace((decision, id)) == Some((decision, id)) {
            return;
        }
        self.note_strike(seat);
        self.forfeit_by_strikes(seat);
    }

    /// Declares that a seat forfeits if it has all its strikes.
    fn forfeit_by_strikes(&mut self, seat: Seat) {
        if self.strikes(seat).is_some_and(|(strikes, most)| strikes >= most.get()) {
            self.forfeit(seat);
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
        let mut events = Vec::new();
        self.game.play(seat, id, &mut events)?;
        let log = &mut self.seats[seat];
        log.answered += 1;
        let by = if log.forfeited { DecidedBy::StandIn } else { DecidedBy::Player };
        if by == DecidedBy::Player {
            log.receipt = Some((log.answered, id));
        }
        self.note_ply(Entry::Action { seat, id, by }, events);
        Ok(())
    }

    fn note_strike(&mut self, seat: Seat) {
        self.seats[seat].strikes = self.seats[seat].strikes.saturating_add(1);
        self.entries.push(Entry::Strike(seat));
    }

    fn note_forfeit(&mut self, seat: Seat) {
        self.seats[seat].forfeited = true;
        self.entries.push(Entry::Forfeit(seat));
    }

    fn note_ply(&mut self, entry: Entry, events: Vec<Box<dyn AnyEvent>>) {
        self.entries.push(entry);
        self.plies += 1;
        let ply = self.plies;
        let viewers = self.setup.seats().iter().map(Viewer::Seat).chain([Viewer::Public]);
        for viewer in viewers {
            self.event_counts[place(viewer)] += events.iter().filter(|event| event.is_visible_to(viewer)).count();
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

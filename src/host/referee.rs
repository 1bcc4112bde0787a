//! The referee: decisions, their answers, and the consequences of illegal play.
//!
//! A match is the fold of its entries. The referee has no clock: a caller with a clock calls methods such as
//! [`Referee::forfeit`].

use std::fmt;
use std::num::NonZeroU8;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::any_game::{AnyEvent, AnyGame, AnyRules, AnyView, BotName, Setup};
use super::bots::RANDOM;
use super::log::{DecidedBy, Entry};
use super::record::{MatchResult, Record, result};
use crate::core::{
    ActionId, ActionSet, BySeat, ChanceRng, Fingerprint, MAX_SEATS, PlayError, Seat, SeatSet, Seed, Turn, Viewer,
};

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
        }
    }
}

impl std::error::Error for StepError {}

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
    rules: &'static dyn AnyRules,
    setup: Setup,
    names: Vec<String>,
    conduct: Conduct,
    game: Box<dyn AnyGame>,
    chance: ChanceRng,
    stand_in: (BotName, ChaCha8Rng),
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
    /// Starts a match and plays chance until a seat has to decide. `names` are the players' names, by seat.
    ///
    /// # Panics
    /// If the numbers of names and seats differ, or `setup` belongs to another game.
    pub fn new(rules: &'static dyn AnyRules, setup: Setup, seed: Seed, names: Vec<String>, conduct: Conduct) -> Self {
        assert_eq!(names.len(), setup.seats.count(), "expected a name for each seat");
        let stand_in = rules.bot(RANDOM).expect("every game has the bot random");
        let mut referee = Self {
            rules,
            game: rules.game(&setup),
            seats: BySeat::new(setup.seats, SeatLog::default()),
            setup,
            names,
            conduct,
            chance: ChanceRng::new(seed),
            stand_in: (stand_in, ChaCha8Rng::seed_from_u64(seed.0)),
            entries: Vec::new(),
            events: Vec::new(),
            event_counts: [0; MAX_SEATS + 1],
            plies: 0,
        };
        referee.advance();
        referee
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.rules
    }

    /// Returns the seats and options of the match.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the seed of the match. Players must not learn it before the end.
    pub fn seed(&self) -> Seed {
        self.chance.seed()
    }

    /// Returns the names of the players, by seat.
    pub fn names(&self) -> &[String] {
        &self.names
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
        self.setup.seats.iter().filter(|&seat| self.seats[seat].forfeited).collect()
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

    /// Returns the action that `bot` chooses for `seat`.
    pub fn bot_choice(&self, bot: BotName, seat: Seat, rng: &mut dyn rand::Rng) -> ActionId {
        self.game.bot_choice(bot, seat, rng)
    }

    /// Returns the fingerprint of the state.
    pub fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
    }

    /// Answers a decision. Any request may be sent twice: the same answer again returns the same receipt, and the
    /// same illegal action again is not a second strike.
    pub fn act(&mut self, seat: Seat, decision: u32, id: ActionId) -> Result<StepOutcome, StepError> {
        let log = self.seats[seat];
        if let Some((_, given)) = log.receipt.filter(|&(answered, _)| answered == decision) {
            return match given == id {
                true => Ok(StepOutcome { decision, id, replayed: true }),
                false => Err(StepError::Taken { decision, id: given }),
            };
        }
        if log.forfeited && self.game.turn() != Turn::Over {
            return Err(StepError::Forfeited(seat));
        }
        if let Some(open) = self.decision(seat).filter(|&open| open != decision) {
            return Err(StepError::Stale { decision, open });
        }
        if let Err(error) = self.carry_out(seat, id, DecidedBy::Player) {
            if matches!(error, PlayError::NoSuchAction { .. } | PlayError::Illegal { .. }) {
                self.strike(seat, decision, id);
            }
            return Err(StepError::Play(error));
        }
        self.seats[seat].receipt = Some((decision, id));
        self.advance();
        Ok(StepOutcome { decision, id, replayed: false })
    }

    /// Declares that a seat forfeits. A stand-in plays on for it, so that the others can finish.
    pub fn forfeit(&mut self, seat: Seat) {
        if self.seats[seat].forfeited || self.game.turn() == Turn::Over {
            return;
        }
        self.seats[seat].forfeited = true;
        self.entries.push(Entry::Forfeit(seat));
        self.advance();
    }

    /// Returns the result of the match; None before the end.
    pub fn result(&self) -> Option<MatchResult> {
        (self.game.turn() == Turn::Over).then(|| result(&*self.game, self.forfeited()))
    }

    /// Returns the match so far as a record. It contains all secrets, so nobody may see it before the end.
    pub fn record(&self) -> Record {
        Record {
            rules: self.rules,
            setup: self.setup.clone(),
            layout: self.rules.layout().hash(),
            seed: self.seed(),
            names: self.names.clone(),
            entries: self.entries.clone(),
            result: self.result(),
            fingerprint: self.fingerprint(),
        }
    }

    /// Counts an illegal action, in a match with strikes. The same action for the same decision counts once, since it
    /// may be one request sent twice.
    fn strike(&mut self, seat: Seat, decision: u32, id: ActionId) {
        let Some(strikes) = self.conduct.strikes else { return };
        let log = &mut self.seats[seat];
        if log.refused.replace((decision, id)) == Some((decision, id)) {
            return;
        }
        log.strikes += 1;
        let is_out = log.strikes >= strikes.get();
        self.entries.push(Entry::Strike(seat));
        if is_out {
            self.forfeit(seat);
        }
    }

    /// Plays chance and the stand-ins until a player has to decide or the game is over.
    fn advance(&mut self) {
        loop {
            match self.game.turn() {
                Turn::Over => return,
                Turn::Chance => {
                    let mut events = Vec::new();
                    let outcome = self.game.settle(&mut self.chance, &mut events);
                    self.log(Entry::Chance(outcome), events);
                }
                Turn::Seats(to_act) => {
                    let Some(seat) = to_act.iter().find(|&seat| self.seats[seat].forfeited) else { return };
                    let (bot, rng) = &mut self.stand_in;
                    let id = self.game.bot_choice(*bot, seat, rng);
                    self.carry_out(seat, id, DecidedBy::StandIn).expect("a bot plays legal actions");
                }
            }
        }
    }

    fn carry_out(&mut self, seat: Seat, id: ActionId, by: DecidedBy) -> Result<(), PlayError> {
        let mut events = Vec::new();
        self.game.play(seat, id, &mut events)?;
        self.log(Entry::Action { seat, id, by }, events);
        self.seats[seat].answered += 1;
        Ok(())
    }

    fn log(&mut self, entry: Entry, events: Vec<Box<dyn AnyEvent>>) {
        self.entries.push(entry);
        self.plies += 1;
        let ply = self.plies;
        let viewers = self.setup.seats.iter().map(Viewer::Seat).chain([Viewer::Public]);
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

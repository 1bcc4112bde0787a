//! The referee: decisions, their answers, and the consequences of faults.
//!
//! A match is the fold of its entries. The referee has no clock: a caller with a clock sets the time before each call
//! ([`Referee::set_time`]), starts the clocks of decisions when they are available to their players, and calls
//! [`Referee::expire`] when a deadline has passed. The referee knows who plays each seat and names the bot decision that
//! is due, but never computes a choice. Its host computes the choice and submits the answer: blocks and tests at once, a
//! server on its pool of bot threads.

mod bot_decision;
mod caption;
mod draft;
mod faults;
mod fold;
mod step;

use std::num::NonZeroU8;

use ahu_core::{
    ActionId, ActionSet, BySeat, ChanceRng, Fingerprint, MAX_SEATS, PlayError, Seat, SeatSet, Seed, Turn, Viewer,
};

pub use self::bot_decision::{BotAnswer, BotDecision};
pub use self::draft::Draft;
use self::faults::Refused;
pub use self::step::{EntryError, StepError, StepOutcome};
use super::clock::SeatClock;
use super::record::result;
use super::{
    AnyEvent, AnyGame, AnyView, BotName, BotSeed, Cause, DecidedBy, Ending, Entry, MatchResult, MatchTime, Record,
    SeatPlayer, Setup, Terms, ThinkingTime, TimeControl, layout_hash,
};

/// An event and its ply.
#[derive(Debug)]
pub struct PlyEvent {
    /// The ply, counted from 1.
    pub ply: u32,
    /// The event.
    pub event: Box<dyn AnyEvent>,
    /// The bits of the actors, which are fewer than those of a set.
    actors: u8,
}

/// An event as a viewer is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldEvent {
    /// The sentence for people.
    pub text: String,
    /// True if the event begins a turn or a round: the sentence is a heading.
    pub begins_turn: bool,
}

impl PlyEvent {
    /// Returns the seats whose decisions led to the event: see [`Game::deciders`](ahu_core::Game::deciders). None led to the
    /// setup.
    pub fn actors(&self) -> SeatSet {
        SeatSet::from_bits(self.actors.into())
    }

    /// Returns the event as `viewer` is told of it; None if the event is not visible to the viewer.
    pub fn told_to(&self, viewer: Viewer) -> Option<ToldEvent> {
        let begins_turn = self.event.begins_turn();
        self.event.text_for(viewer).map(|text| ToldEvent { text, begins_turn })
    }
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
    clocks: BySeat<SeatClock>,
    now: MatchTime,
    /// The banks as each seat may see them, and last as the public may: those after the last event that it was told.
    shown_banks: [BySeat<Option<u32>>; MAX_SEATS + 1],
    entries: Vec<Entry>,
    events: Vec<PlyEvent>,
    /// The number of events that each seat has been told; the last number is for the public.
    event_counts: [usize; MAX_SEATS + 1],
    plies: u32,
    /// The seats of the last action, or of the secret decisions that it belongs to; empty before the first action.
    actors: SeatSet,
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

impl Referee {
    /// Starts a match and plays chance until a seat has to decide.
    ///
    /// # Panics
    /// If the numbers of players and seats differ, or the numbers of clocks and seats.
    pub fn new(setup: Setup, seed: Seed, players: Vec<SeatPlayer>, terms: impl Into<Terms>) -> Self {
        let mut referee = Self::before_the_first_ply(setup, seed, players, terms);
        referee.settle_chance();
        referee
    }

    /// Creates a match without entries, whose first chance events are not settled.
    ///
    /// # Panics
    /// Like [`Self::new`].
    pub fn before_the_first_ply(setup: Setup, seed: Seed, players: Vec<SeatPlayer>, terms: impl Into<Terms>) -> Self {
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
        let clocks = BySeat::from_fn(seats, |seat| SeatClock::new(control(seat)));
        Self {
            game: setup.game(),
            seats: BySeat::new(seats, SeatLog::default()),
            stand_in: terms.stand_in_of(setup.rules()),
            shown_banks: [clocks.map(|clock| clock.bank); MAX_SEATS + 1],
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
            actors: SeatSet::EMPTY,
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

    /// Starts the clocks of all open decisions of external players: from now on the decisions are available to them.
    pub fn start_clocks(&mut self) {
        let external: SeatSet = self.to_act().iter().filter(|&seat| self.owes(seat)).collect();
        for seat in external.iter() {
            self.clocks[seat].start(self.now);
        }
    }

    /// Returns the time at which the time of `seat` ends; None if it burns none, or without a limit.
    pub fn deadline(&self, seat: Seat) -> Option<MatchTime> {
        self.owes(seat).then(|| self.clocks[seat].deadline()).flatten()
    }

    /// Returns the time at which the open decision of `seat` became available to it; None if it has none, or before its
    /// clock starts.
    pub fn available_since(&self, seat: Seat) -> Option<MatchTime> {
        self.clocks[seat].since
    }

    /// Returns the time that is left for the open decision of `seat` at `now`, in milliseconds, with its free time; all
    /// of it before its clock starts. None without a limit, and for a seat whose external player does not have to decide.
    pub fn time_left(&self, seat: Seat, now: MatchTime) -> Option<u32> {
        self.owes(seat).then(|| self.clocks[seat].left(now)).flatten()
    }

    /// Returns the time that is left for the open decision of another `seat` at `now` as `viewer` may see it: by the decisions
    /// and the bank that the viewer was told of.
    pub fn shown_time_left(&self, seat: Seat, viewer: Viewer, now: MatchTime) -> Option<u32> {
        self.owes(seat).then(|| self.clocks[seat].shown_left(self.banks(viewer)[seat], now)).flatten()
    }

    /// Returns true if the external player of `seat` has to decide.
    pub fn owes(&self, seat: Seat) -> bool {
        self.to_act().contains(seat) && self.bot(seat).is_none()
    }

    /// Returns the first deadline of all seats.
    pub fn next_deadline(&self) -> Option<MatchTime> {
        self.setup.seats().iter().filter_map(|seat| self.deadline(seat)).min()
    }

    /// Returns the time that is left in the bank of each seat, in milliseconds, as `viewer` may see it: the banks of others as
    /// of the last event that the viewer was told, its own as of its last answer. None: no bank.
    pub fn banks(&self, viewer: Viewer) -> BySeat<Option<u32>> {
        BySeat::from_fn(self.setup.seats(), |seat| match viewer == Viewer::Seat(seat) {
            true => self.clocks[seat].bank,
            false => self.shown_banks[place(viewer)][seat],
        })
    }

    /// Returns the seats that have to decide; none in a match that has ended.
    pub fn to_act(&self) -> SeatSet {
        if self.stopped.is_some() { SeatSet::EMPTY } else { self.game.turn().to_act() }
    }

    /// Returns the number of the decision that `seat` has to make, counted from 1 for each seat; None if there is none.
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

    /// Returns the bytes of all that `viewer` knows: see [`AnyGame::view_bytes`].
    pub fn view_bytes(&self, viewer: Viewer) -> Option<Vec<u8>> {
        self.game.view_bytes(viewer)
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

    /// Returns the number of entries before the ply that told `viewer` the event with this number, from 1; the number of all
    /// entries if the viewer was not told so many events.
    pub fn entries_before_event(&self, viewer: Viewer, number: usize) -> usize {
        let missing = self.event_count(viewer).checked_sub(number);
        let told = self.events.iter().rev().filter(|event| event.event.is_visible_to(viewer));
        let Some(event) = missing.and_then(|missing| told.clone().nth(missing)) else { return self.entries.len() };
        // The search begins at the end, since most callers ask for one of the newest events.
        let later_plies = (self.plies - event.ply) as usize;
        let mut plies = (0..self.entries.len()).rev().filter(|&entry| self.entries[entry].is_ply());
        plies.nth(later_plies).expect("every ply is an entry")
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

    /// Returns the strikes of `seat` and the number that costs the seat; None in a match without strikes.
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
        self.record_with(self.entries.clone())
    }

    /// Returns the record of a match that goes on nowhere. It takes the entries, and copies none.
    pub fn into_record(mut self) -> Record {
        let record = self.record_with(Vec::new());
        Record { entries: std::mem::take(&mut self.entries), ..record }
    }

    fn record_with(&self, entries: Vec<Entry>) -> Record {
        Record {
            setup: self.setup.clone(),
            options: self.setup.options().into_iter().map(|(key, _)| key).collect(),
            layout: layout_hash(self.setup.rules()),
            seed: self.seed(),
            terms: Terms { stand_in: Some(self.stand_in), ..self.terms.clone() },
            players: self.players.clone(),
            notes: Vec::new(),
            entries,
            ending: self.ending(),
            result: self.result(),
            fingerprint: self.fingerprint(),
        }
    }

    /// Gives back the memory that is for further entries and events.
    pub fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.events.shrink_to_fit();
    }

    /// Returns about the memory that the match takes, in bytes. Events may own a little more.
    pub fn size(&self) -> usize {
        /// The cost of a block of memory beside its content.
        const BLOCK: usize = 16;
        let outcome = |entry: &Entry| match entry {
            Entry::Chance(text) | Entry::Cancelled(text) | Entry::Void(text) => text.capacity() + BLOCK,
            Entry::Action { .. } | Entry::Strike { .. } | Entry::Forfeit { .. } => 0,
        };
        size_of::<Self>()
            + self.game.size()
            + self.entries.capacity() * size_of::<Entry>()
            + self.entries.iter().map(outcome).sum::<usize>()
            + self.events.capacity() * size_of::<PlyEvent>()
            + self.events.iter().map(|event| event.event.size() + BLOCK).sum::<usize>()
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
        let measured = self.clocks[seat].measured(self.now);
        self.play_measured(seat, id, measured)
    }

    /// Plays an action that took this time, in milliseconds.
    fn play_measured(&mut self, seat: Seat, id: ActionId, measured: u32) -> Result<(), PlayError> {
        let (mut events, actors) = (Vec::new(), self.game.deciders());
        self.game.play(seat, id, &mut events)?;
        self.actors = actors;
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
            true => ThinkingTime { measured, charged: self.clocks[seat].stop(measured, is_told || others_act) },
            // Bots and stand-ins have no clock.
            false => ThinkingTime::default(),
        };
        self.note_ply(Entry::Action { seat, id, by, time }, events);
        Ok(())
    }

    fn note_ply(&mut self, entry: Entry, events: Vec<Box<dyn AnyEvent>>) {
        self.entries.push(entry);
        self.plies += 1;
        let (ply, actors) = (self.plies, self.actors.bits() as u8);
        let viewers = self.setup.seats().iter().map(Viewer::Seat).chain([Viewer::Public]);
        for viewer in viewers {
            let told = events.iter().filter(|event| event.is_visible_to(viewer)).count();
            if told > 0 {
                self.event_counts[place(viewer)] += told;
                self.shown_banks[place(viewer)] = self.clocks.map(|clock| clock.bank);
            }
        }
        self.events.extend(events.into_iter().map(|event| PlyEvent { ply, event, actors }));
    }
}

/// Returns the place of a viewer among all viewers of a match.
fn place(viewer: Viewer) -> usize {
    match viewer {
        Viewer::Seat(seat) => seat.index(),
        Viewer::Public => MAX_SEATS,
    }
}

//! The referee: whose decision it is, what an answer brought, what becomes of illegal play.
//!
//! A match is the fold of its entries. The referee has no clock: whoever has one tells it what
//! follows, such as [`Referee::forfeit`].

use std::fmt;
use std::num::NonZeroU8;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::bots::RANDOM;
use super::erased::{Agreed, AnyEvent, AnyGame, AnyRules, AnyView, BotName};
use super::log::{By, Entry};
use super::record::{MatchResult, Record, result};
use crate::core::{
    ActionId, ActionSet, BySeat, Fingerprint, Luck, PlayError, SEATS_MAX, Seat, SeatSet, Seed, Turn, Viewer,
};

/// What holds in a match beside the rules of its game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// With how many illegal actions a seat forfeits; `None`: each is refused, and that is all.
    pub strikes: Option<NonZeroU8>,
}

/// The answer to an action that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The decision that it answered, counted from 1 for each seat.
    pub decision: u32,
    /// The action.
    pub id: ActionId,
    /// Whether this repeats the answer to an action that was carried out before.
    pub replayed: bool,
}

/// Why an action was not carried out. The match stands as it stood, but for a strike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The game does not allow it.
    Play(PlayError),
    /// The decision has been answered, with another action.
    Taken {
        /// The decision.
        decision: u32,
        /// How it was answered.
        id: ActionId,
    },
    /// Another decision is open.
    Stale {
        /// The decision that was to be answered.
        decision: u32,
        /// The one that is open.
        open: u32,
    },
    /// The seat has forfeited.
    Forfeited(Seat),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play(error) => error.fmt(f),
            Self::Taken { decision, id } => write!(f, "decision {decision} has been answered with action {id}"),
            Self::Stale { decision, open } => write!(f, "decision {decision} is not open: decision {open} is"),
            Self::Forfeited(seat) => write!(f, "seat {seat} has forfeited, a stand-in plays for it"),
        }
    }
}

impl std::error::Error for Refusal {}

/// An event, and the ply that it belongs to.
#[derive(Debug)]
pub struct PlyEvent {
    /// The ply, counted from 1.
    pub ply: u32,
    /// What happened.
    pub event: Box<dyn AnyEvent>,
}

/// A match under way.
#[derive(Debug)]
pub struct Referee {
    rules: &'static dyn AnyRules,
    agreed: Agreed,
    names: Vec<String>,
    terms: Terms,
    game: Box<dyn AnyGame>,
    luck: Luck,
    stand_in: (BotName, ChaCha8Rng),
    entries: Vec<Entry>,
    events: Vec<PlyEvent>,
    /// How many of them each seat has been told of, and last the public.
    event_counts: [usize; SEATS_MAX + 1],
    plies: u32,
    seats: BySeat<SeatLog>,
}

/// What the referee remembers of a seat.
#[derive(Clone, Copy, Debug, Default)]
struct SeatLog {
    answered: u32,
    /// The decision that the player answered last, and how.
    receipt: Option<(u32, ActionId)>,
    /// The illegal action that the player tried last, and for which decision.
    refused: Option<(u32, ActionId)>,
    strikes: u8,
    forfeited: bool,
}

impl Referee {
    /// Starts a match: chance goes first where the rules say so. `names` are the players', by seat.
    ///
    /// # Panics
    /// Where there are not as many names as seats, or `agreed` is another game's.
    pub fn new(rules: &'static dyn AnyRules, agreed: Agreed, seed: Seed, names: Vec<String>, terms: Terms) -> Self {
        assert_eq!(names.len(), agreed.seats.count(), "a name for each seat");
        let stand_in = rules.bot(RANDOM).expect("every game has the bot random");
        let mut referee = Self {
            rules,
            game: rules.game(&agreed),
            seats: BySeat::new(agreed.seats, SeatLog::default()),
            agreed,
            names,
            terms,
            luck: Luck::new(seed),
            stand_in: (stand_in, ChaCha8Rng::seed_from_u64(seed.0)),
            entries: Vec::new(),
            events: Vec::new(),
            event_counts: [0; SEATS_MAX + 1],
            plies: 0,
        };
        referee.go_on();
        referee
    }

    /// The rules of the game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.rules
    }

    /// What was agreed before play.
    pub fn agreed(&self) -> &Agreed {
        &self.agreed
    }

    /// The seed of the match. No player is to learn it before the end.
    pub fn seed(&self) -> Seed {
        self.luck.seed()
    }

    /// The names of the players, by seat.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The seats that owe a decision.
    pub fn owing(&self) -> SeatSet {
        self.game.turn().owing()
    }

    /// The decision that `seat` owes, counted from 1 for each seat.
    pub fn decision(&self, seat: Seat) -> Option<u32> {
        self.owing().contains(seat).then(|| self.seats[seat].answered + 1)
    }

    /// What `seat` may do now.
    pub fn legal_actions(&self, seat: Seat) -> ActionSet {
        self.game.legal_actions(seat)
    }

    /// What `viewer` may be shown.
    pub fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.game.view(viewer)
    }

    /// Everything that happened, in order.
    pub fn events(&self) -> &[PlyEvent] {
        &self.events
    }

    /// How many events `viewer` has been told of.
    pub fn event_count(&self, viewer: Viewer) -> usize {
        self.event_counts[place(viewer)]
    }

    /// The events that `viewer` was told after the first `after` of them, at most `max`, oldest first,
    /// each with its number, counted from 1 for each viewer.
    pub fn events_after(&self, viewer: Viewer, after: usize, max: usize) -> Vec<(usize, &PlyEvent)> {
        // From the last one back: who asks lacks the newest, as a rule.
        let told = self.events.iter().rev().filter(|told| told.event.is_seen_by(viewer));
        let numbers = (after + 1..=self.event_count(viewer)).rev();
        let mut events: Vec<_> = numbers.zip(told).collect();
        events.reverse();
        events.truncate(max);
        events
    }

    /// How many decisions have been taken for `seat`.
    pub fn answered(&self, seat: Seat) -> u32 {
        self.seats[seat].answered
    }

    /// The seats that have forfeited.
    pub fn forfeited(&self) -> SeatSet {
        self.agreed.seats.iter().filter(|&seat| self.seats[seat].forfeited).collect()
    }

    /// How many strikes `seat` has, where they count, and with how many it forfeits.
    pub fn strikes(&self, seat: Seat) -> Option<(u8, NonZeroU8)> {
        self.terms.strikes.map(|strikes| (self.seats[seat].strikes, strikes))
    }

    /// The entries so far: with all secrets.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many plies have been played.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// What a bot would do as `seat`.
    pub fn ask(&self, bot: BotName, seat: Seat, rng: &mut dyn rand::Rng) -> ActionId {
        self.game.ask(bot, seat, rng)
    }

    /// The fingerprint of the state.
    pub fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
    }

    /// Answers a decision. The same answer again brings the same receipt again, and the same illegal
    /// action again is no second strike: whatever is sent may be sent twice.
    pub fn act(&mut self, seat: Seat, decision: u32, id: ActionId) -> Result<Receipt, Refusal> {
        let log = self.seats[seat];
        if let Some((_, given)) = log.receipt.filter(|&(answered, _)| answered == decision) {
            return match given == id {
                true => Ok(Receipt { decision, id, replayed: true }),
                false => Err(Refusal::Taken { decision, id: given }),
            };
        }
        if log.forfeited && self.game.turn() != Turn::Over {
            return Err(Refusal::Forfeited(seat));
        }
        if let Some(open) = self.decision(seat).filter(|&open| open != decision) {
            return Err(Refusal::Stale { decision, open });
        }
        if let Err(error) = self.carry_out(seat, id, By::Player) {
            if matches!(error, PlayError::NoSuchAction { .. } | PlayError::Illegal { .. }) {
                self.strike(seat, decision, id);
            }
            return Err(Refusal::Play(error));
        }
        self.seats[seat].receipt = Some((decision, id));
        self.go_on();
        Ok(Receipt { decision, id, replayed: false })
    }

    /// The seat's player is out: a stand-in plays on, so that the others can finish.
    pub fn forfeit(&mut self, seat: Seat) {
        if self.seats[seat].forfeited || self.game.turn() == Turn::Over {
            return;
        }
        self.seats[seat].forfeited = true;
        self.entries.push(Entry::Forfeit(seat));
        self.go_on();
    }

    /// How the match ended, if it has.
    pub fn result(&self) -> Option<MatchResult> {
        (self.game.turn() == Turn::Over).then(|| result(&*self.game, self.forfeited()))
    }

    /// The match so far, as a record: with all secrets, so for nobody's eyes before the end.
    pub fn record(&self) -> Record {
        Record {
            rules: self.rules,
            agreed: self.agreed.clone(),
            layout: self.rules.layout().hash(),
            seed: self.seed(),
            names: self.names.clone(),
            entries: self.entries.clone(),
            result: self.result(),
            fingerprint: self.fingerprint(),
        }
    }

    /// Counts an illegal action, where that was agreed. The same one again, for the same decision, is
    /// the same one sent twice.
    fn strike(&mut self, seat: Seat, decision: u32, id: ActionId) {
        let Some(strikes) = self.terms.strikes else { return };
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

    /// Lets chance and the stand-ins play until a player has to decide, or the game is over.
    fn go_on(&mut self) {
        loop {
            match self.game.turn() {
                Turn::Over => return,
                Turn::Chance => {
                    let mut events = Vec::new();
                    let outcome = self.game.settle(&mut self.luck, &mut events);
                    self.log(Entry::Chance(outcome), events);
                }
                Turn::Seats(owing) => {
                    let Some(seat) = owing.iter().find(|&seat| self.seats[seat].forfeited) else { return };
                    let (bot, rng) = &mut self.stand_in;
                    let id = self.game.ask(*bot, seat, rng);
                    self.carry_out(seat, id, By::StandIn).expect("a bot plays legal actions");
                }
            }
        }
    }

    fn carry_out(&mut self, seat: Seat, id: ActionId, by: By) -> Result<(), PlayError> {
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
        let viewers = self.agreed.seats.iter().map(Viewer::Seat).chain([Viewer::Public]);
        for viewer in viewers {
            self.event_counts[place(viewer)] += events.iter().filter(|event| event.is_seen_by(viewer)).count();
        }
        self.events.extend(events.into_iter().map(|event| PlyEvent { ply, event }));
    }
}

/// The place of a viewer among all viewers of a match.
fn place(viewer: Viewer) -> usize {
    match viewer {
        Viewer::Seat(seat) => seat.index(),
        Viewer::Public => SEATS_MAX,
    }
}

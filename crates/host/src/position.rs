//! Positions: a game that a caller copies, changes, and looks at.
//!
//! A position knows everything. A match has a [`Referee`], which knows who plays, and shows each player its view alone.
//!
//! A position has no players, clocks, or faults. A clone copies the state and one pointer: the history is a list of links
//! that copies share. With a seed, the history has actions alone, since the seed leads to the chance outcomes between them. A
//! record of a position plays its history again, because the bytes of a state cannot be read back. A resampled position has
//! no history: the history of the true game would have its secrets.

mod history;

use std::sync::Arc;

use ahu_core::{
    ActionId, ChanceRng, PlayError, Seat, SeatSet, Seed, Turn, Viewer, bytes::game_of_view, labelled_keystream,
};
use rand::Rng;

use self::history::History;
pub use self::history::Ply;
use super::{
    AnyEvent, AnyGame, BotAnalysis, BotName, BotSeed, DecidedBy, Entry, EntryError, Record, RecordError, Referee,
    SeatPlayer, Setup, Terms, ThinkingTime, ensure, find,
};

/// The events of plies, in order, as a caller asks for them.
pub type EventList = Vec<Box<dyn AnyEvent>>;

/// The label of all resampled positions.
const WORLDS_LABEL: &[u8; 24] = b"ahu worlds, version 1...";

/// A game in progress. A clone copies the state; the history is shared.
#[derive(Clone, Debug)]
pub struct Position {
    setup: Setup,
    game: Box<dyn AnyGame>,
    /// The source of all chance; None if the caller settles it. Copies share it until one of them draws.
    chance: Option<Arc<ChanceRng>>,
    /// The plies so far, without the plies that follow from the seed; None if they are not kept.
    history: Option<History>,
    plies: u32,
    /// The seats of the last action, or of the secret decisions that it belongs to; empty before the first action.
    actors: SeatSet,
}

impl Clone for Box<dyn AnyGame> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

impl Position {
    /// Creates a game before its first ply. With a seed, chance settles at once: here, and after each action.
    pub fn new(setup: Setup, seed: Option<Seed>, keeps_history: bool) -> Self {
        let mut position = Self::before_the_first_ply(setup, seed, keeps_history);
        position.settle_all();
        position
    }

    fn before_the_first_ply(setup: Setup, seed: Option<Seed>, keeps_history: bool) -> Self {
        Self {
            game: setup.game(),
            setup,
            chance: seed.map(chance_of),
            history: keeps_history.then(History::default),
            plies: 0,
            actors: SeatSet::EMPTY,
        }
    }

    /// Returns the position that these plies lead to. With a seed, they are actions alone, and the seed settles chance, up to
    /// `count` plies in all.
    pub fn replay(setup: Setup, seed: Option<Seed>, plies: &[Ply], count: u32) -> Result<Self, EntryError> {
        let mut position = Self::before_the_first_ply(setup, seed, true);
        let mut rest = plies.iter();
        while position.plies < count {
            let ply = position.plies + 1;
            let impossible = |reason: String| EntryError { ply, reason };
            if position.chance.is_some() && position.is_chance_due() {
                position.settle_drawn(&mut Vec::new());
                continue;
            }
            match rest.next() {
                Some(&Ply::Action { seat, id }) => {
                    position.apply(seat, id).map_err(|error| impossible(error.to_string()))?;
                }
                Some(Ply::Outcome(outcome)) => {
                    position.settle(outcome, &mut Vec::new()).map_err(impossible)?;
                }
                None => return Err(impossible(format!("expected {count} plies, got {}", position.plies))),
            }
        }
        match rest.len() {
            0 => Ok(position),
            left => Err(EntryError { ply: count, reason: format!("expected {count} plies, got {left} more") }),
        }
    }

    /// Returns the position of a record after its first `plies` plies. The seed of the record has to lead to its chance
    /// outcomes. Strikes and forfeits are no part of the game.
    pub fn from_record(record: &Record, plies: usize) -> Result<Self, RecordError> {
        let mut position = Self::before_the_first_ply(record.setup.clone(), Some(record.seed), true);
        for entry in record.entries.iter().filter(|entry| entry.is_ply()).take(plies) {
            let ply = position.plies + 1;
            let impossible = |reason: String| RecordError::Impossible { ply, reason };
            match entry {
                Entry::Chance(recorded) => match position.settle_drawn(&mut Vec::new()) {
                    Some(drawn) if drawn == *recorded => {}
                    Some(drawn) => return Err(RecordError::OtherChance { ply, recorded: recorded.clone(), drawn }),
                    None => return Err(impossible("no chance event is due".to_owned())),
                },
                Entry::Action { seat, id, .. } => {
                    position.apply(*seat, *id).map_err(|error| impossible(error.to_string()))?;
                }
                Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) => {}
            }
        }
        Ok(position)
    }

    /// Returns a position that the viewer of these bytes could be in, and the viewer: see [`AnyGame::view_bytes`]. It is the
    /// position that [`Self::resample`] returns for the viewer, except that its plies are counted from the view on. Refuses
    /// bytes that contradict themselves.
    pub fn from_view(bytes: &[u8], seed: Seed) -> Result<(Self, Viewer), String> {
        let rules = find(&game_of_view(bytes)?).map_err(|error| error.to_string())?;
        let (mut rng, chance) = world_of(seed);
        let (setup, game, viewer) = rules.resampled(bytes, &mut rng)?;
        Ok((Self { setup, game, chance: Some(chance), history: None, plies: 0, actors: SeatSet::EMPTY }, viewer))
    }

    /// Returns the position without a seed: the caller settles chance. It has no history.
    #[must_use]
    pub fn unseeded(self) -> Self {
        Self { chance: None, history: None, ..self }
    }

    /// Returns the rules, seats, and options.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the seed of all chance; None if the caller settles it.
    pub fn seed(&self) -> Option<Seed> {
        self.chance.as_deref().map(ChanceRng::seed)
    }

    /// Returns the game, which knows all secrets.
    pub fn game(&self) -> &dyn AnyGame {
        &*self.game
    }

    /// Returns the number of plies so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the seats whose decisions led to the events of the last ply; none led to the setup.
    pub fn actors(&self) -> SeatSet {
        self.actors
    }

    /// Returns true if a chance event is due. With a seed that holds only in a position in the middle of a record.
    pub fn is_chance_due(&self) -> bool {
        self.game.turn() == Turn::Chance
    }

    /// Returns true at the end of the game.
    pub fn is_over(&self) -> bool {
        self.game.turn() == Turn::Over
    }

    /// Applies an action. With a seed, chance settles up to the next decision. A refusal changes nothing.
    pub fn play(&mut self, seat: Seat, id: ActionId) -> Result<(), PlayError> {
        self.apply(seat, id)?;
        self.settle_all();
        Ok(())
    }

    /// Does what [`Self::play`] does, and reports the events.
    pub fn play_with_events(&mut self, seat: Seat, id: ActionId, events: &mut EventList) -> Result<(), PlayError> {
        let actors = self.game.deciders();
        self.game.play(seat, id, events)?;
        self.actors = actors;
        self.note(Ply::Action { seat, id });
        while self.settle_drawn(events).is_some() {}
        Ok(())
    }

    /// Gives each legal action of `seat` to `take`, with the position after it: a copy that has played the action.
    pub fn children(&self, seat: Seat, mut take: impl FnMut(ActionId, Self)) {
        self.game.successors(seat, &mut |id, game| {
            let mut child = Self {
                setup: self.setup.clone(),
                game,
                chance: self.chance.clone(),
                history: self.history.clone(),
                plies: self.plies,
                actors: self.game.deciders(),
            };
            child.note(Ply::Action { seat, id });
            child.settle_all();
            take(id, child);
        });
    }

    /// Applies the outcome with this text to the due chance event. A refusal changes nothing; a position with a seed refuses
    /// every outcome.
    pub fn settle(&mut self, outcome: &str, events: &mut EventList) -> Result<(), String> {
        ensure(self.chance.is_none(), || "expected no outcome, since the seed settles chance, got one".to_owned())?;
        ensure(self.is_chance_due(), || "expected a due chance event, got a position in which none is due".to_owned())?;
        self.game.settle_text(outcome, events).map_err(|error| error.to_string())?;
        self.note(Ply::Outcome(outcome.into()));
        Ok(())
    }

    /// Returns the outcome that `seed` gives to the due chance event; None if none is due. The position does not change.
    pub fn draw(&self, seed: Seed) -> Option<String> {
        self.is_chance_due().then(|| self.game.draw(&mut ChanceRng::new(seed)))
    }

    /// Settles the due chance event with the seed of the position, and returns the outcome; None without a seed, or if no
    /// chance event is due.
    pub fn settle_drawn(&mut self, events: &mut EventList) -> Option<String> {
        let is_due = self.is_chance_due();
        let chance = self.chance.as_mut().filter(|_| is_due)?;
        let outcome = self.game.settle(Arc::make_mut(chance), events);
        self.plies += 1;
        Some(outcome)
    }

    /// Returns a copy whose chance from here on has this seed. It has no history, since no seed leads to it.
    #[must_use]
    pub fn reseeded(&self, seed: Seed) -> Self {
        let mut copy = Self { chance: Some(chance_of(seed)), history: None, ..self.clone() };
        copy.settle_all();
        copy
    }

    /// Returns a position that `viewer` could be in, from its view alone; None if the game cannot be resampled. It has no
    /// history, and a seed of its own if this position has one. Both follow from the view and `seed`.
    #[must_use]
    pub fn resample(&self, viewer: Viewer, seed: Seed) -> Option<Self> {
        let (mut rng, chance) = world_of(seed);
        Some(Self {
            setup: self.setup.clone(),
            game: self.game.resample(viewer, &mut rng)?,
            chance: self.chance.as_ref().map(|_| chance),
            history: None,
            plies: self.plies,
            actors: self.actors,
        })
    }

    /// Returns the analysis of the decision of `seat` by a search, as work to be done; None if the bot is no search, or if
    /// the seat has no decision.
    pub fn analysis(&self, bot: BotName, seat: Seat, seed: Seed) -> Option<BotAnalysis> {
        self.game.bot_analysis(bot, seat, BotSeed::new(seed, 0).rng(seat, 1))
    }

    /// Returns true if the plies so far are kept.
    pub fn has_history(&self) -> bool {
        self.history.is_some()
    }

    /// Returns the plies so far, without the plies that follow from the seed; None if they are not kept.
    pub fn history(&self) -> Option<Vec<Ply>> {
        self.history.as_ref().map(History::plies)
    }

    /// Returns the game so far as a record of a match without clocks; None without a seed or a history. It has all secrets.
    pub fn record(&self) -> Option<Record> {
        let (seed, history) = (self.seed()?, self.history()?);
        let players = self.setup.seats().iter().map(|seat| SeatPlayer::external(format!("seat {seat}"))).collect();
        let mut referee = Referee::before_the_first_ply(self.setup.clone(), seed, players, Terms::default());
        let mut actions = history.into_iter();
        let mut action = || match actions.next() {
            Some(Ply::Action { seat, id }) => {
                Entry::Action { seat, id, by: DecidedBy::Player, time: ThinkingTime::default() }
            }
            Some(Ply::Outcome(_)) | None => unreachable!("a history with a seed has the actions of all plies"),
        };
        while referee.plies() < self.plies {
            let entry = referee.drawn().map_or_else(&mut action, Entry::Chance);
            referee.apply(&entry).expect("the position has had these plies");
        }
        Some(referee.record())
    }

    /// Returns the memory that a clone takes, in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.game.size() + self.chance.as_deref().map_or(0, size_of_val)
    }

    /// Applies an action, and settles no chance.
    fn apply(&mut self, seat: Seat, id: ActionId) -> Result<(), PlayError> {
        let actors = self.game.deciders();
        self.game.play_quietly(seat, id)?;
        self.actors = actors;
        self.note(Ply::Action { seat, id });
        Ok(())
    }

    /// Settles chance up to the next decision, if there is a seed.
    fn settle_all(&mut self) {
        let is_due = self.is_chance_due();
        if let Some(chance) = self.chance.as_mut().filter(|_| is_due) {
            self.plies += self.game.settle_quietly(Arc::make_mut(chance)) as u32;
        }
    }

    fn note(&mut self, ply: Ply) {
        self.plies += 1;
        if let Some(history) = &mut self.history {
            history.push(ply);
        }
    }
}

fn chance_of(seed: Seed) -> Arc<ChanceRng> {
    Arc::new(ChanceRng::new(seed))
}

/// Returns the generator of the hidden facts of a resampled position, and the chance of the position.
fn world_of(seed: Seed) -> (impl Rng, Arc<ChanceRng>) {
    let mut rng = labelled_keystream(seed, WORLDS_LABEL, 0);
    let chance = chance_of(Seed(rng.next_u64()));
    (rng, chance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GAMES;

    #[test]
    fn nine_children_of_a_node_cost_nine_clones_and_share_its_history() {
        for rules in GAMES {
            let setup = rules.configure(*rules.seats().start(), &[]).expect("the fewest seats");
            let mut node = Position::new(setup, Some(Seed(3)), true);
            for _ in 0..20 {
                let seat = node.game.turn().to_act().first().expect("it goes on");
                node.play(seat, node.game.legal_actions(seat).nth(0).expect("an action")).expect("it is legal");
            }
            let before = node.history.as_ref().expect("it is kept").owners();
            let mut children: Vec<Position> = (0..9).map(|_| node.clone()).collect();
            assert_eq!(node.history.as_ref().expect("it is kept").owners(), before + 9);
            for child in &mut children {
                let seat = child.game.turn().to_act().first().expect("it goes on");
                child.play(seat, child.game.legal_actions(seat).nth(0).expect("an action")).expect("it is legal");
                // One new link each: the links before it belong to the node.
                assert_eq!(child.history().expect("it is kept").len(), 21);
            }
            assert_eq!(node.history.as_ref().expect("it is kept").owners(), before + 9);
            assert_eq!(node.history().expect("it is kept").len(), 20);
        }
    }
}

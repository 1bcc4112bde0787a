//! What a game is: its rules, and everything that is true at the table.

use std::fmt;
use std::str::FromStr;

use rand::Rng;

use crate::core::{
    Action, ActionId, ActionSet, BySeat, Event, Events, GameOptions, Luck, ParseError, Seat, SeatSet, Sink, StateBytes,
    Turn, Viewer,
};

/// A game in progress.
///
/// The state is a plain value: a clone is a copy of bytes, there is no undo and no heap. Chance is
/// explicit: where [`turn`](Self::turn) says so, the caller draws an outcome and settles it.
///
/// A game may itself carry out what the rules leave no choice in, if it tells so by an event; what a
/// seat decides is asked, even where one action alone is legal.
///
/// Whoever hosts a game shows nobody the game itself. What may be known of it is a [`View`], what
/// is told of it an [`Event`]. What no seat knows is no part of the state, if an action can bring it
/// to light: it is left to chance, and drawn when it does.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// What the players agree on before they start.
    type Options: GameOptions;
    /// One decision of one seat.
    type Action: Action;
    /// What one act of chance brought. Its text is exact: it is what a record keeps.
    type Outcome: Clone + PartialEq + fmt::Debug + fmt::Display + FromStr<Err = ParseError> + Send + 'static;
    /// What happened.
    type Event: Event;
    /// What one viewer knows.
    type View: View;

    /// What the game is called, which version of its rules this is, and whose it is.
    const INFO: GameInfo;

    /// A game before its first ply.
    fn new(options: &Self::Options) -> Self;

    /// What was agreed before play.
    fn options(&self) -> &Self::Options;

    /// Who moves the game on.
    fn turn(&self) -> Turn;

    /// Clears `legal`, then fills it with what `seat` may do now: nothing, if it owes no decision.
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet);

    /// Carries out a legal action of a seat that owes a decision.
    ///
    /// # Panics
    /// May panic where the action is not legal, or leave a state that means nothing: check it
    /// first, or call [`GameExt::play_checked`].
    fn apply(&mut self, seat: Seat, action: Self::Action, events: &mut impl Events<Self::Event>);

    /// Samples what the chance that is due brings. The game does not change.
    ///
    /// # Panics
    /// Where it is not the turn of chance.
    fn draw(&self, luck: &mut Luck) -> Self::Outcome;

    /// Refuses an outcome that the chance that is due cannot bring, with the reason.
    fn check(&self, outcome: &Self::Outcome) -> Result<(), OutcomeError>;

    /// Applies an outcome that the chance that is due can bring.
    ///
    /// # Panics
    /// May panic on any other outcome, or leave a state that means nothing: see
    /// [`GameExt::settle_checked`].
    fn settle(&mut self, outcome: &Self::Outcome, events: &mut impl Events<Self::Event>);

    /// All that `viewer` knows.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// A game that `view`'s viewer could be in, its hidden things dealt at random, so that every
    /// such game has a chance. Its luck is the caller's: a new seed.
    fn resample(view: &Self::View, rng: &mut dyn Rng) -> Self;

    /// Writes everything that is true, in a fixed order: equal states, equal bytes.
    fn write_state(&self, state: &mut StateBytes);
}

/// What there is to say about a game, whoever plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// Its name in the catalog, in records and on the wire.
    pub id: &'static str,
    /// The version of its rules: goes up with every change that makes an old record play
    /// differently, or a seed mean another game.
    pub rules: u32,
    /// No game has more plies than this: the proof that games end, not a length to plan with.
    pub plies_max: usize,
    /// What people call it.
    pub title: &'static str,
    /// What it is about, in a few sentences.
    pub about: &'static str,
    /// Whose game it is, as far as known, and that we are not they.
    pub credit: &'static str,
    /// What of its components is our reconstruction; empty if nothing is.
    pub reconstructed: &'static str,
}

/// All that one viewer knows of a game: what it sees, and what it has seen that matters.
///
/// Tensors, texts, typed messages, parsers and errors read a view and never a game. `Display` is
/// the table as people read it.
pub trait View: Clone + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// How many bits its observation has.
    const BITS: usize;
    /// How many numbers its observation has.
    const NUMBERS: usize;

    /// Whose knowledge this is.
    fn viewer(&self) -> Viewer;

    /// Writes the same fields, in the same order and shapes, whatever the view holds.
    fn write(&self, sink: &mut impl Sink);

    /// The view without what an option keeps out of observations although the viewer could know it,
    /// such as what others hold after open trades. All that is sent to a player is of the covered
    /// view; resampling uses the whole one. Most games keep nothing back.
    #[must_use]
    fn covered(self) -> Self {
        self
    }

    /// Points as the final count would give them if the game ended now, as far as the viewer can
    /// count. When the game is over, all can.
    fn scores(&self) -> BySeat<i32>;

    /// Places by the rulebook's tie-breaks, as far as the viewer can tell: 1 the first, ties share
    /// (1, 1, 3). When the game is over, all can.
    fn ranks(&self) -> BySeat<u8>;
}

/// An outcome that the chance that is due cannot bring: why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeError(pub String);

impl fmt::Display for OutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OutcomeError {}

/// A seat asked for what the rules forbid. The game stands as it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// The game is over.
    Over,
    /// The seat owes no decision.
    NotYourDecision {
        /// The seat that asked.
        seat: Seat,
        /// The seats that owe one.
        owing: SeatSet,
    },
    /// No action has this id.
    NoSuchAction {
        /// The id.
        id: ActionId,
        /// How many ids there are.
        count: usize,
    },
    /// The action is real, but not legal now.
    Illegal {
        /// The seat that asked.
        seat: Seat,
        /// What it asked for.
        id: ActionId,
        /// What it may do.
        legal: Box<ActionSet>,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the game is over"),
            Self::NotYourDecision { seat, owing } if owing.is_empty() => {
                write!(f, "seat {seat} owes no decision: nobody does")
            }
            Self::NotYourDecision { seat, owing } => {
                write!(f, "seat {seat} owes no decision: it is up to seat {owing}")
            }
            Self::NoSuchAction { id, count } => write!(f, "no action has the id {id}: ids run from 0 to {}", count - 1),
            Self::Illegal { seat, id, legal } => {
                write!(f, "seat {seat} may not do action {id} now; legal ids: {}", legal.ranges())
            }
        }
    }
}

impl std::error::Error for PlayError {}

/// What follows from the rules, the same for every game.
pub trait GameExt: Game {
    /// Refuses an action that `seat` may not take now.
    fn check_action(&self, seat: Seat, id: ActionId) -> Result<Self::Action, PlayError> {
        let turn = self.turn();
        if turn == Turn::Over {
            return Err(PlayError::Over);
        }
        if !turn.owing().contains(seat) {
            return Err(PlayError::NotYourDecision { seat, owing: turn.owing() });
        }
        let no_such = PlayError::NoSuchAction { id, count: Self::Action::COUNT };
        let action = Self::Action::from_id(id).ok_or(no_such)?;
        let mut legal = ActionSet::of::<Self::Action>();
        self.legal_actions(seat, &mut legal);
        match legal.contains(id) {
            true => Ok(action),
            false => Err(PlayError::Illegal { seat, id, legal: Box::new(legal) }),
        }
    }

    /// [`Game::apply`] for a caller that cannot vouch for the action. A refusal changes nothing.
    fn play_checked(
        &mut self,
        seat: Seat,
        action: Self::Action,
        events: &mut impl Events<Self::Event>,
    ) -> Result<(), PlayError> {
        let action = self.check_action(seat, action.id())?;
        self.apply(seat, action, events);
        Ok(())
    }

    /// [`Game::settle`] for a caller that cannot vouch for the outcome. A refusal changes nothing.
    fn settle_checked(
        &mut self,
        outcome: &Self::Outcome,
        events: &mut impl Events<Self::Event>,
    ) -> Result<(), OutcomeError> {
        if self.turn() != Turn::Chance {
            return Err(OutcomeError("no act of chance is due".to_owned()));
        }
        self.check(outcome)?;
        self.settle(outcome, events);
        Ok(())
    }

    /// Settles acts of chance until a seat owes a decision or the game is over; says how many.
    #[inline]
    fn settle_all(&mut self, luck: &mut Luck, events: &mut impl Events<Self::Event>) -> usize {
        let mut settled = 0;
        while self.turn() == Turn::Chance {
            let outcome = self.draw(luck);
            self.settle(&outcome, events);
            settled += 1;
        }
        settled
    }
}

impl<G: Game> GameExt for G {}

/// Places by points: 1 the first, ties share (1, 1, 3). `points` may be anything that is ordered,
/// such as points with a tie-break behind them.
pub fn ranks_by<P: Ord + Copy>(points: &BySeat<P>) -> BySeat<u8> {
    points.map(|own| 1 + points.values().iter().filter(|&&other| other > own).count() as u8)
}

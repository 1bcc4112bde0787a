//! Games: the trait for the rules, and the errors of illegal play.

use std::fmt;
use std::str::FromStr;

use rand::Rng;

use crate::parts::lines::{joined, joined_or};
use crate::{
    Action, ActionId, ActionSet, ChanceRng, Describe, Encode, Event, Events, GameOptions, ParseError, Seat, SeatSet,
    StateBytes, Turn, View, ViewBytes, Viewer,
};

/// A game in progress.
///
/// The state is a plain value: a clone is a copy of bytes, and there is no undo and no heap. Chance is explicit: when
/// [`turn`](Self::turn) returns [`Turn::Chance`], the caller draws an outcome and settles it.
///
/// A game may carry out steps without a choice itself if it reports them as events. It never makes the decision of a
/// seat, even if only one action is legal.
///
/// A host shows the game itself to nobody. A viewer gets a [`View`] and the visible parts of [`Event`]s. A fact that
/// no seat knows is not part of the state if an action can reveal it: chance draws it at that moment.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// The options that the players agree on before play.
    type Options: GameOptions;
    /// One decision of one seat.
    type Action: Action;
    /// The result of one chance event. Its text is exact, because a record stores it.
    type Outcome: Clone + PartialEq + fmt::Debug + fmt::Display + FromStr<Err = ParseError> + Send + 'static;
    /// The events of the game.
    type Event: Event;
    /// The knowledge of one viewer.
    type View: View + Encode + Describe;

    /// The name of the game, its rules version, its credit, and other facts about it.
    const INFO: GameInfo;

    /// Creates a game that the viewer of the view could be in. The hidden facts are random, and each such game is
    /// possible. The chance of the new game is the caller's: use a new seed. Without it, a game has no search.
    const RESAMPLE: Option<Resample<Self>> = None;

    /// The bytes of views, from which another program of the seat resamples; None for a game without them.
    const VIEW_BYTES: Option<ViewBytes<Self>> = None;

    /// Creates a game before its first ply.
    fn new(options: &Self::Options) -> Self;

    /// Returns the options of this game.
    fn options(&self) -> &Self::Options;

    /// Returns whose turn it is: chance, seats, or nobody.
    fn turn(&self) -> Turn;

    /// Returns the seats that decide together here: those that have to act, and those that have already made their secret
    /// decision beside them. They are the same from the first secret decision to the last, so they tell no order.
    fn deciders(&self) -> SeatSet {
        self.turn().to_act()
    }

    /// Clears `legal` and fills it with the legal actions of `seat`: none if the seat has no decision to make.
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet);

    /// Applies a legal action of a seat that has to decide.
    ///
    /// # Panics
    /// May panic if the action is not legal, or leave a meaningless state. Check the action first, or call
    /// [`GameExt::play_checked`].
    fn apply(&mut self, seat: Seat, action: Self::Action, events: &mut impl Events<Self::Event>);

    /// Samples the outcome of the due chance event. The game does not change.
    ///
    /// # Panics
    /// If no chance event is due.
    fn draw(&self, chance: &mut ChanceRng) -> Self::Outcome;

    /// Returns every outcome that the due chance event can have, each once, with its probability; None if they are too many to
    /// list, such as the orders of a deck, or if no chance event is due.
    fn outcomes(&self) -> Option<Vec<(Self::Outcome, f64)>> {
        None
    }

    /// Refuses an outcome that the due chance event cannot have, with the reason. By default, those of [`Self::outcomes`] are
    /// possible, and a game that lists none has to check them itself.
    fn check(&self, outcome: &Self::Outcome) -> Result<(), OutcomeError> {
        let all = self.outcomes().unwrap_or_default();
        let listed = || joined(all.iter().map(|(possible, _)| format!("\"{possible}\"")), ", ");
        let fault = || OutcomeError(format!("expected one of the outcomes {}, got \"{outcome}\"", listed()));
        ensure(all.iter().any(|(possible, _)| possible == outcome), fault)
    }

    /// Applies a possible outcome of the due chance event.
    ///
    /// # Panics
    /// May panic on any other outcome, or leave a meaningless state: see [`GameExt::settle_checked`].
    fn settle(&mut self, outcome: &Self::Outcome, events: &mut impl Events<Self::Event>);

    /// Returns everything that `viewer` knows.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// Removes from a view what others have done in the simultaneous decision that the viewer has to make, such as that a
    /// bid is sealed: a search must not depend on who was faster. By default, a game has no such decisions.
    fn forget_simultaneous(_view: &mut Self::View) {}

    /// Writes the whole state in a fixed order: equal states write equal bytes. By default these are those of its `Debug` text,
    /// so that a renamed field changes fingerprints.
    fn write_state(&self, state: &mut StateBytes) {
        state.bytes(format!("{self:?}").as_bytes());
    }
}

/// A function that creates a game from what a viewer knows: see [`Game::RESAMPLE`].
pub type Resample<G> = fn(&<G as Game>::View, &mut dyn Rng) -> G;

/// The facts about a game that do not depend on its options or players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// The name of the game in the catalog, in records, and on the wire.
    pub id: &'static str,
    /// The version of the rules. It rises with every change that makes an old record play differently or a seed mean
    /// another game.
    pub rules: u32,
    /// An upper bound on the plies of a game. It proves that games end, and is no estimate of their length.
    pub max_plies: usize,
    /// The title for people.
    pub title: &'static str,
    /// A description of the game in a few sentences.
    pub about: &'static str,
    /// The authors and owners of the game, as far as known, and a statement that this implementation is unofficial.
    pub credit: &'static str,
    /// The components that we reconstructed; empty if there are none.
    pub reconstructed: &'static str,
    /// The rules in our own words, as Markdown: the subject, and topics below headings of the second level. Every game has the
    /// topics Goal, Setup, Turn, Scoring, Rulings, and Glossary. Actions and options are in the tables of the game.
    pub rules_page: &'static str,
    /// The colours of the pieces of the printed game, by seat, as names of CSS; empty if seats have no colours, or if chance
    /// gives them. Pictures have one palette for all games, which people who confuse red and green can tell apart.
    pub seat_colours: &'static [&'static str],
}

impl GameInfo {
    /// Creates the facts about a game of which nothing else is told: `GameInfo { title: "Kuhn poker", ..GameInfo::new(…) }`.
    pub const fn new(id: &'static str, max_plies: usize) -> Self {
        Self {
            id,
            rules: 1,
            max_plies,
            title: id,
            about: "",
            credit: "",
            reconstructed: "",
            rules_page: "",
            seat_colours: &[],
        }
    }
}

/// The reason why the due chance event cannot have an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeError(pub String);

impl fmt::Display for OutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OutcomeError {}

/// Returns the fault as an error if the condition does not hold.
pub fn ensure<E>(holds: bool, fault: impl FnOnce() -> E) -> Result<(), E> {
    if holds { Ok(()) } else { Err(fault()) }
}

/// The reason why the rules refuse an action. The game does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// The game is over.
    Over,
    /// The seat has no decision to make.
    NotYourDecision {
        /// The seat of the request.
        seat: Seat,
        /// The seats that have to decide.
        to_act: SeatSet,
    },
    /// No action has this id.
    NoSuchAction {
        /// The unknown id.
        id: ActionId,
        /// The number of ids in the game.
        count: usize,
    },
    /// The action exists but is not legal now.
    Illegal {
        /// The seat of the request.
        seat: Seat,
        /// The refused action.
        id: ActionId,
        /// The legal actions of the seat.
        legal: Box<ActionSet>,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the game is over"),
            Self::NotYourDecision { seat, to_act } => {
                let to_act = joined_or(to_act.iter(), ", ", "none");
                write!(f, "seat {seat} has no decision to make; seats to act: {to_act}")
            }
            Self::NoSuchAction { id, count } => write!(f, "expected an action id from 0 to {}, got {id}", count - 1),
            Self::Illegal { seat, id, legal } => {
                write!(f, "seat {seat}: action {id} is not legal; legal ids: {}", legal.ranges())
            }
        }
    }
}

impl std::error::Error for PlayError {}

/// The methods that all games share.
pub trait GameExt: Game {
    /// Returns the action with this id if it is legal for `seat` now; otherwise the reason of the refusal.
    fn check_action(&self, seat: Seat, id: ActionId) -> Result<Self::Action, PlayError> {
        let turn = self.turn();
        if turn == Turn::Over {
            return Err(PlayError::Over);
        }
        if !turn.to_act().contains(seat) {
            return Err(PlayError::NotYourDecision { seat, to_act: turn.to_act() });
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

    /// Checks an action and applies it with [`Game::apply`]. A refusal changes nothing.
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

    /// Checks an outcome and applies it with [`Game::settle`]. A refusal changes nothing.
    fn settle_checked(
        &mut self,
        outcome: &Self::Outcome,
        events: &mut impl Events<Self::Event>,
    ) -> Result<(), OutcomeError> {
        if self.turn() != Turn::Chance {
            return Err(OutcomeError("no chance event is due".to_owned()));
        }
        self.check(outcome)?;
        self.settle(outcome, events);
        Ok(())
    }

    /// Creates a game that the viewer of `view` could be in: see [`Game::RESAMPLE`].
    ///
    /// # Panics
    /// If the game has no such function.
    fn resample(view: &Self::View, rng: &mut dyn Rng) -> Self {
        Self::RESAMPLE.expect("the game can be resampled")(view, rng)
    }

    /// Settles chance events until a seat has to decide or the game is over, and returns their number.
    #[inline]
    fn settle_all(&mut self, chance: &mut ChanceRng, events: &mut impl Events<Self::Event>) -> usize {
        let mut settled = 0;
        while self.turn() == Turn::Chance {
            let outcome = self.draw(chance);
            self.settle(&outcome, events);
            settled += 1;
        }
        settled
    }
}

impl<G: Game> GameExt for G {}

//! Games: the traits for rules and views, and the errors of illegal play.

use std::fmt;
use std::str::FromStr;

use rand::Rng;

use crate::core::{
    Action, ActionId, ActionSet, BySeat, ChanceRng, Event, Events, GameOptions, ParseError, Seat, SeatSet, Sink,
    StateBytes, Turn, Viewer,
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
    type View: View;

    /// The name of the game, its rules version, its credit, and other facts about it.
    const INFO: GameInfo;

    /// Creates a game before its first ply.
    fn new(options: &Self::Options) -> Self;

    /// Returns the options of this game.
    fn options(&self) -> &Self::Options;

    /// Returns whose turn it is: chance, seats, or nobody.
    fn turn(&self) -> Turn;

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

    /// Refuses an outcome that the due chance event cannot have, with the reason.
    fn check(&self, outcome: &Self::Outcome) -> Result<(), OutcomeError>;

    /// Applies a possible outcome of the due chance event.
    ///
    /// # Panics
    /// May panic on any other outcome, or leave a meaningless state: see [`GameExt::settle_checked`].
    fn settle(&mut self, outcome: &Self::Outcome, events: &mut impl Events<Self::Event>);

    /// Returns everything that `viewer` knows.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// Creates a game that the viewer of `view` could be in. The hidden facts are random, and each such game is
    /// possible. The chance of the new game is the caller's: use a new seed.
    fn resample(view: &Self::View, rng: &mut dyn Rng) -> Self;

    /// Removes from a view what others have done in the simultaneous decision that the viewer has to make, such as that a
    /// bid is sealed: a search must not depend on who was faster. By default, a game has no such decisions.
    fn forget_simultaneous(_view: &mut Self::View) {}

    /// Writes the whole state in a fixed order: equal states write equal bytes.
    fn write_state(&self, state: &mut StateBytes);
}

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

/// Everything that one viewer knows of a game: the visible facts, and the past facts that still matter.
///
/// Tensors, texts, and typed messages read a view and never a game. Parsers read neither. `Display` writes the table
/// for people, in lines of at most 80 characters.
pub trait View: Clone + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// The count of bits in an observation.
    const BITS: usize;
    /// The count of numbers in an observation.
    const NUMBERS: usize;

    /// Returns the viewer with this knowledge.
    fn viewer(&self) -> Viewer;

    /// Writes the fields. Their order and shapes are the same for every view of the game.
    fn write(&self, sink: &mut impl Sink);

    /// Returns the shown view: the part of the view that the host may send. It leaves out facts that the viewer could
    /// know from what it has seen, such as others' holdings after open trades, but that a ruling or a `*_view` option
    /// keeps out of displays. Resampling and invariants use the whole view. By default nothing is left out.
    #[must_use]
    fn shown(self) -> Self {
        self
    }

    /// Returns the points that final scoring would give if the game ended now, as far as the viewer can count. At the
    /// end all viewers can count all points.
    fn scores(&self) -> BySeat<i32>;

    /// Returns the ranks by the rulebook's tie-breaks, as far as the viewer can tell: 1 is first, and ties share
    /// (1, 1, 3). At the end all viewers can tell all ranks.
    fn ranks(&self) -> BySeat<u8>;

    /// Returns the parts of the scores by source, such as `glory`. They sum up to [`Self::scores`].
    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)>;

    /// Returns the point in the turn, which is the first line of the table.
    fn headline(&self) -> String;

    /// Returns the picture of the table as SVG (`parts::svg` has its form). What differs from `before`, an earlier
    /// view of the same viewer, is marked.
    fn svg(&self, before: Option<&Self>) -> String;

    /// Returns the cards and goods by which the viewer decides, such as `hand F4 W5`, in one line; empty for the public.
    fn holdings(&self) -> String;

    /// Returns the decision that the viewer owes, as a person is asked for it: what may be done, with its prices, its yields,
    /// and its limits, in one line and in words for "you". It is empty if the viewer owes none.
    fn question(&self) -> String;

    /// The explanation of the signs in the text, which is a part of it; empty if it has no signs.
    const LEGEND: &'static str = "";

    /// Returns what the scores of this view leave out, such as `sacrifice cards`; None if they count everything.
    fn uncounted(&self) -> Option<&'static str> {
        None
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
            Self::NotYourDecision { seat, to_act } if to_act.is_empty() => {
                write!(f, "seat {seat} has no decision to make; seats to act: none")
            }
            Self::NotYourDecision { seat, to_act } => {
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

/// Returns the ranks by points: 1 is first, and ties share (1, 1, 3). `points` may have any ordered type, such as
/// points followed by a tie-break.
pub fn ranks_by<P: Ord + Copy>(points: &BySeat<P>) -> BySeat<u8> {
    points.map(|own| 1 + points.values().iter().filter(|&&other| other > own).count() as u8)
}

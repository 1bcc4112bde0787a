//! Type-erased games: the entries of the catalog, and the games that a referee holds.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use rand::Rng;

use super::bench::{Measurement, Plan};
use super::bots::Bot;
use super::vector::{AnyVectorEnv, EnvConfig, RowSize, VectorEnv};
use super::wire::{CatalogGame, WireEvent, WireRules, WireView};
use crate::core::parse::did_you_mean;
use crate::core::{
    Action, ActionGroup, ActionId, ActionSet, BySeat, ChanceRng, Event, Fingerprint, Game, GameExt, GameInfo,
    GameOptions, Layout, OptionError, OptionKind, OutcomeError, ParseError, PlayError, Seat, Seats, Seed, Tensor, Turn,
    View, Viewer, options,
};

/// The rules of a game.
pub trait AnyRules: fmt::Debug + Sync + WireRules {
    /// Returns the name of the game, its rules version, its credit, and other facts about it.
    fn info(&self) -> &'static GameInfo;
    /// Returns the range of seat counts.
    fn seats(&self) -> RangeInclusive<usize>;
    /// Returns the options of the game.
    fn options(&self) -> Vec<OptionInfo>;
    /// Returns the number of action ids.
    fn action_count(&self) -> usize;
    /// Returns the groups of action ids.
    fn action_groups(&self) -> &'static [ActionGroup];
    /// Returns the counts of bits and of numbers in an observation.
    fn observation_size(&self) -> (usize, usize);
    /// Returns the layout of observations.
    fn layout(&self) -> Layout;
    /// Returns the bots of the game, each with a sentence about it.
    fn bots(&self) -> Vec<(&'static str, &'static str)>;

    /// Checks the seats and options of a game, and returns its setup.
    fn configure(&self, seats: usize, given: &[(&str, &str)]) -> Result<Setup, OptionError>;
    /// Creates a game before its first ply.
    ///
    /// # Panics
    /// If `setup` belongs to another game.
    fn game(&self, setup: &Setup) -> Box<dyn AnyGame>;
    /// Returns the bot with this name.
    fn bot(&self, name: &str) -> Result<BotName, ParseError>;
    /// Returns the canonical text of an action; None if no action has this id.
    fn action_text(&self, id: ActionId) -> Option<String>;
    /// Parses the text of an action.
    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError>;
    /// Returns the number of bytes of a row in each block, for environments of this game.
    fn row_size(&self, setup: &Setup) -> RowSize;
    /// Creates `count` environments of the game. Environment i has the seed `seed` plus i.
    ///
    /// # Panics
    /// Like [`VectorEnv::new`], and if `setup` belongs to another game.
    fn environments(&self, setup: &Setup, env_config: EnvConfig, seed: Seed, count: usize) -> Box<dyn AnyVectorEnv>;
    /// Measures the speed of the game.
    fn bench(&self, setup: &Setup, plan: Plan) -> Measurement;
}

/// A game in progress, of any rules.
pub trait AnyGame: fmt::Debug + Send {
    /// Returns whose turn it is: chance, seats, or nobody.
    fn turn(&self) -> Turn;
    /// Returns the legal actions of `seat`.
    fn legal_actions(&self, seat: Seat) -> ActionSet;
    /// Applies an action. A refusal changes nothing.
    fn play(&mut self, seat: Seat, id: ActionId, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), PlayError>;
    /// Samples the outcome of the due chance event and returns its text. The game does not change.
    ///
    /// # Panics
    /// If no chance event is due.
    fn draw(&self, chance: &mut ChanceRng) -> String;
    /// Draws the outcome of the due chance event, applies it, and returns its text.
    ///
    /// # Panics
    /// If no chance event is due.
    fn settle(&mut self, chance: &mut ChanceRng, events: &mut Vec<Box<dyn AnyEvent>>) -> String;
    /// Applies the outcome with this text. A refusal changes nothing.
    fn settle_text(&mut self, outcome: &str, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), SettleError>;
    /// Returns the action that `bot` chooses for `seat`, which has to decide.
    fn bot_choice(&self, bot: BotName, seat: Seat, rng: &mut dyn Rng) -> ActionId;
    /// Returns the shown view of `viewer`.
    fn view(&self, viewer: Viewer) -> Box<dyn AnyView>;
    /// Returns the fingerprint of the state.
    fn fingerprint(&self) -> Fingerprint;
}

/// The shown view of one viewer.
pub trait AnyView: fmt::Debug + Send + WireView {
    /// Returns the table as text for people.
    fn text(&self) -> String;
    /// Fills the blocks of an observation. The layout has their sizes.
    fn write(&self, bits: &mut [u64], numbers: &mut [i16]);
    /// Returns the points so far, as far as the viewer can count them.
    fn scores(&self) -> BySeat<i32>;
    /// Returns the current ranks, as far as the viewer can tell.
    fn ranks(&self) -> BySeat<u8>;
}

/// An event of any game.
pub trait AnyEvent: fmt::Debug + Send + Sync + WireEvent {
    /// Returns true if the event is visible to `viewer`.
    fn is_visible_to(&self, viewer: Viewer) -> bool;
    /// Returns the sentence that `viewer` is told; None if the event is not visible to the viewer.
    fn text_for(&self, viewer: Viewer) -> Option<String>;
}

/// The seats and options of one game, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The number of seats.
    pub seats: Seats,
    /// The game's options in its order, each with its value.
    pub options: Vec<(&'static str, String)>,
}

/// Writes every option: `seats=4 combine_rule=false …`.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seats={}", self.seats)?;
        self.options.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}

/// One option of a game, as the catalog lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// The name of the option.
    pub key: &'static str,
    /// The values that the option takes.
    pub kind: OptionKind,
    /// The default for each seat count, from the lowest to the highest.
    pub defaults: Vec<String>,
    /// The effect on play.
    pub meaning: &'static str,
}

/// A bot of one game, found by name: see [`AnyRules::bot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotName(usize);

impl BotName {
    /// Returns the bot from the list of its game.
    pub(super) fn of<G: Game>(self, bots: &'static [Bot<G>]) -> &'static Bot<G> {
        &bots[self.0]
    }
}

/// The reason why the text of a chance outcome is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleError {
    /// The text does not follow the grammar of outcomes.
    Unreadable(ParseError),
    /// The outcome is impossible at this point.
    Impossible(OutcomeError),
}

/// The rules of `G` and its bots.
pub struct Rules<G: Game> {
    bots: &'static [Bot<G>],
}

impl<G: Game> Rules<G> {
    /// Creates an entry of the catalog.
    pub const fn new(bots: &'static [Bot<G>]) -> Self {
        const {
            assert!(
                G::View::BITS <= 2048 && G::View::NUMBERS <= 128,
                "an observation has at most 2,048 bits and 128 numbers"
            );
        }
        Self { bots }
    }
}

impl<G: Game> fmt::Debug for Rules<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rules").field(&G::INFO.id).finish()
    }
}

impl<G: CatalogGame> AnyRules for Rules<G> {
    fn info(&self) -> &'static GameInfo {
        const { &G::INFO }
    }

    fn seats(&self) -> RangeInclusive<usize> {
        G::Options::MIN_SEATS..=G::Options::MAX_SEATS
    }

    fn options(&self) -> Vec<OptionInfo> {
        let tables = || AnyRules::seats(self).filter_map(Seats::new).map(G::Options::new);
        let specs = G::Options::SPECS.iter();
        let info = specs.map(|spec| OptionInfo {
            key: spec.key,
            kind: spec.kind,
            defaults: tables().map(|options| spec.kind.text((spec.get)(&options))).collect(),
            meaning: spec.meaning,
        });
        info.collect()
    }

    fn action_count(&self) -> usize {
        G::Action::COUNT
    }

    fn action_groups(&self) -> &'static [ActionGroup] {
        G::Action::GROUPS
    }

    fn observation_size(&self) -> (usize, usize) {
        (G::View::BITS, G::View::NUMBERS)
    }

    fn layout(&self) -> Layout {
        let fewest = Seats::new(G::Options::MIN_SEATS).expect("a game has seats");
        let mut layout = Layout::default();
        G::new(&G::Options::new(fewest)).view(Viewer::Public).write(&mut layout);
        assert_eq!((layout.bit_count(), layout.number_count()), self.observation_size());
        layout
    }

    fn bots(&self) -> Vec<(&'static str, &'static str)> {
        self.bots.iter().map(|bot| (bot.name, bot.about)).collect()
    }

    fn configure(&self, seats: usize, given: &[(&str, &str)]) -> Result<Setup, OptionError> {
        let options: G::Options = options::read(seats, given.iter().copied())?;
        Ok(Setup { seats: options.seats(), options: options::list(&options).collect() })
    }

    fn game(&self, setup: &Setup) -> Box<dyn AnyGame> {
        Box::new(ErasedGame::<G> { game: G::new(&typed::<G>(setup)), bots: self.bots, happened: Vec::new() })
    }

    fn bot(&self, name: &str) -> Result<BotName, ParseError> {
        self.bots.iter().position(|bot| bot.name == name).map(BotName).ok_or_else(|| {
            let names: Vec<_> = self.bots.iter().map(|bot| bot.name).collect();
            let hint = did_you_mean(name, names.iter().copied());
            ParseError::new(0, format!("unknown bot \"{name}\"{hint} (expected one of {})", names.join(", ")))
        })
    }

    fn action_text(&self, id: ActionId) -> Option<String> {
        G::Action::from_id(id).map(|action| action.to_string())
    }

    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError> {
        text.parse::<G::Action>().map(Action::id)
    }

    fn row_size(&self, setup: &Setup) -> RowSize {
        RowSize::of::<G>(setup.seats)
    }

    fn environments(&self, setup: &Setup, env_config: EnvConfig, seed: Seed, count: usize) -> Box<dyn AnyVectorEnv> {
        Box::new(VectorEnv::<G>::new(typed::<G>(setup), self.bots, env_config, seed, count))
    }

    fn bench(&self, setup: &Setup, plan: Plan) -> Measurement {
        super::bench::measure::<G>(&typed::<G>(setup), plan)
    }
}

/// Returns the setup's options as the game's own type.
fn typed<G: Game>(setup: &Setup) -> G::Options {
    let given = setup.options.iter().map(|(key, value)| (*key, value.as_str()));
    options::read(setup.seats.count(), given).expect("the setup belongs to this game")
}

/// A game and its bots. It is a wrapper, so that a typed game has no second set of methods.
#[derive(Debug)]
struct ErasedGame<G: Game> {
    game: G,
    bots: &'static [Bot<G>],
    /// The events of the current ply.
    happened: Vec<G::Event>,
}

impl<G: CatalogGame> ErasedGame<G> {
    fn report(&mut self, events: &mut Vec<Box<dyn AnyEvent>>) {
        events.extend(self.happened.drain(..).map(|event| Box::new(ErasedEvent::<G>(event)) as Box<dyn AnyEvent>));
    }
}

impl<G: CatalogGame> AnyGame for ErasedGame<G> {
    fn turn(&self) -> Turn {
        self.game.turn()
    }

    fn legal_actions(&self, seat: Seat) -> ActionSet {
        let mut legal = ActionSet::of::<G::Action>();
        self.game.legal_actions(seat, &mut legal);
        legal
    }

    fn play(&mut self, seat: Seat, id: ActionId, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), PlayError> {
        let action = self.game.check_action(seat, id)?;
        self.game.apply(seat, action, &mut self.happened);
        self.report(events);
        Ok(())
    }

    fn draw(&self, chance: &mut ChanceRng) -> String {
        self.game.draw(chance).to_string()
    }

    fn settle(&mut self, chance: &mut ChanceRng, events: &mut Vec<Box<dyn AnyEvent>>) -> String {
        let outcome = self.game.draw(chance);
        self.game.settle(&outcome, &mut self.happened);
        self.report(events);
        outcome.to_string()
    }

    fn settle_text(&mut self, outcome: &str, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), SettleError> {
        let outcome = read_exactly::<G::Outcome>(outcome).map_err(SettleError::Unreadable)?;
        self.game.settle_checked(&outcome, &mut self.happened).map_err(SettleError::Impossible)?;
        self.report(events);
        Ok(())
    }

    fn bot_choice(&self, bot: BotName, seat: Seat, rng: &mut dyn Rng) -> ActionId {
        (bot.of(self.bots).choose)(&self.game.view(Viewer::Seat(seat)).shown(), &self.legal_actions(seat), rng).id()
    }

    fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        Box::new(ErasedView::<G>(self.game.view(viewer).shown()))
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.game)
    }
}

#[derive(Debug)]
pub(super) struct ErasedView<G: Game>(pub(super) G::View);

impl<G: CatalogGame> AnyView for ErasedView<G> {
    fn text(&self) -> String {
        self.0.to_string()
    }

    fn write(&self, bits: &mut [u64], numbers: &mut [i16]) {
        Tensor::fill(bits, numbers, &self.0);
    }

    fn scores(&self) -> BySeat<i32> {
        self.0.scores()
    }

    fn ranks(&self) -> BySeat<u8> {
        self.0.ranks()
    }
}

#[derive(Debug)]
pub(super) struct ErasedEvent<G: Game>(pub(super) G::Event);

impl<G: CatalogGame> AnyEvent for ErasedEvent<G> {
    fn is_visible_to(&self, viewer: Viewer) -> bool {
        self.0.visible_to(viewer).is_some()
    }

    fn text_for(&self, viewer: Viewer) -> Option<String> {
        self.0.visible_to(viewer).map(|visible| visible.to_string())
    }
}

/// Parses an outcome in its canonical spelling alone, so that a match has one record.
fn read_exactly<O: fmt::Display + FromStr<Err = ParseError>>(text: &str) -> Result<O, ParseError> {
    let outcome: O = text.parse()?;
    let written = outcome.to_string();
    let at = written.bytes().zip(text.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
    match written == text {
        true => Ok(outcome),
        false => Err(ParseError::new(at, format!("expected the spelling \"{written}\""))),
    }
}

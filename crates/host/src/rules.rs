//! The rules of a game as the catalog holds them, and setups: rules, seats, and options, checked.
//!
//! A setup is typed inside. [`AnyRules::configure`] checks rules, seats, and options once, and they travel as one [`Setup`]. It
//! makes games, environments, and speed measurements, and cannot be combined with other rules.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

#[cfg(feature = "messages")]
use ahu_core::Seat;
use ahu_core::{
    Action, ActionGroup, ActionId, Describe as _, Encode as _, Game, GameInfo, GameOptions, Layout, OptionError,
    OptionKind, ParseError, Seats, Seed, Tint, Viewer, options,
};
use rand::Rng;

use super::any_game::erased;
use super::nets::NetId;
use super::speed::{self, Measurement, SpeedPlan};
#[cfg(feature = "messages")]
use super::typed_message::{Any, DataFile, MessageNames, Messages, Wire};
use super::{AnyGame, Bot, BotName, CatalogVectorEnv, EnvConfig, RANDOM, RowSize, STAND_IN, VectorEnv};

/// The rules of a game.
pub trait AnyRules: fmt::Debug + Sync {
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
    fn configure(&'static self, seats: usize, given: &[(&str, &str)]) -> Result<Setup, OptionError>;
    /// Returns a game that the viewer of these bytes could be in, with its setup, and the viewer: see
    /// [`ahu_core::ViewBytes::resample`].
    fn resampled(&'static self, bytes: &[u8], rng: &mut dyn Rng) -> Result<(Setup, Box<dyn AnyGame>, Viewer), String>;
    /// Returns the bot with this name. A net has to be loaded: see [`nets::load`](super::nets::load).
    fn bot(&self, name: &str) -> Result<BotName, ParseError>;
    /// Returns the bot with this name, as a record has it: a net need not be loaded.
    fn recorded_bot(&self, name: &str) -> Result<BotName, ParseError> {
        self.bot(name).or_else(|error| NetId::read(name).map(BotName::of_net).ok_or(error))
    }
    /// Returns the bot that plays on for a seat that has forfeited, unless the terms name another: the newest `greedy`, or
    /// `random` where a game has none.
    fn stand_in(&self) -> BotName {
        self.bot(STAND_IN).or_else(|_| self.bot(RANDOM)).expect("every game has the bot random")
    }
    /// Returns the canonical text of an action; None if no action has this id.
    fn action_text(&self, id: ActionId) -> Option<String>;
    /// Returns the colour of a word in the texts of the game: see [`Describe::tint`](ahu_core::Describe::tint).
    fn tint(&self, word: &str) -> Option<Tint>;
    /// Parses the text of an action.
    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError>;

    /// Returns the full names of the game's message types.
    #[cfg(feature = "messages")]
    fn message_names(&self) -> MessageNames;
    /// Returns the data of the components, by file.
    #[cfg(feature = "messages")]
    fn data_files(&self) -> Vec<DataFile>;
    /// Returns the message of the action with this id, taken by `seat`; None if no action has the id.
    #[cfg(feature = "messages")]
    fn action_message(&self, id: ActionId, seat: Seat, seats: Seats) -> Option<Any>;
    /// Reads the action of `seat` from a message; an error describes the fault.
    #[cfg(feature = "messages")]
    fn read_action(&self, message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String>;
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

/// The rules, seats, and options of one game, checked. Clones share them.
pub type Setup = Arc<dyn AnySetup>;

/// The rules, seats, and options of one game, checked: see [`AnyRules::configure`].
pub trait AnySetup: Send + Sync {
    /// Returns the rules of the game.
    fn rules(&self) -> &'static dyn AnyRules;
    /// Returns the seats.
    fn seats(&self) -> Seats;
    /// Returns the game's options in its order, each with its value.
    fn options(&self) -> Vec<(&'static str, String)>;
    /// Returns the names of the data files that the game uses.
    #[cfg(feature = "messages")]
    fn data_files(&self) -> Vec<&'static str>;
    /// Creates a game before its first ply.
    fn game(&self) -> Box<dyn AnyGame>;
    /// Creates `count` environments of the game. Environment i has the seed `seed` plus i.
    ///
    /// # Panics
    /// Like [`VectorEnv::new`].
    fn environments(&self, env_config: EnvConfig, seed: Seed, count: usize) -> Box<dyn CatalogVectorEnv>;
    /// Returns the number of bytes of a row in each column, for environments of this game.
    fn row_size(&self) -> RowSize;
    /// Measures the speed of the game.
    fn measure_speed(&self, plan: SpeedPlan) -> Measurement;
}

/// Compares game, seats, and options.
impl PartialEq for dyn AnySetup {
    fn eq(&self, other: &Self) -> bool {
        let key = |setup: &Self| (setup.rules().info().id, setup.seats(), setup.options());
        key(self) == key(other)
    }
}

impl Eq for dyn AnySetup {}

impl fmt::Debug for dyn AnySetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {self}", self.rules().info().id)
    }
}

/// Writes every option: `seats=4 combine_rule=false …`.
impl fmt::Display for dyn AnySetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seats={}", self.seats())?;
        self.options().iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}

struct TypedSetup<G: Game> {
    rules: &'static Rules<G>,
    options: G::Options,
}

impl<G: Game> AnySetup for TypedSetup<G> {
    fn rules(&self) -> &'static dyn AnyRules {
        self.rules
    }

    fn seats(&self) -> Seats {
        self.options.seats()
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        options::list(&self.options).collect()
    }

    #[cfg(feature = "messages")]
    fn data_files(&self) -> Vec<&'static str> {
        (self.rules.messages.data_files_of)(&self.options)
    }

    fn game(&self) -> Box<dyn AnyGame> {
        erased(G::new(&self.options), self.rules)
    }

    fn environments(&self, env_config: EnvConfig, seed: Seed, count: usize) -> Box<dyn CatalogVectorEnv> {
        Box::new(VectorEnv::<G>::new(self.options, self.rules, env_config, seed, count))
    }

    fn row_size(&self) -> RowSize {
        RowSize::of::<G>(self.options.seats())
    }

    fn measure_speed(&self, plan: SpeedPlan) -> Measurement {
        speed::measure::<G>(&self.options, plan)
    }
}

/// The rules of `G`, its bots, and its messages.
#[derive(Debug)]
pub struct Rules<G: Game> {
    pub(super) bots: &'static [Bot<G>],
    #[cfg(feature = "messages")]
    pub(super) messages: Messages<G>,
}

impl<G: Game> Rules<G> {
    /// Creates the rules of a game whose messages are texts.
    pub const fn new(bots: &'static [Bot<G>]) -> Self {
        const {
            assert!(
                G::View::BITS <= 2048 && G::View::NUMBERS <= 128,
                "an observation has at most 2,048 bits and 128 numbers"
            );
        }
        Self {
            bots,
            #[cfg(feature = "messages")]
            messages: Messages::text(),
        }
    }
}

#[cfg(feature = "messages")]
impl<G: Wire> Rules<G> {
    /// Creates the rules of a game that has messages of its own.
    pub const fn with_messages(bots: &'static [Bot<G>]) -> Self {
        Self { messages: Messages::typed(), ..Self::new(bots) }
    }
}

impl<G: Game> AnyRules for Rules<G> {
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

    fn configure(&'static self, seats: usize, given: &[(&str, &str)]) -> Result<Setup, OptionError> {
        let options: G::Options = options::read(seats, given.iter().copied())?;
        Ok(Arc::new(TypedSetup { rules: self, options }))
    }

    fn resampled(&'static self, bytes: &[u8], rng: &mut dyn Rng) -> Result<(Setup, Box<dyn AnyGame>, Viewer), String> {
        let view_bytes = G::VIEW_BYTES
            .ok_or_else(|| format!("the game {} has no views as bytes: it has no `VIEW_BYTES`", G::INFO.id))?;
        let (game, viewer) = view_bytes.resample(bytes, rng)?;
        Ok((Arc::new(TypedSetup { rules: self, options: *game.options() }), erased(game, self), viewer))
    }

    fn bot(&self, name: &str) -> Result<BotName, ParseError> {
        BotName::find(name, self.bots)
    }

    fn action_text(&self, id: ActionId) -> Option<String> {
        G::Action::from_id(id).map(|action| action.to_string())
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        G::View::tint(word)
    }

    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError> {
        text.parse::<G::Action>().map(Action::id)
    }

    #[cfg(feature = "messages")]
    fn message_names(&self) -> MessageNames {
        (self.messages.names)()
    }

    #[cfg(feature = "messages")]
    fn data_files(&self) -> Vec<DataFile> {
        (self.messages.data_files)()
    }

    #[cfg(feature = "messages")]
    fn action_message(&self, id: ActionId, seat: Seat, seats: Seats) -> Option<Any> {
        G::Action::from_id(id).map(|action| (self.messages.action)(action, seat, seats))
    }

    #[cfg(feature = "messages")]
    fn read_action(&self, message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String> {
        (self.messages.read_action)(message, seat, seats)
    }
}

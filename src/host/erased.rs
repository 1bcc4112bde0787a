//! Games with their type forgotten: what a catalog lists and a referee holds.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use rand::Rng;

use super::bench::{Measured, Plan};
use super::bots::Bot;
use super::vector::{AnyVectorEnv, Arrangement, RowSize, VectorEnv};
use super::wire::{Listed, WireEvent, WireRules, WireView};
use crate::core::parse::did_you_mean;
use crate::core::{
    Action, ActionGroup, ActionId, ActionSet, BySeat, Event, Fingerprint, Game, GameExt, GameInfo, GameOptions, Layout,
    Luck, OptionError, OptionKind, OutcomeError, ParseError, PlayError, Seat, Seats, Seed, Tensor, Turn, View, Viewer,
    options,
};

/// The rules of a game.
pub trait AnyRules: fmt::Debug + Sync + WireRules {
    /// What the game is called, which version of its rules this is, and whose it is.
    fn info(&self) -> &'static GameInfo;
    /// How many can play.
    fn seats(&self) -> RangeInclusive<usize>;
    /// The options that it has.
    fn options(&self) -> Vec<OptionInfo>;
    /// How many action ids it has.
    fn action_count(&self) -> usize;
    /// What the ids stand for.
    fn action_groups(&self) -> &'static [ActionGroup];
    /// How many bits and how many numbers an observation has.
    fn observation_size(&self) -> (usize, usize);
    /// The layout of its observations.
    fn layout(&self) -> Layout;
    /// The bots that play it, with a sentence about each.
    fn bots(&self) -> Vec<(&'static str, &'static str)>;

    /// Checks what is to be agreed before play.
    fn agree(&self, seats: usize, given: &[(&str, &str)]) -> Result<Agreed, OptionError>;
    /// A game before its first ply.
    ///
    /// # Panics
    /// Where `agreed` was agreed for another game.
    fn game(&self, agreed: &Agreed) -> Box<dyn AnyGame>;
    /// The bot of this name.
    fn bot(&self, name: &str) -> Result<BotName, ParseError>;
    /// The canonical text of an action, if there is one with this id.
    fn action_text(&self, id: ActionId) -> Option<String>;
    /// The action that `text` names.
    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError>;
    /// How many bytes a row of its environments has.
    fn row_size(&self, agreed: &Agreed) -> RowSize;
    /// `count` environments of it; environment i is seeded with `seed` plus i.
    ///
    /// # Panics
    /// As [`VectorEnv::new`], and where `agreed` was agreed for another game.
    fn environments(
        &self,
        agreed: &Agreed,
        arrangement: Arrangement,
        seed: Seed,
        count: usize,
    ) -> Box<dyn AnyVectorEnv>;
    /// Measures how fast it is played.
    fn bench(&self, agreed: &Agreed, plan: Plan) -> Measured;
}

/// A game in progress, of any rules.
pub trait AnyGame: fmt::Debug + Send {
    /// Who moves the game on.
    fn turn(&self) -> Turn;
    /// What `seat` may do now.
    fn legal_actions(&self, seat: Seat) -> ActionSet;
    /// Carries out an action; a refusal changes nothing.
    fn play(&mut self, seat: Seat, id: ActionId, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), PlayError>;
    /// Samples what the chance that is due brings, in words. The game does not change.
    ///
    /// # Panics
    /// Where it is not the turn of chance.
    fn draw(&self, luck: &mut Luck) -> String;
    /// Draws what the chance that is due brings, applies it and says it in words.
    ///
    /// # Panics
    /// Where it is not the turn of chance.
    fn settle(&mut self, luck: &mut Luck, events: &mut Vec<Box<dyn AnyEvent>>) -> String;
    /// Applies an outcome in words; a refusal changes nothing.
    fn settle_text(&mut self, outcome: &str, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), SettleError>;
    /// What `bot` does as `seat`, which owes a decision.
    fn ask(&self, bot: BotName, seat: Seat, rng: &mut dyn Rng) -> ActionId;
    /// What `viewer` may be shown.
    fn view(&self, viewer: Viewer) -> Box<dyn AnyView>;
    /// The fingerprint of the state.
    fn fingerprint(&self) -> Fingerprint;
}

/// What one viewer may be shown of a game.
pub trait AnyView: fmt::Debug + Send + WireView {
    /// The table as people read it.
    fn text(&self) -> String;
    /// Fills the blocks of an observation, whose sizes the layout names.
    fn write(&self, bits: &mut [u64], numbers: &mut [i16]);
    /// Points so far, as far as the viewer can count them.
    fn scores(&self) -> BySeat<i32>;
    /// Places as things stand, as far as the viewer can tell.
    fn ranks(&self) -> BySeat<u8>;
}

/// Something that happened.
pub trait AnyEvent: fmt::Debug + Send + Sync + WireEvent {
    /// Whether `viewer` is told of it.
    fn is_seen_by(&self, viewer: Viewer) -> bool;
    /// What `viewer` is told of it, as a sentence.
    fn seen_by(&self, viewer: Viewer) -> Option<String>;
}

/// What is agreed before a game, checked: the seats, and every option with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// How many play.
    pub seats: Seats,
    /// The game's options in its order, each with its value.
    pub options: Vec<(&'static str, String)>,
}

/// `seats=4 combine_rule=false …`, every option named.
impl fmt::Display for Agreed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seats={}", self.seats)?;
        self.options.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}

/// One option of a game, as the catalog lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// Which values it takes.
    pub kind: OptionKind,
    /// Its value unless another is given, for each seat count from the fewest to the most.
    pub defaults: Vec<String>,
    /// What it changes in play.
    pub meaning: &'static str,
}

/// A bot of one game, found by name: see [`AnyRules::bot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotName(usize);

impl BotName {
    /// The bot, among those of its game.
    pub(super) fn of<G: Game>(self, bots: &'static [Bot<G>]) -> &'static Bot<G> {
        &bots[self.0]
    }
}

/// Words that are no outcome that the chance that is due can bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleError {
    /// They are no outcome at all.
    Unreadable(ParseError),
    /// It cannot happen here.
    Impossible(OutcomeError),
}

/// The rules of `G`, and the bots that play it.
pub struct Rules<G: Game> {
    bots: &'static [Bot<G>],
}

impl<G: Game> Rules<G> {
    /// A line of the catalog.
    pub const fn new(bots: &'static [Bot<G>]) -> Self {
        const {
            assert!(
                G::View::BITS <= 4096 && G::View::NUMBERS <= 128,
                "an observation has at most 4,096 bits and 128 numbers"
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

impl<G: Listed> AnyRules for Rules<G> {
    fn info(&self) -> &'static GameInfo {
        const { &G::INFO }
    }

    fn seats(&self) -> RangeInclusive<usize> {
        G::Options::SEATS_MIN..=G::Options::SEATS_MAX
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
        let fewest = Seats::new(G::Options::SEATS_MIN).expect("a game has seats");
        let mut layout = Layout::default();
        G::new(&G::Options::new(fewest)).view(Viewer::Public).write(&mut layout);
        assert_eq!((layout.bit_count(), layout.number_count()), self.observation_size());
        layout
    }

    fn bots(&self) -> Vec<(&'static str, &'static str)> {
        self.bots.iter().map(|bot| (bot.name, bot.about)).collect()
    }

    fn agree(&self, seats: usize, given: &[(&str, &str)]) -> Result<Agreed, OptionError> {
        let options: G::Options = options::read(seats, given.iter().copied())?;
        Ok(Agreed { seats: options.seats(), options: options::list(&options).collect() })
    }

    fn game(&self, agreed: &Agreed) -> Box<dyn AnyGame> {
        Box::new(Erased::<G> { game: G::new(&typed::<G>(agreed)), bots: self.bots, happened: Vec::new() })
    }

    fn bot(&self, name: &str) -> Result<BotName, ParseError> {
        self.bots.iter().position(|bot| bot.name == name).map(BotName).ok_or_else(|| {
            let names: Vec<_> = self.bots.iter().map(|bot| bot.name).collect();
            let hint = did_you_mean(name, names.iter().copied());
            ParseError::new(0, format!("no bot is called \"{name}\"{hint} (there are {})", names.join(", ")))
        })
    }

    fn action_text(&self, id: ActionId) -> Option<String> {
        G::Action::from_id(id).map(|action| action.to_string())
    }

    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError> {
        text.parse::<G::Action>().map(Action::id)
    }

    fn row_size(&self, agreed: &Agreed) -> RowSize {
        RowSize::of::<G>(agreed.seats)
    }

    fn environments(
        &self,
        agreed: &Agreed,
        arrangement: Arrangement,
        seed: Seed,
        count: usize,
    ) -> Box<dyn AnyVectorEnv> {
        Box::new(VectorEnv::<G>::new(typed::<G>(agreed), self.bots, arrangement, seed, count))
    }

    fn bench(&self, agreed: &Agreed, plan: Plan) -> Measured {
        super::bench::measure::<G>(&typed::<G>(agreed), plan)
    }
}

/// The game's own options of what was agreed.
fn typed<G: Game>(agreed: &Agreed) -> G::Options {
    let given = agreed.options.iter().map(|(key, value)| (*key, value.as_str()));
    options::read(agreed.seats.count(), given).expect("these options were agreed for this game")
}

/// A game and its bots. A wrapper of its own, so that a typed game has no second set of methods.
#[derive(Debug)]
struct Erased<G: Game> {
    game: G,
    bots: &'static [Bot<G>],
    /// The events of the ply under way.
    happened: Vec<G::Event>,
}

impl<G: Listed> Erased<G> {
    fn report(&mut self, events: &mut Vec<Box<dyn AnyEvent>>) {
        events.extend(self.happened.drain(..).map(|event| Box::new(ErasedEvent::<G>(event)) as Box<dyn AnyEvent>));
    }
}

impl<G: Listed> AnyGame for Erased<G> {
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

    fn draw(&self, luck: &mut Luck) -> String {
        self.game.draw(luck).to_string()
    }

    fn settle(&mut self, luck: &mut Luck, events: &mut Vec<Box<dyn AnyEvent>>) -> String {
        let outcome = self.game.draw(luck);
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

    fn ask(&self, bot: BotName, seat: Seat, rng: &mut dyn Rng) -> ActionId {
        (bot.of(self.bots).choose)(&self.game.view(Viewer::Seat(seat)).covered(), &self.legal_actions(seat), rng).id()
    }

    fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        Box::new(ErasedView::<G>(self.game.view(viewer).covered()))
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.game)
    }
}

#[derive(Debug)]
pub(super) struct ErasedView<G: Game>(pub(super) G::View);

impl<G: Listed> AnyView for ErasedView<G> {
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

impl<G: Listed> AnyEvent for ErasedEvent<G> {
    fn is_seen_by(&self, viewer: Viewer) -> bool {
        self.0.seen_by(viewer).is_some()
    }

    fn seen_by(&self, viewer: Viewer) -> Option<String> {
        self.0.seen_by(viewer).map(|seen| seen.to_string())
    }
}

/// The outcome that is written so, and not otherwise: a match has one record.
fn read_exactly<O: fmt::Display + FromStr<Err = ParseError>>(text: &str) -> Result<O, ParseError> {
    let outcome: O = text.parse()?;
    let written = outcome.to_string();
    let at = written.bytes().zip(text.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
    match written == text {
        true => Ok(outcome),
        false => Err(ParseError::new(at, format!("this is written \"{written}\""))),
    }
}

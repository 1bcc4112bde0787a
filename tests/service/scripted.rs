//! A game whose chance is written beforehand, so that two matches can be had that differ in what is hidden
//! and in nothing else. All the rest is the game's own.

use std::ops::RangeInclusive;

use ahu::core::{
    ActionGroup, ActionId, ActionSet, ChanceRng, Fingerprint, GameInfo, Layout, OptionError, ParseError, PlayError,
    Seat, Seats, Seed, Turn, Viewer,
};
use ahu::host::bench::{Measurement, Plan};
use ahu::host::{
    AnyEvent, AnyGame, AnyRules, AnyVectorEnv, AnyView, BotName, EnvConfig, MessageNames, OptionInfo, RowSize,
    SettleError, Setup, WireRules,
};
use prost_types::Any;
use rand::Rng;

/// Rules whose chance brings these outcomes, one after the other.
#[derive(Debug)]
pub(crate) struct Scripted {
    pub(crate) rules: &'static dyn AnyRules,
    pub(crate) outcomes: Vec<String>,
}

#[derive(Debug)]
struct ScriptedGame {
    game: Box<dyn AnyGame>,
    outcomes: std::vec::IntoIter<String>,
}

impl AnyRules for Scripted {
    fn game(&self, setup: &Setup) -> Box<dyn AnyGame> {
        Box::new(ScriptedGame { game: self.rules.game(setup), outcomes: self.outcomes.clone().into_iter() })
    }

    fn info(&self) -> &'static GameInfo {
        self.rules.info()
    }

    fn seats(&self) -> RangeInclusive<usize> {
        self.rules.seats()
    }

    fn options(&self) -> Vec<OptionInfo> {
        self.rules.options()
    }

    fn action_count(&self) -> usize {
        self.rules.action_count()
    }

    fn action_groups(&self) -> &'static [ActionGroup] {
        self.rules.action_groups()
    }

    fn observation_size(&self) -> (usize, usize) {
        self.rules.observation_size()
    }

    fn layout(&self) -> Layout {
        self.rules.layout()
    }

    fn bots(&self) -> Vec<(&'static str, &'static str)> {
        self.rules.bots()
    }

    fn configure(&self, seats: usize, given: &[(&str, &str)]) -> Result<Setup, OptionError> {
        self.rules.configure(seats, given)
    }

    fn bot(&self, name: &str) -> Result<BotName, ParseError> {
        self.rules.bot(name)
    }

    fn action_text(&self, id: ActionId) -> Option<String> {
        self.rules.action_text(id)
    }

    fn parse_action(&self, text: &str) -> Result<ActionId, ParseError> {
        self.rules.parse_action(text)
    }

    fn row_size(&self, setup: &Setup) -> RowSize {
        self.rules.row_size(setup)
    }

    fn environments(&self, setup: &Setup, env_config: EnvConfig, seed: Seed, count: usize) -> Box<dyn AnyVectorEnv> {
        self.rules.environments(setup, env_config, seed, count)
    }

    fn bench(&self, setup: &Setup, plan: Plan) -> Measurement {
        self.rules.bench(setup, plan)
    }
}

impl WireRules for Scripted {
    fn message_names(&self) -> MessageNames {
        self.rules.message_names()
    }

    fn action_message(&self, id: ActionId, seat: Seat, seats: Seats) -> Option<Any> {
        self.rules.action_message(id, seat, seats)
    }

    fn read_action(&self, message: &Any, seat: Seat, seats: Seats) -> Result<ActionId, String> {
        self.rules.read_action(message, seat, seats)
    }
}

impl AnyGame for ScriptedGame {
    fn draw(&self, _: &mut ChanceRng) -> String {
        self.outcomes.as_slice().first().expect("the script is long enough").clone()
    }

    fn settle(&mut self, _: &mut ChanceRng, events: &mut Vec<Box<dyn AnyEvent>>) -> String {
        let outcome = self.outcomes.next().expect("the script is long enough");
        self.game.settle_text(&outcome, events).unwrap_or_else(|error| panic!("{outcome}: {error:?}"));
        outcome
    }

    fn turn(&self) -> Turn {
        self.game.turn()
    }

    fn legal_actions(&self, seat: Seat) -> ActionSet {
        self.game.legal_actions(seat)
    }

    fn play(&mut self, seat: Seat, id: ActionId, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), PlayError> {
        self.game.play(seat, id, events)
    }

    fn settle_text(&mut self, outcome: &str, events: &mut Vec<Box<dyn AnyEvent>>) -> Result<(), SettleError> {
        self.game.settle_text(outcome, events)
    }

    fn bot_choice(&self, bot: BotName, seat: Seat, rng: &mut dyn Rng) -> ActionId {
        self.game.bot_choice(bot, seat, rng)
    }

    fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.game.view(viewer)
    }

    fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
    }
}

//! Setups under the control of a test: with scripted chance, or with bots that call the test.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ahu_core::{
    ActionId, ActionSet, BySeat, ChanceRng, Fingerprint, PlayError, Seat, SeatSet, Seats, Seed, Turn, Viewer,
};
use ahu_host::speed::{Measurement, SpeedPlan};
use ahu_host::{
    AnyEvent, AnyGame, AnyRules, AnySetup, AnyView, BotAnalysis, BotChoice, BotName, BotRng, CatalogVectorEnv,
    EnvConfig, RowMut, RowSize, SettleError, Setup,
};
use rand::Rng;
use tokio::sync::mpsc;

/// A setup that delegates to another one, except for the parts that a test controls.
pub(crate) struct Scripted {
    setup: Setup,
    outcomes: Option<Vec<String>>,
    before_choice: BeforeChoice,
}

/// A function that a bot calls before each choice, on the thread that computes the choice.
type BeforeChoice = Arc<dyn Fn() + Send + Sync>;

struct ScriptedGame {
    game: Box<dyn AnyGame>,
    /// The outcomes of all chance from now on; None for random chance.
    outcomes: Option<std::vec::IntoIter<String>>,
    before_choice: BeforeChoice,
}

impl Scripted {
    /// Creates a setup whose games settle chance with these outcomes, in order. So two matches can differ in hidden
    /// facts and in nothing else.
    pub(crate) fn chance(setup: Setup, outcomes: Vec<String>) -> Setup {
        Arc::new(Self { setup, outcomes: Some(outcomes), before_choice: Arc::new(|| ()) })
    }

    /// Creates a setup whose bots call `before_choice` before each choice.
    pub(crate) fn bots(setup: Setup, before_choice: impl Fn() + Send + Sync + 'static) -> Setup {
        Arc::new(Self { setup, outcomes: None, before_choice: Arc::new(before_choice) })
    }

    /// Creates a setup whose bots wait for the keeper before each choice.
    pub(crate) fn held_up(setup: Setup) -> (Setup, BotKeeper) {
        let gate = Arc::<Gate>::default();
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let bots = Arc::clone(&gate);
        let before_choice = move || {
            // A dropped keeper holds up no bot.
            if arrived.send(()).is_ok() {
                bots.pass();
            }
        };
        (Self::bots(setup, before_choice), BotKeeper { gate, arrivals })
    }
}

#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(is_open, |is_open| !*is_open).unwrap_or_else(PoisonError::into_inner));
    }
}

/// The test's side of bots that are held up. The bots go on when this value is dropped.
pub(crate) struct BotKeeper {
    gate: Arc<Gate>,
    arrivals: mpsc::UnboundedReceiver<()>,
}

impl BotKeeper {
    /// Waits until a bot is about to choose.
    pub(crate) async fn arrival(&mut self) {
        self.arrivals.recv().await.expect("the match is hosted");
    }
}

impl Drop for BotKeeper {
    fn drop(&mut self) {
        *self.gate.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.gate.changed.notify_all();
    }
}

impl fmt::Debug for ScriptedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game.fmt(f)
    }
}

impl AnySetup for Scripted {
    fn game(&self) -> Box<dyn AnyGame> {
        Box::new(ScriptedGame {
            game: self.setup.game(),
            outcomes: self.outcomes.clone().map(Vec::into_iter),
            before_choice: Arc::clone(&self.before_choice),
        })
    }

    fn rules(&self) -> &'static dyn AnyRules {
        self.setup.rules()
    }

    fn seats(&self) -> Seats {
        self.setup.seats()
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.setup.options()
    }

    fn data_files(&self) -> Vec<&'static str> {
        self.setup.data_files()
    }

    fn environments(&self, env_config: EnvConfig, seed: Seed, count: usize) -> Box<dyn CatalogVectorEnv> {
        self.setup.environments(env_config, seed, count)
    }

    fn row_size(&self) -> RowSize {
        self.setup.row_size()
    }

    fn measure_speed(&self, plan: SpeedPlan) -> Measurement {
        self.setup.measure_speed(plan)
    }
}

impl AnyGame for ScriptedGame {
    fn copy(&self) -> Box<dyn AnyGame> {
        Box::new(Self {
            game: self.game.copy(),
            outcomes: self.outcomes.clone(),
            before_choice: Arc::clone(&self.before_choice),
        })
    }

    fn draw(&self, chance: &mut ChanceRng) -> String {
        match &self.outcomes {
            Some(outcomes) => outcomes.as_slice().first().expect("the script is long enough").clone(),
            None => self.game.draw(chance),
        }
    }

    fn outcomes(&self) -> Option<Vec<(String, f64)>> {
        self.game.outcomes()
    }

    fn settle(&mut self, chance: &mut ChanceRng, events: &mut Vec<Box<dyn AnyEvent>>) -> String {
        let Some(outcomes) = &mut self.outcomes else { return self.game.settle(chance, events) };
        let outcome = outcomes.next().expect("the script is long enough");
        self.game.settle_text(&outcome, events).unwrap_or_else(|error| panic!("{outcome}: {error:?}"));
        outcome
    }

    fn settle_quietly(&mut self, chance: &mut ChanceRng) -> usize {
        let mut settled = 0;
        while self.turn() == Turn::Chance {
            self.settle(chance, &mut Vec::new());
            settled += 1;
        }
        settled
    }

    fn deciders(&self) -> SeatSet {
        self.game.deciders()
    }

    fn play_quietly(&mut self, seat: Seat, id: ActionId) -> Result<(), PlayError> {
        self.game.play_quietly(seat, id)
    }

    // The script belongs to the match. Playouts, resampled games, and successors do not follow it.

    fn play_out(&self, bot: BotName, seed: Seed) -> (BySeat<i32>, BySeat<u8>) {
        self.game.play_out(bot, seed)
    }

    fn resample(&self, viewer: Viewer, rng: &mut dyn Rng) -> Option<Box<dyn AnyGame>> {
        self.game.resample(viewer, rng)
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

    fn bot_choice(&self, bot: BotName, seat: Seat, rng: BotRng) -> BotChoice {
        let (before_choice, choice) = (Arc::clone(&self.before_choice), self.game.bot_choice(bot, seat, rng));
        Box::new(move || {
            before_choice();
            choice()
        })
    }

    fn bot_analysis(&self, bot: BotName, seat: Seat, rng: BotRng) -> Option<BotAnalysis> {
        self.game.bot_analysis(bot, seat, rng)
    }

    fn view(&self, viewer: Viewer) -> Box<dyn AnyView> {
        self.game.view(viewer)
    }

    fn write_row(&self, seat: Seat, row: RowMut<'_, '_>) {
        self.game.write_row(seat, row);
    }

    fn successors(&self, seat: Seat, take: &mut dyn FnMut(ActionId, Box<dyn AnyGame>)) {
        self.game.successors(seat, take);
    }

    fn fingerprint(&self) -> Fingerprint {
        self.game.fingerprint()
    }
}

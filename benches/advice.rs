//! The cost of advice on one core: `cargo bench --bench advice`.
//!
//! Each line compares `env.advise("greedy@2")` for all rows of a batch with the choices of the same bot in the same positions,
//! without environments. Figures are medians over rounds in which both have their turn; the share is the ratio of the same round.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use ahu_core::{
    Action as _, ActionId, ActionSet, BySeat, ChanceRng, Game, GameExt, GameOptions, NoEvents, Policy, Seat, Seats,
    Seed,
};
use ahu_games::{giants, rapanui_board, rapanui_cards, rappanui};
use ahu_host::search::Stop;
use ahu_host::speed::median;
use ahu_host::{BotSeed, EnvConfig, EnvIndices, FinalSteps, Look, Looked, RewardRule, Rows, find};

const ROWS: usize = 1024;
/// The number of decisions that each environment plays: fewer than the shortest game has.
const ROUNDS: usize = 25;

fn main() {
    println!("{:14} {:>12} {:>12} {:>8}", "game", "rows/s", "alone/s", "share");
    compare::<rappanui::RappaNui>("rappanui", &rappanui::GREEDY_2);
    compare::<rapanui_cards::RapanuiCards>("rapanui_cards", &rapanui_cards::GREEDY_2);
    compare::<giants::Giants>("giants", &giants::GREEDY_2);
    compare::<rapanui_board::RapanuiBoard>("rapanui_board", &rapanui_board::GREEDY_2);
}

fn compare<G: Game>(name: &str, policy: &Policy<G>) {
    let rules = find(name).expect("a game");
    let seats = *rules.seats().start();
    let options = G::Options::new(Seats::new(seats).expect("a table"));
    let setup = rules.configure(seats, &[]).expect("the defaults");
    let config = EnvConfig::self_play(setup.seats(), RewardRule::Rank);
    let mut environments = setup.environments(config, Seed(1), ROWS);
    let all = EnvIndices::Run(0, ROWS);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    environments.reset(all, None, &mut rows).expect("they begin");
    let greedy = rules.bot("greedy@2").expect("every game has it");
    let mut games: Vec<_> = (0..ROWS as u64).map(|n| Position::<G>::new(&options, Seed(1 + n))).collect();
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let looked = environments.look(all, Look::Advice(greedy), &Stop::default()).expect("no game panics");
        let advised = start.elapsed().as_secs_f64();
        let Looked::Advice(advice) = looked else { unreachable!("advice was asked for") };
        let start = Instant::now();
        let alone: Vec<u16> = games.iter().map(|game| game.choice(policy).0).collect();
        let alone_seconds = start.elapsed().as_secs_f64();
        assert_eq!(advice.choices, black_box(alone), "both have the same positions and random numbers");
        rounds.push((advised, alone_seconds));
        let actions: Vec<_> = advice.choices.iter().map(|&id| ActionId(id)).collect();
        environments.step(all, &actions, &mut rows, &mut final_steps).expect("bots choose legal actions");
        for (game, id) in games.iter_mut().zip(actions) {
            game.play(id);
        }
    }
    let of = |pick: fn(&(f64, f64)) -> f64| median(&rounds.iter().map(pick).collect::<Vec<_>>());
    let count = ROWS as f64;
    println!(
        "{name:14} {:>12.0} {:>12.0} {:>8.2}",
        count / of(|round| round.0),
        count / of(|round| round.1),
        of(|round| round.1 / round.0)
    );
}

/// A game at a decision.
struct Position<G> {
    game: G,
    chance: ChanceRng,
    bot_seed: BotSeed,
    seat: Seat,
    legal: ActionSet,
    decisions: BySeat<u32>,
}

impl<G: Game> Position<G> {
    fn new(options: &G::Options, seed: Seed) -> Self {
        let (decisions, seat) = (BySeat::new(options.seats(), 0), Seat::default());
        let (game, legal) = (G::new(options), ActionSet::of::<G::Action>());
        let mut position =
            Self { game, chance: ChanceRng::new(seed), bot_seed: BotSeed::new(seed, 0), seat, legal, decisions };
        position.wait();
        position
    }

    /// Goes on to the next decision.
    fn wait(&mut self) {
        self.game.settle_all(&mut self.chance, &mut NoEvents);
        self.seat = self.game.turn().to_act().first().expect("the game is not over");
        self.game.legal_actions(self.seat, &mut self.legal);
    }

    fn choice(&self, policy: &Policy<G>) -> ActionId {
        let mut rng = self.bot_seed.rng(self.seat, self.decisions[self.seat] + 1);
        (policy.choose_in)(&self.game, self.seat, &self.legal, &mut rng).id()
    }

    fn play(&mut self, id: ActionId) {
        self.decisions[self.seat] += 1;
        self.game.apply(self.seat, G::Action::from_id(id).expect("a legal action"), &mut NoEvents);
        self.wait();
    }
}

//! The parts of a decision, in nanoseconds: `cargo bench --bench decision`.
//!
//! Games are played by random choice on one core, at the fewest seats. Each loop does more than the one before: it plays recorded
//! actions (rules and chance), also lists the legal actions, also chooses, also shows the seat its view and writes it as a row.
//! The last loop steps a vector of environments with all of that: its rest is what the batch costs, and what memory costs where
//! the environments do not fit into the caches. A part is the difference of two loops, the median over rounds in which each
//! loop has its turn.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use ahu_core::{
    Action, ActionId, ActionSet, BlockBytes, ChanceRng, Encode, Game, GameExt, GameOptions, NoEvents, Seats, Seed,
    Tensor, View, Viewer,
};
use ahu_games::giants::Giants;
use ahu_games::rapanui_board::RapanuiBoard;
use ahu_games::rapanui_cards::RapanuiCards;
use ahu_games::rappanui::RappaNui;
use ahu_host::speed::{Choices, Observed, SpeedPlan, median};

/// The games of a round.
const GAMES: u64 = 400;
/// The environments of the vector.
const ENVIRONMENTS: usize = 2048;
/// The batches of a round.
const BATCHES: usize = 100;
/// The rounds, after one that warms up.
const ROUNDS: usize = 9;
/// The parts of a decision, one for each loop.
const PARTS: [&str; 5] = ["rules and chance", "legal actions", "choice", "observation", "batch of 2,048"];

fn main() {
    println!("| ns a decision | {} | all |\n|---{}|", PARTS.join(" | "), "|---".repeat(PARTS.len() + 1));
    measure::<RappaNui>();
    measure::<RapanuiCards>();
    measure::<Giants>();
    measure::<RapanuiBoard>();
}

fn measure<G: Game>() {
    let options = G::Options::new(Seats::new(G::Options::MIN_SEATS).expect("the game has such a table"));
    let recorded: Vec<_> = (0..GAMES).map(|seed| play::<G>(&options, Seed(seed), None, Depth::Choice)).collect();
    let decisions: usize = recorded.iter().map(Vec::len).sum();
    let plan = SpeedPlan { environments: ENVIRONMENTS, ..SpeedPlan::default() };
    let mut vector = Observed::<G>::new(options, plan);
    let mut rounds = [const { Vec::new() }; PARTS.len()];
    for round in 0..=ROUNDS {
        let mut before = 0.0;
        for (part, samples) in rounds.iter_mut().enumerate() {
            let start = Instant::now();
            match Depth::ALL.get(part) {
                Some(&depth) => (0..GAMES).zip(&recorded).for_each(|(seed, actions)| {
                    black_box(play::<G>(&options, Seed(seed), Some(actions), depth));
                }),
                None => drop((0..BATCHES).map(|_| vector.step()).sum::<u64>()),
            }
            let count = if part < Depth::ALL.len() { decisions } else { BATCHES * ENVIRONMENTS };
            let nanoseconds = start.elapsed().as_nanos() as f64 / count as f64;
            if round > 0 {
                samples.push(nanoseconds - before);
            }
            before = nanoseconds;
        }
    }
    let parts = rounds.map(|samples| median(&samples));
    let row: Vec<String> = parts.iter().chain([&parts.iter().sum()]).map(|part| format!("{part:.0}")).collect();
    println!("| `{}` | {} |", G::INFO.id, row.join(" | "));
}

/// The last part that a loop does.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Depth {
    Rules,
    Legal,
    Choice,
    Observation,
}

impl Depth {
    const ALL: [Self; 4] = [Self::Rules, Self::Legal, Self::Choice, Self::Observation];
}

/// Plays a game, and returns its actions. Without recorded actions it takes those that it chooses.
fn play<G: Game>(options: &G::Options, seed: Seed, recorded: Option<&Vec<ActionId>>, depth: Depth) -> Vec<ActionId> {
    let (mut game, mut chance, mut choices) = (G::new(options), ChanceRng::new(seed), Choices::new(seed));
    let (mut legal, mut taken) = (ActionSet::of::<G::Action>(), Vec::new());
    let (mut bits, mut numbers) = ([0; 512], [0; 256]);
    loop {
        game.settle_all(&mut chance, &mut NoEvents);
        let Some(seat) = game.turn().to_act().first() else { return taken };
        if depth >= Depth::Legal {
            game.legal_actions(seat, &mut legal);
            black_box(&legal);
        }
        let chosen = if depth >= Depth::Choice { black_box(choices.choose(&legal).0) } else { ActionId(0) };
        if depth >= Depth::Observation {
            let shown = game.view(Viewer::Seat(seat)).shown();
            let sizes = (G::View::BITS.div_ceil(64) * 8, G::View::NUMBERS * 2);
            Tensor::fill(BlockBytes(&mut bits[..sizes.0]), BlockBytes(&mut numbers[..sizes.1]), &shown);
            black_box((&bits, &numbers));
        }
        let id = recorded.map_or(chosen, |actions| actions[taken.len()]);
        taken.push(id);
        game.apply(seat, G::Action::from_id(id).expect("legal actions have ids"), &mut NoEvents);
    }
}

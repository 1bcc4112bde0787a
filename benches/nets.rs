//! The time of nets on one core: a decision from a shown view, and a decision of a rollout, whose weights are random.
//!
//! `cargo bench --bench nets` prints microseconds.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::Instant;

use ahu_core::{Seed, Viewer};
use ahu_host::nets::{Net, NetRoom, Temperature};
use ahu_host::{
    AnyRules, Conduct, Cores, EnvConfig, GAMES, Referee, RewardRule, RolloutMemory, RolloutPlan, RowMemory, Rows,
    SeatPlayer,
};

#[path = "../tests/shared/net_bytes.rs"]
mod net_bytes;

/// The number of rounds. Figures are medians over the rounds.
const ROUNDS: usize = 9;

fn main() {
    println!("{:14} {:>10} {:>8} {:>14} {:>18}", "game", "net", "KiB", "us a decision", "rollout decisions/s");
    for rules in GAMES {
        for hidden in [[64, 32], [128, 32], [256, 32]] {
            let bytes = net_bytes::net_bytes(*rules, &hidden, 1);
            let net = Net::read(&bytes).expect("a net");
            let (first, second) = (hidden[0], hidden[1]);
            println!(
                "{:14} {:>10} {:>8} {:>14.2} {:>18.0}",
                rules.info().id,
                format!("{first}x{second}"),
                bytes.len() / 1024,
                median(|| choices(*rules, &net)),
                1e6 / median(|| rollout(*rules, &net))
            );
        }
    }
}

fn median(measure: impl Fn() -> f64) -> f64 {
    let mut figures: Vec<f64> = (0..ROUNDS).map(|_| measure()).collect();
    figures.sort_by(f64::total_cmp);
    figures[ROUNDS / 2]
}

/// Returns the microseconds of a choice in positions of games of `greedy`, with the observation.
fn choices(rules: &'static dyn AnyRules, net: &Net) -> f64 {
    let seats = *rules.seats().start();
    let setup = rules.configure(seats, &[]).expect("the defaults");
    let greedy = rules.bot("greedy").expect("every game has it");
    let mut referee = Referee::new(setup, Seed(1), vec![SeatPlayer::bot(greedy); seats], Conduct::default());
    let mut positions = Vec::new();
    while let Some((seat, _)) = referee.bot_to_act() {
        positions.push((referee.view(Viewer::Seat(seat)), referee.legal_actions(seat)));
        referee.play_bot();
    }
    let (bits, numbers) = rules.observation_size();
    let (mut bits, mut numbers) = (vec![0; bits.div_ceil(64)], vec![0; numbers]);
    let mut room = NetRoom::default();
    let (start, repeats) = (Instant::now(), 20);
    let mut sum = 0;
    for _ in 0..repeats {
        for (view, legal) in &positions {
            view.write(&mut bits, &mut numbers);
            net.see_observation(&bits, &numbers, None, &mut room);
            sum += u64::from(net.best(legal, &room).0);
        }
    }
    std::hint::black_box(sum);
    start.elapsed().as_secs_f64() * 1e6 / (repeats * positions.len()) as f64
}

/// Returns the microseconds of a decision of a rollout.
fn rollout(rules: &'static dyn AnyRules, net: &Net) -> f64 {
    let seats = *rules.seats().start();
    let setup = rules.configure(seats, &[]).expect("the defaults");
    let (count, steps) = (64, 64);
    let config = EnvConfig::self_play(setup.seats(), RewardRule::MarginGain);
    let mut environments = setup.environments(config, Seed(1), count);
    let size = count * steps;
    let (mut rows, mut last) = (Rows::default(), Rows::default());
    let (mut actions, mut starts) = (vec![0; size], vec![0; size]);
    let (mut log_probabilities, mut values, mut last_values) = (vec![0.0; size], vec![0.0; size], vec![0.0; count]);
    let temperature = Temperature::new(1.0).expect("it is in range");
    let start = Instant::now();
    let memory = RolloutMemory {
        rows: RowMemory::Columns(&mut rows),
        actions: &mut actions,
        log_probabilities: &mut log_probabilities,
        values: &mut values,
        starts: &mut starts,
        advice: &mut [],
        last: RowMemory::Columns(&mut last),
        last_values: &mut last_values,
    };
    environments
        .roll_out(RolloutPlan { net, steps, temperature, cores: &Cores::Callers }, memory)
        .expect("no game panics");
    start.elapsed().as_secs_f64() * 1e6 / size as f64
}

//! The speed of playouts, on which every search rests: `cargo bench --bench playouts`.
//!
//! Greedy bots play a game, and a search with few playouts analyses every tenth decision on one core. The time of a playout is
//! the time of the analyses divided by the number of their playouts: it includes sampling, tries of actions, and play to the
//! end. Beside it stand the time of greedy's choices from a view over a game, and the ratio of the two times for a decision,
//! so that figures of two machines can be compared.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::{Duration, Instant};

use ahu_core::Seed;
use ahu_host::{AnyRules, BotName, Conduct, Cores, GAMES, Referee, SeatPlayer};

/// The searches, with the number of playouts of an analysis.
const SEARCHES: [&str; 2] = ["search@1:20", "search@2:20"];
/// The number of decisions between two analyses.
const EVERY: usize = 10;
/// The time for each line.
const TIME: Duration = Duration::from_secs(3);

fn main() {
    println!(
        "one core                           playouts/s   ms a playout   us a decision   the same by greedy from a view"
    );
    for rules in GAMES {
        for seats in [*rules.seats().start(), *rules.seats().end()] {
            for search in SEARCHES.into_iter().filter_map(|name| rules.bot(name).ok()) {
                measure(*rules, seats, search);
            }
        }
    }
}

fn measure(rules: &'static dyn AnyRules, seats: usize, search: BotName) {
    let greedy = rules.bot("greedy").expect("every game has it");
    let setup = rules.configure(seats, &[]).expect("the game has this seat count");
    let (mut playouts, mut searched) = (0, Duration::ZERO);
    let (mut decisions, mut chosen) = (0_u32, Duration::ZERO);
    // A playout has the decisions that are left in the game.
    let mut rest = 0;
    let mut seed = 0;
    while searched < TIME {
        let players = vec![SeatPlayer::bot(greedy); seats];
        let mut referee = Referee::new(setup.clone(), Seed(seed), players, Conduct::default());
        let mut analysed = Vec::new();
        let mut played = 0;
        while let Some((seat, _)) = referee.bot_to_act() {
            if played % EVERY == 0 && referee.legal_actions(seat).len() > 1 {
                let start = Instant::now();
                let analyse = referee.analysis_of(search, seat).expect("the seat has to decide");
                let analysis = analyse(Cores::Callers);
                searched += start.elapsed();
                playouts += analysis.playouts;
                analysed.push((played, analysis.playouts));
            }
            let start = Instant::now();
            let due = referee.due_bot().expect("a bot has to decide");
            let answer = due.choose();
            chosen += start.elapsed();
            referee.answer(answer);
            played += 1;
        }
        decisions += played as u32;
        rest += analysed.iter().map(|&(at, count)| (played - at) as u64 * u64::from(count)).sum::<u64>();
        seed += 1;
    }
    let playout_ms = searched.as_secs_f64() * 1e3 / f64::from(playouts);
    let decision_us = searched.as_secs_f64() * 1e6 / rest as f64;
    let from_view_us = chosen.as_secs_f64() * 1e6 / f64::from(decisions);
    println!(
        "{:<14} {seats} seats {search} {:>9.0} {playout_ms:>14.4} {decision_us:>15.3} {from_view_us:>14.3} us, x {:.1}",
        rules.info().id,
        1e3 / playout_ms,
        from_view_us / decision_us,
    );
}

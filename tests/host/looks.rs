//! Looks at environments: advice ends when it is stopped, and an answer that could be too large is refused before it begins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ahu_core::Seed;
use ahu_host::search::Stop;
use ahu_host::{BatchError, EnvConfig, EnvIndices, Look, RewardRule, Rows, find};

/// More playouts than any machine plays in the life of a test.
const ENDLESS: &str = "search:1000000";

#[test]
fn advice_of_a_search_ends_when_it_is_stopped_and_changes_nothing() {
    let rules = find("giants").expect("a game");
    let setup = rules.configure(3, &[]).expect("the defaults");
    let count = 4;
    let all = EnvIndices::Run(0, count);
    let config = || EnvConfig::self_play(setup.seats(), RewardRule::Rank);
    let [mut environments, mut others] = [3, 9].map(|seed| {
        let mut environments = setup.environments(config(), Seed(seed), count);
        environments.reset(all, None, &mut Rows::default()).expect("they begin");
        environments
    });
    let quick = Look::Advice(rules.bot("greedy").expect("a bot"));
    let before = environments.look(all, quick, &Stop::default()).expect("no game panics");
    let endless = Look::Advice(rules.bot(ENDLESS).expect("a bot"));
    assert!(
        (0..count as u32).all(|n| environments.waits_for(n).is_some_and(|(_, legal)| legal.len() > 1)),
        "a search has work"
    );
    let (stop, begun) = (Stop::default(), AtomicBool::new(false));
    let looked = thread::scope(|scope| {
        let searching = scope.spawn(|| {
            begun.store(true, Ordering::Release);
            environments.look(all, endless, &stop)
        });
        let patience = Instant::now() + Duration::from_secs(60);
        while !begun.load(Ordering::Acquire) && Instant::now() < patience {
            thread::yield_now();
        }
        // Work that lets the search get into its first row.
        for _ in 0..100_000 {
            others.look(all, quick, &Stop::default()).expect("no game panics");
        }
        stop.request();
        searching.join().expect("a look that is stopped ends")
    });
    assert_eq!(looked.expect_err("it was stopped"), BatchError::Stopped);
    assert_eq!(environments.look(all, quick, &Stop::default()).expect("no game panics"), before);
}

#[test]
fn an_answer_that_could_be_too_large_is_refused_before_the_look() {
    let rules = find("giants").expect("a game");
    let setup = rules.configure(5, &[]).expect("the defaults");
    let mut environments = setup.environments(EnvConfig::self_play(setup.seats(), RewardRule::Rank), Seed(3), 1);
    // The bits and the numbers of five seats.
    let (bits, numbers) = rules.observation_size();
    let row = (5 * bits).div_ceil(64) * 8 + 5 * numbers * 2;
    let many = 128 * 1024 * 1024 / row + 1;
    let mut refusal = |rows| {
        let indices = EnvIndices::Run(0, rows);
        Look::Central.answer(&*setup, &mut *environments, indices, &Stop::default()).expect_err("refused")
    };
    assert_eq!(
        refusal(many).message(),
        format!(
            "expected a look with an answer of at most 134217728 bytes, got {many} environments, which may need {}: look at fewer \
             at a time",
            many * row
        )
    );
    // A smaller answer is refused for another reason: there are fewer environments.
    assert!(!refusal(many / 2).message().contains("at a time"));
}

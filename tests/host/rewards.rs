//! The utility of a player beside random bots: less than theirs by a forfeit or by a stall, and the same by random legal actions.

use std::num::NonZeroU32;

use ahu_core::{Seat, Seed};
use ahu_host::{Cause, GAMES, MatchTime, Referee, SeatPlayer, Terms, TimeControl};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

/// The number of games of each player, in each game and number of seats. The seeds are fixed, so each figure is.
const PLAYED: u64 = 96;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    Resigns,
    Stalls,
    Random,
}

/// Plays a game beside random bots. Returns the utility of the player's rank, from 1 for the first place to -1 for the last.
fn utility(setup: &ahu_host::Setup, own: Seat, player: Player, seed: u64) -> f64 {
    let random = setup.rules().bot("random@1").expect("each game has it");
    let seats = setup.seats();
    let of = |seat| if seat == own { SeatPlayer::external("own") } else { SeatPlayer::bot(random) };
    let control = TimeControl { limit: NonZeroU32::new(1_000), ..TimeControl::default() };
    let terms = Terms { clocks: vec![control; seats.count()], stand_in: Some(random), ..Terms::default() };
    let mut referee = Referee::new(setup.clone(), Seed(seed), seats.iter().map(of).collect(), terms);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    referee.start_clocks();
    referee.play_bots();
    while !referee.is_over() {
        referee.start_clocks();
        let decision = referee.decision(own).expect("the bots have decided");
        match player {
            Player::Resigns => referee.resign(own).expect("the terms allow it"),
            Player::Stalls => {
                referee.set_time(MatchTime(referee.deadline(own).expect("it has a clock").0 + 1));
                referee.expire();
            }
            Player::Random => {
                let legal = referee.legal_actions(own);
                let id = legal.nth(rng.random_range(0..legal.len())).expect("it is below the count");
                referee.act(own, decision, id).expect("it is legal and in time");
            }
        }
        referee.play_bots();
    }
    let result = referee.result().expect("it is over");
    let expected = match player {
        Player::Resigns => Some(Cause::Resigned),
        Player::Stalls => Some(Cause::Timeout),
        Player::Random => None,
    };
    assert_eq!(result.forfeits[own], expected);
    let rank = result.ranks[own];
    let equals = result.ranks.iter().filter(|(_, other)| *other == rank).count();
    let mean = f64::from(rank) + (equals - 1) as f64 / 2.0;
    1.0 - 2.0 * (mean - 1.0) / (seats.count() - 1) as f64
}

#[test]
fn who_forfeits_or_stalls_earns_less_than_random_bots_and_random_actions_earn_the_same() {
    for &rules in GAMES {
        for count in rules.seats() {
            let setup = rules.configure(count, &[]).expect("the defaults");
            let own = |seed: u64| Seat::new(seed as usize % count).expect("a seat");
            let of =
                |player, games| (0..games).map(|seed| utility(&setup, own(seed), player, seed)).collect::<Vec<_>>();
            let place = format!("{}, {count} seats", rules.info().id);
            let random = of(Player::Random, PLAYED);
            let mean = random.iter().sum::<f64>() / PLAYED as f64;
            let variance = random.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / PLAYED as f64;
            let error = (variance / PLAYED as f64).sqrt();
            // The utilities of all seats of a game add up to 0, and each bot has the same share of them.
            assert!(mean.abs() < 3.0 * error && error < 0.11, "{place}: {mean:.3} with an error of {error:.3}");
            for player in [Player::Resigns, Player::Stalls] {
                let own = of(player, 2 * count as u64);
                assert!(own.iter().all(|utility| *utility <= -1.0), "{place}, {player:?}: {own:?}");
            }
        }
    }
}

//! The true strengths of the players of a season: a fit over games of other seeds, without a server.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ahu_contest::ratings::{SeasonGames, SeasonRatings};
use ahu_core::{ActionId, Seat, Seed};
use ahu_host::{Conduct, Referee, SeatPlayer, find};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::players::Player;

/// Chooses an action as a player does.
pub(super) fn choose(referee: &Referee, seat: Seat, random: f64, rng: &mut ChaCha8Rng) -> Option<ActionId> {
    let legal: Vec<_> = referee.legal_actions(seat).iter().collect();
    if legal.len() == 1 || rng.random_bool(random) {
        return Some(legal[rng.random_range(0..legal.len())]);
    }
    let bot = referee.setup().rules().bot("greedy@2").expect("every game has it");
    referee.choice_of(bot, seat).map(|choose| choose())
}

/// Returns the ranks by seat of a game of these players.
fn play(game: &str, players: &[&Player], seed: u64) -> Vec<u8> {
    let setup =
        find(game).and_then(|rules| rules.configure(players.len(), &[]).map_err(|_| unreachable!("no options")));
    let setup = setup.expect("a game");
    let names = players.iter().map(|player| SeatPlayer::external(&*player.account)).collect();
    let (mut referee, mut rng) =
        (Referee::new(setup, Seed(seed), names, Conduct::default()), ChaCha8Rng::seed_from_u64(seed));
    while let Some(seat) = referee.to_act().iter().next() {
        let action = choose(&referee, seat, players[seat.index()].random, &mut rng).expect("it is to act");
        let decision = referee.decision(seat).expect("it is to act");
        referee.act(seat, decision, action).expect("it is legal");
    }
    referee.result().expect("it is over").ranks.values().to_vec()
}

/// Returns the ratings of all players after this number of games of each.
pub(super) fn ratings(game: &str, seats: usize, players: &[Player], games: usize) -> BTreeMap<String, f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(0x7275_7468);
    let mut tables: Vec<(Vec<usize>, u64)> = Vec::new();
    for _ in 0..games {
        let mut order: Vec<_> = (0..players.len()).collect();
        order.shuffle(&mut rng);
        tables.extend(order.chunks_exact(seats).map(|table| (table.to_vec(), rng.random())));
    }
    let (next, played) = (Mutex::new(tables.iter()), Mutex::new(SeasonGames::new(seats)));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((table, seed)) = next.lock().expect("no panic").next() else { return };
                    let seated: Vec<_> = table.iter().map(|&player| &players[player]).collect();
                    let ranks = play(game, &seated, *seed);
                    played.lock().expect("no panic").push(table, &ranks);
                }
            });
        }
    });
    let games = played.into_inner().expect("no panic");
    let fit = SeasonRatings::of(&games, &vec![None; players.len()], &[], &SeasonRatings::default());
    println!("the truth: {} games, seats {:?}", games.len(), fit.seats);
    let rated = players.iter().zip(&fit.agents);
    rated.filter_map(|(player, rating)| Some((player.account.clone(), rating.as_ref()?.elo))).collect()
}

/// Returns the rank correlation of two maps over their common keys (Spearman's).
pub(super) fn correlation(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    let common: Vec<_> = one.keys().filter(|name| other.contains_key(*name)).collect();
    let ranks = |values: &BTreeMap<String, f64>| {
        let mut order: Vec<_> = (0..common.len()).collect();
        order.sort_by(|&a, &b| values[common[a]].total_cmp(&values[common[b]]));
        let mut ranks = vec![0.0; common.len()];
        order.into_iter().enumerate().for_each(|(rank, place)| ranks[place] = rank as f64);
        ranks
    };
    let (first, second) = (ranks(one), ranks(other));
    let squares: f64 = first.iter().zip(&second).map(|(a, b)| (a - b).powi(2)).sum();
    let count = common.len() as f64;
    1.0 - 6.0 * squares / (count * (count * count - 1.0))
}

//! Blocks: the same seed played with the seats permuted, the unit of every statistic.
//!
//! The result of one game depends on the seating and on chance. In a block every player sits in every seat under the
//! same chance, and the block counts as one sample.

use super::bots::{BotName, BotSeed};
use super::conduct::Conduct;
use super::player::SeatPlayer;
use super::record::MatchResult;
use super::referee::Referee;
use super::rules::Setup;
use super::statistics::Estimate;
use crate::core::{BySeat, Seat, Seats, Seed};

/// The results of bots that play each other in blocks.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The number of blocks.
    pub blocks: usize,
    /// The number of games in these blocks.
    pub games: usize,
    /// The mean number of decisions in a game.
    pub decisions: f64,
    /// The results of each player, in the order given: share of wins, points, and rank, for each seat that the player
    /// took. A win shared by k counts 1/k.
    pub players: Vec<PlayerStanding>,
    /// The share of wins of each seat, over all players. Without an advantage a seat has 1/n of them.
    pub seats: Vec<Estimate>,
}

/// The results of one player.
#[derive(Clone, Copy, Debug)]
pub struct PlayerStanding {
    /// The share of wins for each seat taken; 1/n among equals.
    pub wins: Estimate,
    /// The points for each game.
    pub score: Estimate,
    /// The rank; 1 is first.
    pub rank: Estimate,
}

/// Returns the seating of each game in a block: `seatings[game][seat]` is the player. The last player fills the
/// remaining seats. The games are the rotations of the table, so that each player has each seat equally often.
pub fn seatings(players: usize, seats: Seats) -> Vec<Vec<usize>> {
    let count = seats.count();
    (0..count).map(|turn| (0..count).map(|seat| ((seat + turn) % count).min(players - 1)).collect()).collect()
}

/// Plays `blocks` blocks with seeds derived from `seed`, and calls `progress` after each.
///
/// # Panics
/// If there are no bots, or more than seats.
pub fn play(setup: &Setup, bots: &[BotName], seed: Seed, blocks: usize, mut progress: impl FnMut(usize)) -> Standing {
    let seats = setup.seats();
    assert!((1..=seats.count()).contains(&bots.len()), "expected 1 to {seats} bots, got {}", bots.len());
    let seatings = seatings(bots.len(), seats);
    let mut samples = vec![[const { Vec::new() }; 3]; bots.len()];
    let mut seat_wins = vec![Vec::new(); seats.count()];
    let mut decisions = 0;
    for block in 0..blocks {
        let seed = seed.child(block as u64);
        let mut players = vec![[0.0; 3]; bots.len()];
        let mut won = vec![0.0; seats.count()];
        for (game, seating) in seatings.iter().enumerate() {
            let (result, count) = play_one(setup, seed, game, |seat| bots[seating[seat.index()]]);
            decisions += count;
            let share = win_shares(&result);
            for seat in seats.iter() {
                let player = &mut players[seating[seat.index()]];
                player[0] += share[seat];
                player[1] += f64::from(result.scores[seat]);
                player[2] += f64::from(result.ranks[seat]);
                won[seat.index()] += share[seat];
            }
        }
        for (player, sums) in players.iter().enumerate() {
            let seats_taken = seatings.iter().flatten().filter(|&&other| other == player).count() as f64;
            for (kind, sum) in sums.iter().enumerate() {
                samples[player][kind].push(sum / seats_taken);
            }
        }
        for (seat, sum) in won.iter().enumerate() {
            seat_wins[seat].push(sum / seatings.len() as f64);
        }
        progress(block + 1);
    }
    let estimates = samples.iter().map(|[wins, score, rank]| PlayerStanding {
        wins: Estimate::of(wins),
        score: Estimate::of(score),
        rank: Estimate::of(rank),
    });
    Standing {
        blocks,
        games: blocks * seatings.len(),
        decisions: f64::from(decisions) / (blocks * seatings.len()) as f64,
        players: estimates.collect(),
        seats: seat_wins.iter().map(|wins| Estimate::of(wins)).collect(),
    }
}

/// Plays one game of bots, and returns its result and its number of decisions.
fn play_one(setup: &Setup, seed: Seed, game: usize, bot: impl Fn(Seat) -> BotName) -> (MatchResult, u32) {
    let seats = setup.seats();
    let players = seats.iter().map(|seat| SeatPlayer::bot(bot(seat))).collect();
    // The games of a block share their chance, but the bots make new choices in each.
    let bot_seed = BotSeed::new(seed, game as u64);
    let mut referee = Referee::new(setup.clone(), seed, players, Conduct::default()).with_bot_seed(bot_seed);
    referee.play_bots();
    let decisions = seats.iter().map(|seat| referee.answered(seat)).sum();
    (referee.result().expect("bots play to the end"), decisions)
}

/// Returns 1 for the winner; tied winners share it.
fn win_shares(result: &MatchResult) -> BySeat<f64> {
    let won = result.ranks.map(|rank| f64::from(u8::from(rank == 1)));
    let winners: f64 = won.values().iter().sum();
    won.map(|won| won / winners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_block_every_player_has_every_seat_equally_often() {
        for count in 1..=6 {
            let seats = Seats::new(count).expect("a table");
            for players in 1..=count {
                let seatings = seatings(players, seats);
                for player in 0..players {
                    let expected = if player == players - 1 { count - player } else { 1 };
                    for seat in 0..count {
                        let times = seatings.iter().filter(|seating| seating[seat] == player).count();
                        assert_eq!(times, expected, "player {player} of {players} in seat {seat} of {count}");
                    }
                }
            }
        }
    }
}

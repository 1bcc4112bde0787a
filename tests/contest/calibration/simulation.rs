//! Simulated cups of agents with known strengths.

use ahu_contest::blocks::{Block, Design, GameOutcome, Lineup, PlayedGame, Seating};
use ahu_contest::ratings::Results;
use ahu_core::{BySeat, Seats, ranks_by};
use ahu_host::MatchResult;
use rand::Rng as _;
use rand::rngs::ChaCha8Rng;

use super::{normal, uniform};

/// The properties of the games beside the strengths of the agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Games {
    /// Every game has luck of its own, and all seats are equal: the model of the ratings holds exactly.
    Model,
    /// Seats differ, and the games of a block share luck that belongs to seats: the results of a block differ less.
    LuckOfSeats,
    /// The games of a block share luck that suits one player in all seats, so strong that they are worth little more than one
    /// game.
    LuckOfPlayers,
    /// About half of the pairs are ties, and the games of a block share some luck.
    Ties,
}

impl Games {
    pub(super) const ALL: [Self; 4] = [Self::Model, Self::LuckOfSeats, Self::LuckOfPlayers, Self::Ties];
}

/// An agent that gives another a part of its results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gift {
    pub(super) giver: usize,
    pub(super) agent: usize,
    /// The probability that the giver exchanges ranks with the agent in a game in which the giver ranks first of the two.
    pub(super) strength: f64,
}

/// A cup that can be played many times.
#[derive(Clone, Debug)]
pub(super) struct Cup {
    /// The agents of each table.
    pub(super) tables: Vec<Vec<usize>>,
    /// The number of blocks at each table.
    pub(super) blocks: usize,
    pub(super) games: Games,
    /// The strength of each agent.
    pub(super) strengths: Vec<f64>,
    pub(super) gift: Option<Gift>,
}

/// Returns every table of `seats` out of `agents`.
pub(super) fn all_tables(agents: usize, seats: usize) -> Vec<Vec<usize>> {
    let tables = (0..1u32 << agents).filter(|set| set.count_ones() as usize == seats);
    tables.map(|set| (0..agents).filter(|agent| set >> agent & 1 == 1).collect()).collect()
}

/// Returns the tables of `rounds` rounds. In each round, all agents sit at drawn tables of four.
pub(super) fn drawn_tables(agents: usize, rounds: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut round = || {
        let mut order: Vec<(u64, usize)> = (0..agents).map(|agent| (rng.next_u64(), agent)).collect();
        order.sort_unstable();
        order.chunks_exact(4).map(|table| table.iter().map(|&(_, agent)| agent).collect()).collect::<Vec<_>>()
    };
    (0..rounds).flat_map(|_| round()).collect()
}

/// Returns strengths from `-spread` to `spread` in even steps.
pub(super) fn even_strengths(agents: usize, spread: f64) -> Vec<f64> {
    (0..agents).map(|agent| spread * (2.0 * agent as f64 / (agents - 1) as f64 - 1.0)).collect()
}

impl Cup {
    /// Returns the seatings of a block at each table.
    fn seatings(&self) -> Vec<Seating> {
        let seats = Seats::new(self.tables[0].len()).expect("a table");
        Lineup::filled(seats.count(), seats).expect("it fits").seatings(Design::Neighbour)
    }

    /// Plays `blocks` blocks at each table.
    pub(super) fn play(&self, blocks: usize, rng: &mut ChaCha8Rng) -> Results {
        let seatings = self.seatings();
        let mut results = Results::new(self.strengths.len());
        for table in &self.tables {
            for _ in 0..blocks {
                results.add(&self.block(table, &seatings, rng), table).expect("a block of this table");
            }
        }
        results
    }

    fn block(&self, table: &[usize], seatings: &[Seating], rng: &mut ChaCha8Rng) -> Block {
        let (of_seats, of_players, step) = match self.games {
            Games::Model => (0.0, 0.0, 0.0),
            Games::LuckOfSeats => (1.5, 0.0, 0.0),
            Games::LuckOfPlayers => (0.0, 1.5, 0.0),
            Games::Ties => (0.0, 0.7, 4.0),
        };
        let of_seat = if self.games == Games::Model { 0.0 } else { 0.2 };
        let seats = seatings[0].seats();
        let luck_of_seats = BySeat::from_fn(seats, |_| of_seats * normal(rng));
        let luck_of_players = BySeat::from_fn(seats, |_| of_players * normal(rng));
        let play = |seating: &Seating| {
            let performances = BySeat::from_fn(seats, |seat| {
                let player = seats.get(seating[seat]).expect("a player for each seat");
                // The maximum of independent samples of this distribution (Gumbel's) is the first with the shares of the
                // model.
                let own = self.strengths[table[player.index()]] - (-uniform(rng).ln()).ln();
                let luck = luck_of_seats[seat] + luck_of_players[player] - of_seat * seat.index() as f64;
                let steps = if step > 0.0 { ((own + luck) / step).round() } else { (own + luck) * 1e9 };
                steps as i64
            });
            self.game(table, seating, ranks_by(&performances), rng)
        };
        Block { number: 0, games: seatings.iter().map(play).collect() }
    }

    fn game(&self, table: &[usize], seating: &Seating, mut ranks: BySeat<u8>, rng: &mut ChaCha8Rng) -> PlayedGame {
        if let Some(Gift { giver, agent, strength }) = self.gift {
            let seat = |agent| seating.iter().find(|&(_, player)| table[player] == agent).map(|(seat, _)| seat);
            if let (Some(giver), Some(agent)) = (seat(giver), seat(agent))
                && ranks[giver] < ranks[agent]
                && uniform(rng) < strength
            {
                (ranks[giver], ranks[agent]) = (ranks[agent], ranks[giver]);
            }
        }
        let result = MatchResult { scores: ranks.map(|_| 0), ranks, forfeits: ranks.map(|_| None) };
        PlayedGame { seating: *seating, outcome: GameOutcome::Finished(result), decisions: 0, times: Vec::new() }
    }
}

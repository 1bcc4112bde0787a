//! The table: the results of all blocks, with intervals.

use std::collections::BTreeMap;

use ahu_host::Cause;

use super::scoring::Kind;
use super::tally::{Samples, Series, Tally};
use super::times::Times;
use crate::statistics::{Bounds, Estimate, Sprt};

/// The results of all blocks that count.
#[derive(Clone, Debug)]
pub struct Table {
    /// The number of blocks.
    pub blocks: u64,
    /// The number of games in these blocks.
    pub games: u64,
    /// The number of games in which a seat forfeited. The other seats of such a game went on against a stand-in; their
    /// results among each other are flagged.
    pub flagged_games: u64,
    /// The mean number of decisions in a game.
    pub decisions: f64,
    /// The results of each player.
    pub players: Vec<PlayerRow>,
    /// The share of pairs that the player of the row won against the player of the column; None for a player and itself. A
    /// pair is two seats in one game. A tie is a half, and a pair with a seat that forfeited is the loss of that seat,
    /// or a tie if both did.
    pub pairs: Vec<Vec<Option<Estimate>>>,
    /// The number of blocks in which the first of two players won 0, ½, 1, 1½, and 2 games, where a block has two games of two
    /// seats (the pentanomial counts); None for other blocks.
    pub pentanomial: Option<[u64; 5]>,
    /// The share of wins of each seat, over all players. Without an advantage a seat has 1/n of them.
    pub seats: Vec<Estimate>,
    /// The same results without the flagged games; None if no game is flagged, or if the table has two seats.
    pub without_flagged: Option<Box<Self>>,
    /// The test, if there was one. If it came to an end, the intervals are biased: the test stopped where the results
    /// looked clear.
    pub sprt: Option<Sprt>,
}

/// The results of one player. All are means for each seat that it took, over blocks.
#[derive(Clone, Debug)]
pub struct PlayerRow {
    /// The number of seats that the player takes in each game.
    pub seats: usize,
    /// The share of wins; 1/n among equals. A win shared by k counts 1/k, and a seat that forfeited has none.
    pub wins: Measure,
    /// The share of pairs with other players that the player won; a half among equals. See [`Table::pairs`].
    pub pairs: Measure,
    /// The points above the mean of the other seats' points, in games without a forfeit.
    pub margin: Measure,
    /// The utility of the rank: +1 for the first place, -1 for the last, evenly spaced between; ties share the mean.
    pub utility: Measure,
    /// The points, in games without a forfeit.
    pub score: Measure,
    /// The rank; 1 is first.
    pub rank: Measure,
    /// The number of forfeits, by cause.
    pub forfeits: BTreeMap<Cause, u64>,
    /// The times of decisions, where they were measured.
    pub times: Times,
}

/// A mean over blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The mean of the block means, with its interval. The mean is NaN without a block that has one, as the margin if
    /// every game had a forfeit.
    pub estimate: Estimate,
    /// The variance of block means, divided by the variance of the means of as many unpaired games. With 0.5, unpaired games
    /// would need twice as many for the same interval; above 1, the games of a block resemble each other. None if all games
    /// or all blocks are too few or equal.
    pub variance_ratio: Option<f64>,
}

impl Tally {
    /// Returns the results of all blocks that count.
    pub fn table(&self) -> Table {
        // At a table of two there is no pair of others.
        let has_others = self.lineup.seats.count() > 2;
        let without = (self.flagged_games > 0 && has_others).then(|| Box::new(self.table_of(&self.unflagged, None)));
        self.table_of(&self.all, without)
    }

    fn table_of(&self, series: &Series, without_flagged: Option<Box<Table>>) -> Table {
        let seats = self.lineup.seats.count();
        let players = self.lineup.players();
        let share = |samples: &Samples| Estimate::of_bounded(&samples.blocks, Bounds::SHARE);
        let pairs = |row: usize, column: usize| (row != column).then(|| share(&series.samples.pairs[row][column]));
        Table {
            blocks: self.blocks(),
            games: self.games,
            flagged_games: self.flagged_games,
            decisions: self.decisions as f64 / self.games as f64,
            players: (0..players).map(|player| self.row(series, player)).collect(),
            pairs: (0..players).map(|row| (0..players).map(|column| pairs(row, column)).collect()).collect(),
            pentanomial: self.pentanomial(series),
            seats: series.samples.seats.iter().take(seats).map(share).collect(),
            without_flagged,
            sprt: self.sprt.clone(),
        }
    }

    fn pentanomial(&self, series: &Series) -> Option<[u64; 5]> {
        if self.seatings.len() != 2 || (self.lineup.players(), self.lineup.seats.count()) != (2, 2) {
            return None;
        }
        let blocks = &series.samples.players[0][Kind::Pairs as usize].blocks;
        let count = |share: f64| blocks.iter().filter(|&&own| (own - share).abs() < 0.1).count() as u64;
        Some([0.0, 0.25, 0.5, 0.75, 1.0].map(count))
    }

    fn row(&self, series: &Series, player: usize) -> PlayerRow {
        let of =
            |kind: Kind, bounds: Option<Bounds>| Measure::of(&series.samples.players[player][kind as usize], bounds);
        let within = |least: f64, greatest: f64| Some(Bounds { least, greatest });
        let seats = self.lineup.seats_of(player);
        PlayerRow {
            seats,
            // One of its seats can win, or they share the win.
            wins: of(Kind::Wins, within(0.0, 1.0 / seats as f64)),
            pairs: of(Kind::Pairs, Some(Bounds::SHARE)),
            margin: of(Kind::Margin, None),
            utility: of(Kind::Utility, within(-1.0, 1.0)),
            score: of(Kind::Score, None),
            rank: of(Kind::Rank, within(1.0, self.lineup.seats.count().max(2) as f64)),
            forfeits: self.forfeits[player].clone(),
            times: self.times[player].clone(),
        }
    }
}

impl Measure {
    fn of(samples: &Samples, bounds: Option<Bounds>) -> Self {
        let blocks = &samples.blocks;
        let estimate = match bounds {
            Some(bounds) => Estimate::of_bounded(blocks, bounds),
            None => Estimate::of(blocks),
        };
        let count = blocks.len() as f64;
        let squares: f64 = blocks.iter().map(|block| (block - estimate.mean).powi(2)).sum();
        let games_in_a_block = samples.games.count / count;
        let ratio = squares / (count - 1.0) / (samples.games.variance() / games_in_a_block);
        Self { estimate, variance_ratio: Some(ratio).filter(|ratio| ratio.is_finite()) }
    }
}

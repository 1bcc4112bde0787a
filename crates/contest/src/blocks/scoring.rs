//! The values of one block: its part in the statistics of each player, pair, and seat.

use ahu_core::Seat;
use ahu_host::{MatchResult, RewardRule};

use super::seatings::Seating;

/// The kinds of values that a player gets for a seat in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// 1 for the winner; a win shared by k counts 1/k.
    Wins,
    /// The share of the pairs with other players' seats that the seat won; a tie is a half.
    Pairs,
    /// The points above the mean of the other seats' points.
    Margin,
    /// The utility of the rank, from -1 to 1.
    Utility,
    /// The points.
    Score,
    /// The rank; 1 is first.
    Rank,
}

impl Kind {
    pub(super) const ALL: [Self; 6] = [Self::Wins, Self::Pairs, Self::Margin, Self::Utility, Self::Score, Self::Rank];
}

/// The means of one player in one block, for each seat that it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockMeans {
    /// The share of wins; a win shared by k counts 1/k.
    pub wins: f64,
    /// The utility of the rank, from -1 to 1.
    pub utility: f64,
    /// The points; None if every game had a forfeit.
    pub score: Option<f64>,
    /// The points above the mean of the other seats' points; None if every game had a forfeit.
    pub margin: Option<f64>,
}

/// The results that count.
///
/// If a seat forfeits, the others at its table go on against a stand-in. Their results among each other are *flagged*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All results.
    All,
    /// All results that are not flagged.
    Unflagged,
}

/// A sum of values and their number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    /// Returns the mean; None without values.
    pub(super) fn get(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

/// A value of each player and kind, of each pair of players, and of each seat.
#[derive(Clone, Debug)]
pub(super) struct Each<T> {
    /// The values of each player, by [`Kind`].
    pub(super) players: Vec<[T; Kind::ALL.len()]>,
    /// The pairs that the first player won against the second.
    pub(super) pairs: Vec<Vec<T>>,
    /// The wins of each seat.
    pub(super) seats: Vec<T>,
}

/// The values of one game, or of all games of a block.
pub(super) type Values = Each<Mean>;

impl<T: Clone + Default> Each<T> {
    pub(super) fn new(players: usize, seats: usize) -> Self {
        Self {
            players: vec![Default::default(); players],
            pairs: vec![vec![T::default(); players]; players],
            seats: vec![T::default(); seats],
        }
    }

    /// Returns all values, always in the same order: of players, of pairs, and of seats.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.players.iter().flatten().chain(self.pairs.iter().flatten()).chain(&self.seats)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.players.iter_mut().flatten().chain(self.pairs.iter_mut().flatten()).chain(&mut self.seats)
    }
}

impl Values {
    /// Adds all values of `others`.
    pub(super) fn merge(&mut self, others: &Self) {
        for (mean, other) in self.iter_mut().zip(others.iter()) {
            mean.sum += other.sum;
            mean.count += other.count;
        }
    }

    /// Adds a game.
    pub(super) fn add(&mut self, seating: &Seating, result: &MatchResult, scope: Scope) {
        let seats = seating.seats();
        let is_forfeited = |seat: Seat| result.forfeits[seat].is_some();
        let has_forfeit = seats.iter().any(is_forfeited);
        let counts = |of_forfeiter: bool| scope == Scope::All || !has_forfeit || of_forfeiter;
        let wins = wins(result);
        let margins = RewardRule::Margin.returns(&result.scores, &result.ranks);
        let utilities = RewardRule::Rank.returns(&result.scores, &result.ranks);
        for (seat, player) in seating.iter() {
            let mut add = |kind: Kind, value: f64| self.players[player][kind as usize].add(value);
            if counts(is_forfeited(seat)) {
                add(Kind::Wins, wins(seat));
                add(Kind::Utility, f64::from(utilities[seat]));
                add(Kind::Rank, f64::from(result.ranks[seat]));
            }
            // After a forfeit the stand-in makes the points of a seat.
            if !has_forfeit {
                add(Kind::Margin, f64::from(margins[seat]));
                add(Kind::Score, f64::from(result.scores[seat]));
            }
            if counts(false) {
                self.seats[seat.index()].add(wins(seat));
            }
            for (other, opponent) in seating.iter().filter(|&(_, opponent)| opponent != player) {
                if counts(is_forfeited(seat) || is_forfeited(other)) {
                    let won = pair(result, seat, other);
                    self.players[player][Kind::Pairs as usize].add(won);
                    self.pairs[player][opponent].add(won);
                }
            }
        }
    }
}

/// Returns the share of the win of each seat. A seat that forfeited has none, also if all forfeited.
fn wins(result: &MatchResult) -> impl Fn(Seat) -> f64 {
    let won = |seat: Seat| result.ranks[seat] == 1 && result.forfeits[seat].is_none();
    let winners = result.ranks.seats().iter().filter(|&seat| won(seat)).count();
    move |seat| if won(seat) { 1.0 / winners as f64 } else { 0.0 }
}

/// Returns 1 if `seat` won against `other`, and a half for a tie. Seats that forfeited share the last rank, so each pair
/// with one of them is its loss, and a tie between two of them.
pub(crate) fn pair(result: &MatchResult, seat: Seat, other: Seat) -> f64 {
    match result.ranks[seat].cmp(&result.ranks[other]) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }
}

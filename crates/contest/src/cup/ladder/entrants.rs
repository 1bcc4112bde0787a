//! An agent of a ladder, and its account.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

/// The number of an agent's last games that the ladder keeps.
pub(super) const KEPT: usize = 20;
/// The numbers of forfeits with which an agent rests: in a row, and among its last 20 games.
const IN_A_ROW: u32 = 5;
const OF_LAST: u32 = 10;
/// The half width of the interval of an agent without games, in Elo points: 1.96 deviations of the prior.
const UNKNOWN: i32 = 1_021;

/// An agent of a ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contestant {
    /// The number of its account.
    pub account: usize,
    /// The time since which it waits, in milliseconds since 1970; None if it does not.
    pub waiting: Option<u64>,
    /// The number of its games in progress.
    pub playing: u32,
    /// The number of games that were drawn with it.
    pub drawn: u32,
    /// The number of its games that have ended.
    pub games: u32,
    /// The number of games that were drawn with it in each seat.
    pub seats: Vec<u32>,
    /// The pairs and half pairs won of ended games by seat.
    pub by_seat: Vec<[u32; 2]>,
    /// The number of games that were drawn with each other agent.
    pub met: BTreeMap<usize, u32>,
    /// The pairs and half pairs won of ended games against each other agent.
    pub against: BTreeMap<usize, [u32; 2]>,
    /// The agents of its last table, in the order of their numbers.
    pub(super) last_table: Vec<usize>,
    /// True once an entry of ratings has had it.
    pub is_rated: bool,
    /// The rating of the last entry, in Elo points; 0 before the first.
    pub rating: i32,
    /// Half the width of the interval of that rating, in Elo points.
    pub margin: i32,
    /// The rating at the end of each day on which it moved: the day, and the rating.
    pub history: Vec<(u64, i32)>,
    /// Its last games, the newest first.
    pub recent: VecDeque<PlayedBefore>,
    /// Its last 20 games as bits, 1 for a forfeit; the lowest bit is the newest game.
    pub(super) last: u32,
    /// The number of its forfeits by cause.
    pub forfeits: BTreeMap<String, u32>,
    /// The number of its wins; a win that k seats share counts 1/k.
    pub wins: f64,
    /// The time of its last result, in milliseconds since 1970.
    pub last_played: Option<u64>,
}

/// A game that an agent has played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedBefore {
    /// The number of the game.
    pub game: usize,
    /// The time of its result, in milliseconds since 1970.
    pub at: u64,
    /// The id of the match.
    pub match_id: String,
    /// The agents by seat.
    pub agents: Vec<usize>,
    /// The points by seat.
    pub scores: Vec<i32>,
    /// The ranks by seat.
    pub ranks: Vec<u8>,
    /// The cause of the forfeit of each seat; empty for a seat that did not forfeit.
    pub forfeits: Vec<String>,
}

/// An account, or an agent of the file without an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Its name: the owner, or the name of the agent.
    pub name: String,
    /// Its entrants, in the order in which they entered.
    pub entrants: Vec<usize>,
    /// The number of its games in progress.
    pub playing: u32,
    /// The number of its games that were drawn.
    pub drawn: u32,
    /// The time of its last draw or result, in milliseconds since 1970.
    pub last: Option<u64>,
    /// A day of the season, and the number of its games that were drawn on it.
    pub today: (u64, u32),
    /// A day of the season, and the number of entrants that it entered on it.
    pub entered: (u64, u32),
}

impl Contestant {
    pub(super) fn new(account: usize, seats: usize) -> Self {
        Self { account, seats: vec![0; seats], by_seat: vec![[0; 2]; seats], margin: UNKNOWN, ..Self::default() }
    }

    /// Notes whether a game was forfeited. Returns the reason why the agent rests from now on; None if it plays on.
    pub(super) fn note_end(&mut self, has_forfeited: bool) -> Option<String> {
        self.last = (self.last << 1 | u32::from(has_forfeited)) & 0xF_FFFF;
        let [row, of_last] = [self.last.trailing_ones() >= IN_A_ROW, self.last.count_ones() >= OF_LAST];
        match (row, of_last) {
            (true, _) => Some(format!("it has forfeited {IN_A_ROW} games in a row")),
            (_, true) => Some(format!("it has forfeited {OF_LAST} of its last 20 games")),
            _ => None,
        }
    }

    /// Forgets the forfeits, after a rest.
    pub(super) fn wake(&mut self) {
        self.last = 0;
    }
}

/// Adds 1 to the number of a day; another day begins with 1.
pub(super) fn count((of, number): &mut (u64, u32), day: u64) {
    *number = if *of == day { *number + 1 } else { 1 };
    *of = day;
}

/// Returns the number of a day.
pub(super) fn counted(&(of, number): &(u64, u32), day: u64) -> u32 {
    if of == day { number } else { 0 }
}

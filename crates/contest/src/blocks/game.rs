//! The games of a block as plain data, which any host of games fills.

use ahu_core::{Seat, SeatSet};
use ahu_host::{DecidedBy, Ending, Entry, MatchResult, Record};

use super::scoring::{BlockMeans, Kind, Scope, Values};
use super::seatings::Seating;

/// The end of a game of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameOutcome {
    /// The game has a result: scores, ranks, and the cause of each forfeit.
    Finished(MatchResult),
    /// The game has no result by a fault that is no player's, for this reason.
    Void(String),
}

/// The time of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTime {
    /// The seat that decided.
    pub seat: Seat,
    /// The time in nanoseconds.
    pub nanos: u64,
}

/// One game of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The player of each seat.
    pub seating: Seating,
    /// The end of the game.
    pub outcome: GameOutcome,
    /// The number of decisions of all seats.
    pub decisions: u32,
    /// The times of decisions. Empty: nobody measured them.
    pub times: Vec<DecisionTime>,
}

impl GameOutcome {
    /// Returns the end of the game in a record.
    pub fn of(record: &Record) -> Self {
        match (&record.ending, record.result) {
            (Some(Ending::Finished), Some(result)) => Self::Finished(result),
            (Some(Ending::Cancelled(reason) | Ending::Void(reason)), _) => Self::Void(reason.clone()),
            _ => Self::Void("the match has no result".to_owned()),
        }
    }
}

impl PlayedGame {
    /// Returns a game that is void for this reason.
    pub fn void(seating: Seating, reason: String) -> Self {
        Self { seating, outcome: GameOutcome::Void(reason), decisions: 0, times: Vec::new() }
    }

    /// Returns the game of a record, after the `begun` plies of its position. The answers of the players of timed seats are
    /// timed, but for the first one of each seat, in which a program may start.
    pub fn of(record: &Record, seating: Seating, begun: usize, is_timed: impl Fn(Seat) -> bool) -> Self {
        let actions = record.entries.iter().skip(begun).filter_map(|entry| match entry {
            Entry::Action { seat, by, time, .. } => Some((*seat, *by, time.measured)),
            _ => None,
        });
        let mut has_decided = SeatSet::EMPTY;
        let times = actions.clone().filter(|&(seat, by, _)| {
            let is_first = !has_decided.contains(seat);
            has_decided = has_decided.with(seat);
            by == DecidedBy::Player && is_timed(seat) && !is_first
        });
        let times = times.map(|(seat, _, measured)| DecisionTime { seat, nanos: u64::from(measured) * 1_000_000 });
        Self { seating, outcome: GameOutcome::of(record), decisions: actions.count() as u32, times: times.collect() }
    }
}

/// All games of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of the block, from 0.
    pub number: u64,
    /// The games, in the order of their seatings.
    pub games: Vec<PlayedGame>,
}

impl Block {
    /// Returns the reason why the first void game of the block is void; None if all games have a result.
    pub fn void(&self) -> Option<&str> {
        self.games.iter().find_map(|game| match &game.outcome {
            GameOutcome::Void(reason) => Some(reason.as_str()),
            GameOutcome::Finished(_) => None,
        })
    }

    /// Returns the means of a player over its seats in all games.
    ///
    /// # Panics
    /// If the block is void, or the player has no seat in it.
    pub fn means(&self, player: usize) -> BlockMeans {
        let seats = self.games.first().map_or(0, |game| game.seating.seats().count());
        let players = self.games.iter().flat_map(|game| game.seating.values()).max().map_or(0, |last| last + 1);
        let mut values = Values::new(players, seats);
        for (seating, result) in self.results() {
            values.add(seating, result, Scope::All);
        }
        let of = |kind: Kind| values.players[player][kind as usize].get();
        let always = |kind: Kind| of(kind).expect("the player has a seat");
        BlockMeans {
            wins: always(Kind::Wins),
            utility: always(Kind::Utility),
            score: of(Kind::Score),
            margin: of(Kind::Margin),
        }
    }

    /// Returns the games with their results.
    ///
    /// # Panics
    /// If the block is void.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&Seating, &MatchResult)> {
        self.games.iter().map(|game| match &game.outcome {
            GameOutcome::Finished(result) => (&game.seating, result),
            GameOutcome::Void(reason) => panic!("block {} is void: {reason}", self.number),
        })
    }
}

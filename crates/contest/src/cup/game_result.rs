//! The result of one game of a cup.

use ahu_core::{BySeat, Seats};
use ahu_host::{Cause, MatchResult, check_match_id, ensure};
use serde::{Deserialize, Serialize};

/// The result of one game, by seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// The id of the match; None if the game was not played, because at most one of its agents was left.
    #[serde(rename = "match")]
    pub match_id: Option<String>,
    /// The agents.
    pub agents: Vec<String>,
    /// The points; empty if the game was not played.
    pub scores: Vec<i32>,
    /// The ranks; 1 is first.
    pub ranks: Vec<u8>,
    /// The forfeit of each seat; None for a seat that did not forfeit.
    pub forfeits: Vec<Option<Forfeit>>,
    /// The digest of the record; None if the game was not played.
    pub digest: Option<String>,
    /// The number of decisions of all seats.
    pub decisions: u32,
}

/// The reason for which a seat lost its pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Forfeit {
    /// The agent forfeited in the game.
    Game(Cause),
    /// The agent had left the cup.
    Left,
}

impl Forfeit {
    /// Returns the name in the journal and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Game(cause) => cause.name(),
            Self::Left => "left",
        }
    }

    /// Returns the cause of a forfeit in the game; None for an agent that had left the cup.
    pub fn cause(self) -> Option<Cause> {
        if let Self::Game(cause) = self { Some(cause) } else { None }
    }
}

impl Serialize for Forfeit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Forfeit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let causes = Cause::ALL.iter().map(|&cause| Self::Game(cause)).chain([Self::Left]);
        let found = causes.into_iter().find(|forfeit| forfeit.name() == name);
        found.ok_or_else(|| serde::de::Error::custom(format!("expected a cause of a forfeit, got \"{name}\"")))
    }
}

impl GameResult {
    /// Returns how a seat did against another, in half pairs: 2 for a better rank, 1 for a tie, 0 for a worse rank. A seat
    /// that forfeited loses against a seat that did not; two seats that forfeited tie.
    pub fn half_pairs(&self, seat: usize, other: usize) -> u32 {
        let rank = |seat: usize| if self.forfeits[seat].is_some() { u8::MAX } else { self.ranks[seat] };
        match rank(seat).cmp(&rank(other)) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        }
    }

    /// Returns the share of a seat in the win: 1/k if k seats share the first rank, and 0 for a seat that forfeited.
    pub fn win_share(&self, seat: usize) -> f64 {
        let is_first = |seat: usize| self.ranks[seat] == 1 && self.forfeits[seat].is_none();
        let first = (0..self.ranks.len()).filter(|&other| is_first(other)).count();
        if is_first(seat) { 1.0 / first as f64 } else { 0.0 }
    }

    /// Returns true if an agent of the game had left the cup.
    pub fn has_left(&self) -> bool {
        self.forfeits.contains(&Some(Forfeit::Left))
    }

    /// Returns the result of the match; None if the game was not played, or an agent had left the cup.
    pub fn match_result(&self) -> Option<MatchResult> {
        let seats = Seats::new(self.agents.len())?;
        if self.scores.is_empty() || self.has_left() {
            return None;
        }
        Some(MatchResult {
            scores: BySeat::from_fn(seats, |seat| self.scores[seat.index()]),
            ranks: BySeat::from_fn(seats, |seat| self.ranks[seat.index()]),
            forfeits: BySeat::from_fn(seats, |seat| self.forfeits[seat.index()].and_then(Forfeit::cause)),
        })
    }

    /// Checks the id of the match, and that the result has values for this number of seats.
    pub(super) fn check(&self, seats: usize) -> Result<(), String> {
        self.match_id.as_deref().map_or(Ok(()), check_match_id)?;
        let lengths = [self.agents.len(), self.ranks.len(), self.forfeits.len()];
        let is_whole = lengths.iter().all(|&length| length == seats)
            && (self.scores.len() == seats || self.scores.is_empty() && self.match_id.is_none());
        ensure(is_whole, || format!("expected a result of {seats} seats, got {self:?}"))
    }
}

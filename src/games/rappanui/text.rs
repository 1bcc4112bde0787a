//! The text of the table for people.

use std::fmt;

use super::cards::{CardSet, EventKind, Kind, Suit};
use super::pass::{PASSES, hand_limit};
use super::phase::Phase;
use super::table::Table;
use super::view::View;
use crate::core::Viewer;

impl Phase {
    /// Returns the rulebook's name of the phase.
    const fn name(self) -> &'static str {
        match self {
            Self::Deal => "setup",
            Self::Draw => "Rapa Nui Phase",
            Self::Conflict | Self::Steal { .. } | Self::Lose { .. } => "Conflict Phase",
            Self::Meld { .. } => "Moai Phase",
            Self::Decline { .. } => "Decline Phase",
            Self::Over => "game over",
        }
    }
}

/// Writes the table, the viewer's hand, and the other knowledge of the viewer.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { phase, player, round, passes, points, discard, eroded, .. } = self.table;
        match phase {
            Phase::Deal | Phase::Over => writeln!(f, "Rappa Nui: {}", phase.name())?,
            phase => writeln!(f, "Rappa Nui: turn {round} of seat {player}, {}", phase.name())?,
        }
        writeln!(
            f,
            "deck {} (used up {passes} of {PASSES} times), discard {}, eroded {}, hand limit {}",
            self.deck,
            discard.len(),
            eroded.len(),
            hand_limit(passes)
        )?;
        writeln!(f, "    seat  points  cards")?;
        for (seat, points) in points.iter() {
            let mark = if seat == player && phase != Phase::Over { '>' } else { ' ' };
            write!(f, "  {mark} {:<4}  {points:>6}  {:>5}", seat.to_string(), self.hand_sizes[seat])?;
            if self.viewer.is(seat) {
                write!(f, "  you")?;
            } else if !self.known[seat].is_empty() {
                write!(f, "  has {}", self.known[seat])?;
            }
            writeln!(f)?;
        }
        if matches!(self.viewer, Viewer::Seat(_)) {
            writeln!(f, "your hand: {}", Spread(self.hand))?;
        }
        if !phase.laid().is_empty() {
            writeln!(f, "laid: {}", phase.laid())?;
        }
        writeln!(f, "discarded: {}", Spread(discard))?;
        writeln!(f, "eroded: {}", Spread(eroded))?;
        if !self.surely_held().is_empty() {
            writeln!(f, "surely in other hands: {}", Spread(self.surely_held()))?;
        }
        if let Phase::Decline { excess, .. } = phase {
            writeln!(f, "to discard: {excess} (in the order Food, Wood, People, Stone, events)")?;
        }
        Ok(())
    }
}

/// A set of cards that prints by suit: `Food 3 7 7, Wood 12, Raid x2, Famine`.
struct Spread(CardSet);

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for suit in Suit::ALL {
            let resources = self.0.iter().filter_map(|card| card.kind().as_resource());
            let of_suit = resources.filter(|resource| resource.suit() == suit);
            let numbers: Vec<String> = of_suit.map(|resource| resource.number().to_string()).collect();
            if !numbers.is_empty() {
                parts.push(format!("{suit} {}", numbers.join(" ")));
            }
        }
        parts.extend(EventKind::all().map(Kind::Event).filter_map(|kind| match self.0.count(kind) {
            0 => None,
            1 => Some(kind.name().to_owned()),
            count => Some(format!("{} x{count}", kind.name())),
        }));
        f.write_str(&if parts.is_empty() { "no cards".to_owned() } else { parts.join(", ") })
    }
}

//! The text of the table for people.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{WIDTH, wrapped_lists};
use ahu_core::{Describe, Numbered as _, Tint, Viewer};

use super::cards::Suit;
use super::event::VisibleCards;
use super::phase::Phase;
use super::table::{PASSES, Table, hand_limit};
use super::view::View;

/// The indent of a line that continues another.
const HANG: usize = 6;

/// Writes the table, the viewer's hand, and the other knowledge of the viewer.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.tell(&mut text)?;
        f.write_str(&wrapped_lists(&text, WIDTH, HANG))
    }
}

impl Describe for View {
    fn headline(&self) -> String {
        let Table { phase, first, player, round, .. } = self.table;
        let due = self.due();
        match phase {
            Phase::Deal => format!("Rappa Nui: {due}"),
            Phase::Over => format!("Rappa Nui: {due} after turn {round} of seat {player}; seat {first} went first"),
            _ => format!("Rappa Nui: {due}; seat {first} went first"),
        }
    }

    fn holdings(&self) -> String {
        match self.viewer {
            Viewer::Seat(_) => format!("hand {}", VisibleCards::Cards(self.hand)),
            Viewer::Public => String::new(),
        }
    }

    fn tint(word: &str) -> Option<Tint> {
        let suit = Suit::all().find(|suit| word.starts_with(suit.letter()))?;
        word[1..].bytes().all(|byte| byte.is_ascii_digit()).then(|| Tint::Suit(suit.index() as u8))
    }
}

impl View {
    fn tell(&self, f: &mut String) -> fmt::Result {
        let Table { phase, player, passes, points, discard, eroded, .. } = self.table;
        writeln!(f, "{}", self.headline())?;
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
                write!(f, "  (you)")?;
            }
            for (verb, cards) in [("has", self.known[seat]), ("knows your", self.exposed[seat])] {
                if !cards.is_empty() {
                    write!(f, "  {verb} {cards}")?;
                }
            }
            writeln!(f)?;
        }
        if matches!(self.viewer, Viewer::Seat(_)) {
            writeln!(f, "your hand: {}", VisibleCards::Cards(self.hand))?;
        }
        if !phase.laid().is_empty() {
            writeln!(f, "laid: {}", phase.laid())?;
        }
        writeln!(f, "discarded: {}", VisibleCards::Cards(discard))?;
        writeln!(f, "eroded: {}", VisibleCards::Cards(eroded))?;
        if !self.surely_held().is_empty() {
            writeln!(f, "surely in {}: {}", self.hands_of_others(), self.surely_held())?;
        }
        if let Phase::Decline { excess, .. } = phase {
            writeln!(f, "to discard: {excess} (in the order F, W, P, S, events)")?;
        }
        if passes > 0 {
            writeln!(f, "seen of this deck: {}", VisibleCards::Cards(self.seen_of_deck()))?;
        }
        Ok(())
    }
}

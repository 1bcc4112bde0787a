//! The table as text for language models.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{joined_or, slashed};
use ahu_core::{Compact, Viewer};

use super::cards::{CardSet, Kind, Suit};
use super::event::VisibleCards;
use super::phase::Phase;
use super::table::{PASSES, Table, hand_limit};
use super::view::View;

const LEGEND: &str = "\
Numbers with / between them are by seat, from seat 0. Cards: F food, W wood, P people, S stone, each with its number from 1 to 12, \
and the events by name. In the piles a suit is written once, with a sign for each card: 1 to 9, T 10, J 11, Q 12; F77T is F7 F7 F10. \
raid*3 is three raids. Seen of this deck: the cards that were in the deck at its last shuffle, and that you see now; the deck was \
first shuffled with all cards.
";

/// Returns a pile of cards, with each suit written once: `F346T P25 raid*3`.
fn pile(cards: CardSet) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut last: Option<Suit> = None;
    for kind in cards.kinds().iter() {
        let count = cards.count(kind);
        match kind {
            Kind::Resource(resource) => {
                let suit = resource.suit();
                if last != Some(suit) {
                    parts.push(suit.letter().to_string());
                    last = Some(suit);
                }
                let part = parts.last_mut().expect("the suit was just written");
                part.extend(std::iter::repeat_n(sign(resource.number()), count));
            }
            Kind::Event(event) if count == 1 => parts.push(event.to_string()),
            Kind::Event(event) => parts.push(format!("{event}*{count}")),
        }
    }
    joined_or(parts, " ", "none")
}

/// Returns the sign of a number from 1 to 12 in a pile.
fn sign(number: u8) -> char {
    match number {
        10 => 'T',
        11 => 'J',
        12 => 'Q',
        digit => char::from(b'0' + digit),
    }
}

impl Compact for View {
    fn compact_legend(&self) -> String {
        LEGEND.to_owned()
    }

    fn write_compact(&self, f: &mut String) -> fmt::Result {
        let Table { phase, first, player, round, passes, points, discard, eroded, .. } = self.table;
        writeln!(f, "{}", self.due())?;
        if phase == Phase::Over {
            writeln!(f, "the last turn was turn {round}, seat {player}")?;
        }
        if let Viewer::Seat(seat) = self.viewer {
            writeln!(f, "you are seat {seat}; hand {}", VisibleCards::Cards(self.hand))?;
        }
        if let Phase::Decline { excess, .. } = phase {
            writeln!(f, "to discard {excess}, in the order F, W, P, S, events")?;
        }
        if !phase.laid().is_empty() {
            writeln!(f, "laid {}", phase.laid())?;
        }
        writeln!(f, "points {}; cards {}", slashed(points.values()), slashed(self.hand_sizes.values()))?;
        for (seat, known) in self.known.iter().filter(|(_, known)| !known.is_empty()) {
            writeln!(f, "seat {seat} has {known}")?;
        }
        for (seat, exposed) in self.exposed.iter().filter(|(_, exposed)| !exposed.is_empty()) {
            writeln!(f, "seat {seat} knows {exposed} in your hand")?;
        }
        let (deck, limit) = (self.deck, hand_limit(passes));
        let went_first = if phase == Phase::Deal { String::new() } else { format!(", seat {first} went first") };
        writeln!(f, "deck {deck}, used up {passes} of {PASSES} times, hand limit {limit}{went_first}")?;
        writeln!(f, "discarded {}: {}", discard.len(), pile(discard))?;
        writeln!(f, "eroded {}: {}", eroded.len(), pile(eroded))?;
        if !self.surely_held().is_empty() {
            writeln!(f, "surely in {}: {}", self.hands_of_others(), pile(self.surely_held()))?;
        }
        if passes > 0 {
            writeln!(f, "seen of this deck: {}", pile(self.seen_of_deck()))?;
        }
        Ok(())
    }
}

//! The 120 cards, each with the number of its copy.

use std::fmt;
use std::str::FromStr;

use ahu_core::parts::lines::joined;
use ahu_core::{ParseError, numbered};

use super::kind::{EventKind, Kind, ResourceKind};

numbered! {
    /// One of the 120 cards. Players cannot tell equal cards apart; chance, which orders the deck, can.
    ///
    /// The first copies of the 48 resources come first, in the order of kinds, then the second copies, the Raids, the Huri
    /// Moai, and the Disasters.
    ///
    /// The text of a card is the text of its kind, with the number of the copy if the kind has several: `F7.2`. The number
    /// has no meaning in the rules.
    pub struct Card[120];
}

/// The number of the second copy of the first resource.
pub(super) const SECOND_COPIES: u8 = ResourceKind::COUNT as u8;
/// The number of the first Raid.
pub(super) const RAIDS: u8 = 2 * SECOND_COPIES;
/// The number of the first Huri Moai.
pub(super) const HURI_MOAI: u8 = RAIDS + Kind::Event(EventKind::RAID).copies();
/// The number of the first Disaster.
pub(super) const DISASTERS: u8 = HURI_MOAI + Kind::Event(EventKind::HURI_MOAI).copies();

impl Card {
    /// Returns the kind of the card.
    #[inline]
    pub const fn kind(self) -> Kind {
        let index = match self.0 {
            0..SECOND_COPIES => self.0,
            SECOND_COPIES..RAIDS => self.0 - SECOND_COPIES,
            RAIDS..HURI_MOAI => return Kind::Event(EventKind::RAID),
            HURI_MOAI..DISASTERS => return Kind::Event(EventKind::HURI_MOAI),
            DISASTERS.. => {
                // The Disasters come after Raid and Huri Moai among the events.
                let event = EventKind::new((self.0 - DISASTERS) as usize + EventKind::FIRST_DISASTER.index());
                return Kind::Event(event.expect("the last cards are Disasters"));
            }
        };
        Kind::Resource(ResourceKind::new(index as usize).expect("the first cards are resources"))
    }

    /// Returns the number of the card among the equal cards, from 1.
    const fn copy(self) -> u8 {
        match self.0 {
            0..SECOND_COPIES | DISASTERS.. => 1,
            SECOND_COPIES..RAIDS => 2,
            RAIDS..HURI_MOAI => self.0 - RAIDS + 1,
            HURI_MOAI..DISASTERS => self.0 - HURI_MOAI + 1,
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind().copies() {
            1 => write!(f, "{}", self.kind()),
            _ => write!(f, "{}.{}", self.kind(), self.copy()),
        }
    }
}

impl FromStr for Card {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (kind, copy) = text.split_once('.').unwrap_or((text, "1"));
        let kind: Kind = kind.parse()?;
        let copies = || Self::all().filter(|card| card.kind() == kind);
        let mut same = copies().filter(|card| card.copy().to_string() == copy);
        same.find(|card| card.to_string().len() == text.len())
            .ok_or_else(|| ParseError::new(0, format!("expected {}, got \"{text}\"", joined(copies(), " or "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_written_with_its_copy_where_there_are_several() {
        for card in Card::all() {
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        let text = |index| Card::new(index).map(|card| card.to_string());
        assert_eq!(text(6).as_deref(), Some("F7.1"));
        assert_eq!(text(54).as_deref(), Some("F7.2"));
        assert_eq!(text(103).as_deref(), Some("raid.8"));
        assert_eq!(text(112).as_deref(), Some("famine"));
        for wrong in ["F7", "F7.3", "F13.1", "F7.01", "famine.1", "raid.9", "", "."] {
            assert!(wrong.parse::<Card>().is_err(), "{wrong}");
        }
    }
}

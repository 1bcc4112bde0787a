//! The fields of messages: how messages have each type of the game.

use ahu_core::{Numbered, ParseError};
use ahu_messages::giants::v1::{self, Figure};

use crate::giants::board::{Ahu, Hex};
use crate::giants::piece::{BySize, Piece, Size};
use crate::giants::{Amount, Bid, Gain, LOGS_A_FIGURE, Party, Points};
use crate::wire::message::{FromField, ToField, numbered_fields};

numbered_fields! {
    enums {}
    numbers {
        Size, "Moai's size";
    }
}

impl ToField<Vec<u32>> for BySize {
    fn to_field(self) -> Vec<u32> {
        numbers(self.as_slice())
    }
}

/// Returns the number of a hex or an Ahu in messages.
pub(super) fn index(of: impl Numbered) -> u32 {
    of.index() as u32
}

pub(super) fn numbers(small: &[u8]) -> Vec<u32> {
    small.iter().copied().map(u32::from).collect()
}

pub(super) fn read_party(of: i32, logs: u32) -> Result<Party, String> {
    let brought = u8::try_from(logs).ok().filter(|&fits| fits <= LOGS_A_FIGURE);
    let brought = brought.ok_or_else(|| format!("expected 0 to {LOGS_A_FIGURE} logs, got {logs}"))?;
    match Figure::try_from(of) {
        Ok(Figure::Worker) => Ok(Party::Worker(brought)),
        Ok(Figure::Sorcerer) => Ok(Party::Sorcerer(brought)),
        Ok(Figure::Chief) if brought == 0 => Ok(Party::Chief),
        Ok(Figure::Chief) => Err(format!("expected no logs with the Chief, got {brought}")),
        Ok(Figure::Unspecified) => {
            Err("expected FIGURE_WORKER, FIGURE_SORCERER, or FIGURE_CHIEF, got FIGURE_UNSPECIFIED".to_owned())
        }
        Err(_) => Err(format!("expected a figure from 1 (FIGURE_WORKER) to 3 (FIGURE_CHIEF), got {of}")),
    }
}

/// Implements the field of things that are numbered from 0. Errors have the nouns.
macro_rules! indexed_fields {
    ($($type:ty, $noun:literal;)+) => {$(
        impl ToField<u32> for $type {
            fn to_field(self) -> u32 {
                index(self)
            }
        }

        impl FromField<Option<u32>> for $type {
            fn from_field(number: &Option<u32>) -> Result<Self, String> {
                let most = Self::COUNT - 1;
                let number = number.ok_or_else(|| format!("expected {} from 0 to {most}, got none", $noun))?;
                Self::new(number as usize).ok_or_else(|| format!("expected {} from 0 to {most}, got {number}", $noun))
            }
        }
    )+};
}
indexed_fields! {
    Amount, "a count";
    Hex, "the number of a hex";
    Ahu, "the number of an Ahu";
}

impl ToField<String> for Piece {
    fn to_field(self) -> String {
        self.to_string()
    }
}

impl FromField<String> for Piece {
    fn from_field(name: &String) -> Result<Self, String> {
        name.parse().map_err(|error: ParseError| error.message.into_owned())
    }
}

impl ToField<v1::Bid> for Bid {
    fn to_field(self) -> v1::Bid {
        let Self { markers, workers, leaders } = self;
        v1::Bid {
            markers: markers.to_field(),
            workers: workers.to_field(),
            sorcerer: leaders.sorcerer().to_field(),
            chief: leaders.chief().to_field(),
        }
    }
}

pub(super) const fn figure(party: Party) -> Figure {
    match party {
        Party::Worker(_) => Figure::Worker,
        Party::Sorcerer(_) => Figure::Sorcerer,
        Party::Chief => Figure::Chief,
    }
}

pub(super) const fn leader(chief: bool) -> Figure {
    if chief { Figure::Chief } else { Figure::Sorcerer }
}

impl ToField<v1::event::power_used::Gain> for Gain {
    fn to_field(self) -> v1::event::power_used::Gain {
        use v1::event::power_used::Gain as One;
        match self {
            Self::Worker => One::Workers(1),
            Self::Marker => One::Markers(1),
            Self::Logs(logs) => One::Logs(logs.into()),
            Self::Headdress(piece) => One::Headdress(piece.to_string()),
            Self::Reserved(ahu) => One::ReservedAhu(ahu.to_field()),
        }
    }
}

impl ToField<v1::event::Points> for Points {
    fn to_field(self) -> v1::event::Points {
        v1::event::Points {
            scored: self.scored.into(),
            moai: self.moai.into(),
            headdresses: self.headdresses.into(),
            tablets: self.tablets.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use ahu_messages::giants::v1;

    use crate::giants::End;
    use crate::wire::message::assert_same_names;

    #[test]
    fn enums_of_messages_are_those_of_the_game() {
        assert_same_names! {
            End, v1::event::Reason, "REASON";
        }
    }
}

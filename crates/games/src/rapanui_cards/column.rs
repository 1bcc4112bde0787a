//! The columns of the display, and their cards.

use ahu_core::bytes::read_count;
use ahu_core::numbered;
use borsh::{BorshDeserialize, BorshSerialize, io};

use super::cards::Kind;

/// The number of cards in a new column.
pub const DEPTH: usize = 4;

numbered! {
    /// One of the four columns of the display.
    pub struct Column("column", 1..=4);
}

impl Column {
    /// The column that is laid out first.
    pub const FIRST: Self = Self(0);
}

/// A column of the display. The cards overlap; the front one is on top.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Pile {
    /// The number of cards.
    #[borsh(deserialize_with = "read_len")]
    pub len: u8,
    /// The cards, the front one first; None if nobody has seen the card yet, or there is no card.
    pub cards: [Option<Kind>; DEPTH],
}

fn read_len(bytes: &mut impl io::Read) -> io::Result<u8> {
    read_count(bytes, DEPTH, "cards in a column")
}

impl Pile {
    /// A column without cards.
    pub const EMPTY: Self = Self { len: 0, cards: [None; DEPTH] };

    /// Returns the cards, the front one first.
    pub fn cards(&self) -> &[Option<Kind>] {
        &self.cards[..usize::from(self.len)]
    }

    /// Returns the front card; None if there is none, or chance still has to uncover it.
    #[inline]
    pub const fn front(&self) -> Option<Kind> {
        self.cards[0]
    }

    /// Removes the front card and returns it.
    pub(super) fn take_front(&mut self) -> Kind {
        let kind = self.front().expect("each column has a front card when a player draws");
        self.len -= 1;
        self.cards[0] = None;
        self.cards.rotate_left(1);
        kind
    }
}

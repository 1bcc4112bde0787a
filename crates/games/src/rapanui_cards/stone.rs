//! The Stone of Sacrifice, and the public knowledge of its face-down cards.
//!
//! For a card that a player laid face down, all players remember the possible foods. The public part of the state keeps them
//! ([`FaceDown::at_most_so_far`]), so that views need no history. A test derives them anew from public events alone.

use ahu_core::Seat;
use ahu_core::bytes::read_count;
use borsh::{BorshDeserialize, BorshSerialize, io};

use super::cards::{Food, Foods, MOAI};

/// The public knowledge of the stone: everything except the foods of the face-down cards.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Stone {
    /// The cards that were laid face up.
    pub open: Foods,
    /// The card on top.
    pub top: Top,
    /// The number of cards laid face down.
    #[borsh(deserialize_with = "read_face_down_count")]
    pub face_down_count: u8,
    /// The face-down cards, in the order in which they were laid. The entries after them have no meaning.
    pub face_down: [FaceDown; MOAI],
}

/// The card on top of the stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Top {
    /// No card: the stone is empty.
    Empty,
    /// A face-up card.
    Open(Food),
    /// A face-down card.
    FaceDown,
}

/// The public knowledge of a face-down card.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct FaceDown {
    /// The player who laid the card.
    pub seat: Seat,
    /// An upper limit, by food, on the cards that its player had laid face down by then, this card included. The
    /// player had no more cards of the food then. After each later face-up sacrifice of the food, the limit is at
    /// most the number of its accounted cards of the food.
    ///
    /// Nobody can know more. Any choice for the earlier cards leaves a choice for the later ones: a limit on a later
    /// card limits the earlier cards too, so a player's limits never fall from card to card.
    pub at_most_so_far: Foods,
}

impl FaceDown {
    /// The entry for places without a card.
    const NOBODYS: Self = Self { seat: Seat::new(0).expect("a table has a seat 0"), at_most_so_far: Foods::EMPTY };
}

fn read_face_down_count(bytes: &mut impl io::Read) -> io::Result<u8> {
    read_count(bytes, MOAI, "face-down cards")
}

impl Stone {
    /// The stone without cards.
    pub const EMPTY: Self =
        Self { open: Foods::EMPTY, top: Top::Empty, face_down_count: 0, face_down: [FaceDown::NOBODYS; MOAI] };

    /// Returns the face-down cards, in the order in which they were laid.
    pub fn cards_face_down(&self) -> &[FaceDown] {
        &self.face_down[..usize::from(self.face_down_count)]
    }

    /// Returns the places of the face-down cards that `seat` laid.
    pub fn hidden_by(&self, seat: Seat) -> impl Iterator<Item = usize> {
        self.cards_face_down().iter().enumerate().filter(move |(_, hidden)| hidden.seat == seat).map(|(place, _)| place)
    }

    /// Limits the face-down cards of `seat`: at most `most` of them are of `food`.
    pub(super) fn limit_hidden_by(&mut self, seat: Seat, food: Food, most: u8) {
        for hidden in
            self.face_down[..usize::from(self.face_down_count)].iter_mut().filter(|hidden| hidden.seat == seat)
        {
            hidden.at_most_so_far[food] = hidden.at_most_so_far[food].min(most);
        }
    }

    /// Clears the limits on face-down cards, which observations do not show.
    pub(super) fn forget_what_could_be(&mut self) {
        self.face_down.iter_mut().for_each(|hidden| hidden.at_most_so_far = Foods::EMPTY);
    }

    /// Lays a card on the stone, face up.
    pub(super) fn lay_open(&mut self, food: Food) {
        self.open[food] += 1;
        self.top = Top::Open(food);
    }

    /// Lays a card on the stone, face down.
    pub(super) fn lay_face_down(&mut self, hidden: FaceDown) {
        self.face_down[usize::from(self.face_down_count)] = hidden;
        self.face_down_count += 1;
        self.top = Top::FaceDown;
    }
}

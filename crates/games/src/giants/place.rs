//! The places of the pieces: not in play, in front of a screen, on the island, on an Ahu.

use ahu_core::{BySeat, Seat, Seats};
use borsh::{BorshDeserialize, BorshSerialize};

use super::board::{Ahu, Hex};
use super::piece::{Piece, Pieces};

/// The place of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not in play: part of the rock, or out of the game.
    Rock,
    /// In front of a screen: sculpted in this turn, and not moved yet.
    Front(Seat),
    /// On a hex of the island.
    Island {
        /// The hex.
        hex: Hex,
        /// The owner of the piece.
        claim: Claim,
    },
    /// On an Ahu, permanently: a Moai on its base, or a headdress on the Moai.
    Ahu(Ahu),
}

/// The ownership of a piece on the island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No owner: any player may take the piece.
    Abandoned,
    /// Owned until the phase ends by this player, who moved it in this phase and left it unmarked (G19).
    Held(Seat),
    /// Owned by this player, whose Tribe Marker is on it.
    Marked(Seat),
}

/// A place without its owner, as one number: 0 not in play (a figure: behind the screen, or in the receptacle), 1 in
/// front of a screen, then the hexes, then the Ahus. Observations have the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Code(u8);

impl Code {
    /// The code of all pieces that are not in play.
    pub(super) const OUT: Self = Self(0);
    /// The code of all places in front of screens.
    pub(super) const FRONT: Self = Self(1);
    /// The number of codes that figures can have: a figure is on no Ahu.
    pub(super) const OF_FIGURES: usize = Self::FIRST_HEX + Hex::COUNT;
    /// The number of codes.
    pub(super) const COUNT: usize = Self::OF_FIGURES + Ahu::COUNT;
    const FIRST_HEX: usize = 2;

    /// Returns the number.
    #[inline]
    pub(super) const fn number(self) -> u64 {
        self.0 as u64
    }

    /// Returns the code of a hex.
    #[inline]
    pub(super) const fn of_hex(hex: Hex) -> Self {
        Self((Self::FIRST_HEX + hex.index()) as u8)
    }

    /// Returns the code of an Ahu.
    #[inline]
    pub(super) const fn of_ahu(ahu: Ahu) -> Self {
        Self((Self::OF_FIGURES + ahu.index()) as u8)
    }

    /// Returns the hex; None if the place is no hex.
    #[inline]
    const fn hex(self) -> Option<Hex> {
        Hex::new((self.0 as usize).wrapping_sub(Self::FIRST_HEX))
    }

    /// Returns the Ahu; None if the place is no Ahu.
    #[inline]
    const fn ahu(self) -> Option<Ahu> {
        Ahu::new((self.0 as usize).wrapping_sub(Self::OF_FIGURES))
    }
}

/// The places of all pieces: a code for each, and the sets that the rules ask for.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Places {
    codes: [Code; Piece::COUNT],
    in_rock: Pieces,
    in_front: Pieces,
    on_island: Pieces,
    /// The pieces of each seat: in front of its screen, held, or with its Tribe Marker.
    owned: BySeat<Pieces>,
    marked: Pieces,
}

impl Places {
    /// Creates the places before the first turn: no piece is in play.
    pub(super) const fn new(seats: Seats) -> Self {
        Self {
            codes: [Code::OUT; Piece::COUNT],
            in_rock: Pieces::from_bits((1 << Piece::COUNT) - 1),
            in_front: Pieces::EMPTY,
            on_island: Pieces::EMPTY,
            owned: BySeat::new(seats, Pieces::EMPTY),
            marked: Pieces::EMPTY,
        }
    }

    /// Returns true if the sets agree with the codes.
    pub(super) fn is_whole(&self) -> bool {
        let mut places = Self::new(self.owned.seats());
        Piece::all().for_each(|piece| places.put(piece, self.of(piece)));
        places == *self
    }

    /// Returns the place of a piece.
    pub fn of(&self, piece: Piece) -> Place {
        let code = self.codes[piece.index()];
        let owner = self.owned.iter().find(|(_, pieces)| pieces.contains(piece)).map(|(seat, _)| seat);
        match (code.hex(), code.ahu(), owner) {
            (Some(hex), _, None) => Place::Island { hex, claim: Claim::Abandoned },
            (Some(hex), _, Some(owner)) if self.marked.contains(piece) => {
                Place::Island { hex, claim: Claim::Marked(owner) }
            }
            (Some(hex), _, Some(owner)) => Place::Island { hex, claim: Claim::Held(owner) },
            (None, Some(ahu), _) => Place::Ahu(ahu),
            (None, None, Some(owner)) => Place::Front(owner),
            (None, None, None) => Place::Rock,
        }
    }

    /// Puts a piece at a place.
    pub fn put(&mut self, piece: Piece, place: Place) {
        let one = Pieces::from(piece);
        let (code, owner) = match place {
            Place::Rock => (Code::OUT, None),
            Place::Front(owner) => (Code::FRONT, Some(owner)),
            Place::Island { hex, claim: Claim::Abandoned } => (Code::of_hex(hex), None),
            Place::Island { hex, claim: Claim::Held(owner) | Claim::Marked(owner) } => (Code::of_hex(hex), Some(owner)),
            Place::Ahu(ahu) => (Code::of_ahu(ahu), None),
        };
        for seat in self.owned.seats().iter() {
            self.owned[seat] -= one;
        }
        if let Some(owner) = owner {
            self.owned[owner] |= one;
        }
        self.codes[piece.index()] = code;
        self.in_rock = with_or_without(self.in_rock, one, place == Place::Rock);
        self.in_front = with_or_without(self.in_front, one, matches!(place, Place::Front(_)));
        self.on_island = with_or_without(self.on_island, one, matches!(place, Place::Island { .. }));
        let is_marked = matches!(place, Place::Island { claim: Claim::Marked(_), .. });
        self.marked = with_or_without(self.marked, one, is_marked);
    }

    /// Moves a piece on the island to a hex. Its owner stays.
    #[inline]
    pub(super) fn carry(&mut self, piece: Piece, to: Hex) {
        self.codes[piece.index()] = Code::of_hex(to);
        self.in_front -= piece.into();
        self.on_island |= piece.into();
    }

    /// Makes the pieces abandoned that were moved and left unmarked (G19).
    pub(super) fn let_go(&mut self) {
        let kept = self.in_front | self.marked;
        for seat in self.owned.seats().iter() {
            self.owned[seat] &= kept;
        }
    }

    /// Returns the codes of the places, by piece.
    pub(super) const fn codes(&self) -> &[Code; Piece::COUNT] {
        &self.codes
    }

    /// Returns the hex of a piece on the island; None at another place.
    #[inline]
    pub(super) fn hex(&self, piece: Piece) -> Option<Hex> {
        self.codes[piece.index()].hex()
    }

    /// Returns the pieces on an Ahu.
    pub fn on(&self, ahu: Ahu) -> Pieces {
        Piece::all().filter(|piece| self.codes[piece.index()] == Code::of_ahu(ahu)).collect()
    }

    /// Returns the pieces that are not in play.
    #[inline]
    pub(super) const fn in_rock(&self) -> Pieces {
        self.in_rock
    }

    /// Returns the pieces in front of a screen.
    #[inline]
    pub(super) const fn in_front(&self) -> Pieces {
        self.in_front
    }

    /// Returns the pieces that came into the game and are not on an Ahu.
    #[inline]
    pub fn movable(&self) -> Pieces {
        self.in_front | self.on_island
    }

    /// Returns the pieces of each player: in front of the screen, held, or marked.
    #[inline]
    pub(super) const fn owned(&self) -> &BySeat<Pieces> {
        &self.owned
    }

    /// Returns the pieces without an owner on the island.
    #[inline]
    pub(super) fn abandoned(&self) -> Pieces {
        self.owned.values().iter().fold(self.on_island, |rest, &pieces| rest - pieces)
    }

    /// Returns the pieces with a Tribe Marker.
    #[inline]
    pub(super) const fn marked(&self) -> Pieces {
        self.marked
    }
}

fn with_or_without(set: Pieces, one: Pieces, with: bool) -> Pieces {
    if with { set | one } else { set - one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_where_it_was_put() {
        let [seats, other] = [Seats::new(3), Seats::new(4)].map(|seats| seats.expect("a table"));
        let [first, last] = [0, 2].map(|seat| seats.get(seat).expect("a seat"));
        let piece = Piece::new(20).expect("a piece");
        let hexes = [0, 41].map(|hex| Hex::new(hex).expect("a hex"));
        let ahus = [0, 25].map(|ahu| Ahu::new(ahu).expect("an Ahu"));
        let claims = [Claim::Abandoned, Claim::Held(first), Claim::Marked(last)];
        let on_island = hexes.into_iter().flat_map(|hex| claims.map(|claim| Place::Island { hex, claim }));
        let others = [Place::Rock, Place::Front(first), Place::Front(last)].into_iter().chain(ahus.map(Place::Ahu));
        let all: Vec<Place> = on_island.chain(others).collect();

        for &before in &all {
            for &place in &all {
                let mut places = Places::new(seats);
                places.put(piece, before);
                places.put(piece, place);
                assert_eq!(places.of(piece), place, "after {before:?}");
                let mut straight = Places::new(seats);
                straight.put(piece, place);
                assert_eq!(places, straight, "equal places are equal values");
            }
        }
        assert_eq!(Places::new(other).movable(), Pieces::EMPTY);
    }
}

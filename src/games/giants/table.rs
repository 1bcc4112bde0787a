//! The public part of a game, and the places of its pieces.

use super::Phase;
use super::board::{Ahu, Ahus, Board, Hexes, MAX_AHUS};
use super::logs::Logs;
use super::options::Options;
use super::piece::{BySize, Claim, Kind, PIECES, Piece, Pieces, Place};
use super::set::Numbered;
use super::tribe::Tribe;
use crate::core::{BySeat, Seat};

/// The number of Rongo half-tablets.
pub const HALVES: u8 = 30;

/// The public part of a game: everything that all players can see, or could have seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The options.
    pub options: Options,
    /// The step of the turn that comes next.
    pub phase: Phase,
    /// The number of the turn, from 1.
    pub turn: u8,
    /// The first player of this turn.
    pub first: Seat,
    /// The players' people and goods.
    pub tribes: BySeat<Tribe>,
    /// The Moai that are still to come, by size.
    pub supply: BySize,
    /// The Moai that left the game, by size.
    pub removed: BySize,
    /// The half-tablets in the draw.
    pub halves: u8,
    /// The logs in stock beside the island.
    pub logs_left: u8,
    /// The logs that left the game.
    pub logs_gone: u8,
    /// The logs on the island.
    pub logs: Logs,
    /// The forests that were harvested.
    pub harvested: Hexes,
    /// The place of each piece.
    pub pieces: [Place; PIECES],
    /// The hexes where each piece has been in this Transport Phase. They include its start once it was lifted.
    pub visited: [Hexes; PIECES],
    /// The state of each Ahu.
    pub sites: [Site; MAX_AHUS],
}

/// The state of an Ahu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// No base and no Moai.
    Free,
    /// A base, colour up: only its player may erect a Moai here.
    Reserved(Seat),
    /// A Moai on a base.
    Erected {
        /// The owner of the base; None only in a shown view that hides the owner (G31).
        owner: Option<Seat>,
        /// The Moai.
        moai: Piece,
        /// The headdress on the Moai.
        headdress: Option<Piece>,
    },
}

/// The parts of the table, by piece, Ahu, or player.
impl Table {
    /// Returns the island.
    #[inline]
    pub fn board(&self) -> &'static Board {
        Board::named(self.options.board)
    }

    /// Returns the place of a piece.
    #[inline]
    pub fn place_of(&self, piece: Piece) -> Place {
        self.pieces[piece.index()]
    }

    /// Returns the state of an Ahu.
    #[inline]
    pub fn site(&self, ahu: Ahu) -> Site {
        self.sites[ahu.index()]
    }

    /// Returns the pieces of a kind that came into the game, which happens in the order of their numbers.
    #[inline]
    pub(super) fn in_play(&self, kind: Kind) -> impl Iterator<Item = Piece> {
        kind.pieces().take_while(|&piece| self.place_of(piece) != Place::Rock)
    }

    /// Returns the pieces of a kind that did not come into the game.
    pub(super) fn in_rock(&self, kind: Kind) -> impl Iterator<Item = Piece> {
        kind.pieces().skip_while(|&piece| self.place_of(piece) != Place::Rock)
    }

    /// Returns the pieces whose place fulfils a condition.
    #[inline]
    pub(super) fn pieces_where(&self, is_such: impl Fn(&Place) -> bool) -> Pieces {
        let bits = self.pieces.iter().rev().fold(0, |bits, place| bits << 1 | u64::from(is_such(place)));
        Pieces::from_bits(bits)
    }

    /// Returns the pieces that came into the game and are not on an Ahu.
    #[inline]
    pub(super) fn movable(&self) -> Pieces {
        self.pieces_where(|place| matches!(place, Place::Front(_) | Place::Island { .. }))
    }

    /// Returns the Ahus with a base or a Moai.
    #[inline]
    pub(super) fn occupied(&self) -> Ahus {
        let bits = self.sites.iter().rev().fold(0, |bits, site| bits << 1 | u64::from(*site != Site::Free));
        Ahus::from_bits(bits)
    }

    /// Returns the pieces in front of a player's screen.
    pub(super) fn in_front_of(&self, seat: Seat) -> Pieces {
        self.pieces_where(|place| *place == Place::Front(seat))
    }

    /// Returns the pieces with a Tribe Marker of the player.
    pub(super) fn marked_by(&self, seat: Seat) -> Pieces {
        self.pieces_where(|place| matches!(place, Place::Island { claim: Claim::Marked(by), .. } if *by == seat))
    }
}

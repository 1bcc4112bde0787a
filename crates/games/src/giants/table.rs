//! The public part of a game, and the accessors of its parts.

use ahu_core::{BySeat, Events, Seat, SeatSet};
use borsh::{BorshDeserialize, BorshSerialize};

use super::bid::Bid;
use super::board::{Ahu, Board, Hex, Hexes};
use super::chance_outcome::Roll;
use super::event::Event;
use super::logs::Logs;
use super::options::Options;
use super::phase::Phase;
use super::piece::{BySize, Kind, Piece, Pieces};
use super::place::{Place, Places};
use super::site::{Site, Sites};
use super::tribe::Tribe;

/// The number of Rongo half-tablets.
pub const HALVES: u8 = 30;

/// The public part of a game: everything that all players can see, or could have seen.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Table {
    /// The options.
    pub options: Options,
    /// The step of the turn that comes next.
    pub phase: Phase,
    /// The number of the turn, from 1.
    pub turn: u8,
    /// The first player of this turn.
    pub first: Seat,
    /// The dice of this turn; None before they are rolled.
    pub roll: Option<Roll>,
    /// The bids of this turn; None before all are sealed, and in a turn without an auction.
    pub shown_bids: Option<BySeat<Bid>>,
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
    /// The places of the pieces.
    pub pieces: Places,
    /// The hexes where each piece has been in this Transport Phase. They include its start once it was lifted.
    pub visited: [Hexes; Piece::COUNT],
    /// The Ahus in use.
    pub sites: Sites,
}

/// The parts of the table, by piece, Ahu, or player.
impl Table {
    /// Returns the island.
    #[inline]
    pub fn board(&self) -> &'static Board {
        Board::named(self.options.board)
    }

    /// Returns the place of a piece.
    pub fn place_of(&self, piece: Piece) -> Place {
        self.pieces.of(piece)
    }

    /// Returns the hex of a piece. For a piece in front of a screen it is the quarry.
    ///
    /// # Panics
    /// If the piece is not in play, or is on an Ahu.
    #[inline]
    pub(super) fn hex_of(&self, piece: Piece) -> Hex {
        self.pieces.hex(piece).unwrap_or_else(|| {
            assert!(self.pieces.in_front().contains(piece), "{piece} cannot move: {:?}", self.place_of(piece));
            match piece.kind() {
                Kind::Moai(_) => self.board().moai_quarry,
                Kind::Headdress => self.board().headdress_quarry,
            }
        })
    }

    /// Returns the state of an Ahu.
    pub fn site(&self, ahu: Ahu) -> Site {
        let (headdresses, owner) = (Kind::Headdress.pieces(), self.sites.owner(ahu));
        let here = self.pieces.on(ahu);
        match ((here - headdresses).first(), owner) {
            (Some(moai), owner) => Site::Erected { owner, moai, headdress: (here & headdresses).first() },
            (None, Some(owner)) => Site::Reserved(owner),
            (None, None) => Site::Free,
        }
    }

    /// Returns the pieces of a kind that came into the game, which happens in the order of their numbers.
    pub(super) fn in_play(&self, kind: Kind) -> Pieces {
        kind.pieces() - self.in_rock(kind)
    }

    /// Returns the pieces of a kind that did not come into the game.
    #[inline]
    pub(super) fn in_rock(&self, kind: Kind) -> Pieces {
        kind.pieces() & self.pieces.in_rock()
    }

    /// Returns the pieces in front of a player's screen.
    #[inline]
    pub(super) fn in_front_of(&self, seat: Seat) -> Pieces {
        self.pieces.owned()[seat] & self.pieces.in_front()
    }

    /// Returns the pieces with a Tribe Marker of the player.
    #[inline]
    pub(super) fn marked_by(&self, seat: Seat) -> Pieces {
        self.pieces.owned()[seat] & self.pieces.marked()
    }
}

/// The turn order of phases 3 and 4.
impl Table {
    /// Returns the next player who can do something other than pass, from `seat` on to the left, and the players who have
    /// passed; None if all have. The skipped players pass (G47).
    pub(super) fn next_able(
        &self,
        seat: Seat,
        mut passed: SeatSet,
        can_act: impl Fn(Seat) -> bool,
        events: &mut impl Events<Event>,
    ) -> Option<(Seat, SeatSet)> {
        for k in 0..self.options.seats.count() {
            let seat = self.options.seats.left_of(seat, k);
            if passed.contains(seat) {
                continue;
            }
            if can_act(seat) {
                return Some((seat, passed));
            }
            passed = passed.with(seat);
            events.push(Event::Passed { seat, forced: true });
        }
        None
    }
}

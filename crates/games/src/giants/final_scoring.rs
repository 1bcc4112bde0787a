//! The end of the game and the final scoring.

use std::cmp::Reverse;

use ahu_core::{BySeat, Seat, ranks_by};

use super::board::Ahu;
use super::event::{End, Points};
use super::options::TieBreak;
use super::piece::{BySize, Kind, Piece, Size};
use super::table::Table;

/// The Prestige Points for a complete Rongo tablet: two halves (G36).
const TABLET_POINTS: u16 = 3;

impl Table {
    /// Returns the reason to end the game after this turn's phase 4, if there is one. A reserved Ahu without a Moai
    /// does not count as a used base.
    pub(super) fn reason_to_end(&self) -> Option<End> {
        let bases = usize::from(self.options.bases());
        if self.options.seats.iter().any(|seat| self.sites.erected_by(seat).len() == bases) {
            Some(End::Bases)
        } else if self.options.exhaustion_end && self.is_exhausted() {
            Some(End::Exhaustion)
        } else if self.turn >= self.options.max_turns {
            Some(End::LastTurn)
        } else {
            None
        }
    }

    /// Returns true if no Moai is left, neither in the supply nor to be erected (G34).
    fn is_exhausted(&self) -> bool {
        self.supply == BySize::EMPTY && (self.pieces.movable() - Kind::Headdress.pieces()).is_empty()
    }

    /// Returns the Prestige Points of a player if the final scoring took place now, as far as the owners of Moai are
    /// known.
    #[inline]
    pub(super) fn points(&self, seat: Seat) -> Points {
        let (board, tribe, bases) = (self.board(), &self.tribes[seat], self.sites.bases()[seat]);
        let mut points = Points {
            scored: tribe.prestige,
            tablets: u16::from(tribe.halves / 2) * TABLET_POINTS,
            ..Points::default()
        };
        for ahu in (bases & self.sites.topped()).iter() {
            points.headdresses += u16::from(board.ahu(ahu).headdress);
        }
        if !self.options.visible_score {
            for (size, erected) in Size::ALL.into_iter().zip(self.sites.moai()) {
                for ahu in (bases & *erected).iter() {
                    points.moai += u16::from(board.ahu(ahu).moai) * u16::from(size.units());
                }
            }
        }
        points
    }

    /// Returns the Prestige Points if the final scoring took place now, as far as the owners of Moai are known.
    pub fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(self.options.seats, |seat| self.points(seat).total().into())
    }

    /// Returns the parts of the scores by source.
    pub(super) fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        let points = BySeat::from_fn(self.options.seats, |seat| self.points(seat));
        vec![
            ("prestige", points.map(|points| points.scored.into())),
            ("Moai", points.map(|points| points.moai.into())),
            ("headdresses", points.map(|points| points.headdresses.into())),
            ("tablets", points.map(|points| points.tablets.into())),
        ]
    }

    /// Returns the worth of a piece on an Ahu: a Moai's size times the black number; for a headdress the red number.
    pub fn worth(&self, piece: Piece, ahu: Ahu) -> u16 {
        let values = self.board().ahu(ahu);
        match piece.kind() {
            Kind::Moai(size) => u16::from(values.moai) * u16::from(size.units()),
            Kind::Headdress => values.headdress.into(),
        }
    }

    /// Returns the ranks by these scores; G35 decides ties.
    pub fn ranks(&self, scores: BySeat<i32>) -> BySeat<u8> {
        let seats = self.options.seats;
        match self.options.tie_break {
            TieBreak::Share => ranks_by(&scores),
            TieBreak::Halves => ranks_by(&BySeat::from_fn(seats, |seat| {
                (scores[seat], self.tribes[seat].halves, Reverse(seats.steps_left(self.first, seat)))
            })),
        }
    }
}

//! The end of the game and the final scoring.

use std::cmp::Reverse;

use super::board::{Ahu, Ahus};
use super::event::End;
use super::options::TieBreak;
use super::piece::{Kind, Piece};
use super::{Site, Table};
use crate::core::{BySeat, Seat, ranks_by};

/// The Prestige Points for a complete Rongo tablet: two halves (G36).
const TABLET_POINTS: i32 = 3;

impl Table {
    /// Returns the Ahus with a Moai.
    pub(super) fn erected(&self) -> Ahus {
        self.occupied().iter().filter(|&ahu| matches!(self.site(ahu), Site::Erected { .. })).collect()
    }

    /// Returns the Ahus with a Moai of the player.
    pub fn erected_by(&self, seat: Seat) -> Ahus {
        let is_own = |&ahu: &Ahu| matches!(self.site(ahu), Site::Erected { owner, .. } if owner == Some(seat));
        self.occupied().iter().filter(is_own).collect()
    }

    /// Returns the reason to end the game after this turn's phase 4, if there is one. A reserved Ahu without a Moai
    /// does not count as a used base.
    pub(super) fn reason_to_end(&self) -> Option<End> {
        let bases = usize::from(self.options.bases());
        if self.options.seats.iter().any(|seat| self.erected_by(seat).len() == bases) {
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
        self.supply == [0; 3] && !self.movable().iter().any(|piece| matches!(piece.kind(), Kind::Moai(_)))
    }

    /// Returns the Prestige Points if the final scoring took place now, as far as the owners of Moai are known.
    pub fn scores(&self) -> BySeat<i32> {
        let mut scores = BySeat::from_fn(self.options.seats, |seat| {
            let tribe = &self.tribes[seat];
            i32::from(tribe.prestige) + i32::from(tribe.halves / 2) * TABLET_POINTS
        });
        for ahu in self.occupied().iter() {
            if let Site::Erected { owner: Some(owner), moai, headdress } = self.site(ahu) {
                if !self.options.visible_score {
                    scores[owner] += i32::from(self.worth(moai, ahu));
                }
                scores[owner] += headdress.map_or(0, |headdress| i32::from(self.worth(headdress, ahu)));
            }
        }
        scores
    }

    /// Returns the worth of a piece on an Ahu: a Moai's size times the black number; for a headdress the red number.
    pub fn worth(&self, piece: Piece, ahu: Ahu) -> u16 {
        let values = self.board().ahu(ahu);
        match piece.kind() {
            Kind::Moai(size) => u16::from(values.moai) * u16::from(size.units()),
            Kind::Headdress => values.headdress.into(),
        }
    }

    /// Scores a Moai when it is erected, in the variant `visible_score`.
    pub(super) fn score_at_once(&mut self, seat: Seat, moai: Piece, ahu: Ahu) {
        if self.options.visible_score {
            self.tribes[seat].prestige += self.worth(moai, ahu);
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
